//! Pendulum, double pendulum, drives and chains against closed forms.

use coact_math::{Pose, Vec3};
use coact_model::{JointDef, JointKind};

use crate::law::DoublePendulum;
use crate::scene::{PENDULUM, Run, axis, body, builder, chain, pendulum};

/// The root of m l² sin(h w)/h + I w = p by Newton: eq. (16) of the theory for a hinge.
fn hinge_rate(p: f64, h: f64) -> f64 {
    let (m, l, i) = PENDULUM;
    let ml2 = m * l * l;
    let mut w = p / (ml2 + i);
    for _ in 0..20 {
        w -= (ml2 * (h * w).sin() / h + i * w - p) / (ml2 * (h * w).cos() + i);
    }
    w
}

#[test]
fn pendulum_follows_its_recurrence_at_every_step() {
    let (m, l, i) = PENDULUM;
    let h = 1.0 / 240.0;
    let mut run = Run::new(&pendulum(1.2));
    let (mut theta, mut p) = (1.2, 0.0);
    for _ in 0..480 {
        run.step(h);
        p -= h * m * 9.81 * l * f64::sin(theta);
        theta += h * hinge_rate(p, h);
        let s = run.state();
        assert!((s.joint_q[0] - theta).abs() < 1e-11, "{} {theta}", s.joint_q[0]);
        assert!((s.joint_qd[0] - p / (m * l * l + i)).abs() < 1e-11);
    }
    assert!(theta.abs() > 0.01, "it moved");
}

