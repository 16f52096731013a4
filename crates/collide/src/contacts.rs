//! Contact records, as detection leaves them for a solver.

use coact_math::Vec3;
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

/// Two shapes near each other. The normal points from shape 0 to shape 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapeContact {
    /// First shape.
    pub shape0: ShapeId,
    /// Second shape.
    pub shape1: ShapeId,
    /// Body of the first shape; `None` = static world.
    pub body0: Option<BodyId>,
    /// Body of the second shape.
    pub body1: Option<BodyId>,
    /// Surface point of the first shape in its body (or world) frame \[m\].
    pub point0: Vec3,
    /// Surface point of the second shape in its body (or world) frame \[m\].
    pub point1: Vec3,
    /// Unit normal in the world frame, from 0 to 1.
    pub normal: Vec3,
    /// Sum of the margins of both shapes \[m\].
    pub margin: f64,
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
