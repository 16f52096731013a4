//! The contact points of two convex cores with their radii:
//! `docs/theory/contact-detection.md` eq. (6), (7).

use coact_math::Vec3;

use super::box_box::LEAN;
pub(super) use super::normal::Contact;
use super::normal::{best_face, face_normal, nearest};
use super::polygon::Polygon;
use super::{Scratch, Side, Touch, clip, thin};

/// A face is that of the contact if its normal is within this (1 − cosine) of the contact's.
const FLAT: f64 = 1e-8;

/// Corners that are as near as this part of the size make an edge.
const EDGE: f64 = 1e-3;

/// Edges are side by side if the sine between them is below this.
pub(super) const PARALLEL: f64 = 0.02;

/// Cores that overlap by more than this part of their size may have a shorter way out than a
/// face that is attained.
const SHALLOW: f64 = 1e-3;

/// Distance or depth, as a part of the size, up to which what is almost flat on a face lies on it.
const TOUCHING: f64 = 5e-3;

/// A point is as near as a separation if it is so to this part of the size.
const ATTAINED: f64 = 1e-6;

/// How far, as a part of the size, a corner may overhang the face that it stands on.
const SLACK: f64 = 1e-5;

/// Marks keys of points that are no corner of a clipped face.
pub(super) const ONE_POINT: u32 = 0x8000_0000;

/// Two convex shapes.
pub(super) fn meet_convex(a: &Side, b: &Side, reach: f64, scratch: &mut Scratch) {
    let radii = a.solid.radius() + b.solid.radius();
    let size = a.solid.size().min(b.solid.size());
    let touches = &mut scratch.touches;
    if let Some((normal, most)) = best_face(a, b, size)
        && (most - radii >= reach || touch_face(a, b, &normal, most, reach, touches))
    {
        return;
    }
    let Some(found) = nearest(a, b, reach + radii, &mut scratch.epa) else { return };
    if let Some(normal) = face_normal(a, b, &found, size) {
        touch_along(a, b, &Contact { normal, ..found }, reach, touches);
        if !touches.is_empty() {
            return;
        }
    }
    if touch_leaning(a, b, &found, reach, touches) {
        return;
    }
    touch_along(a, b, &found, reach, touches);
    if touches.is_empty() {
        push(a, b, &on_supports(a, b, &found), ONE_POINT, reach, touches);
    }
}

/// The points on a face with the given separation, if one of them attains it: then no two points
/// are nearer, and there is nothing to search for. Answers whether that is so.
pub(super) fn touch_face(
    a: &Side,
    b: &Side,
    normal: &Vec3,
    separation: f64,
    reach: f64,
    out: &mut Vec<Touch>,
) -> bool {
    let (first, size) = (out.len(), a.solid.size().min(b.solid.size()));
    if separation < -SHALLOW * size {
        return false;
    }
    let on_face = Contact { normal: *normal, x: [a.at, b.at] };
    touch_along(a, b, &on_face, reach, out);
    let nearest = separation - a.solid.radius() - b.solid.radius();
    let attained = out[first..].iter().any(|t| t.distance() < nearest + ATTAINED * size);
    if !attained {
        out.truncate(first);
    }
    attained
}

/// The points on the face that the contact leans from by less than [`LEAN`]: what lies almost flat lies on
/// its face, and one point would let it tip. Answers whether there are any, one of them as near as what was
/// found.
fn touch_leaning(a: &Side, b: &Side, found: &Contact, reach: f64, out: &mut Vec<Touch>) -> bool {
    let (first, size) = (out.len(), a.solid.size().min(b.solid.size()));
    let nearest = found.distance() - a.solid.radius() - b.solid.radius();
    if nearest.abs() > TOUCHING * size {
        return false;
    }
    let near = nearest + ATTAINED * size;
    let faces = [a.face(&found.normal), b.face(&-found.normal)];
    for (face, normal) in faces.iter().zip([faces[0].normal, -faces[1].normal]) {
        if face.points().len() > 2 && normal.dot(&found.normal) > LEAN {
            touch_along(a, b, &Contact { normal, ..*found }, reach, out);
            if out[first..].iter().any(|t| t.distance() < near) {
                return true;
            }
            out.truncate(first);
        }
    }
    false
}

