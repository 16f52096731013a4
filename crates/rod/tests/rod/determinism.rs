//! Same input, same bits; a snapshot is exact; a step takes no memory.

use coact_math::Vec3;
use coact_model::{BodyId, ModelBuilder, ModelFlags, ModelView, RodDef, RodEnd};
use coact_rod::RodConfig;
use coact_solver::{Snapshot, Solver, StepInput};
use coact_testkit::{CountingAllocator, count_allocations, state_digest};

use crate::support::{Run, cantilever, straight};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Twenty rods, enough for the parallel path.
fn many() -> Run {
    let mut b = ModelBuilder::new();
    for i in 0..20 {
        let mut def =
            RodDef { young: 1e6 * f64::from(i + 1), begin: RodEnd::Clamped(None), ..straight(0.5, 12) };
        let coact_model::RodPath::Straight { from, to, .. } = &mut def.path else { unreachable!() };
        (from.y, to.y) = (0.1 * f64::from(i), 0.1 * f64::from(i));
        b.add_rod(def);
    }
    Run::new(b.finalize().unwrap(), RodConfig::default())
}

#[test]
fn no_bit_depends_on_the_number_of_threads() {
    let digest = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut run = many();
            for _ in 0..40 {
                run.step(1.0 / 120.0);
            }
            state_digest(&run.state)
        })
    };
    let one = digest(1);
    assert!([2, 3, 7].into_iter().all(|n| digest(n) == one));
}

#[test]
fn a_restored_step_has_the_same_bits() {
    let mut run = Run::new(cantilever(24), RodConfig::default());
    for _ in 0..20 {
        run.step(1.0 / 120.0);
    }
    let mut snapshot = Snapshot::new();
    run.solver.save_into(&mut snapshot);
    let continued = |run: &mut Run| {
        for _ in 0..5 {
            run.step(1.0 / 120.0);
        }
        state_digest(&run.state)
    };
    let first = continued(&mut run);
    run.forces.body_f[3].lin = Vec3::x();
    run.step(1.0 / 60.0);
    run.forces.clear();
    run.solver.restore(&snapshot);
    assert_eq!(continued(&mut run), first);
}

#[test]
fn a_step_takes_no_memory() {
    assert!(count_allocations(|| vec![0_u8; 8]).0 > 0, "the counter must count");
    let mut run = Run::new(cantilever(24), RodConfig::default());
    run.step(1.0 / 120.0);
    let mut snapshot = Snapshot::new();
    run.solver.save_into(&mut snapshot);
    let mut view = ModelView::whole(&run.model);
    let flags = view.scale_body_mass(BodyId::new(5), 1.01);
    run.solver.notify_model_changed(&view, flags);
    for k in 0..20 {
        run.forces.body_f[20].ang = Vec3::y() * (0.01 * f64::from(k % 3));
        let input = StepInput { control: &run.control, forces: &run.forces, contacts: None };
        let (solver, report) = (&mut run.solver, &mut run.report);
        view.scale_body_mass(BodyId::new(5), 1.01);
        let (count, ()) = count_allocations(|| {
            solver.notify_model_changed(&view, ModelFlags::BODY_MASS);
            solver.step(&input, 1.0 / 120.0, report).unwrap();
            solver.save_into(&mut snapshot);
        });
        assert_eq!(count, 0, "step {k}");
    }
    assert!(run.report.iterations > 0);
}

/// A step that is taken anew from a loaded state is that of a fresh solver, to the tolerance.
#[test]
fn loading_forgets_what_was_remembered() {
    let mut run = Run::new(cantilever(12), RodConfig::default());
    for _ in 0..10 {
        run.step(1.0 / 120.0);
    }
    let mut fresh = Run::new(cantilever(12), RodConfig::default());
    fresh.state.clone_from(&run.state);
    fresh.load();
    run.load();
    assert_eq!(state_digest(run.step(1.0 / 120.0)), state_digest(fresh.step(1.0 / 120.0)));
}

/// Rods in a heap: islands, contacts and what is remembered of them.
fn heap() -> Run {
    let mut b = ModelBuilder::new();
    b.add_shape(coact_model::ShapeDef::default());
    for i in 0..8 {
        let k = f64::from(i);
        let along = Vec3::new((1.1 * k).cos(), (1.1 * k).sin(), 0.02 * (k % 3.0)) * 0.1;
        let middle = Vec3::z() * (0.02 + 0.014 * k);
        let path = coact_model::RodPath::Straight { from: middle - along, to: middle + along, segments: 10 };
        b.add_rod(RodDef { path, young: 1e8, ..RodDef::default() });
    }
    Run::new(b.finalize().unwrap(), RodConfig::default())
}

#[test]
fn a_heap_has_the_same_bits_at_any_number_of_threads_and_after_a_restore() {
    let digest = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut run = heap();
            (0..60).for_each(|_| run.advance(1.0 / 240.0));
            assert!(run.report.contacts.shapes_active > 10);
            let mut snapshot = Snapshot::new();
            run.solver.save_into(&mut snapshot);
            (0..10).for_each(|_| run.advance(1.0 / 240.0));
            let first = state_digest(&run.state);
            run.solver.restore(&snapshot);
            (0..10).for_each(|_| run.advance(1.0 / 240.0));
            assert_eq!(state_digest(&run.state), first);
            first
        })
    };
    let one = digest(1);
    assert!([2, 5].into_iter().all(|n| digest(n) == one));
}

/// A rod at rest on a floor takes no memory, contacts included.
#[test]
fn a_step_of_what_lies_takes_no_memory() {
    let mut b = ModelBuilder::new();
    b.add_shape(coact_model::ShapeDef::default());
    for y in [0.0, 0.009] {
        let path = coact_model::RodPath::Straight {
            from: Vec3::new(0.0, y, 0.005 + y),
            to: Vec3::new(0.3, y, 0.005 + y),
            segments: 12,
        };
        b.add_rod(RodDef { path, ..RodDef::default() });
    }
    let mut run = Run::new(b.finalize().unwrap(), RodConfig::default());
    (0..200).for_each(|_| run.advance(1.0 / 240.0));
    let input = StepInput { control: &run.control, forces: &run.forces, contacts: None };
    let (solver, report) = (&mut run.solver, &mut run.report);
    let (count, ()) = count_allocations(|| solver.step(&input, 1.0 / 240.0, report).unwrap());
    assert!(report.contacts.shapes_active > 20, "{:?}", report.contacts);
    assert_eq!((count, report.growth), (0, 0));
}
