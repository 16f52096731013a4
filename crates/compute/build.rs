//! Writes the table of shader sources that is compiled into the crate.
//!
//! Every `*.wgsl` below the top-level `shaders/` becomes one entry
//! (path relative to `shaders/`, text), sorted by path.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let root = manifest.join("../../shaders").canonicalize()?;
    println!("cargo:rerun-if-changed={}", root.display());

    let mut files = Vec::new();
    collect(&root, &mut files)?;
    files.sort();

    let mut table = String::from("&[\n");
    for path in &files {
        let name = relative_name(&root, path);
        // Both are quoted as Rust string literals by `{:?}`.
        let _ = writeln!(table, "    ({name:?}, include_str!({:?})),", path.display().to_string());
    }
    table.push_str("]\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("shader_sources.rs"), table)
}

/// Adds every shader file below `folder`.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            println!("cargo:rerun-if-changed={}", path.display());
            collect(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "wgsl") {
            files.push(path);
        }
    }
    Ok(())
}

/// Path below `root`, with `/` between its parts on every platform.
fn relative_name(root: &Path, path: &Path) -> String {
    let parts = path.strip_prefix(root).unwrap_or(path).components();
    parts.map(|p| p.as_os_str().to_string_lossy().into_owned()).collect::<Vec<_>>().join("/")
}
