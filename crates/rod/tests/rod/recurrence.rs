//! One step of a single segment by hand.

use coact_math::{Pose, PrincipalInertia, Spatial, Vec3, free_rotation, left_jacobian_inverse};
use coact_model::RodPath;
use coact_rod::RodConfig;

use crate::support::{Run, model, straight};

/// A free segment with a force and without torque: c ← c + h v′, v′ = v + h (g + f/m), and the free
/// rotation to the bit.
#[test]
fn a_single_segment_follows_its_free_motion() {
    let g = Vec3::new(0.1, -0.2, -9.81);
    let mut run = Run::new(model(straight(0.3, 1), g), RodConfig::default());
    run.state.body_qd[0] = Spatial::new(Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, -5.0, 60.0));
    run.forces.body_f[0].lin = Vec3::new(0.3, 0.1, 0.2);
    run.load();
    let (mass, h) = (run.model.body_mass[0], 1.0 / 240.0);
    let inertia = PrincipalInertia::from_tensor(&run.model.body_inertia[0]);
    let (mut c, mut q) = (run.state.body_q[0].p, run.state.body_q[0].q);
    let (mut v, mut w) = (run.state.body_qd[0].lin, run.state.body_qd[0].ang);
    for _ in 0..50 {
        run.step(h);
        v += (g + run.forces.body_f[0].lin / mass) * h;
        c += v * h;
        (q, w) = free_rotation(&q, &w, &inertia, h);
        assert!((run.state.body_q[0].p - c).norm() < 1e-13);
        assert!(run.state.body_q[0].q.angle_to(&q) < 1e-13);
        assert!((run.state.body_qd[0].lin - v).norm() < 1e-12);
        assert!((run.state.body_qd[0].ang - w).norm() < 1e-11);
    }
}

/// A torque turns the segment on from its free motion by θ: J⁻ᵀ(θ) I θ = h² τ, and its angular momentum
/// is that of before plus h τ.
#[test]
fn a_torque_acts_once_and_adds_to_the_free_motion() {
    let config = RodConfig { tolerance: 1e-10, ..RodConfig::default() };
    let mut run = Run::new(model(straight(0.3, 1), Vec3::zeros()), config);
    let (h, torque) = (1.0 / 60.0, Vec3::new(1e-3, -2e-3, 5e-4));
    run.state.body_qd[0].ang = Vec3::new(0.5, 1.0, -0.7);
    run.forces.body_f[0].ang = torque;
    run.load();
    let inertia = PrincipalInertia::from_tensor(&run.model.body_inertia[0]);
    for _ in 0..20 {
        let (q0, w0) = (run.state.body_q[0].q, run.state.body_qd[0].ang);
        let (q_free, _) = free_rotation(&q0, &w0, &inertia, h);
        let axes = q_free.to_rotation_matrix();
        let at_target = axes.matrix() * inertia.tensor() * axes.matrix().transpose();
        run.step(h);
        let theta = coact_math::log_so3(&(run.state.body_q[0].q * q_free.inverse()));
        let answer = left_jacobian_inverse(&theta).tr_mul(&(at_target * theta)) / (h * h);
        assert!((answer - torque).norm() < 1e-8 * torque.norm(), "{}", (answer - torque).norm());
        let before = inertia.momentum(&q0, &w0);
        let after = inertia.momentum(&run.state.body_q[0].q, &run.state.body_qd[0].ang);
        assert!((after - before - torque * h).norm() < 1e-15);
    }
}

/// A rod on a support that moves comes along.
#[test]
fn a_kinematic_support_carries_the_rod_along() {
    let mut b = coact_model::ModelBuilder::new();
    b.gravity = Vec3::zeros();
    let support = b.add_body(coact_model::BodyDef { kinematic: true, ..Default::default() });
    let path = RodPath::Points((0..5).map(|i| Vec3::x() * (0.1 * f64::from(i))).collect());
    let begin = coact_model::RodEnd::Clamped(Some(support));
    b.add_rod(coact_model::RodDef { path, begin, young: 1e9, ..straight(0.4, 4) });
    let mut run = Run::new(b.finalize().unwrap(), RodConfig::default());
    let motion = Spatial::new(Vec3::z(), Vec3::zeros());
    run.control.body_motion.push((support, motion));
    for _ in 0..200 {
        run.step(0.05);
    }
    assert!((run.state.body_q[0].p - Vec3::z() * 10.0).norm() < 1e-12);
    for i in 1..5 {
        let expected = Pose::new(run.model.body_q[i].p + Vec3::z() * 10.0, run.model.body_q[i].q);
        assert!((run.state.body_q[i].p - expected.p).norm() < 1e-6, "{}", run.state.body_q[i].p - expected.p);
        assert!(run.state.body_q[i].q.angle_to(&expected.q) < 1e-6);
    }
}
