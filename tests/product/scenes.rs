//! Every shipped scene is a test: it runs to its end on the host, and what it expects holds.

use std::path::{Path, PathBuf};

use coact_compute::DeviceChoice;
use coact_model::StateFields;
use coact_scene::{History, load};
use coact_solver::StepReport;
use coact_trace::Energy;
use rayon::prelude::*;

fn shipped() -> Vec<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../scenes");
    let (mut found, mut stack) = (Vec::new(), vec![root]);
    while let Some(dir) = stack.pop() {
        for path in std::fs::read_dir(&dir).expect("scenes are shipped").flatten().map(|e| e.path()) {
            if path.is_dir() {
                stack.push(path);
            } else if path.extension().is_some_and(|e| e == "ron") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Runs a scene to its end; what it expected and did not get.
fn faults(path: &Path) -> Vec<String> {
    let mut sim =
        load(path, &[]).and_then(|s| s.build(DeviceChoice::Cpu)).unwrap_or_else(|e| panic!("{e:?}"));
    assert!(!sim.checks.is_empty(), "{} expects nothing", path.display());
    let (mut history, mut report) =
        (History::new(&sim.model, &sim.state, &sim.checks), StepReport::default());
    while !sim.finished() {
        let stored = sim.solver.stored_energy();
        history.record_energy(Energy::of(&sim.model, &sim.state, stored).total());
        report.clear();
        sim.step(&mut report).expect("a host does not fail");
        sim.store(StateFields::all());
        history.record(sim.time(), &sim.state, &report);
    }
    let failed = history.verdicts(&sim.checks).into_iter().filter(|v| !v.passed);
    failed.map(|v| format!("{}: {} is {}, {}", path.display(), v.what, v.measured, v.bound)).collect()
}

#[test]
fn every_scene_runs_to_its_end_and_meets_its_expectations() {
    let scenes = shipped();
    assert!(scenes.len() >= 6, "{scenes:?}");
    let faults: Vec<String> = scenes.par_iter().flat_map_iter(|s| faults(s)).collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}
