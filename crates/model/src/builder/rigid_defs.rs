//! What a caller hands to [`super::ModelBuilder`] for bodies, shapes, joints and attachments.

use coact_math::{Mat3, Pose, Quat, Spatial, Vec3};

use crate::ids::{BodyId, MaterialId, ParticleId};
use crate::joint::{JointAxis, JointKind};
use crate::shape::{Geometry, ShapeFlags};

/// Where a body's mass comes from.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum BodyMass {
    /// The sum over its shapes of density times volume.
    #[default]
    FromShapes,
    /// Given numbers.
    Given {
        /// Mass \[kg\].
        mass: f64,
        /// Centre of mass in the body frame \[m\].
        com: Vec3,
        /// Inertia about the centre of mass, body axes \[kg·m²\].
        inertia: Mat3,
    },
}

/// A rigid body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodyDef {
    /// Its name; empty = unnamed.
    pub name: String,
    /// Initial pose of the body frame.
    pub pose: Pose,
    /// Initial velocity (centre of mass, angular), world frame.
    pub velocity: Spatial,
    /// Mass, centre of mass and inertia.
    pub mass: BodyMass,
    /// Moved by prescription only: forces do not move it.
    pub kinematic: bool,
}

/// A collision shape.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeDef {
    /// Its name; empty = unnamed.
    pub name: String,
    /// The body that carries it; `None` = static world.
    pub body: Option<BodyId>,
    /// Pose in the body (or world) frame.
    pub pose: Pose,
    /// Geometry.
    pub geometry: Geometry,
    /// Density for [`BodyMass::FromShapes`] \[kg/m³\]; 0 = adds no mass.
    pub density: f64,
    /// Contact material.
    pub material: MaterialId,
    /// Thickness outside the geometry \[m\].
    pub margin: f64,
    /// Distance beyond the margin at which contacts are detected \[m\].
    pub gap: f64,
    /// Velocity of the surface against its body, in the body (or world) frame \[m/s\].
    pub surface_velocity: Vec3,
    /// What it takes part in.
    pub flags: ShapeFlags,
    /// Collision group, as in `Model::shape_group`.
    pub group: i32,
}

impl Default for ShapeDef {
    fn default() -> Self {
        Self {
            name: String::new(),
            body: None,
            pose: Pose::identity(),
            geometry: Geometry::Plane,
            density: 1000.0,
            material: MaterialId(0),
            margin: 0.0,
            gap: 0.01,
            surface_velocity: Vec3::zeros(),
            flags: ShapeFlags::all(),
            group: 1,
        }
    }
}

/// A joint between two bodies, or between the world and a body.
#[derive(Clone, Debug, PartialEq)]
pub struct JointDef {
    /// Its name; empty = unnamed.
    pub name: String,
    /// Its kind.
    pub kind: JointKind,
    /// Parent body; `None` = world.
    pub parent: Option<BodyId>,
    /// Child body.
    pub child: BodyId,
    /// Joint frame in the parent body (or world) frame.
    pub x_p: Pose,
    /// Joint frame in the child body frame.
    pub x_c: Pose,
    /// As many axes as `kind.axis_count()`.
    pub axes: Vec<JointAxis>,
    /// Initial coordinates, `kind.coord_count()` of them, checked against the poses of
    /// the bodies; `None` = read off the poses.
    pub q: Option<Vec<f64>>,
    /// Initial velocities, `kind.dof_count()`; `None` = read off the bodies' velocities.
    pub qd: Option<Vec<f64>>,
    /// Whether it acts.
    pub enabled: bool,
    /// Drive targets of positions per axis; empty = 0.
    pub target_q: Vec<f64>,
    /// Drive targets of velocities per axis; empty = 0.
    pub target_qd: Vec<f64>,
    /// Rotation of the child joint frame in the parent one at rest; only for rods
    /// (`None` = read off the poses) and fixed joints (`None` = identity).
    pub rest_rotation: Option<Quat>,
}

impl JointDef {
    /// An enabled joint of `kind` with identity frames and default axes (all along z).
    pub fn new(kind: JointKind, parent: Option<BodyId>, child: BodyId) -> Self {
        Self {
            name: String::new(),
            kind,
            parent,
            child,
            x_p: Pose::identity(),
            x_c: Pose::identity(),
            axes: vec![JointAxis::default(); kind.axis_count()],
            q: None,
            qd: None,
            enabled: true,
            target_q: Vec::new(),
            target_qd: Vec::new(),
            rest_rotation: None,
        }
    }
}

/// An attachment of a particle to a body.
#[derive(Clone, Debug, PartialEq)]
pub struct AttachmentDef {
    /// The particle.
    pub particle: ParticleId,
    /// The body.
    pub body: BodyId,
    /// Anchor point in the body frame \[m\].
    pub point: Vec3,
    /// Stiffness \[N/m\]; infinite = hard.
    pub ke: f64,
    /// Damping \[N·s/m\].
    pub kd: f64,
    /// Whether it acts.
    pub enabled: bool,
}

impl AttachmentDef {
    /// An enabled, hard attachment.
    pub fn hard(particle: ParticleId, body: BodyId, point: Vec3) -> Self {
        Self { particle, body, point, ke: f64::INFINITY, kd: 0.0, enabled: true }
    }
}
