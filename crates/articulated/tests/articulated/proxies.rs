//! Bodies of others as proxies: they follow their free motion, meet links, and report what
//! they received.

use coact_articulated::{ArticulatedConfig, SolverArticulated};
use coact_math::{Pose, Quat, Spatial, Vec3};
use coact_model::{BodyId, Forces, Geometry, Model, ModelView, Ownership, ShapeDef};
use coact_solver::{
    CouplingInterface, Endpoint, EndpointState, Harvest, ProxyMotion, Solver, StepInput, StepReport,
};

use crate::scene::{body, builder};

const DT: f64 = 0.01;
const PROXY: [Endpoint; 1] = [Endpoint::Body(BodyId(1))];

/// A box of 2 kg that is owned, and 0.05 m above it one of 0.5 kg that is a proxy.
fn boxes() -> (Model, SolverArticulated) {
    let mut b = builder(0.0);
    for (mass, z) in [(2.0, 0.0), (0.5, 0.25)] {
        let id = body(&mut b, Pose::translation(Vec3::z() * z), mass, Vec3::repeat(mass * 0.04 / 6.0));
        let geometry = Geometry::Box { half_extents: Vec3::repeat(0.1) };
        b.add_shape(ShapeDef { body: Some(id), geometry, density: 0.0, ..ShapeDef::default() });
    }
    let model = b.finalize().unwrap();
    let ownership =
        Ownership { bodies: vec![BodyId(0)], proxy_bodies: vec![BodyId(1)], ..Ownership::default() };
    let view = ModelView::new(&model, ownership);
    (model, SolverArticulated::new(&view, ArticulatedConfig::default()).unwrap())
}

/// Steps under a motion; the proxy's end and what it received.
fn step(model: &Model, solver: &mut SolverArticulated, motion: ProxyMotion) -> (EndpointState, Spatial) {
    let (control, forces) = (model.control(), Forces::zeros(0, 2));
    let input = StepInput { control: &control, forces: &forces, contacts: None };
    solver.begin_proxies(&PROXY, &[motion], DT);
    solver.step(&input, DT, &mut StepReport::default()).unwrap();
    let (mut end, mut got) = ([EndpointState::default()], [Spatial::zeros()]);
    solver.read_interface(&PROXY, &mut end);
    solver.harvest_proxies(&PROXY, &[motion], Harvest::Impulse, DT, &mut got);
    (end[0], got[0])
}

/// Any free motion, not only a coasting one.
fn motion(z: f64, v: f64) -> ProxyMotion {
    let state = |z: f64, v: f64, turn: f64| EndpointState {
        pose: Pose::new(Vec3::z() * z, Quat::from_scaled_axis(Vec3::z() * turn)),
        velocity: Spatial::new(Vec3::z() * v, Vec3::z() * 3.0),
    };
    ProxyMotion { begin: state(z, v, 0.0), free: state(z + 0.9 * v * DT, v - 0.1, 0.025) }
}

#[test]
fn a_proxy_that_nothing_touches_ends_where_it_was_told() {
    let (model, mut solver) = boxes();
    let m = motion(0.6, -1.0);
    let (end, got) = step(&model, &mut solver, m);
    assert!((end.pose.p - m.free.pose.p).norm() < 1e-15 && end.pose.q.angle_to(&m.free.pose.q) < 1e-12);
    assert!((end.velocity.lin - m.free.velocity.lin).norm() < 1e-15);
    assert_eq!(got, Spatial::zeros());
    let mut out = model.state();
    out.body_q[1].p.x = 7.0;
    solver.store(coact_model::StateFields::all(), &mut out);
    assert_eq!(out.body_q[1].p.x, 7.0, "its row is not the solver's");
}

#[test]
fn a_proxy_that_lands_reports_the_impulse_that_it_and_the_link_got() {
    let (model, mut solver) = boxes();
    let m = motion(0.201, -1.0);
    let (end, got) = step(&model, &mut solver, m);
    let gained = (end.velocity.lin - m.free.velocity.lin) * 0.5;
    assert!((got.lin * DT - gained).norm() < 1e-12 && got.lin.z > 1.0, "{got:?} {gained:?}");
    // eq. (36): the way and the velocity that contact gave agree
    let way = end.pose.p - m.free.pose.p;
    assert!((way - (end.velocity.lin - m.free.velocity.lin) * DT).norm() < 1e-14, "{way:?}");
    let mut link = [EndpointState::default()];
    solver.read_interface(&[Endpoint::Body(BodyId(0))], &mut link);
    assert!((link[0].velocity.lin * 2.0 + got.lin * DT).norm() < 1e-12, "{link:?}");
}

#[test]
fn proxies_rewind_with_the_rest() {
    let (model, mut solver) = boxes();
    let mut saved = coact_solver::Snapshot::new();
    solver.save_into(&mut saved);
    let first = step(&model, &mut solver, motion(0.201, -1.0));
    step(&model, &mut solver, motion(0.202, 0.5));
    solver.restore(&saved);
    assert_eq!(first, step(&model, &mut solver, motion(0.201, -1.0)));
}
