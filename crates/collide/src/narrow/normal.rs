//! The direction in which two convex cores are farthest apart, or least deep in each other:
//! `docs/theory/contact-detection.md` eq. (4), (5).
//!
//! GJK and EPA of parry give a first direction. Where the cores touch it is rounding, so other
//! directions are asked as well: any of them bounds the separation from below, and the best
//! one is kept.

use coact_math::{Mat3, Vec3};
use parry3d_f64::math::{Pose as ParryPose, Vector};
use parry3d_f64::query::epa::EPA;
use parry3d_f64::query::gjk::{self, CsoPoint, GJKResult, VoronoiSimplex};
use parry3d_f64::shape::SupportMap;

use super::polygon::Polygon;
use super::solid::Solid;
use crate::sdf::{from_parry, to_parry};

/// A face is kept as the normal unless another direction is better by this part of the size:
/// so a contact that rests on a face stays there.
const KEEP: f64 = 1e-7;

/// Cores nearer than this part of their size have a direction that is not only rounding.
const CLEAR: f64 = 1e-4;

/// Cores deeper than this part of their size are asked along their axes, too.
const DEEP: f64 = 0.05;

/// How far the cores are moved apart, as a part of their size, to settle the direction.
const OUT: f64 = 0.05;

/// Most times that this is done; an answer is settled when it gains no more than this part of
/// the size.
const ROUNDS: usize = 12;
const ENOUGH: f64 = 1e-10;

/// A solid in the axes of the pair.
#[derive(Clone, Copy)]
pub(crate) struct Side<'a> {
    pub solid: &'a Solid,
    /// From its own axes to those of the pair.
    pub turn: Mat3,
    /// Its origin.
    pub at: Vec3,
}

impl Side<'_> {
    /// The point of the core that is farthest along `d`.
    pub fn support(&self, d: &Vec3) -> Vec3 {
        self.turn * self.solid.support(&self.turn.tr_mul(d)) + self.at
    }

    /// The middle of the solid.
    pub fn centre(&self) -> Vec3 {
        self.turn * self.solid.centre() + self.at
    }

    /// The face of the core that looks most along `d`.
    pub fn face(&self, d: &Vec3) -> Polygon {
        let face = self.solid.face(&self.turn.tr_mul(d));
        face.map(self.turn * face.normal, |x| self.turn * x + self.at)
    }
}

impl SupportMap for Side<'_> {
    fn local_support_point(&self, d: Vector) -> Vector {
        to_parry(&self.support(&from_parry(&d)))
    }
}

/// Where two cores are nearest to each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contact {
    /// From the first to the second.
    pub normal: Vec3,
    /// Points of both cores.
    pub x: [Vec3; 2],
}

impl Contact {
    pub fn distance(&self) -> f64 {
        self.normal.dot(&(self.x[1] - self.x[0]))
    }
}

/// eq. (4): the separation of the cores along `m`.
pub(crate) fn separation(a: &Side, b: &Side, m: &Vec3) -> f64 {
    m.dot(&(b.support(&-m) - a.support(m)))
}

/// eq. (5): where the cores are nearest; `None` if that is beyond `reach`.
pub(super) fn nearest(a: &Side, b: &Side, reach: f64, epa: &mut EPA) -> Option<Contact> {
    let found = first_guess(a, b, reach, epa)?;
    let size = a.solid.size().min(b.solid.size());
    if found.distance() > CLEAR * size { Some(found) } else { Some(settle(a, b, found, size)) }
}

fn first_guess(a: &Side, b: &Side, reach: f64, epa: &mut EPA) -> Option<Contact> {
    let mut simplex = VoronoiSimplex::new();
    let start = start(a, b);
    match closest(a, b, reach, &mut simplex) {
        GJKResult::NoIntersection(d) => {
            // an answer without a direction that separates is a search that gave up
            let d = from_parry(&d);
            (separation(a, b, &d) < reach).then(|| along(a, b, &d))
        }
        GJKResult::ClosestPoints(x0, x1, n) => Some(contact(x0, x1, n)),
        GJKResult::Intersection | GJKResult::Proximity(_) => {
            let deep = epa.closest_points(&ParryPose::IDENTITY, a, b, &simplex);
            Some(deep.map_or_else(|| along(a, b, &start), |(x0, x1, n)| contact(x0, x1, n)))
        }
    }
}

