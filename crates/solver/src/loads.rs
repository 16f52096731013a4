//! What joints and contacts carried in a step: load cells.
//!
//! Forces are those that acted over the last step: constant over it, times the step they are the
//! change of momentum that they gave. All in the world frame. A solver that takes a step in substeps
//! tells the last one.

use coact_math::{Spatial, Vec3};
use coact_model::{BodyId, JointId, ParticleId, ShapeId};

/// What a joint did in the last step; all zeros where it is disabled or moves nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointLoad {
    /// The joint.
    pub joint: JointId,
    /// Force \[N\] and torque \[N·m\] on the child about `point`: all that the joint carries, what it
    /// locks, drives, limits, damping, friction, armature and generalised forces of the control. The
    /// parent gets the opposite force at `reaction_point` and the opposite torque.
    pub wrench: Spatial,
    /// The child's anchor at the end of the step \[m\].
    pub point: Vec3,
    /// Where the parent gets the opposite: its own anchor, or the child's where the joint slides \[m\].
    pub reaction_point: Vec3,
    /// Distance of the anchors against what the joint locks \[m\].
    pub gap: f64,
    /// Angle against what the joint locks \[rad\].
    pub angle: f64,
}

impl JointLoad {
    /// One that carries nothing.
    pub fn none(joint: JointId) -> Self {
        let (wrench, point, reaction_point) = (Spatial::zeros(), Vec3::zeros(), Vec3::zeros());
        Self { joint, wrench, point, reaction_point, gap: 0.0, angle: 0.0 }
    }
}

/// What two shapes did to each other at one point in the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactLoad {
    /// The shapes.
    pub shapes: [ShapeId; 2],
    /// Their bodies; `None` = static.
    pub bodies: [Option<BodyId>; 2],
    /// Where the forces act, at the end of the step \[m\].
    pub point: Vec3,
    /// Unit normal, from the first shape to the second.
    pub normal: Vec3,
    /// Force on the second shape along the normal, with damping and impacts \[N\].
    pub normal_force: f64,
    /// Force on the second shape in the plane of the contact \[N\].
    pub friction: Vec3,
    /// Torque on the second shape about `point`: friction against turning \[N·m\].
    pub torque: Vec3,
    /// Penetration \[m\]; negative: a gap.
    pub depth: f64,
}

impl ContactLoad {
    /// Force on the second shape \[N\]; the first one gets the opposite.
    pub fn force(&self) -> Vec3 {
        self.normal * self.normal_force + self.friction
    }

    /// Whether it carries anything. In the step of an impact that bounced off elsewhere, friction may be
    /// left of a contact that presses no more.
    pub fn acts(&self) -> bool {
        self.force() != Vec3::zeros() || self.torque != Vec3::zeros()
    }
}

/// What a shape did to a particle in the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParticleContactLoad {
    /// The particle.
    pub particle: ParticleId,
    /// The shape.
    pub shape: ShapeId,
    /// Its body; `None` = static.
    pub body: Option<BodyId>,
    /// The point of the surface, at the end of the step \[m\].
    pub point: Vec3,
    /// Unit normal, from the shape to the particle.
    pub normal: Vec3,
    /// Force on the particle along the normal \[N\].
    pub normal_force: f64,
    /// Force on the particle in the plane of the contact \[N\]; the shape gets the opposite of both.
    pub friction: Vec3,
    /// Penetration \[m\].
    pub depth: f64,
}

/// What joints and contacts carried in a step; memory is used again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Loads {
    /// Joints, by entry, then by id.
    pub joints: Vec<JointLoad>,
    /// Contacts between shapes that carry something.
    pub contacts: Vec<ContactLoad>,
    /// Contacts of particles with shapes that press.
    pub particles: Vec<ParticleContactLoad>,
}

impl Loads {
    /// Makes ready for another step.
    pub fn clear(&mut self) {
        self.joints.clear();
        self.contacts.clear();
        self.particles.clear();
    }
}
