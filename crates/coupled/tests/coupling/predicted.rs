//! The predicted proxy is the unified step; the others are what they are known to be.

use coact_coupled::{Convergence, ProxyConfig, ProxyMode};
use coact_testkit::tolerance::SAME_RUN;

use crate::support::*;

fn largest_difference(
    mass: f64,
    dt: f64,
    time: f64,
    config: impl FnOnce(coact_coupled::Proxy) -> ProxyConfig,
) -> f64 {
    let (mut a, mut b) = (unified(mass), split(mass, config));
    let mut worst: f64 = 0.0;
    for _ in 0..(time / dt) as usize {
        let (x, y) = (a.step(dt), b.step(dt));
        worst = worst.max((x.body_q[0].p - y.body_q[0].p).norm());
        let particles = x.particle_q.iter().zip(&y.particle_q).map(|(p, q)| (p - q).norm());
        worst = particles.fold(worst, f64::max);
        if !y.body_q[0].p.z.is_finite() {
            return f64::INFINITY;
        }
    }
    worst
}

#[test]
fn predicted_equals_the_unified_run_for_a_free_body() {
    for mass in [3e-4, 3e-2, 0.3, 3.0, 300.0] {
        for dt in [1.0 / 30.0, 1.0 / 60.0, 1.0 / 240.0, 1.0 / 1000.0] {
            let d = largest_difference(mass, dt, 1.0, one);
            println!("mass {mass:8.1e} dt {dt:.5}: {d:.2e} m");
            assert!(d < SAME_RUN, "mass {mass}, dt {dt}: {d} m");
        }
    }
}

#[test]
fn predicted_under_tolerance_takes_one_pass_when_the_mass_is_exact() {
    let convergence = Convergence::Tolerance { primal: 1e-9, dual: 1e-6, max_iterations: 20 };
    let config = |p| ProxyConfig { convergence: Some(convergence), ..one(p) };
    let mut run = split(1.0, config);
    for _ in 0..120 {
        run.step(1.0 / 120.0);
        let i = &run.report.interfaces[0];
        assert!(i.converged && i.iterations == 1 && i.primal < 1e-12, "{i:?}");
    }
}

#[test]
fn a_wrong_proxy_mass_is_iterated_to_the_unified_run() {
    let convergence = Convergence::Tolerance { primal: 1e-12, dual: 1e-10, max_iterations: 200 };
    for scale in [0.7, 2.0, 10.0] {
        let config = |p: coact_coupled::Proxy| ProxyConfig {
            convergence: Some(convergence),
            ..one(p.mass_scale(scale))
        };
        let d = largest_difference(0.3, 1.0 / 240.0, 0.5, config);
        println!("mass scale {scale}: {d:.2e} m");
        assert!(d < 1e-8, "scale {scale}: {d}");
    }
}

#[test]
fn lagged_with_two_passes_equals_unified_and_with_one_it_lags() {
    let lagged = |p: coact_coupled::Proxy| one(p.mode(ProxyMode::Lagged));
    let once = |p: coact_coupled::Proxy| ProxyConfig {
        convergence: Some(Convergence::FixedCount(1)),
        ..one(p.mode(ProxyMode::Lagged))
    };
    for (mass, dt) in [(1.0, 1.0 / 120.0), (0.05, 1.0 / 60.0)] {
        let (two, one) = (largest_difference(mass, dt, 1.0, lagged), largest_difference(mass, dt, 1.0, once));
        println!("mass {mass} dt {dt:.5}: two passes {two:.2e} m, one pass {one:.2e} m");
        assert!(one > 1e-3, "one pass: {one}");
    }
}

#[test]
fn momentum_is_equal_and_opposite_and_energy_passes() {
    let (mass, dt) = (1.0, 1.0 / 240.0);
    let mut run = split(mass, one);
    let (mut work_source, mut work_destination, mut pushed) = (0.0, 0.0, 0.0);
    let mut kinetic = 0.0;
    let mut z = run.state.body_q[0].p.z;
    let z0 = z;
    for _ in 0..60 {
        let v = run.state.body_qd[0].lin.z;
        run.step(dt);
        let i = run.report.interfaces[0].clone();
        assert_eq!(i.impulse_source, i.impulse_destination);
        let gained = mass * (run.state.body_qd[0].lin.z - v + 9.81 * dt);
        assert!((gained - i.impulse_source[2]).abs() < 1e-13, "{gained} {i:?}");
        assert!((i.work_source + i.work_destination).abs() < 1e-12 * i.work_source.abs().max(1.0));
        work_source += i.work_source;
        work_destination += i.work_destination;
        pushed += i.impulse_source[2];
        z = run.state.body_q[0].p.z;
        kinetic = 0.5 * mass * run.state.body_qd[0].lin.z.powi(2);
    }
    assert!(pushed > 0.1 && work_source < -0.1, "{pushed} {work_source}");
    assert!((work_source + work_destination).abs() < 1e-12);
    // what the body lost went through the interface; semi-implicit Euler is off by O(dt)
    let lost = mass * 9.81 * (z0 - z) - kinetic;
    assert!((lost + work_source).abs() < 0.1 * lost.abs(), "{lost} {work_source}");
}
