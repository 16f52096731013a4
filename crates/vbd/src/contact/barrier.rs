//! The normal law of self-contact: a quadratic that turns into a logarithm at half the
//! margin, and into its own second-order expansion where the logarithm would blow up.
//! Theory: `docs/theory/self-contact.md` eq. (10).
//!
//! With the distance a, the margin r, the stiffness k (tau = r/2, a_min = r/1000):
//!
//! ```text
//! a >= r            E' = 0                                   E'' = 0
//! tau <= a < r      E' = -k (r - a)                          E'' = k
//! a_min < a < tau   E' = -k tau^2 / a                        E'' = k tau^2 / a^2
//! a <= a_min        E' =  k tau^2 (a - 2 a_min) / a_min^2    E'' = k tau^2 / a_min^2
//! ```
//! Since r − tau = tau, values, slopes and curvatures agree at tau; at a_min they do by
//! construction. At r only the value and the slope do: there the contact begins.
//! k is per pair, not per area.

use coact_math::Real;

/// Share of the margin below which the logarithm is continued by its expansion; larger makes
/// coincident surfaces softer, smaller makes their stiffness overflow `f32`.
const EXPANSION: f64 = 1e-3;

/// eq. (10): slope E' \[N\] (never positive) and curvature E'' \[N/m\] of the energy of a
/// pair at distance `a` ≥ 0 \[m\], for the margin `r` \[m\] and the stiffness `k` \[N/m\].
/// Finite for every a ≥ 0 and r > 0; zero from r on.
#[inline(always)]
pub fn eval_barrier<R: Real>(a: R, r: R, k: R) -> (R, R) {
    let half = R::from_f64(0.5);
    let tau = r * half;
    let a_min = r * R::from_f64(EXPANSION);
    // logarithm, expanded below a_min: with q = tau/a_0, a_0 = max(a, a_min)
    let a_0 = a.max(a_min);
    let q = tau / a_0;
    let curved = k * q * q;
    let log_slope = R::select(a.cmp_gt(a_min), -(k * tau * q), curved * (a - R::from_f64(2.0) * a_min));
    // quadratic
    let is_quadratic = a.cmp_ge(tau);
    let slope = R::select(is_quadratic, -(k * (r - a)), log_slope);
    let curvature = R::select(is_quadratic, k, curved);
    let touching = a.cmp_lt(r);
    (R::select(touching, slope, R::zero()), R::select(touching, curvature, R::zero()))
}

/// eq. (10): the energy whose slope and curvature [`eval_barrier`] gives, 0 from the margin on \[J\].
pub fn eval_barrier_energy(a: f64, r: f64, k: f64) -> f64 {
    let tau = 0.5 * r;
    if a >= tau {
        return 0.5 * k * (r - a).max(0.0).powi(2);
    }
    let a_0 = a.max(r * EXPANSION);
    let (short, q) = (a_0 - a, tau / a_0);
    // at a_0 the logarithm, from there the expansion
    k * tau * tau * (0.5 + q.ln()) + short * k * q * (tau + 0.5 * short * q)
}

#[cfg(test)]
mod tests {
    use super::*;

    const R0: f64 = 0.02;
    const K: f64 = 1e3;

    /// Same slope and curvature from both sides, within what the two distances differ by.
    fn assert_smooth_at(a: f64, r: f64) {
        let ((s0, c0), (s1, c1)) =
            (eval_barrier(a * (1.0 - 1e-5), r, K), eval_barrier(a * (1.0 + 1e-5), r, K));
        assert!((s0 - s1).abs() < 1e-3 * s0.abs() && s0 < 0.0, "slope at {a}: {s0} {s1}");
        assert!((c0 - c1).abs() < 1e-3 * c0.abs() && c0 > 0.0, "curvature at {a}: {c0} {c1}");
    }

