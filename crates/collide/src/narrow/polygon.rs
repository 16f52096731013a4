//! The flat part of a shape's surface that faces a direction: `docs/theory/contact-detection.md`
//! eq. (3).
//!
//! A polygon of one point is a vertex, of two an edge, of more a face, counter-clockwise
//! seen from outside. Rims are polygons with corners on the rim.

use coact_math::Vec3;

use super::solid::{Solid, rim};
use crate::sdf::Sdf;

/// Most corners of a polygon; a face with more is thinned to this many.
pub(crate) const CORNERS: usize = 16;

/// Corners of a polygon that stands for a rim.
const RIM: usize = 8;

/// A rim leans (sine) when its lowest point counts as a corner. Below, corners stay where they
/// are in the shape, so that one that stands flat keeps its points.
const LEAN: f64 = 1e-3;

/// A polygon with its outward normal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Polygon {
    /// Which of the shape's faces it is.
    pub id: u16,
    pub normal: Vec3,
    len: usize,
    corners: [Vec3; CORNERS],
}

impl Polygon {
    pub fn new(id: u16, normal: Vec3, points: impl IntoIterator<Item = Vec3>) -> Self {
        let mut p = Self { id, normal, len: 0, corners: [Vec3::zeros(); CORNERS] };
        for x in points.into_iter().take(CORNERS) {
            p.corners[p.len] = x;
            p.len += 1;
        }
        p
    }

    pub fn points(&self) -> &[Vec3] {
        &self.corners[..self.len]
    }

    /// Applies `f` to every corner.
    pub fn map(mut self, normal: Vec3, f: impl Fn(&Vec3) -> Vec3) -> Self {
        self.normal = normal;
        for x in &mut self.corners[..self.len] {
            *x = f(x);
        }
        self
    }

    /// Only the corners that are within `depth` \[m\] of the farthest one along `d`.
    pub fn nearest(&self, d: &Vec3, depth: f64) -> Self {
        let top = self.points().iter().map(|x| x.dot(d)).fold(f64::NEG_INFINITY, f64::max);
        let near = self.points().iter().copied().filter(|x| x.dot(d) >= top - depth);
        Self::new(self.id, self.normal, near)
    }
}

impl Solid {
    /// The face of the core that looks most along the unit vector `d`.
    pub fn face(&self, d: &Vec3) -> Polygon {
        match self {
            Self::Formula(sdf) => face_of(sdf, d),
            Self::Hull(h) => h.face(d),
            Self::Surface(_) => Polygon::new(0, *d, []),
            Self::Triangle(t) => {
                let normal = (t[1] - t[0]).cross(&(t[2] - t[0])).normalize();
                if normal.dot(d) < 0.0 {
                    Polygon::new(1, -normal, [t[0], t[2], t[1]])
                } else {
                    Polygon::new(0, normal, t.iter().copied())
                }
            }
        }
    }
}

fn face_of(sdf: &Sdf, d: &Vec3) -> Polygon {
    match *sdf {
        Sdf::Plane => Polygon::new(0, Vec3::z(), []),
        Sdf::Sphere { .. } => Polygon::new(0, *d, [Vec3::zeros()]),
        Sdf::Ellipsoid { .. } => Polygon::new(0, *d, [Solid::Formula(*sdf).support(d)]),
        Sdf::Capsule { half_height: h, .. } => edge(d, Vec3::new(0.0, 0.0, h), Vec3::new(0.0, 0.0, -h)),
        Sdf::Box { half_extents } => box_face(&half_extents, d),
        Sdf::Cylinder { radius, half_height: h } => {
            if d.z.abs() > d.xy().norm() {
                cap(d, radius, if d.z < 0.0 { -h } else { h })
            } else {
                edge(d, rim(d, radius, h), rim(d, radius, -h))
            }
        }
        Sdf::Cone { radius, half_height: h } => {
            // along the normal of the side rather than along that of the base
            let side = d.xy().norm() * 2.0 * h + d.z * radius;
            if -d.z * (4.0 * h * h + radius * radius).sqrt() > side {
                cap(d, radius, -h)
            } else {
                edge(d, Vec3::new(0.0, 0.0, h), rim(d, radius, -h))
            }
        }
    }
}

fn edge(d: &Vec3, a: Vec3, b: Vec3) -> Polygon {
    Polygon::new(2, *d, [a, b])
}

fn cap(d: &Vec3, radius: f64, z: f64) -> Polygon {
    let up = if z < 0.0 { -1.0 } else { 1.0 };
    let lean = d.xy().norm();
    let start = if lean > LEAN { rim(d, radius, z) } else { Vec3::new(radius, 0.0, z) };
    // eighths of a turn, by exact halves and the one irrational number
    let s = std::f64::consts::FRAC_1_SQRT_2;
    let turn = [(1.0, 0.0), (s, s), (0.0, 1.0), (-s, s), (-1.0, 0.0), (-s, -s), (0.0, -1.0), (s, -s)];
    let at = |k: usize| {
        let (c, s) = (turn[k].0, turn[k].1 * up);
        Vec3::new(c * start.x - s * start.y, s * start.x + c * start.y, z)
    };
    Polygon::new(u16::from(z < 0.0), Vec3::new(0.0, 0.0, up), (0..RIM).map(at))
}

fn box_face(e: &[f64; 3], d: &Vec3) -> Polygon {
    let (x, y, z) = (d.x.abs(), d.y.abs(), d.z.abs());
    let j = if x >= y && x >= z {
        0
    } else if y >= z {
        1
    } else {
        2
    };
    let (u, v) = ((j + 1) % 3, (j + 2) % 3);
    let sign = if d[j] < 0.0 { -1.0 } else { 1.0 };
    let corner = |(a, b): (f64, f64)| {
        let mut x = Vec3::zeros();
        (x[j], x[u], x[v]) = (sign * e[j], a * e[u], b * sign * e[v]);
        x
    };
    let mut normal = Vec3::zeros();
    normal[j] = sign;
    let turn = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)];
    Polygon::new(2 * j as u16 + u16::from(sign < 0.0), normal, turn.map(corner))
}
