//! Closest points of a vertex and a triangle, and of two edges:
//! docs/theory/self-contact.md eq. (1), (2).
//!
//! Over [`Real`], without branches on data: a lane computes what its scalar computes. What
//! is returned is finite for finite input, also for features without extent and at distance
//! zero. Left out on purpose: a normal, which has no value at distance zero.

use coact_math::{Mask, Real, V3};

/// Parallel where sin² of the angle is below this many ε: below it the sine is rounding.
const PARALLEL: f64 = 4.0;

/// `x` in \[0, 1\]; 0 where it is not a number.
#[inline(always)]
fn clamp01<R: Real>(x: R) -> R {
    x.max(R::zero()).min(R::one())
}

/// `a/b`, and 0 where `b` is not above 0.
#[inline(always)]
fn ratio<R: Real>(a: R, b: R) -> R {
    a * b.recip_where(b.cmp_gt(R::zero()))
}

/// The vertex p and the triangle a, b, c: barycentric coordinates w of the closest point
/// (not negative, sum 1) and the offset p − Σ w x \[m\], whose length is the distance.
#[inline(always)]
pub fn closest_vertex_triangle<R: Real>(p: V3<R>, [a, b, c]: [V3<R>; 3]) -> ([R; 3], V3<R>) {
    let (ab, ac, bc) = (b - a, c - a, c - b);
    let (ap, bp) = (p - a, p - b);
    let (zero, one) = (R::zero(), R::one());
    // On the three edges.
    let always = R::Mask::splat(true);
    let u = clamp01(ratio(ap.dot(ab), ab.norm_sq()));
    let (mut w, mut offset) = ([one - u, u, zero], ap - ab * u);
    let mut least = offset.norm_sq();
    let u = clamp01(ratio(ap.dot(ac), ac.norm_sq()));
    nearer(&mut least, &mut w, &mut offset, always, [one - u, zero, u], ap - ac * u);
    let u = clamp01(ratio(bp.dot(bc), bc.norm_sq()));
    nearer(&mut least, &mut w, &mut offset, always, [zero, one - u, u], bp - bc * u);
    // In the plane.
    let n = ab.cross(ac);
    let n_sq = n.norm_sq();
    let wb = ratio(ap.cross(ac).dot(n), n_sq);
    let wc = ratio(ab.cross(ap).dot(n), n_sq);
    let wa = one - wb - wc;
    let inside = n_sq.cmp_gt(zero) & wa.cmp_ge(zero) & wb.cmp_ge(zero) & wc.cmp_ge(zero);
    nearer(&mut least, &mut w, &mut offset, inside, [wa, wb, wc], ap - ab * wb - ac * wc);
    (w, offset)
}

/// Takes the candidate where it is allowed and closer.
#[inline(always)]
fn nearer<R: Real>(
    least: &mut R,
    w: &mut [R; 3],
    offset: &mut V3<R>,
    allowed: R::Mask,
    candidate: [R; 3],
    candidate_offset: V3<R>,
) {
    let d = candidate_offset.norm_sq();
    let take = allowed & d.cmp_lt(*least);
    *least = R::select(take, d, *least);
    for k in 0..3 {
        w[k] = R::select(take, candidate[k], w[k]);
    }
    *offset = V3::select(take, candidate_offset, *offset);
}

