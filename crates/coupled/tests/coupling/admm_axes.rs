//! Free axes of cut joints: drives, limits, friction, armature, given forces; distances.

use coact_coupled::{AdmmConfig, Convergence, SolverCoupledAdmm};
use coact_math::{Spatial, Vec3};
use coact_model::{BodyId, JointAxis, JointKind, Model};
use coact_testkit::{body, points};

use crate::admm::add_joint;
use crate::support::*;

const DT: f64 = 0.01;

/// A heavy body and a light one that slides on it along y.
fn slider(edit: impl FnOnce(&mut JointAxis)) -> Run<SolverCoupledAdmm> {
    let mut m = points(0.0);
    let a = body(&mut m, "rail", 3.0, Vec3::zeros());
    let b = body(&mut m, "cart", 1.5, Vec3::zeros());
    add_joint(&mut m, JointKind::Prismatic, a, b, Vec3::zeros());
    edit(&mut m.joint_axis.make_mut()[0]);
    m.joint_target_q.make_mut().push(0.0);
    m.joint_target_qd.make_mut().push(0.0);
    m.joint_qd_start.make_mut().extend([0, 1]);
    m.joint_qd.make_mut().push(0.0);
    start(m)
}

fn start(m: Model) -> Run<SolverCoupledAdmm> {
    let defs = vec![dummy("left", vec![]).bodies([BodyId(0)]), dummy("right", vec![]).bodies([BodyId(1)])];
    let convergence = Some(Convergence::Tolerance { primal: 1e-12, dual: 1e-3, max_iterations: 40 });
    Run::new(
        &m,
        SolverCoupledAdmm::new(&m, defs, AdmmConfig { convergence, ..AdmmConfig::default() }).unwrap(),
    )
}

/// Reduced mass of the slider.
const MASS: f64 = 1.0;

fn relative(run: &Run<SolverCoupledAdmm>) -> (f64, f64) {
    let (q, v) = (&run.state.body_q, &run.state.body_qd);
    (q[1].p.y - q[0].p.y, v[1].lin.y - v[0].lin.y)
}

#[test]
fn a_drive_is_backward_euler_and_is_cut_at_its_effort() {
    for effort in [f64::INFINITY, 2.0] {
        let (ke, kd) = (80.0, 3.0);
        let mut run = slider(|a| (a.target_ke, a.target_kd, a.effort_limit) = (ke, kd, effort));
        run.control.joint_target_q[0] = 0.3;
        run.control.joint_target_qd[0] = 0.1;
        let (mut x, mut v) = (0.0, 0.0);
        for step in 0..120 {
            let free: f64 = (ke * (0.3 - x) + kd * 0.1 - (kd + DT * ke) * v)
                / (1.0 + DT * kd / MASS + DT * DT * ke / MASS);
            v += DT * free.clamp(-effort, effort) / MASS;
            x += DT * v;
            run.step(DT);
            let (q, qd) = relative(&run);
            assert!((q - x).abs() < 1e-9 && (qd - v).abs() < 1e-7, "{effort}, step {step}: {q} {x}");
        }
        assert!(x > 0.2, "{x}: it was driven");
    }
}

#[test]
fn limits_stop_and_let_go_again() {
    let mut run = slider(|a| (a.limit_lower, a.limit_upper) = (-0.05, 0.1));
    let mut s = run.state.clone();
    s.body_qd[1] = Spatial::new(Vec3::y() * 2.0, Vec3::zeros());
    coact_solver::Solver::load(&mut run.solver, &s);
    let mut most = 0.0_f64;
    for _ in 0..30 {
        run.step(DT);
        most = most.max(relative(&run).0);
        assert!(run.report.interfaces[0].converged);
    }
    assert!((most - 0.1).abs() < 1e-9, "{most}");
    assert!(relative(&run).1.abs() < 1e-9, "an inelastic stop");
    run.forces.body_f[1] = Spatial::new(Vec3::y() * -5.0, Vec3::zeros());
    (0..5).for_each(|_| _ = run.step(DT));
    assert!(relative(&run).0 < 0.099, "it leaves freely");
    (0..60).for_each(|_| _ = run.step(DT));
    assert!((relative(&run).0 + 0.05).abs() < 1e-9);
}

#[test]
fn a_limit_that_gives_way_is_a_spring() {
    let mut run = slider(|a| (a.limit_upper, a.limit_ke, a.limit_kd) = (0.02, 500.0, 10.0));
    run.forces.body_f[1] = Spatial::new(Vec3::y() * 6.0, Vec3::zeros());
    run.forces.body_f[0] = Spatial::new(Vec3::y() * -6.0, Vec3::zeros());
    (0..2000).for_each(|_| _ = run.step(DT));
    assert!((relative(&run).0 - 0.02 - 6.0 / 500.0).abs() < 1e-8, "{}", relative(&run).0);
}

