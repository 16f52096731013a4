//! What cannot work is refused when the solver is built, by name and with the remedy.

use coact_math::{Mat3, Vec3};
use coact_model::{BodyDef, BodyMass, JointDef, JointKind, ModelBuilder, ModelView, ParticleDef};
use coact_rod::{RodConfig, SolverRod};

use crate::support::straight;

fn refusal(b: ModelBuilder) -> String {
    let view = ModelView::whole(&b.finalize().unwrap());
    SolverRod::new(&view, RodConfig::default()).err().expect("must be refused").to_string()
}

#[test]
fn what_it_cannot_do_is_named_with_the_remedy() {
    let mut b = ModelBuilder::new();
    b.add_particle(ParticleDef::default());
    assert!(refusal(b).contains("particle 0: the rod solver moves no particles; give it to a VBD solver"));

    let mut b = ModelBuilder::new();
    let rod = b.add_rod(straight(1.0, 4));
    let mass = BodyMass::Given { mass: 1.0, com: Vec3::zeros(), inertia: Mat3::identity() };
    let body = b.add_body(BodyDef { mass, ..BodyDef::default() });
    b.add_joint(JointDef::new(JointKind::Distance, Some(rod.bodies[0]), body));
    let text = refusal(b);
    assert!(
        text.contains("joint 3: a distance joint moves a body") && text.contains("couple the two"),
        "{text}"
    );
}
