//! Sizes and uses at the edge: nothing at all, one particle, odd counts, a hundred thousand,
//! more shapes than the table of contacts has room for, edits of every kind, shared devices.

use coact_compute::testing::gpu_for_tests;
use coact_math::{Pose, Spatial, Vec3};
use coact_model::mesh::{Diagonal, cloth_grid};
use coact_model::{
    BodyDef, ClothDef, Geometry, Model, ModelBuilder, ModelFlags, ModelView, ParticleDef, ParticleId,
    ShapeDef,
};
use coact_solver::{Snapshot, Solver};
use coact_vbd::{SolverVbd, VbdConfig};

use super::scenes::{Run, box_on_cloth, config, distance, hanging_cloth};

/// `particles` loose ones in a row above `shapes` boxes in a row, on the ground.
fn row(particles: u32, bodies: u32) -> Model {
    let mut b = ModelBuilder::new();
    for i in 0..particles {
        let q = Vec3::new(f64::from(i) * 0.01, 0.0, 0.105);
        b.add_particle(ParticleDef { q, mass: 0.01, ..ParticleDef::default() });
    }
    for i in 0..bodies {
        let pose = Pose::translation(Vec3::new(f64::from(i) * 0.3, 0.0, 0.0));
        let body = b.add_body(BodyDef { name: format!("box_{i}"), pose, ..BodyDef::default() });
        let geometry = Geometry::Box { half_extents: Vec3::repeat(0.1) };
        b.add_shape(ShapeDef { body: Some(body), geometry, density: 100.0, ..ShapeDef::default() });
    }
    b.finalize().unwrap()
}

#[test]
fn every_size_agrees_with_the_host() {
    let Some(ctx) = gpu_for_tests() else { return };
    for (particles, bodies) in [(0, 0), (0, 2), (1, 0), (1, 1), (63, 3), (64, 0), (65, 70), (129, 1)] {
        let model = row(particles, bodies);
        let view = ModelView::whole(&model);
        let (mut host, mut device) = (Run::new(&view, config(), None), Run::new(&view, config(), Some(&ctx)));
        host.step(6);
        device.step(6);
        let apart = distance(host.state(), device.state());
        assert!(apart < 1e-6, "{particles} particles, {bodies} bodies: {apart}");
        let (a, b) = (&host.report, &device.report);
        assert_eq!(a.contacts, b.contacts, "{particles} particles, {bodies} bodies");
        assert_eq!((a.nonfinite_count, a.skipped_blocks), (b.nonfinite_count, b.skipped_blocks));
    }
}

/// 100,489 particles: several rows of partial sums, many groups per kernel.
#[test]
fn a_hundred_thousand_particles_agree_with_the_host() {
    let Some(ctx) = gpu_for_tests() else { return };
    let mut b = ModelBuilder::new();
    let mesh = cloth_grid([316, 316], [3.0, 3.0], Diagonal::Alternating);
    b.add_cloth("cloth", &mesh, &ClothDef { pose: Pose::translation(Vec3::z()), ..ClothDef::default() });
    b.pin_particle(ParticleId(0));
    let model = b.finalize().unwrap();
    let view = ModelView::whole(&model);
    let few = VbdConfig { iterations: 2, ..config() };
    let (mut host, mut device) = (Run::new(&view, few.clone(), None), Run::new(&view, few, Some(&ctx)));
    host.step(2);
    device.step(2);
    let (a, b) = (host.report.residual_last, device.report.residual_last);
    assert!((a.max - b.max).abs() < 1e-2 * a.max, "{a:?} {b:?}");
    // almost all of the cloth falls freely; a device keeps positions in `f32`, so that edges are off by
    // the rounding of 3 m, and some six of them pull at each particle
    let cloth = ClothDef::default();
    let rounding = (cloth.mu + cloth.lambda) * 3.0 * f64::from(f32::EPSILON) / 2.0;
    assert!(a.rms < b.rms && b.rms < a.rms + 3.0 * rounding, "{a:?} {b:?}, rounding {rounding:e}");
    let apart = distance(host.state(), device.state());
    assert!(apart < 1e-6, "{apart}");
}

/// The table of contacts has room for every pair, or the solver is not built.
#[test]
fn more_shapes_than_fit_are_refused_by_name() {
    let Some(ctx) = gpu_for_tests() else { return };
    let per_shape = 40_000 * 48;
    let shapes = (ctx.limits().binding_bytes / per_shape + 2).min(20_000);
    let mut b = ModelBuilder::new();
    let particle = |i| ParticleDef { q: Vec3::new(f64::from(i), 0.0, 1.0), mass: 0.01, ..Default::default() };
    let particles: Vec<_> = (0..40_000).map(particle).collect();
    b.add_particles("dust", &particles, &[]);
    for _ in 0..shapes {
        b.add_shape(ShapeDef { geometry: Geometry::Sphere { radius: 0.1 }, ..ShapeDef::default() });
    }
    let model = b.finalize().unwrap();
    if shapes * per_shape <= ctx.limits().binding_bytes {
        return;
    }
    let built = SolverVbd::with_device(&ModelView::whole(&model), config(), Some(ctx));
    let text = built.err().expect("too large").to_string();
    assert!(text.contains("contact_records") && text.contains("hide shapes"), "{text}");
}

