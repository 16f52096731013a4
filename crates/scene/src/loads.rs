//! Constant forces of a scene, each within its times.

use coact_math::{Spatial, Vec3};
use coact_model::{BodyId, Forces, ParticleId};

/// A force on some particles and bodies.
#[derive(Clone, Debug)]
pub(crate) struct Load {
    /// When it acts \[s\].
    pub span: std::ops::Range<f64>,
    /// Force on each particle \[N\].
    pub particles: Vec<(ParticleId, Vec3)>,
    /// Wrench on each body about its centre of mass.
    pub bodies: Vec<(BodyId, Spatial)>,
}

/// All forces of a scene.
#[derive(Clone, Debug, Default)]
pub(crate) struct Loads(pub Vec<Load>);

impl Loads {
    /// Writes the forces at `t` \[s\]; rows on which no load ever acts stay untouched.
    pub fn apply(&self, t: f64, forces: &mut Forces) {
        for load in &self.0 {
            load.particles.iter().for_each(|(p, _)| forces.particle_f[p.index()] = Vec3::zeros());
            load.bodies.iter().for_each(|(b, _)| forces.body_f[b.index()] = Spatial::zeros());
        }
        for load in self.0.iter().filter(|l| l.span.contains(&t)) {
            load.particles.iter().for_each(|(p, f)| forces.particle_f[p.index()] += f);
            load.bodies.iter().for_each(|(b, w)| forces.body_f[b.index()] += *w);
        }
    }
}
