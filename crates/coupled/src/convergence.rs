//! When a coupler stops iterating: the convergence axis of a coupler.

/// When the passes of one step end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Convergence {
    /// After this many passes; nothing is tested.
    FixedCount(usize),
    /// When both residuals are met, or the count is used up.
    Tolerance {
        /// Largest distance between an endpoint and its proxy \[m\].
        primal: f64,
        /// Largest change of an interface force in a pass, relative to the largest force of
        /// this step and of the one before.
        dual: f64,
        /// Passes at most.
        max_iterations: usize,
    },
}

impl Default for Convergence {
    fn default() -> Self {
        Self::FixedCount(1)
    }
}

/// Residuals of the pass that just ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Residuals {
    /// \[m\].
    pub primal: f64,
    /// \[N\].
    pub dual: f64,
    /// Largest interface force \[N\].
    pub force: f64,
    /// The same, that of the step before included: what `dual` is measured by.
    pub scale: f64,
}

impl Residuals {
    /// The larger of each; a residual that is not a number stays one.
    pub fn max(self, o: Self) -> Self {
        let larger = |a: f64, b: f64| if b > a || b.is_nan() { b } else { a };
        Self {
            primal: larger(self.primal, o.primal),
            dual: larger(self.dual, o.dual),
            force: larger(self.force, o.force),
            scale: larger(self.scale, o.scale),
        }
    }
}

impl Convergence {
    /// Passes at most.
    pub fn max_iterations(&self) -> usize {
        match *self {
            Self::FixedCount(n) => n,
            Self::Tolerance { max_iterations, .. } => max_iterations,
        }
    }

    /// Whether the residuals are small enough; a fixed count never asks for more.
    pub(crate) fn is_met(&self, r: &Residuals) -> bool {
        match *self {
            Self::FixedCount(_) => true,
            Self::Tolerance { primal, dual, .. } => r.primal <= primal && r.dual <= dual * r.scale,
        }
    }

    /// Whether the residuals end the passes early.
    pub(crate) fn ends_early(&self, r: &Residuals) -> bool {
        matches!(self, Self::Tolerance { .. }) && self.is_met(r)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No part of a zero force is met by rounding: the force that went is the measure.
    #[test]
    fn a_contact_that_opens_is_measured_by_the_force_before() {
        let tolerance = Convergence::Tolerance { primal: 1e-6, dual: 1e-4, max_iterations: 40 };
        let opened = Residuals { primal: 1e-16, dual: 1e-10, force: 0.0, scale: 30.0 };
        assert!(tolerance.is_met(&opened) && tolerance.ends_early(&opened));
        assert!(!tolerance.is_met(&Residuals { dual: 1.0, ..opened }));
        assert!(!tolerance.is_met(&Residuals { dual: f64::NAN, ..opened }));
    }
}
