//! Torques pass as forces do: a body on a torsion spring, in one solver and as a proxy.

use coact_coupled::{EntryDef, Proxy};
use coact_math::{Pose, Spatial, Vec3, exp_so3, log_so3};
use coact_model::{BodyId, ModelFlags, ModelView, State, StateFields};
use coact_solver::*;
use coact_testkit::{DummySolver, body, points, tolerance::SAME_RUN};

use crate::support::*;

/// A ground torsion spring on body 0, implicit about its axis: τ = −k θ/(1 + h² k/I).
struct Torsion {
    inner: DummySolver,
    k: f64,
    inertia: f64,
}

const BODY: Endpoint = Endpoint::Body(BodyId(0));

impl Torsion {
    fn new(view: &ModelView, k: f64) -> Self {
        Self { inner: DummySolver::new(view, vec![]), k, inertia: view.body_inertia[0][(0, 0)] }
    }
}

impl Solver for Torsion {
    fn kind(&self) -> &'static str {
        "torsion"
    }

    fn load(&mut self, state: &State) {
        self.inner.load(state);
    }

    fn step(&mut self, input: &StepInput, h: f64, report: &mut StepReport) -> Result<(), SolverError> {
        self.inner.step(input, h, report)?;
        let mut s = [EndpointState::default()];
        self.inner.read_interface(&[BODY], &mut s);
        let torque = log_so3(&s[0].pose.q) * (-self.k / (1.0 + h * h * self.k / self.inertia));
        let dw = torque * (h / self.inertia);
        s[0].pose.q = exp_so3(&(dw * h)) * s[0].pose.q;
        s[0].velocity.ang += dw;
        self.inner.write_interface(&[BODY], &s);
        Ok(())
    }

    fn store(&mut self, fields: StateFields, out: &mut State) {
        self.inner.store(fields, out);
    }

    fn save_into(&self, to: &mut Snapshot) {
        self.inner.save_into(to);
    }

    fn restore(&mut self, from: &Snapshot) {
        self.inner.restore(from);
    }

    fn notify_model_changed(&mut self, view: &ModelView, flags: ModelFlags) {
        self.inner.notify_model_changed(view, flags);
        self.inertia = view.body_inertia[0][(0, 0)];
    }
}

impl CouplingInterface for Torsion {
    fn view(&self) -> &ModelView {
        self.inner.view()
    }

    fn capabilities(&self) -> CouplingCapabilities {
        self.inner.capabilities()
    }

    fn read_interface(&mut self, set: &[Endpoint], out: &mut [EndpointState]) {
        self.inner.read_interface(set, out);
    }

    fn write_interface(&mut self, set: &[Endpoint], states: &[EndpointState]) {
        self.inner.write_interface(set, states);
    }
}

/// Largest angle between the unified and the coupled run, and the largest angle at all.
fn run(spin: Vec3, turned: Vec3, scale: f64) -> [f64; 2] {
    let mut m = points(9.81);
    let a = body(&mut m, "wheel", 2.0, Vec3::z());
    let b = body(&mut m, "mat", 1.0, Vec3::x());
    m.body_q.make_mut()[0] = Pose::new(Vec3::z(), exp_so3(&turned));
    m.body_qd.make_mut()[0] = Spatial::new(Vec3::zeros(), spin);
    let mut alone = Run::new(&m, Torsion::new(&ModelView::whole(&m), 0.5));
    let soft = EntryDef::new("soft", |view| Ok(Torsion::new(view, 0.5))).bodies([b]);
    let defs = vec![dummy("rigid", vec![]).bodies([a]), soft];
    let proxy = Proxy::new("rigid", "soft").bodies([a]).mass_scale(scale);
    let mut split = Run::new(&m, coupled(&m, defs, proxy).unwrap());
    let mut worst = [0.0_f64; 2];
    for _ in 0..200 {
        let (x, y) = (alone.step(0.01).body_q[0].q, split.step(0.01).body_q[0].q);
        worst = [worst[0].max(log_so3(&(y * x.inverse())).norm()), worst[1].max(log_so3(&x).norm())];
    }
    worst
}

#[test]
fn about_one_axis_the_predicted_proxy_is_the_unified_step() {
    let [worst, largest] = run(Vec3::new(3.0, 0.0, 0.0), Vec3::new(0.4, 0.0, 0.0), 1.0);
    println!("one axis: {worst:.2e} of {largest:.2} rad");
    assert!(worst < SAME_RUN && largest > 0.3);
}

#[test]
fn about_changing_axes_it_differs_by_the_order_of_rotations_only() {
    let [worst, largest] = run(Vec3::new(3.0, -1.0, 2.0), Vec3::new(0.0, 0.5, 0.0), 1.0);
    println!("changing axes: {worst:.2e} of {largest:.2} rad");
    assert!(worst < 2e-3 && largest > 0.3);
}
