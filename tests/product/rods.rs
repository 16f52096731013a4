//! One rod, several solvers: the same model by rods and by block descent, and the record of another
//! implementation.

use std::path::PathBuf;

use coact_math::{Spatial, Vec3};
use coact_model::{
    Forces, Model, ModelBuilder, ModelView, RodDef, RodEnd, RodPath, ShapeFlags, State, StateFields,
};
use coact_rod::{RodConfig, RodLaw, SolverRod};
use coact_solver::{Solver, StepInput, StepReport};
use coact_vbd::{Precision, SolverVbd, VbdConfig};
use coact_verify::reference::{Case, compare_rods};

fn clamped_rod() -> Model {
    let path = RodPath::Straight { from: Vec3::zeros(), to: Vec3::x() * 0.4, segments: 8 };
    let begin = RodEnd::Clamped(None);
    let mut b = ModelBuilder::new();
    b.add_rod(RodDef { path, begin, damping_time: 2e-3, flags: ShapeFlags::VISIBLE, ..RodDef::default() });
    b.finalize().unwrap()
}

fn run(model: &Model, mut solver: Box<dyn Solver>, steps: usize) -> State {
    let (mut state, control) = (model.state(), model.control());
    let mut forces = Forces::zeros(0, model.body_count());
    forces.body_f[7] = Spatial::new(Vec3::new(0.0, 0.02, 0.0), Vec3::new(2e-3, 0.0, 0.0));
    solver.load(&state);
    for _ in 0..steps {
        let input = StepInput { control: &control, forces: &forces, contacts: None };
        solver.step(&input, 1.0 / 240.0, &mut StepReport::default()).unwrap();
    }
    solver.store(StateFields::all(), &mut state);
    state
}

fn distance(a: &State, b: &State) -> f64 {
    a.body_q.iter().zip(&b.body_q).map(|(a, b)| (a.p - b.p).norm()).fold(0.0, f64::max)
}

/// The shared law is that of the rows of block descent: both solvers, converged, take the same steps.
#[test]
fn the_shared_law_moves_as_the_rows_of_block_descent() {
    let model = clamped_rod();
    let view = ModelView::whole(&model);
    let rod = |law| Box::new(SolverRod::new(&view, RodConfig { law, ..RodConfig::default() }).unwrap());
    let config = VbdConfig { iterations: 20, precision: Precision::Double, ..VbdConfig::default() };
    let vbd = run(&model, Box::new(SolverVbd::new(&view, config).unwrap()), 60);
    let shared = run(&model, rod(RodLaw::Shared), 60);
    let own = run(&model, rod(RodLaw::RotationVector), 60);
    let way = distance(&shared, &model.state());
    println!(
        "way {way:.3}: shared - vbd {:.1e}, own - shared {:.1e}",
        distance(&shared, &vbd),
        distance(&own, &shared)
    );
    assert!(way > 0.1, "it hardly moved");
    assert!(distance(&shared, &vbd) < 1e-5, "{}", distance(&shared, &vbd));
    assert!(distance(&own, &shared) < 5e-3, "{}", distance(&own, &shared));
}

/// The converged record of another implementation, which has a first-order target: at rest it is the same.
#[test]
fn the_record_of_a_soft_cantilever_is_met_within_a_millimetre() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("reference/scenes/rod_cantilever_soft.json");
    let case = Case::read(&path).expect("case is shipped");
    let variant = case.variants().into_iter().find(|v| v.name == "it200").expect("the longest one is there");
    for law in [RodLaw::Shared, RodLaw::RotationVector] {
        let c = compare_rods(&variant, law, 1e-3).expect("case runs");
        for r in &c.records {
            println!("{law:?} step {}: {:.1e} m", r.step, r.difference);
            assert!(r.ok(), "{law:?} step {}: {:.3e} m", r.step, r.difference);
        }
        assert_eq!(c.records.len(), 6);
    }
}
