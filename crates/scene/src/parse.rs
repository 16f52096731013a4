//! Text to types, and the parser's errors into ours.

use std::ops::Range;

use ron::error::{Position, SpannedError};
use ron::extensions::Extensions;

use crate::error::{Fault, SceneError};
use crate::file::SceneFile;
use crate::locate::{Node, Path, Shape};
use crate::nearest::suggestion;
use crate::source::SourceText;
use crate::syntax;

/// Reads the types from the text.
///
/// # Errors
/// The first thing that does not fit, with its place.
pub fn parse(source: &SourceText) -> Result<SceneFile, SceneError> {
    let options = ron::Options::default()
        .with_default_extension(Extensions::IMPLICIT_SOME | Extensions::UNWRAP_VARIANT_NEWTYPES);
    options.from_str(source.text()).map_err(|e| explain(source, &e))
}

/// A parser's error in the words of a scene's author.
fn explain(source: &SourceText, error: &SpannedError) -> SceneError {
    let text = source.text();
    let span = byte_of(text, error.span.start)..byte_of(text, error.span.end);
    let tree = Node::read(text);
    let words = Words { path: tree.as_ref().map(|t| t.path_at(span.start)), tree: tree.as_ref() };
    let mut told = syntax::misread(text, words.tree, words.path.as_ref(), span.start)
        .unwrap_or_else(|| words.of(&error.code, span));
    if let Some(help) = tree.is_none().then(|| syntax::unclosed(text)).flatten() {
        (told.help, told.fault) = (help, Fault::Syntax);
    }
    let place = source.place(told.span, told.label);
    SceneError::new(told.fault, told.message).help(told.help).place(place)
}

pub(crate) struct Told {
    pub fault: Fault,
    pub message: String,
    pub label: String,
    pub help: String,
    pub span: Range<usize>,
}

/// What the words of an error may draw on.
struct Words<'a> {
    path: Option<Path>,
    tree: Option<&'a Node>,
}

impl Words<'_> {
    fn of(&self, code: &ron::Error, span: Range<usize>) -> Told {
        use ron::Error as E;
        let told = |fault, message: String, label: &str, help: String| Told {
            fault,
            message,
            label: label.to_owned(),
            help,
            span: span.clone(),
        };
        match code {
            E::NoSuchStructField { expected, found, outer } => told(
                Fault::UnknownField,
                format!("unknown field `{found}`{}", in_outer(outer.as_ref())),
                "no such field",
                suggestion(found, expected, "fields"),
            ),
            E::NoSuchEnumVariant { expected, found, outer } => told(
                Fault::UnknownVariant,
                format!("unknown choice `{found}`{}", in_outer(outer.as_ref())),
                "no such choice",
                suggestion(found, expected, "choices"),
            ),
            E::MissingStructField { field, outer } => Told {
                span: self.innermost_struct(&span),
                ..told(
                    Fault::MissingField,
                    format!("missing field `{field}`{}", in_outer(outer.as_ref())),
                    "it belongs in here",
                    format!("write `{field}: …` here"),
                )
            },
            E::DuplicateStructField { field, .. } => told(
                Fault::Duplicate,
                format!("field `{field}` is given twice"),
                "for the second time",
                "remove one of the two".into(),
            ),
            E::InvalidValueForType { expected, found } => Told {
                span: self.innermost(&span),
                ..told(
                    Fault::WrongType,
                    format!("expected {expected}, found {found}{}", self.in_path()),
                    "of the wrong type",
                    format!("write {expected}"),
                )
            },
            E::ExpectedDifferentLength { expected, found } => {
                let count = expected.rsplit(' ').next().unwrap_or(expected);
                let path = self.path.as_ref().map(Path::parent).unwrap_or_default();
                Told {
                    span: self.tree.map_or(span.clone(), |t| t.find(&path).0.span.clone()),
                    ..told(
                        Fault::WrongType,
                        format!("expected {count} values at `{path}`, found {found}"),
                        "too few values",
                        format!("write {count} values"),
                    )
                }
            }
            E::Message(text) => told(Fault::Value, text.clone(), "here", "see docs/scene-format.md".into()),
            other => match expected_word(other) {
                Some(word) => Told {
                    span: self.innermost(&span),
                    ..told(
                        Fault::WrongType,
                        format!("expected {word}{}", self.in_path()),
                        "of the wrong type",
                        format!("write {word}"),
                    )
                },
                None => told(
                    Fault::Syntax,
                    lower_first(&other.to_string()),
                    "here",
                    "look for a missing comma, bracket or quote just before this place".into(),
                ),
            },
        }
    }

    fn in_path(&self) -> String {
        match &self.path {
            Some(p) if !p.steps().is_empty() => format!(" at `{p}`"),
            _ => String::new(),
        }
    }

    /// The value at the place, which the parser marks from the blank before it.
    fn innermost(&self, span: &Range<usize>) -> Range<usize> {
        match (self.tree, &self.path) {
            (Some(tree), Some(path)) => tree.find(path).0.span.clone(),
            _ => span.clone(),
        }
    }

    /// The struct around or just before the place: where a missing field belongs.
    fn innermost_struct(&self, span: &Range<usize>) -> Range<usize> {
        let mut node = match self.tree {
            Some(tree) => tree,
            None => return span.clone(),
        };
        let mut found = span.clone();
        if let Some(path) = &self.path {
            for step in path.steps() {
                if matches!(node.shape, Shape::Struct(_)) {
                    found = node.span.clone();
                }
                match node.child(step) {
                    Some(next) => node = next,
                    None => break,
                }
            }
        }
        if matches!(node.shape, Shape::Struct(_)) { node.span.clone() } else { found }
    }
}

fn in_outer(outer: Option<&String>) -> String {
    outer.map_or_else(String::new, |o| format!(" in `{o}`"))
}

/// What the parser wanted, in a user's words; `None` for faults of syntax.
fn expected_word(code: &ron::Error) -> Option<String> {
    use ron::Error as E;
    let word = match code {
        E::ExpectedFloat | E::FloatUnderscore => "a number",
        E::ExpectedInteger | E::InvalidIntegerDigit { .. } => "a whole number",
        E::IntegerOutOfBounds => "a whole number that is not negative and not too large",
        E::ExpectedBoolean => "`true` or `false`",
        E::ExpectedString => "a text in quotes",
        E::ExpectedArray => "a list in square brackets",
        E::ExpectedStructLike | E::ExpectedNamedStructLike(_) => {
            "something in round brackets, as `(a: 1)` or `(1, 2, 3)`"
        }
        E::ExpectedDifferentStructName { expected, found } => {
            return Some(format!("`{expected}(…)` or just `(…)`, not `{found}(…)`"));
        }
        _ => return None,
    };
    Some(word.to_owned())
}

fn lower_first(text: &str) -> String {
    let mut c = text.chars();
    c.next().map_or_else(String::new, |first| first.to_lowercase().chain(c).collect())
}

/// The byte of a line and column that count characters from 1.
fn byte_of(text: &str, at: Position) -> usize {
    let line_start: usize = text.split_inclusive('\n').take(at.line.saturating_sub(1)).map(str::len).sum();
    let tail = text.get(line_start..).unwrap_or("");
    let column = tail.char_indices().nth(at.col.saturating_sub(1)).map_or(tail.len(), |(i, _)| i);
    (line_start + column).min(text.len())
}