/// The edges p and q: parameters s, t in \[0, 1\] of the closest points p₀ + s (p₁ − p₀) and
/// q₀ + t (q₁ − q₀), and the offset from the second to the first \[m\]. Of edges that lie side
/// by side the pair with the least s that is closest.
#[inline(always)]
pub fn closest_edge_edge<R: Real>([p0, p1]: [V3<R>; 2], [q0, q1]: [V3<R>; 2]) -> (R, R, V3<R>) {
    let (d1, d2, r) = (p1 - p0, q1 - q0, p0 - q0);
    let (a, e, b) = (d1.norm_sq(), d2.norm_sq(), d1.dot(d2));
    let (c, f) = (d1.dot(r), d2.dot(r));
    let denominator = a * e - b * b;
    let crossing = denominator.cmp_gt(R::from_f64(PARALLEL) * R::epsilon() * a * e);
    let s = clamp01((b * f - c * e) * denominator.recip_where(crossing));
    let t = clamp01(ratio(b * s + f, e));
    let s = clamp01(ratio(b * t - c, a));
    (s, t, r + d1 * s - d2 * t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use coact_math::{F32x8, Vec3};
    use coact_testkit::Random;

    /// The least of a convex function of one variable on \[0, 1\].
    fn least(f: impl Fn(f64) -> f64) -> f64 {
        let (mut lo, mut hi) = (0.0, 1.0);
        for _ in 0..80 {
            let (a, b) = (lo + (hi - lo) / 3.0, hi - (hi - lo) / 3.0);
            if f(a) < f(b) { hi = b } else { lo = a }
        }
        f(0.5 * (lo + hi)).min(f(0.0)).min(f(1.0))
    }

    /// Four points, some of them in special position: on a line, at one place, parallel.
    fn points(r: &mut Random, k: usize) -> [Vec3; 4] {
        let mut x = [0; 4].map(|_| r.vector(1.0));
        match k % 8 {
            1 => x[3] = x[2] + (x[1] - x[0]) * r.range(-1.5, 1.5),
            2 => x[2] = x[1] + (x[3] - x[1]) * r.range(-0.5, 1.5),
            3 => x[3] = x[2],
            4 => x = [x[0], x[0], x[2], x[2]],
            5 => x = [x[0]; 4],
            6 => x[3] = x[2] + (x[1] - x[0]) + r.vector(1e-7),
            7 => x[0] = x[1] * 0.3 + x[2] * 0.2 + x[3] * 0.5,
            _ => {}
        }
        x
    }

    #[test]
    fn no_point_of_the_triangle_is_closer() {
        let mut r = Random::new(1);
        for k in 0..4000 {
            let x = points(&mut r, k);
            let [p, a, b, c] = x;
            let ([u, v, w], offset) =
                closest_vertex_triangle(V3::<f64>::from_host(&p), [a, b, c].map(|y| V3::from_host(&y)));
            let brute = least(|t| least(|s| (p - a - ((b - a) * (1.0 - t) + (c - a) * t) * s).norm()));
            assert!((offset.norm() - brute).abs() < 1e-7, "{k}: {} for {brute}", offset.norm());
            assert!(u >= 0.0 && v >= 0.0 && w >= 0.0 && (u + v + w - 1.0).abs() < 1e-14);
            let at = p - (a * u + b * v + c * w);
            assert!((at - offset.to_host(0)).norm() < 1e-14);
        }
    }

    #[test]
    fn no_points_of_the_edges_are_closer() {
        let mut r = Random::new(2);
        for k in 0..4000 {
            let [p0, p1, q0, q1] = points(&mut r, k);
            let e = |a: Vec3, b: Vec3| [V3::<f64>::from_host(&a), V3::from_host(&b)];
            let (s, t, offset) = closest_edge_edge(e(p0, p1), e(q0, q1));
            let brute = least(|t| least(|s| (p0 + (p1 - p0) * s - q0 - (q1 - q0) * t).norm()));
            assert!((offset.norm() - brute).abs() < 1e-7, "{k}: {} for {brute}", offset.norm());
            assert!((0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t));
            let at = p0 + (p1 - p0) * s - q0 - (q1 - q0) * t;
            assert!((at - offset.to_host(0)).norm() < 1e-14);
        }
    }

    #[test]
    fn edges_side_by_side_meet_at_the_least_parameter() {
        let v = |x: f64, y: f64| V3::new(x, y, 0.0);
        let (s, t, d) = closest_edge_edge([v(0.0, 0.0), v(1.0, 0.0)], [v(-0.25, 1.0), v(0.75, 1.0)]);
        assert_eq!((s, t, d.norm()), (0.0, 0.25, 1.0));
        let (s, t, d) = closest_edge_edge([v(0.0, 0.0), v(1.0, 0.0)], [v(0.25, 1.0), v(1.25, 1.0)]);
        assert_eq!((s, t, d.norm()), (0.25, 0.0, 1.0));
    }

    #[test]
    fn lanes_of_single_precision_stay_within_the_bound_of_the_theory() {
        let mut r = Random::new(3);
        for k in 0..4000 {
            let x: [[Vec3; 4]; 8] = std::array::from_fn(|i| points(&mut r, k + i));
            let lanes = [0, 1, 2, 3].map(|j| V3::<F32x8>::from_fn(|i| V3::from_host(&x[i][j])));
            let vt = closest_vertex_triangle(lanes[0], [lanes[1], lanes[2], lanes[3]]).1.norm();
            let ee = closest_edge_edge([lanes[0], lanes[1]], [lanes[2], lanes[3]]).2.norm();
            for (i, x) in x.iter().enumerate() {
                let [a, b, c, d] = x.map(|y| V3::<f64>::from_host(&y));
                let bound = 8.0 * f64::from(f32::EPSILON) + 4.0 * 3.453e-4 * 3.5;
                let exact = closest_vertex_triangle(a, [b, c, d]).1.norm();
                assert!((f64::from(vt.lane(i)) - exact).abs() < bound);
                let exact = closest_edge_edge([a, b], [c, d]).2.norm();
                assert!((f64::from(ee.lane(i)) - exact).abs() < bound);
            }
        }
    }
}
