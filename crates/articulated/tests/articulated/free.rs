//! Bodies without joints, and free-floating trees: conservation.

use coact_math::{Mat3, Pose, Quat, Spatial, Vec3, free_rotation, rotation_between};
use coact_model::{BodyDef, BodyMass, JointKind, Motion, MotionPlan, TimedMotion};

use crate::scene::{Run, body, builder, chain, momentum};

#[test]
fn tumbling_body_keeps_momentum_and_energy() {
    let mut b = builder(0.0);
    let id = body(&mut b, Pose::identity(), 2.0, Vec3::new(0.001, 0.02, 0.0205));
    b.set_body_velocity(id, Spatial::new(Vec3::new(1.0, -2.0, 0.5), Vec3::new(100.0, 20.0, 50.0)));
    let model = b.finalize().unwrap();
    for h in [1.0 / 60.0, 1.0 / 240.0, 1.0 / 1000.0] {
        let mut run = Run::new(&model);
        let (e0, start) = (run.energy(), momentum(&model, &model.state()));
        let mut worst: f64 = 0.0;
        let steps = (10.0 / h) as usize;
        for _ in 0..steps {
            run.step(h);
            worst = worst.max((run.energy() / e0 - 1.0).abs());
        }
        let end = momentum(&model, run.state());
        let spin = (end.ang - start.ang).norm() / start.ang.norm();
        println!("h {h:.5}: energy {worst:.1e}, momentum {spin:.1e}");
        assert!((end.lin - start.lin).norm() < 1e-14);
        assert!(spin < 1e-14 * (steps as f64), "rounding of one step, added up: {spin}");
        assert!(worst < 3e-4);
    }
}

#[test]
fn free_fall_is_the_recurrence_to_the_bit() {
    let mut b = builder(9.81);
    body(&mut b, Pose::translation(Vec3::new(0.0, 0.0, 10.0)), 3.0, Vec3::new(0.1, 0.2, 0.25));
    let mut run = Run::new(&b.finalize().unwrap());
    let (h, mut z, mut v) = (1.0 / 120.0, 10.0, 0.0);
    for _ in 0..120 {
        run.step(h);
        v -= h * 9.81;
        z += h * v;
        assert!((run.state().body_q[0].p.z - z).abs() < 1e-13);
        assert!((run.state().body_qd[0].lin.z - v).abs() < 1e-13);
    }
}

#[test]
fn torque_about_a_principal_axis_spins_up_linearly() {
    let mut b = builder(0.0);
    let id = body(&mut b, Pose::identity(), 1.0, Vec3::new(0.2, 0.3, 0.4));
    b.set_body_velocity(id, Spatial::new(Vec3::zeros(), Vec3::new(0.0, 0.0, 2.0)));
    let mut run = Run::new(&b.finalize().unwrap());
    run.forces.body_f[0] = Spatial::new(Vec3::zeros(), Vec3::new(0.0, 0.0, 0.1));
    run.steps(120, 1.0 / 120.0);
    let w = run.state().body_qd[0].ang;
    assert!((w - Vec3::new(0.0, 0.0, 2.0 + 0.1 / 0.4)).norm() < 1e-12, "{w}");
}