#[test]
fn friction_holds_below_its_force_and_brakes_by_it() {
    let mut run = slider(|a| a.friction = 0.8);
    run.forces.body_f[1] = Spatial::new(Vec3::y() * 0.75, Vec3::zeros());
    run.forces.body_f[0] = Spatial::new(Vec3::y() * -0.75, Vec3::zeros());
    (0..100).for_each(|_| _ = run.step(DT));
    assert!(relative(&run).0.abs() < 1e-9, "{:?}", relative(&run));
    run.forces.body_f[1].lin.y = 1.0;
    run.forces.body_f[0].lin.y = -1.0;
    (0..100).for_each(|_| _ = run.step(DT));
    // (1 − 0.8) N on 1 kg for a second
    assert!((relative(&run).1 - 0.2).abs() < 1e-9, "{:?}", relative(&run));
}

#[test]
fn armature_and_given_forces_act_along_the_axis() {
    let mut run = slider(|a| a.armature = 3.0);
    run.control.joint_f[0] = 2.0;
    (0..100).for_each(|_| _ = run.step(DT));
    // 2 N on the reduced 1 kg and 3 kg of armature
    assert!((relative(&run).1 - 0.5).abs() < 1e-9, "{:?}", relative(&run));
    let p = run.state.body_qd[0].lin * 3.0 + run.state.body_qd[1].lin * 1.5;
    assert!(p.norm() < 1e-12);
}

#[test]
fn a_hinge_is_driven_to_its_angle() {
    let mut m = points(0.0);
    let a = body(&mut m, "base", 3.0, Vec3::zeros());
    let b = body(&mut m, "arm", 1.0, Vec3::x() * 0.3);
    let j = add_joint(&mut m, JointKind::Revolute, a, b, Vec3::x() * 0.1);
    (m.joint_axis.make_mut()[0].target_ke, m.joint_axis.make_mut()[0].target_kd) = (20.0, 2.0);
    let mut run = start(m.clone());
    run.control.joint_target_q.push(0.7);
    run.control.joint_target_qd.push(0.0);
    (0..600).for_each(|_| _ = run.step(DT));
    let angle = coact_math::rotation_between(&run.state.body_q[0].q, &run.state.body_q[1].q);
    assert!((angle.norm() - 0.7).abs() < 1e-6 && run.report.interfaces[0].converged, "{angle} {j}");
}

#[test]
fn distances_are_limits_of_the_anchors() {
    let mut m = points(9.81);
    let a = body(&mut m, "post", 1e3, Vec3::zeros());
    let b = body(&mut m, "bob", 1.0, Vec3::x() * 0.4);
    add_joint(&mut m, JointKind::Distance, a, b, Vec3::zeros());
    m.joint_x_c.make_mut()[0].p = Vec3::zeros();
    (m.joint_axis.make_mut()[0].limit_lower, m.joint_axis.make_mut()[0].limit_upper) = (0.0, 0.5);
    let mut run = start(m);
    run.forces.body_f[0] = Spatial::new(Vec3::z() * 9.81e3, Vec3::zeros());
    let (mut most, mut passes) = (0.0_f64, 0);
    for _ in 0..200 {
        run.step(DT);
        most = most.max((run.state.body_q[0].p - run.state.body_q[1].p).norm());
        passes += run.report.interfaces[0].iterations;
        assert!(run.report.interfaces[0].converged);
    }
    assert!((most - 0.5).abs() < 1e-9, "{most}");
    assert!(run.state.body_q[1].p.z < -0.2, "it swung");
    println!("{passes} passes in 200 steps");
}

#[test]
fn two_free_angles_leave_one_locked() {
    let mut m = points(0.0);
    let a = body(&mut m, "a", 2.0, Vec3::zeros());
    let b = body(&mut m, "b", 1.0, Vec3::x() * 0.2);
    add_joint(&mut m, JointKind::D6 { linear: 0, angular: 2 }, a, b, Vec3::x() * 0.1);
    let mut run = start(m);
    let mut s = run.state.clone();
    s.body_qd[1].ang = Vec3::new(1.5, 1.0, 2.0);
    coact_solver::Solver::load(&mut run.solver, &s);
    for _ in 0..100 {
        run.step(DT);
        let (p, c) = (run.state.body_q[0].q, run.state.body_q[1].q);
        // axes y of the parent and z of the child stay at a right angle
        assert!((p * Vec3::y()).dot(&(c * Vec3::z())).abs() < 1e-9);
        assert!(run.report.interfaces[0].converged);
    }
    let turned = coact_math::rotation_between(&run.state.body_q[0].q, &run.state.body_q[1].q);
    assert!(turned.norm() > 0.3);
}