#[test]
fn moving_kinematic_shapes_carry_what_lies_on_them() {
    let Some(ctx) = gpu_for_tests() else { return };
    let mut b = ModelBuilder::new();
    for i in 0..9 {
        let q = Vec3::new(f64::from(i % 3) * 0.05, f64::from(i / 3) * 0.05, 0.11);
        b.add_particle(ParticleDef { q, mass: 0.01, ..ParticleDef::default() });
    }
    let velocity = Spatial::new(Vec3::new(0.2, 0.0, 0.5), Vec3::new(0.0, 0.3, 0.5));
    let body = b.add_body(BodyDef { name: "lift".into(), velocity, kinematic: true, ..BodyDef::default() });
    let geometry = Geometry::Box { half_extents: Vec3::new(0.3, 0.3, 0.1) };
    b.add_shape(ShapeDef { body: Some(body), geometry, ..ShapeDef::default() });
    let model = b.finalize().unwrap();
    let view = ModelView::whole(&model);
    let (mut host, mut device) = (Run::new(&view, config(), None), Run::new(&view, config(), Some(&ctx)));
    host.step(20);
    device.step(20);
    assert!(host.report.contacts.particle_shape_active > 0, "nothing touches");
    assert!(host.state().particle_q[4].z > 0.12, "the lift does not lift");
    let apart = distance(host.state(), device.state());
    assert!(apart < 1e-5, "{apart}");
}

/// Each flag by itself, on a model of which everything changed.
#[test]
fn every_kind_of_edit_reaches_the_device() {
    let Some(ctx) = gpu_for_tests() else { return };
    let model = box_on_cloth();
    let mut edited = model.clone();
    edited.gravity = Vec3::new(1.0, 0.0, -5.0);
    edited.tri_mu.make_mut().iter_mut().for_each(|mu| *mu *= 0.5);
    edited.materials.make_mut()[0].ke *= 2.0;
    edited.shape_margin.make_mut()[0] = 0.01;
    for p in 100..110 {
        edited.particle_mass.make_mut()[p] *= 3.0;
        edited.particle_inv_mass.make_mut()[p] /= 3.0;
    }
    edited.body_mass.make_mut()[0] *= 2.0;
    edited.body_inv_mass.make_mut()[0] *= 0.5;
    for flags in ModelFlags::all().iter().chain([ModelFlags::all()]) {
        let (before, after) = (ModelView::whole(&model), ModelView::whole(&edited));
        let mut runs = [None, Some(&ctx)].map(|device| Run::new(&before, config(), device));
        for run in &mut runs {
            run.step(12);
            run.solver.notify_model_changed(&after, flags);
            run.step(6);
        }
        let [host, device] = &mut runs;
        let apart = distance(host.state(), device.state());
        assert!(apart < 1e-4, "{flags:?}: {apart}");
    }
}

#[test]
fn solvers_that_share_a_device_do_not_meet() {
    let Some(ctx) = gpu_for_tests() else { return };
    let alone = |model: &Model| {
        let mut run = Run::new(&ModelView::whole(model), config(), Some(&ctx));
        run.step(8);
        run.state().clone()
    };
    let (hanging, boxed) = (hanging_cloth(), box_on_cloth());
    let wanted = [alone(&hanging), alone(&boxed)];
    let mut runs = [&hanging, &boxed].map(|m| Run::new(&ModelView::whole(m), config(), Some(&ctx)));
    for _ in 0..8 {
        runs.iter_mut().for_each(|r| r.step(1));
    }
    for (run, wanted) in runs.iter_mut().zip(&wanted) {
        assert_eq!(run.state().particle_q, wanted.particle_q);
    }
    let threads = [&hanging, &boxed].map(|m| {
        let (model, ctx) = (m.clone(), ctx.clone());
        std::thread::spawn(move || {
            let mut run = Run::new(&ModelView::whole(&model), config(), Some(&ctx));
            run.step(8);
            run.state().clone()
        })
    });
    for (thread, wanted) in threads.into_iter().zip(&wanted) {
        assert_eq!(thread.join().unwrap().particle_q, wanted.particle_q);
    }
}

#[test]
fn snapshots_may_be_taken_and_used_again_and_again() {
    let Some(ctx) = gpu_for_tests() else { return };
    let mut run = Run::new(&ModelView::whole(&box_on_cloth()), config(), Some(&ctx));
    let (mut a, mut b) = (Snapshot::new(), Snapshot::new());
    run.solver.save_into(&mut a);
    run.step(3);
    let three = run.state().clone();
    for _ in 0..5 {
        run.solver.restore(&a);
        run.step(1);
        run.solver.save_into(&mut b);
        run.step(2);
        assert_eq!(run.state().particle_q, three.particle_q);
        run.solver.restore(&b);
        run.step(2);
        assert_eq!(run.state().particle_q, three.particle_q);
    }
}

/// A bad number is found and named with the report off.
#[test]
fn what_is_not_finite_is_found_without_a_report() {
    let Some(ctx) = gpu_for_tests() else { return };
    for report_residual in [false, true] {
        let quiet = VbdConfig { report_residual, ..config() };
        let mut run = Run::new(&ModelView::whole(&hanging_cloth()), quiet, Some(&ctx));
        run.step(1);
        assert_eq!(run.report.nonfinite_count, 0);
        let mut state = run.state().clone();
        state.particle_q[500].x = f64::NAN;
        run.solver.load(&state);
        run.step(1);
        let named = coact_model::EntityId::Particle(ParticleId(500));
        assert!(run.report.nonfinite_count >= 1);
        let found = run.report.nonfinite.contains(&named) || run.report.nonfinite_count > 8;
        assert!(found, "{:?}", run.report.nonfinite);
    }
}
