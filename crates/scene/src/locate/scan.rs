//! The reader of the span tree: brackets, names, texts, comments.

use super::{Field, Node, Shape};

/// Reads one value that fills the text, apart from blanks and comments.
pub(super) fn read(text: &str) -> Option<Node> {
    let mut s = Scan { text, at: 0, depth: 0 };
    s.skip_attributes()?;
    let node = s.value()?;
    s.blank()?;
    (s.at == text.len()).then_some(node)
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

/// Deepest nesting of brackets; a scene has about ten. Without it a file of brackets alone
/// would overflow the stack.
const DEEPEST: usize = 100;

impl<'a> Scan<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    /// Skips blanks and comments; `None` when a comment does not end.
    fn blank(&mut self) -> Option<()> {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            if self.eat("//") {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            } else if self.eat("/*") {
                self.block_comment()?;
            } else {
                return Some(());
            }
        }
    }

    fn block_comment(&mut self) -> Option<()> {
        let mut depth = 1;
        while depth > 0 {
            if self.eat("/*") {
                depth += 1;
            } else if self.eat("*/") {
                depth -= 1;
            } else {
                self.at += self.peek()?.len_utf8();
            }
        }
        Some(())
    }

    /// Skips `#![enable(…)]` at the head.
    fn skip_attributes(&mut self) -> Option<()> {
        self.blank()?;
        while self.eat("#!") {
            self.at += self.rest().find(']')? + 1;
            self.blank()?;
        }
        Some(())
    }

    fn value(&mut self) -> Option<Node> {
        self.blank()?;
        let start = self.at;
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let shape = match self.peek()? {
            '"' => Shape::Text(self.text_literal()?),
            '[' => self.list('[', ']')?,
            '(' => self.parenthesis()?,
            '{' => self.map()?,
            '\'' => self.char_literal()?,
            'r' if self.rest().starts_with("r\"") || self.rest().starts_with("r#\"") => {
                Shape::Text(self.raw_literal()?)
            }
            _ => self.word()?,
        };
        self.depth -= 1;
        Some(Node { span: start..self.at, shape })
    }

    /// A number, a word, or a word with a bracket: `1e-3`, `Corners`, `Box(min: …)`.
    fn word(&mut self) -> Option<Shape> {
        let len = word_len(self.rest());
        if len == 0 {
            return None;
        }
        self.at += len;
        let after_word = self.at;
        self.blank()?;
        if self.peek() == Some('(') {
            return self.parenthesis();
        }
        self.at = after_word;
        Some(Shape::Scalar)
    }

    /// `(a: 1)` is a struct, `(1, 2)` a list.
    fn parenthesis(&mut self) -> Option<Shape> {
        let start = self.at;
        self.at += 1;
        self.blank()?;
        let name = word_len(self.rest());
        self.at += name;
        self.blank()?;
        let is_struct = name > 0 && self.rest().starts_with(':');
        self.at = start;
        if is_struct { self.fields() } else { self.list('(', ')') }
    }

    fn fields(&mut self) -> Option<Shape> {
        self.at += 1;
        let mut fields = Vec::new();
        loop {
            self.blank()?;
            if self.eat(")") {
                return Some(Shape::Struct(fields));
            }
            let len = word_len(self.rest());
            let name_span = self.at..self.at + len;
            self.at += len;
            self.blank()?;
            if len == 0 || !self.eat(":") {
                return None;
            }
            let value = self.value()?;
            let name = self.text[name_span.clone()].trim_start_matches("r#").to_owned();
            fields.push(Field { name, name_span, value });
            self.comma(')')?;
        }
    }

    fn list(&mut self, open: char, close: char) -> Option<Shape> {
        debug_assert_eq!(self.peek(), Some(open));
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.blank()?;
            if self.peek()? == close {
                self.at += 1;
                return Some(Shape::List(items));
            }
            items.push(self.value()?);
            self.comma(close)?;
        }
    }

    /// `{key: value}`: the values, since no scene type is a map; kept for the path's sake.
    fn map(&mut self) -> Option<Shape> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.blank()?;
            if self.eat("}") {
                return Some(Shape::List(items));
            }
            self.value()?;
            self.blank()?;
            if !self.eat(":") {
                return None;
            }
            items.push(self.value()?);
            self.comma('}')?;
        }
    }

    /// A comma, or the closing bracket, which stays.
    fn comma(&mut self, close: char) -> Option<()> {
        self.blank()?;
        (self.eat(",") || self.peek() == Some(close)).then_some(())
    }

    fn text_literal(&mut self) -> Option<String> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let c = self.peek()?;
            self.at += c.len_utf8();
            match c {
                '"' => return Some(out),
                '\\' => {
                    let escaped = self.peek()?;
                    self.at += escaped.len_utf8();
                    out.push(escaped);
                }
                c => out.push(c),
            }
        }
    }

    fn raw_literal(&mut self) -> Option<String> {
        let hashes = self.rest()[1..].chars().take_while(|&c| c == '#').count();
        self.at += 2 + hashes;
        let end = format!("\"{}", "#".repeat(hashes));
        let len = self.rest().find(&end)?;
        let out = self.rest()[..len].to_owned();
        self.at += len + end.len();
        Some(out)
    }

    fn char_literal(&mut self) -> Option<Shape> {
        let escaped = self.rest()[1..].starts_with('\\');
        let from = 1 + 2 * usize::from(escaped);
        let len = self.rest().get(from..)?.find('\'')?;
        self.at += from + len + 1;
        Some(Shape::Scalar)
    }
}

/// Length of a word or number at the head of `text`.
fn word_len(text: &str) -> usize {
    let raw = if text.starts_with("r#") { 2 } else { 0 };
    let tail = &text[raw..];
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '+' | '.');
    raw + tail.find(|c| !inside(c)).unwrap_or(tail.len())
}
