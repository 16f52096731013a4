//! What the host's particles tell about a step: residual, rows, energy.

#![allow(non_snake_case)]

use coact_math::{Scalar, V3};
use coact_model::{ParticleId, ShapeId};

use super::backend::{ContactSummary, ParticleResidual};
use super::columns::convert;
use super::cpu::CpuParticles;
use crate::contact::eval_penetration;
use crate::energy::{
    edges, eval_hinge_angle, membrane_F, membrane_psi, spring_energy, tetrahedron_F, tetrahedron_psi,
};
use crate::lanes::BlockTerms;
use crate::prepared::Elements;

impl<P: Scalar, R: Scalar> CpuParticles<P, R> {
    /// Residual of every movable block, reduced in order of slots.
    pub(super) fn measure_residual(&mut self) -> ParticleResidual {
        let mut terms = std::mem::take(&mut self.terms);
        if !std::mem::take(&mut self.terms_are_current) {
            terms.resize(self.layout.block_count, BlockTerms::default());
            self.eval_all(&mut terms);
        }
        let mut r = ParticleResidual::default();
        for (slot, t) in terms.iter().enumerate() {
            if self.columns.inertia[slot].cmp_le(R::zero()) {
                continue;
            }
            let sq = (t.f - t.inertia).to_host(0).norm_squared();
            (r.sum_sq, r.count) = (r.sum_sq + sq, r.count + 1);
            if sq > r.max {
                (r.max, r.worst) = (sq, Some(self.particle_at(slot)));
            }
        }
        r.max = r.max.sqrt();
        self.terms = terms;
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

    /// Energy at the present positions \[J\].
    pub(super) fn stored_in_elements(&self) -> f64 {
        element_energy(&self.elements, |s| convert(self.columns.x0[s as usize] - self.columns.origin))
    }

    pub(super) fn particle_at(&self, slot: usize) -> ParticleId {
        ParticleId(self.layout.particle_of[slot])
    }
}

/// Sum over all records with vertices at `x(slot)` \[J\].
pub fn element_energy<R: Scalar>(e: &Elements<R>, x: impl Fn(u32) -> V3<R>) -> f64 {
    let half = 0.5;
    let springs = e.springs.iter().map(|s| spring_energy(&s.e, x(s.v[0]) - x(s.v[1])).to_f64());
    let triangles = e.triangles.iter().map(|t| {
        let F = membrane_F(&edges(&t.v.map(&x)), &t.e.Dm_inv);
        t.e.A.to_f64() * membrane_psi(&t.e, &F).to_f64()
    });
    let hinges = e.hinges.iter().map(|h| {
        let bend = eval_hinge_angle(&h.v.map(&x)).theta.to_f64() - h.e.theta0.to_f64();
        half * h.e.ke.to_f64() * h.e.L0.to_f64() * bend * bend
    });
    let tets = e.tets.iter().map(|t| {
        let F = tetrahedron_F(&edges(&t.v.map(&x)), &t.e.Dm_inv);
        t.e.V.to_f64() * tetrahedron_psi(&t.e, &F).to_f64()
    });
    springs.sum::<f64>() + triangles.sum::<f64>() + hinges.sum::<f64>() + tets.sum::<f64>()
}
