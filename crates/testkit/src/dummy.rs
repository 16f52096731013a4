//! The smallest solver that couples: bodies and particles as independent mass points,
//! semi-implicit Euler, each with an optional spring to the ground. It is the worked
//! example of `docs/adding-a-solver.md`. Bodies have their centre of mass in the origin.
//!
//! Spring force at the end of the step, f = −k (z⁺ − z₀), with z⁺ = z_free + h² f/m:
//! `f = −k (z_free − z₀) / (1 + h² k/m)`.

use coact_math::{Pose, Quat, Spatial, Vec3};
use coact_model::{Model, ModelFlags, ModelView, State, StateFields};
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
    model: Model,
    points: Vec<(Endpoint, bool)>, // with: is it a proxy
    states: Vec<EndpointState>,
    proxies: Vec<ProxyMotion>,
    springs: Vec<GroundSpring>,
}

impl DummySolver {
    /// Moves what `view` owns, and its proxies.
    pub fn new(view: &ModelView, springs: Vec<GroundSpring>) -> Self {
        let o = view.ownership();
        let body = |b: &_| Endpoint::Body(*b);
        let particle = |p: &_| Endpoint::Particle(*p);
        let owned = o.bodies.iter().map(body).chain(o.particles.iter().map(particle)).map(|e| (e, false));
        let proxy =
            o.proxy_bodies.iter().map(body).chain(o.proxy_particles.iter().map(particle)).map(|e| (e, true));
        let points: Vec<_> = owned.chain(proxy).collect();
        let states = vec![EndpointState::default(); points.len()];
        let proxies = vec![ProxyMotion::default(); points.len()];
        let mut solver = Self { model: view.model().clone(), points, states, proxies, springs };
        solver.load(&view.state());
        solver
    }

    fn row(&self, e: &Endpoint) -> usize {
        self.points
            .iter()
            .position(|p| p.0 == *e)
            .expect("the coupler asks for owned or proxy endpoints only")
    }

    fn inverse_mass(&self, e: &Endpoint) -> f64 {
        match e {
            Endpoint::Body(b) => self.model.body_inv_mass[b.index()],
            Endpoint::Particle(p) => self.model.particle_inv_mass[p.index()],
        }
    }

    fn free_step(&self, e: &Endpoint, s: &EndpointState, input: &StepInput, h: f64) -> EndpointState {
        let w = self.inverse_mass(e);
        let g = if w > 0.0 { self.model.gravity } else { Vec3::zeros() };
        let acceleration = match e {
            Endpoint::Particle(p) => Spatial::new(g + input.forces.particle_f[p.index()] * w, Vec3::zeros()),
            Endpoint::Body(b) => {
                let (f, r) = (input.forces.body_f[b.index()], s.pose.q);
                let inv_inertia = self.model.body_inv_inertia[b.index()];
                Spatial::new(g + f.lin * w, r * (inv_inertia * (r.inverse() * f.ang)))
            }
        };
        let v = s.velocity + acceleration * h;
        let q = if v.ang == Vec3::zeros() { s.pose.q } else { Quat::from_scaled_axis(v.ang * h) * s.pose.q };
        EndpointState { pose: Pose::new(s.pose.p + v.lin * h, q), velocity: v }
    }

    fn push_spring(&self, spring: &GroundSpring, s: &mut EndpointState, h: f64) {
        let w = self.inverse_mass(&spring.endpoint);
        let f = -spring.stiffness * (s.pose.p.z - spring.height) / (1.0 + h * h * spring.stiffness * w);
        let f = if spring.one_sided { f.max(0.0) } else { f };
        s.velocity.lin.z += h * w * f;
        s.pose.p.z += h * h * w * f;
    }
}

