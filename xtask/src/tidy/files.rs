//! Rules on single files: header, size, names, what must not be there.

use super::{Fault, Source};

const RUST_LINES: usize = 600;
const WGSL_LINES: usize = 250;
const BANNED_NAMES: [&str; 6] = ["manager", "helper", "util", "handler", "data2", "misc"];

pub fn check(sources: &[Source]) -> Vec<Fault> {
    sources.iter().flat_map(check_file).collect()
}

fn check_file(s: &Source) -> Vec<Fault> {
    let mut faults = Vec::new();
    if s.path.ends_with(".rs") {
        faults.extend(header(s));
        faults.extend(size(s, RUST_LINES, lines_without_tests(&s.text)));
        faults.extend(names(s));
        faults.extend(forbidden(s));
    }
    if s.path.ends_with(".wgsl") {
        faults.extend(size(s, WGSL_LINES, s.text.lines().count()));
    }
    faults.extend(absolute_paths(s));
    faults
}

fn header(s: &Source) -> Option<Fault> {
    let ok = s.text.trim_start().starts_with("//!");
    (!ok).then(|| Fault::new(&s.path, "begins without `//!`: say what it computes and by which equation"))
}

fn lines_without_tests(text: &str) -> usize {
    let end = text.find("#[cfg(test)]\nmod ").unwrap_or(text.len());
    text[..end].lines().count()
}

fn size(s: &Source, limit: usize, lines: usize) -> Option<Fault> {
    let test_file =
        s.path.contains("/tests/") || s.path.starts_with("tests/") || s.path.ends_with("/tests.rs");
    let too_long = lines > limit && !test_file;
    (too_long).then(|| Fault::new(&s.path, format!("{lines} lines, at most {limit}: split it by concept")))
}

fn names(s: &Source) -> Vec<Fault> {
    let declared = |line: &str| -> Option<String> {
        let l = line.trim_start().trim_start_matches("pub ").trim_start_matches("pub(crate) ");
        ["fn ", "struct ", "enum ", "trait ", "mod "].iter().find_map(|k| l.strip_prefix(k)).map(|r| {
            r.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>().to_lowercase()
        })
    };
    let bad =
        |name: &str| BANNED_NAMES.iter().find(|b| name.split('_').any(|w| w == **b || w == format!("{b}s")));
    s.text
        .lines()
        .enumerate()
        .filter_map(|(i, l)| {
            let name = declared(l)?;
            bad(&name).map(|b| {
                Fault::new(
                    format!("{}:{}", s.path, i + 1),
                    format!("'{name}': '{b}' says nothing, name what it does"),
                )
            })
        })
        .collect()
}

fn forbidden(s: &Source) -> Vec<Fault> {
    if s.path.starts_with("xtask/src/tidy/") {
        return Vec::new();
    }
    let prints = ["crates/cli/", "xtask/", "benches/", "tests/"].iter().any(|p| s.path.starts_with(p))
        || s.path.contains("/tests/")
        || s.path.ends_with("/testing.rs")
        || s.path.ends_with("build.rs")
        || s.path.starts_with("crates/testkit/");
    let end = s.text.find("#[cfg(test)]\nmod ").unwrap_or(s.text.len());
    let words = ["#[ignore", "#[should_panic", "todo!(", "unimplemented!(", "dbg!("];
    let mut faults = Vec::new();
    for (i, line) in s.text.lines().enumerate() {
        let place = || format!("{}:{}", s.path, i + 1);
        if let Some(w) = words.iter().find(|w| line.contains(**w)) {
            faults.push(Fault::new(place(), format!("`{w}` is not allowed")));
        }
        let code = line.trim_start();
        let printing = ["println!(", "eprintln!(", "print!("].iter().any(|p| code.starts_with(p));
        if !prints && printing && i < s.text[..end].lines().count() {
            faults.push(Fault::new(place(), "only `cli` prints: return the text or report it"));
        }
    }
    faults
}

fn absolute_paths(s: &Source) -> Vec<Fault> {
    if s.path.starts_with("xtask/src/tidy/") {
        return Vec::new();
    }
    let words = ["/home/", "/root/", "/work/", "crates.io-index", "index.crates.io"];
    s.text
        .lines()
        .enumerate()
        .filter(|(_, l)| words.iter().any(|w| l.contains(w)))
        .map(|(i, _)| {
            Fault::new(format!("{}:{}", s.path, i + 1), "names an absolute path or a registry host")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(path: &str, text: &str) -> usize {
        check_file(&Source { path: path.into(), text: text.into() }).len()
    }

    #[test]
    fn each_rule_finds_its_fault() {
        assert_eq!(faults("crates/a/src/x.rs", "fn f() {}\n"), 1);
        assert_eq!(faults("crates/a/src/x.rs", "//! ok\nfn solve_helper() {}\n"), 1);
        assert_eq!(faults("crates/a/src/x.rs", "//! ok\n    println!(\"x\");\n"), 1);
        assert_eq!(faults("crates/a/src/x.rs", "//! ok\n#[ignore]\n"), 1);
        assert_eq!(faults("docs/a.md", "see /home/me\n"), 1);
        assert_eq!(faults("shaders/a.wgsl", &"x\n".repeat(WGSL_LINES + 1)), 1);
    }

    #[test]
    fn a_clean_file_passes() {
        assert_eq!(faults("crates/a/src/x.rs", "//! ok\n\n/// Doc.\npub fn solve() {}\n"), 0);
        let tests = format!("//! ok\n#[cfg(test)]\nmod tests {{\n{}}}\n", "// t\n".repeat(RUST_LINES));
        assert_eq!(faults("crates/a/src/x.rs", &tests), 0);
    }
}
