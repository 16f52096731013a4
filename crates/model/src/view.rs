//! A solver's view of the shared model: copy-on-write columns plus masks.
//!
//! A view is a clone of the model (reference counts) with the columns that ownership
//! or an edit touches replaced by own copies. It never compacts: ids stay global, and it
//! never writes through. What ownership does to the rest: bodies and particles of
//! others have zero inverse mass and are hidden (their shapes meet nothing), joints of
//! others are disabled, static shapes stay visible unless shapes are listed. A proxy
//! keeps its dynamics, with the mass that the coupler sets; a proxy joint stays enabled.
//! Edits are kept as a list and replayed when the parent changed.

use std::ops::Deref;

use coact_math::Mat3;

use crate::ids::{BodyId, JointId, ParticleId, ShapeId};
use crate::model::{Model, ModelFlags};
use crate::shape::ShapeFlags;

/// What an entry owns and what stands in it for others. Lists of global ids.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ownership {
    /// Owned bodies.
    pub bodies: Vec<BodyId>,
    /// Owned particles.
    pub particles: Vec<ParticleId>,
    /// Owned joints.
    pub joints: Vec<JointId>,
    /// Visible static shapes; `None` = all of them.
    pub shapes: Option<Vec<ShapeId>>,
    /// Bodies of others that are dynamic here as proxies.
    pub proxy_bodies: Vec<BodyId>,
    /// Particles of others that are dynamic here as proxies.
    pub proxy_particles: Vec<ParticleId>,
    /// Joints of others that stay enabled between proxies.
    pub proxy_joints: Vec<JointId>,
}

impl Ownership {
    /// Owns everything.
    pub fn everything(model: &Model) -> Self {
        Self {
            bodies: (0..model.body_count()).map(BodyId::new).collect(),
            particles: (0..model.particle_count()).map(ParticleId::new).collect(),
            joints: (0..model.joint_count()).map(JointId::new).collect(),
            ..Self::default()
        }
    }
}

#[derive(Clone, Debug)]
enum Edit {
    HideShape(ShapeId),
    DisableJoint(JointId),
    ImmobiliseBody(BodyId),
    ImmobiliseParticle(ParticleId),
    ScaleBody(BodyId, f64),
    ScaleParticle(ParticleId, f64),
    SetBody(BodyId, f64, Mat3),
    SetParticle(ParticleId, f64),
}

impl Edit {
    /// (kind, index) of what it touches.
    fn entity(&self) -> (u8, u32) {
        match *self {
            Self::HideShape(s) => (0, s.0),
            Self::DisableJoint(j) => (1, j.0),
            Self::ImmobiliseBody(b) | Self::ScaleBody(b, _) | Self::SetBody(b, ..) => (2, b.0),
            Self::ImmobiliseParticle(p) | Self::ScaleParticle(p, _) | Self::SetParticle(p, _) => (3, p.0),
        }
    }

    /// Whether `next`, on the same entity, makes this edit void.
    fn sets_same_value(&self, next: &Self) -> bool {
        let idempotent = !matches!(self, Self::ScaleBody(..) | Self::ScaleParticle(..));
        idempotent && std::mem::discriminant(self) == std::mem::discriminant(next)
    }
}

/// The model as one entry sees it. Dereferences to [`Model`].
#[derive(Clone, Debug)]
pub struct ModelView {
    model: Model,
    ownership: Ownership,
    body_owned: Vec<bool>,
    body_proxy: Vec<bool>,
    particle_owned: Vec<bool>,
    particle_proxy: Vec<bool>,
    joint_owned: Vec<bool>,
    edits: Vec<Edit>,
}

impl Deref for ModelView {
    type Target = Model;
    fn deref(&self) -> &Model {
        &self.model
    }
}

fn mask(count: usize, ids: impl Iterator<Item = usize>) -> Vec<bool> {
    let mut m = vec![false; count];
    ids.for_each(|i| m[i] = true);
    m
}

impl ModelView {
    /// A view that owns everything: for a solver that runs alone.
    pub fn whole(model: &Model) -> Self {
        Self::new(model, Ownership::everything(model))
    }

    /// A view in which `ownership` holds. Ids must be in range.
    pub fn new(model: &Model, ownership: Ownership) -> Self {
        let mut view = Self {
            model: model.clone(),
            body_owned: mask(model.body_count(), ownership.bodies.iter().map(|b| b.index())),
            body_proxy: mask(model.body_count(), ownership.proxy_bodies.iter().map(|b| b.index())),
            particle_owned: mask(model.particle_count(), ownership.particles.iter().map(|p| p.index())),
            particle_proxy: mask(model.particle_count(), ownership.proxy_particles.iter().map(|p| p.index())),
            joint_owned: mask(
                model.joint_count(),
                ownership.joints.iter().chain(&ownership.proxy_joints).map(|j| j.index()),
            ),
            ownership,
            edits: Vec::new(),
        };
        view.apply_ownership();
        view
    }

