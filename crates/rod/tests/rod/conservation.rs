//! Rods that nothing holds keep momentum and angular momentum.

use coact_math::{Spatial, Vec3};
use coact_model::{RodDef, RodEnd, Shear};
use coact_rod::RodConfig;

use crate::support::{Run, model, momenta, straight};

/// A rod that flies, bends and spins, with and without damping.
#[test]
fn a_free_rod_keeps_its_momenta() {
    for (young, damping_time, h) in [(1e6, 0.0, 1e-3), (1e6, 1e-2, 1.0 / 240.0), (1e9, 1e-3, 1.0 / 60.0)] {
        let def = RodDef { young, damping_time, shear: Shear::Poisson(0.3), ..straight(1.0, 16) };
        let mut run = Run::new(model(def, Vec3::zeros()), RodConfig::default());
        for (i, v) in run.state.body_qd.iter_mut().enumerate() {
            let s = i as f64 / 16.0;
            *v = Spatial::new(Vec3::new(0.3, s * s, (6.0 * s).sin()), Vec3::new(3.0, 0.0, s));
        }
        run.load();
        let before = momenta(&run.model, &run.state);
        for _ in 0..200 {
            run.step(h);
            assert_eq!(run.report.nonfinite_count, 0);
        }
        let after = momenta(&run.model, &run.state);
        let error =
            ((after.0 - before.0).norm() / before.0.norm(), (after.1 - before.1).norm() / before.1.norm());
        println!("E {young:.0e}, dt {h:.4}: momentum {:.1e}, angular {:.1e}", error.0, error.1);
        assert!(error.0 < 1e-9 && error.1 < 1e-9, "{error:?}");
    }
}

/// A rod that falls with an applied wrench gains just that.
#[test]
fn forces_and_torques_act_once() {
    let mut run = Run::new(model(straight(1.0, 8), Vec3::z() * -9.81), RodConfig::default());
    run.forces.body_f[7] = Spatial::new(Vec3::new(0.02, 0.01, 0.0), Vec3::new(0.0, 1e-3, 2e-3));
    let mass: f64 = run.model.body_mass.iter().sum();
    let mut before = momenta(&run.model, &run.state);
    let h = 1.0 / 240.0;
    for _ in 0..100 {
        let force = run.forces.body_f[7].lin + Vec3::z() * (-9.81 * mass);
        run.step(h);
        let after = momenta(&run.model, &run.state);
        assert!(
            (after.0 - before.0 - force * h).norm() < 1e-12,
            "{}",
            (after.0 - before.0 - force * h).norm()
        );
        before = after;
    }
}

/// Backward Euler takes energy from a vibrating rod and gives none.
#[test]
fn energy_only_falls() {
    use coact_solver::Solver;
    let mut run = Run::new(model(straight(1.0, 16), Vec3::zeros()), RodConfig::default());
    for (i, v) in run.state.body_qd.iter_mut().enumerate() {
        v.lin.z = (0.5 * i as f64).sin();
    }
    run.load();
    let mut energy = run.solver.kinetic_energy();
    assert!(energy > 1e-3);
    for _ in 0..300 {
        run.step(1e-3);
        let next = run.solver.kinetic_energy() + run.solver.stored_energy();
        assert!(next <= energy * (1.0 + 1e-6), "{next} {energy}");
        energy = next;
    }
}

/// What the default tolerance leaves over is far below what a step of this size leaves out.
#[test]
fn the_default_tolerance_is_enough() {
    for young in [1e6, 1e8, 2e11] {
        let run = |tolerance: f64| {
            let def = RodDef { young, begin: RodEnd::Clamped(None), ..straight(1.0, 32) };
            let config = RodConfig { tolerance, ..RodConfig::default() };
            let mut run = Run::new(model(def, Vec3::z() * -9.81), config);
            (0..240).map(|_| run.step(1.0 / 240.0).body_q[31].p).collect::<Vec<_>>()
        };
        let (usual, strict) = (run(RodConfig::default().tolerance), run(1e-12));
        let way = strict.iter().map(|p| p.z.abs()).fold(0.0, f64::max);
        let error = usual.iter().zip(&strict).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        println!("E {young:.0e}: way {way:.1e}, error {error:.1e}");
        assert!(error < 1e-6 * way, "E {young:.0e}: {error} of {way}");
    }
}
