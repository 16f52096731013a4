//! Which bracket is not closed: a guess by the layout of the lines.

/// The opening bracket that is most likely not closed, as a byte offset. A closing bracket
/// that starts its line tells, by its indentation, which line it means to close.
pub fn suspect(text: &str) -> Option<usize> {
    let mut open: Vec<(usize, u8)> = Vec::new();
    for (at, b) in code_brackets(text) {
        if matches!(b, b'(' | b'[' | b'{') {
            open.push((at, b));
            continue;
        }
        let (opened, with) = open.pop()?;
        let fits = matches!((with, b), (b'(', b')') | (b'[', b']') | (b'{', b'}'));
        let astray = starts_line(text, at) && indent(text, opened) > indent(text, at);
        if !fits || astray {
            return Some(opened);
        }
    }
    open.last().map(|o| o.0)
}

/// The first text that runs over a line break, as a byte offset of its quote: most likely its
/// closing quote is missing.
pub fn open_text(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut i = 0;
    while i < bytes.len() {
        match bytes[i] {
            b'"' => {
                let end = text_end(bytes, i).min(bytes.len());
                if bytes[i..end].contains(&b'\n') {
                    return Some(i);
                }
                i = end;
            }
            b'/' if bytes.get(i + 1) == Some(&b'/') => i += text[i..].find('\n').unwrap_or(text.len() - i),
            _ => {}
        }
        i += 1;
    }
    None
}

fn indent(text: &str, at: usize) -> usize {
    let start = text[..at].rfind('\n').map_or(0, |i| i + 1);
    let line = &text[start..];
    line.len() - line.trim_start_matches(' ').len()
}

fn starts_line(text: &str, at: usize) -> bool {
    let start = text[..at].rfind('\n').map_or(0, |i| i + 1);
    text[start..at].trim().is_empty()
}

/// Brackets outside comments and texts.
fn code_brackets(text: &str) -> Vec<(usize, u8)> {
    let bytes = text.as_bytes();
    let (mut found, mut i) = (Vec::new(), 0);
    while i < bytes.len() {
        match bytes[i] {
            b'"' => i = text_end(bytes, i),
            b'/' if bytes.get(i + 1) == Some(&b'/') => {
                i += text[i..].find('\n').unwrap_or(text.len() - i);
            }
            b'/' if bytes.get(i + 1) == Some(&b'*') => {
                i += text[i..].find("*/").map_or(text.len() - i, |n| n + 1);
            }
            b @ (b'(' | b')' | b'[' | b']' | b'{' | b'}') => found.push((i, b)),
            _ => {}
        }
        i += 1;
    }
    found
}

/// The closing quote of the text that starts at `i`.
fn text_end(bytes: &[u8], mut i: usize) -> usize {
    i += 1;
    while i < bytes.len() && bytes[i] != b'"' {
        i += if bytes[i] == b'\\' { 2 } else { 1 };
    }
    i
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_runs_over_a_line_break_is_suspect() {
        let text = "(\n    a: \"ok\", // it's \"fine\n    b: \"open,\n    c: \"x\",\n)\n";
        assert_eq!(open_text(text), text.find("\"open"));
        assert_eq!(open_text("(a: \"x\")"), None);
    }

    #[test]
    fn the_bracket_that_is_not_closed_is_found_by_the_layout() {
        let text = "(\n    a: [\n        (x: 1, s: \")\"),\n        (y: 2,\n    ],\n)\n";
        assert_eq!(suspect(text), text.find("(y"));
        let text = "(\n    run: (dt: 1,\n    out: (b: 2),\n)\n";
        assert_eq!(suspect(text), text.find("(dt"));
        assert_eq!(suspect("(a: [1, 2])"), None);
        assert_eq!(suspect("(a: 1"), Some(0));
    }
}
