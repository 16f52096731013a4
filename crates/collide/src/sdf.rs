//! Signed distance, closest surface point and outward normal of shapes, in the shape's own
//! frame. Theory: `docs/theory/distance.md`.
//!
//! Pure functions over `Real`, without branches on data; the five of this file in the
//! order of lines that a shader twin has. Left out on purpose: hulls and meshes, which need
//! a tree ([`MeshDistance`]); [`Sdf::of`] answers `None` for them.

mod cone;
mod distance;
mod ellipsoid;
mod lattice;
mod mesh;
mod pseudo_normals;

use coact_math::{Real, V3, Vec3};
use coact_model::Geometry;

pub use cone::eval_cone;
pub use distance::ShapeDistance;
pub use ellipsoid::eval_ellipsoid;
pub use mesh::{MeshDistance, MeshFault};
pub(crate) use mesh::{from_parry, hull_of, to_parry};

/// A point against a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint<R> {
    /// Signed distance \[m\], negative inside.
    pub distance: R,
    /// The closest point of the surface.
    pub point: V3<R>,
    /// Outward unit normal there.
    pub normal: V3<R>,
}

/// A shape whose distance is a formula. Lengths in \[m\], axis along z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sdf {
    /// Half space z < 0.
    Plane,
    /// Ball.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// Box.
    Box {
        /// Half extents.
        half_extents: [f64; 3],
    },
    /// Capsule.
    Capsule {
        /// Radius.
        radius: f64,
        /// Half the length of the inner segment.
        half_height: f64,
    },
    /// Cylinder.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Half the height.
        half_height: f64,
    },
    /// Cone with its tip at +z.
    Cone {
        /// Radius of the base.
        radius: f64,
        /// Half the height.
        half_height: f64,
    },
    /// Ellipsoid.
    Ellipsoid {
        /// Semi-axes.
        radii: [f64; 3],
    },
}

impl Sdf {
    /// The distance function of a geometry, if it is a formula.
    pub fn of(geometry: &Geometry) -> Option<Self> {
        Some(match *geometry {
            Geometry::Plane => Self::Plane,
            Geometry::Sphere { radius } => Self::Sphere { radius },
            Geometry::Box { half_extents: e } => Self::Box { half_extents: [e.x, e.y, e.z] },
            Geometry::Capsule { radius, half_height } => Self::Capsule { radius, half_height },
            Geometry::Cylinder { radius, half_height } => Self::Cylinder { radius, half_height },
            Geometry::Cone { radius, half_height } => Self::Cone { radius, half_height },
            Geometry::Ellipsoid { radii: e } => Self::Ellipsoid { radii: [e.x, e.y, e.z] },
            Geometry::ConvexHull(_) | Geometry::Mesh(_) | Geometry::Heightfield(_) => return None,
        })
    }

    /// Radius of the sphere about the origin that holds the shape; infinite for a plane.
    pub fn bounding_radius(&self) -> f64 {
        match *self {
            Self::Plane => f64::INFINITY,
            Self::Sphere { radius } => radius,
            Self::Box { half_extents: [a, b, c] } => (a * a + b * b + c * c).sqrt(),
            Self::Capsule { radius, half_height } => radius + half_height,
            Self::Cylinder { radius, half_height } | Self::Cone { radius, half_height } => {
                (radius * radius + half_height * half_height).sqrt()
            }
            Self::Ellipsoid { radii: [a, b, c] } => a.max(b).max(c),
        }
    }

    /// Half extents of the box about the origin that holds the shape; `None` for a plane.
    pub fn half_extents(&self) -> Option<Vec3> {
        Some(match *self {
            Self::Plane => return None,
            Self::Sphere { radius } => Vec3::repeat(radius),
            Self::Box { half_extents: e } | Self::Ellipsoid { radii: e } => Vec3::from(e),
            Self::Capsule { radius, half_height } => Vec3::new(radius, radius, radius + half_height),
            Self::Cylinder { radius, half_height } | Self::Cone { radius, half_height } => {
                Vec3::new(radius, radius, half_height)
            }
        })
    }

    /// Distance, closest point and normal at `x` in the shape's frame.
    pub fn eval<R: Real>(&self, x: V3<R>) -> SurfacePoint<R> {
        let r = R::from_f64;
        match *self {
            Self::Plane => eval_plane(x),
            Self::Sphere { radius } => eval_sphere(x, r(radius)),
            Self::Box { half_extents: [a, b, c] } => eval_box(x, V3::new(r(a), r(b), r(c))),
            Self::Capsule { radius, half_height } => eval_capsule(x, r(radius), r(half_height)),
            Self::Cylinder { radius, half_height } => eval_cylinder(x, r(radius), r(half_height)),
            Self::Cone { radius, half_height } => eval_cone(x, r(radius), r(half_height)),
            Self::Ellipsoid { radii: [a, b, c] } => eval_ellipsoid(x, V3::new(r(a), r(b), r(c))),
        }
    }
}

