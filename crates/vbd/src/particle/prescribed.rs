//! Prescribed particles within bounds: eq. (28) to (30) of `docs/theory/self-contact.md`.
//!
//! They go as far as what they push makes room, and catch up in later steps. Their velocity is what they
//! did, as that of all others. Where nothing bounds motion they are where they should be.

use coact_collide::Mobility;
use coact_math::{Scalar, V3, Vec3};

use super::columns::Columns;
use super::cpu::CpuParticles;
use crate::self_contact::{Guard, SelfContact, Way};

impl<P: Scalar, R: Scalar> Columns<P, R> {
    fn is_prescribed(&self, slot: usize) -> bool {
        self.mobility[slot] == Mobility::Prescribed
    }
}

impl<P: Scalar, R: Scalar> CpuParticles<P, R> {
    /// Lets a prescribed particle move by `velocity`, and by what it makes up of its lag.
    pub(super) fn carry_slot(&mut self, slot: usize, velocity: &Vec3, h: f64) {
        let made_up = self.self_contact.as_mut().map_or_else(Vec3::zeros, |sc| {
            let least = sc.config.margin;
            sc.lags.make_up(slot, &(velocity * h), least)
        });
        let x = self.columns.x0[slot];
        let way = velocity * h + made_up;
        // without a lag the velocity is the caller's to the last bit
        let v = if made_up == Vec3::zeros() { *velocity } else { way / h };
        let y = V3::<P>::from_host(&(x.to_host(0) + way));
        self.columns.put_target(slot, y, (y - x, V3::from_host(&v)), self.options.velocity);
    }

    /// Those that are behind go on, though nobody moves them in this step; those that arrived stand still.
    pub(super) fn carry_lagging(&mut self, h: f64) {
        for i in 0..self.self_contact.as_ref().map_or(0, |sc| sc.lags.len()) {
            let slot = self.self_contact.as_ref().map_or(0, |sc| sc.lags.slot(i));
            if self.columns.is_prescribed(slot) {
                self.carry_slot(slot, &Vec3::zeros(), h);
            }
        }
        if let Some(sc) = &mut self.self_contact {
            sc.lags.drop_arrived(|s| self.columns.is_prescribed(s));
        }
    }

    /// eq. (28): takes note of how far prescribed particles are behind at the end of the step.
    pub(super) fn note_lags(&mut self) {
        let Some(sc) = &mut self.self_contact else { return };
        let room = sc.lags.capacity();
        for slot in (0..self.columns.d.len()).filter(|&s| self.columns.is_prescribed(s)) {
            sc.lags.end(slot, -self.columns.exact[slot].to_host(0));
        }
        sc.growth += usize::from(sc.lags.capacity() > room);
    }

    /// Between two sweeps: those that are behind go on, as far as their sets let them. Whether one is still
    /// behind.
    pub(super) fn advance_prescribed(&mut self, sc: &mut SelfContact<R>) -> bool {
        let (Guard::PerParticle(bounds), rule) = (&mut sc.guard, self.options.velocity) else { return false };
        let (columns, mut behind) = (&mut self.columns, false);
        for slot in 0..columns.d.len() {
            if !columns.is_prescribed(slot) || columns.exact[slot] == V3::zero() {
                continue;
            }
            let apart = sc.lags.apart(slot, sc.config.margin);
            let (here, goal) = (columns.end(slot, rule), columns.target_by(slot, rule));
            match bounds.limit(slot, &Way { from: here, to: goal, apart }, |s| columns.end(s, rule)) {
                Some(cut) => {
                    columns.put_end(slot, &cut.x, rule);
                    sc.cuts.note(&cut, &goal, None, false);
                    behind = true;
                }
                None => columns.put(slot, V3::zero(), rule),
            }
        }
        behind
    }

    /// What moved all iterates by what others showed them has no say in these.
    pub(super) fn keep_prescribed(&mut self, before: &[V3<f64>]) {
        for (slot, &d) in before.iter().enumerate() {
            if self.columns.is_prescribed(slot) && self.columns.exact[slot] != d {
                self.columns.put(slot, d, self.options.velocity);
            }
        }
    }
}
