//! Figures of `docs/theory/proxy-coupling.md`, section 6: printed with `--nocapture`, and
//! checked for the order that the page states.

use coact_coupled::{Convergence, Proxy, ProxyConfig, ProxyMode};

use crate::support::*;

/// (lowest point, highest point after it, height at the end, entry solves per step).
fn drop_of<S: coact_solver::Solver>(mut run: Run<S>, dt: f64) -> [f64; 4] {
    let (mut low, mut high, mut solves) = (f64::INFINITY, f64::NEG_INFINITY, 0);
    let steps = (2.0 / dt) as usize;
    for _ in 0..steps {
        let z = run.step(dt).body_q[0].p.z;
        solves += run.report.entries.iter().map(|e| e.solves).sum::<usize>();
        if z < low {
            (low, high) = (z, z);
        }
        high = high.max(z);
    }
    [low, high, run.state.body_q[0].p.z, solves as f64 / steps as f64]
}

#[test]
fn the_drop_on_a_string() {
    let mode = |mode, n| {
        move |p: Proxy| ProxyConfig { convergence: Some(Convergence::FixedCount(n)), ..one(p.mode(mode)) }
    };
    for (mass, dt) in
        [(0.05, 1.0 / 60.0), (0.05, 1.0 / 120.0), (1.0, 1.0 / 60.0), (1.0, 1.0 / 120.0), (10.0, 1.0 / 120.0)]
    {
        let whole = drop_of(unified(mass), dt);
        println!("mass {mass} kg, 1/dt {:.0}: unified {whole:.4?}", 1.0 / dt);
        for (m, n) in [
            (ProxyMode::Predicted, 1),
            (ProxyMode::Lagged, 1),
            (ProxyMode::Lagged, 2),
            (ProxyMode::Staggered, 1),
        ] {
            println!("  {m:?} {n}: {:.4?}", drop_of(split(mass, mode(m, n)), dt));
        }
        let predicted = drop_of(split(mass, mode(ProxyMode::Predicted, 1)), dt);
        assert!((0..3).all(|i| (predicted[i] - whole[i]).abs() < 1e-12), "{predicted:?} {whole:?}");
    }
}

#[test]
fn passes_to_converge_with_a_wrong_mass() {
    let convergence = Convergence::Tolerance { primal: 1e-9, dual: 1e-6, max_iterations: 200 };
    for scale in [0.6, 0.8, 1.0, 1.5, 3.0, 10.0, 30.0] {
        let config = |p: Proxy| ProxyConfig { convergence: Some(convergence), ..one(p.mass_scale(scale)) };
        let mut run = split(1.0, config);
        let (mut most, mut sum, mut pressed) = (0, 0, 0);
        for _ in 0..240 {
            run.step(1.0 / 120.0);
            let i = &run.report.interfaces[0];
            if i.force > 0.0 {
                (most, sum, pressed) = (most.max(i.iterations), sum + i.iterations, pressed + 1);
            }
            assert!(i.converged, "scale {scale}: {i:?}");
        }
        println!(
            "mass scale {scale}: {:.1} passes in contact, {most} at most",
            sum as f64 / f64::from(pressed)
        );
    }
}
