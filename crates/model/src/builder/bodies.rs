//! Rigid bodies, their shapes, and pairs of shapes that never meet.

use coact_math::{Pose, Spatial};

use super::{BodyDef, ModelBuilder, ShapeDef};
use crate::ids::{BodyId, ShapeId};

impl ModelBuilder {
    /// Adds a rigid body.
    pub fn add_body(&mut self, mut def: BodyDef) -> BodyId {
        self.names.bodies.push(std::mem::take(&mut def.name));
        self.bodies.push(def);
        BodyId::new(self.bodies.len() - 1)
    }

    /// Adds a collision shape to a body or to the static world.
    pub fn add_shape(&mut self, mut def: ShapeDef) -> ShapeId {
        self.names.shapes.push(std::mem::take(&mut def.name));
        self.shapes.push(def);
        ShapeId::new(self.shapes.len() - 1)
    }

    /// Keeps two shapes from ever meeting. Shapes of one body are filtered without being asked, and
    /// those of two bodies that a joint connects as long as it is enabled. Errors at `finalize`: no such id.
    pub fn filter_shapes(&mut self, a: ShapeId, b: ShapeId) {
        self.filters.push((a.min(b), a.max(b)));
    }

    /// Sets the initial pose of a body. Errors at `finalize`: no such id.
    pub fn set_body_pose(&mut self, id: BodyId, pose: Pose) {
        self.with_body("set_body_pose", id, |b| b.pose = pose);
    }

    /// Sets the initial velocity (centre of mass, angular). Errors at `finalize`: no such id.
    pub fn set_body_velocity(&mut self, id: BodyId, velocity: Spatial) {
        self.with_body("set_body_velocity", id, |b| b.velocity = velocity);
    }

    /// Number of bodies so far.
    pub fn body_count(&self) -> usize {
        self.bodies.len()
    }

    /// The definition of a body (its name is in [`ModelBuilder::names`]), if there is such an id.
    pub fn body(&self, id: BodyId) -> Option<&BodyDef> {
        self.bodies.get(id.index())
    }

    fn with_body(&mut self, call: &str, id: BodyId, edit: impl FnOnce(&mut BodyDef)) {
        let count = self.bodies.len();
        match self.bodies.get_mut(id.index()) {
            Some(b) => edit(b),
            None => self.defer_range(call, id, count),
        }
    }
}