    #[test]
    fn the_barrier_is_twice_differentiable_at_half_the_margin() {
        assert_smooth_at(R0 / 2.0, R0);
        assert_eq!(eval_barrier(R0 / 2.0, R0, K), (-K * R0 / 2.0, K));
    }

    #[test]
    fn the_barrier_is_twice_differentiable_where_its_expansion_begins() {
        assert_smooth_at(EXPANSION * R0, R0);
    }

    #[test]
    fn both_joints_stay_smooth_and_apart_at_tiny_margins() {
        for r in [5e-5, 2e-5, 1e-5, 1e-7, 1e-12] {
            assert_smooth_at(r / 2.0, r);
            assert_smooth_at(EXPANSION * r, r);
        }
    }

    #[test]
    fn a_law_in_other_units_of_length_is_the_same_law() {
        for scale in [1.0 / 1024.0, 1024.0] {
            for a in [0.0, 1e-6, 3e-5, 4e-3, 0.013] {
                let ((s, c), (t, d)) = (eval_barrier(a, R0, K), eval_barrier(scale * a, scale * R0, K));
                assert!(
                    (t - scale * s).abs() <= 1e-12 * t.abs() && (c - d).abs() <= 1e-12 * c,
                    "{a} {scale}"
                );
            }
        }
    }

    #[test]
    fn the_curvature_is_the_derivative_of_the_slope_on_every_piece() {
        for a in [2e-6, 3e-5, 4e-3, 0.013, 0.0199] {
            let e = 1e-6 * a;
            let fd = (eval_barrier(a + e, R0, K).0 - eval_barrier(a - e, R0, K).0) / (2.0 * e);
            let c = eval_barrier(a, R0, K).1;
            assert!((fd - c).abs() < 1e-7 * c, "at {a}: {fd} for {c}");
        }
    }

    #[test]
    fn the_slope_is_that_of_quadratic_and_logarithm() {
        let energy = |a: f64| {
            let tau: f64 = R0 / 2.0;
            if a >= tau { 0.5 * K * (R0 - a).powi(2) } else { -K * tau * tau * a.ln() }
        };
        for a in [2e-4, 6e-3, 0.012, 0.019] {
            let e = 1e-6 * a;
            let fd = (energy(a + e) - energy(a - e)) / (2.0 * e);
            let s = eval_barrier(a, R0, K).0;
            assert!((fd - s).abs() < 1e-6 * s.abs(), "at {a}: {fd} for {s}");
        }
    }

    #[test]
    fn the_energy_has_that_slope_on_every_piece() {
        for a in [2e-6, 3e-5, 4e-3, 0.013, 0.0199] {
            let e = 1e-5 * a;
            let fd = (eval_barrier_energy(a + e, R0, K) - eval_barrier_energy(a - e, R0, K)) / (2.0 * e);
            let s = eval_barrier(a, R0, K).0;
            assert!((fd - s).abs() < 1e-6 * s.abs(), "at {a}: {fd} for {s}");
        }
        assert_eq!(eval_barrier_energy(R0, R0, K), 0.0);
    }

    #[test]
    fn nothing_acts_from_the_margin_on_and_coincidence_is_finite() {
        assert_eq!(eval_barrier(R0, R0, K), (0.0, 0.0));
        assert_eq!(eval_barrier(1.0_f32, 0.02, 1e3), (0.0, 0.0));
        for (s, c) in [eval_barrier(0.0_f32, 0.02, 1e5), eval_barrier(0.0_f32, 1e-6, 1e5)] {
            assert!(s.is_finite() && s < 0.0 && c.is_finite() && c > 0.0, "{s} {c}");
        }
    }

    /// The force grows as the gap closes, without a dent.
    #[test]
    fn the_force_never_falls_as_the_distance_shrinks() {
        let distances = (0..4000).map(|i| R0 * 0.997_f64.powi(i));
        let slopes: Vec<f64> = distances.map(|a| eval_barrier(a, R0, K).0).collect();
        assert!(slopes.windows(2).all(|w| w[1] <= w[0]));
    }
}
