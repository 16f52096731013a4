//! The text of a scene with its overrides, as a list of pieces.
//!
//! An override is an edit of the text. Each piece remembers where it came from, so that a
//! fault is shown where the user wrote it: in the file, or in the `--set` argument.

use std::ops::Range;

use crate::error::Place;

/// Where a piece came from.
#[derive(Clone, Debug, PartialEq)]
enum Origin {
    /// Bytes of the file, from this offset.
    File(usize),
    /// An override, by index.
    Override(usize),
}

#[derive(Clone, Debug, PartialEq)]
struct Piece {
    text: String,
    origin: Origin,
}

/// A scene's text with overrides applied.
#[derive(Clone, Debug)]
pub struct SourceText {
    name: String,
    file: String,
    overrides: Vec<String>,
    pieces: Vec<Piece>,
    text: String,
}

impl SourceText {
    /// The text of the file `name`, without overrides.
    pub fn new(name: &str, text: &str) -> Self {
        let pieces = vec![Piece { text: text.to_owned(), origin: Origin::File(0) }];
        Self {
            name: name.to_owned(),
            file: text.to_owned(),
            overrides: Vec::new(),
            pieces,
            text: text.to_owned(),
        }
    }

    /// The text as it counts: overrides applied.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The name of the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The overrides, as they were given.
    pub fn overrides(&self) -> &[String] {
        &self.overrides
    }

    /// Replaces `range` of the text on behalf of an override.
    pub(crate) fn replace(&mut self, range: Range<usize>, with: &str, on_behalf: &str) {
        let index = self.overrides.len();
        self.overrides.push(on_behalf.to_owned());
        let first = self.split_at(range.start);
        let last = self.split_at(range.end);
        let piece = Piece { text: with.to_owned(), origin: Origin::Override(index) };
        self.pieces.splice(first..last, [piece]);
        self.text = self.pieces.iter().map(|p| p.text.as_str()).collect();
    }

    /// The place of `range` of the text, in the file or in the override it came from.
    pub fn place(&self, range: Range<usize>, label: impl Into<String>) -> Place {
        let label = label.into();
        let mut start = 0;
        for piece in &self.pieces {
            let end = start + piece.text.len();
            let inside = range.start < end || (range.start == end && end == self.text.len());
            if inside {
                return self.place_in(piece, range.start - start, range.len(), label);
            }
            start = end;
        }
        Place::new(&self.name, &self.file, self.file.len(), 0, label)
    }

    fn place_in(&self, piece: &Piece, offset: usize, len: usize, label: String) -> Place {
        match piece.origin {
            Origin::File(base) => Place::new(&self.name, &self.file, base + offset, len, label),
            Origin::Override(i) => {
                let text = &self.overrides[i];
                Place::new("--set", text, 0, text.len(), label)
            }
        }
    }

    /// Makes `at` a border between pieces; the index of the piece that starts there.
    fn split_at(&mut self, at: usize) -> usize {
        let mut start = 0;
        for i in 0..self.pieces.len() {
            let len = self.pieces[i].text.len();
            if at == start {
                return i;
            }
            if at < start + len {
                let piece = &mut self.pieces[i];
                let tail = piece.text.split_off(at - start);
                let origin = match piece.origin {
                    Origin::File(base) => Origin::File(base + (at - start)),
                    Origin::Override(k) => Origin::Override(k),
                };
                self.pieces.insert(i + 1, Piece { text: tail, origin });
                return i + 1;
            }
            start += len;
        }
        self.pieces.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_behind_an_edit_is_the_place_in_the_file() {
        let mut s = SourceText::new("a.ron", "one\ntwo three\nfour");
        s.replace(4..7, "a much longer word", "x=1");
        let at = s.text().find("four").unwrap();
        let p = s.place(at..at + 4, "");
        assert_eq!((p.file(), p.line(), p.column()), ("a.ron", 3, 1));
        let at = s.text().find("longer").unwrap();
        assert_eq!(s.place(at..at + 1, "").file(), "--set");
    }

    #[test]
    fn edits_of_edits_keep_both_origins() {
        let mut s = SourceText::new("a.ron", "abc");
        s.replace(1..1, "(x: 1)", "first");
        let at = s.text().find('1').unwrap();
        s.replace(at..at + 1, "2", "second");
        assert_eq!(s.text(), "a(x: 2)bc");
        assert_eq!(s.overrides(), ["first", "second"]);
        let end = s.text().len();
        assert_eq!(s.place(end..end, "").column(), 4);
    }
}
