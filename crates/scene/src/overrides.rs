//! `--set path=value`: edits of the scene's text.
//!
//! A path names fields and elements: `run.dt=0.002`, `cloths.sheet.density=0.3`,
//! `bodies.0.mass=2`. The value is what would stand in the file. A field that the file
//! leaves out is added to its struct; whether it exists there is left to the parser, whose
//! complaint then points at the override.

use crate::error::{Fault, Place, SceneError};
use crate::locate::{Node, Path, Shape, Step};
use crate::nearest::suggestion;
use crate::source::SourceText;

/// Applies overrides `path=value`, in order.
///
/// # Errors
/// An argument without `=`, a path through something that has no fields, an element that
/// does not exist.
pub fn apply_overrides(source: &mut SourceText, overrides: &[String]) -> Result<(), SceneError> {
    overrides.iter().try_for_each(|o| apply(source, o))
}

fn apply(source: &mut SourceText, text: &str) -> Result<(), SceneError> {
    let text = text.trim();
    let (path, value) = split(text)?;
    let Some(tree) = Node::read(source.text()) else {
        return Ok(()); // brackets do not match: the parser says so with its place
    };
    let path = Path::parse(path);
    let (node, taken) = tree.find(&path);
    let missing = &path.steps()[taken..];
    if missing.is_empty() {
        let span = node.span.clone();
        source.replace(span, value, text);
        return Ok(());
    }
    let at = insertion_point(source.text(), node, missing).map_err(|told| told.of(text, &path, taken))?;
    let (open, close) = if needs_brackets(node) { ("(", ")") } else { ("", "") };
    let comma = if ends_with_comma(source.text(), node, at) { "" } else { ", " };
    let inserted = format!("{comma}{open}{}{close}", nested(missing, value));
    source.replace(at..at, &inserted, text);
    Ok(())
}

fn split(text: &str) -> Result<(&str, &str), SceneError> {
    let parts = text.split_once('=').map(|(p, v)| (p.trim(), v.trim()));
    match parts {
        Some((p, v)) if !p.is_empty() && !v.is_empty() && p.split('.').all(|s| !s.trim().is_empty()) => {
            one_value(text, v).map(|()| (p, v))
        }
        _ => Err(SceneError::new(Fault::Override, format!("override `{text}` is not `path=value`"))
            .help("write for instance `--set run.dt=0.002` or `--set cloths.sheet.density=0.3`")
            .place(Place::new("--set", text, 0, text.len(), "not of the form `path=value`".into()))),
    }
}

/// The value must stand for itself: no open bracket, nothing behind it.
fn one_value(text: &str, value: &str) -> Result<(), SceneError> {
    if Node::read(value).is_some_and(|node| node.span == (0..value.len())) {
        return Ok(());
    }
    let place = Place::new("--set", text, text.len() - value.len(), value.len(), "not one value".into());
    let help = "write one value as it would stand in the file: `0.3`, `(0, 0, 1)`, `\"text\"`";
    Err(SceneError::new(Fault::Override, format!("`{value}` is not one value")).help(help).place(place))
}

/// `a: (b: value)` for the steps `a`, `b`.
fn nested(steps: &[Step], value: &str) -> String {
    let mut text = value.to_owned();
    for (i, step) in steps.iter().enumerate().rev() {
        let name = match step {
            Step::Key(k) => k.clone(),
            Step::Index(n) => n.to_string(),
        };
        text = if i == 0 { format!("{name}: {text}") } else { format!("({name}: {text})") };
    }
    text
}

/// What is missing where a field would be added: the element, fields at all, or the list.
enum Told {
    Element { step: Step, names: Vec<String>, count: usize },
    Fields,
    LeftOut,
}

impl Told {
    fn of(self, text: &str, path: &Path, taken: usize) -> SceneError {
        let missing = path.steps().len() - taken;
        let so_far = (0..missing).fold(path.clone(), |p, _| p.parent());
        let (message, help) = match self {
            Self::Element { step: Step::Key(k), names, .. } => {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                (format!("`{so_far}` has no element `{k}`"), suggestion(&k, &names, "names there"))
            }
            Self::Element { step: Step::Index(i), count, .. } => {
                (format!("`{so_far}` has no element {i}"), format!("it has {count} elements, counted from 0"))
            }
            Self::LeftOut => (
                format!("the file leaves `{}` out: it has no elements to replace", path.parent()),
                "give the whole value, as in `--set gravity=(0,0,-1)`".to_owned(),
            ),
            Self::Fields => (
                format!("`{so_far}` is a plain value: it has no fields"),
                format!("write `--set {so_far}=…` to replace it"),
            ),
        };
        SceneError::new(Fault::Override, message).help(help).place(Place::new(
            "--set",
            text,
            0,
            text.len(),
            "cannot be applied".into(),
        ))
    }
}

/// Where a field goes: before the closing bracket of the struct.
fn insertion_point(text: &str, node: &Node, missing: &[Step]) -> Result<usize, Told> {
    let first = missing[0].clone();
    if missing[1..].iter().any(|s| matches!(s, Step::Index(_))) {
        return Err(Told::LeftOut);
    }
    match (&node.shape, &first) {
        (Shape::List(items), _) if text[node.span.clone()].starts_with('[') || !items.is_empty() => {
            let names = items.iter().filter_map(|n| n.name().map(str::to_owned)).collect();
            Err(Told::Element { step: first, names, count: items.len() })
        }
        (Shape::Struct(_) | Shape::List(_), Step::Key(_)) => Ok(node.span.end - 1),
        (Shape::Scalar, Step::Key(_)) if is_word(&text[node.span.clone()]) => Ok(node.span.end),
        _ => Err(Told::Fields),
    }
}

/// A choice without brackets, such as `Auto`, gets its brackets with the first field.
fn needs_brackets(node: &Node) -> bool {
    node.shape == Shape::Scalar
}

fn is_word(text: &str) -> bool {
    text.starts_with(char::is_uppercase)
}

/// Whether nothing or a comma stands before the insertion.
fn ends_with_comma(text: &str, node: &Node, at: usize) -> bool {
    match &node.shape {
        Shape::Struct(fields) => fields.last().is_none_or(|f| {
            Node::read(&format!("[0{}]", &text[f.value.span.end..at])).is_some()
                && text[f.value.span.end..at].contains(',')
        }),
        _ => true,
    }
}
