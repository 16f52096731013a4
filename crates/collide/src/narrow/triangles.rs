//! A convex shape against a triangle surface: `docs/theory/contact-detection.md` section 4.
//!
//! Each triangle near the shape is met alone; what belongs to its neighbour is left to it, so
//! that nothing catches on the seams of a flat floor. Touches of one normal are thinned
//! together.

use coact_math::Vec3;
use parry3d_f64::query::PointQueryWithLocation;
use parry3d_f64::shape::{Triangle, TrianglePointLocation};

use super::convex::{Contact, on_supports, touch_along, touch_face};
use super::normal::nearest;
use super::solid::Solid;
use super::surface::{Facet, LEAN, Surface};
use super::thin::thin_all;
use super::{Scratch, Side, Touch};
use crate::sdf::{Sdf, from_parry, to_parry};
use crate::world_box::WorldBox;

/// Up to this depth, as a part of the size, the way out along the normal of a face stands in
/// for a shorter way that belongs to a neighbour.
const SHALLOW: f64 = 0.05;

/// The face is nearest if no direction is better by this part of the size.
const KEEP: f64 = 1e-6;

/// A point is on an edge of a triangle if its barycentric coordinate is below this.
const ON_EDGE: f64 = 1e-6;

/// Touches belong together if the cosine of their normals is above this.
const SAME: f64 = 0.9998;

/// A convex shape `a` against a surface `b`.
pub(super) fn meet_surface(a: &Side, b: &Side, surface: &Surface, reach: f64, scratch: &mut Scratch) {
    // the shape in the frame of the surface, where the triangles are
    let local = Side { solid: a.solid, turn: b.turn.tr_mul(&a.turn), at: b.turn.tr_mul(&(a.at - b.at)) };
    let around = around(&local).inflated(reach);
    surface.near(&around, |i, facet| {
        let first = scratch.touches.len();
        match *a.solid {
            Solid::Formula(Sdf::Sphere { radius }) => {
                scratch.touches.extend(meet_ball(&local.at, radius, facet, surface.is_closed(), reach));
            }
            _ => meet_facet(&local, facet, surface.is_closed(), reach, scratch),
        }
        for t in &mut scratch.touches[first..] {
            t.feature = t.feature.wrapping_add(i.wrapping_mul(0x9E37_79B1));
        }
    });
    if scratch.touches.is_empty() {
        scratch.touches.extend(meet_inside(&local, surface, reach));
    }
    thin_groups(&mut scratch.touches, 1e-5 * a.solid.size());
    for t in &mut scratch.touches {
        *t = Touch { normal: b.turn * t.normal, x: t.x.map(|x| b.turn * x + b.at), ..*t };
    }
}

fn around(a: &Side) -> WorldBox {
    let radius = a.solid.radius();
    let along = |k: usize, sign: f64| {
        let mut d = Vec3::zeros();
        d[k] = sign;
        a.support(&d)[k] + sign * radius
    };
    let of = |sign: f64| Vec3::new(along(0, sign), along(1, sign), along(2, sign));
    WorldBox { lower: of(-1.0), upper: of(1.0) }
}

/// A ball about `c` against one triangle.
fn meet_ball(c: &Vec3, radius: f64, facet: &Facet, closed: bool, reach: f64) -> Option<Touch> {
    let [p, q, r] = facet.corners.map(|x| to_parry(&x));
    let (foot, location) = Triangle::new(p, q, r).project_local_point_and_get_location(to_parry(c), true);
    let edges = match location {
        TrianglePointLocation::OnVertex(v) => 1 << v | 1 << ((v + 2) % 3),
        TrianglePointLocation::OnEdge(e, _) => 1 << e,
        _ => 0_u8,
    };
    let x = from_parry(&foot.point);
    let height = (c - facet.corners[0]).dot(&facet.normal);
    let side = if closed || height >= 0.0 { 1.0 } else { -1.0 };
    let face = facet.normal * side;
    let out = if edges == 0 { face } else { (c - x).try_normalize(0.0)? };
    let out = if out.dot(&face) > 1.0 - 0.5 * LEAN * LEAN { face } else { out };
    let distance = out.dot(&(c - x));
    // behind a closed surface is the business of meet_inside
    let mine = distance >= 0.0 && facet.owns(edges, &out) && out.dot(&face) >= -LEAN;
    (mine && distance - radius < reach).then(|| Touch { normal: -out, x: [c - out * radius, x], feature: 0 })
}

