//! A scene that runs: model, solver, state, what drives it, and the clock.

use coact_model::{Control, Forces, Model, MotionPlan, State, StateFields, follow_joints};
use coact_solver::{Solver, SolverError, StepInput, StepReport};

use crate::drive::DriveTable;
use crate::expect::Check;
use crate::file::Output;
use crate::loads::Loads;
use crate::resolve::Measured;

/// Step size, count of steps, and when frames are written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunPlan {
    /// Step size \[s\].
    pub dt: f64,
    /// Number of steps.
    pub steps: u64,
    /// Steps between two frames.
    pub frame_every: u64,
}

/// A built scene.
pub struct Simulation {
    /// The scene's description.
    pub description: String,
    /// Where VBD runs: "cpu" or the name of an adapter.
    pub device: String,
    /// The name of the solver, when it runs alone: without a coupler that would report it.
    pub lone_solver: Option<String>,
    /// The shared model.
    pub model: Model,
    /// The solver, or the coupler that holds the solvers.
    pub solver: Box<dyn Solver>,
    /// The state as last stored, see [`Simulation::store`].
    pub state: State,
    /// Drive targets and prescribed velocities of the coming step.
    pub control: Control,
    /// External forces of the coming step: those of the scene where it has some, else those
    /// that the caller sets.
    pub forces: Forces,
    /// How long it runs.
    pub plan: RunPlan,
    /// What a run writes.
    pub output: Output,
    /// Whose loads a run writes.
    pub measured: Measured,
    /// What must hold at the end.
    pub checks: Vec<Check>,
    pub(crate) drives: DriveTable,
    pub(crate) motions: MotionPlan,
    pub(crate) loads: Loads,
    pub(crate) steps_done: u64,
}

impl Simulation {
    /// Takes the pieces together and hands the initial state to the solver.
    pub(crate) fn new(model: Model, mut solver: Box<dyn Solver>, drives: DriveTable, plan: RunPlan) -> Self {
        let (state, control) = (model.state(), model.control());
        let forces = Forces::zeros(model.particle_count(), model.body_count());
        solver.load(&state);
        Self {
            description: String::new(),
            device: "cpu".to_owned(),
            lone_solver: None,
            model,
            solver,
            state,
            control,
            forces,
            plan,
            output: Output::default(),
            measured: Measured::default(),
            checks: Vec::new(),
            drives,
            motions: MotionPlan::default(),
            loads: Loads::default(),
            steps_done: 0,
        }
    }

    /// Simulated time \[s\] at the end of the last step.
    pub fn time(&self) -> f64 {
        self.steps_done as f64 * self.plan.dt
    }

    /// Steps taken so far.
    pub fn steps_done(&self) -> u64 {
        self.steps_done
    }

    /// Whether the planned number of steps has been taken.
    pub fn finished(&self) -> bool {
        self.steps_done >= self.plan.steps
    }

    /// Whether a frame belongs to the present time: the start, every `frame_every` steps,
    /// and the end.
    pub fn frame_due(&self) -> bool {
        self.steps_done.is_multiple_of(self.plan.frame_every) || self.finished()
    }

    /// Sets the drive targets of `control` to those of time `t` \[s\].
    pub fn apply_drives(&mut self, t: f64) {
        self.drives.apply(t, &mut self.control);
    }

    /// Sets the drive targets to those of the end of the step, the velocities of what moves
    /// by prescription and the forces to those of the step, and takes it.
    ///
    /// # Errors
    /// As [`Solver::step`].
    pub fn step(&mut self, report: &mut StepReport) -> Result<(), SolverError> {
        let (begin, dt) = (self.time(), self.plan.dt);
        let end = (self.steps_done + 1) as f64 * dt;
        self.apply_drives(end);
        self.motions.apply(begin, end, &mut self.control);
        self.loads.apply(0.5 * (begin + end), &mut self.forces);
        report.clear();
        let input = StepInput { control: &self.control, forces: &self.forces, contacts: None };
        self.solver.step(&input, self.plan.dt, report)?;
        self.steps_done += 1;
        Ok(())
    }

    /// Downloads fields of the state into `state`; coordinates of joints that the solver does not keep are read
    /// off the poses.
    pub fn store(&mut self, fields: StateFields) {
        let joints = fields.intersects(StateFields::JOINT_Q | StateFields::JOINT_QD);
        let poses = if joints { StateFields::BODY_Q | StateFields::BODY_QD } else { StateFields::empty() };
        self.solver.store(fields | poses, &mut self.state);
        if joints {
            follow_joints(&self.model, &mut self.state);
        }
    }
}
