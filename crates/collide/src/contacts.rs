//! Contact records, as detection leaves them for a solver.

use coact_math::{Pose, Vec3};
use coact_model::{BodyId, ParticleId, ShapeId};

/// A particle near a shape, frozen for the step: the contact plane moves with the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParticleShapeContact {
    /// The particle.
    pub particle: ParticleId,
    /// The shape.
    pub shape: ShapeId,
    /// The body that carries the shape; `None` = static world.
    pub body: Option<BodyId>,
    /// Closest point of the shape's geometry in the body (or world) frame \[m\].
    pub point: Vec3,
    /// Outward unit normal in the world frame at detection.
    pub normal: Vec3,
    /// Thickness of the shape outside its geometry \[m\].
    pub margin: f64,
}

/// Two shapes near each other, frozen for the step in *skeleton* form
/// (docs/theory/contact-detection.md eq. (1)): a point of the shape's inside that its
/// surface runs round, and how far outside of it the surface lies along the normal. A shape
/// that rolls about its skeleton keeps its gap. The gap is
/// `normal · (p1 − p0) − margin0 − margin1`, negative in penetration, with `p` the skeleton
/// points in the world; `p + offset` is where the surfaces meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapeContact {
    /// First shape; its id is the lower one.
    pub shape0: ShapeId,
    /// Second shape.
    pub shape1: ShapeId,
    /// Body of the first shape; `None` = static world.
    pub body0: Option<BodyId>,
    /// Body of the second shape.
    pub body1: Option<BodyId>,
    /// Skeleton point of the first shape in its body (or world) frame \[m\]: the centre of a
    /// sphere, a point of the axis of a capsule, cylinder or cone that touches with its side,
    /// else the surface point.
    pub point0: Vec3,
    /// Skeleton point of the second shape.
    pub point1: Vec3,
    /// From skeleton point 0 to surface 0 with its margin, in the body frame \[m\].
    pub offset0: Vec3,
    /// From skeleton point 1 to surface 1 with its margin, in the body frame \[m\].
    pub offset1: Vec3,
    /// Extent of shape 0 beyond its skeleton point along the normal, with its margin \[m\].
    pub margin0: f64,
    /// Extent of shape 1 beyond its skeleton point against the normal, with its margin \[m\].
    pub margin1: f64,
    /// Unit normal in the world frame, from 0 to 1.
    pub normal: Vec3,
    /// Which features of the two shapes meet; means something within one pair only.
    pub feature: u32,
}

impl ShapeContact {
    /// The gap \[m\] at given poses of the two bodies (identity for the world), with the normal
    /// of the detection.
    pub fn gap(&self, x0: &Pose, x1: &Pose) -> f64 {
        let between = x1.point(&self.point1) - x0.point(&self.point0);
        self.normal.dot(&between) - self.margin0 - self.margin1
    }

    /// The pair.
    #[inline]
    pub fn shapes(&self) -> (ShapeId, ShapeId) {
        (self.shape0, self.shape1)
    }
}

impl AsRef<ShapeContact> for ShapeContact {
    #[inline]
    fn as_ref(&self) -> &ShapeContact {
        self
    }
}

/// All contacts of one detection. Lists grow; nothing is dropped.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contacts {
    /// Particles against shapes, ordered by particle, then shape.
    pub particle_shape: Vec<ParticleShapeContact>,
    /// Particle surfaces: a vertex and the three of a triangle.
    pub particle_vertex_triangle: Vec<[ParticleId; 4]>,
    /// Particle surfaces: the ends of two edges.
    pub particle_edge_edge: Vec<[ParticleId; 4]>,
    /// Shapes against shapes, ordered by shape pair.
    pub shapes: Vec<ShapeContact>,
}

impl Contacts {
    /// Forgets all records, keeps the memory.
    pub fn clear(&mut self) {
        self.particle_shape.clear();
        self.particle_vertex_triangle.clear();
        self.particle_edge_edge.clear();
        self.shapes.clear();
    }
}
