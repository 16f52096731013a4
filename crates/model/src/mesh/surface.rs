//! Surfaces of collision geometry, for pictures, exports and mass.

use coact_math::Vec3;

use super::round::{capsule, cone, cylinder, sphere};
use crate::shape::{Geometry, TriMesh};

/// Half the side of the square that stands for an infinite plane \[m\].
const PLANE_HALF_SIDE: f64 = 10.0;

/// A closed box about the origin: 8 vertices, 12 triangles, wound outward.
pub fn box_surface(half_extents: Vec3) -> TriMesh {
    let sign = |c: usize, bit: usize| if c >> bit & 1 == 1 { 1.0 } else { -1.0 };
    let corner = |c: usize| Vec3::new(sign(c, 0), sign(c, 1), sign(c, 2)).component_mul(&half_extents);
    let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriMesh { vertices: (0..8).map(corner).collect(), triangles }
}

impl Geometry {
    /// A triangle surface in the shape's frame, wound outward; round ones get about
    /// `resolution` vertices around. A plane becomes a square of 20 m side, a height
    /// field its top; meshes and hulls are returned as they are.
    pub fn surface_mesh(&self, resolution: usize) -> TriMesh {
        let n = resolution.max(3);
        match self {
            Self::Plane => square(PLANE_HALF_SIDE),
            Self::Sphere { radius } => sphere(*radius, subdivisions_for(n)),
            Self::Box { half_extents } => box_surface(*half_extents),
            Self::Capsule { radius, half_height } => capsule(*radius, *half_height, n),
            Self::Cylinder { radius, half_height } => cylinder(*radius, *half_height, n),
            Self::Cone { radius, half_height } => cone(*radius, *half_height, n),
            Self::Ellipsoid { radii } => {
                let mut mesh = sphere(1.0, subdivisions_for(n));
                mesh.vertices.iter_mut().for_each(|v| *v = v.component_mul(radii));
                mesh
            }
            Self::ConvexHull(mesh) | Self::Mesh(mesh) => TriMesh::clone(mesh),
            Self::Heightfield(field) => field.surface(),
        }
    }
}

/// An icosahedron has about five vertices around, and twice as many per subdivision.
fn subdivisions_for(around: usize) -> u32 {
    (0..6).find(|&n| 5 << n >= around).unwrap_or(6)
}

fn square(h: f64) -> TriMesh {
    let v = |x: f64, y: f64| Vec3::new(x * h, y * h, 0.0);
    TriMesh {
        vertices: vec![v(-1.0, -1.0), v(1.0, -1.0), v(1.0, 1.0), v(-1.0, 1.0)],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
    }
}
