//! What couplers rely on: the response to a force, the mass that it feels, proxies.

use coact_coupled::{EntryDef, Proxy, ProxyConfig, SolverCoupledProxy};
use coact_math::{Mat3, Pose, Spatial, Vec3, Vec6};
use coact_model::{
    BodyDef, BodyId, BodyMass, Forces, JointId, Model, ModelBuilder, ModelFlags, ModelView, Ownership,
    RodDef, RodEnd, RodIds, StateFields,
};
use coact_rod::{RodConfig, SolverRod};
use coact_solver::{CouplingInterface, Endpoint, MassBlock, Response, Solver, StepInput, StepReport};
use coact_testkit::DummySolver;

use crate::support::{Run, cantilever, straight};

/// H⁻¹ against differences of steps with and without a small force.
#[test]
fn the_response_is_the_derivative_of_the_step() {
    let h = 1.0 / 240.0;
    let mut run = Run::new(cantilever(12), RodConfig { tolerance: 1e-10, ..RodConfig::default() });
    for _ in 0..100 {
        run.step(0.5);
    }
    let (endpoint, state) = (Endpoint::Body(BodyId::new(9)), run.state.clone());
    let mut response = [Response::default()];
    run.solver.response(&[endpoint], h, &mut response);
    let mut end = |f: Vec6| {
        run.state.clone_from(&state);
        run.load();
        run.forces.body_f[9] = Spatial::from_vec6(&f);
        let v = run.step(h).body_qd[9];
        v.to_vec6()
    };
    for axis in 0..6 {
        let mut f = Vec6::zeros();
        f[axis] = if axis < 3 { 1e-5 } else { 1e-7 };
        let column = (end(f) - end(-f)) / (2.0 * f[axis]);
        let exact = response[0].velocity.column(axis).into_owned();
        assert!((column - exact).norm() < 2e-3 * exact.norm(), "{axis}: {column} {exact}");
    }
}

/// A force at the tip of a stiff rod feels far more than its last segment.
#[test]
fn the_effective_mass_is_that_of_the_rod() {
    let mut run = Run::new(cantilever(16), RodConfig::default());
    run.step(1.0 / 60.0);
    let mut mass = [MassBlock::default(); 2];
    let set = [0, 15].map(|b| Endpoint::Body(BodyId::new(b)));
    run.solver.effective_mass(&set, &mut mass);
    assert!(mass[0].mass > 100.0 * run.model.body_mass[0], "{}", mass[0].mass);
    assert!(mass[1].mass > 2.0 * run.model.body_mass[15] && mass[1].mass < mass[0].mass);
}

/// A proxy that nothing touches coasts, and adds neither gravity nor forces.
#[test]
fn a_proxy_coasts() {
    let model = cantilever(4);
    let ownership = Ownership { proxy_bodies: vec![BodyId::new(2)], ..Ownership::default() };
    let view = ModelView::new(&model, ownership);
    let mut solver = SolverRod::new(&view, RodConfig::default()).unwrap();
    solver.notify_model_changed(&view, ModelFlags::BODY_MASS);
    let mut state = model.state();
    state.body_qd[2] = Spatial::new(Vec3::new(1.0, 0.0, 0.5), Vec3::new(0.0, 3.0, 0.0));
    solver.load(&state);
    let (control, mut forces) = (model.control(), coact_model::Forces::zeros(0, 4));
    forces.body_f[2].lin = Vec3::x();
    let input = StepInput { control: &control, forces: &forces, contacts: None };
    solver.step(&input, 0.1, &mut StepReport::default()).unwrap();
    let mut end = [coact_solver::EndpointState::default()];
    solver.read_interface(&[Endpoint::Body(BodyId::new(2))], &mut end);
    assert!((end[0].pose.p - state.body_q[2].p - Vec3::new(0.1, 0.0, 0.05)).norm() < 1e-14);
    assert!((end[0].velocity - state.body_qd[2]).to_vec6().norm() < 1e-13);
}

/// A rod along x in the plane of gravity, and a heavy ball that its end is held on.
fn rod_with_ball() -> (Model, RodIds, BodyId) {
    let mut b = ModelBuilder::new();
    let mass = BodyMass::Given { mass: 0.5, com: Vec3::zeros(), inertia: Mat3::identity() * 1e-3 };
    let def = RodDef { begin: RodEnd::Clamped(None), young: 1e8, damping_time: 1e-3, ..straight(0.4, 6) };
    let pose = Pose::new(Vec3::x() * 0.4, coact_math::Quat::identity());
    let ball = b.add_body(BodyDef { pose, mass, ..BodyDef::default() });
    let rod = b.add_rod(RodDef { end: RodEnd::Pinned(Some(ball)), ..def });
    (b.finalize().unwrap(), rod, ball)
}

/// The ball in another solver, its proxy at the end of the rod: as the rod with the ball, to the tolerance.
#[test]
fn a_proxy_at_its_end_is_as_the_body_itself() {
    let (model, rod, ball) = rod_with_ball();
    let config = || RodConfig { tolerance: 1e-12, ..RodConfig::default() };
    let mut whole = Run::new(model.clone(), config());
    let joints: Vec<JointId> = rod.joints.iter().copied().chain(rod.ends.into_iter().flatten()).collect();
    let entries = vec![
        EntryDef::new("ball", |view| Ok(DummySolver::new(view, vec![]))).bodies([ball]),
        EntryDef::new("rod", move |view| SolverRod::new(view, config()))
            .bodies(rod.bodies.iter().copied())
            .joints(joints),
    ];
    let proxies = vec![Proxy::new("ball", "rod").bodies([ball])];
    let mut coupled =
        SolverCoupledProxy::new(&model, entries, ProxyConfig { proxies, ..ProxyConfig::default() }).unwrap();
    let (mut state, control, forces) = (model.state(), model.control(), Forces::zeros(0, 7));
    coupled.load(&state);
    for step in 0..60 {
        let input = StepInput { control: &control, forces: &forces, contacts: None };
        coupled.step(&input, 1.0 / 240.0, &mut StepReport::default()).unwrap();
        coupled.store(StateFields::all(), &mut state);
        whole.step(1.0 / 240.0);
        for (a, b) in state.body_q.iter().zip(&whole.state.body_q) {
            assert!((a.p - b.p).norm() < 1e-9, "step {step}: {}", (a.p - b.p).norm());
        }
    }
    assert!(whole.state.body_q[ball.index()].p.z < -0.05, "it hardly moved");
}
