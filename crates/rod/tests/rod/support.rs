//! Rods on a bench: a model, a solver, and what drives it.

use coact_math::{Spatial, Vec3};
use coact_model::{
    BodyId, Control, Forces, Model, ModelBuilder, ModelView, RodDef, RodEnd, RodPath, ShapeFlags, State,
    StateFields,
};
use coact_rod::{RodConfig, SolverRod};
use coact_solver::{Solver, StepInput, StepReport};

/// A solver with its model and input.
pub struct Run {
    pub model: Model,
    pub solver: SolverRod,
    pub control: Control,
    pub forces: Forces,
    pub state: State,
    pub report: StepReport,
}

impl Run {
    pub fn new(model: Model, config: RodConfig) -> Self {
        let solver = SolverRod::new(&ModelView::whole(&model), config).unwrap();
        Self {
            control: model.control(),
            forces: Forces::zeros(0, model.body_count()),
            state: model.state(),
            report: StepReport::default(),
            solver,
            model,
        }
    }

    pub fn step(&mut self, h: f64) -> &State {
        let input = StepInput { control: &self.control, forces: &self.forces, contacts: None };
        self.solver.step(&input, h, &mut self.report).unwrap();
        self.solver.store(StateFields::all(), &mut self.state);
        &self.state
    }

    /// One step, whose state is not looked at.
    pub fn advance(&mut self, h: f64) {
        self.step(h);
    }

    /// Hands the solver the state as it was edited.
    pub fn load(&mut self) {
        self.solver.load(&self.state);
    }
}

/// A rod along x of segments without contact.
pub fn straight(length: f64, segments: usize) -> RodDef {
    let path = RodPath::Straight { from: Vec3::zeros(), to: Vec3::x() * length, segments };
    RodDef { path, flags: ShapeFlags::VISIBLE, ..RodDef::default() }
}

pub fn model(def: RodDef, gravity: Vec3) -> Model {
    let mut b = ModelBuilder::new();
    b.gravity = gravity;
    b.add_rod(def);
    b.finalize().unwrap()
}

pub fn cantilever(segments: usize) -> Model {
    let def = RodDef { begin: RodEnd::Clamped(None), damping_time: 1e-3, ..straight(0.5, segments) };
    model(def, Vec3::z() * -9.81)
}

/// (momentum, angular momentum about the origin) of all bodies.
pub fn momenta(model: &Model, state: &State) -> (Vec3, Vec3) {
    let mut sum = (Vec3::zeros(), Vec3::zeros());
    for b in (0..model.body_count()).map(BodyId::new) {
        let i = b.index();
        let (q, v): (_, &Spatial) = (&state.body_q[i], &state.body_qd[i]);
        let p = v.lin * model.body_mass[i];
        let spin = q.q * (model.body_inertia[i] * (q.q.inverse() * v.ang));
        sum.0 += p;
        sum.1 += model.com_at(b, q).cross(&p) + spin;
    }
    sum
}
