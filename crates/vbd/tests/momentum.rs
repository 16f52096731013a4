//! What nothing acts on keeps its momentum, and its spin, at any step size and number of sweeps.

mod support;

use coact_math::Vec3;
use coact_model::ModelBuilder;
use coact_solver::Solver;
use coact_vbd::{Precision, VbdConfig};
use support::scenes::{Run, add_block};

/// A soft block thrown with a strain in it, turning at `spin` \[rad/s\], in free fall.
fn thrown(spin: f64, config: VbdConfig) -> Run {
    let mut b = ModelBuilder::new();
    add_block(&mut b, 4, 0.05);
    let mut run = Run::new(b.finalize().unwrap(), config);
    let mut start = run.state();
    for (x, v) in start.particle_q.iter_mut().zip(&mut start.particle_qd) {
        *v = Vec3::new(1.0, -0.5, 0.2) + Vec3::x().cross(x) * spin;
        x.x *= 1.1;
    }
    run.solver.load(&start);
    run
}

/// Momentum, and angular momentum about the centre of mass.
fn momenta(run: &mut Run) -> [Vec3; 2] {
    let (state, mass) = (run.state(), run.model.particle_mass.to_vec());
    let total: f64 = mass.iter().sum();
    let particles = || state.particle_q.iter().zip(&state.particle_qd).zip(&mass);
    let centre = particles().map(|((x, _), m)| x * *m).sum::<Vec3>() / total;
    let linear = particles().map(|((_, v), m)| v * *m).sum();
    [linear, particles().map(|((x, v), m)| (x - centre).cross(v) * *m).sum()]
}

#[test]
fn a_thrown_block_keeps_its_momentum_and_its_spin() {
    for (iterations, dt, spin) in [(10, 1.0 / 60.0, 3.0), (10, 1.0 / 240.0, 20.0), (2, 1.0 / 120.0, 10.0)] {
        for precision in [Precision::Mixed, Precision::Double] {
            let mut run = thrown(spin, VbdConfig { iterations, precision, ..VbdConfig::default() });
            let [p0, l0] = momenta(&mut run);
            let gravity = run.model.gravity * run.model.particle_mass.iter().sum::<f64>();
            run.steps(60, dt);
            let [p, l] = momenta(&mut run);
            let fall = p0 + gravity * (60.0 * dt);
            assert!((p - fall).norm() < 1e-9 * fall.norm(), "dt {dt}: {p} instead of {fall}");
            assert!((l - l0).norm() < 1e-9 * l0.norm(), "dt {dt}, {spin} rad/s: {l} instead of {l0}");
        }
    }
}

/// Damping of the material takes energy of what deforms, nothing of the spin.
#[test]
fn damping_does_not_slow_a_spin() {
    let spin_after = |seconds: f64| {
        let mut run = thrown(5.0, VbdConfig::default());
        run.steps((seconds * 120.0) as usize, 1.0 / 120.0);
        momenta(&mut run)[1]
    };
    let (early, late) = (spin_after(0.1), spin_after(2.0));
    assert!((late - early).norm() < 1e-9 * early.norm(), "{late} instead of {early}");
}

/// A lone particle has no spin to restore, wherever it is.
#[test]
fn a_lone_particle_flies_on() {
    let mut b = ModelBuilder::new();
    b.gravity = Vec3::zeros();
    let (x, v) = (Vec3::new(0.04, 0.03, 0.06), Vec3::new(0.3, -0.7, 2.0));
    support::scenes::add_particle(&mut b, x, v, 0.01, 0.01);
    let mut run = Run::new(b.finalize().unwrap(), VbdConfig::default());
    run.steps(100, 1.0 / 600.0);
    assert!((run.state().particle_qd[0] - v).norm() < 1e-12, "{}", run.state().particle_qd[0]);
}
