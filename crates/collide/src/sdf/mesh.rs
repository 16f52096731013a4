//! Signed distance of a triangle surface. Theory: `docs/theory/distance.md` section 3.
//!
//! The tree of parry finds the nearest triangle and where on it
//! the foot lies. A closed surface is signed; an open one has two sides, its distance is
//! never negative and its normal points to the side that the point is on.

use coact_math::{V3, Vec3};
use coact_model::{MassProperties, SurfaceFault, TriMesh};
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::math::Vector;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy, BvhNode};
use parry3d_f64::query::PointQueryWithLocation;
use parry3d_f64::shape::{Triangle, TrianglePointLocation};
use parry3d_f64::transformation::try_convex_hull;
use thiserror::Error;

use super::SurfacePoint;
use super::lattice::Lattice;
use super::pseudo_normals::{FeatureNormal, FeatureNormals, eval_feature_normals};

/// Nearer to a feature than this part of the extent, the direction to its foot is rounding
/// and the feature's own normal stands in.
const ON_SURFACE: f64 = 1e-10;

/// Why a mesh or hull has no distance.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum MeshFault {
    /// No triangle has area.
    #[error("no triangle of it has area")]
    Empty,
    /// An index without a vertex, or a coordinate that is not finite.
    #[error("a vertex is missing or not finite")]
    BadVertex,
    /// Points without volume.
    #[error("its points lie in one plane")]
    FlatHull,
    /// A closed surface that is wound clockwise seen from outside.
    #[error("its triangles are wound inward")]
    Inward,
}

/// A triangle surface, ready to be asked for distances.
#[derive(Clone, Debug)]
pub struct MeshDistance {
    tree: Bvh,
    triangles: Vec<Triangle>,
    normals: Vec<FeatureNormals>,
    closed: bool,
    lower: Vec3,
    upper: Vec3,
    radius: f64,
    lattice: Option<Lattice>,
}

impl MeshDistance {
    /// Of a mesh: signed if it is closed.
    ///
    /// # Errors
    /// See [`MeshFault`].
    pub fn new(mesh: &TriMesh) -> Result<Self, MeshFault> {
        let closed = match MassProperties::of_mesh(mesh, 1.0) {
            Ok(_) => true,
            Err(SurfaceFault::Open { .. } | SurfaceFault::Flat) => false,
            Err(SurfaceFault::OutOfRange { .. }) => return Err(MeshFault::BadVertex),
            Err(SurfaceFault::Inward { .. }) => return Err(MeshFault::Inward),
        };
        if mesh.vertices.iter().flatten().any(|x| !x.is_finite()) {
            return Err(MeshFault::BadVertex);
        }
        let place = mesh.welded();
        let kept: Vec<[u32; 3]> = mesh.triangles.iter().copied().filter(|t| mesh.has_area(t)).collect();
        if kept.is_empty() {
            return Err(MeshFault::Empty);
        }
        let corner = |v: u32| to_parry(&mesh.vertices[v as usize]);
        let triangles: Vec<_> =
            kept.iter().map(|t| Triangle::new(corner(t[0]), corner(t[1]), corner(t[2]))).collect();
        let leaves: Vec<Aabb> = triangles.iter().map(Triangle::local_aabb).collect();
        let used = || kept.iter().flatten().map(|&v| mesh.vertices[v as usize]);
        let first = mesh.vertices[kept[0][0] as usize];
        let mut made = Self {
            tree: Bvh::from_leaves(BvhBuildStrategy::Binned, &leaves),
            normals: eval_feature_normals(mesh, &place, &kept),
            lower: used().fold(first, |a, b| a.inf(&b)),
            upper: used().fold(first, |a, b| a.sup(&b)),
            radius: used().map(|v| v.norm()).fold(0.0, f64::max),
            triangles,
            closed,
            lattice: None,
        };
        if closed {
            made.lattice = Some(Lattice::new([made.lower, made.upper], made.triangles.len(), |x| {
                made.eval(x, f64::INFINITY).map_or(0.0, |at| at.distance)
            }));
        }
        Ok(made)
    }

    /// Of the convex hull of points.
    ///
    /// # Errors
    /// See [`MeshFault`].
    pub fn of_hull(points: &[Vec3]) -> Result<Self, MeshFault> {
        let (vertices, triangles) = hull_of(points)?;
        let hull = Self::new(&TriMesh { vertices: vertices.iter().map(from_parry).collect(), triangles })?;
        if hull.closed { Ok(hull) } else { Err(MeshFault::FlatHull) }
    }

