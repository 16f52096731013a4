//! Joins a shader with what it includes, and remembers where lines came from.
//!
//! One directive, alone on its line:
//!
//! ```text
//! #include "common/trig.wgsl"
//! ```
//!
//! The path is relative to `shaders/`. Each file comes in once, before the
//! first file that asks for it; circles are refused. Constants that kernels
//! share are plain WGSL `const` declarations in an included file.

use crate::error::{Place, ShaderError};
use crate::shader::library::ShaderLibrary;

/// A shader text without includes, and the origin of each of its lines.
#[derive(Clone, Debug)]
pub struct Joined {
    name: String,
    text: String,
    files: Vec<String>,
    /// (index into `files`, line from 1) of each line of `text`.
    origin: Vec<(usize, u32)>,
}

/// Where an `#include` stands.
struct Request<'a> {
    /// Files from the outermost to the one that asks.
    chain: &'a [String],
    /// Place of the directive; `None` for the outermost file.
    place: Option<Place>,
}

impl Joined {
    pub(crate) fn new(library: &ShaderLibrary, name: &str) -> Result<Self, ShaderError> {
        let mut joined =
            Self { name: name.to_owned(), text: String::new(), files: Vec::new(), origin: Vec::new() };
        joined.add_file(library, name, &Request { chain: &[], place: None })?;
        Ok(joined)
    }

    /// The outermost file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Every file in it, innermost includes first.
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// Appends text that stands in no file.
    pub(crate) fn append(&mut self, origin: &str, text: &str) {
        self.files.push(origin.to_owned());
        let file = self.files.len() - 1;
        for (number, line) in (1..).zip(text.lines()) {
            self.add_line(file, number, line);
        }
    }

    /// Original place of a byte of the joined text.
    pub(crate) fn place(&self, at: usize) -> Place {
        let before = &self.text.as_bytes()[..at.min(self.text.len())];
        let line = before.iter().filter(|&&b| b == b'\n').count();
        let start = before.iter().rposition(|&b| b == b'\n').map_or(0, |p| p + 1);
        let (file, number) = self.origin.get(line).copied().unwrap_or((0, 0));
        Place {
            file: self.files.get(file).cloned().unwrap_or_default(),
            line: number,
            column: (before.len() - start) as u32 + 1,
            text: self.text.lines().nth(line).unwrap_or_default().to_owned(),
        }
    }

    fn add_file(
        &mut self,
        library: &ShaderLibrary,
        name: &str,
        request: &Request,
    ) -> Result<(), ShaderError> {
        if self.files.iter().any(|f| f == name) {
            return Ok(());
        }
        if request.chain.iter().any(|f| f == name) {
            let circle = [request.chain, &[name.to_owned()]].concat().join(" -> ");
            return Err(refused(request, name, format!("includes go in a circle: {circle}")));
        }
        let Some(text) = library.text(name) else {
            return Err(missing(library, request, name));
        };
        let chain = [request.chain, &[name.to_owned()]].concat();
        for (number, line) in (1..).zip(text.lines()) {
            if let Some(wanted) = directive(name, number, line)? {
                let place = Some(line_place(name, number, line));
                self.add_file(library, &wanted, &Request { chain: &chain, place })?;
            }
        }
        self.files.push(name.to_owned());
        let file = self.files.len() - 1;
        for (number, line) in (1..).zip(text.lines()) {
            let is_directive = line.trim_start().starts_with('#');
            self.add_line(file, number, if is_directive { "" } else { line });
        }
        Ok(())
    }

    fn add_line(&mut self, file: usize, number: u32, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
        self.origin.push((file, number));
    }
}

/// The file that a line includes, if it is a directive.
fn directive(file: &str, number: u32, line: &str) -> Result<Option<String>, ShaderError> {
    let Some(word) = line.trim().strip_prefix('#') else { return Ok(None) };
    let quoted = word.strip_prefix("include").map(str::trim);
    let path = quoted.and_then(|q| q.strip_prefix('"')?.strip_suffix('"'));
    match path {
        Some(path) if !path.is_empty() => Ok(Some(path.to_owned())),
        _ => Err(ShaderError::at(
            line_place(file, number, line),
            "unknown directive; write `#include \"folder/file.wgsl\"`",
        )),
    }
}

fn line_place(file: &str, line: u32, text: &str) -> Place {
    Place { file: file.to_owned(), line, column: 0, text: text.to_owned() }
}

fn refused(request: &Request, name: &str, message: String) -> ShaderError {
    let place = request.place.clone().unwrap_or_else(|| line_place(name, 0, ""));
    ShaderError::at(place, message)
}

/// An error that names the files that end in the same way.
fn missing(library: &ShaderLibrary, request: &Request, name: &str) -> ShaderError {
    let mut error = refused(request, name, format!("no shader file `{name}`"));
    let stem = name.rsplit('/').next().unwrap_or(name);
    let alike: Vec<_> = library.names().filter(|n| n.rsplit('/').next() == Some(stem)).collect();
    if !alike.is_empty() {
        error.notes.push(format!("there is `{}`", alike.join("`, `")));
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    fn library(files: &[(&str, &str)]) -> ShaderLibrary {
        files.iter().map(|&(n, t)| (n.to_owned(), t.to_owned())).collect()
    }

    #[test]
    fn included_file_comes_once_and_first() {
        let lib = library(&[
            ("a.wgsl", "const A = 1;"),
            ("b.wgsl", "#include \"a.wgsl\"\nconst B = A;"),
            ("c.wgsl", "#include \"a.wgsl\"\n#include \"b.wgsl\"\nconst C = A + B;"),
        ]);
        let joined = lib.join("c.wgsl").unwrap();
        assert_eq!(joined.text().matches("const A").count(), 1);
        assert_eq!(joined.files(), ["a.wgsl", "b.wgsl", "c.wgsl"]);
        let at = joined.text().find("const C").unwrap();
        let place = joined.place(at);
        assert_eq!((place.file.as_str(), place.line, place.column), ("c.wgsl", 3, 1));
        let at = joined.text().find("B = A").unwrap();
        let place = joined.place(at);
        assert_eq!((place.file.as_str(), place.line, place.column), ("b.wgsl", 2, 7));
    }

    #[test]
    fn circle_is_refused_with_its_files() {
        let lib = library(&[("a.wgsl", "#include \"b.wgsl\""), ("b.wgsl", "\n#include \"a.wgsl\"")]);
        let text = lib.join("a.wgsl").unwrap_err().to_string();
        assert!(text.contains("a.wgsl -> b.wgsl -> a.wgsl"), "{text}");
        assert!(text.contains("/b.wgsl:2"), "{text}");
    }

    #[test]
    fn missing_file_names_line_and_likely_file() {
        let lib = library(&[("common/a.wgsl", ""), ("k.wgsl", "\n#include \"a.wgsl\"")]);
        let text = lib.join("k.wgsl").unwrap_err().to_string();
        assert!(text.contains("/k.wgsl:2") && text.contains("common/a.wgsl"), "{text}");
    }

    #[test]
    fn unknown_directive_is_refused() {
        let lib = library(&[("k.wgsl", "#define N 3")]);
        assert!(lib.join("k.wgsl").unwrap_err().to_string().contains("#include"));
    }
}
