//! The distance function of any geometry: closed form, or by the tree of a surface.

use std::sync::Arc;

use coact_math::{V3, Vec3};
use coact_model::{Geometry, TriMesh};

use super::mesh::{MeshDistance, MeshFault};
use super::{Sdf, SurfacePoint};

/// Signed distance of a shape in its own frame.
#[derive(Clone, Debug)]
pub enum ShapeDistance {
    /// By a formula.
    Sdf(Sdf),
    /// By a tree over triangles, shared by the shapes that use one geometry.
    Surface {
        /// What the tree was made from.
        source: Arc<TriMesh>,
        /// Whether that is the convex hull of the vertices.
        hull: bool,
        /// The tree.
        mesh: Arc<MeshDistance>,
    },
}

impl ShapeDistance {
    /// Of a geometry. `known` are asked first for a tree of the same mesh.
    ///
    /// # Errors
    /// What keeps a mesh or a hull from having a distance.
    pub fn of<'a>(geometry: &Geometry, mut known: impl Iterator<Item = &'a Self>) -> Result<Self, MeshFault> {
        let (source, hull) = match geometry {
            Geometry::ConvexHull(m) => (m, true),
            Geometry::Mesh(m) => (m, false),
            Geometry::Heightfield(h) => (h.solid(), false),
            other => return Sdf::of(other).map(Self::Sdf).ok_or(MeshFault::Empty),
        };
        if let Some(same) = known.find(|k| k.is_made_from(source, hull)) {
            return Ok(same.clone());
        }
        let mesh = if hull { MeshDistance::of_hull(&source.vertices) } else { MeshDistance::new(source) };
        Ok(Self::Surface { source: Arc::clone(source), hull, mesh: Arc::new(mesh?) })
    }

    fn is_made_from(&self, mesh: &Arc<TriMesh>, as_hull: bool) -> bool {
        matches!(self, Self::Surface { source, hull, .. } if *hull == as_hull && Arc::ptr_eq(source, mesh))
    }

    /// Radius \[m\] of the sphere about the origin that holds the shape; infinite for a plane.
    pub fn bounding_radius(&self) -> f64 {
        match self {
            Self::Sdf(s) => s.bounding_radius(),
            Self::Surface { mesh, .. } => mesh.bounding_radius(),
        }
    }

    /// Lower and upper corner \[m\] of the box that holds the shape; `None` for a plane.
    pub fn bounds(&self) -> Option<[Vec3; 2]> {
        match self {
            Self::Sdf(s) => s.half_extents().map(|e| [-e, e]),
            Self::Surface { mesh, .. } => Some(mesh.bounds()),
        }
    }

    /// Distance, closest point and normal at `x`. A surface may answer `None` where the
    /// distance is `reach` or more.
    pub fn eval(&self, x: &Vec3, reach: f64) -> Option<SurfacePoint<f64>> {
        match self {
            Self::Sdf(s) => Some(s.eval(V3::from_host(x))),
            Self::Surface { mesh, .. } => mesh.eval(x, reach),
        }
    }
}
