//! Coarse blocks and the stop at a residual: what they promise.

mod support;

use coact_math::Vec3;
use coact_model::mesh::{Diagonal, cloth_grid};
use coact_model::{ClothDef, Model, ModelBuilder, ParticleId, State};
use coact_solver::Solver;
use coact_vbd::{CoarseCorrection, MembraneHessian, Precision, SolverVbd, VbdConfig};
use support::scenes::{Run, bits, box_on_cloth};

/// Stiff against its inertia at this step: h² k/m is about 400.
const DT: f64 = 1.0 / 120.0;

/// A square metre of stiff cloth that hangs from two corners.
fn hanging(n: usize) -> Model {
    cloth(n, ClothDef::default())
}

fn cloth(n: usize, def: ClothDef) -> Model {
    let mut b = ModelBuilder::new();
    let mesh = cloth_grid([n - 1, n - 1], [1.0, 1.0], Diagonal::Alternating);
    b.add_cloth("cloth", &mesh, &def);
    b.pin_particle(ParticleId::new(0));
    b.pin_particle(ParticleId::new(n * (n - 1)));
    b.finalize().unwrap()
}

fn distance(a: &State, b: &State) -> f64 {
    a.particle_q.iter().zip(&b.particle_q).map(|(a, b)| (a - b).norm_squared()).sum::<f64>().sqrt()
}

/// With coarse blocks, and the Hessian that serves them.
fn with_coarse() -> VbdConfig {
    let (coarse, membrane_hessian) = (CoarseCorrection::Auto, MembraneHessian::Bounded);
    VbdConfig { precision: Precision::Double, coarse, membrane_hessian, ..VbdConfig::default() }
}

/// The state after one step from `start`.
fn end(model: &Model, start: &State, dt: f64, config: VbdConfig) -> State {
    let mut run = Run::new(model.clone(), config);
    run.solver.load(start);
    run.step(dt);
    run.state()
}

#[test]
fn coarse_blocks_bring_the_cloth_of_the_tuning_page_five_times_closer_in_ten_sweeps() {
    let model = cloth(32, ClothDef { mu: 38.5, lambda: 33.0, bend_ke: 1e-6, ..ClothDef::default() });
    const DT: f64 = 0.005;
    let mut run = Run::new(model.clone(), VbdConfig { iterations: 40, ..with_coarse() });
    run.steps(20, DT);
    let start = run.state();
    let config = |coarse, iterations| VbdConfig { coarse, iterations, ..with_coarse() };
    let exact = end(&model, &start, DT, config(CoarseCorrection::Every(5), 600));
    for precision in [Precision::Double, Precision::Mixed] {
        let config = |coarse| VbdConfig { precision, ..config(coarse, 10) };
        let error = |coarse| distance(&end(&model, &start, DT, config(coarse)), &exact);
        let (plain, coarse) = (error(CoarseCorrection::Off), error(CoarseCorrection::Auto));
        assert!(coarse < 0.2 * plain, "{precision:?}: {coarse:e} against {plain:e}");
    }
}

/// What rounding does to a coarse block, its members do not undo: it would show as speed.
#[test]
fn a_free_stiff_cloth_stays_at_rest_in_mixed_precision() {
    let mut b = ModelBuilder::new();
    b.gravity = Vec3::zeros();
    let mesh = cloth_grid([31, 31], [1.0, 1.0], Diagonal::Alternating);
    b.add_cloth("cloth", &mesh, &ClothDef { mu: 1e4, lambda: 1e4, ..ClothDef::default() });
    let config = VbdConfig { precision: Precision::Mixed, ..with_coarse() };
    let mut run = Run::new(b.finalize().unwrap(), config);
    let mut fastest = 0.0_f64;
    for _ in 0..200 {
        run.step(DT);
        fastest = run.state().particle_qd.iter().map(|v| v.norm()).fold(fastest, f64::max);
    }
    assert!(fastest < 1e-4, "{fastest:e} m/s");
}

#[test]
fn auto_leaves_alone_what_sweeps_converge() {
    let model = hanging(12);
    let one_step = |coarse, dt| {
        let mut run = Run::new(model.clone(), VbdConfig { coarse, ..with_coarse() });
        run.step(dt);
        bits(&run.state())
    };
    let (auto, off) = (CoarseCorrection::Auto, CoarseCorrection::Off);
    assert_eq!(one_step(auto, 1e-4), one_step(off, 1e-4));
    assert_ne!(one_step(auto, DT), one_step(off, DT));
}

#[test]
fn results_do_not_depend_on_threads() {
    let model = hanging(24);
    let end = |threads| {
        let config = VbdConfig { threads: Some(threads), parallel_threshold: 8, ..with_coarse() };
        let mut run = Run::new(model.clone(), config);
        run.steps(5, DT);
        bits(&run.state())
    };
    assert_eq!(end(1), end(3));
}

#[test]
fn sweeps_end_at_the_tolerance_and_the_report_says_when() {
    let config = |tolerance| VbdConfig { tolerance, iterations: 400, ..with_coarse() };
    let mut all = Run::new(hanging(16), config(None));
    all.step(DT);
    assert_eq!(all.report.iterations, 400);
    let mut used = 0;
    for tolerance in [1e-1, 1e-3] {
        let mut run = Run::new(hanging(16), config(Some(tolerance)));
        run.solver.load(&all.state());
        run.step(DT);
        let r = &run.report;
        assert!(r.iterations > used && r.iterations < 400, "{} sweeps", r.iterations);
        assert!(r.residual_last.max <= tolerance * r.residual_first.max);
        used = r.iterations;
    }
}

/// The box presses on cloth below the size that gets coarse blocks, and on one above it.
#[test]
fn momentum_passes_through_coarse_blocks() {
    let mut run = Run::new(box_on_cloth(0.0), VbdConfig { iterations: 200, ..with_coarse() });
    let before = run.momentum();
    run.steps(12, DT);
    assert!(run.report.contacts.particle_shape_active > 0, "nothing touched");
    assert!((run.momentum() - before).norm() < 1e-6, "{}", run.momentum() - before);
}

#[test]
fn a_free_cloth_falls_as_without_coarse_blocks() {
    let mut b = ModelBuilder::new();
    let mesh = cloth_grid([15, 15], [1.0, 1.0], Diagonal::Alternating);
    b.add_cloth("cloth", &mesh, &ClothDef { velocity: Vec3::new(3.0, -2.0, 1.0), ..ClothDef::default() });
    let model = b.finalize().unwrap();
    let view = coact_model::ModelView::whole(&model);
    assert!(SolverVbd::new(&view, with_coarse()).is_ok());
    let mut run = Run::new(model.clone(), with_coarse());
    run.steps(120, DT);
    let (state, t) = (run.state(), 120.0 * DT);
    let fall = Vec3::new(3.0 * t, -2.0 * t, t - 0.5 * 9.81 * t * (t + DT));
    for (x, x0) in state.particle_q.iter().zip(&model.state().particle_q) {
        assert!((x - x0 - fall).norm() < 1e-9);
    }
}
