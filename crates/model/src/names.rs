//! Names of entities and the groups they were authored in: for people and scene files.

use std::ops::Range;

use crate::ids::{BodyId, HingeId, JointId, MaterialId, ParticleId, ShapeId, SpringId, TetId, TriangleId};

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

impl Names {
    /// The body of that name.
    pub fn find_body(&self, name: &str) -> Option<BodyId> {
        position(&self.bodies, name).map(BodyId::new)
    }

    /// The joint of that name.
    pub fn find_joint(&self, name: &str) -> Option<JointId> {
        position(&self.joints, name).map(JointId::new)
    }

    /// The shape of that name.
    pub fn find_shape(&self, name: &str) -> Option<ShapeId> {
        position(&self.shapes, name).map(ShapeId::new)
    }

    /// The material of that name.
    pub fn find_material(&self, name: &str) -> Option<MaterialId> {
        position(&self.materials, name).map(MaterialId::new)
    }

    /// The index in `groups` of the group of that name.
    pub fn find_group(&self, name: &str) -> Option<usize> {
        self.groups.iter().position(|g| g.name == name)
    }

    /// The group of that name.
    pub fn group(&self, name: &str) -> Option<&Group> {
        self.groups.iter().find(|g| g.name == name)
    }

    /// A body for a message: `body "arm"`, or `body 3` when it has no name.
    pub fn body_label(&self, id: BodyId) -> String {
        label("body", &self.bodies, id.index())
    }

    /// A joint for a message.
    pub fn joint_label(&self, id: JointId) -> String {
        label("joint", &self.joints, id.index())
    }

    /// A shape for a message.
    pub fn shape_label(&self, id: ShapeId) -> String {
        label("shape", &self.shapes, id.index())
    }

    /// A material for a message.
    pub fn material_label(&self, id: MaterialId) -> String {
        label("material", &self.materials, id.index())
    }

    /// A particle for a message: `particle 12`, with its group and its place in it if any.
    pub fn particle_label(&self, id: ParticleId) -> String {
        self.element_label("particle", id.0, |g| &g.particles)
    }

    /// A spring for a message.
    pub fn spring_label(&self, id: SpringId) -> String {
        self.element_label("spring", id.0, |g| &g.springs)
    }

    /// A triangle for a message.
    pub fn triangle_label(&self, id: TriangleId) -> String {
        self.element_label("triangle", id.0, |g| &g.triangles)
    }

    /// A hinge for a message.
    pub fn hinge_label(&self, id: HingeId) -> String {
        self.element_label("hinge", id.0, |g| &g.hinges)
    }

    /// A tetrahedron for a message.
    pub fn tet_label(&self, id: TetId) -> String {
        self.element_label("tetrahedron", id.0, |g| &g.tets)
    }

    /// An element for a message, by its word, its id and the range that may hold it.
    fn element_label(&self, word: &str, id: u32, range: fn(&Group) -> &Range<u32>) -> String {
        match self.groups.iter().find(|g| range(g).contains(&id)) {
            Some(g) => format!("{word} {id} (number {} of \"{}\")", id - range(g).start, g.name),
            None => format!("{word} {id}"),
        }
    }
}

fn position(names: &[String], name: &str) -> Option<usize> {
    if name.is_empty() { None } else { names.iter().position(|n| n == name) }
}

fn label(word: &str, names: &[String], index: usize) -> String {
    match names.get(index).filter(|n| !n.is_empty()) {
        Some(name) => format!("{word} \"{name}\""),
        None => format!("{word} {index}"),
    }
}
