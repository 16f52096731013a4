//! Reference cases of rods, run by `SolverRod` and compared with the record of block descent.

use coact_model::{ModelView, ShapeFlags, StateFields};
use coact_rod::{RodConfig, RodLaw, SolverRod};
use coact_solver::{Solver, StepInput, StepReport};

use super::ReferenceError;
use super::case::Variant;
use super::run::{Comparison, RecordDifference, difference, forces};
use super::{model, recorded};

/// Runs `variant` by rods of `law` and compares it at every record step, up to `allowed` \[m\]. Shapes
/// meet nothing.
///
/// # Errors
/// When the case cannot be read or the solver refuses it.
pub fn compare_rods(variant: &Variant, law: RodLaw, allowed: f64) -> Result<Comparison, ReferenceError> {
    let mut model = model::build(variant)?;
    model.shape_flags.make_mut().fill(ShapeFlags::VISIBLE);
    let mut solver = SolverRod::new(&ModelView::whole(&model), RodConfig { law, ..RodConfig::default() })?;
    let mut state = model.state();
    state.body_q = model::begin_poses(variant)?;
    solver.load(&state);
    let (recorded, at) = (recorded::read(variant, &model)?, variant.record_steps());
    let (forces, control) = (forces(variant, &model)?, model.control());
    let mut records = Vec::new();
    for step in 1..=variant.steps() {
        let input = StepInput { control: &control, forces: &forces, contacts: None };
        solver.step(&input, variant.dt(), &mut StepReport::default())?;
        if let Some(r) = at.iter().position(|&s| s == step) {
            solver.store(StateFields::all(), &mut state);
            let difference = difference(&state, &recorded, r);
            records.push(RecordDifference { step, difference, allowed: Some(allowed), measures: None });
        }
    }
    Ok(Comparison { title: variant.title(), records, adapter: None, own_contacts: false })
}
