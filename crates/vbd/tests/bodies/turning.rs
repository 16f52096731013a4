//! Friction against rolling and spinning, at the textbook's rates.

use coact_math::{Pose, Quat, Vec3};
use coact_model::{Material, MaterialId};

use crate::support::{G, Run, ball, builder, floor};

const RADIUS: f64 = 0.1;

/// A ball of 1 kg on a plane that leans by `tilt` \[rad\], at the velocity `v` \[m/s\].
fn ball_on(tilt: f64, v: Vec3, rolling: f64, torsion: f64) -> Run {
    let mut b = builder(0.5);
    b.set_material(MaterialId(0), Material { mu: 0.5, rolling, torsion, ..Material::default() });
    let q = floor(&mut b, tilt);
    ball(&mut b, q * Vec3::z() * RADIUS, v, RADIUS, 1.0);
    Run::new(b)
}

/// a = r N/(I + m R²) R: the torque r N against the inertia about the point of contact.
#[test]
fn a_ball_is_braked_by_its_rolling_friction_and_stops() {
    for h in [1.0 / 60.0, 1.0 / 240.0] {
        let mut run = ball_on(0.0, Vec3::x(), 2e-3, 0.0);
        run.state.body_qd[0].ang = Vec3::y() / RADIUS;
        coact_solver::Solver::load(&mut run.solver, &run.state);
        run.seconds(1.0, h);
        let (v1, exact) = (run.v(0).x, 2e-3 * G / (1.4 * RADIUS));
        run.seconds(2.0, h);
        let rate = (v1 - run.v(0).x) / 2.0;
        assert!((rate / exact - 1.0).abs() < 1e-3, "{h}: {rate} instead of {exact} m/s²");
        run.seconds(7.0, h);
        let at = run.p(0);
        run.seconds(1.0, h);
        assert!(run.v(0).norm() < 1e-6 && (run.p(0) - at).norm() < 1e-9, "{h}: {}", run.v(0));
    }
}

/// tan a = r/R divides what rests from what rolls.
#[test]
fn a_ball_on_a_slope_rests_up_to_the_angle_of_its_rolling_friction() {
    let slope = |tan: f64| {
        let mut run = ball_on(tan.atan(), Vec3::zeros(), 2e-3, 0.0);
        run.seconds(3.0, 1.0 / 120.0);
        run
    };
    let rests = slope(0.95 * 0.02);
    assert!(rests.v(0).norm() < 1e-8, "{}", rests.v(0));
    let rolls = slope(0.04);
    let a = 0.04_f64.atan();
    let exact = 3.0 * G * (a.sin() - 0.02 * a.cos()) / 1.4;
    assert!((rolls.v(0).norm() / exact - 1.0).abs() < 1e-2, "{} instead of {exact}", rolls.v(0));
}

/// α = r N/I about the normal, and nothing without torsion.
#[test]
fn a_spinning_ball_is_braked_by_its_torsional_friction() {
    for (torsion, h) in [(0.0, 1.0 / 120.0), (1e-3, 1.0 / 60.0), (1e-3, 1.0 / 240.0)] {
        let mut run = ball_on(0.0, Vec3::zeros(), 0.0, torsion);
        run.state.body_qd[0].ang = Vec3::z() * 10.0;
        coact_solver::Solver::load(&mut run.solver, &run.state);
        run.seconds(2.0, h);
        let exact = 10.0 - torsion * G / (0.4 * RADIUS * RADIUS) * 2.0;
        let spin = run.state.body_qd[0].ang.z;
        assert!((spin - exact).abs() < 2e-2 * (10.0 - exact).max(1e-6), "{h}: {spin} instead of {exact}");
        run.seconds(4.0, h);
        let q = run.state.body_q[0].q;
        run.seconds(1.0, h);
        let turned = q.angle_to(&run.state.body_q[0].q);
        assert!(if torsion > 0.0 { turned < 1e-9 } else { turned > 0.1 }, "{h}: {turned}");
    }
}

/// The two do not mix: torsion alone leaves rolling free.
#[test]
fn torsion_does_not_brake_a_rolling_ball() {
    let mut run = ball_on(0.0, Vec3::x(), 0.0, 1e-2);
    run.state.body_qd[0].ang = Vec3::y() / RADIUS;
    coact_solver::Solver::load(&mut run.solver, &run.state);
    run.seconds(3.0, 1.0 / 120.0);
    assert!((run.v(0).x - 1.0).abs() < 1e-6, "{}", run.v(0));
    assert!((run.p(0) - Pose::new(Vec3::new(3.0, 0.0, RADIUS), Quat::identity()).p).norm() < 1e-5);
}
