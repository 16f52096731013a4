//! Collision geometry of a shape, in the shape's own frame.

use std::sync::Arc;

use coact_math::Vec3;

use crate::heightfield::HeightField;

/// Twice the area over the squared longest edge: below it a triangle is a line to rounding,
/// and has no normal.
const LEAST_AREA: f64 = 1e-12;

/// A triangle surface, shared by the shapes that use it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriMesh {
    /// Vertex positions \[m\].
    pub vertices: Vec<Vec3>,
    /// Vertex indices, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl TriMesh {
    /// For each vertex the lowest index with exactly its position. Shape: \[vertex count\].
    pub fn welded(&self) -> Vec<u32> {
        let key = |i: u32| {
            let v = self.vertices[i as usize];
            [v.x, v.y, v.z].map(|x| (x + 0.0).to_bits()) // −0 and 0 are one place
        };
        let mut order: Vec<u32> = (0..self.vertices.len() as u32).collect();
        order.sort_unstable_by_key(|&i| (key(i), i));
        let mut place = vec![0; self.vertices.len()];
        for run in order.chunk_by(|&a, &b| key(a) == key(b)) {
            for &i in run {
                place[i as usize] = run[0];
            }
        }
        place
    }

    /// The triangle that vertices lie before, on its outer side, and how far at most \[m\]: zero for what
    /// is convex. `None` without triangles of area. Takes vertices times triangles.
    pub fn deepest_dent(&self) -> Option<(usize, f64)> {
        let before = |(i, t): (usize, &[u32; 3])| {
            let [a, b, c] = t.map(|v| self.vertices[v as usize]);
            let normal = (b - a).cross(&(c - a)).normalize();
            let farthest = self.vertices.iter().map(|v| normal.dot(&(v - a))).fold(0.0, f64::max);
            (i, farthest)
        };
        let whole = self.triangles.iter().enumerate().filter(|(_, t)| self.has_area(t));
        whole.map(before).reduce(|deep, next| if next.1 > deep.1 { next } else { deep })
    }

    /// Whether a triangle of existing vertices has an area that is not lost in rounding.
    pub fn has_area(&self, triangle: &[u32; 3]) -> bool {
        let [a, b, c] = triangle.map(|v| self.vertices[v as usize]);
        let longest = (b - a).norm_squared().max((c - b).norm_squared()).max((a - c).norm_squared());
        (b - a).cross(&(c - a)).norm() > LEAST_AREA * longest
    }
}

/// The geometry of a shape. Lengths in \[m\]; the axis of a capsule, cylinder or
/// cone is local z; a plane is the half space z < 0 of its frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Geometry {
    /// An infinite plane with normal +z.
    Plane,
    /// A ball.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// A box.
    Box {
        /// Half extents along the local axes.
        half_extents: Vec3,
    },
    /// A segment of length `2 half_height` with radius.
    Capsule {
        /// Radius.
        radius: f64,
        /// Half the length of the inner segment.
        half_height: f64,
    },
    /// A cylinder.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Half the height.
        half_height: f64,
    },
    /// A cone with its tip at +z.
    Cone {
        /// Radius of the base.
        radius: f64,
        /// Half the height.
        half_height: f64,
    },
    /// An ellipsoid.
    Ellipsoid {
        /// Semi-axes.
        radii: Vec3,
    },
    /// The convex hull of a point set.
    ConvexHull(Arc<TriMesh>),
    /// A triangle mesh.
    Mesh(Arc<TriMesh>),
    /// Heights over a grid, solid below; adds no mass.
    Heightfield(Arc<HeightField>),
}

impl Geometry {
    /// The word a user knows it by.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Plane => "plane",
            Self::Sphere { .. } => "sphere",
            Self::Box { .. } => "box",
            Self::Capsule { .. } => "capsule",
            Self::Cylinder { .. } => "cylinder",
            Self::Cone { .. } => "cone",
            Self::Ellipsoid { .. } => "ellipsoid",
            Self::ConvexHull(_) => "convex hull",
            Self::Mesh(_) => "mesh",
            Self::Heightfield(_) => "height field",
        }
    }
}

bitflags::bitflags! {
    /// What a shape takes part in.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ShapeFlags: u32 {
        /// Shown in pictures and exports.
        const VISIBLE = 1;
        /// Meets other shapes.
        const COLLIDE_SHAPES = 2;
        /// Meets particles.
        const COLLIDE_PARTICLES = 4;
    }
}

impl Default for ShapeFlags {
    fn default() -> Self {
        Self::all()
    }
}