    /// What the view was built from.
    pub fn ownership(&self) -> &Ownership {
        &self.ownership
    }

    /// The columns as this view sees them.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Whether the entry owns the body.
    pub fn owns_body(&self, b: BodyId) -> bool {
        self.body_owned[b.index()]
    }

    /// Whether the body stands here for another entry's.
    pub fn is_proxy_body(&self, b: BodyId) -> bool {
        self.body_proxy[b.index()]
    }

    /// Whether the entry owns the particle.
    pub fn owns_particle(&self, p: ParticleId) -> bool {
        self.particle_owned[p.index()]
    }

    /// Whether the particle stands here for another entry's.
    pub fn is_proxy_particle(&self, p: ParticleId) -> bool {
        self.particle_proxy[p.index()]
    }

    /// Whether the entry solves the joint (its own, or a proxy joint).
    pub fn solves_joint(&self, j: JointId) -> bool {
        self.joint_owned[j.index()]
    }

    /// Takes over a changed parent model: shares its columns anew, then ownership and
    /// edits are applied again. Entity counts must not have changed.
    pub fn notify_model_changed(&mut self, parent: &Model, _flags: ModelFlags) {
        self.model = parent.clone();
        self.apply_ownership();
        for edit in self.edits.clone() {
            apply_edit(&mut self.model, &edit);
        }
    }

    /// Hides a shape: it meets nothing.
    pub fn hide_shape(&mut self, s: ShapeId) -> ModelFlags {
        self.edit(Edit::HideShape(s), ModelFlags::SHAPES)
    }

    /// Disables a joint.
    pub fn disable_joint(&mut self, j: JointId) -> ModelFlags {
        self.edit(Edit::DisableJoint(j), ModelFlags::JOINTS)
    }

    /// Makes a body immovable by force (zero inverse mass and inertia).
    pub fn immobilise_body(&mut self, b: BodyId) -> ModelFlags {
        self.edit(Edit::ImmobiliseBody(b), ModelFlags::BODY_MASS)
    }

    /// Makes a particle immovable by force (zero inverse mass).
    pub fn immobilise_particle(&mut self, p: ParticleId) -> ModelFlags {
        self.edit(Edit::ImmobiliseParticle(p), ModelFlags::PARTICLE_MASS)
    }

    /// Multiplies a body's mass and inertia by `factor` > 0.
    pub fn scale_body_mass(&mut self, b: BodyId, factor: f64) -> ModelFlags {
        self.edit(Edit::ScaleBody(b, factor), ModelFlags::BODY_MASS)
    }

    /// Multiplies a particle's mass by `factor` > 0.
    pub fn scale_particle_mass(&mut self, p: ParticleId, factor: f64) -> ModelFlags {
        self.edit(Edit::ScaleParticle(p, factor), ModelFlags::PARTICLE_MASS)
    }

    /// Sets a body's mass \[kg\] and inertia \[kg·m²\] (body axes).
    pub fn set_body_mass(&mut self, b: BodyId, mass: f64, inertia: Mat3) -> ModelFlags {
        self.edit(Edit::SetBody(b, mass, inertia), ModelFlags::BODY_MASS)
    }

    /// Sets a particle's mass \[kg\].
    pub fn set_particle_mass(&mut self, p: ParticleId, mass: f64) -> ModelFlags {
        self.edit(Edit::SetParticle(p, mass), ModelFlags::PARTICLE_MASS)
    }

    /// Applies and remembers. A value set anew takes the place of the one before when
    /// nothing else happened to the same entity since: a mass set every step is one edit.
    fn edit(&mut self, edit: Edit, flags: ModelFlags) -> ModelFlags {
        apply_edit(&mut self.model, &edit);
        match self.edits.iter_mut().rev().find(|e| e.entity() == edit.entity()) {
            Some(last) if last.sets_same_value(&edit) => *last = edit,
            _ => self.edits.push(edit),
        }
        flags
    }

    fn apply_ownership(&mut self) {
        self.immobilise_foreign_bodies();
        self.immobilise_foreign_particles();
        self.disable_foreign_joints();
        self.hide_foreign_shapes();
    }

    fn immobilise_foreign_bodies(&mut self) {
        let foreign: Vec<_> =
            (0..self.model.body_count()).filter(|&i| !self.body_owned[i] && !self.body_proxy[i]).collect();
        if foreign.is_empty() {
            return;
        }
        let (m, i) = (self.model.body_inv_mass.make_mut(), self.model.body_inv_inertia.make_mut());
        for b in foreign {
            m[b] = 0.0;
            i[b] = Mat3::zeros();
        }
    }

