//! What the host's particles tell about a step: residual, rows, energy.

#![allow(non_snake_case)]

use coact_math::Scalar;
use coact_model::{BodyId, ParticleId, ShapeId};
use coact_solver::ParticleContactLoad;

use super::backend::{ContactSummary, ParticleResidual};
use super::columns::convert;
use super::cpu::CpuParticles;
use super::stored::element_energy;
use crate::body::Bodies;
use crate::contact::{WORLD, eval_penetration};

impl<P: Scalar, R: Scalar> CpuParticles<P, R> {
    /// Residual of every movable block, reduced in order of slots.
    pub(super) fn measure_residual(&mut self) -> ParticleResidual {
        if !std::mem::take(&mut self.residual_is_current) {
            self.eval_residual();
        }
        let mut r = ParticleResidual::default();
        for (slot, force) in self.residual.iter().enumerate() {
            if self.columns.inertia[slot].cmp_le(R::zero()) {
                continue;
            }
            let sq = force.to_host(0).norm_squared();
            (r.sum_sq, r.count) = (r.sum_sq + sq, r.count + 1);
            if sq > r.max {
                (r.max, r.worst) = (sq, Some(self.particle_at(slot)));
            }
        }
        r.max = r.max.sqrt();
        r
    }

    pub(super) fn summarise_rows(&self) -> ContactSummary {
        let mut s = ContactSummary { rows: self.rows.all().len(), ..ContactSummary::default() };
        for row in self.rows.all() {
            let pen = eval_penetration(row, self.columns.exact[row.slot as usize]);
            if pen > 0.0 {
                s.active += 1;
                if s.deepest.is_none_or(|(depth, ..)| pen > depth) {
                    s.deepest = Some((pen, self.particle_at(row.slot as usize), ShapeId(row.shape)));
                }
            }
        }
        s
    }

    /// What every row that presses carries at the end of the last step, by particle.
    pub(super) fn visit_rows(&self, bodies: &Bodies, visit: &mut dyn FnMut(ParticleContactLoad)) {
        for (i, row) in self.rows.all().iter().enumerate() {
            let slot = row.slot as usize;
            let d = self.columns.exact[slot];
            let depth = eval_penetration(row, d);
            if depth <= 0.0 {
                continue;
            }
            let (force, normal) = (self.rows.eval(i, &self.law, d).0.to_host(0), row.n.to_host(0));
            let normal_force = force.dot(&normal);
            visit(ParticleContactLoad {
                particle: self.particle_at(slot),
                shape: ShapeId(row.shape),
                body: (row.body != WORLD).then_some(BodyId(row.body)),
                point: bodies.surface_point(row.body, self.rows.anchor(i).1).position,
                normal,
                normal_force,
                friction: force - normal * normal_force,
                depth,
            });
        }
    }

    /// Energy at the present positions \[J\].
    pub(super) fn stored_in_elements(&self) -> f64 {
        element_energy(&self.elements, |s| convert(self.columns.x0[s as usize] - self.columns.origin))
    }

    pub(super) fn particle_at(&self, slot: usize) -> ParticleId {
        ParticleId(self.layout.particle_of[slot])
    }
}
