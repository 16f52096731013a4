//! What a step on a device allocates on the host follows its command list alone: the same in
//! every step, and the same for four cells of cloth as for a thousand.

use coact_compute::testing::own_gpu_for_tests;
use coact_model::mesh::{Diagonal, cloth_grid};
use coact_model::{
    BodyDef, ClothDef, Forces, Geometry, Model, ModelBuilder, ModelView, ParticleId, ShapeDef,
};
use coact_solver::{Snapshot, Solver, StepInput, StepReport};
use coact_testkit::{CountingAllocator, count_allocations};
use coact_vbd::{FrictionLaw, SolverVbd, VbdConfig};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn scene(cells: usize) -> Model {
    let mut b = ModelBuilder::new();
    b.add_cloth(
        "cloth",
        &cloth_grid([cells, cells], [0.5, 0.5], Diagonal::Alternating),
        &ClothDef::default(),
    );
    b.pin_particle(ParticleId(0));
    let body = b.add_body(BodyDef { name: "box".into(), ..BodyDef::default() });
    let geometry = Geometry::Box { half_extents: coact_math::Vec3::repeat(0.05) };
    b.add_shape(ShapeDef { body: Some(body), geometry, density: 100.0, ..ShapeDef::default() });
    b.finalize().unwrap()
}

/// Allocations and dispatches of three steps after warm-up, each with a save and a restore.
fn counts(cells: usize) -> Option<[(usize, u64); 3]> {
    let ctx = own_gpu_for_tests()?;
    let model = scene(cells);
    let smoothed = VbdConfig { friction: FrictionLaw::Smoothed, ..VbdConfig::default() };
    let mut solver = SolverVbd::with_device(&ModelView::whole(&model), smoothed, Some(ctx.clone())).unwrap();
    let (control, forces) = (model.control(), Forces::zeros(model.particle_count(), 1));
    let input = StepInput { control: &control, forces: &forces, contacts: None };
    let (mut report, mut snapshot) = (StepReport::default(), Snapshot::new());
    let mut step = || {
        solver.step(&input, 1.0 / 240.0, &mut report).unwrap();
        solver.save_into(&mut snapshot);
        solver.restore(&snapshot);
    };
    (0..10).for_each(|_| step());
    Some([(); 3].map(|()| {
        let before = ctx.traffic();
        let (count, ()) = count_allocations(&mut step);
        (count, (ctx.traffic() - before).dispatches)
    }))
}

#[test]
fn what_a_step_on_a_device_allocates_follows_its_command_list_alone() {
    let (Some(few), Some(many)) = (counts(8), counts(32)) else { return };
    println!("(allocations, dispatches): {few:?} for 81 particles, {many:?} for 1089");
    // per dispatch and per submit, in the interface to the driver
    for (count, dispatches) in few.into_iter().chain(many) {
        assert!(count as u64 <= 3 * dispatches + 200, "{count} for {dispatches} dispatches");
    }
}
