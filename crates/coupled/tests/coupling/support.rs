//! Runs, scenes, and an implicit elastic string that can hold a body or its proxy.

use coact_coupled::{CouplingError, EntryDef, Proxy, ProxyConfig, SolverCoupledProxy};
use coact_math::{Spatial, Vec3};
use coact_model::{BodyId, Control, Forces, Model, ModelFlags, ModelView, ParticleId, State, StateFields};
use coact_solver::*;
use coact_testkit::{DummySolver, GroundSpring, body, particle, points};
use nalgebra::{DMatrix, DVector};

/// A run: solver, state and input.
pub struct Run<S> {
    pub solver: S,
    pub state: State,
    pub control: Control,
    pub forces: Forces,
    pub report: StepReport,
}

impl<S: Solver> Run<S> {
    pub fn new(model: &Model, mut solver: S) -> Self {
        let state = model.state();
        solver.load(&state);
        let forces = Forces::zeros(model.particle_count(), model.body_count());
        Self { solver, state, control: model.control(), forces, report: StepReport::default() }
    }

    pub fn step(&mut self, dt: f64) -> &State {
        let input = StepInput { control: &self.control, forces: &self.forces, contacts: None };
        self.solver.step(&input, dt, &mut self.report).unwrap();
        self.solver.store(StateFields::all(), &mut self.state);
        &self.state
    }
}

/// A dummy entry with springs.
pub fn dummy(name: &str, springs: Vec<GroundSpring>) -> EntryDef {
    EntryDef::new(name, move |view| Ok(DummySolver::new(view, springs)))
}

pub fn ground(endpoint: Endpoint, stiffness: f64) -> GroundSpring {
    GroundSpring { endpoint, stiffness, height: 0.0, one_sided: false }
}

/// A body "box" and a ball "mat" below; the mat's entry holds the box by a ground spring.
pub fn box_on_spring() -> (Model, BodyId, BodyId) {
    let mut m = points(9.81);
    let a = body(&mut m, "box", 2.0, Vec3::new(0.0, 0.0, 0.3));
    let b = body(&mut m, "mat", 1.0, Vec3::new(0.5, 0.0, 0.1));
    (m, a, b)
}

pub fn coupled(
    model: &Model,
    defs: Vec<EntryDef>,
    proxy: Proxy,
) -> Result<SolverCoupledProxy, CouplingError> {
    SolverCoupledProxy::new(model, defs, ProxyConfig { proxies: vec![proxy], ..ProxyConfig::default() })
}

/// Particles in a row, joined to their neighbours and, at both ends, to the ground, by
/// springs that act on heights; a body rests on the middle one by a stiff one-sided spring.
/// Implicit Euler, the unknown being the displacement from the free motion.
pub struct StringSolver {
    view: ModelView,
    particles: Vec<ParticleId>,
    body: Option<(BodyId, bool)>,
    tension: f64,
    contact: f64,
    states: Vec<EndpointState>,
    motion: ProxyMotion,
    pub capabilities: CouplingCapabilities,
}

impl StringSolver {
    pub fn new(view: &ModelView, tension: f64, contact: f64) -> Self {
        let o = view.ownership();
        let owned = o.bodies.first().map(|b| (*b, false));
        let body = owned.or(o.proxy_bodies.first().map(|b| (*b, true)));
        let n = o.particles.len() + usize::from(body.is_some());
        let (particles, states) = (o.particles.clone(), vec![EndpointState::default(); n]);
        let motion = ProxyMotion::default();
        let capabilities =
            CouplingCapabilities { body_proxy: true, rewind: true, ..CouplingCapabilities::default() };
        Self { view: view.clone(), particles, body, tension, contact, states, motion, capabilities }
    }

    fn mass(&self, i: usize) -> f64 {
        match self.particles.get(i) {
            Some(p) => self.view.particle_mass[p.index()],
            None => self.view.body_mass[self.body.unwrap().0.index()],
        }
    }

    fn free(&self, i: usize, f: &Forces, h: f64) -> EndpointState {
        let f = match (self.particles.get(i), self.body) {
            (Some(p), _) => f.particle_f[p.index()],
            (None, Some((_, true))) => return self.motion.free,
            (None, b) => f.body_f[b.unwrap().0.index()].lin,
        };
        let mut s = self.states[i];
        s.velocity.lin += (self.view.gravity + f / self.mass(i)) * h;
        s.pose.p += s.velocity.lin * h;
        s
    }

    /// Displacements of all heights; `touches` = with the contact spring.
    fn solve(&self, free: &[EndpointState], touches: bool, h: f64) -> DVector<f64> {
        let (n, all) = (self.particles.len(), self.states.len());
        let mut k = DMatrix::<f64>::zeros(all, all);
        let mut link = |a: usize, b: Option<usize>, ke: f64| {
            k[(a, a)] += ke;
            if let Some(b) = b {
                k[(b, b)] += ke;
                k[(a, b)] -= ke;
                k[(b, a)] -= ke;
            }
        };
        (1..n).for_each(|i| link(i - 1, Some(i), self.tension));
        link(0, None, self.tension);
        link(n - 1, None, self.tension);
        if touches {
            link(n / 2, Some(n), self.contact);
        }
        let x = DVector::from_iterator(all, free.iter().map(|s| s.pose.p.z));
        let rhs = -(&k * x);
        (0..all).for_each(|i| k[(i, i)] += self.mass(i) / (h * h));
        k.lu().solve(&rhs).unwrap()
    }
}

