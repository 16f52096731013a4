//! Where a value stands in the text: a span for every value of a scene, found by path.
//!
//! The parser of the types gives values without places. This reads the same text a second
//! time into a bare tree of spans, so that a later check can point at `cloths.sheet.density`.
//! It is lenient: it is used on text that has parsed, or to apply an override.

mod scan;

use std::fmt;
use std::ops::Range;

/// One step from a value to a value inside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A field, or the element of a list that carries this `name`.
    Key(String),
    /// An element of a list or tuple, from 0.
    Index(usize),
}

impl Step {
    /// Whether it is the field of that name.
    pub fn is(&self, name: &str) -> bool {
        matches!(self, Self::Key(k) if k == name)
    }
}

/// A path from the whole scene to a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path(Vec<Step>);

impl Path {
    /// The whole scene.
    pub fn root() -> Self {
        Self::default()
    }

    /// From dotted text: `cloths.sheet.density`, `bodies.0.mass`.
    pub fn parse(text: &str) -> Self {
        let step = |s: &str| match s.parse() {
            Ok(i) => Step::Index(i),
            Err(_) => Step::Key(s.to_owned()),
        };
        Self(text.split('.').map(str::trim).filter(|s| !s.is_empty()).map(step).collect())
    }

    /// A field below.
    pub fn key(&self, name: &str) -> Self {
        self.push(Step::Key(name.to_owned()))
    }

    /// An element below.
    pub fn index(&self, i: usize) -> Self {
        self.push(Step::Index(i))
    }

    /// A path continued by another.
    pub fn join(&self, below: &Self) -> Self {
        Self(self.0.iter().chain(&below.0).cloned().collect())
    }

    /// The value around.
    pub fn parent(&self) -> Self {
        Self(self.0[..self.0.len().saturating_sub(1)].to_vec())
    }

    /// Its steps.
    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    fn push(&self, step: Step) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        Self(steps)
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, step) in self.0.iter().enumerate() {
            let dot = if i == 0 { "" } else { "." };
            match step {
                Step::Key(k) => write!(f, "{dot}{k}")?,
                Step::Index(n) => write!(f, "{dot}{n}")?,
            }
        }
        Ok(())
    }
}

/// A value of the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Its bytes.
    pub span: Range<usize>,
    /// What it is made of.
    pub shape: Shape,
}

/// A field of a struct.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// The bytes of its name.
    pub name_span: Range<usize>,
    /// Its value.
    pub value: Node,
}

/// What a value is made of.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// `(a: 1, b: 2)`, perhaps with a name before it.
    Struct(Vec<Field>),
    /// `[1, 2]`, `(1, 2)` or `Name(1)`.
    List(Vec<Node>),
    /// A number or word.
    Scalar,
    /// A text, without its quotes.
    Text(String),
}

impl Node {
    /// Reads the text of a whole scene. `None` when brackets do not match.
    pub fn read(text: &str) -> Option<Self> {
        scan::read(text)
    }

    /// The value one step below.
    pub fn child(&self, step: &Step) -> Option<&Self> {
        match (&self.shape, step) {
            (Shape::List(items), Step::Index(i)) => items.get(*i).or_else(|| self.inner()?.child(step)),
            (Shape::List(items), Step::Key(name)) => {
                items.iter().find(|n| n.name() == Some(name)).or_else(|| self.inner()?.child(step))
            }
            (Shape::Struct(_), Step::Key(name)) => Some(&self.field(name)?.value),
            _ => None,
        }
    }

    /// The value at the end of the path, or the nearest one that exists on the way, with
    /// the number of steps that were taken.
    pub fn find(&self, path: &Path) -> (&Self, usize) {
        let mut node = self;
        for (taken, step) in path.steps().iter().enumerate() {
            match node.child(step) {
                Some(next) => node = next,
                None => return (node, taken),
            }
        }
        (node, path.steps().len())
    }

    /// A field of a struct.
    pub fn field(&self, name: &str) -> Option<&Field> {
        match &self.shape {
            Shape::Struct(fields) => fields.iter().find(|f| f.name == name),
            _ => None,
        }
    }

