//! A step does not allocate once its lists have grown.

mod support;

use coact_solver::Snapshot;
use coact_solver::Solver;
use coact_testkit::{CountingAllocator, count_allocations};
use coact_vbd::{Acceleration, Precision, SelfContactConfig, Truncation, VbdConfig};
use support::scenes::{Run, box_on_cloth};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const DT: f64 = 1.0 / 600.0;

#[test]
fn a_step_does_not_allocate_after_warm_up() {
    assert!(count_allocations(|| vec![0_u8; 8]).0 > 0, "the counter must count");
    for precision in [Precision::Double, Precision::Mixed, Precision::Single] {
        let mut run = Run::new(box_on_cloth(0.5), VbdConfig { precision, ..VbdConfig::default() });
        let control = run.model.control();
        let input = coact_solver::StepInput { control: &control, forces: &run.forces, contacts: None };
        let mut snapshot = Snapshot::new();
        for _ in 0..25 {
            run.solver.step(&input, DT, &mut run.report).unwrap();
        }
        run.solver.save_into(&mut snapshot);
        assert!(run.report.contacts.particle_shape_active > 1);
        let solver = &mut run.solver;
        let mut quiet = 0;
        for step in 0..20 {
            let (count, ()) = count_allocations(|| {
                solver.restore(&snapshot);
                solver.step(&input, DT, &mut run.report).unwrap();
                solver.save_into(&mut snapshot);
            });
            assert!(count == 0 || run.report.growth > 0, "{precision:?}, step {step}: {count}");
            quiet += usize::from(run.report.growth == 0);
        }
        assert!(quiet > 10, "lists must stop growing: {quiet}");
    }
}

/// A cloth that hangs, stiff enough for acceleration.
#[test]
fn accelerated_sweeps_do_not_allocate_after_warm_up() {
    let mut b = coact_model::ModelBuilder::new();
    b.add_cloth("cloth", &support::scenes::grid(12, 0.05), &coact_model::ClothDef::default());
    b.pin_particle(coact_model::ParticleId::new(0));
    let model = b.finalize().unwrap();
    let config = |acceleration| VbdConfig { acceleration, threads: Some(1), ..VbdConfig::default() };
    let mut plain = Run::new(model.clone(), config(Acceleration::Off));
    let mut run = Run::new(model, config(Acceleration::default()));
    plain.steps(1, 1.0 / 120.0);
    let control = run.model.control();
    let input = coact_solver::StepInput { control: &control, forces: &run.forces, contacts: None };
    for step in 0..40 {
        let (solver, report) = (&mut run.solver, &mut run.report);
        let (count, ()) = count_allocations(|| solver.step(&input, 1.0 / 120.0, report).unwrap());
        assert!(count == 0 || step == 0, "step {step}: {count}");
        let accelerated = report.residual_last != plain.report.residual_last;
        assert!(step > 0 || accelerated, "sweeps were not accelerated");
    }
}

/// A cloth that lies on another: pairs come and go, lists keep their memory.
#[test]
fn self_contact_does_not_allocate_after_warm_up() {
    // entering a pool from outside allocates now and then, which is not the step's
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    for truncation in [Truncation::PerParticle, Truncation::Budget] {
        pool.install(|| settle_two_sheets(truncation));
    }
}

fn settle_two_sheets(truncation: Truncation) {
    let mut b = coact_model::ModelBuilder::new();
    for (name, z) in [("lower", 0.0), ("upper", 0.012)] {
        let pose = coact_math::Pose::translation(coact_math::Vec3::new(0.0, 0.0, z));
        let def = coact_model::ClothDef { pose, ..coact_model::ClothDef::default() };
        b.add_cloth(name, &support::scenes::grid(8, 0.05), &def);
    }
    b.gravity = coact_math::Vec3::zeros();
    let self_contact = Some(SelfContactConfig { truncation, margin: 0.015, ..SelfContactConfig::default() });
    let mut run = Run::new(b.finalize().unwrap(), VbdConfig { self_contact, ..VbdConfig::default() });
    let control = run.model.control();
    let input = coact_solver::StepInput { control: &control, forces: &run.forces, contacts: None };
    let (mut quiet, mut pairs) = (0, 0);
    for step in 0..40 {
        let (count, ()) = count_allocations(|| run.solver.step(&input, DT, &mut run.report).unwrap());
        assert!(count == 0 || run.report.growth > 0 || step < 3, "{truncation:?}, step {step}: {count}");
        quiet += usize::from(run.report.growth == 0);
        pairs = pairs.max(run.report.self_contact.pairs);
    }
    assert!(pairs > 0 && quiet > 20, "{quiet} quiet steps, {pairs} pairs");
}

/// Edits of masses, gravity, materials and stiffness keep the memory.
#[test]
fn an_edit_does_not_allocate() {
    let mut run = Run::new(box_on_cloth(0.5), VbdConfig::default());
    run.steps(3, DT);
    let view = coact_model::ModelView::whole(&run.model);
    let flags = coact_model::ModelFlags::all() - coact_model::ModelFlags::OWNERSHIP;
    let (count, ()) = count_allocations(|| run.solver.notify_model_changed(&view, flags));
    assert_eq!(count, 0);
}

/// Bodies that slide and roll: contacts that move, pairs that stay.
#[test]
fn contacts_that_move_do_not_allocate_after_warm_up() {
    use coact_math::{Pose, Spatial, Vec3};
    use coact_model::{Geometry, JointDef, JointKind, ModelBuilder, ShapeDef};
    let mut b = ModelBuilder::new();
    b.add_shape(ShapeDef { geometry: Geometry::Plane, ..ShapeDef::default() });
    let thrown = |b: &mut ModelBuilder, x: f64, z: f64| {
        let velocity = Spatial::new(Vec3::y() * 3.0, Vec3::zeros());
        support::scenes::add_box(b, Vec3::repeat(0.1), 1.0, Pose::translation(Vec3::new(x, 0.0, z)), velocity)
    };
    thrown(&mut b, 0.0, 0.1);
    thrown(&mut b, 0.0, 0.3);
    let (left, right) = (thrown(&mut b, 1.0, 0.1), thrown(&mut b, 1.3, 0.1));
    let x_p = Pose::translation(Vec3::x() * 0.3);
    b.add_joint(JointDef { x_p, ..JointDef::new(JointKind::Ball, Some(left), right) });
    let config = VbdConfig { threads: Some(1), ..VbdConfig::default() };
    let mut run = Run::new(b.finalize().unwrap(), config);
    run.steps(20, 1.0 / 240.0);
    let control = run.model.control();
    let input = coact_solver::StepInput { control: &control, forces: &run.forces, contacts: None };
    let mut quiet = 0;
    for step in 0..40 {
        let (solver, report) = (&mut run.solver, &mut run.report);
        let (count, ()) = count_allocations(|| solver.step(&input, 1.0 / 240.0, report).unwrap());
        assert!(count == 0 || run.report.growth > 0, "step {step}: {count}");
        quiet += usize::from(run.report.growth == 0);
    }
    assert!(quiet > 30 && run.report.contacts.shapes_active > 8, "{quiet} quiet steps");
}
