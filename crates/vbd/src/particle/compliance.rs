//! What a force on a particle moves, as its block knows it: `docs/theory/vbd.md` eq. (23a).
//!
//! The block at the free end of the coming step, of elements alone: rows and pairs are of the last
//! step, and what is restored must answer as what was saved.

#![allow(non_snake_case)]

use coact_math::{Mat3, Scalar, Vec3};

use super::backend::ParticleForces;
use super::cpu::CpuParticles;
use crate::lanes::NoRows;

impl<P: Scalar, R: Scalar> CpuParticles<P, R> {
    /// Puts the iterate at the free end of a step of `h`. The next step predicts anew.
    pub(super) fn begin_blocks(&mut self, h: f64) {
        let forces = ParticleForces { gravity: Vec3::zeros(), particle_f: &[], h };
        (self.h, self.law.inv_h) = (h, 1.0 / h);
        self.columns.predict(&forces, &self.layout, self.options.velocity);
        let parallel = self.layout.block_count >= self.options.parallel_threshold;
        self.lanes.start(&self.elements, (&self.columns.at, &self.columns.u), parallel);
        self.residual_is_current = false;
    }

    /// (m/h² 1 + H)⁻¹; zero where nothing moves.
    pub(super) fn block_compliance(&self, slot: usize) -> Mat3 {
        if slot >= self.layout.block_count || self.columns.inertia_exact[slot] <= 0.0 {
            return Mat3::zeros();
        }
        let H = self.lanes.eval_one(slot, &self.step_terms(), &NoRows).H.to_host(0);
        let A = H + Mat3::identity() * self.columns.inertia_exact[slot];
        A.try_inverse().unwrap_or_else(Mat3::zeros)
    }
}
