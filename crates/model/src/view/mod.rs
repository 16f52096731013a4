//! A solver's view of the shared model: copy-on-write columns plus masks.
//!
//! A view is a clone of the model (reference counts) with the columns that ownership
//! or an edit touches replaced by own copies. It never compacts: ids stay global, and it
//! never writes through. Every changed value is derived anew from the parent, in the
//! order ownership, then edits, so that a view that was notified equals a fresh one bit
//! for bit. What ownership does to what the entry neither owns nor has as a proxy:
//!
//! - dynamic bodies and particles have zero inverse mass, particles are inactive, and
//!   shapes on dynamic bodies meet nothing;
//! - kinematic bodies are obstacles to everyone: their shapes, like static ones, stay
//!   visible unless shapes are listed;
//! - joints are disabled but for proxy joints;
//! - attachments act where the entry owns one end and sees the other (own, proxy, or
//!   kinematic body).

mod derive;
mod edits;
mod ownership;

pub use ownership::Ownership;

use std::ops::Deref;

use coact_math::Mat3;

use crate::ids::{BodyId, JointId, ParticleId, ShapeId};
use crate::model::{Model, ModelFlags};
use edits::{Edits, MassEdit};
use ownership::Masks;

/// The model as one entry sees it. Dereferences to [`Model`].
#[derive(Debug)]
pub struct ModelView {
    model: Model,
    /// What the columns are derived from.
    parent: Model,
    ownership: Ownership,
    masks: Masks,
    edits: Edits,
}

/// `clone_from` keeps its memory: a solver that holds a view takes over an edited one in
/// every step without allocating.
impl Clone for ModelView {
    fn clone(&self) -> Self {
        Self {
            model: self.model.clone(),
            parent: self.parent.clone(),
            ownership: self.ownership.clone(),
            masks: self.masks.clone(),
            edits: self.edits.clone(),
        }
    }

    fn clone_from(&mut self, other: &Self) {
        self.take_columns(other);
        self.parent = other.parent.clone();
        self.ownership.copy_from(&other.ownership);
        self.masks.copy_from(&other.masks);
        self.edits.copy_from(&other.edits);
    }
}

impl Deref for ModelView {
    type Target = Model;
    fn deref(&self) -> &Model {
        &self.model
    }
}

impl ModelView {
    /// A view that owns everything: for a solver that runs alone.
    pub fn whole(model: &Model) -> Self {
        Self::new(model, Ownership::everything(model))
    }

    /// A view in which `ownership` holds. Ids must be in range.
    pub fn new(model: &Model, ownership: Ownership) -> Self {
        let masks = Masks::new(model, &ownership);
        let mut view =
            Self { model: model.clone(), parent: model.clone(), ownership, masks, edits: Edits::default() };
        view.derive_particles();
        view.derive_bodies();
        view.derive_joints();
        view.derive_shapes();
        view.derive_attachments();
        view
    }

    /// What the view was built from.
    pub fn ownership(&self) -> &Ownership {
        &self.ownership
    }

    /// The model that the view was made of, without its masks and edits.
    pub fn parent(&self) -> &Model {
        &self.parent
    }

    /// The columns as this view sees them.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Whether the entry owns the body.
    pub fn owns_body(&self, b: BodyId) -> bool {
        self.masks.body_owned[b.index()]
    }

    /// Whether the body stands here for another entry's.
    pub fn is_proxy_body(&self, b: BodyId) -> bool {
        self.masks.body_proxy[b.index()]
    }

    /// Whether the body takes part here: owned, proxy, or kinematic.
    pub fn sees_body(&self, b: BodyId) -> bool {
        self.owns_body(b) || self.is_proxy_body(b) || self.parent.body_kinematic[b.index()]
    }

    /// Whether the entry owns the particle.
    pub fn owns_particle(&self, p: ParticleId) -> bool {
        self.masks.particle_owned[p.index()]
    }

    /// Whether the particle stands here for another entry's.
    pub fn is_proxy_particle(&self, p: ParticleId) -> bool {
        self.masks.particle_proxy[p.index()]
    }

    /// Whether the particle takes part here: owned or proxy.
    pub fn sees_particle(&self, p: ParticleId) -> bool {
        self.owns_particle(p) || self.is_proxy_particle(p)
    }

