//! Names of entities and the groups they were authored in: for people and scene files.

use std::ops::Range;

/// What a group of particles was authored as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupKind {
    /// Triangles and hinges.
    Cloth,
    /// Tetrahedra.
    Soft,
    /// Loose particles and springs.
    Particles,
}

/// A named set of particles and elements, contiguous in every column.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The name, unique in the model.
    pub name: String,
    /// What it was authored as.
    pub kind: GroupKind,
    /// Range of its particles.
    pub particles: Range<u32>,
    /// Range of its springs.
    pub springs: Range<u32>,
    /// Range of its triangles.
    pub triangles: Range<u32>,
    /// Range of its hinges.
    pub hinges: Range<u32>,
    /// Range of its tetrahedra.
    pub tets: Range<u32>,
    /// Surface triangles for pictures and exports (particle indices): the triangles of a
    /// cloth, the boundary of a soft body.
    pub surface: Vec<[u32; 3]>,
}

/// Names by kind; empty strings for what was not named.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Names {
    /// Names of bodies. Shape: \[body_count\].
    pub bodies: Vec<String>,
    /// Names of joints. Shape: \[joint_count\].
    pub joints: Vec<String>,
    /// Names of shapes. Shape: \[shape_count\].
    pub shapes: Vec<String>,
    /// Names of materials. Shape: \[material_count\].
    pub materials: Vec<String>,
    /// Groups of particles, in order of their particles.
    pub groups: Vec<Group>,
}
