//! Builds a [`Model`]: entities are added one by one or mesh by mesh, and checked at the end.
//!
//! `add_*` calls return ids at once and never fail; everything wrong is found by
//! [`ModelBuilder::finalize`], which names the entity and the remedy. Rest data that is
//! not given is taken from the rest positions as they are at `finalize`. Element ids are
//! those of the columns: the first spring is `SpringId(0)`.

mod attach;
mod bodies;
mod check;
mod check_bodies;
mod check_joints;
mod check_rods;
mod check_surfaces;
mod columns;
mod defs;
mod elements;
mod finalize;
mod groups;
mod joints;
mod mass;
mod particles;
mod rest;
mod rigid_defs;
mod rod_defs;
mod rod_path;
mod rod_section;
mod rods;
mod warn;
mod warn_joints;

pub use defs::{
    ClothDef, HingeRest, LooseSpring, ParticleDef, SoftDef, SpringDef, TetMaterial, TriangleMaterial,
    TriangleRest,
};
pub use rigid_defs::{AttachmentDef, BodyDef, BodyMass, JointDef, ShapeDef};
pub use rod_defs::{RodDef, RodEnd, RodIds, RodPath, RodRest, Shear};
pub use rod_path::RodShape;
pub use rod_section::{RodSection, RodStiffness};

use coact_math::{Mat3, Vec3};

use crate::error::ModelError;
use crate::ids::{BodyId, JointId, MaterialId, ParticleId, ShapeId};
use crate::material::Material;
use crate::names::Names;

/// A scene under construction.
#[derive(Clone, Debug)]
pub struct ModelBuilder {
    /// Gravity acceleration \[m/s²\].
    pub gravity: Vec3,
    /// Whether the opposite vertices of a hinge get different colors (default: yes).
    /// Without it fewer colors do, and bending converges more slowly.
    pub color_bending: bool,
    names: Names,
    materials: Vec<Material>,
    particles: Vec<ParticleRecord>,
    springs: Vec<SpringDef>,
    triangles: Vec<TriangleRecord>,
    hinges: Vec<HingeRecord>,
    tets: Vec<TetRecord>,
    bodies: Vec<BodyDef>,
    shapes: Vec<ShapeDef>,
    joints: Vec<JointDef>,
    attachments: Vec<AttachmentDef>,
    filters: Vec<(ShapeId, ShapeId)>,
    particle_groups: Vec<Vec<ParticleId>>,
    body_groups: Vec<Vec<BodyId>>,
    /// Rods as they were asked for, for what looks like a slip.
    rods: Vec<RodRecord>,
    open_group: Option<crate::names::Group>,
    /// What an `add_*` call could not do; `finalize` reports the first one.
    deferred: Vec<ModelError>,
}

#[derive(Clone, Debug)]
struct ParticleRecord {
    def: ParticleDef,
    rest: Option<Vec3>,
    pinned: bool,
    active: bool,
}

impl ParticleRecord {
    fn rest_q(&self) -> Vec3 {
        self.rest.unwrap_or(self.def.q)
    }
}

#[derive(Clone, Debug)]
struct TriangleRecord {
    v: [ParticleId; 3],
    material: TriangleMaterial,
    rest: Option<TriangleRest>,
}

#[derive(Clone, Debug)]
struct HingeRecord {
    v: [ParticleId; 4],
    ke: f64,
    kd: f64,
    angle: Option<f64>,
    length: Option<f64>,
}

#[derive(Clone, Debug)]
struct TetRecord {
    v: [ParticleId; 4],
    material: TetMaterial,
    rest: Option<Mat3>,
}

#[derive(Clone, Debug)]
struct RodRecord {
    def: RodDef,
    /// EI about both axes \[N·m²\].
    ei: [f64; 2],
    length: f64,
    /// Its segments.
    bodies: std::ops::Range<usize>,
    /// What holds its begin and its end, with the radius there \[m\].
    ends: [Option<(JointId, f64)>; 2],
}

impl Default for ModelBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl ModelBuilder {
    /// An empty scene with gravity 9.81 m/s² along −z and material 0, "default".
    pub fn new() -> Self {
        Self {
            gravity: Vec3::new(0.0, 0.0, -9.81),
            color_bending: true,
            names: Names { materials: vec!["default".into()], ..Names::default() },
            materials: vec![Material::default()],
            particles: Vec::new(),
            springs: Vec::new(),
            triangles: Vec::new(),
            hinges: Vec::new(),
            tets: Vec::new(),
            bodies: Vec::new(),
            shapes: Vec::new(),
            joints: Vec::new(),
            attachments: Vec::new(),
            filters: Vec::new(),
            particle_groups: Vec::new(),
            body_groups: Vec::new(),
            rods: Vec::new(),
            open_group: None,
            deferred: Vec::new(),
        }
    }

    /// Adds a contact material under a name of its own.
    pub fn add_material(&mut self, name: impl Into<String>, material: Material) -> MaterialId {
        self.names.materials.push(name.into());
        self.materials.push(material);
        MaterialId::new(self.materials.len() - 1)
    }

    /// Replaces a material, for instance the default one. Errors at `finalize`: no such id.
    pub fn set_material(&mut self, id: MaterialId, material: Material) {
        let count = self.materials.len();
        match self.materials.get_mut(id.index()) {
            Some(m) => *m = material,
            None => self.defer_range("set_material", id, count),
        }
    }

    /// Names of what was added so far, with look-ups by name.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The color groups of particles, in solve order, instead of computed ones. Errors at
    /// `finalize`: a particle missing or listed twice, two of one group sharing an element.
    pub fn set_particle_color_groups(&mut self, groups: Vec<Vec<ParticleId>>) {
        self.particle_groups = groups;
    }

    /// The color groups of bodies, in solve order, instead of computed ones. Errors at
    /// `finalize`: a body missing or listed twice, two of one group sharing a joint.
    pub fn set_body_color_groups(&mut self, groups: Vec<Vec<BodyId>>) {
        self.body_groups = groups;
    }

    fn defer_range(&mut self, call: &str, target: impl std::fmt::Display, count: usize) {
        self.deferred.push(ModelError::OutOfRange {
            entity: format!("{call}(..)"),
            target: target.to_string(),
            count,
        });
    }
}

#[cfg(test)]
mod tests;