impl Solver for StringSolver {
    fn kind(&self) -> &'static str {
        "string"
    }

    fn load(&mut self, state: &State) {
        for (s, p) in self.states.iter_mut().zip(&self.particles) {
            *s = EndpointState::particle(state.particle_q[p.index()], state.particle_qd[p.index()]);
        }
        if let Some((b, _)) = self.body {
            let s = self.states.last_mut().unwrap();
            *s = EndpointState { pose: state.body_q[b.index()], velocity: state.body_qd[b.index()] };
        }
    }

    fn step(&mut self, input: &StepInput, h: f64, report: &mut StepReport) -> Result<(), SolverError> {
        let free: Vec<_> = (0..self.states.len()).map(|i| self.free(i, input.forces, h)).collect();
        let n = self.particles.len();
        let overlap = |d: &DVector<f64>| free[n / 2].pose.p.z + d[n / 2] - free[n].pose.p.z - d[n];
        let mut d = self.solve(&free, false, h);
        if self.body.is_some() && overlap(&d) > 0.0 {
            d = self.solve(&free, true, h);
            report.contacts.shapes_active = 1;
        }
        for (i, s) in self.states.iter_mut().enumerate() {
            *s = free[i];
            s.pose.p.z += d[i];
            s.velocity.lin.z += d[i] / h;
        }
        Ok(())
    }

    fn store(&mut self, _fields: StateFields, out: &mut State) {
        for (s, p) in self.states.iter().zip(&self.particles) {
            out.particle_q[p.index()] = s.pose.p;
            out.particle_qd[p.index()] = s.velocity.lin;
        }
        if let Some((b, false)) = self.body {
            let s = self.states.last().unwrap();
            (out.body_q[b.index()], out.body_qd[b.index()]) = (s.pose, s.velocity);
        }
    }

    fn save_into(&self, to: &mut Snapshot) {
        to.slot::<Vec<EndpointState>>().clone_from(&self.states);
    }

    fn restore(&mut self, from: &Snapshot) {
        self.states.clone_from(from.get::<Vec<EndpointState>>().unwrap());
    }

    fn notify_model_changed(&mut self, view: &ModelView, _flags: ModelFlags) {
        self.view.clone_from(view);
    }
}

impl CouplingInterface for StringSolver {
    fn view(&self) -> &ModelView {
        &self.view
    }

    fn capabilities(&self) -> CouplingCapabilities {
        self.capabilities
    }

    fn read_interface(&mut self, _set: &[Endpoint], out: &mut [EndpointState]) {
        out.fill(*self.states.last().unwrap());
    }

    fn write_interface(&mut self, _set: &[Endpoint], states: &[EndpointState]) {
        *self.states.last_mut().unwrap() = states[0];
    }

    fn begin_proxies(&mut self, _set: &[Endpoint], motions: &[ProxyMotion], _dt: f64) {
        self.motion = motions[0];
        *self.states.last_mut().unwrap() = motions[0].begin;
    }
}

/// A body of `mass`, 0.15 m above the middle of a string of 0.3 kg.
pub fn drop_scene(mass: f64) -> (Model, BodyId) {
    let mut m = points(9.81);
    for i in 0..9 {
        particle(&mut m, 0.3 / 9.0, Vec3::new(0.1 * f64::from(i), 0.0, 0.0));
    }
    let b = body(&mut m, "box", mass, Vec3::new(0.4, 0.0, 0.15));
    (m, b)
}

pub const TENSION: f64 = 2000.0;
pub const CONTACT: f64 = 20000.0;

pub fn string_entry(model: &Model) -> EntryDef {
    let ids = (0..model.particle_count()).map(ParticleId::new);
    EntryDef::new("string", |view| Ok(StringSolver::new(view, TENSION, CONTACT))).particles(ids)
}

/// The drop with everything in one solver.
pub fn unified(mass: f64) -> Run<StringSolver> {
    let (m, _) = drop_scene(mass);
    let solver = StringSolver::new(&ModelView::whole(&m), TENSION, CONTACT);
    Run::new(&m, solver)
}

/// The drop with the body in a dummy solver.
pub fn split(mass: f64, config: impl FnOnce(Proxy) -> ProxyConfig) -> Run<SolverCoupledProxy> {
    let (m, b) = drop_scene(mass);
    let defs = vec![dummy("rigid", vec![]).bodies([b]), string_entry(&m)];
    let config = config(Proxy::new("rigid", "string").bodies([b]));
    Run::new(&m, SolverCoupledProxy::new(&m, defs, config).unwrap())
}

pub fn one(proxy: Proxy) -> ProxyConfig {
    ProxyConfig { proxies: vec![proxy], ..ProxyConfig::default() }
}

pub fn force_z(f: f64) -> Spatial {
    Spatial::new(Vec3::new(0.0, 0.0, f), Vec3::zeros())
}
