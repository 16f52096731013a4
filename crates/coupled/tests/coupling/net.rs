//! A second small solver: bodies on vertical springs between each other and to the ground,
//! solved as one by implicit Euler; owned or proxies alike.

use coact_coupled::EntryDef;
use coact_model::{Forces, ModelFlags, ModelView, State, StateFields};
use coact_solver::*;
use nalgebra::{DMatrix, DVector};

/// A spring between the heights of two bodies, or of one and the ground \[N/m\]; at rest where
/// both are equally high.
#[derive(Clone, Copy)]
pub struct Link(pub usize, pub Option<usize>, pub f64);

/// Bodies that springs join.
pub struct NetSolver {
    view: ModelView,
    set: Vec<Endpoint>,
    links: Vec<Link>,
    states: Vec<EndpointState>,
    motions: Vec<Option<ProxyMotion>>,
}

impl NetSolver {
    /// Everything that takes part in the view.
    pub fn new(view: &ModelView, links: Vec<Link>) -> Self {
        let set: Vec<_> = Endpoint::all(view).collect();
        let (states, motions) = (vec![EndpointState::default(); set.len()], vec![None; set.len()]);
        Self { view: view.clone(), set, links, states, motions }
    }

    fn place(&self, body: usize) -> usize {
        let is = |e: &Endpoint| matches!(e, Endpoint::Body(b) if b.index() == body);
        self.set.iter().position(is).unwrap()
    }

    fn free(&self, i: usize, forces: &Forces, h: f64) -> EndpointState {
        if let Some(m) = &self.motions[i] {
            return m.free;
        }
        let mut s = self.states[i];
        let m = MassBlock::of(&self.set[i], &self.view).mass;
        s.velocity.lin += (self.view.gravity + self.set[i].force(forces).lin / m) * h;
        s.pose.p += s.velocity.lin * h;
        s
    }
}

impl Solver for NetSolver {
    fn kind(&self) -> &'static str {
        "net"
    }

    fn load(&mut self, state: &State) {
        self.states = self.set.iter().map(|e| EndpointState::of(e, state)).collect();
    }

    fn step(&mut self, input: &StepInput, h: f64, _report: &mut StepReport) -> Result<(), SolverError> {
        let free: Vec<_> = (0..self.set.len()).map(|i| self.free(i, input.forces, h)).collect();
        let n = free.len();
        let mut k = DMatrix::<f64>::zeros(n, n);
        for Link(a, b, ke) in &self.links {
            let a = self.place(*a);
            k[(a, a)] += ke;
            if let Some(b) = b.map(|b| self.place(b)) {
                k[(b, b)] += ke;
                k[(a, b)] -= ke;
                k[(b, a)] -= ke;
            }
        }
        let pull = -(&k * DVector::from_iterator(n, free.iter().map(|s| s.pose.p.z)));
        (0..n).for_each(|i| k[(i, i)] += MassBlock::of(&self.set[i], &self.view).mass / (h * h));
        let moved = k.lu().solve(&pull).unwrap();
        for (i, s) in self.states.iter_mut().enumerate() {
            *s = free[i];
            s.pose.p.z += moved[i];
            s.velocity.lin.z += moved[i] / h;
        }
        Ok(())
    }

    fn store(&mut self, fields: StateFields, out: &mut State) {
        for (e, s) in self.set.iter().zip(&self.states).filter(|(e, _)| !e.is_proxy(&self.view)) {
            s.write(e, fields, out);
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

impl CouplingInterface for NetSolver {
    fn view(&self) -> &ModelView {
        &self.view
    }

    fn capabilities(&self) -> CouplingCapabilities {
        CouplingCapabilities {
            body_source: true,
            body_proxy: true,
            rewind: true,
            ..CouplingCapabilities::default()
        }
    }

    fn read_interface(&mut self, set: &[Endpoint], out: &mut [EndpointState]) {
        for (e, out) in set.iter().zip(out) {
            *out = self.states[self.set.iter().position(|o| o == e).unwrap()];
        }
    }

    fn write_interface(&mut self, set: &[Endpoint], states: &[EndpointState]) {
        for (e, s) in set.iter().zip(states) {
            let i = self.set.iter().position(|o| o == e).unwrap();
            self.states[i] = *s;
        }
    }

    fn begin_proxies(&mut self, set: &[Endpoint], motions: &[ProxyMotion], _dt: f64) {
        for (e, m) in set.iter().zip(motions) {
            let i = self.set.iter().position(|o| o == e).unwrap();
            (self.states[i], self.motions[i]) = (m.begin, Some(*m));
        }
    }
}

/// An entry of it.
pub fn net(name: &str, links: Vec<Link>) -> EntryDef {
    EntryDef::new(name, move |view| Ok(NetSolver::new(view, links)))
}
