//! Names with `*` and `?`.

/// Whether `pattern` matches all of `text`: `*` any characters, `?` one.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let (p, t): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    // One row of the table "the first i of pattern match the first j of text".
    let mut row = vec![false; t.len() + 1];
    row[0] = true;
    for &c in &p {
        let mut next = vec![false; t.len() + 1];
        next[0] = c == '*' && row[0];
        for j in 1..=t.len() {
            next[j] = match c {
                '*' => row[j] || next[j - 1],
                '?' => row[j - 1],
                c => row[j - 1] && c == t[j - 1],
            };
        }
        row = next;
    }
    row[t.len()]
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_and_question_marks_match_as_in_a_shell() {
        for (p, t) in [("*", ""), ("box_*", "box_12"), ("b?x", "box"), ("*_1*", "box_12"), ("a**b", "ab")] {
            assert!(matches(p, t), "{p} {t}");
        }
        for (p, t) in [("box_*", "box"), ("b?x", "bx"), ("box", "box_1"), ("", "a"), ("*c", "ab")] {
            assert!(!matches(p, t), "{p} {t}");
        }
    }
}
