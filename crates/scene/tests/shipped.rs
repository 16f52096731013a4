//! Every scene that ships loads, builds and takes a few steps with finite numbers.

use std::path::{Path, PathBuf};

use coact_compute::DeviceChoice;
use coact_model::StateFields;
use coact_scene::load;
use coact_solver::StepReport;

fn scenes() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let mut found = Vec::new();
    for topic in std::fs::read_dir(root).unwrap().filter_map(|e| Some(e.ok()?.path())).filter(|p| p.is_dir()) {
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