/// A convex shape with an extended core against one triangle.
fn meet_facet(a: &Side, facet: &Facet, closed: bool, reach: f64, scratch: &mut Scratch) {
    let (n, radius) = (facet.normal, a.solid.radius());
    let height = (a.centre() - facet.corners[0]).dot(&n);
    let side = if closed || height >= 0.0 { 1.0 } else { -1.0 };
    let out = n * side;
    let face = out.dot(&(a.support(&-out) - facet.corners[0])) - radius;
    if face >= reach || out.dot(&(a.support(&out) - facet.corners[0])) + radius <= 0.0 {
        return;
    }
    let beyond = |k: usize| facet.out[k].dot(&(a.support(&-facet.out[k]) - facet.corners[k])) > 0.0;
    let seams = [0, 1, 2].map(|k| facet.is_seam(k, side));
    if (0..3).any(|k| seams[k] && beyond(k)) {
        return;
    }
    let triangle = Solid::Triangle(facet.corners);
    let b = Side { solid: &triangle, turn: coact_math::Mat3::identity(), at: Vec3::zeros() };
    if seams == [true; 3] {
        // no edge can be touched
        if height > 0.0 || !closed {
            touch_along(a, &b, &Contact { normal: -out, x: [a.at; 2] }, reach, &mut scratch.touches);
        }
        return;
    }
    if touch_face(a, &b, &-out, face + radius, reach, &mut scratch.touches) {
        return;
    }
    let Some(found) = nearest(a, &b, reach + radius, &mut scratch.epa) else { return };
    let touches = &mut scratch.touches;
    let (first, along_face) = (touches.len(), Contact { normal: -out, ..found });
    let (d, distance) = (-found.normal, found.distance() - radius);
    if face > distance - KEEP * a.solid.size() {
        touch_along(a, &b, &along_face, reach, touches);
    }
    if touches.len() > first {
        return;
    }
    let edges = edges_at(facet, &found.x[1]);
    if edges != 0 && d.dot(&out) > -LEAN && facet.owns(edges, &d) {
        touch_along(a, &b, &on_supports(a, &b, &found), reach, touches);
    } else if distance < 0.0 && (height > 0.0 || !closed) && face > -SHALLOW * a.solid.size() {
        // the shortest way is the neighbour's, but the face may still be a way out
        touch_along(a, &b, &along_face, reach, touches);
    }
}

/// Edges of a triangle that a point of it is on, as bits.
fn edges_at(f: &Facet, x: &Vec3) -> u8 {
    barycentric(f, x).iter().enumerate().filter(|(_, w)| **w < ON_EDGE).fold(0, |bits, (k, _)| {
        // the coordinate of corner k vanishes on the edge from k + 1 to k + 2
        bits | 1 << ((k + 1) % 3)
    })
}

fn barycentric(f: &Facet, x: &Vec3) -> [f64; 3] {
    let [a, b, c] = f.corners;
    let area = |p: Vec3, q: Vec3| (p - x).cross(&(q - x)).dot(&f.normal);
    let whole = (b - a).cross(&(c - a)).dot(&f.normal);
    [area(b, c) / whole, area(c, a) / whole, area(a, b) / whole]
}

/// What is deeper in a closed surface than any triangle says: out by the nearest way of its
/// centre.
fn meet_inside(a: &Side, surface: &Surface, reach: f64) -> Option<Touch> {
    let centre = a.centre();
    if !surface.is_closed() {
        return None;
    }
    let s = surface.distance.eval(&centre, reach).filter(|s| s.distance < 0.0)?;
    let (out, point) = (s.normal.to_host(0), s.point.to_host(0));
    let x = a.support(&-out) - out * a.solid.radius();
    let foot = x - out * out.dot(&(x - point));
    Some(Touch { normal: -out, x: [x, foot], feature: u32::MAX })
}

/// Sorts the touches into groups of one normal, by the first of each, and thins every group.
pub(super) fn thin_groups(touches: &mut Vec<Touch>, near: f64) {
    let mut first = 0;
    while first < touches.len() {
        let n = touches[first].normal;
        let mut end = first + 1;
        let mut i = end;
        while i < touches.len() {
            if touches[i].normal.dot(&n) > SAME {
                // keeps the order of those that wait
                touches[end..=i].rotate_right(1);
                end += 1;
            }
            i += 1;
        }
        first = thin_between(touches, first, end, near);
    }
}

/// Thins `first..end` and answers where the next group begins.
fn thin_between(touches: &mut Vec<Touch>, first: usize, end: usize, near: f64) -> usize {
    let tail = touches.len() - end;
    touches[first..].rotate_left(end - first);
    thin_all(touches, first + tail, near);
    let kept = touches.len() - first - tail;
    touches[first..].rotate_right(kept);
    first + kept
}
