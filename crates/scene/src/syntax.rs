//! Slips that a parser of brackets and commas can only call "expected comma": said in the
//! words of the one who made them.

use crate::brackets;
use crate::error::Fault;
use crate::locate::{Node, Path, Shape};
use crate::parse::Told;

const SMALLEST: &str = "the smallest scene is \
    `(cloths: [(name: \"a\", mesh: Grid(cells: (9, 9), size: (1, 1)))], solvers: [Vbd(name: \"b\")])`";

/// What was meant at byte `at`, where the parser stumbled, if it is one of the known slips.
pub(crate) fn misread(text: &str, tree: Option<&Node>, path: Option<&Path>, at: usize) -> Option<Told> {
    if is_blank(text) {
        return Some(Told {
            fault: Fault::Syntax,
            message: "the scene is empty".into(),
            label: "nothing here".into(),
            help: SMALLEST.into(),
            span: 0..0,
        });
    }
    let (tree, path) = (tree?, path?);
    broken_number(text, at, path).or_else(|| fields_of_a_word(text, at)).or_else(|| too_many(tree, path, at))
}

/// Which text or bracket is not closed.
pub(crate) fn unclosed(text: &str) -> Option<String> {
    let line = |at: usize| text[..at].matches('\n').count() + 1;
    if let Some(open) = brackets::open_text(text) {
        return Some(format!(
            "the text that begins on line {} seems not to end: look for a `\"`",
            line(open)
        ));
    }
    let open = brackets::suspect(text)?;
    let bracket = &text[open..=open];
    Some(format!("the `{bracket}` of line {} seems not to be closed: look there first", line(open)))
}

/// Whether there are only blanks and comments.
fn is_blank(text: &str) -> bool {
    Node::read(&format!("[{text}\n]")).is_some_and(|n| matches!(n.shape, Shape::List(l) if l.is_empty()))
}

/// `3.5` where a whole number belongs: the parser stops at the point.
fn broken_number(text: &str, at: usize, path: &Path) -> Option<Told> {
    let digit = |c: char| c.is_ascii_digit();
    let start = text[..at].trim_end_matches(|c| digit(c) || c == '_').trim_end_matches(['-', '+']).len();
    let tail = text[at..].chars().next()?;
    if !matches!(tail, '.' | 'e' | 'E') || !text[..at].ends_with(digit) {
        return None;
    }
    let len = text[start..].find([',', ')', ']', ' ', '\n']).unwrap_or(text.len() - start);
    Some(Told {
        fault: Fault::WrongType,
        message: format!("expected a whole number at `{path}`, found {}", &text[start..start + len]),
        label: "of the wrong type".into(),
        help: "write a whole number".into(),
        span: start..start + len,
    })
}

/// `Fixed(drive: …)`, where `Fixed` has no fields: the parser stops at the bracket.
fn fields_of_a_word(text: &str, at: usize) -> Option<Told> {
    let head = text[..at].trim_end();
    let start = head.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_').len();
    let word = &head[start..];
    if !text[at..].starts_with('(') || !word.starts_with(char::is_uppercase) {
        return None;
    }
    Some(Told {
        fault: Fault::UnknownField,
        message: format!("`{word}` takes no fields"),
        label: "without brackets".into(),
        help: format!("write `{word}` alone; docs/scene-format.md lists what has fields"),
        span: start..head.len(),
    })
}

/// `(1, 2, 3, 4)` for `(x, y, z)`: the parser stops at the value too many.
fn too_many(tree: &Node, path: &Path, at: usize) -> Option<Told> {
    let mut node = tree;
    let mut list = None;
    for (taken, step) in path.steps().iter().enumerate() {
        if let Shape::List(items) = &node.shape {
            list = Some((taken, node, items));
        }
        node = node.child(step)?;
    }
    let (_, list, items) = list.filter(|l| l.0 + 1 == path.steps().len())?;
    let count = items.iter().position(|n| n.span.start <= at && at <= n.span.end).filter(|&k| k > 1)?;
    Some(Told {
        fault: Fault::WrongType,
        message: format!("expected {count} values at `{}`, found {}", path.parent(), items.len()),
        label: "too many values".into(),
        help: format!("write {count} values"),
        span: list.span.clone(),
    })
}
