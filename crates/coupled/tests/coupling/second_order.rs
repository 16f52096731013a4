//! A source of second order (velocity Verlet) against the string of first order.

use coact_coupled::{Convergence, EntryDef, Proxy, ProxyConfig, SolverCoupledProxy};
use coact_math::Mat6;
use coact_model::{ModelFlags, ModelView, State, StateFields};
use coact_solver::*;

use crate::support::*;

/// Bodies that fall: x ← x + h v + ½ h² a, v ← v + h a.
struct Verlet {
    view: ModelView,
    set: Vec<Endpoint>,
    states: Vec<EndpointState>,
}

impl Verlet {
    fn new(view: &ModelView) -> Self {
        let set: Vec<_> = Endpoint::all(view).collect();
        Self { view: view.clone(), states: vec![EndpointState::default(); set.len()], set }
    }
}

impl Solver for Verlet {
    fn kind(&self) -> &'static str {
        "verlet"
    }

    fn load(&mut self, state: &State) {
        self.states = self.set.iter().map(|e| EndpointState::of(e, state)).collect();
    }

    fn step(&mut self, input: &StepInput, h: f64, _report: &mut StepReport) -> Result<(), SolverError> {
        for (e, s) in self.set.iter().zip(&mut self.states) {
            let a = self.view.gravity + e.force(input.forces).lin / MassBlock::of(e, &self.view).mass;
            s.pose.p += s.velocity.lin * h + a * (0.5 * h * h);
            s.velocity.lin += a * h;
        }
        Ok(())
    }

    fn store(&mut self, fields: StateFields, out: &mut State) {
        self.set.iter().zip(&self.states).for_each(|(e, s)| s.write(e, fields, out));
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

impl CouplingInterface for Verlet {
    fn view(&self) -> &ModelView {
        &self.view
    }

    fn capabilities(&self) -> CouplingCapabilities {
        CouplingCapabilities {
            body_source: true,
            response: true,
            rewind: true,
            ..CouplingCapabilities::default()
        }
    }

    fn read_interface(&mut self, _set: &[Endpoint], out: &mut [EndpointState]) {
        out.copy_from_slice(&self.states);
    }

    fn write_interface(&mut self, _set: &[Endpoint], states: &[EndpointState]) {
        self.states.copy_from_slice(states);
    }

    fn response(&mut self, set: &[Endpoint], dt: f64, out: &mut [Response]) {
        for (e, out) in set.iter().zip(out) {
            let velocity = Mat6::identity() * (dt / MassBlock::of(e, &self.view).mass);
            *out = Response { pose: velocity * (0.5 * dt), velocity };
        }
    }
}

fn drop_of(entry: EntryDef, mass: f64, dt: f64) -> (f64, usize, f64) {
    let (m, b) = drop_scene(mass);
    let convergence = Some(Convergence::Tolerance { primal: 1e-9, dual: f64::MAX, max_iterations: 50 });
    let config = ProxyConfig { convergence, ..one(Proxy::new("rigid", "string").bodies([b])) };
    let defs = vec![entry.bodies([b]), string_entry(&m)];
    let mut run = Run::new(&m, SolverCoupledProxy::new(&m, defs, config).unwrap());
    let (mut low, mut high, mut solves, steps) = (f64::INFINITY, f64::NEG_INFINITY, 0, (2.0 / dt) as usize);
    for _ in 0..steps {
        let z = run.step(dt).body_q[0].p.z;
        solves += run.report.entries.iter().map(|e| e.solves).sum::<usize>();
        assert!(run.report.interfaces[0].converged, "{:?}", run.report.interfaces[0]);
        if z < low {
            (low, high) = (z, z);
        }
        high = high.max(z);
    }
    (high, solves, low)
}

/// In no more solves than a source of first order, and without a gain of energy.
#[test]
fn a_source_of_second_order_converges_as_one_of_first_order() {
    for mass in [0.05, 1.0, 10.0] {
        for rate in [60.0, 120.0, 480.0] {
            let second = EntryDef::new("rigid", |view: &ModelView| Ok(Verlet::new(view)));
            let (high, solves, low) = drop_of(second, mass, 1.0 / rate);
            let (first_high, first_solves, _) = drop_of(dummy("rigid", vec![]), mass, 1.0 / rate);
            println!(
                "{mass} kg, 1/{rate}: {high:.4} {low:.4} in {solves}, first {first_high:.4} in {first_solves}"
            );
            assert!(high < 0.15, "{mass} {rate}: {high}");
            assert!(solves <= first_solves + first_solves / 20, "{solves} {first_solves}");
        }
    }
}