    /// Whether the entry solves the joint (its own, or a proxy joint).
    pub fn solves_joint(&self, j: JointId) -> bool {
        self.masks.joint_solved[j.index()]
    }

    /// Takes over a changed parent model. Columns that ownership or an edit touches are
    /// derived anew only where the parent's column has changed, told by its version, so
    /// that a cache keeps what still holds. Entity counts must not have changed. `_flags`
    /// is for solvers; the view needs no hint.
    pub fn notify_model_changed(&mut self, parent: &Model, _flags: ModelFlags) {
        let before = std::mem::replace(&mut self.parent, parent.clone());
        let derived = std::mem::replace(&mut self.model, parent.clone());
        if !self.keep_particles(&before, &derived) {
            self.derive_particles();
        }
        if !self.keep_bodies(&before, &derived) {
            self.derive_bodies();
        }
        if !self.keep_joints(&before, &derived) {
            self.derive_joints();
        }
        if !self.keep_axes(&before, &derived) {
            self.derive_axes();
        }
        if !self.keep_shapes(&before, &derived) {
            self.derive_shapes();
        }
        if !self.keep_attachments(&before, &derived) {
            self.derive_attachments();
        }
    }

    /// Hides a shape: it meets nothing.
    pub fn hide_shape(&mut self, s: ShapeId) -> ModelFlags {
        self.edits.hidden_shapes.insert(s);
        self.apply_hidden(s);
        ModelFlags::SHAPES
    }

    /// Disables a joint.
    pub fn disable_joint(&mut self, j: JointId) -> ModelFlags {
        self.edits.disabled_joints.insert(j);
        self.model.joint_enabled.make_mut()[j.index()] = false;
        ModelFlags::JOINTS
    }

    /// Takes dry friction and added inertia from the axes of a joint.
    pub fn quiet_joint(&mut self, j: JointId) -> ModelFlags {
        self.edits.quiet_joints.insert(j);
        self.apply_quiet(j);
        ModelFlags::JOINTS
    }

    /// Makes a body immovable by force (zero inverse mass and inertia), until its mass
    /// is set.
    pub fn immobilise_body(&mut self, b: BodyId) -> ModelFlags {
        self.edit_body(b, MassEdit::immobilise)
    }

    /// Makes a particle immovable by force (zero inverse mass), until its mass is set.
    pub fn immobilise_particle(&mut self, p: ParticleId) -> ModelFlags {
        self.edit_particle(p, MassEdit::immobilise)
    }

    /// Multiplies a body's mass and inertia by `factor` > 0. An immovable one stays so.
    pub fn scale_body_mass(&mut self, b: BodyId, factor: f64) -> ModelFlags {
        self.edit_body(b, |e| e.scale(factor))
    }

    /// Multiplies a particle's mass by `factor` > 0. An immovable one stays so.
    pub fn scale_particle_mass(&mut self, p: ParticleId, factor: f64) -> ModelFlags {
        self.edit_particle(p, |e| e.scale(factor))
    }

    /// Sets a body's mass \[kg\] and inertia \[kg·m²\] (body axes), voiding earlier mass
    /// edits. A body that is kinematic or foreign stays immovable.
    pub fn set_body_mass(&mut self, b: BodyId, mass: f64, inertia: Mat3) -> ModelFlags {
        self.edit_body(b, |e| *e = MassEdit::set(mass, inertia))
    }

    /// Sets a particle's mass \[kg\], voiding earlier mass edits. A particle that is
    /// pinned or foreign stays immovable.
    pub fn set_particle_mass(&mut self, p: ParticleId, mass: f64) -> ModelFlags {
        self.edit_particle(p, |e| *e = MassEdit::set(mass, Mat3::zeros()))
    }

    fn edit_body(&mut self, b: BodyId, edit: impl FnOnce(&mut MassEdit)) -> ModelFlags {
        let e = self.edits.bodies.entry(b).or_default();
        edit(e);
        let e = *e;
        self.apply_body(b, &e);
        ModelFlags::BODY_MASS
    }

    fn edit_particle(&mut self, p: ParticleId, edit: impl FnOnce(&mut MassEdit)) -> ModelFlags {
        let e = self.edits.particles.entry(p).or_default();
        edit(e);
        let e = *e;
        self.apply_particle(p, &e);
        ModelFlags::PARTICLE_MASS
    }
}

#[cfg(test)]
mod tests;
