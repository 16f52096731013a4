//! Parses and validates a joined shader; errors name the original lines.
//!
//! Validation admits what plain WebGPU admits, so that a kernel that passes
//! here runs on every device.

use naga::valid::{Capabilities, ValidationFlags, Validator};

use crate::error::{Place, ShaderError};
use crate::shader::join::Joined;

/// A shader that parses and validates.
#[derive(Debug)]
pub struct Shader {
    joined: Joined,
    pub(crate) module: naga::Module,
}

impl Shader {
    pub(crate) fn new(joined: Joined) -> Result<Self, ShaderError> {
        let module =
            naga::front::wgsl::parse_str(joined.text()).map_err(|error| parse_error(&joined, &error))?;
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
        validator.validate(&module).map_err(|error| {
            let spans = error.spans().map(|(span, what)| (*span, what.as_str()));
            let mut made = collected(&joined, error.as_inner().to_string(), spans);
            made.notes.extend(causes(error.as_inner()));
            made
        })?;
        Ok(Self { joined, module })
    }

    /// The outermost file.
    pub fn name(&self) -> &str {
        self.joined.name()
    }

    /// The joined text.
    pub fn text(&self) -> &str {
        self.joined.text()
    }

    pub(crate) fn joined(&self) -> &Joined {
        &self.joined
    }

    /// Names of the compute entry points.
    pub fn entry_points(&self) -> impl Iterator<Item = &str> {
        self.module.entry_points.iter().map(|e| e.name.as_str())
    }

    /// Original place of a span.
    pub(crate) fn place(&self, span: naga::Span) -> Option<Place> {
        span.to_range().map(|r| self.joined.place(r.start))
    }
}

fn parse_error(joined: &Joined, error: &naga::front::wgsl::ParseError) -> ShaderError {
    let mut made = collected(joined, error.message().to_owned(), error.labels());
    made.notes.extend(error.notes().map(str::to_owned));
    made
}

fn collected<'a>(
    joined: &Joined,
    message: String,
    spans: impl Iterator<Item = (naga::Span, &'a str)>,
) -> ShaderError {
    let mut places: Vec<_> = spans
        .filter_map(|(span, what)| Some((joined.place(span.to_range()?.start), what.to_owned())))
        .collect();
    if places.is_empty() {
        let file = joined.name().to_owned();
        places.push((Place { file, line: 1, column: 0, text: String::new() }, String::new()));
    }
    ShaderError { message, places, notes: Vec::new() }
}

/// The chain of causes below an error.
fn causes(error: &dyn std::error::Error) -> Vec<String> {
    std::iter::successors(error.source(), |e| e.source()).map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests {
    use crate::shader::ShaderLibrary;

    fn error_of(text: &str) -> String {
        let lib = ShaderLibrary::default()
            .with("common/first.wgsl", "const A = 1.0;\nconst B = 2.0;")
            .with("bad.wgsl", text);
        lib.check("bad.wgsl").unwrap_err().to_string()
    }

    #[test]
    fn parse_error_names_original_file_and_line() {
        let text = error_of("#include \"common/first.wgsl\"\nfn f() -> f32 {\n  return nothing;\n}");
        assert!(text.contains("/bad.wgsl:3:10: "), "{text}");
        assert!(text.contains("return nothing;"), "{text}");
    }

    #[test]
    fn validation_error_names_original_file_and_line() {
        let text = error_of("#include \"common/first.wgsl\"\nfn f() -> f32 {\n  return true;\n}");
        assert!(text.contains("/bad.wgsl:3"), "{text}");
    }
}
