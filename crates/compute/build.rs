//! Writes the table of shader sources that is compiled into the crate.
//!
//! Every `*.wgsl` below the top-level `shaders/` becomes one entry
//! (path relative to `shaders/`, text), sorted by path. All paths are relative to this crate,
//! so that a build folder may serve more than one copy of the workspace.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

const SHADERS: &str = "../../shaders";

fn main() -> io::Result<()> {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let root = manifest.join(SHADERS);
    println!("cargo:rerun-if-changed={SHADERS}");

    let mut files = Vec::new();
    collect(&root, &root, &mut files)?;
    files.sort();

    let mut table = String::from("&[\n");
    for path in &files {
        let name = relative_name(&root, path);
        let place = format!("/{SHADERS}/{name}");
        // Both are quoted as Rust string literals by `{:?}`.
        let text = format!("include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {place:?}))");
        let _ = writeln!(table, "    ({name:?}, {text}),");
    }
    table.push_str("]\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("shader_sources.rs"), table)
}

/// Adds every shader file below `folder`.
fn collect(root: &Path, folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            println!("cargo:rerun-if-changed={SHADERS}/{}", relative_name(root, &path));
            collect(root, &path, files)?;
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
