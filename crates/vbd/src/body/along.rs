//! A quadratic form along the segment between two places, and how far it may be followed.

/// |a|², |b|² and a·b of the two ends.
#[derive(Clone, Copy, Debug, Default)]
pub struct Along {
    pub begin: f64,
    pub end: f64,
    pub mixed: f64,
}

impl Along {
    /// The largest share of the way from the begin to the end where the form is at most `most`; 0 where
    /// it is more at the begin already.
    ///
    /// ```text
    /// |a + s (b − a)|² = begin + 2 s (mixed − begin) + s² (begin − 2 mixed + end) = most
    /// ```
    pub fn share(&self, most: f64) -> f64 {
        if self.end <= most {
            return 1.0;
        }
        let (a, b) = (self.begin - 2.0 * self.mixed + self.end, self.mixed - self.begin);
        let root = (b * b - a * (self.begin - most)).max(0.0).sqrt();
        if a > 0.0 { ((root - b) / a).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// The share of the way at which the form is least.
    pub fn nearest(&self) -> f64 {
        let (curve, slope) = (self.begin - 2.0 * self.mixed + self.end, self.begin - self.mixed);
        if curve > 0.0 { (slope / curve).clamp(0.0, 1.0) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_is_followed_up_to_its_bound() {
        // from −1 over 0 to 3 on a line
        let along = Along { begin: 1.0, end: 9.0, mixed: -3.0 };
        let at = |s: f64| (4.0 * s - 1.0).powi(2);
        for most in [1.0, 2.0, 5.0, 8.9] {
            let s = along.share(most);
            assert!((at(s) - most).abs() < 1e-12 && s > 0.25);
        }
        assert_eq!(along.share(9.0), 1.0);
        assert_eq!(along.nearest(), 0.25);
        assert_eq!(Along { begin: 4.0, end: 9.0, mixed: 6.0 }.share(1.0), 0.0);
    }
}
