//! What the solver refuses when it is built, each with its remedy.

use coact_collide::UnsupportedShape;
use coact_model::{BodyId, EntityId, JointId, JointKind, ModelView, ParticleId};
use coact_solver::SolverError;

fn refused(entity: EntityId, what: String, remedy: &str) -> SolverError {
    SolverError::Entity { entity, what, remedy: remedy.to_owned() }
}

pub(crate) fn joint_kind(j: JointId, kind: JointKind) -> SolverError {
    let what = format!("a {} joint moves a body of the rod solver", kind.word());
    let remedy = "use rod, fixed, ball or revolute joints, give its bodies to another solver and couple the two, or disable it";
    refused(EntityId::Joint(j), what, remedy)
}

pub(crate) fn axis(j: JointId) -> SolverError {
    let what = "its axis has a drive, limits, friction or armature, which the rod solver does not solve";
    let remedy = "clear them, or give its bodies to a solver of joints and couple the two";
    refused(EntityId::Joint(j), what.to_owned(), remedy)
}

pub(crate) fn particle(p: ParticleId) -> SolverError {
    let what = "the rod solver moves no particles".to_owned();
    refused(EntityId::Particle(p), what, "give it to a VBD solver and couple the two")
}

pub(crate) fn shape(view: &ModelView, bad: &UnsupportedShape) -> SolverError {
    let name = view.names.shapes.get(bad.shape.index()).filter(|n| !n.is_empty());
    let name = name.map_or_else(|| bad.shape.to_string(), |n| format!("{} '{n}'", bad.shape));
    SolverError::Setting {
        setting: "shape",
        value: format!("{name} ({}): {}", bad.kind, bad.fault),
        remedy: "mend its geometry, or clear COLLIDE_SHAPES of the shape".into(),
    }
}

pub(crate) fn no_inertia(b: BodyId) -> SolverError {
    let what = "it has no rotational inertia".to_owned();
    refused(EntityId::Body(b), what, "write three positive principal moments")
}
