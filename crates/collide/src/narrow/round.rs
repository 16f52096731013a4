//! Balls against what has a distance function, and capsules against capsules.

use coact_math::{V3, Vec3};

use super::convex::{Contact, ONE_POINT, PARALLEL, on_supports, push, touch_along};
use super::{Side, Touch};
use crate::sdf::Sdf;

/// A ball against a shape: the closest point of its centre.
pub(super) fn meet_ball(a: &Side, radius: f64, b: &Side, sdf: &Sdf, reach: f64) -> Option<Touch> {
    let local = b.turn.tr_mul(&(a.at - b.at));
    let s = sdf.eval::<f64>(V3::from_host(&local));
    if s.distance - radius >= reach {
        return None;
    }
    let outward = b.turn * s.normal.to_host(0);
    let point = b.turn * s.point.to_host(0) + b.at;
    Some(Touch { normal: -outward, x: [a.at - outward * radius, point], feature: 0 })
}

/// Two capsules: along the shortest way between their axes; where these cross, along their
/// common normal.
pub(super) fn meet_capsules(a: &Side, h: f64, b: &Side, k: f64, reach: f64, out: &mut Vec<Touch>) {
    let (u, v) = (a.turn.column(2).into_owned(), b.turn.column(2).into_owned());
    let (s, t) = closest(&u, h, &v, k, &(b.at - a.at));
    let x = [a.at + u * s, b.at + v * t];
    let between = x[1] - x[0];
    let distance = between.norm();
    let normal =
        if distance > 1e-12 * (h + k + a.solid.radius()) { between / distance } else { across(&u, &v) };
    let contact = Contact { normal, x };
    // what crosses meets in one point
    match u.cross(&v).norm() > PARALLEL {
        true => push(a, b, &on_supports(a, b, &contact), ONE_POINT, reach, out),
        false => touch_along(a, b, &contact, reach, out),
    }
}

/// A unit vector across both, or across the first if they are parallel.
fn across(u: &Vec3, v: &Vec3) -> Vec3 {
    let both = u.cross(v);
    if both.norm_squared() > 1e-12 {
        return both.normalize();
    }
    let least = u.map(f64::abs).imin();
    let mut e = Vec3::zeros();
    e[least] = 1.0;
    u.cross(&e).normalize()
}

/// Parameters of the closest points of the segments `s u`, |s| ≤ h and `w + t v`, |t| ≤ k.
fn closest(u: &Vec3, h: f64, v: &Vec3, k: f64, w: &Vec3) -> (f64, f64) {
    let (b, wu, wv) = (u.dot(v), w.dot(u), w.dot(v));
    let det = 1.0 - b * b;
    let s = if det > 1e-12 { ((wu - b * wv) / det).clamp(-h, h) } else { wu.clamp(-h, h) };
    let t = (b * s - wv).clamp(-k, k);
    let s = (wu + b * t).clamp(-h, h);
    (s, (b * s - wv).clamp(-k, k))
}
