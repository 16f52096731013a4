//! The nearest valid name, for "did you mean".

/// The candidate closest to `word`, if it is close enough to be a slip of the pen.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let score = |c: &str| {
        let (a, b) = (word.to_lowercase(), c.to_lowercase());
        let contained = a.len() >= 3 && (b.contains(&a) || (b.len() >= 3 && a.contains(&b)));
        let one_slip = a.len() >= 3 && strsim::osa_distance(&a, &b) == 1;
        let floor = if one_slip {
            0.95
        } else if contained {
            0.85
        } else {
            0.0
        };
        strsim::jaro_winkler(&a, &b).max(floor)
    };
    candidates
        .into_iter()
        .map(|c| (score(c), c))
        .filter(|(s, _)| *s > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, c)| c)
}

/// Candidates that a list names at most, where none is near.
const MOST: usize = 40;

/// What to write instead of `word`: the nearest candidate, and the list of all.
pub fn suggestion(word: &str, candidates: &[&str], what: &str) -> String {
    let listed = |names: &[&str]| names.iter().map(|c| format!("`{c}`")).collect::<Vec<_>>().join(", ");
    let all = || listed(candidates);
    match (nearest(word, candidates.iter().copied()), candidates.len()) {
        (_, 0) => format!("there are no {what}"),
        (Some(near), 1..=12) => format!("did you mean `{near}`? {what}: {}", all()),
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, 0..=MOST) => format!("{what}: {}", all()),
        (None, n) => format!("{what}: {}, … ({n} in all)", listed(&candidates[..MOST])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_find_their_name_and_strangers_do_not() {
        let names = ["density", "damping", "bending"];
        assert_eq!(nearest("dnsity", names), Some("density"));
        assert_eq!(nearest("Bending", names), Some("bending"));
        assert_eq!(nearest("colour", names), None);
        assert_eq!(nearest("Vdb", ["Vbd", "Articulated"]), Some("Vbd"));
    }
}
