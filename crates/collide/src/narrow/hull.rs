//! Convex hulls with faces of any number of corners: `docs/theory/contact-detection.md` eq. (2), (3).

use std::sync::Arc;

use coact_math::Vec3;
use coact_model::TriMesh;
use parry3d_f64::shape::ConvexPolyhedron;

use super::polygon::{CORNERS, Polygon};
use super::solid::farthest;
use crate::sdf::{MeshFault, from_parry, hull_of};

/// A hull with more faces than this asks only those near the direction.
const MANY_FACES: usize = 32;

/// Thinner than this part of its extent a hull has no inside.
const LEAST_DEPTH: f64 = 1e-9;

/// A convex hull.
#[derive(Clone, Debug)]
pub(crate) struct Hull {
    /// What it was made from.
    source: Arc<TriMesh>,
    points: Vec<Vec3>,
    faces: Vec<Polygon>,
    pub lower: Vec3,
    pub upper: Vec3,
}

impl Hull {
    /// Of the vertices of a mesh.
    ///
    /// # Errors
    /// Points that are not finite, or without volume.
    pub fn new(source: &Arc<TriMesh>) -> Result<Self, MeshFault> {
        let (vertices, triangles) = hull_of(&source.vertices)?;
        let solid = ConvexPolyhedron::from_convex_mesh(vertices, &triangles).ok_or(MeshFault::FlatHull)?;
        let points: Vec<Vec3> = solid.points().iter().map(from_parry).collect();
        let around = solid.vertices_adj_to_face();
        let mut faces = Vec::new();
        for (id, f) in (0..).zip(solid.faces()) {
            let first = f.first_vertex_or_edge as usize;
            let corners = &around[first..first + f.num_vertices_or_edges as usize];
            // every so many of the corners of a face with too many
            let corners = corners.iter().step_by(corners.len().div_ceil(CORNERS));
            faces.push(Polygon::new(id, from_parry(&f.normal), corners.map(|&v| points[v as usize])));
        }
        let (lower, upper) = points.iter().fold((points[0], points[0]), |(l, u), x| (l.inf(x), u.sup(x)));
        let extent = (upper - lower).norm();
        let depth =
            |f: &Polygon| points.iter().map(|x| f.normal.dot(&(f.points()[0] - x))).fold(0.0, f64::max);
        if faces.iter().any(|f| depth(f) <= LEAST_DEPTH * extent) {
            return Err(MeshFault::FlatHull);
        }
        Ok(Self { source: Arc::clone(source), points, faces, lower, upper })
    }

    pub fn is_made_from(&self, mesh: &Arc<TriMesh>) -> bool {
        Arc::ptr_eq(&self.source, mesh)
    }

    pub fn radius(&self) -> f64 {
        self.points.iter().map(Vec3::norm).fold(0.0, f64::max)
    }

    pub fn support(&self, d: &Vec3) -> Vec3 {
        farthest(self.points.iter(), d)
    }

    /// The face that looks most along `d`, the first of equals.
    pub fn face(&self, d: &Vec3) -> Polygon {
        let mut best = (f64::NEG_INFINITY, 0);
        for (i, f) in self.faces.iter().enumerate() {
            let along = f.normal.dot(d);
            if along > best.0 {
                best = (along, i);
            }
        }
        self.faces[best.1]
    }

    /// Calls `f` with the normals of faces that look along `d`.
    pub fn normals(&self, d: &Vec3, mut f: impl FnMut(Vec3)) {
        let least = if self.faces.len() > MANY_FACES { 0.9 } else { 0.0 };
        self.faces.iter().filter(|p| p.normal.dot(d) > least).for_each(|p| f(p.normal));
    }
}
