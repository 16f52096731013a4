//! Detection and rows of the host's particles.

use coact_collide::{Mobility, ParticleQuery, ParticleShapeContact, ParticleShapeDetector};
use coact_math::{Scalar, Vec3};
use coact_model::{Material, Model, ParticleId};

use super::backend::DetectionPlace;
use super::columns::Columns;
use super::cpu::CpuParticles;
use crate::body::{Bodies, BodyLoad};
use crate::contact::{ContactRow, RowSource, eval_contact};
use crate::prepared::Layout;

/// Columns and materials, as rows want them.
struct Source<'a, P, R> {
    columns: &'a Columns<P, R>,
    layout: &'a Layout,
    model: &'a Model,
}

impl<P: Scalar, R: Scalar> RowSource<R> for Source<'_, P, R> {
    fn slot(&self, contact: &ParticleShapeContact) -> Option<usize> {
        let slot = self.layout.slot_of[contact.particle.index()] as usize;
        (self.columns.mobility[slot] != Mobility::Static).then_some(slot)
    }

    fn target(&self, slot: usize) -> (Vec3, Vec3) {
        self.columns.target(slot)
    }

    fn surface(&self, contact: &ParticleShapeContact) -> ContactRow<R> {
        let m = self.model;
        let (p, s) = (m.material_of_particle(contact.particle), m.material_of_shape(contact.shape));
        let pair = Material::mix(p, s);
        let reach = m.particle_radius[contact.particle.index()] + contact.margin;
        ContactRow {
            reach: R::from_f64(reach),
            ke: R::from_f64(pair.ke),
            kd: R::from_f64(pair.kd),
            mu: R::from_f64(pair.mu),
            ..ContactRow::default()
        }
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
        let before = self.rows.capacity();
        let source = Source { columns: &self.columns, layout: &self.layout, model };
        self.rows.build(contacts, &source, bodies);
        self.rows.capacity() > before
    }

    pub(super) fn load_of_body(&self, body: usize, bodies: &Bodies) -> BodyLoad {
        let (mut load, q) = (BodyLoad::default(), bodies.get(body).now.q);
        for (row, point) in self.rows.of_body(body) {
            let (f, h) = eval_contact(row, &self.law, self.columns.d[row.slot as usize]);
            if h.trace() != R::zero() {
                load.react(&f.to_host(0), &h.to_host(0), &(q * point));
            }
        }
        load
    }
}