impl Solver for DummySolver {
    fn kind(&self) -> &'static str {
        "dummy"
    }

    fn load(&mut self, state: &State) {
        for ((e, _), s) in self.points.iter().zip(&mut self.states) {
            *s = match e {
                Endpoint::Body(b) => {
                    EndpointState { pose: state.body_q[b.index()], velocity: state.body_qd[b.index()] }
                }
                Endpoint::Particle(p) => {
                    EndpointState::particle(state.particle_q[p.index()], state.particle_qd[p.index()])
                }
            };
        }
    }

    fn step(&mut self, input: &StepInput, h: f64, report: &mut StepReport) -> Result<(), SolverError> {
        for i in 0..self.points.len() {
            let (e, proxy) = self.points[i];
            self.states[i] =
                if proxy { self.proxies[i].free } else { self.free_step(&e, &self.states[i], input, h) };
        }
        for k in 0..self.springs.len() {
            let row = self.row(&self.springs[k].endpoint);
            let mut s = self.states[row];
            self.push_spring(&self.springs[k], &mut s, h);
            self.states[row] = s;
        }
        report.iterations = 1;
        Ok(())
    }

    fn store(&mut self, fields: StateFields, out: &mut State) {
        for ((e, _), s) in self.points.iter().zip(&self.states).filter(|(point, _)| !point.1) {
            match *e {
                Endpoint::Body(b) => {
                    let (q, qd) = (&mut out.body_q[b.index()], &mut out.body_qd[b.index()]);
                    *q = if fields.contains(StateFields::BODY_Q) { s.pose } else { *q };
                    *qd = if fields.contains(StateFields::BODY_QD) { s.velocity } else { *qd };
                }
                Endpoint::Particle(p) => {
                    let (q, qd) = (&mut out.particle_q[p.index()], &mut out.particle_qd[p.index()]);
                    *q = if fields.contains(StateFields::PARTICLE_Q) { s.pose.p } else { *q };
                    *qd = if fields.contains(StateFields::PARTICLE_QD) { s.velocity.lin } else { *qd };
                }
            }
        }
    }

    fn save_into(&self, to: &mut Snapshot) {
        to.slot::<Vec<EndpointState>>().clone_from(&self.states);
    }

    fn restore(&mut self, from: &Snapshot) {
        if let Some(saved) = from.get::<Vec<EndpointState>>() {
            self.states.clone_from(saved);
        }
    }

    fn notify_model_changed(&mut self, view: &ModelView, _flags: ModelFlags) {
        self.model = view.model().clone();
    }

    fn stored_energy(&mut self) -> f64 {
        self.springs.iter().fold(0.0, |sum, s| {
            let x = self.states[self.row(&s.endpoint)].pose.p.z - s.height;
            sum + 0.5 * s.stiffness * if s.one_sided { x.min(0.0) } else { x }.powi(2)
        })
    }
}

impl CouplingInterface for DummySolver {
    fn capabilities(&self) -> CouplingCapabilities {
        CouplingCapabilities {
            body_source: true,
            particle_source: true,
            body_proxy: true,
            particle_proxy: true,
            effective_mass: true,
            rewind: true,
            ..CouplingCapabilities::default()
        }
    }

    fn read_interface(&mut self, set: &[Endpoint], out: &mut [EndpointState]) {
        for (e, o) in set.iter().zip(out) {
            *o = self.states[self.row(e)];
        }
    }

    fn write_interface(&mut self, set: &[Endpoint], states: &[EndpointState]) {
        for (e, s) in set.iter().zip(states) {
            let row = self.row(e);
            self.states[row] = *s;
        }
    }

    fn effective_mass(&mut self, set: &[Endpoint], out: &mut [MassBlock]) {
        for (e, o) in set.iter().zip(out) {
            *o = match e {
                Endpoint::Body(b) => MassBlock {
                    mass: self.model.body_mass[b.index()],
                    inertia: self.model.body_inertia[b.index()],
                },
                Endpoint::Particle(p) => {
                    MassBlock { mass: self.model.particle_mass[p.index()], ..MassBlock::default() }
                }
            };
        }
    }

    fn begin_proxies(&mut self, set: &[Endpoint], motions: &[ProxyMotion], _dt: f64) {
        for (e, m) in set.iter().zip(motions) {
            let row = self.row(e);
            (self.states[row], self.proxies[row]) = (m.begin, *m);
        }
    }

    fn gravity_acceleration(&mut self, set: &[Endpoint], out: &mut [Vec3]) {
        for (e, o) in set.iter().zip(out) {
            *o = if self.inverse_mass(e) > 0.0 { self.model.gravity } else { Vec3::zeros() };
        }
    }
}
