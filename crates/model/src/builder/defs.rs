//! What a caller hands to [`super::ModelBuilder`] for particles, elements and meshes.

use coact_math::{Mat2, Pose, Vec3};

use crate::ids::{MaterialId, ParticleId};

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