    fn immobilise_foreign_particles(&mut self) {
        let count = self.model.particle_count();
        let foreign: Vec<_> =
            (0..count).filter(|&i| !self.particle_owned[i] && !self.particle_proxy[i]).collect();
        if foreign.is_empty() {
            return;
        }
        let (w, a) = (self.model.particle_inv_mass.make_mut(), self.model.particle_active.make_mut());
        for p in foreign {
            w[p] = 0.0;
            a[p] = false;
        }
    }

    fn disable_foreign_joints(&mut self) {
        if self.joint_owned.iter().all(|&o| o) {
            return;
        }
        let enabled = self.model.joint_enabled.make_mut();
        for (e, &owned) in enabled.iter_mut().zip(&self.joint_owned) {
            *e &= owned;
        }
    }

    fn hide_foreign_shapes(&mut self) {
        let listed = |s: usize| match &self.ownership.shapes {
            None => true,
            Some(list) => list.contains(&ShapeId::new(s)),
        };
        let visible = |s: usize| match self.model.shape_body[s] {
            None => listed(s),
            Some(b) => self.body_owned[b.index()] || self.body_proxy[b.index()],
        };
        let hidden: Vec<_> = (0..self.model.shape_count()).filter(|&s| !visible(s)).collect();
        if hidden.is_empty() {
            return;
        }
        let flags = self.model.shape_flags.make_mut();
        for s in hidden {
            flags[s] &= ShapeFlags::VISIBLE;
        }
    }
}

fn apply_edit(m: &mut Model, edit: &Edit) {
    match *edit {
        Edit::HideShape(s) => m.shape_flags.make_mut()[s.index()] &= ShapeFlags::VISIBLE,
        Edit::DisableJoint(j) => m.joint_enabled.make_mut()[j.index()] = false,
        Edit::ImmobiliseBody(b) => {
            m.body_inv_mass.make_mut()[b.index()] = 0.0;
            m.body_inv_inertia.make_mut()[b.index()] = Mat3::zeros();
        }
        Edit::ImmobiliseParticle(p) => m.particle_inv_mass.make_mut()[p.index()] = 0.0,
        Edit::ScaleBody(b, f) => {
            let (mass, inertia) = (m.body_mass[b.index()] * f, m.body_inertia[b.index()] * f);
            set_body(m, b, mass, inertia);
        }
        Edit::ScaleParticle(p, f) => {
            let mass = m.particle_mass[p.index()] * f;
            set_particle(m, p, mass);
        }
        Edit::SetBody(b, mass, inertia) => set_body(m, b, mass, inertia),
        Edit::SetParticle(p, mass) => set_particle(m, p, mass),
    }
}

fn set_body(m: &mut Model, b: BodyId, mass: f64, inertia: Mat3) {
    let i = b.index();
    m.body_mass.make_mut()[i] = mass;
    m.body_inertia.make_mut()[i] = inertia;
    m.body_inv_mass.make_mut()[i] = if mass > 0.0 { 1.0 / mass } else { 0.0 };
    m.body_inv_inertia.make_mut()[i] = inertia.try_inverse().unwrap_or_else(Mat3::zeros);
}

fn set_particle(m: &mut Model, p: ParticleId, mass: f64) {
    m.particle_mass.make_mut()[p.index()] = mass;
    m.particle_inv_mass.make_mut()[p.index()] = if mass > 0.0 { 1.0 / mass } else { 0.0 };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_body() -> Model {
        Model {
            body_q: vec![coact_math::Pose::identity()].into(),
            body_mass: vec![1.0].into(),
            body_inv_mass: vec![1.0].into(),
            body_inertia: vec![Mat3::identity()].into(),
            body_inv_inertia: vec![Mat3::identity()].into(),
            ..Model::default()
        }
    }

    #[test]
    fn a_mass_set_every_step_is_one_edit() {
        let parent = one_body();
        let mut view = ModelView::whole(&parent);
        for i in 1..=5 {
            view.set_body_mass(BodyId(0), f64::from(i), Mat3::identity());
        }
        assert_eq!(view.edits.len(), 1);
        view.scale_body_mass(BodyId(0), 2.0);
        view.set_body_mass(BodyId(0), 7.0, Mat3::identity());
        assert_eq!(view.edits.len(), 3);
        view.notify_model_changed(&parent, ModelFlags::BODY_MASS);
        assert_eq!((view.body_mass[0], parent.body_mass[0]), (7.0, 1.0));
    }
}