    /// The text of the field `name`, by which a list element is known.
    pub fn name(&self) -> Option<&str> {
        match (self.field("name"), self.inner()) {
            (Some(field), _) => field.value.as_text(),
            (None, Some(inner)) => inner.name(),
            (None, None) => None,
        }
    }

    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match &self.shape {
            Shape::Text(t) => Some(t),
            _ => None,
        }
    }

    /// The path to the innermost value around byte `at`, elements by name where they have one.
    pub fn path_at(&self, at: usize) -> Path {
        let mut path = Path::root();
        let mut node = self;
        while let Some((step, next)) = node.child_at(at) {
            path = path.push(step);
            node = next;
        }
        path
    }

    fn child_at(&self, at: usize) -> Option<(Step, &Self)> {
        let around = |n: &Self| n.span.start <= at && at <= n.span.end;
        match &self.shape {
            Shape::Struct(fields) => fields
                .iter()
                .find(|f| f.name_span.start <= at && at <= f.value.span.end)
                .map(|f| (Step::Key(f.name.clone()), &f.value)),
            Shape::List(items) => items.iter().enumerate().find(|(_, n)| around(n)).map(|(i, n)| {
                let step = n.name().map_or(Step::Index(i), |name| Step::Key(name.to_owned()));
                (step, n)
            }),
            _ => None,
        }
    }

    /// Every scalar of the tree, in order.
    pub fn scalars<'a>(&'a self, found: &mut Vec<&'a Self>) {
        match &self.shape {
            Shape::Struct(fields) => fields.iter().for_each(|f| f.value.scalars(found)),
            Shape::List(items) => items.iter().for_each(|n| n.scalars(found)),
            Shape::Scalar => found.push(self),
            Shape::Text(_) => {}
        }
    }

    /// The only element of a one-element list: `Some(x)`, `Vbd((…))`.
    fn inner(&self) -> Option<&Self> {
        match &self.shape {
            Shape::List(items) if items.len() == 1 => items.first(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r##"// a scene (with a bracket in a comment
Scene(
    description: "not a ) bracket, \"quoted\"",
    /* nested /* comment */ ( */
    cloths: [
        (name: "sheet", density: 0.2, pins: [Corners, Vertices([0, 5])]),
        (name: r#"flag"#, density: -1e-3, mesh: Grid(cells: (4, 5), size: (1, 1))),
    ],
    solvers: [Vbd(name: "soft", iterations: 10), Vbd((name: "other"))],
    run: (dt: 0.004),
)
"##;

    fn at(path: &str) -> &'static str {
        let tree = Node::read(TEXT).unwrap();
        let path = Path::parse(path);
        let (node, taken) = tree.find(&path);
        assert_eq!(taken, path.steps().len(), "{path}");
        &TEXT[node.span.clone()]
    }

    #[test]
    fn values_are_found_by_index_and_by_name() {
        assert_eq!(at("cloths.0.density"), "0.2");
        assert_eq!(at("cloths.sheet.density"), "0.2");
        assert_eq!(at("cloths.flag.density"), "-1e-3");
        assert_eq!(at("cloths.flag.mesh.cells.1"), "5");
        assert_eq!(at("cloths.0.pins.1"), "Vertices([0, 5])");
        assert_eq!(at("cloths.0.pins.1.0.1"), "5");
        assert_eq!(at("solvers.soft.iterations"), "10");
        assert_eq!(at("solvers.1.name"), "\"other\"");
        assert_eq!(at("run.dt"), "0.004");
    }

    #[test]
    fn a_missing_value_stops_at_the_nearest_one() {
        let tree = Node::read(TEXT).unwrap();
        let (node, taken) = tree.find(&Path::parse("cloths.sheet.bending"));
        assert_eq!(taken, 2);
        assert!(TEXT[node.span.clone()].starts_with("(name: \"sheet\""));
    }

    #[test]
    fn unmatched_brackets_give_nothing() {
        assert!(Node::read("(a: [1, 2)").is_none());
        assert!(Node::read("(a: 1").is_none());
        assert!(Node::read("(a: \"x").is_none());
    }
}
