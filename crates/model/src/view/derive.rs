//! How the columns of a view follow from the parent, the ownership and the edits.
//!
//! Each kind of entity has a `derive_*`, from the parent's columns (which `self.model`
//! shares at that moment), and a `keep_*`, which takes the former copies over when the
//! parent's columns are the same as before and says whether it could.

use coact_column::Column;
use coact_math::Mat3;

use super::ModelView;
use super::edits::MassEdit;
use crate::ids::{BodyId, JointId, ParticleId, ShapeId};
use crate::model::Model;
use crate::shape::ShapeFlags;

/// Whether none of the columns was written since.
macro_rules! unchanged {
    ($a:expr, $b:expr, $($column:ident),+) => { $($a.$column.version() == $b.$column.version())&&+ };
}

/// Takes columns over from another model.
macro_rules! take {
    ($to:expr, $from:expr, $($column:ident),+) => { $($to.$column = $from.$column.clone();)+ };
}

impl ModelView {
    /// The columns of another view; those that mass edits write keep their memory.
    pub(super) fn take_columns(&mut self, other: &Self) {
        let mine = std::mem::replace(&mut self.model, other.model.clone());
        macro_rules! keep_memory {
            ($($column:ident),+) => {$(
                let mut column = mine.$column;
                column.copy_from(&other.model.$column);
                self.model.$column = column;
            )+};
        }
        keep_memory!(body_mass, body_inv_mass, body_inertia, body_inv_inertia);
        keep_memory!(particle_mass, particle_inv_mass);
    }

    pub(super) fn derive_particles(&mut self) {
        let foreign = (0..self.parent.particle_count()).filter(|&i| !self.sees_particle(ParticleId::new(i)));
        let foreign: Vec<_> = foreign.collect();
        put(&mut self.model.particle_inv_mass, &foreign, 0.0);
        put(&mut self.model.particle_active, &foreign, false);
        for (p, e) in self.edits.particles.clone() {
            self.apply_particle(p, &e);
        }
    }

    pub(super) fn keep_particles(&mut self, before: &Model, derived: &Model) -> bool {
        let kept = unchanged!(self.parent, before, particle_mass, particle_inv_mass, particle_active);
        if kept {
            take!(self.model, derived, particle_mass, particle_inv_mass, particle_active);
        }
        kept
    }

    pub(super) fn derive_bodies(&mut self) {
        let foreign = (0..self.parent.body_count()).map(BodyId::new);
        let foreign: Vec<_> =
            foreign.filter(|&b| !self.owns_body(b) && !self.is_proxy_body(b)).map(|b| b.index()).collect();
        put(&mut self.model.body_inv_mass, &foreign, 0.0);
        put(&mut self.model.body_inv_inertia, &foreign, Mat3::zeros());
        for (b, e) in self.edits.bodies.clone() {
            self.apply_body(b, &e);
        }
    }

    pub(super) fn keep_bodies(&mut self, before: &Model, derived: &Model) -> bool {
        let masses = unchanged!(self.parent, before, body_mass, body_inertia, body_kinematic);
        let kept = masses && unchanged!(self.parent, before, body_inv_mass, body_inv_inertia);
        if kept {
            take!(self.model, derived, body_mass, body_inv_mass, body_inertia, body_inv_inertia);
        }
        kept
    }

    pub(super) fn derive_joints(&mut self) {
        let foreign = (0..self.parent.joint_count()).filter(|&j| !self.masks.joint_solved[j]);
        let edited = self.edits.disabled_joints.iter().map(|j| j.index());
        let off: Vec<_> = foreign.chain(edited).collect();
        put(&mut self.model.joint_enabled, &off, false);
    }

    pub(super) fn keep_joints(&mut self, before: &Model, derived: &Model) -> bool {
        let kept = unchanged!(self.parent, before, joint_enabled);
        if kept {
            take!(self.model, derived, joint_enabled);
        }
        kept
    }

    pub(super) fn derive_axes(&mut self) {
        for j in self.edits.quiet_joints.clone() {
            self.apply_quiet(j);
        }
    }

    pub(super) fn keep_axes(&mut self, before: &Model, derived: &Model) -> bool {
        let kept = unchanged!(self.parent, before, joint_axis);
        if kept {
            take!(self.model, derived, joint_axis);
        }
        kept
    }

