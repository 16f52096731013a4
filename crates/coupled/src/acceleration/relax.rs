//! One weight for all rows: x ← w G(x) + (1 − w) x. `docs/theory/acceleration.md` eq. (2), (3).

use coact_math::Spatial;

use super::{Acceleration, BadSetting};

/// Squared change of the residual below which Aitken's quotient is rounding, relative to the residual.
const NO_CHANGE: f64 = 1e-20;

/// x ← G(x).
#[derive(Clone, Copy, Debug, Default)]
pub struct NoAcceleration;

impl Acceleration for NoAcceleration {
    fn apply(&mut self, _pass: usize, _x: &[f64], _g: &mut [f64]) -> bool {
        false
    }
}

/// x ← w G(x) + (1 − w) x, with one w for all rows.
#[derive(Clone, Copy, Debug)]
pub struct Fixed(pub f64);

impl Acceleration for Fixed {
    fn apply(&mut self, _pass: usize, x: &[f64], g: &mut [f64]) -> bool {
        blend(self.0, x, g);
        self.0 != 1.0
    }
}

/// Weights of [`Aitken`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AitkenOptions {
    /// Weight of the first pass of every step.
    pub initial: f64,
    /// Least weight.
    pub least: f64,
    /// Largest weight.
    pub most: f64,
}

impl Default for AitkenOptions {
    fn default() -> Self {
        Self { initial: 1.0, least: 0.1, most: 1.0 }
    }
}

impl AitkenOptions {
    pub(crate) fn check(self) -> Result<(), BadSetting> {
        let ordered = 0.0 < self.least && self.least <= self.initial && self.initial <= self.most;
        if ordered && self.most.is_finite() {
            return Ok(());
        }
        let value = format!("{}, {}, {}", self.initial, self.least, self.most);
        Err(("Aitken initial, least, most", value, "write 0 < least <= initial <= most; 1, 0.1, 1 are usual"))
    }
}

/// One weight that follows the residuals of two passes: eq. (3). It starts anew in every step.
#[derive(Clone, Debug, Default)]
pub struct Aitken {
    options: AitkenOptions,
    weights: Vec<f64>,
    weight: f64,
    before: Vec<f64>,
}

impl Aitken {
    /// With its weights.
    pub fn new(options: AitkenOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// The weight of the last pass.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// w ← −w r₋·(r − r₋)/|r − r₋|².
    fn update(&mut self, x: &[f64], g: &[f64]) {
        let (mut along, mut change, mut size) = (0.0, 0.0, 0.0);
        for (i, before) in self.before.iter().enumerate() {
            let (w, r) = (self.weights[i], g[i] - x[i]);
            let (before, d) = (w * before, w * (r - before));
            (along, change, size) = (along + before * d, change + d * d, size + before * before);
        }
        if change > NO_CHANGE * size {
            let (least, most) = (self.options.least, self.options.most);
            self.weight = (-self.weight * along / change).clamp(least, most);
        }
    }
}

impl Acceleration for Aitken {
    fn begin_step(&mut self, weights: &[f64]) {
        self.weights.clear();
        self.weights.extend_from_slice(weights);
        self.before.resize(weights.len(), 0.0);
    }

    fn apply(&mut self, pass: usize, x: &[f64], g: &mut [f64]) -> bool {
        match pass {
            0 => self.weight = self.options.initial,
            _ => self.update(x, g),
        }
        for (b, (g, x)) in self.before.iter_mut().zip(g.iter().zip(x)) {
            *b = g - x;
        }
        blend(self.weight, x, g);
        self.weight != 1.0
    }
}

fn blend(w: f64, x: &[f64], g: &mut [f64]) {
    if w == 1.0 {
        return;
    }
    g.iter_mut().zip(x).for_each(|(g, x)| *g = *g * w + x * (1.0 - w));
}

/// `w G + (1 − w) F`; exactly `G` for w = 1.
pub(crate) fn eval_blend(w: f64, g: Spatial, f: Spatial) -> Spatial {
    if w == 1.0 { g } else { g * w + f * (1.0 - w) }
}

#[cfg(test)]
mod tests {
    use coact_math::Vec3;

    use super::*;

    #[test]
    fn relaxation_blends_exactly() {
        for w in [0.25, 0.5, 1.0, 1.5] {
            let mut next = [3.0, -2.0];
            Fixed(w).apply(0, &[1.0, 4.0], &mut next);
            assert_eq!(next, [w * 3.0 + (1.0 - w), w * -2.0 + 4.0 * (1.0 - w)]);
        }
        let g = Spatial::new(Vec3::x() * 3.0, Vec3::z());
        assert_eq!(eval_blend(1.0, g, Spatial::new(Vec3::x() * f64::NAN, Vec3::y())), g);
    }

    #[test]
    fn no_acceleration_changes_nothing() {
        let mut next = [1.0, 2.0];
        assert!(!NoAcceleration.apply(3, &[0.0, 0.0], &mut next));
        assert_eq!(next, [1.0, 2.0]);
    }

    /// G(x) = a − b x has its fixed point at a/(1 + b); the right weight is 1/(1 + b) and is found
    /// in the second pass, after which the error is rounding.
    #[test]
    fn aitken_finds_the_weight_of_an_affine_fixed_point() {
        let (a, b) = (1.0, 2.0);
        let mut aitken = Aitken::new(AitkenOptions { initial: 0.5, ..AitkenOptions::default() });
        aitken.begin_step(&[1.0]);
        let mut x = [0.0];
        for pass in 0..3 {
            let mut g = [a - b * x[0]];
            aitken.apply(pass, &x, &mut g);
            x = g;
        }
        assert!((x[0] - 1.0 / 3.0).abs() < 1e-14 && (aitken.weight() - 1.0 / 3.0).abs() < 1e-14);
    }
}
