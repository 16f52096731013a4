//! What a caller hands to [`super::ModelBuilder`]: one plain struct per entity, each with defaults.

use coact_math::{Mat2, Mat3, Pose, Quat, Spatial, Vec3};

use crate::ids::{BodyId, MaterialId, ParticleId};
use crate::joint::{JointAxis, JointKind};
use crate::shape::{Geometry, ShapeFlags};

/// A particle.
#[derive(Clone, Debug, PartialEq)]
pub struct ParticleDef {
    /// Initial position, and rest position unless set apart \[m\].
    pub q: Vec3,
    /// Initial velocity \[m/s\].
    pub qd: Vec3,
    /// Mass \[kg\]; 0 only for pinned or inactive particles.
    pub mass: f64,
    /// Contact radius \[m\].
    pub radius: f64,
    /// Contact material.
    pub material: MaterialId,
}

impl Default for ParticleDef {
    fn default() -> Self {
        Self { q: Vec3::zeros(), qd: Vec3::zeros(), mass: 1.0, radius: 0.0, material: MaterialId(0) }
    }
}

/// A spring between two particles.
#[derive(Clone, Debug, PartialEq)]
pub struct SpringDef {
    /// Its ends.
    pub particles: [ParticleId; 2],
    /// Stiffness \[N/m\].
    pub ke: f64,
    /// Axial damping \[N·s/m\].
    pub kd: f64,
    /// Rest length \[m\]; `None` = distance of the rest positions.
    pub rest_length: Option<f64>,
}

/// A spring inside a group of loose particles.
#[derive(Clone, Debug, PartialEq)]
pub struct LooseSpring {
    /// Its ends, counted from the group's first particle.
    pub ends: [u32; 2],
    /// Stiffness \[N/m\].
    pub ke: f64,
    /// Axial damping \[N·s/m\].
    pub kd: f64,
    /// Rest length \[m\]; `None` = distance of the rest positions.
    pub rest_length: Option<f64>,
}

/// Membrane law of a triangle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TriangleMaterial {
    /// Shear stiffness \[N/m\].
    pub mu: f64,
    /// Area stiffness \[N/m\].
    pub lambda: f64,
    /// Damping \[N·s/m\].
    pub kd: f64,
}

/// Exact rest data of a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriangleRest {
    /// Inverse rest shape Dm⁻¹ \[1/m\].
    pub inv: Mat2,
    /// Rest area \[m²\].
    pub area: f64,
}

/// Exact rest data of a hinge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HingeRest {
    /// Rest dihedral angle \[rad\].
    pub angle: f64,
    /// Rest length of the edge \[m\].
    pub length: f64,
}

/// Solid law of a tetrahedron.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TetMaterial {
    /// Lamé mu \[Pa\].
    pub mu: f64,
    /// Lamé lambda \[Pa\].
    pub lambda: f64,
    /// Damping \[Pa·s\].
    pub kd: f64,
}

/// A cloth made from a triangle mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct ClothDef {
    /// Pose of the mesh in the world.
    pub pose: Pose,
    /// Initial velocity of every vertex \[m/s\].
    pub velocity: Vec3,
    /// Mass per area \[kg/m²\].
    pub density: f64,
    /// Shear stiffness \[N/m\].
    pub mu: f64,
    /// Area stiffness \[N/m\].
    pub lambda: f64,
    /// Membrane damping \[N·s/m\].
    pub kd: f64,
    /// Bending stiffness \[N\].
    pub bend_ke: f64,
    /// Bending damping \[N·s\].
    pub bend_kd: f64,
    /// Contact radius of the particles \[m\].
    pub radius: f64,
    /// Contact material.
    pub material: MaterialId,
}

impl Default for ClothDef {
    fn default() -> Self {
        Self {
            pose: Pose::identity(),
            velocity: Vec3::zeros(),
            density: 0.2,
            mu: 1.0e3,
            lambda: 1.0e3,
            kd: 0.0,
            bend_ke: 1.0e-2,
            bend_kd: 0.0,
            radius: 0.005,
            material: MaterialId(0),
        }
    }
}

/// A soft body made from a tetrahedral mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct SoftDef {
    /// Pose of the mesh in the world.
    pub pose: Pose,
    /// Initial velocity of every vertex \[m/s\].
    pub velocity: Vec3,
    /// Mass per volume \[kg/m³\].
    pub density: f64,
    /// Lamé mu \[Pa\].
    pub mu: f64,
    /// Lamé lambda \[Pa\].
    pub lambda: f64,
    /// Damping \[Pa·s\].
    pub kd: f64,
    /// Contact radius of the particles \[m\].
    pub radius: f64,
    /// Contact material.
    pub material: MaterialId,
}

impl Default for SoftDef {
    fn default() -> Self {
        Self {
            pose: Pose::identity(),
            velocity: Vec3::zeros(),
            density: 1000.0,
            mu: 1.0e5,
            lambda: 1.0e5,
            kd: 0.0,
            radius: 0.005,
            material: MaterialId(0),
        }
    }
}

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
