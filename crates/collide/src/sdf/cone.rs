//! Signed distance of a cone. Theory: `docs/theory/distance.md` eq. (1)–(3).

use coact_math::{Real, V3};

use super::{SurfacePoint, unit_or_z};

/// A triangle (axis, rim, tip) in the half plane (|xy|, z), turned about z; tip at +z.
#[inline(always)]
pub fn eval_cone<R: Real>(x: V3<R>, radius: R, half_height: R) -> SurfacePoint<R> {
    let (o, h) = (R::zero(), half_height);
    let (rho, radial) = radial_or_x(x);
    let lift = |v: V3<R>| radial * v.x + V3::new(o, o, v.z);
    // eq. (1): outward normal n and downward direction t of the side, from the tip
    let inv_len = (radius * radius + (h + h) * (h + h)).sqrt().recip();
    let n = V3::new((h + h) * inv_len, o, radius * inv_len);
    let t = V3::new(radius * inv_len, o, -(h + h) * inv_len);
    let (tip, rim) = (V3::new(o, o, h), V3::new(radius, o, -h));
    let p = V3::new(rho, o, x.z);
    let (from_tip, from_rim) = (p - tip, p - rim);
    let (side, below) = (n.dot(from_tip), -h - x.z);
    // eq. (2): which part of the boundary is closest
    let under = below.cmp_gt(o) & rho.cmp_le(radius);
    let at_tip = t.dot(from_tip).cmp_lt(o);
    let at_rim = t.dot(from_rim).cmp_gt(o) & rho.cmp_gt(radius);
    let inside = side.cmp_le(o) & below.cmp_le(o);
    // eq. (3): a face where the foot lies in it, else a corner
    let by_base = under | (inside & below.cmp_gt(side));
    let face_n = V3::select(by_base, V3::new(o, o, -R::one()), n);
    let face_d = R::select(by_base, below, side);
    let away = V3::select(at_tip, from_tip, from_rim);
    let corner = at_tip | at_rim;
    let distance = R::select(corner, away.norm(), face_d);
    let normal = V3::select(corner, unit_or_z(away), face_n);
    let corner_p = V3::select(at_tip, tip, rim);
    let point = V3::select(corner, lift(corner_p), x - lift(face_n) * face_d);
    SurfacePoint { distance, point, normal: lift(normal) }
}

/// Distance from the z axis and the unit vector away from it; +x on the axis.
#[inline(always)]
fn radial_or_x<R: Real>(x: V3<R>) -> (R, V3<R>) {
    let o = R::zero();
    let flat = V3::new(x.x, x.y, o);
    let rho = flat.norm();
    let off_axis = rho.cmp_gt(o);
    let inv_rho = R::select(off_axis, rho, R::one()).recip();
    (rho, V3::select(off_axis, flat * inv_rho, V3::new(R::one(), o, o)))
}