/// `z`, against the half space z < 0.
pub fn eval_plane<R: Real>(x: V3<R>) -> SurfacePoint<R> {
    let o = R::zero();
    SurfacePoint { distance: x.z, point: V3::new(x.x, x.y, o), normal: V3::new(o, o, R::one()) }
}

/// `|x| − r`; at the centre the normal is +z.
pub fn eval_sphere<R: Real>(x: V3<R>, radius: R) -> SurfacePoint<R> {
    let normal = unit_or_z(x);
    SurfacePoint { distance: x.norm() - radius, point: normal * radius, normal }
}

/// A sphere about the closest point of the segment |z| ≤ `half_height`.
pub fn eval_capsule<R: Real>(x: V3<R>, radius: R, half_height: R) -> SurfacePoint<R> {
    let o = R::zero();
    let axis = V3::new(o, o, clamp(x.z, half_height));
    let ball = eval_sphere(x - axis, radius);
    SurfacePoint { point: ball.point + axis, ..ball }
}

/// Outside: distance to the clamped point. Inside: to the nearest face.
pub fn eval_box<R: Real>(x: V3<R>, e: V3<R>) -> SurfacePoint<R> {
    let q = V3::new(x.x.abs() - e.x, x.y.abs() - e.y, x.z.abs() - e.z);
    // outside
    let clamped = V3::new(clamp(x.x, e.x), clamp(x.y, e.y), clamp(x.z, e.z));
    let away = x - clamped;
    let d_out = away.norm();
    let outside = d_out.cmp_gt(R::zero());
    let n_out = away * R::select(outside, d_out, R::one()).recip();
    // inside: the face with the largest (least negative) q, ties in the order x, y, z
    let (o, is_x) = (R::zero(), q.x.cmp_ge(q.y) & q.x.cmp_ge(q.z));
    let n_x = V3::new(sign(x.x), o, o);
    let n_y = V3::new(o, sign(x.y), o);
    let n_z = V3::new(o, o, sign(x.z));
    let n_in = V3::select(is_x, n_x, V3::select(q.y.cmp_ge(q.z), n_y, n_z));
    let d_in = q.x.max(q.y).max(q.z);
    let normal = V3::select(outside, n_out, n_in);
    let distance = R::select(outside, d_out, d_in);
    SurfacePoint { distance, point: V3::select(outside, clamped, x - n_in * d_in), normal }
}

/// A rectangle (radius, half height) in the half plane (|xy|, z), turned about z.
pub fn eval_cylinder<R: Real>(x: V3<R>, radius: R, half_height: R) -> SurfacePoint<R> {
    let o = R::zero();
    let flat = V3::new(x.x, x.y, o);
    let rho = flat.norm();
    let off_axis = rho.cmp_gt(o);
    let inv_rho = R::select(off_axis, rho, R::one()).recip();
    let radial = V3::select(off_axis, flat * inv_rho, V3::new(R::one(), o, o));
    let plane = eval_box(V3::new(rho, o, x.z), V3::new(radius, R::one(), half_height));
    let lift = |v: V3<R>| radial * v.x + V3::new(o, o, v.z);
    // a unit depth along the missing axis would hide faces deeper than 1 m inside
    let q = V3::new(rho - radius, o, x.z.abs() - half_height);
    let inside = q.x.cmp_le(o) & q.z.cmp_le(o);
    let by_side = q.x.cmp_ge(q.z);
    let n_in = V3::select(by_side, radial, V3::new(o, o, sign(x.z)));
    let d_in = q.x.max(q.z);
    SurfacePoint {
        distance: R::select(inside, d_in, plane.distance),
        point: V3::select(inside, x - n_in * d_in, lift(plane.point)),
        normal: V3::select(inside, n_in, lift(plane.normal)),
    }
}

#[inline(always)]
fn clamp<R: Real>(x: R, e: R) -> R {
    x.min(e).max(-e)
}

#[inline(always)]
fn sign<R: Real>(x: R) -> R {
    R::select(x.cmp_lt(R::zero()), -R::one(), R::one())
}

#[inline(always)]
fn unit_or_z<R: Real>(x: V3<R>) -> V3<R> {
    let (o, len) = (R::zero(), x.norm());
    let away = len.cmp_gt(o);
    let inv = R::select(away, len, R::one()).recip();
    V3::select(away, x * inv, V3::new(o, o, R::one()))
}

#[cfg(test)]
mod tests;
