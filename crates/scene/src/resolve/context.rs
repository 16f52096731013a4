//! The place of a fault: the source, its tree of spans, and checks that know their path.

use std::path::PathBuf;

use crate::error::{Fault, SceneError};
use crate::locate::{Node, Path, Shape, Step};
use crate::source::SourceText;

/// What every check needs to point at its place.
pub(crate) struct Context {
    pub source: SourceText,
    pub tree: Node,
    pub folder: PathBuf,
}

impl Context {
    pub fn new(source: SourceText, folder: PathBuf) -> Self {
        let whole = Node { span: 0..source.text().len(), shape: Shape::Scalar };
        let tree = Node::read(source.text()).unwrap_or(whole);
        Self { source, tree, folder }
    }

    /// A fault at a path; where the value is left out, at what it would stand in.
    pub fn fault(&self, fault: Fault, path: &Path, message: impl Into<String>, help: &str) -> SceneError {
        place_fault(&self.source, &self.tree, fault, path, message).help(help)
    }

    /// Whether the text has a value at the path.
    pub fn has(&self, path: &Path) -> bool {
        self.tree.find(path).1 == path.steps().len()
    }

    /// A path as the author of the scene would say it: list elements by name where they
    /// have one.
    pub fn spoken(&self, path: &Path) -> Path {
        let (mut node, mut spoken) = (Some(&self.tree), Path::root());
        for step in path.steps() {
            node = node.and_then(|n| n.child(step));
            spoken = match (step, node.and_then(Node::name)) {
                (Step::Index(_), Some(name)) => spoken.key(name),
                (Step::Index(i), None) => spoken.index(*i),
                (Step::Key(k), _) => spoken.key(k),
            };
        }
        spoken
    }

    /// Checks on the fields of one struct.
    pub fn at(&self, path: Path) -> At<'_> {
        At { cx: self, path }
    }
}

/// A fault without help, at a path of the tree.
pub(crate) fn place_fault(
    source: &SourceText,
    tree: &Node,
    fault: Fault,
    path: &Path,
    message: impl Into<String>,
) -> SceneError {
    let (node, taken) = tree.find(path);
    // A struct that lacks the value: its name or its first line is mark enough.
    let whole = taken < path.steps().len();
    let span = match node.field("name") {
        Some(name) if whole || node.span.len() > 200 => name.value.span.clone(),
        _ => first_line(source.text(), node.span.clone()),
    };
    SceneError::new(fault, message).place(source.place(span, label(fault)))
}

fn first_line(text: &str, span: std::ops::Range<usize>) -> std::ops::Range<usize> {
    let line = text[span.clone()].find('\n').unwrap_or(span.len());
    span.start..span.start + line.max(1).min(span.len())
}

fn label(fault: Fault) -> &'static str {
    match fault {
        Fault::UnknownName => "no such name",
        Fault::Duplicate => "for the second time",
        Fault::Ownership => "this",
        Fault::Mesh => "this mesh",
        Fault::Build => "refused",
        Fault::MissingField => "something is missing in here",
        _ => "this value",
    }
}

/// Checks on the fields of one struct.
pub(crate) struct At<'a> {
    cx: &'a Context,
    path: Path,
}

impl At<'_> {
    /// A field must be above zero, and by more than nothing.
    pub fn positive(&self, field: &str, value: f64, unit: &str) -> Result<(), SceneError> {
        let remedy =
            format!("write a number above {}{}", if value > 0.0 { "1e-18" } else { "0" }, in_unit(unit));
        self.require(value >= SMALLEST, field, Number(value), &remedy)
    }

    /// A field must not be negative.
    pub fn not_negative(&self, field: &str, value: f64, unit: &str) -> Result<(), SceneError> {
        let remedy = format!("write 0 or a number above 0{}", in_unit(unit));
        self.require(value >= 0.0, field, Number(value), &remedy)
    }

    /// A field must lie between 0 and 1, both included.
    pub fn share(&self, field: &str, value: f64) -> Result<(), SceneError> {
        self.require((0.0..=1.0).contains(&value), field, Number(value), "write a number from 0 to 1")
    }

    /// A count must lie between 1 and a limit beyond which it is a slip of the pen.
    pub fn count(&self, field: &str, value: u64, most: u64) -> Result<(), SceneError> {
        let remedy = format!("write a whole number from 1 to {most}");
        self.require((1..=most).contains(&value), field, value, &remedy)
    }

    /// A vector must have a direction.
    pub fn direction(&self, field: &str, v: &[f64; 3]) -> Result<(), SceneError> {
        let text = format!("({}, {}, {})", Number(v[0]), Number(v[1]), Number(v[2]));
        let holds = v.iter().any(|x| x.abs() >= SMALLEST);
        self.require(holds, field, text, "write a vector that is not zero; its length does not matter")
    }

    /// Any other condition on a field.
    pub fn require(
        &self,
        holds: bool,
        field: &str,
        value: impl std::fmt::Display,
        remedy: &str,
    ) -> Result<(), SceneError> {
        if holds {
            return Ok(());
        }
        let path = self.path.join(&Path::parse(field));
        let spoken = self.cx.spoken(&path);
        Err(self.cx.fault(Fault::Value, &path, format!("`{spoken}` is {value}"), remedy))
    }
}

/// What counts as nothing where something must be, in any unit of the format. Squares and
/// cubes of it are still numbers of a double.
const SMALLEST: f64 = 1e-18;

fn in_unit(unit: &str) -> String {
    if unit == "1" { String::new() } else { format!(" [{unit}]") }
}

/// A number as one writes it: without rows of zeros.
pub(crate) struct Number(pub f64);

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let plain = self.0 == 0.0 || (1e-4..1e7).contains(&self.0.abs()) || !self.0.is_finite();
        if plain { write!(f, "{}", self.0) } else { write!(f, "{:e}", self.0) }
    }
}