/// The points moved along the normal onto the cores: EPA's facets lie a little inside.
pub(super) fn on_supports(a: &Side, b: &Side, c: &Contact) -> Contact {
    let n = &c.normal;
    let (top, bottom) = (n.dot(&(a.support(n) - c.x[0])), n.dot(&(b.support(&-n) - c.x[1])));
    Contact { normal: *n, x: [c.x[0] + n * top, c.x[1] + n * bottom] }
}

/// The points of two cores that meet along `contact.normal`: a face and what lies over it,
/// two edges side by side, or the contact alone.
pub(super) fn touch_along(a: &Side, b: &Side, contact: &Contact, reach: f64, out: &mut Vec<Touch>) {
    let (n, first) = (contact.normal, out.len());
    let size = a.solid.size().min(b.solid.size());
    let (on_a, on_b) = (a.face(&n), b.face(&-n));
    let flat = |p: &Polygon, d: &Vec3| p.points().len() > 2 && p.normal.dot(d) > 1.0 - FLAT;
    if flat(&on_a, &n) {
        over_face(&on_a, &on_b, &b.support(&-n), size, |x, foot, key| {
            push(a, b, &Contact { normal: n, x: [foot, x] }, key, reach, out);
        });
    } else if flat(&on_b, &-n) {
        over_face(&on_b, &on_a, &a.support(&n), size, |x, foot, key| {
            push(a, b, &Contact { normal: n, x: [x, foot] }, key | 1 << 15, reach, out);
        });
    } else if let Some(ends) = side_by_side(&on_a, &on_b, &n, size) {
        for (k, x) in ends.into_iter().enumerate() {
            push(a, b, &Contact { normal: n, x }, ONE_POINT | (k as u32 + 1), reach, out);
        }
    } else {
        push(a, b, &on_supports(a, b, contact), ONE_POINT, reach, out);
    }
    thin(out, first, 1e-6 * size);
}

/// eq. (6): calls `f` with each corner of `polygon` over `base`, its foot on the base and its
/// key; and with the deepest point of that shape, if it is over the base but no such corner.
fn over_face(
    base: &Polygon,
    polygon: &Polygon,
    deepest: &Vec3,
    size: f64,
    mut f: impl FnMut(Vec3, Vec3, u32),
) {
    let (n, origin) = (&base.normal, base.points()[0]);
    let faces = u32::from(base.id ^ polygon.id << 8) << 16 & !ONE_POINT;
    let mut least = f64::INFINITY;
    clip::clip(base, polygon, SLACK * size, |c| {
        let height = n.dot(&(c.x - origin));
        least = least.min(height);
        f(c.x, c.x - n * height, faces | c.key());
    });
    let height = n.dot(&(deepest - origin));
    if height < least - SLACK * size && clip::is_over(base, deepest) {
        f(*deepest, deepest - n * height, faces | 0xFF);
    }
}

/// The ends of the stretch along which the edges nearest to each other run side by side.
fn side_by_side(a: &Polygon, b: &Polygon, n: &Vec3, size: f64) -> Option<[[Vec3; 2]; 2]> {
    let (a, b) = (a.nearest(n, EDGE * size), b.nearest(&-n, EDGE * size));
    let (&[a0, a1], &[b0, b1]) = (a.points(), b.points()) else { return None };
    let length = (a1 - a0).norm();
    let along = (a1 - a0) / length;
    let other = b1 - b0;
    if along.cross(&other).norm() > PARALLEL * other.norm() {
        return None;
    }
    let (s0, s1) = (along.dot(&(b0 - a0)), along.dot(&(b1 - a0)));
    let (from, to) = (s0.min(s1).max(0.0), s0.max(s1).min(length));
    let at = |s: f64| [a0 + along * s, b0 + other * ((s - s0) / (s1 - s0))];
    (to - from > EDGE * size).then(|| [at(from), at(to)])
}

/// Keeps a contact of the cores, moved to the surfaces, if it is near.
pub(super) fn push(a: &Side, b: &Side, c: &Contact, feature: u32, reach: f64, out: &mut Vec<Touch>) {
    let (r, s) = (a.solid.radius(), b.solid.radius());
    let touch = Touch { normal: c.normal, x: [c.x[0] + c.normal * r, c.x[1] - c.normal * s], feature };
    if touch.distance() < reach {
        out.push(touch);
    }
}
