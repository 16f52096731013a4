//! The direction in which two convex cores are farthest apart, or least deep in each other:
//! `docs/theory/contact-detection.md` eq. (4), (5).
//!
//! GJK and EPA of parry give a first direction. Where the cores touch it is rounding, so the
//! faces of both shapes are asked as well: any direction bounds the separation from below,
//! and the best one is kept.

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
pub(super) fn separation(a: &Side, b: &Side, m: &Vec3) -> f64 {
    m.dot(&(b.support(&-m) - a.support(m)))
}

/// Where the cores are nearest; `None` if that is beyond `reach`.
pub(super) fn nearest(a: &Side, b: &Side, reach: f64, epa: &mut EPA) -> Option<Contact> {
    let between = b.centre() - a.centre();
    let start = between.try_normalize(0.0).unwrap_or_else(Vec3::z);
    let mut simplex = VoronoiSimplex::new();
    simplex.reset(CsoPoint::from_shapes(&ParryPose::IDENTITY, a, b, to_parry(&start)));
    let found = gjk::closest_points(&ParryPose::IDENTITY, a, b, reach.max(0.0), true, &mut simplex);
    match found {
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

fn contact(x0: Vector, x1: Vector, n: Vector) -> Contact {
    Contact { normal: from_parry(&n).normalize(), x: [from_parry(&x0), from_parry(&x1)] }
}

/// The contact of the supports along `m`, side by side.
fn along(a: &Side, b: &Side, m: &Vec3) -> Contact {
    let x = b.support(&-m);
    Contact { normal: *m, x: [x - m * separation(a, b, m), x] }
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
