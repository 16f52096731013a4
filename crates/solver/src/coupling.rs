//! What a solver offers to couplers.
//!
//! Roles. A *source* owns an endpoint; a *destination* sees it as a proxy: a dynamic body
//! or particle with the mass that the coupler set in the view. Forces go into a source
//! through `StepInput::forces`, never through a hook.
//!
//! Protocol of one proxy pass, by the coupler (arrays are compact: entry `i` belongs to
//! `set[i]`; everything in the world frame, SI):
//! 1. `source`: `save_into`; `free_motion` gives pose and velocity at the end of the step
//!    without interface force. The source is as before afterwards.
//! 2. `destination`: `save_into`; `begin_proxies` hands over begin and free end of every
//!    proxy; in the step that follows, a proxy's inertial target is the free end pose, its
//!    end velocity is the free end velocity plus what the step corrected, and the
//!    destination adds neither gravity nor external force to it.
//! 3. `destination`: `step`, then `harvest_proxies`: the wrench that the destination's
//!    contacts, rows and elements gave each proxy, constant over `dt`.
//! 4. `source`: `step` with that wrench added to its forces.
//!
//! To iterate: `restore`, `notify_input_state(.., restart = true, ..)`, and again from 2
//! with a corrected free motion. `capabilities` is asked once, when the coupler is built;
//! what is missing is refused there by name.

use coact_math::{Mat3, Mat6, Pose, Quat, Spatial, Vec3};
use coact_model::{BodyId, ParticleId, StateFields};

use crate::{Snapshot, Solver, SolverError, StepInput, StepReport};

/// A body or particle that couples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Endpoint {
    /// A rigid body, at its centre of mass.
    Body(BodyId),
    /// A particle.
    Particle(ParticleId),
}

/// Pose and velocity of an endpoint. For a body `pose` is the body frame and `velocity`
/// (centre of mass, angular); for a particle the rotation is the identity and the angular
/// velocity zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EndpointState {
    /// Pose of the body frame, or position.
    pub pose: Pose,
    /// Velocity \[m/s, rad/s\].
    pub velocity: Spatial,
}

impl EndpointState {
    /// A particle's.
    pub fn particle(q: Vec3, qd: Vec3) -> Self {
        Self { pose: Pose::new(q, Quat::identity()), velocity: Spatial::new(qd, Vec3::zeros()) }
    }
}

/// How a proxy moves in the coming step if its destination does not touch it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProxyMotion {
    /// At the begin of the step.
    pub begin: EndpointState,
    /// At the end of the step.
    pub free: EndpointState,
}

/// Mass \[kg\] and inertia \[kg·m²\] (about the centre of mass, body axes) that a force at
/// an endpoint feels. A particle's inertia is zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassBlock {
    /// Effective mass; infinite when immovable.
    pub mass: f64,
    /// Effective inertia.
    pub inertia: Mat3,
}

impl Default for MassBlock {
    fn default() -> Self {
        Self { mass: 0.0, inertia: Mat3::zeros() }
    }
}

/// Derivatives of an endpoint's end state with respect to a wrench that is constant over
/// the step, under the solver's own integrator. World frame, order (linear, angular).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Response {
    /// d(end displacement, end rotation vector) / d(force, torque) \[m/N, …\].
    pub pose: Mat6,
    /// d(end velocity) / d(force, torque) \[(m/s)/N, …\].
    pub velocity: Mat6,
}

impl Default for Response {
    fn default() -> Self {
        Self { pose: Mat6::zeros(), velocity: Mat6::zeros() }
    }
}

/// What a harvest reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Harvest {
    /// The impulse that the proxy block really received, m (v⁺ − v_free) / h. Exact also
    /// when the destination has not converged.
    #[default]
    Impulse,
    /// The sum of the destination's contact forces at the end of the step.
    Contacts,
}

/// What a solver can do in a coupling, asked once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CouplingCapabilities {
    /// Its bodies can be sources.
    pub body_source: bool,
    /// Its particles can be sources.
    pub particle_source: bool,
    /// It takes bodies of others as proxies.
    pub body_proxy: bool,
    /// It takes particles of others as proxies.
    pub particle_proxy: bool,
    /// It keeps joints enabled between proxies.
    pub proxy_joints: bool,
    /// It reports contact forces on proxies (`Harvest::Contacts`).
    pub contact_harvest: bool,
    /// It reports its own effective mass, else the view's mass is used.
    pub effective_mass: bool,
    /// It reports its own response, else that of a free semi-implicit step is used.
    pub response: bool,
    /// Save and restore are exact, so that it can be iterated and tried.
    pub rewind: bool,
    /// It transfers momentum to proxy particles instead of colliding (grid methods).
    pub transfer: bool,
}

/// A trial step: what [`CouplingInterface::free_motion`] needs besides the endpoints.
pub struct TrialStep<'a, 'b> {
    /// The input without interface forces.
    pub input: &'a StepInput<'b>,
    /// The whole step \[s\].
    pub dt: f64,
    /// In how many substeps the entry takes it.
    pub substeps: usize,
    /// Memory to save the state in.
    pub snapshot: &'a mut Snapshot,
    /// Memory for the trial's report.
    pub report: &'a mut StepReport,
}