    /// Whether it encloses a volume, so that distances inside are negative.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Radius \[m\] of the sphere about the origin that holds it.
    pub fn bounding_radius(&self) -> f64 {
        self.radius
    }

    /// Lower and upper corner \[m\] of the box that holds it.
    pub fn bounds(&self) -> [Vec3; 2] {
        [self.lower, self.upper]
    }

    /// eq. (10)–(12) at `x`; `None` where the distance is at least `reach`, or `x` is not finite.
    pub fn eval(&self, x: &Vec3, reach: f64) -> Option<SurfacePoint<f64>> {
        let from_box = (self.lower - x).sup(&(x - self.upper)).sup(&Vec3::zeros()).norm();
        let surely_far = self.lattice.as_ref().is_some_and(|l| l.is_beyond(x, reach));
        if (from_box > 0.0 && from_box >= reach) || surely_far {
            return None;
        }
        // deep inside is near at any depth
        let limit = if self.closed && from_box == 0.0 { f64::INFINITY } else { reach };
        let (id, foot, location) = self.nearest(&to_parry(x), limit)?;
        let normals = &self.normals[id as usize];
        let at = match location {
            TrianglePointLocation::OnVertex(k) => normals.vertices[k as usize],
            TrianglePointLocation::OnEdge(k, _) => normals.edges[k as usize],
            _ => FeatureNormal { normal: normals.face, flat: true },
        };
        Some(self.signed(x, from_parry(&foot), at))
    }

    /// The nearest triangle, if it is nearer than `limit`, with foot and feature. Costs are
    /// squared distances; what is not a number is near nothing.
    fn nearest(&self, x: &Vector, limit: f64) -> Option<(u32, Vector, TrianglePointLocation)> {
        let limit_sq = (limit * limit).min(f64::MAX);
        let box_sq = |node: &BvhNode, _: f64| {
            let d = (node.mins() - *x).max(*x - node.maxs()).max(Vector::ZERO);
            d.length_squared()
        };
        let best = self.tree.find_best(limit_sq, box_sq, |id, _| {
            let (foot, location) = self.triangles[id as usize].project_local_point_and_get_location(*x, true);
            Some(((foot.point - *x).length_squared(), (foot.point, location)))
        });
        best.map(|(id, (_, (foot, location)))| (id, foot, location))
    }

    /// From the foot and its feature to distance and outward normal.
    fn signed(&self, x: &Vec3, foot: Vec3, at: FeatureNormal) -> SurfacePoint<f64> {
        let away = x - foot;
        let (side, length) = (away.dot(&at.normal), away.norm());
        // eq. (11): behind the feature's normal is inside; an open surface turns to the point
        let behind = if side < 0.0 { -1.0 } else { 1.0 };
        let (sign, turn) = if self.closed { (behind, 1.0) } else { (1.0, behind) };
        // eq. (12)
        if at.flat {
            let normal = at.normal * turn;
            let distance = side * turn;
            return surface_point(distance, &(x - normal * distance), &normal);
        }
        let near = length <= ON_SURFACE * self.radius;
        let normal = if near { at.normal * turn } else { away * (sign / length) };
        surface_point(sign * length, &foot, &normal)
    }
}

/// Corners and triangles of the convex hull of points.
pub(crate) fn hull_of(points: &[Vec3]) -> Result<(Vec<Vector>, Vec<[u32; 3]>), MeshFault> {
    if points.iter().flatten().any(|x| !x.is_finite()) {
        return Err(MeshFault::BadVertex);
    }
    let place = TriMesh { vertices: points.to_vec(), triangles: Vec::new() }.welded();
    let distinct = points.iter().zip(0..).filter(|(_, i)| place[*i as usize] == *i);
    let distinct: Vec<Vector> = distinct.map(|(p, _)| to_parry(p)).collect();
    try_convex_hull(&distinct).map_err(|_| MeshFault::FlatHull)
}

fn surface_point(distance: f64, point: &Vec3, normal: &Vec3) -> SurfacePoint<f64> {
    SurfacePoint { distance, point: V3::from_host(point), normal: V3::from_host(normal) }
}

pub(crate) fn to_parry(v: &Vec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

pub(crate) fn from_parry(v: &Vector) -> Vec3 {
    Vec3::new(v.x, v.y, v.z)
}
