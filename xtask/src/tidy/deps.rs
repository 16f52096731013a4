//! Who may know whom: the allow-list of the architecture page against `cargo metadata`.

use std::path::Path;
use std::process::Command;

use super::Fault;

/// (crate, the workspace crates that it may depend on). Development dependencies may add
/// `coact-testkit` and whatever a test needs below the crate itself.
const ALLOWED: &[(&str, &[&str])] = &[
    ("coact-math", &[]),
    ("coact-column", &[]),
    ("coact-model", &["math", "column"]),
    ("coact-compute", &["math", "column"]),
    ("coact-collide", &["math", "column", "model", "compute"]),
    ("coact-solver", &["math", "model", "collide"]),
    ("coact-vbd", &["math", "column", "model", "collide", "compute", "solver"]),
    ("coact-rod", &["math", "column", "model", "collide", "solver"]),
    ("coact-articulated", &["math", "column", "model", "collide", "solver"]),
    ("coact-coupled", &["math", "column", "model", "collide", "solver"]),
    ("coact-trace", &["math", "column", "model", "collide", "solver"]),
    ("coact-testkit", &["math", "column", "model", "collide", "solver"]),
];

/// Crates above the solvers: they may depend on everything below them.
const ABOVE: &[&str] =
    &["coact-scene", "coact-verify", "coact", "coact-cli", "coact-tests", "coact-benches", "coact-xtask"];

/// (package, the only crates that may name it).
const ONLY: &[(&str, &[&str])] = &[
    ("wgpu", &["coact-compute"]),
    ("ron", &["coact-scene"]),
    ("clap", &["coact-cli", "coact-xtask"]),
    ("indicatif", &["coact-cli"]),
];

pub fn check(root: &Path) -> Vec<Fault> {
    let out = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(root)
        .output();
    let json = out.ok().and_then(|o| serde_json::from_slice::<serde_json::Value>(&o.stdout).ok());
    let Some(packages) = json.as_ref().and_then(|j| j["packages"].as_array()) else {
        return vec![Fault::new("cargo metadata", "could not be read")];
    };
    packages.iter().flat_map(check_package).collect()
}

fn check_package(package: &serde_json::Value) -> Vec<Fault> {
    let name = package["name"].as_str().unwrap_or_default();
    let deps = package["dependencies"].as_array().cloned().unwrap_or_default();
    let mut faults = Vec::new();
    if !ABOVE.contains(&name) && !ALLOWED.iter().any(|(n, _)| *n == name) {
        faults.push(Fault::new(name, "is not in the dependency table of xtask/src/tidy/deps.rs: add it"));
    }
    for d in &deps {
        let (dep, dev) = (d["name"].as_str().unwrap_or_default(), d["kind"].as_str() == Some("dev"));
        faults.extend(check_edge(name, dep, dev));
    }
    faults
}

fn check_edge(name: &str, dep: &str, dev: bool) -> Option<Fault> {
    if let Some((_, who)) = ONLY.iter().find(|(p, _)| *p == dep) {
        let ok = who.contains(&name) || dev;
        return (!ok).then(|| Fault::new(name, format!("may not name {dep}: only {} may", who.join(", "))));
    }
    if dep == "coact-testkit" && !dev && name != "coact-tests" && name != "coact-benches" {
        return Some(Fault::new(name, "may use coact-testkit in dev-dependencies only"));
    }
    let allowed = ALLOWED.iter().find(|(n, _)| *n == name)?.1;
    let inner = dep.strip_prefix("coact-")?;
    let ok = dev || allowed.contains(&inner);
    (!ok).then(|| Fault::new(name, format!("may not depend on {dep} (docs/architecture.md, section 2)")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forbidden_edges_are_found() {
        assert!(check_edge("coact-coupled", "coact-vbd", false).is_some());
        assert!(check_edge("coact-vbd", "wgpu", false).is_some());
        assert!(check_edge("coact-model", "coact-testkit", false).is_some());
    }

    #[test]
    fn allowed_edges_pass() {
        assert!(check_edge("coact-vbd", "coact-solver", false).is_none());
        assert!(check_edge("coact-compute", "wgpu", false).is_none());
        assert!(check_edge("coact-model", "coact-testkit", true).is_none());
        assert!(check_edge("coact-cli", "coact-scene", false).is_none());
    }
}