fn start(a: &Side, b: &Side) -> Vec3 {
    (b.centre() - a.centre()).try_normalize(0.0).unwrap_or_else(Vec3::z)
}

fn closest(a: &Side, b: &Side, reach: f64, simplex: &mut VoronoiSimplex) -> GJKResult {
    simplex.reset(CsoPoint::from_shapes(&ParryPose::IDENTITY, a, b, to_parry(&start(a, b))));
    gjk::closest_points(&ParryPose::IDENTITY, a, b, reach.max(0.0), true, simplex)
}

/// The best direction near a first guess, for cores that touch or overlap. The best of the
/// guess, the faces, and in depth the axes; then the second core is moved out along it, where
/// the search has a clear answer, as long as that answer separates better.
fn settle(a: &Side, b: &Side, found: Contact, size: f64) -> Contact {
    let mut best = found;
    let mut most = separation(a, b, &found.normal);
    let mut ask = |m: Vec3| {
        let s = separation(a, b, &m);
        if s > most {
            (best.normal, most) = (m, s);
        }
    };
    // points that coincide have a direction of any sign
    ask(-found.normal);
    ask(start(a, b));
    a.solid.normals(&a.turn.tr_mul(&found.normal), |n| ask(a.turn * n));
    b.solid.normals(&b.turn.tr_mul(&-found.normal), |n| ask(-(b.turn * n)));
    if found.distance() < -DEEP * size {
        for k in 0..6 {
            let side = if k < 3 { a } else { b };
            let axis = side.turn.column(k % 3).into_owned();
            ask(axis);
            ask(-axis);
        }
    }
    let mut simplex = VoronoiSimplex::new();
    for _ in 0..ROUNDS {
        let out = best.normal * (OUT * size - most);
        let moved = Side { at: b.at + out, ..*b };
        let GJKResult::ClosestPoints(x0, x1, n) = closest(a, &moved, f64::INFINITY, &mut simplex) else {
            break;
        };
        let next = contact(x0, x1, n);
        let s = separation(a, b, &next.normal);
        if s >= most - ENOUGH * size && next.normal.dot(&best.normal) > 0.9 {
            best.x = [next.x[0], next.x[1] - out];
        }
        if s <= most + ENOUGH * size {
            break;
        }
        (best.normal, most) = (next.normal, s);
    }
    best
}

fn contact(x0: Vector, x1: Vector, n: Vector) -> Contact {
    Contact { normal: from_parry(&n).normalize(), x: [from_parry(&x0), from_parry(&x1)] }
}

/// The contact of the supports along `m`, side by side.
fn along(a: &Side, b: &Side, m: &Vec3) -> Contact {
    let x = b.support(&-m);
    Contact { normal: *m, x: [x - m * separation(a, b, m), x] }
}

/// The face normal along which the cores are farthest apart, and how far; faces that look away
/// from the other core are not asked.
pub(super) fn best_face(a: &Side, b: &Side, size: f64) -> Option<(Vec3, f64)> {
    let mut best: Option<(Vec3, f64)> = None;
    let mut ask = |m: Vec3| {
        let s = separation(a, b, &m);
        if best.is_none_or(|(_, most)| s > most + KEEP * size) {
            best = Some((m, s));
        }
    };
    let between = start(a, b);
    a.solid.normals(&a.turn.tr_mul(&between), |n| ask(a.turn * n));
    b.solid.normals(&b.turn.tr_mul(&-between), |n| ask(-(b.turn * n)));
    best
}

/// eq. (5): the best face normal, if a face is as good as the contact that was found.
pub(super) fn face_normal(a: &Side, b: &Side, found: &Contact, size: f64) -> Option<Vec3> {
    let mut best = (found.distance().min(separation(a, b, &found.normal)) - KEEP * size, None);
    let mut ask = |m: Vec3| {
        let s = separation(a, b, &m);
        if s > best.0 {
            best = (s + KEEP * size, Some(m));
        }
    };
    if found.distance() > CLEAR * size {
        ask(a.face(&found.normal).normal);
        ask(-b.face(&-found.normal).normal);
    } else {
        a.solid.normals(&a.turn.tr_mul(&found.normal), |n| ask(a.turn * n));
        b.solid.normals(&b.turn.tr_mul(&-found.normal), |n| ask(-(b.turn * n)));
    }
    best.1
}