/// The hooks of a solver that can be coupled. Every hook but the first three has a default.
pub trait CouplingInterface: Solver {
    /// What the solver can do; asked once.
    fn capabilities(&self) -> CouplingCapabilities;

    /// Reads pose and velocity of the endpoints as they are now.
    fn read_interface(&mut self, set: &[Endpoint], out: &mut [EndpointState]);

    /// Overwrites pose and velocity of owned or proxy endpoints.
    fn write_interface(&mut self, set: &[Endpoint], states: &[EndpointState]);

    /// Mass and inertia of each endpoint, as its view has them or articulated.
    fn effective_mass(&mut self, set: &[Endpoint], out: &mut [MassBlock]);

    /// Hands over how the proxies move in the coming step (protocol, point 2).
    fn begin_proxies(&mut self, set: &[Endpoint], motions: &[ProxyMotion], dt: f64);

    /// The wrench that each proxy received in the last step, constant over `dt`. The
    /// default is the momentum difference against the free motion with the effective mass.
    fn harvest_proxies(
        &mut self,
        set: &[Endpoint],
        motions: &[ProxyMotion],
        _kind: Harvest,
        dt: f64,
        out: &mut [Spatial],
    ) {
        harvest_by_momentum(self, set, motions, dt, out);
    }

    /// Public state or forces were changed by the coupler. `restart`: a further pass over
    /// the same step begins.
    fn notify_input_state(&mut self, _fields: StateFields, _restart: bool, _dt: f64) {}

    /// The acceleration that the solver applies to each endpoint for gravity \[m/s²\].
    fn gravity_acceleration(&mut self, set: &[Endpoint], out: &mut [Vec3]);

    /// Filters contacts between proxies and static shapes, and between proxies. Solvers
    /// that detect by themselves do it there.
    fn prepare_proxy_contacts(&mut self, _set: &[Endpoint]) {}

    /// Response of each endpoint over `dt`. The default is that of a free semi-implicit
    /// step: h²/m and h/m, with the effective mass.
    fn response(&mut self, set: &[Endpoint], dt: f64, out: &mut [Response]) {
        response_of_free_endpoints(self, set, dt, out);
    }

    /// The end of the step without interface force, all else included. The default is a
    /// trial step that is restored.
    ///
    /// # Errors
    /// As [`Solver::step`].
    fn free_motion(
        &mut self,
        set: &[Endpoint],
        trial: TrialStep,
        out: &mut [EndpointState],
    ) -> Result<(), SolverError> {
        self.save_into(trial.snapshot);
        let h = trial.dt / trial.substeps as f64;
        for _ in 0..trial.substeps {
            self.step(trial.input, h, trial.report)?;
        }
        self.read_interface(set, out);
        self.restore(trial.snapshot);
        Ok(())
    }
}

/// Momentum difference of proxies against their free motion: the generic harvest.
/// `F = m (v⁺ − v_free)/dt`, `τ = R I Rᵀ (ω⁺ − ω_free)/dt`.
pub fn harvest_by_momentum<S: CouplingInterface + ?Sized>(
    solver: &mut S,
    set: &[Endpoint],
    motions: &[ProxyMotion],
    dt: f64,
    out: &mut [Spatial],
) {
    for (i, endpoint) in set.iter().enumerate() {
        let one = std::slice::from_ref(endpoint);
        let (mut end, mut mass) = ([EndpointState::default()], [MassBlock::default()]);
        solver.read_interface(one, &mut end);
        solver.effective_mass(one, &mut mass);
        let dv = end[0].velocity - motions[i].free.velocity;
        let r = end[0].pose.q;
        let torque = r * (mass[0].inertia * (r.inverse() * dv.ang));
        out[i] = Spatial::new(dv.lin * mass[0].mass, torque) * (1.0 / dt);
    }
}

fn response_of_free_endpoints<S: CouplingInterface + ?Sized>(
    solver: &mut S,
    set: &[Endpoint],
    dt: f64,
    out: &mut [Response],
) {
    for (i, endpoint) in set.iter().enumerate() {
        let one = std::slice::from_ref(endpoint);
        let (mut state, mut mass) = ([EndpointState::default()], [MassBlock::default()]);
        solver.read_interface(one, &mut state);
        solver.effective_mass(one, &mut mass);
        let w = if mass[0].mass > 0.0 { 1.0 / mass[0].mass } else { 0.0 };
        let r = state[0].pose.q.to_rotation_matrix();
        let inv = mass[0].inertia.try_inverse().unwrap_or_else(Mat3::zeros);
        let mut velocity = Mat6::zeros();
        velocity.fixed_view_mut::<3, 3>(0, 0).copy_from(&(Mat3::identity() * (w * dt)));
        velocity.fixed_view_mut::<3, 3>(3, 3).copy_from(&(r.matrix() * inv * r.matrix().transpose() * dt));
        out[i] = Response { pose: velocity * dt, velocity };
    }
}
