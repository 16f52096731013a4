//! Signed distance of an ellipsoid. Theory: `docs/theory/distance.md` eq. (4)–(8).
//!
//! The closest point is the root of one equation in one unknown, found by Newton on its
//! reciprocal, which comes from one side and never overshoots. A lane that has arrived is
//! held, so lanes and scalars give the same bits.

use coact_math::{Mask, Real, V3};

use super::{SurfacePoint, sign, unit_or_z};

/// Steps of (7) at most. 3 to 6 are usual; next to the rim of the medial disc the unknown
/// grows by half its size per step, over eight decades in `f64`.
const STEPS: usize = 64;

/// Distance to the ellipsoid of semi-axes `e`, correct everywhere: inside, at the centre
/// and however flat it is.
#[inline(always)]
pub fn eval_ellipsoid<R: Real>(x: V3<R>, e: V3<R>) -> SurfacePoint<R> {
    let m = e.x.min(e.y).min(e.z);
    let (a, b) = eval_terms(x, e, m);
    let u = solve_root(a, b);
    // (5) at the root; its length is 1 to rounding
    let q = unit_or_z(shares(a, b, u));
    let q = V3::new(q.x * sign(x.x), q.y * sign(x.y), q.z * sign(x.z));
    // (8)
    let slope = V3::new(q.x / e.x, q.y / e.y, q.z / e.z);
    let steepness = slope.norm();
    SurfacePoint {
        distance: (u - R::one()) * m * m * steepness,
        point: V3::new(q.x * e.x, q.y * e.y, q.z * e.z),
        normal: slope * steepness.recip(),
    }
}

/// eq. (4): a and b. On the shortest axis the point is kept ε off the plane of symmetry,
/// which chooses a side where both are equally near and moves nothing by more than ε m.
#[inline(always)]
fn eval_terms<R: Real>(x: V3<R>, e: V3<R>, m: R) -> (V3<R>, V3<R>) {
    let axis = |x: R, e: R| {
        let (r, b) = (e / m, (e - m) * (e + m) / (m * m));
        let z = x.abs() / e;
        let z = R::select(b.cmp_eq(R::zero()), z.max(R::epsilon()), z);
        (r * r * z, b)
    };
    let ((ax, bx), (ay, by), (az, bz)) = (axis(x.x, e.x), axis(x.y, e.y), axis(x.z, e.z));
    (V3::new(ax, ay, az), V3::new(bx, by, bz))
}

/// eq. (5): q(u).
#[inline(always)]
fn shares<R: Real>(a: V3<R>, b: V3<R>, u: R) -> V3<R> {
    V3::new(a.x / (u + b.x), a.y / (u + b.y), a.z / (u + b.z))
}

/// The root of (6) by (7).
#[inline(always)]
fn solve_root<R: Real>(a: V3<R>, b: V3<R>) -> R {
    let two_eps = R::epsilon() + R::epsilon();
    let mut u = (a.x - b.x).max(a.y - b.y).max(a.z - b.z);
    let mut arrived = R::Mask::splat(false);
    for _ in 0..STEPS {
        let q = shares(a, b, u);
        let n = q.norm();
        let slope = q.x * q.x / (u + b.x) + q.y * q.y / (u + b.y) + q.z * q.z / (u + b.z);
        let step = (n - R::one()) * n * n / slope;
        // what is not a number has arrived as well
        let moves = (n - R::one()).cmp_gt(two_eps) & step.cmp_gt(two_eps * u);
        arrived = arrived | !moves;
        u = R::select(arrived, u, u + step);
        if arrived.all() {
            break;
        }
    }
    u
}
