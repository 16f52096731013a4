//! The code in `docs/adding-a-solver.md` is the code of the dummy solver.

use std::fs;
use std::path::Path;

fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).filter(|l| !l.is_empty()).collect()
}

#[test]
fn every_code_block_is_in_the_dummy_solver() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let document = fs::read_to_string(root.join("../../docs/adding-a-solver.md")).unwrap();
    let source = fs::read_to_string(root.join("src/dummy.rs")).unwrap();
    let code = lines(&source);
    let blocks: Vec<&str> =
        document.split("```rust\n").skip(1).map(|b| b.split("```").next().unwrap()).collect();
    assert!(blocks.len() >= 7);
    for block in blocks {
        let wanted = lines(block);
        assert!(code.windows(wanted.len()).any(|w| w == wanted), "not in src/dummy.rs:\n{block}");
    }
}

/// The example is there to be read at one sitting.
#[test]
fn the_dummy_solver_is_under_a_hundred_lines() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let count = fs::read_to_string(root.join("src/dummy.rs")).unwrap().lines().count();
    assert!(count < 100, "{count} lines");
}
