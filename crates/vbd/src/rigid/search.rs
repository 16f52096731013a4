//! How far a step of a cluster goes. Theory: `docs/theory/rigid-rows.md` eq. (36).
//!
//! The objective is known by its slope along the step alone, g(t) = −(all that acts)·step. A step
//! is taken whole where g(1) is not steeper upwards than it was downwards: a contact that opens, a
//! joint that turned far. Else t follows the zero of g between the last points on either side, by
//! the line through two points beyond a wall, else by halves.

use coact_math::Vec6;

/// Looks at the slope, at most.
pub const LOOKS: usize = 8;

/// Slope at the end of a step, as a share of that at its begin, up to which it is taken.
const STEEP: f64 = 0.5;

/// Turn of a body in one step, at most \[rad\].
const LARGEST_TURN: f64 = 1.0;

/// A search along a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Search {
    /// The share of the step to try, or that was taken.
    pub share: f64,
    /// Whether it was taken.
    pub done: bool,
    first: f64,
    /// Share and slope where the objective still falls, and where it rises.
    below: (f64, f64),
    above: Option<(f64, f64)>,
}

impl Search {
    /// A step whose slope at the begin is `slope`.
    pub fn begin(slope: f64, step: &[Vec6]) -> Self {
        let turn = step.iter().map(|s| s.fixed_rows::<3>(3).norm()).fold(0.0, f64::max);
        let share = if turn > LARGEST_TURN { LARGEST_TURN / turn } else { 1.0 };
        // a step that does not lead down is left to the next one
        Self { share, done: slope >= 0.0, first: slope, below: (0.0, slope), above: None }
    }

    /// Takes note of the slope at `share`; asks for another share unless that is good enough.
    pub fn judge(&mut self, slope: f64) {
        let steep = STEEP * self.first.abs();
        if !slope.is_finite() {
            self.above = None;
            self.share *= 0.5;
            return;
        }
        // a whole step that still leads down is left to the next one
        if slope.abs() <= steep || (slope < 0.0 && self.above.is_none()) {
            self.done = true;
            return;
        }
        let before = self.above;
        match slope < 0.0 {
            true => self.below = (self.share, slope),
            false => self.above = Some((self.share, slope)),
        }
        self.share = self.next(before.filter(|_| slope > 0.0));
    }

    /// Between the last points on either side: where the line through two points beyond a wall, or
    /// through one on either side, meets zero; in the middle before anything is known of a wall.
    fn next(&self, before: Option<(f64, f64)>) -> f64 {
        let ((a, _), Some((t, g))) = (self.below, self.above) else { return self.share };
        let zero = match before {
            Some((far, steep)) if steep > g => t - g * (far - t) / (steep - g),
            _ => 0.5 * (a + t),
        };
        let room = 0.01 * (t - a);
        if (a + room..t - room).contains(&zero) { zero } else { 0.5 * (a + t) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(slope: impl Fn(f64) -> f64) -> (f64, usize) {
        let mut s = Search::begin(slope(0.0), &[Vec6::zeros()]);
        for k in 0..LOOKS {
            s.judge(slope(s.share));
            if s.done {
                return (s.share, k + 1);
            }
        }
        (s.share, LOOKS + 1)
    }

    #[test]
    fn a_newton_step_of_a_parabola_is_taken_whole_at_one_look() {
        assert_eq!(run(|t| t - 1.0), (1.0, 1));
    }

    #[test]
    fn a_wall_within_the_step_is_found() {
        let (t, looks) = run(|t| if t < 0.3 { t - 1.0 } else { t - 1.0 + 1e4 * (t - 0.3) });
        assert!((t - 0.3).abs() < 1e-2 && looks <= LOOKS, "{t} {looks}");
    }

    #[test]
    fn no_body_turns_further_than_its_bound_and_no_step_leads_up() {
        let mut turn = Vec6::zeros();
        turn[4] = 4.0;
        assert_eq!(Search::begin(-1.0, &[turn]).share, 0.25);
        assert!(Search::begin(1.0, &[turn]).done);
    }
}
