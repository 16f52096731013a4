//! Every path and equation that is cited anywhere exists.

use std::path::Path;

use super::{Fault, Source};

const ROOMS: [&str; 7] = ["docs/", "shaders/", "crates/", "scenes/", "tests/", "benches/", "xtask/"];
const ENDINGS: [&str; 6] = [".md", ".wgsl", ".rs", ".ron", ".obj", ".msh"];

pub fn check(root: &Path, sources: &[Source]) -> Vec<Fault> {
    sources.iter().flat_map(|s| check_file(root, s, sources)).collect()
}

fn check_file(root: &Path, s: &Source, all: &[Source]) -> Vec<Fault> {
    if s.path.starts_with("xtask/src/tidy/") || s.path.ends_with(".toml") {
        return Vec::new();
    }
    let mut faults = Vec::new();
    for (i, line) in s.text.lines().enumerate() {
        let place = || format!("{}:{}", s.path, i + 1);
        for path in cited_paths(line) {
            if !root.join(path).exists() {
                faults.push(Fault::new(place(), format!("cites {path}, which does not exist")));
            }
        }
        for (page, equation) in cited_equations(line) {
            let known = all
                .iter()
                .find(|p| p.path == page)
                .is_some_and(|p| p.text.contains(&format!("({equation})")));
            if !known {
                faults.push(Fault::new(place(), format!("cites eq. ({equation}) of {page}, which has none")));
            }
        }
    }
    faults
}

/// Paths below one of the rooms, as they stand in running text.
fn cited_paths(line: &str) -> Vec<&str> {
    let word = |c: char| c.is_alphanumeric() || "/_-.".contains(c);
    line.split(|c| !word(c))
        .map(|w| w.trim_end_matches('.'))
        .filter(|w| ROOMS.iter().any(|r| w.starts_with(r)) && ENDINGS.iter().any(|e| w.ends_with(e)))
        .collect()
}

/// `docs/theory/page.md eq. (n)`, also `eq. (n), (m)`.
fn cited_equations(line: &str) -> Vec<(&str, String)> {
    let Some(at) = line.find(".md eq. (") else { return Vec::new() };
    let Some(start) = line[..at].rfind("docs/") else { return Vec::new() };
    let page = &line[start..at + 3];
    let mut rest = &line[at + ".md eq. ".len()..];
    let mut found = Vec::new();
    while let Some(inner) = rest.strip_prefix('(') {
        let Some(close) = inner.find(')') else { break };
        found.push((page, inner[..close].to_string()));
        rest = inner[close + 1..].trim_start_matches(", ");
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_in_text() {
        assert_eq!(
            cited_paths("see `docs/theory/vbd.md`, and (shaders/a/b.wgsl)."),
            ["docs/theory/vbd.md", "shaders/a/b.wgsl"]
        );
        assert!(cited_paths("out/docs and http://x/docs").is_empty());
    }

    #[test]
    fn equations_are_found_in_text() {
        let found = cited_equations("//! docs/theory/vbd.md eq. (3), (4b)");
        assert_eq!(
            found,
            [("docs/theory/vbd.md", "3".to_string()), ("docs/theory/vbd.md", "4b".to_string())]
        );
    }

    #[test]
    fn a_missing_path_is_a_fault() {
        let s = Source { path: "docs/a.md".into(), text: "docs/nothing-here.md".into() };
        assert_eq!(check_file(Path::new("."), &s, &[]).len(), 1);
    }
}
