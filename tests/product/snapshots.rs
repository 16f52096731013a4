//! Snapshots of coupled trajectories: the first twenty steps, rounded far above what two
//! machines differ by, and beyond that only what chaos leaves alone.

use coact_coupled::ProxyMode;
use coact_verify::validate::{Bench, coupling};

const DT: f64 = 1.0 / 120.0;

fn rounded(x: f64, digits: i32) -> f64 {
    let scale = 10f64.powi(digits);
    (x * scale).round() / scale + 0.0
}

fn bench(mode: ProxyMode) -> Bench {
    let model = coupling::box_on_cloth(1.0).expect("valid");
    Bench::new(model.clone(), coupling::coupled(&model, mode).expect("valid"))
}

/// The box starts 20 mm above the cloth at 1 m/s: it meets it in the first steps.
fn first_steps(mode: ProxyMode) -> Vec<(usize, f64, f64, f64)> {
    let mut bench = bench(mode);
    bench.state.body_q[0].p.z = 1.13;
    bench.state.body_qd[0].lin.z = -1.0;
    bench.solver.load(&bench.state);
    let centre = 60;
    let row = |step| {
        bench.step(DT).expect("runs");
        (
            step,
            rounded(bench.body_z(0), 5),
            rounded(bench.state.body_qd[0].lin.z, 4),
            rounded(bench.particle_z(centre), 5),
        )
    };
    (1..=20).map(row).collect()
}

#[test]
fn first_steps_of_a_predicted_drop() {
    insta::assert_ron_snapshot!(first_steps(ProxyMode::Predicted));
}

#[test]
fn first_steps_of_a_lagged_drop() {
    insta::assert_ron_snapshot!(first_steps(ProxyMode::Lagged));
}

#[test]
fn what_chaos_leaves_alone_after_a_predicted_drop() {
    let mut bench = bench(ProxyMode::Predicted);
    let heights: Vec<f64> = (0..360)
        .map(|_| {
            bench.step(DT).expect("runs");
            bench.body_z(0)
        })
        .collect();
    let rest = heights[300..].iter().sum::<f64>() / 60.0;
    let lowest = heights.iter().copied().fold(f64::INFINITY, f64::min);
    let extent = bench.state.particle_q.iter().map(|p| p.x.abs()).fold(0.0, f64::max);
    insta::assert_ron_snapshot!((
        ("rest height, cm", rounded(rest * 100.0, 0)),
        ("lowest, cm", rounded(lowest * 100.0, 0)),
        ("half width of the cloth, cm", rounded(extent * 100.0, 0)),
        ("contacts, tens", rounded(bench.report.contacts.particle_shape as f64 / 10.0, 0)),
    ));
}

/// Step, places of bodies, and of each interface the force and the passes.
type Frame = (usize, Vec<[f64; 3]>, Vec<(f64, usize)>);

/// Where the bodies of a shipped scene are every twentieth step, to a tenth of a millimetre, and
/// what its interfaces do.
fn frames_of(scene: &str, steps: usize) -> Vec<Frame> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes/coupling").join(scene);
    let scene = coact_scene::load(&path, &[]).unwrap_or_else(|e| panic!("{e:?}"));
    let mut sim = scene.build(coact_compute::DeviceChoice::Cpu).unwrap_or_else(|e| panic!("{e:?}"));
    let mut report = coact_solver::StepReport::default();
    let mut frames = Vec::new();
    for step in 1..=steps {
        sim.step(&mut report).expect("a host does not fail");
        if step % 20 == 0 {
            sim.store(coact_model::StateFields::all());
            let at = |p: &coact_math::Pose| [p.p.x, p.p.y, p.p.z].map(|x| rounded(x, 4));
            let interfaces = report.interfaces.iter().map(|i| (rounded(i.force, 0), i.iterations));
            frames.push((step, sim.state.body_q.iter().map(at).collect(), interfaces.collect()));
        }
    }
    frames
}

#[test]
fn a_gripper_with_proxied_joints() {
    insta::assert_ron_snapshot!(frames_of("gripper_on_soft_block.ron", 300));
}

#[test]
fn a_ram_pushes_a_soft_block() {
    insta::assert_ron_snapshot!(frames_of("soft_block_on_pusher.ron", 200));
}

#[test]
fn three_solvers_in_a_ring() {
    insta::assert_ron_snapshot!(frames_of("three_in_a_ring.ron", 200));
}
