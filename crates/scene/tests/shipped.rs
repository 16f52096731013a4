//! Every scene that ships loads, builds and takes a few steps with finite numbers.

use std::path::{Path, PathBuf};

use coact_compute::DeviceChoice;
use coact_model::StateFields;
use coact_scene::load;
use coact_solver::StepReport;

fn scenes() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let mut found = Vec::new();
    for topic in std::fs::read_dir(root).unwrap().filter_map(|e| Some(e.ok()?.path())).filter(|p| p.is_dir())
    {
        let files = std::fs::read_dir(topic).unwrap().filter_map(|e| Some(e.ok()?.path()));
        found.extend(files.filter(|p| p.extension().is_some_and(|e| e == "ron")));
    }
    found.sort();
    found
}

#[test]
fn every_shipped_scene_loads_builds_and_steps() {
    let scenes = scenes();
    assert!(scenes.len() >= 6, "{scenes:?}");
    for path in scenes {
        let scene = load(&path, &[]).unwrap_or_else(|e| panic!("{e:?}"));
        let mut sim = scene.build(DeviceChoice::Cpu).unwrap_or_else(|e| panic!("{e:?}"));
        let mut report = StepReport::default();
        for _ in 0..3 {
            sim.step(&mut report).unwrap();
        }
        sim.store(StateFields::all());
        assert_eq!(sim.state.first_nonfinite(), None, "{}", path.display());
        assert!(!sim.checks.is_empty(), "{} expects nothing", path.display());
    }
}

/// Positions after ten steps, on the host.
fn positions(path: &Path, overrides: &[String], device: DeviceChoice) -> Vec<coact_math::Vec3> {
    let scene = load(path, overrides).unwrap_or_else(|e| panic!("{e:?}"));
    let mut sim = scene.build(device).unwrap_or_else(|e| panic!("{e:?}"));
    let mut report = StepReport::default();
    (0..10).for_each(|_| sim.step(&mut report).unwrap());
    sim.store(StateFields::all());
    let bodies = sim.state.body_q.iter().map(|q| q.p);
    sim.state.particle_q.iter().copied().chain(bodies).collect()
}

/// The boxes meet the sheet at once: ten steps of single against double precision.
#[test]
fn the_main_scene_runs_on_a_device_as_on_the_host() {
    if coact_compute::testing::gpu_for_tests().is_none() {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/coupling/boxes_on_cloth.ron");
    // the host rubs as a device does
    let low = ["bodies.box.position=(0, 0, 1.1)", "solvers.soft.friction=Smoothed"].map(str::to_owned);
    let (host, device) =
        (positions(&root, &low, DeviceChoice::Cpu), positions(&root, &low, DeviceChoice::Gpu));
    let worst = host.iter().zip(&device).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    assert!(worst < 1e-4, "{worst}");
}

#[test]
fn the_coupled_box_moves_as_in_one_solver() {
    let scene = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/coupling").join(name);
    let low = ["bodies.box.position=(0, 0, 1.12)".to_owned()];
    let two = positions(&scene("box_on_cloth.ron"), &low, DeviceChoice::Cpu);
    let one = positions(&scene("box_on_cloth_unified.ron"), &low, DeviceChoice::Cpu);
    let worst = two.iter().zip(&one).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    assert!(worst < 1e-3, "{worst}");
}

#[test]
fn an_explanation_names_owners_counts_and_interfaces() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/coupling/boxes_on_cloth.ron");
    let text = load(&root, &[]).unwrap().explain().unwrap().to_string();
    for words in [
        "1089 particles, 2048 triangles, 3008 hinges, 4 pinned",
        "Articulated: box_1 … box_4, link_1 … link_3, pedestal",
        "rigid -> soft (Predicted)",
        "left (revolute, driven)",
        "360 steps of 4.1667 ms: 1.500 s",
    ] {
        assert!(text.contains(words), "`{words}` is not in:\n{text}");
    }
}
