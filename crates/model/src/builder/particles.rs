//! Particles: adding, pinning, deactivating, rest positions apart from initial ones.

use coact_math::Vec3;

use super::{ModelBuilder, ParticleDef, ParticleRecord};
use crate::ids::ParticleId;

impl ModelBuilder {
    /// Adds a particle.
    pub fn add_particle(&mut self, def: ParticleDef) -> ParticleId {
        self.particles.push(ParticleRecord { def, rest: None, pinned: false, active: true });
        ParticleId::new(self.particles.len() - 1)
    }

    /// Makes a particle immovable by force (inverse mass 0). It keeps its mass and meets
    /// contacts. Errors at `finalize`: no such id.
    pub fn pin_particle(&mut self, id: ParticleId) {
        self.with_particle("pin_particle", id, |p| p.pinned = true);
    }

    /// Takes a particle out of dynamics and contact; elements still see its position.
    /// Errors at `finalize`: no such id.
    pub fn deactivate_particle(&mut self, id: ParticleId) {
        self.with_particle("deactivate_particle", id, |p| p.active = false);
    }

    /// Sets the position from which rest shapes are measured \[m\], when it differs from the
    /// initial one. Errors at `finalize`: no such id.
    pub fn set_particle_rest(&mut self, id: ParticleId, q: Vec3) {
        self.with_particle("set_particle_rest", id, |p| p.rest = Some(q));
    }

    /// Moves the initial position \[m\] and keeps the rest position where it was, so that
    /// the elements start stretched. Errors at `finalize`: no such id.
    pub fn set_particle_q(&mut self, id: ParticleId, q: Vec3) {
        self.with_particle("set_particle_q", id, |p| {
            p.rest = Some(p.rest_q());
            p.def.q = q;
        });
    }

    /// Sets the initial velocity \[m/s\]. Errors at `finalize`: no such id.
    pub fn set_particle_qd(&mut self, id: ParticleId, qd: Vec3) {
        self.with_particle("set_particle_qd", id, |p| p.def.qd = qd);
    }

    /// Number of particles so far.
    pub fn particle_count(&self) -> usize {
        self.particles.len()
    }

    /// The definition of a particle, if there is such an id.
    pub fn particle(&self, id: ParticleId) -> Option<&ParticleDef> {
        self.particles.get(id.index()).map(|p| &p.def)
    }

    fn with_particle(&mut self, call: &str, id: ParticleId, edit: impl FnOnce(&mut ParticleRecord)) {
        let count = self.particles.len();
        match self.particles.get_mut(id.index()) {
            Some(p) => edit(p),
            None => self.defer_range(call, id, count),
        }
    }
}