/// The formula that the other solvers of free bodies use for the same step.
#[test]
fn wrench_on_a_free_body_is_added_to_its_free_motion() {
    let mut b = builder(9.81);
    let q = Quat::from_scaled_axis(Vec3::new(0.3, -0.2, 0.5));
    let id = body(&mut b, Pose::new(Vec3::new(1.0, 2.0, 3.0), q), 2.0, Vec3::new(0.02, 0.03, 0.04));
    let start = Spatial::new(Vec3::new(0.1, 0.2, 0.3), Vec3::new(5.0, 8.0, -3.0));
    b.set_body_velocity(id, start);
    let model = b.finalize().unwrap();
    let mut run = Run::new(&model);
    let f = Spatial::new(Vec3::new(3.0, -1.0, 2.0), Vec3::new(0.2, 0.1, -0.3));
    run.forces.body_f[0] = f;
    let h = 1.0 / 60.0;
    run.step(h);
    let inertia = coact_math::PrincipalInertia::from_tensor(&model.body_inertia[0]);
    let (r_free, w_free) = free_rotation(&q, &start.ang, &inertia, h);
    let s = run.state();
    let (end, w) = (s.body_q[0].q, s.body_qd[0].ang);
    let l = inertia.momentum(&r_free, &w_free);
    assert!((inertia.momentum(&end, &w) - l - f.ang * h).norm() < 1e-15, "momentum l + h torque");
    let theta = rotation_between(&r_free, &end);
    assert!((inertia.momentum(&end, &theta) - f.ang * (h * h)).norm() < 1e-16, "J theta = h² torque");
    assert!(theta.norm() > 1e-4);
    let v = start.lin + (model.gravity + f.lin / 2.0) * h;
    assert!((s.body_qd[0].lin - v).norm() < 1e-14);
    assert!((s.body_q[0].p - (Vec3::new(1.0, 2.0, 3.0) + v * h)).norm() < 1e-14);
}

#[test]
fn floating_chain_keeps_both_momenta() {
    for (kind, h) in
        [(JointKind::Revolute, 1.0 / 60.0), (JointKind::Ball, 1.0 / 60.0), (JointKind::Ball, 1.0 / 500.0)]
    {
        let model = chain(5, 0.4, 0.0, kind, false);
        let mut run = Run::new(&model);
        run.load(|s| {
            // the first link is the free root: its velocity is taken from the body
            s.body_qd[0] = Spatial::new(Vec3::new(0.3, 0.1, -0.2), Vec3::new(1.0, 4.0, 2.0));
            s.joint_qd.iter_mut().enumerate().for_each(|(k, v)| *v = 3.0 - 1.3 * k as f64 % 4.0);
        });
        let (start, e0) = (momentum(&model, run.state()), run.energy());
        let mut worst: f64 = 0.0;
        let steps = (4.0 / h) as usize;
        for _ in 0..steps {
            run.step(h);
            worst = worst.max((run.energy() / e0 - 1.0).abs());
        }
        let d = momentum(&model, run.state()) - start;
        println!(
            "{} h {h:.4}: linear {:.1e}, angular {:.1e}, energy {worst:.1e}",
            kind.word(),
            d.lin.norm(),
            d.ang.norm()
        );
        assert!(start.ang.norm() > 0.1);
        assert!(d.lin.norm() < 1e-12 && d.ang.norm() < 1e-10);
        assert!(worst < 0.05);
    }
}

#[test]
fn a_kinematic_body_goes_where_its_motion_has_it() {
    let mut b = builder(9.81);
    let pose = Pose::translation(Vec3::x());
    let mass = BodyMass::Given { mass: 1.0, com: Vec3::z() * 0.1, inertia: Mat3::identity() };
    let id = b.add_body(BodyDef { pose, mass, kinematic: true, ..BodyDef::default() });
    let model = b.finalize().unwrap();
    let turn = TimedMotion {
        motion: Motion::Rotate { center: Vec3::zeros(), axis: Vec3::y(), rate: 3.0 },
        start: 0.1,
        stop: 0.5,
    };
    let mut plan = MotionPlan::default();
    plan.carry(&model, vec![turn.clone()], [], [id]);
    let (mut run, h) = (Run::new(&model), 1.0 / 60.0);
    for n in 0..60 {
        let t = f64::from(n) * h;
        plan.apply(t, t + h, &mut run.control);
        run.step(h);
        let (expected, now) = (turn.pose(t + h) * model.body_q[0], run.state().body_q[0]);
        assert!((now.p - expected.p).norm() < 1e-13 && rotation_between(&now.q, &expected.q).norm() < 1e-13);
    }
    assert_eq!(run.state().body_qd[0], Spatial::zeros());
}
