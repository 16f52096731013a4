//! What couplers ask: effective mass, response, free motion.

use coact_math::{Mat6, Pose, Spatial, Vec3, Vec6};
use coact_model::{BodyDef, BodyId, JointDef, JointKind, Model};
use coact_solver::{
    CouplingInterface, Endpoint, EndpointState, MassBlock, Response, Snapshot, Solver, StepInput, StepReport,
    TrialStep,
};

use crate::scene::{Run, axis, body, builder, chain, pendulum};

fn mass_of(run: &mut Run, b: usize) -> MassBlock {
    let mut out = [MassBlock::default()];
    run.solver.effective_mass(&[Endpoint::Body(BodyId::new(b))], &mut out);
    out[0]
}

fn response_of(run: &mut Run, b: usize, dt: f64) -> Response {
    let mut out = [Response::default()];
    run.solver.response(&[Endpoint::Body(BodyId::new(b))], dt, &mut out);
    out[0]
}

#[test]
fn free_body_reports_its_own_mass_and_a_base_an_infinite_one() {
    let mut b = builder(9.81);
    let inertia = Vec3::new(0.1, 0.2, 0.25);
    body(&mut b, Pose::identity(), 2.5, inertia);
    b.add_body(BodyDef { kinematic: true, ..BodyDef::default() });
    let mut run = Run::new(&b.finalize().unwrap());
    let free = mass_of(&mut run, 0);
    assert_eq!((free.mass, free.inertia.diagonal()), (2.5, inertia));
    assert!(mass_of(&mut run, 1).mass.is_infinite());
    let mut g = [Vec3::zeros(); 2];
    let set = [0, 1].map(|k| Endpoint::Body(BodyId(k)));
    run.solver.gravity_acceleration(&set, &mut g);
    assert_eq!(g, [Vec3::new(0.0, 0.0, -9.81), Vec3::zeros()]);
    assert_eq!(response_of(&mut run, 1, 0.01), Response::default());
}

/// A rod hinged at its end: the centre moves by l/2 per turn about one axis, so that
/// 3/trace = 3 J/(l/2)², with J the inertia about the hinge; J about the axis itself.
#[test]
fn hinged_link_has_its_articulated_mass() {
    let (m, l, i) = crate::scene::PENDULUM;
    let mut run = Run::new(&pendulum(0.7));
    let block = mass_of(&mut run, 0);
    let about_hinge = i + m * l * l;
    assert!((block.mass / (3.0 * about_hinge / (l * l)) - 1.0).abs() < 1e-12, "{}", block.mass);
    assert!((block.inertia[(1, 1)] / about_hinge - 1.0).abs() < 1e-9, "{}", block.inertia);
    assert!(block.inertia[(0, 0)] > 1e5 * about_hinge, "blocked axes are heavy");
}

/// Chains with a drive and armature, from rest: central differences of a real step.
fn driven_chain(gravity: f64) -> Model {
    let mut b = builder(gravity);
    let mut parent = None;
    for k in 0..3 {
        let link = body(
            &mut b,
            Pose::translation(Vec3::new(0.3 * k as f64, 0.0, 0.0)),
            1.0,
            Vec3::new(0.01, 0.02, 0.03),
        );
        let kind = [JointKind::Ball, JointKind::Revolute, JointKind::Prismatic][k];
        let mut joint = JointDef::new(kind, parent, link);
        joint.x_p = Pose::translation(Vec3::new(if k == 0 { -0.15 } else { 0.15 }, 0.0, 0.0));
        joint.x_c = Pose::translation(Vec3::new(-0.15, 0.0, 0.0));
        let mut a = axis(Vec3::new(0.0, 0.6, 0.8));
        (a.armature, a.target_ke, a.target_kd) = (0.05, 200.0, 3.0);
        joint.axes.iter_mut().for_each(|x| *x = a);
        b.add_joint(joint);
        parent = Some(link);
    }
    b.finalize().expect("a valid scene")
}

fn stepped(model: &Model, link: usize, f: Spatial, dt: f64) -> EndpointState {
    let mut run = Run::new(model);
    run.forces.body_f[link] = f;
    run.step(dt);
    EndpointState { pose: run.state().body_q[link], velocity: run.state().body_qd[link] }
}

fn difference(model: &Model, link: usize, dt: f64) -> (Mat6, Mat6) {
    let (mut pose, mut velocity) = (Mat6::zeros(), Mat6::zeros());
    let eps = 1e-3;
    for k in 0..6 {
        let mut e = Vec6::zeros();
        e[k] = eps;
        let f = Spatial::from_vec6(&e);
        let (a, b) = (stepped(model, link, f, dt), stepped(model, link, -f, dt));
        let d = Spatial::new(a.pose.p - b.pose.p, (a.pose.q * b.pose.q.inverse()).scaled_axis());
        pose.set_column(k, &(d.to_vec6() / (2.0 * eps)));
        velocity.set_column(k, &((a.velocity - b.velocity).to_vec6() / (2.0 * eps)));
    }
    (pose, velocity)
}

#[test]
fn response_is_the_derivative_of_a_step() {
    let dt = 1.0 / 120.0;
    for (gravity, tolerance) in [(0.0, 1e-6), (9.81, 5e-3)] {
        let model = driven_chain(gravity);
        for link in 0..3 {
            let response = response_of(&mut Run::new(&model), link, dt);
            let (pose, velocity) = difference(&model, link, dt);
            let p = (response.pose - pose).norm() / pose.norm();
            let v = (response.velocity - velocity).norm() / velocity.norm();
            println!("gravity {gravity}, link {link}: pose {p:.1e}, velocity {v:.1e}");
            assert!(p < tolerance && v < tolerance);
        }
    }
}

#[test]
fn free_motion_is_a_trial_that_leaves_no_trace() {
    let model = chain(4, 0.3, 9.81, JointKind::Ball, true);
    let (mut tried, mut plain) = (Run::new(&model), Run::new(&model));
    let set = [Endpoint::Body(BodyId(3))];
    let mut out = [EndpointState::default()];
    let (mut snapshot, mut report) = (Snapshot::new(), StepReport::default());
    for _ in 0..20 {
        let input = StepInput { control: &tried.control, forces: &tried.forces, contacts: None };
        let trial =
            TrialStep { input: &input, dt: 0.01, substeps: 2, snapshot: &mut snapshot, report: &mut report };
        tried.solver.free_motion(&set, trial, &mut out).unwrap();
        tried.steps(2, 0.005);
        plain.steps(2, 0.005);
        assert_eq!(tried.state().body_q, plain.state().body_q);
        assert_eq!(out[0].pose, plain.state().body_q[3]);
    }
}

#[test]
fn interface_can_be_written_and_read() {
    let mut b = builder(9.81);
    body(&mut b, Pose::identity(), 1.0, Vec3::new(0.1, 0.2, 0.25));
    let mut run = Run::new(&b.finalize().unwrap());
    let set = [Endpoint::Body(BodyId(0))];
    let velocity = Spatial::new(Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.1, 0.2, 0.3));
    let wanted = EndpointState { pose: Pose::translation(Vec3::new(4.0, 5.0, 6.0)), velocity };
    run.solver.write_interface(&set, &[wanted]);
    let mut out = [EndpointState::default()];
    run.solver.read_interface(&set, &mut out);
    assert_eq!(out[0], wanted);
    assert_eq!(run.solver.kind(), "articulated");
    let can = run.solver.capabilities();
    assert!(can.body_source && can.rewind && can.response && can.effective_mass && can.body_proxy);
}