    pub(super) fn apply_quiet(&mut self, j: JointId) {
        let first = self.model.joint_axis_start[j.index()] as usize;
        for k in first..first + self.model.joint_kind[j.index()].axis_count() {
            let axis = &mut self.model.joint_axis.make_mut()[k];
            (axis.friction, axis.armature) = (0.0, 0.0);
        }
    }

    pub(super) fn derive_shapes(&mut self) {
        let seen = |s: usize| match self.parent.shape_body[s] {
            Some(b) if self.owns_body(b) || self.is_proxy_body(b) => true,
            Some(b) => self.sees_body(b) && self.masks.shape_listed[s],
            None => self.masks.shape_listed[s],
        };
        let foreign: Vec<_> =
            (0..self.parent.shape_count()).filter(|&s| !seen(s)).map(ShapeId::new).collect();
        for s in foreign.into_iter().chain(self.edits.hidden_shapes.clone()) {
            self.apply_hidden(s);
        }
    }

    pub(super) fn keep_shapes(&mut self, before: &Model, derived: &Model) -> bool {
        let kept = unchanged!(self.parent, before, shape_flags, shape_body, body_kinematic);
        if kept {
            take!(self.model, derived, shape_flags);
        }
        kept
    }

    pub(super) fn derive_attachments(&mut self) {
        let m = &self.parent;
        let acts = |i: usize| {
            let (p, b) = (m.attachment_particle[i], m.attachment_body[i]);
            let owned = self.owns_particle(p) || self.owns_body(b);
            owned && self.sees_particle(p) && self.sees_body(b)
        };
        let off: Vec<_> = (0..m.attachment_particle.len()).filter(|&i| !acts(i)).collect();
        put(&mut self.model.attachment_enabled, &off, false);
    }

    pub(super) fn keep_attachments(&mut self, before: &Model, derived: &Model) -> bool {
        let ends = unchanged!(self.parent, before, attachment_particle, attachment_body, body_kinematic);
        let kept = ends && unchanged!(self.parent, before, attachment_enabled);
        if kept {
            take!(self.model, derived, attachment_enabled);
        }
        kept
    }

    pub(super) fn apply_hidden(&mut self, s: ShapeId) {
        self.model.shape_flags.make_mut()[s.index()] &= ShapeFlags::VISIBLE;
    }

    /// Mass, inertia and inverses of one body: the parent's with one edit.
    pub(super) fn apply_body(&mut self, b: BodyId, e: &MassEdit) {
        let (i, p) = (b.index(), &self.parent);
        let fixed = p.body_kinematic[i]
            || !(self.owns_body(b) || self.is_proxy_body(b))
            || (p.body_inv_mass[i] == 0.0 && p.body_mass[i] > 0.0);
        let rigid = fixed || e.immobile;
        let (mass, inertia) = e.value.unwrap_or((p.body_mass[i], p.body_inertia[i]));
        let (mass, inertia) = (mass * e.factor, inertia * e.factor);
        let inverse = if rigid { None } else { inertia.try_inverse() };
        let m = &mut self.model;
        if m.body_mass[i] != mass || m.body_inertia[i] != inertia {
            m.body_mass.make_mut()[i] = mass;
            m.body_inertia.make_mut()[i] = inertia;
        }
        m.body_inv_mass.make_mut()[i] = if !rigid && mass > 0.0 { 1.0 / mass } else { 0.0 };
        m.body_inv_inertia.make_mut()[i] = inverse.unwrap_or_else(Mat3::zeros);
    }

    /// Mass and inverse mass of one particle: the parent's with one edit.
    pub(super) fn apply_particle(&mut self, id: ParticleId, e: &MassEdit) {
        let (i, p) = (id.index(), &self.parent);
        let pinned = p.particle_inv_mass[i] == 0.0 && p.particle_mass[i] > 0.0;
        let rigid = e.immobile || pinned || !self.sees_particle(id);
        let mass = e.value.map_or(p.particle_mass[i], |v| v.0) * e.factor;
        let m = &mut self.model;
        if m.particle_mass[i] != mass {
            m.particle_mass.make_mut()[i] = mass;
        }
        m.particle_inv_mass.make_mut()[i] = if !rigid && mass > 0.0 { 1.0 / mass } else { 0.0 };
    }
}

/// Writes `value` at `places`; a column that is not touched stays shared.
fn put<T: Clone>(column: &mut Column<T>, places: &[usize], value: T) {
    if places.is_empty() {
        return;
    }
    let values = column.make_mut();
    for &i in places {
        values[i] = value.clone();
    }
}
