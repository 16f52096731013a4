//! How far a step of the contact problem goes. Theory: `docs/theory/rod-contact.md` eq. (12).
//!
//! Along a step the objective of the contact problem is a parabola and a sum over contacts, each a
//! function of one number per direction: its slope grows, and its root is cheap to find.

use super::touch::{Rate, Touch};

/// Slope at the end of a whole step, over that at its begin, up to which it is taken.
const ENOUGH: f64 = 0.5;

/// Slope that counts as none, over that at the begin.
const LEVEL: f64 = 1e-2;

/// Bisections at most: a share of 10⁻¹⁸ of a step moves nothing.
const HALVINGS: usize = 60;

/// The objective along a step.
pub(super) struct Along<'a> {
    pub touches: &'a [Touch],
    pub rates: &'a [Rate],
    /// Slope of all but contacts at the begin, and its change over the step \[J\].
    pub slope: f64,
    pub curve: f64,
}

impl Along<'_> {
    /// The share of the step to be taken.
    pub fn share(&self) -> f64 {
        let (begin, end) = (self.slope_at(0.0), self.slope_at(1.0));
        if end <= ENOUGH * begin.abs() || end.is_nan() {
            return 1.0;
        }
        let (mut low, mut high) = ((0.0, begin), (1.0, end));
        let mut t = 1.0;
        for k in 0..HALVINGS {
            // secants close in fast on one side, halves on both
            let secant = low.0 - low.1 * (high.0 - low.0) / (high.1 - low.1);
            t = if k % 2 == 0 && secant > low.0 && secant < high.0 { secant } else { 0.5 * (low.0 + high.0) };
            let slope = self.slope_at(t);
            if slope.abs() <= LEVEL * begin.abs() {
                break;
            }
            if slope < 0.0 { low = (t, slope) } else { high = (t, slope) }
        }
        t
    }

    /// r(t)·Δ.
    fn slope_at(&self, t: f64) -> f64 {
        let of = |(touch, rate): (&Touch, &Rate)| {
            let push = touch.law.push(&touch.ahead_by(rate, t));
            push.normal * rate.depth + push.friction.dot(&rate.slip)
        };
        let on = self.touches.iter().zip(self.rates).filter(|(touch, _)| touch.on);
        self.slope + t * self.curve + on.map(of).sum::<f64>()
    }
}
