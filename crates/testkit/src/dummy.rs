//! The smallest solver that couples: bodies and particles as independent mass points,
//! semi-implicit Euler, each with an optional spring to the ground. It is the worked
//! example of `docs/adding-a-solver.md`. A body turns as if its inertia were isotropic.
//! Spring force at the end of the step: f = −k (z_free − z₀)/(1 + h² k/m).

use coact_math::{Spatial, Vec3};
use coact_model::{ModelFlags, ModelView, State, StateFields};
use coact_solver::*;

/// A spring from an endpoint down to the ground.
#[derive(Clone, Copy, Debug)]
pub struct GroundSpring {
    /// Who hangs on it.
    pub endpoint: Endpoint,
    /// Stiffness \[N/m\].
    pub stiffness: f64,
    /// Height without force \[m\].
    pub height: f64,
    /// Pushes only, as a contact does.
    pub one_sided: bool,
}

/// See the head of the file.
pub struct DummySolver {
    view: ModelView,
    state: State,
    springs: Vec<GroundSpring>,
}

impl DummySolver {
    /// Moves what `view` owns, and its proxies.
    pub fn new(view: &ModelView, springs: Vec<GroundSpring>) -> Self {
        Self { view: view.clone(), state: view.state(), springs }
    }
}

impl Solver for DummySolver {
    fn kind(&self) -> &'static str {
        "dummy"
    }
    fn load(&mut self, state: &State) {
        self.state.copy_from(state);
    }
    fn step(&mut self, input: &StepInput, h: f64, report: &mut StepReport) -> Result<(), SolverError> {
        for e in Endpoint::all(&self.view) {
            let (m, mut s) = (MassBlock::of(&e, &self.view), EndpointState::of(&e, &self.state));
            if m.is_movable() && !e.is_proxy(&self.view) {
                let gravity = Spatial::new(self.view.gravity, Vec3::zeros());
                s.velocity += (gravity + m.acceleration(&s.pose.q, &e.force(input.forces))) * h;
            }
            s.coasted(&e.com(&self.view), h).write(&e, StateFields::all(), &mut self.state);
        }
        for GroundSpring { endpoint: e, stiffness: k, height, one_sided } in &self.springs {
            let (w, mut s) = (MassBlock::of(e, &self.view).mass.recip(), EndpointState::of(e, &self.state));
            let f = -k * (s.pose.p.z - height) / (1.0 + h * h * k * w);
            let f = if *one_sided { f.max(0.0) } else { f };
            s.velocity.lin.z += h * w * f;
            s.pose.p.z += h * h * w * f;
            s.write(e, StateFields::all(), &mut self.state);
        }
        report.iterations = 1;
        Ok(())
    }
    fn store(&mut self, fields: StateFields, out: &mut State) {
        for e in Endpoint::all(&self.view).filter(|e| !e.is_proxy(&self.view)) {
            EndpointState::of(&e, &self.state).write(&e, fields, out);
        }
    }
    fn save_into(&self, to: &mut Snapshot) {
        to.slot::<State>().copy_from(&self.state);
    }
    fn restore(&mut self, from: &Snapshot) {
        self.state.copy_from(from.get::<State>().expect("a snapshot that this solver saved"));
    }
    fn notify_model_changed(&mut self, view: &ModelView, _flags: ModelFlags) {
        self.view.clone_from(view);
    }
}

impl CouplingInterface for DummySolver {
    fn view(&self) -> &ModelView {
        &self.view
    }
    fn capabilities(&self) -> CouplingCapabilities {
        let (body_source, particle_source, body_proxy, particle_proxy) = (true, true, true, true);
        let roles = CouplingCapabilities { body_source, particle_source, ..Default::default() };
        CouplingCapabilities { body_proxy, particle_proxy, effective_mass: true, rewind: true, ..roles }
    }
    fn read_interface(&mut self, set: &[Endpoint], out: &mut [EndpointState]) {
        set.iter().zip(out).for_each(|(e, out)| *out = EndpointState::of(e, &self.state));
    }
    fn write_interface(&mut self, set: &[Endpoint], states: &[EndpointState]) {
        set.iter().zip(states).for_each(|(e, s)| s.write(e, StateFields::all(), &mut self.state));
    }
}
