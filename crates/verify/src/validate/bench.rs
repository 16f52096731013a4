//! A solver on its bench: a model, a solver, and steps without external force.

use coact_model::{BodyId, Control, Forces, Model, ParticleId, State, StateFields};
use coact_solver::{Solver, StepInput, StepReport};

use super::CaseError;

/// A solver with the state that it left.
pub struct Bench {
    /// The model.
    pub model: Model,
    /// The solver.
    pub solver: Box<dyn Solver>,
    /// The state after the last [`Bench::run`].
    pub state: State,
    /// External forces of every step.
    pub forces: Forces,
    /// Control of every step.
    pub control: Control,
    /// Report of the last step.
    pub report: StepReport,
}

impl Bench {
    /// Puts `solver` on the bench and loads the initial state of `model`.
    pub fn new(model: Model, mut solver: Box<dyn Solver>) -> Self {
        let state = model.state();
        solver.load(&state);
        Self {
            forces: Forces::zeros(model.particle_count(), model.body_count()),
            control: model.control(),
            report: StepReport::default(),
            model,
            solver,
            state,
        }
    }

    /// One step, and the state after it.
    ///
    /// # Errors
    /// When the solver fails.
    pub fn step(&mut self, dt: f64) -> Result<&State, CaseError> {
        self.report.clear();
        let input = StepInput { control: &self.control, forces: &self.forces, contacts: None };
        self.solver.step(&input, dt, &mut self.report)?;
        self.solver.store(StateFields::all(), &mut self.state);
        Ok(&self.state)
    }

    /// `steps` steps.
    ///
    /// # Errors
    /// When the solver fails.
    pub fn run(&mut self, steps: usize, dt: f64) -> Result<&State, CaseError> {
        for _ in 0..steps {
            self.step(dt)?;
        }
        Ok(&self.state)
    }

    /// Height of a body's frame.
    pub fn body_z(&self, body: usize) -> f64 {
        self.state.body_q[BodyId::new(body).index()].p.z
    }

    /// Height of a particle.
    pub fn particle_z(&self, particle: usize) -> f64 {
        self.state.particle_q[ParticleId::new(particle).index()].z
    }
}
