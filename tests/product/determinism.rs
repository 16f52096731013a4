//! Same input, same bits: for any number of threads and from run to run.

use coact_coupled::ProxyMode;
use coact_math::{Pose, Spatial, Vec3};
use coact_model::mesh::{Diagonal, cloth_grid};
use coact_model::{BodyDef, ClothDef, Geometry, Model, ModelBuilder, ModelView, ShapeDef, State};
use coact_vbd::{SolverVbd, VbdConfig};
use coact_verify::validate::{Bench, coupling};

fn run(threads: usize) -> State {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
    pool.install(|| {
        let model = coupling::box_on_cloth(1.0).expect("valid");
        let mut bench =
            Bench::new(model.clone(), coupling::coupled(&model, ProxyMode::Predicted).expect("valid"));
        bench.run(60, 1.0 / 120.0).expect("runs").clone()
    })
}

#[test]
fn one_two_and_four_threads_give_the_same_bits() {
    let one = run(1);
    assert!(one.body_q[0].p.z < 1.1, "the box has met the cloth");
    assert_eq!(one, run(2));
    assert_eq!(one, run(4));
}

#[test]
fn two_runs_give_the_same_bits() {
    assert_eq!(run(2), run(2));
}

/// Far above the number of blocks from which on a color is spread over threads.
#[test]
fn a_cloth_of_twenty_thousand_particles_gives_the_same_bits_on_any_number_of_threads() {
    let model = large_cloth_with_boxes();
    assert!(model.particle_count() > 20_000);
    let run = |threads: usize| {
        let config = VbdConfig { threads: Some(threads), iterations: 4, ..VbdConfig::default() };
        let solver = SolverVbd::new(&ModelView::whole(&model), config).expect("valid");
        let mut bench = Bench::new(model.clone(), Box::new(solver));
        let mut active = 0;
        for _ in 0..8 {
            bench.step(1.0 / 240.0).expect("runs");
            active += bench.report.contacts.particle_shape_active;
        }
        assert!(active > 100, "{active} contacts pressed");
        (bench.state, bench.report.residual_last, bench.report.worst_particle)
    };
    let one = run(1);
    assert!(one == run(2) && one == run(4));
}

fn large_cloth_with_boxes() -> Model {
    let mut b = ModelBuilder::new();
    let def = ClothDef {
        pose: Pose::translation(Vec3::new(-0.5, -0.5, 1.0)),
        density: 0.3,
        mu: 1e4,
        lambda: 1e4,
        kd: 0.1,
        bend_ke: 1e-2,
        bend_kd: 1e-3,
        radius: 2e-3,
        ..ClothDef::default()
    };
    b.add_cloth("cloth", &cloth_grid([145, 145], [1.0, 1.0], Diagonal::Alternating), &def);
    for x in [-0.3, 0.0, 0.3] {
        let pose = Pose::translation(Vec3::new(x, 0.1, 1.051));
        let velocity = Spatial::new(Vec3::new(0.2, 0.0, -1.0), Vec3::new(1.0, 0.0, 2.0));
        let body = b.add_body(BodyDef { name: format!("box at {x}"), pose, velocity, ..Default::default() });
        let geometry = Geometry::Box { half_extents: Vec3::repeat(0.05) };
        b.add_shape(ShapeDef { body: Some(body), geometry, density: 300.0, ..Default::default() });
    }
    b.finalize().expect("scene is valid")
}
