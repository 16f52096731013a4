//! Algebra of a compliant augmented-Lagrangian row. Theory: `docs/theory/vbd.md` section 7,
//! eq. (32)–(34). Any row with a material stiffness K, a metric ρ, a residual C and a
//! multiplier λ uses it.
//!
//! ```text
//! a = ρ/(K + ρ)    s = K/(K + ρ)    k = K a = ρ s
//! force = k C + s λ                 stiffness k
//! dual: λ ← s (λ + ρ C)             fixed point λ = K C: the material law, exactly
//! ```
//! K = ∞: a = 0, s = 1, k = ρ, the plain method of multipliers. ρ = ∞: a = 1, s = 0, k = K, a
//! plain spring. The dual update gives the
//! force that the primal law had at the same C.

use coact_math::Vec3;

/// Coefficients of a row for one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompliantRow {
    /// k: stiffness of the primal force \[N/m\].
    pub k: f64,
    /// s: share of the multiplier in the force.
    pub s: f64,
    /// a: share of the multiplier that an update forgets.
    pub a: f64,
}

impl Default for CompliantRow {
    fn default() -> Self {
        Self::OFF
    }
}

impl CompliantRow {
    /// A row that does nothing.
    pub const OFF: Self = Self { k: 0.0, s: 0.0, a: 1.0 };

    /// The row that pulls with its multiplier alone, if this one is on.
    pub fn held(self) -> Self {
        if self == Self::OFF { self } else { Self { k: 0.0, s: 1.0, a: 0.0 } }
    }

    /// eq. (32): from the material stiffness `ke` and the metric `rho` \[N/m\]; off when one
    /// of them is not positive.
    pub fn new(ke: f64, rho: f64) -> Self {
        match (ke > 0.0 && rho > 0.0, ke.is_finite(), rho.is_finite()) {
            (false, ..) => Self::OFF,
            (true, false, _) => Self { k: rho, s: 1.0, a: 0.0 },
            (true, true, false) => Self { k: ke, s: 0.0, a: 1.0 },
            (true, true, true) => {
                let (s, a) = (ke / (ke + rho), rho / (ke + rho));
                Self { k: ke * a, s, a }
            }
        }
    }

    /// eq. (33) of a single component: force at the residual `c`.
    pub fn force1(&self, c: f64, lambda: f64) -> f64 {
        c * self.k + lambda * self.s
    }

    /// eq. (33): force \[N\] at the residual `c` \[m\]; also the multiplier after the dual update.
    pub fn force(&self, c: &Vec3, lambda: &Vec3) -> Vec3 {
        c * self.k + lambda * self.s
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Acceptance: the four pairs of K and ρ, and rows that are off.
    #[test]
    fn coefficients_are_the_closed_form() {
        for (ke, rho) in [(1e6, 9e6), (1e3, 1e5), (1e5, 1e3), (10.0, 10.0)] {
            let row = CompliantRow::new(ke, rho);
            let close = |x: f64, y: f64| (x - y).abs() < 1e-12 * y.abs();
            assert!(close(row.s, ke / (ke + rho)) && close(row.a, rho / (ke + rho)));
            assert!(close(row.k, ke * rho / (ke + rho)));
            let dual = row.force(&(Vec3::x() * 0.25), &(Vec3::x() * 2.0)).x;
            assert!(close(dual, row.s * (2.0 + 0.25 * rho)));
        }
        for (ke, rho) in [(0.0, 1e3), (1e3, 0.0), (f64::INFINITY, 0.0)] {
            assert_eq!(CompliantRow::new(ke, rho), CompliantRow::OFF);
        }
        let hard = CompliantRow::new(f64::INFINITY, 50.0);
        assert_eq!((hard.k, hard.s, hard.a), (50.0, 1.0, 0.0));
        let spring = CompliantRow::new(50.0, f64::INFINITY);
        assert_eq!((spring.k, spring.s, spring.a), (50.0, 0.0, 1.0));
    }

    /// Under a constant load the multiplier converges to it and the residual to F/K.
    #[test]
    fn the_fixed_point_is_the_material_law() {
        for (ke, rho) in [(1e4, 1e2), (1e2, 1e4), (f64::INFINITY, 1e3)] {
            let (row, mut lambda, load) = (CompliantRow::new(ke, rho), Vec3::zeros(), Vec3::y() * 3.0);
            let mut c = Vec3::zeros();
            for _ in 0..2000 {
                c = (load - lambda * row.s) / row.k;
                lambda = row.force(&c, &lambda);
            }
            assert!((lambda - load).norm() < 1e-9 && (c - load / ke).norm() < 1e-9, "{ke} {rho}: {c:?}");
        }
    }
}
