//! What a solver offers to couplers.
//!
//! Roles. A *source* owns an endpoint; a *destination* sees it as a proxy: a dynamic body
//! or particle with the mass that the coupler set in the view. Forces go into a source
//! through `StepInput::forces`, never through a hook.
//!
//! Protocol of one proxy pass, by the coupler (arrays are compact: entry `i` belongs to
//! `set[i]`; everything in the world frame, SI):
//! 1. `source`: `save_into`; a `step` under the interface force of the step before gives pose
//!    and velocity at the end; what that force did to them is taken back for the free end.
//! 2. `destination`: `save_into`; `begin_proxies` hands over begin and free end of every
//!    proxy; in the step that follows, a proxy's inertial target is the free end pose, its
//!    end velocity is the free end velocity plus what the step corrected, and the
//!    destination adds neither gravity nor external force to it.
//! 3. `destination`: `step`, then `harvest_proxies`: the wrench that the destination's
//!    contacts, rows and elements gave each proxy, constant over `dt`.
//! 4. `source`: `restore`, `notify_input_state(.., restart = true, ..)`, `step` with that
//!    wrench added to its forces; nothing of this where it is the wrench of 1 to the bit.
//!
//! To iterate: `restore`, `notify_input_state(.., restart = true, ..)`, and again from 2
//! with a corrected free motion. `capabilities` is asked once, when the coupler is built;
//! what is missing is refused there by name.

use coact_math::{Mat6, Spatial, Vec3, Vec6};
use coact_model::{ModelView, StateFields};

use crate::{
    Endpoint, EndpointState, MassBlock, ProxyMotion, Response, Snapshot, Solver, SolverError, StepInput,
    StepReport,
};

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
    /// It takes contacts of the caller in place of its own detection.
    pub given_contacts: bool,
    /// It reports its own effective mass, else the view's mass is used.
    pub effective_mass: bool,
    /// It reports its own response, else that of a free semi-implicit step is used.
    pub response: bool,
    /// It takes impulses between two steps (`apply_impulses`).
    pub impulses: bool,
    /// Save and restore are exact, so that it can be iterated and tried.
    pub rewind: bool,
    /// Bodies of others that are written into it are where these come to in its next step, and are pushed
    /// by nothing.
    pub follows_bodies: bool,
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

/// The hooks of a solver that can be coupled. The first four have to be written; the
/// defaults of the others follow from the view and from these.
pub trait CouplingInterface: Solver {
    /// The model as the solver sees it, as it was last told.
    fn view(&self) -> &ModelView;

    /// What the solver can do; asked once.
    fn capabilities(&self) -> CouplingCapabilities;

    /// Reads pose and velocity of the endpoints as they are now.
    fn read_interface(&mut self, set: &[Endpoint], out: &mut [EndpointState]);

    /// Overwrites pose and velocity of owned or proxy endpoints.
    fn write_interface(&mut self, set: &[Endpoint], states: &[EndpointState]);

    /// Mass and inertia of each endpoint. The default is that of the view; a mechanism
    /// gives its articulated mass.
    fn effective_mass(&mut self, set: &[Endpoint], out: &mut [MassBlock]) {
        set.iter().zip(out).for_each(|(e, out)| *out = MassBlock::of(e, self.view()));
    }

    /// Hands over how the proxies move in the coming step (protocol, point 2). The default
    /// puts each where a step that coasts, x + dt v, brings it to its free end; that is all
    /// for a solver that adds neither gravity nor user forces to proxies, and takes the
    /// whole `dt` in one step.
    fn begin_proxies(&mut self, set: &[Endpoint], motions: &[ProxyMotion], dt: f64) {
        for (e, m) in set.iter().zip(motions) {
            let start = m.free.coasted(&e.com(self.view()), -dt);
            self.write_interface(std::slice::from_ref(e), &[start]);
        }
    }

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

    /// The acceleration that gravity gives each endpoint in this view if the solver lets it
    /// fall \[m/s²\]: asked of a destination too, though it adds none to its proxies. The
    /// default is that of the view, and none for what no force moves.
    fn gravity_acceleration(&mut self, set: &[Endpoint], out: &mut [Vec3]) {
        for (e, out) in set.iter().zip(out) {
            let falls = MassBlock::of(e, self.view()).is_movable();
            *out = if falls { self.view().gravity } else { Vec3::zeros() };
        }
    }

    /// Filters contacts between proxies and static shapes, and between proxies. Solvers
    /// that detect by themselves do it there.
    fn prepare_proxy_contacts(&mut self, _set: &[Endpoint]) {}

    /// Response of each endpoint over `dt`. The default is that of a free semi-implicit
    /// step: h²/m and h/m, with the effective mass.
    fn response(&mut self, set: &[Endpoint], dt: f64, out: &mut [Response]) {
        free_response(self, set, dt, out);
    }

    /// What a wrench on `b` does to `a`, another endpoint of this solver, over `dt`: the derivative of
    /// the end of `a`. `None`, the default: nothing, or nothing that is known cheaply.
    fn cross_response(&mut self, _a: &Endpoint, _b: &Endpoint, _dt: f64) -> Option<Response> {
        None
    }

    /// Changes velocities by impulses (N·s, N·m·s about the centre of mass) where everything is now;
    /// nothing moves. Only of a solver whose capabilities say so.
    fn apply_impulses(&mut self, _set: &[Endpoint], _impulses: &[Spatial]) {
        debug_assert!(false, "a solver without `impulses` was given some");
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
/// `F = m (v⁺ − v_free)/dt`, `τ = R I Rᵀ (ω⁺ − ω_free)/dt`. What no force moves shows none.
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
        if !mass[0].is_movable() {
            out[i] = Spatial::zeros();
            continue;
        }
        let dv = end[0].velocity - motions[i].free.velocity;
        let r = end[0].pose.q;
        let torque = r * (mass[0].inertia * (r.inverse() * dv.ang));
        out[i] = Spatial::new(dv.lin * mass[0].mass, torque) * (1.0 / dt);
    }
}

/// Response of endpoints that a semi-implicit step moves freely, with their effective mass: the generic
/// one.
pub fn free_response<S: CouplingInterface + ?Sized>(
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
        let mut velocity = Mat6::zeros();
        for axis in 0..6 {
            let mut unit = Vec6::zeros();
            unit[axis] = dt;
            let gained = mass[0].acceleration(&state[0].pose.q, &Spatial::from_vec6(&unit));
            velocity.set_column(axis, &gained.to_vec6());
        }
        out[i] = Response { pose: velocity * dt, velocity };
    }
}
