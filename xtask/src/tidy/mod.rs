//! The house rules as a program: each rule is a function from the tree to its faults.

mod citations;
mod deps;
mod files;

use std::path::{Path, PathBuf};

/// One fault: where, and what to do.
pub struct Fault {
    /// `path:line`, or a name.
    pub place: String,
    /// What is wrong and the remedy.
    pub what: String,
}

impl Fault {
    fn new(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self { place: place.into(), what: what.into() }
    }
}

/// A text file of the project.
pub struct Source {
    /// Path relative to the root, with `/`.
    pub path: String,
    /// Content.
    pub text: String,
}

/// Runs all rules on the tree below `root`; prints faults; true when there are none.
pub fn run(root: &Path) -> bool {
    let sources = collect(root);
    let mut faults = deps::check(root);
    faults.extend(files::check(&sources));
    faults.extend(citations::check(root, &sources));
    for f in &faults {
        eprintln!("tidy: {}: {}", f.place, f.what);
    }
    println!("tidy: {} files, {} faults", sources.len(), faults.len());
    faults.is_empty()
}

const EXTENSIONS: [&str; 6] = ["rs", "wgsl", "md", "toml", "ron", "py"];
const SKIPPED: [&str; 4] = ["target", "out", ".git", "reference"];

fn collect(root: &Path) -> Vec<Source> {
    let (mut found, mut stack) = (Vec::new(), vec![root.to_path_buf()]);
    while let Some(dir) = stack.pop() {
        let Ok(entries) = std::fs::read_dir(&dir) else { continue };
        for path in entries.flatten().map(|e| e.path()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                if !SKIPPED.contains(&name.as_str()) {
                    stack.push(path);
                }
            } else if has_extension(&path)
                && let Ok(text) = std::fs::read_to_string(&path)
            {
                found.push(Source { path: relative(root, &path), text });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn has_extension(path: &Path) -> bool {
    path.extension().is_some_and(|e| EXTENSIONS.iter().any(|x| e == *x))
}

fn relative(root: &Path, path: &Path) -> String {
    let p: PathBuf = path.strip_prefix(root).unwrap_or(path).into();
    p.to_string_lossy().replace('\\', "/")
}
