//! Numbers for people: six figures, no rows of zeros.

/// `value` with six significant figures.
pub fn six(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{}", value + 0.0); // adding zero drops the sign of -0
    }
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    if (1e-4..1e7).contains(&rounded.abs()) { format!("{rounded}") } else { format!("{rounded:e}") }
}

/// `value` with all its figures.
pub fn exact(value: f64) -> String {
    let plain = value == 0.0 || (1e-4..1e7).contains(&value.abs()) || !value.is_finite();
    if plain { format!("{value}") } else { format!("{value:e}") }
}

#[cfg(test)]
mod tests {
    use super::{exact, six};

    #[test]
    fn exact_figures_are_all_there() {
        assert_eq!(exact(0.1 + 0.2), "0.30000000000000004");
        assert_eq!(exact(-1.25e-11), "-1.25e-11");
    }

    #[test]
    fn figures_are_few_and_enough() {
        let cases =
            [(0.0, "0"), (-0.0, "0"), (3.3791666666666664, "3.37917"), (9.600000000000001e-8, "9.6e-8")];
        for (x, text) in cases {
            assert_eq!(six(x), text);
        }
        assert_eq!(
            (six(2.908e40), six(f64::NAN), six(-1234567.8)),
            ("2.908e40".into(), "NaN".into(), "-1234570".into())
        );
    }
}
