//! Detection and rows of the host's particles.

use std::cell::RefCell;
use std::ops::Range;

use coact_collide::{Mobility, ParticleQuery, ParticleShapeContact, ParticleShapeDetector};
use coact_math::{Scalar, V3, Vec3};
use coact_model::{Material, Model, ParticleId};

use super::backend::DetectionPlace;
use super::cpu::CpuParticles;
use crate::attachment::AttachedParticles;
use crate::body::{Bodies, BodyLoad};
use crate::config::FrictionLaw;
use crate::contact::{ContactRow, RowSource};
use crate::energy::Block;

/// Particles and materials, as rows want them.
struct Source<'a, P, R: Scalar> {
    particles: &'a CpuParticles<P, R>,
    model: &'a Model,
    last: RefCell<GroupTerms<R>>,
}

/// Elements' terms of the group of blocks that was asked for last: rows come by slot, and a group costs
/// as much as one of its blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct GroupTerms<R> {
    blocks: Range<usize>,
    terms: Vec<Block<R>>,
}

impl<R> GroupTerms<R> {
    /// Memory for a group of `lanes` blocks.
    pub(super) fn reserve(&mut self, lanes: usize) {
        self.terms.reserve(lanes);
    }
}

impl<P: Scalar, R: Scalar> Source<'_, P, R> {
    /// Largest absolute row sum of the elements' Hessian of a block at the iterate \[N/m\].
    fn element_stiffness(&self, slot: usize) -> f64 {
        let mut last = self.last.borrow_mut();
        let GroupTerms { blocks, terms } = &mut *last;
        if !blocks.contains(&slot) {
            *blocks = self.particles.eval_group(slot, terms);
        }
        terms[slot - blocks.start].H.max_row_sum().to_f64()
    }
}

impl<P: Scalar, R: Scalar> RowSource<f64> for Source<'_, P, R> {
    fn slot(&self, contact: &ParticleShapeContact) -> Option<usize> {
        let slot = self.particles.layout.slot_of[contact.particle.index()] as usize;
        (self.particles.columns.mobility[slot] != Mobility::Static).then_some(slot)
    }

    fn inertia(&self, slot: usize) -> f64 {
        self.particles.columns.inertia_exact[slot]
    }

    fn stiffness(&self, slot: usize) -> f64 {
        match slot < self.particles.layout.block_count {
            true => self.element_stiffness(slot),
            false => 0.0,
        }
    }

    fn target(&self, slot: usize) -> (Vec3, Vec3) {
        self.particles.columns.target(slot)
    }

    fn carried(&self, contact: &ParticleShapeContact) -> Vec3 {
        self.model.shape_surface_velocity[contact.shape.index()] / self.particles.law.inv_h
    }

    fn surface(&self, contact: &ParticleShapeContact) -> ContactRow<f64> {
        let m = self.model;
        let (p, s) = (m.material_of_particle(contact.particle), m.material_of_shape(contact.shape));
        let pair = Material::mix(p, s);
        let reach = m.particle_radius[contact.particle.index()] + contact.margin;
        ContactRow { reach, ke: pair.ke, kd: pair.kd, mu: pair.mu, ..ContactRow::default() }
    }
}

impl<P: Scalar, R: Scalar> CpuParticles<P, R> {
    pub(super) fn detect_contacts(
        &self,
        detector: &mut ParticleShapeDetector,
        place: DetectionPlace,
        speculative: bool,
        out: &mut Vec<ParticleShapeContact>,
    ) -> bool {
        let c = &self.columns;
        let at = |slot: usize| match place {
            DetectionPlace::Begin => c.x0[slot].to_host(0),
            DetectionPlace::Iterate => c.position(slot),
        };
        let query = |p: usize| {
            let slot = self.layout.slot_of[p] as usize;
            let motion = if speculative { c.dy[slot].to_host(0).norm() } else { 0.0 };
            (c.mobility[slot] != Mobility::Static).then(|| ParticleQuery {
                particle: ParticleId::new(p),
                x: at(slot),
                radius: c.radius[slot],
                motion,
                mobility: c.mobility[slot],
            })
        };
        detector.detect_all(query, self.layout.slot_of.len(), out)
    }

    pub(super) fn make_rows(
        &mut self,
        contacts: &[ParticleShapeContact],
        model: &Model,
        bodies: &Bodies,
    ) -> bool {
        // the rows leave `self` so that they may be written while particles are read
        let mut rows = std::mem::take(&mut self.rows);
        let before = rows.capacity();
        let last = self.no_group();
        let source = Source { particles: self, model, last };
        rows.build(contacts, &source, bodies, &self.law);
        self.group_terms = source.last.into_inner();
        let grew = rows.capacity() > before;
        self.rows = rows;
        grew
    }

    /// The memory of the last group, without what it holds.
    fn no_group(&mut self) -> RefCell<GroupTerms<R>> {
        RefCell::new(GroupTerms { blocks: 0..0, ..std::mem::take(&mut self.group_terms) })
    }

    /// eq. (30), for anchored friction: no other law remembers what rows did.
    pub(super) fn start_iterate(&mut self) {
        if self.options.friction != FrictionLaw::Anchored {
            return;
        }
        for slot in 0..self.layout.block_count {
            let k = self.columns.inertia_exact[slot];
            if k > 0.0 && !self.rows.of_slot(slot).is_empty() {
                let d = V3::from_host(&self.rows.start(slot, k, &self.law));
                self.columns.put(slot, d, self.options.velocity);
            }
        }
    }

    pub(super) fn load_of_body(&self, body: usize, bodies: &Bodies) -> BodyLoad {
        let (mut load, q) = (BodyLoad::default(), bodies.get(body).now.q);
        for (i, row, point) in self.rows.of_body(body) {
            let (f, h) = self.rows.eval(i, &self.law, self.columns.exact[row.slot as usize]);
            if h.trace() != 0.0 {
                load.react(&f.to_host(0), &h.to_host(0), &(q * point));
            }
        }
        self.attachments.add_load(body, &mut load, bodies, |s| self.columns.exact[s].to_host(0));
        load
    }

    /// Attachments of the coming step.
    pub(super) fn prepare_attachments(&mut self, model: &Model, bodies: &Bodies) {
        // they leave `self` so that they may be written while particles are read
        let mut attachments = std::mem::take(&mut self.attachments);
        let h = 1.0 / self.law.inv_h;
        let last = self.no_group();
        let source = Source { particles: self, model, last };
        attachments.begin(model, bodies, &source, h, self.options.retention);
        self.group_terms = source.last.into_inner();
        self.attachments = attachments;
    }
}

impl<P: Scalar, R: Scalar> AttachedParticles for Source<'_, P, R> {
    fn inertia(&self, slot: usize) -> f64 {
        RowSource::inertia(self, slot)
    }

    fn stiffness(&self, slot: usize) -> f64 {
        RowSource::stiffness(self, slot)
    }

    fn target(&self, slot: usize) -> (Vec3, Vec3) {
        let c = &self.particles.columns;
        (c.target(slot).0, c.x0[slot].to_host(0))
    }
}