/// Small swings: T = 2 pi sqrt((I + m l²)/(m g l)) (1 + a²/16).
#[test]
fn pendulum_has_the_closed_form_period_and_keeps_its_energy() {
    let (m, l, i) = PENDULUM;
    let a: f64 = 0.2;
    let exact = std::f64::consts::TAU
        * ((i + m * l * l) / (m * 9.81 * l)).sqrt()
        * (1.0 + a * a / 16.0 + 11.0 * a.powi(4) / 3072.0);
    for (h, tolerance) in [(1.0 / 60.0, 4e-3), (1.0 / 240.0, 3e-4), (1.0 / 1000.0, 2e-5)] {
        let mut run = Run::new(&pendulum(a));
        let (e0, mut worst, mut crossings, mut before) = (run.energy(), 0.0_f64, Vec::new(), a);
        let depth = m * 9.81 * l * (1.0 - a.cos());
        for k in 1..(20.0 * exact / h) as usize {
            run.step(h);
            worst = worst.max((run.energy() - e0).abs() / depth);
            let q = run.state().joint_q[0];
            if before > 0.0 && q <= 0.0 {
                crossings.push(h * (k as f64 - q / (q - before)));
            }
            before = q;
        }
        let period = (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64;
        println!("h {h:.5}: period {:.2e} off, energy within {worst:.3} of the swing", period / exact - 1.0);
        assert!((period / exact - 1.0).abs() < tolerance);
        assert!(worst < 5.0 * h, "symplectic Euler swings in energy by O(h): {worst}");
    }
}

fn double_pendulum_error(h: f64, t: f64) -> f64 {
    let l = 0.5;
    let law = DoublePendulum { m: 1.0, l, i: l * l / 12.0, g: 9.81 };
    let mut run = Run::new(&chain(2, l, 9.81, JointKind::Revolute, true));
    let n = (t / h).round() as usize;
    run.steps(n, h);
    // the chain starts along +x: a turn of -pi/2 about y from hanging down
    let half = std::f64::consts::FRAC_PI_2;
    let exact = law.integrate([-half, -half, 0.0, 0.0], t, 20_000);
    let q = &run.state().joint_q;
    let (a, b) = (q[0] - half, q[0] + q[1] - half);
    (a - exact[0]).hypot(b - exact[1])
}

#[test]
fn double_pendulum_converges_to_lagrange_at_first_order() {
    let errors: Vec<f64> =
        [240.0, 480.0, 960.0, 1920.0].iter().map(|f| double_pendulum_error(1.0 / f, 0.5)).collect();
    println!("double pendulum, 0.5 s: {errors:?}");
    for pair in errors.windows(2) {
        let ratio = pair[0] / pair[1];
        assert!((ratio - 2.0).abs() < 0.2, "ratio {ratio}");
    }
    assert!(errors[3] < 5e-3);
}

#[test]
fn drive_is_backward_euler() {
    let (m, armature, ke, kd, h, target) = (2.0, 0.1, 400.0, 15.0, 1.0 / 120.0, 0.3);
    let mut b = builder(0.0);
    let slider = body(&mut b, Pose::identity(), m, Vec3::new(0.1, 0.1, 0.1));
    let mut a = axis(Vec3::x());
    (a.target_ke, a.target_kd, a.armature) = (ke, kd, armature);
    b.add_joint(JointDef {
        axes: vec![a],
        target_q: vec![target],
        ..JointDef::new(JointKind::Prismatic, None, slider)
    });
    let mut run = Run::new(&b.finalize().unwrap());
    let (mut q, mut v) = (0.0, 0.0);
    for _ in 0..120 {
        run.step(h);
        v = ((m + armature) * v + h * ke * (target - q)) / (m + armature + h * kd + h * h * ke);
        q += h * v;
        let s = run.state();
        assert!((s.joint_q[0] - q).abs() < 1e-12 && (s.joint_qd[0] - v).abs() < 1e-10);
    }
    assert!((q - target).abs() < 0.01, "it came near the target: {q}");
}

/// Only the explicit part is clamped: dv = h limit/(m + armature + h kd + h² ke).
#[test]
fn effort_limit_clamps_the_explicit_part() {
    let (ke, kd, h, limit) = (1.0e4, 100.0, 1.0 / 100.0, 5.0);
    let mut b = builder(0.0);
    let slider = body(&mut b, Pose::identity(), 2.0, Vec3::new(0.1, 0.1, 0.1));
    let mut a = axis(Vec3::x());
    (a.target_ke, a.target_kd, a.effort_limit) = (ke, kd, limit);
    b.add_joint(JointDef {
        axes: vec![a],
        target_q: vec![1.0],
        ..JointDef::new(JointKind::Prismatic, None, slider)
    });
    let mut run = Run::new(&b.finalize().unwrap());
    run.step(h);
    let exact = h * limit / (2.0 + h * kd + h * h * ke);
    assert!((run.state().joint_qd[0] - exact).abs() < 1e-14);
}

#[test]
fn joint_force_and_armature_act_on_their_axis() {
    let mut b = builder(0.0);
    let rotor = body(&mut b, Pose::identity(), 1.0, Vec3::new(0.2, 0.3, 0.4));
    let mut a = axis(Vec3::z());
    a.armature = 0.1;
    b.add_joint(JointDef { axes: vec![a], ..JointDef::new(JointKind::Revolute, None, rotor) });
    let mut run = Run::new(&b.finalize().unwrap());
    run.control.joint_f[0] = 0.7;
    run.steps(100, 0.01);
    assert!((run.state().joint_qd[0] - 0.7 / 0.5).abs() < 1e-12);
}

/// Ten links from horizontal: what the reference loses (98 to 218 J in 4 s at 1/240, not
/// finite after 1 s at 1/60). Energy is measured from the hinge.
#[test]
fn chain_of_ten_stays_bounded_in_energy() {
    for kind in [JointKind::Revolute, JointKind::Ball] {
        for (f, bound) in [(60.0, 0.5), (240.0, 0.1), (1000.0, 0.05)] {
            let h = 1.0 / f;
            let mut run = Run::new(&chain(10, 0.2, 9.81, kind, true));
            let fall = 10.0 * 9.81 * 1.0;
            let (mut low, mut high, mut skipped) = (0.0_f64, 0.0_f64, 0);
            let mut end = 0.0;
            let start = std::time::Instant::now();
            for _ in 0..(4.0 * f) as usize {
                run.step(h);
                end = run.energy() / fall;
                (low, high) = (low.min(end), high.max(end));
                skipped += run.report.skipped_blocks;
            }
            let us = start.elapsed().as_secs_f64() * 1e6 / (4.0 * f);
            println!(
                "{} dt 1/{f}: E/fall end {end:+.4}, in [{low:+.4}, {high:+.4}], unconverged {skipped}, {us:.1} us/step",
                kind.word()
            );
            assert!(high < bound && low > -bound && skipped == 0);
        }
    }
}

/// Light links with an end a hundred times heavier, kicked sideways: the tension makes the
/// light links stiff, and the fixed point alone would not converge.
#[test]
fn chain_with_a_heavy_end_stays_bounded_in_energy() {
    let (n, end, h) = (10, 100.0, 1.0 / 60.0);
    let mut model = chain(n, 0.2, 9.81, JointKind::Ball, true);
    model.body_mass.make_mut()[n - 1] *= end;
    model.body_inv_mass.make_mut()[n - 1] /= end;
    model.body_inertia.make_mut()[n - 1] *= end;
    model.body_inv_inertia.make_mut()[n - 1] /= end;
    let mut run = Run::new(&model);
    run.load(|s| (s.joint_qd[2], s.joint_qd[6]) = (1.0, 0.5));
    let (start, fall) = (run.energy(), 9.81 * (9.0 + end) * 1.9);
    let (mut worst, mut skipped) = (0.0_f64, 0);
    for _ in 0..240 {
        run.step(h);
        worst = worst.max((run.energy() - start).abs() / fall);
        skipped += run.report.skipped_blocks;
    }
    println!("heavy end: energy within {worst:.3} of the fall");
    assert!(worst < 0.08 && skipped == 0);
}
