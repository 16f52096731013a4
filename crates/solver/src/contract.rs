//! What every solver does.
//!
//! Order of calls. A solver is built from a `ModelView`; then `load` hands it a state.
//! After that, any number of `step`s; between two steps, in any order: `store` (read
//! back), `load` (overwrite), `reset` (put chosen entities elsewhere), `save_into` / `restore` (exact private step state),
//! `notify_model_changed` (the view changed; the solver takes over what the flags name).
//! A solver owns its state, wherever it lives: nobody else sees it change. All arrays in
//! these calls are global (indexed by global ids) and in SI units; a solver reads and
//! writes only the rows that its view owns or that stand in it as proxies.
//!
//! `step` does not allocate after warm-up, does no IO and does not panic on bad
//! physics: it fills the report. It returns an error only for what could not be
//! refused when the solver was built: a lost device, a `dt` or a control that is none.

use coact_collide::Contacts;
use coact_model::{BodyId, Control, EntityId, Forces, ModelFlags, ModelView, ParticleId, State, StateFields};

use crate::{Loads, Snapshot, SolverError, StepReport};

/// What a step is driven by. Everything is constant over the step.
#[derive(Clone, Copy)]
pub struct StepInput<'a> {
    /// Drive targets, generalised joint forces, and the velocities with which pinned particles
    /// and kinematic bodies move.
    pub control: &'a Control,
    /// External forces on particles \[N\] and wrenches on bodies \[N, N·m\]; each acts
    /// once over the whole `dt`, whatever the solver does inside.
    pub forces: &'a Forces,
    /// Contacts detected by the caller; `None` = the solver detects by its own schedule.
    pub contacts: Option<&'a Contacts>,
}

/// A solver of the motion of what its view owns.
pub trait Solver: Send {
    /// The word for reports: "vbd", "articulated", ….
    fn kind(&self) -> &'static str;

    /// Takes over positions and velocities of what it owns (and of proxies and kinematic
    /// entities it sees) from `state`.
    fn load(&mut self, state: &State);

    /// Puts chosen entities elsewhere: their positions and velocities are those of `state` from now
    /// on, and what is remembered of them, and of what touches, joins or holds them, is forgotten.
    /// A chosen joint forgets what it remembers; a solver in joint coordinates takes over those of
    /// its joint for a chosen body. All else keeps its memory to the bit: `state` is what `store`
    /// gave, edited in the rows of what is chosen. May allocate.
    ///
    /// The default loads all of `state`: enough for a solver that remembers nothing.
    fn reset(&mut self, state: &State, chosen: &[EntityId]) {
        let _ = chosen;
        self.load(state);
    }

    /// Advances by `dt` > 0 \[s\].
    ///
    /// # Errors
    /// Only for faults of the machine and of the call ([`check_step_size`]), never for bad physics.
    fn step(&mut self, input: &StepInput, dt: f64, report: &mut StepReport) -> Result<(), SolverError>;

    /// Writes the asked fields of what it owns into `out`; other rows stay untouched.
    fn store(&mut self, fields: StateFields, out: &mut State);

    /// Saves the private step state exactly: after `restore`, a step gives the same bits.
    fn save_into(&self, to: &mut Snapshot);

    /// Goes back to what `save_into` saved.
    fn restore(&mut self, from: &Snapshot);

    /// The view changed: take over what `flags` name. Counts and connectivity are the same.
    fn notify_model_changed(&mut self, view: &ModelView, flags: ModelFlags);

    /// Energy stored in the elements of what it owns \[J\] (no kinetic and no gravity
    /// energy). Asked for logs only.
    fn stored_energy(&mut self) -> f64 {
        0.0
    }

    /// Appends what joints and contacts carried in the last step, in the world frame. Asked for logs
    /// only, after a step; what was loaded, restored or reset since then is not in it. The default, of
    /// a solver that does not know, appends nothing.
    fn append_loads(&self, _out: &mut Loads) {}
}

/// Refuses what is no step size.
///
/// # Errors
/// A `dt` that is not above 0 or not finite.
pub fn check_step_size(dt: f64) -> Result<(), SolverError> {
    if dt > 0.0 && dt.is_finite() {
        return Ok(());
    }
    let remedy = "a step goes forward in time: give it a finite number of seconds above 0";
    Err(SolverError::Setting { setting: "dt", value: dt.to_string(), remedy: remedy.into() })
}

/// One step between two states, for library users who think in them. What differs in `state_in` from
/// where the solver is was put there: it is reset. All else keeps what is remembered of it, so that
/// contacts hold from one step to the next.
///
/// # Errors
/// As [`Solver::step`].
pub fn advance(
    solver: &mut dyn Solver,
    state_in: &State,
    state_out: &mut State,
    input: &StepInput,
    dt: f64,
    report: &mut StepReport,
) -> Result<(), SolverError> {
    state_out.clone_from(state_in);
    solver.store(StateFields::all(), state_out);
    match moved(state_out, state_in) {
        None => solver.load(state_in),
        Some(moved) if moved.is_empty() => {}
        Some(moved) => solver.reset(state_in, &moved),
    }
    solver.step(input, dt, report)?;
    solver.store(StateFields::all(), state_out);
    Ok(())
}

/// Entities that are elsewhere in `to` than in `from`; `None`: joint coordinates differ.
fn moved(from: &State, to: &State) -> Option<Vec<EntityId>> {
    if (&from.joint_q, &from.joint_qd) != (&to.joint_q, &to.joint_qd) {
        return None;
    }
    let particle =
        |p: &usize| (from.particle_q[*p], from.particle_qd[*p]) != (to.particle_q[*p], to.particle_qd[*p]);
    let body = |b: &usize| (from.body_q[*b], from.body_qd[*b]) != (to.body_q[*b], to.body_qd[*b]);
    let particles = (0..to.particle_q.len()).filter(particle).map(|p| EntityId::Particle(ParticleId::new(p)));
    let bodies = (0..to.body_q.len()).filter(body).map(|b| EntityId::Body(BodyId::new(b)));
    Some(particles.chain(bodies).collect())
}
