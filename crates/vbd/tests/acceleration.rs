//! Sweeps with acceleration: what it promises, and what it must leave alone.

mod support;

use coact_math::Vec3;
use coact_model::mesh::{Diagonal, cloth_grid};
use coact_model::{ClothDef, Model, ModelBuilder, ParticleId, State};
use coact_solver::{Snapshot, Solver};
use coact_vbd::{Acceleration, Precision, VbdConfig};
use support::scenes::{Run, bits};

const G: f64 = 9.81;

fn config(acceleration: Acceleration, iterations: usize) -> VbdConfig {
    VbdConfig { precision: Precision::Double, acceleration, iterations, ..VbdConfig::default() }
}

fn always() -> VbdConfig {
    config(Acceleration::Always, 10)
}

/// A square metre of stiff cloth; h² k/m is above 100 at steps of 1/240 s.
fn cloth(n: usize, def: ClothDef, pinned: bool) -> ModelBuilder {
    let mut b = ModelBuilder::new();
    let mesh = cloth_grid([n - 1, n - 1], [1.0, 1.0], Diagonal::Alternating);
    b.add_cloth("cloth", &mesh, &def);
    if pinned {
        b.pin_particle(ParticleId::new(0));
        b.pin_particle(ParticleId::new(n * (n - 1)));
    }
    b
}

fn hanging(n: usize) -> Model {
    cloth(n, ClothDef { bend_ke: 1e-5, ..ClothDef::default() }, true).finalize().unwrap()
}

fn distance(a: &State, b: &State) -> f64 {
    a.particle_q.iter().zip(&b.particle_q).map(|(a, b)| (a - b).norm_squared()).sum::<f64>().sqrt()
}

/// Kinetic, and all energy of particles \[J\].
fn energy(run: &mut Run) -> (f64, f64) {
    let s = run.state();
    let mass = &run.model.particle_mass;
    let kinetic: f64 = mass.iter().zip(&s.particle_qd).map(|(m, v)| 0.5 * m * v.norm_squared()).sum();
    let height: f64 = mass.iter().zip(&s.particle_q).map(|(m, x)| m * G * x.z).sum();
    (kinetic, kinetic + height + run.solver.stored_energy())
}

#[test]
fn stiff_cloth_comes_five_times_closer_over_forty_steps() {
    let (model, dt) = (hanging(24), 1.0 / 240.0);
    let end = |config| {
        let mut run = Run::new(model.clone(), config);
        run.steps(40, dt);
        run.state()
    };
    let exact = end(config(Acceleration::Always, 150));
    let [plain, accelerated] =
        [Acceleration::Off, Acceleration::Always].map(|a| distance(&end(config(a, 10)), &exact));
    assert!(accelerated < 0.2 * plain, "{accelerated:e} against {plain:e}");
}

#[test]
fn the_energy_of_hanging_cloth_does_not_rise() {
    for config in [always(), VbdConfig::default()] {
        energy_does_not_rise(config);
    }
}

fn energy_does_not_rise(config: VbdConfig) {
    let mut run = Run::new(hanging(20), config);
    let first = energy(&mut run).1;
    let (mut last, mut kinetic, mut rise) = (first, 0.0_f64, 0.0_f64);
    for _ in 0..240 {
        run.step(1.0 / 240.0);
        let (k, now) = energy(&mut run);
        (kinetic, rise, last) = (kinetic.max(k), rise.max(now - last), now);
        assert!(now <= first, "{now} J after {first} J at the start");
    }
    assert!(kinetic > 0.1 && rise < 1e-3 * kinetic, "a step gained {rise:e} J of {kinetic} J");
}

#[test]
fn auto_leaves_alone_what_sweeps_converge() {
    let end = |acceleration, dt| {
        let mut run = Run::new(hanging(12), config(acceleration, 10));
        run.steps(2, dt);
        bits(&run.state())
    };
    assert_eq!(end(Acceleration::Auto, 1e-4), end(Acceleration::Off, 1e-4));
    assert_ne!(end(Acceleration::Auto, 5e-3), end(Acceleration::Off, 5e-3));
}

#[test]
fn a_free_cloth_falls_as_without_it() {
    let def = ClothDef { velocity: Vec3::new(3.0, -2.0, 1.0), ..ClothDef::default() };
    let mut run = Run::new(cloth(16, def, false).finalize().unwrap(), always());
    let dt = 1.0 / 120.0;
    run.steps(120, dt);
    let (state, t) = (run.state(), 120.0 * dt);
    let fall = Vec3::new(3.0 * t, -2.0 * t, t - 0.5 * G * t * (t + dt));
    for (x, x0) in state.particle_q.iter().zip(&run.model.state().particle_q) {
        assert!((x - x0 - fall).norm() < 1e-9);
    }
}

#[test]
fn a_restored_solver_repeats_its_steps_to_the_bit() {
    let mut run = Run::new(hanging(12), always());
    run.steps(10, 5e-3);
    let mut snapshot = Snapshot::default();
    run.solver.save_into(&mut snapshot);
    let mut ends = Vec::new();
    for _ in 0..2 {
        run.solver.restore(&snapshot);
        run.steps(3, 5e-3);
        ends.push(bits(&run.state()));
    }
    assert_eq!(ends[0], ends[1]);
    // a loaded state knows of no last step
    let mut fresh = Run::new(hanging(12), always());
    let state = run.state();
    let next = |run: &mut Run| {
        run.solver.load(&state);
        run.step(5e-3);
        bits(&run.state())
    };
    assert_eq!(next(&mut run), next(&mut fresh));
}

#[test]
fn results_do_not_depend_on_threads() {
    let end = |threads| {
        let config = VbdConfig { threads: Some(threads), parallel_threshold: 8, ..always() };
        let mut run = Run::new(hanging(24), config);
        run.steps(5, 5e-3);
        bits(&run.state())
    };
    assert_eq!(end(1), end(3));
}
