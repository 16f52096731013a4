//! Bodies and particles that stand in for those of other solvers. Theory:
//! `docs/theory/vbd.md` eq. (21)–(23).
//!
//! A coupler says where a proxy begins and where it comes to when nobody touches it. Over
//! one substep h of the whole dt:
//!
//! ```text
//! target   = present pose moved by (ν + g) h     ν: constant twist from begin to free end
//! free end velocity = v_free + g                 g: velocity gained so far, Σ (dx, θ)/h
//! harvest  = Σ h (m dx/h², J θ/h²) / dt          what the block received, as a constant
//! ```
//! With one substep the target is the free end itself, to the bit.

use coact_math::{Pose, Spatial, Vec3, rotation_between};
use coact_model::{BodyId, ModelView, ParticleId};

use crate::body::{Body, FreeEnd, advanced};

/// Fraction of dt below which what is left of a step is rounding.
const TIME_TOLERANCE: f64 = 1e-9;

/// The motion of one proxy. Poses are those of the centre of mass.
#[derive(Clone, Copy, Debug)]
pub struct ProxyTrack {
    begin: Pose,
    free: FreeEnd,
    /// The coupler's step \[s\]; 0 = no motion was handed over.
    dt: f64,
    elapsed: f64,
    gained: Spatial,
    /// Impulse received since the begin \[N·s, N·m·s\].
    impulse: Spatial,
}

impl Default for ProxyTrack {
    fn default() -> Self {
        let free = FreeEnd { pose: Pose::identity(), velocity: Spatial::zeros() };
        let zero = Spatial::zeros();
        Self { begin: Pose::identity(), free, dt: 0.0, elapsed: 0.0, gained: zero, impulse: zero }
    }
}

impl ProxyTrack {
    /// A coupler hands over the coming step.
    pub fn arm(&mut self, begin: Pose, free: FreeEnd, dt: f64) {
        *self = Self { begin, free, dt, ..Self::default() };
    }

    /// eq. (21): where the proxy comes to in the next `h` if nobody touches it. Beyond the
    /// step that was handed over it keeps its velocity.
    pub fn next(&self, now: &Pose, velocity: &Spatial, h: f64) -> FreeEnd {
        let left = self.dt - self.elapsed;
        if left <= TIME_TOLERANCE * self.dt {
            return FreeEnd { pose: advanced(now, velocity, h), velocity: *velocity };
        }
        if self.elapsed == 0.0 && h >= self.dt * (1.0 - TIME_TOLERANCE) {
            return self.free;
        }
        let turn = rotation_between(&self.begin.q, &self.free.pose.q);
        let twist = Spatial::new(self.free.pose.p - self.begin.p, turn) * (1.0 / self.dt);
        FreeEnd { pose: advanced(now, &(twist + self.gained), h), velocity: self.free.velocity + self.gained }
    }

    /// A substep ended: its correction (dx, θ) and the wrench that the block received.
    pub fn receive(&mut self, correction: Spatial, wrench: Spatial, h: f64) {
        self.gained += correction * (1.0 / h);
        self.impulse += wrench * h;
        self.elapsed += h;
    }

    /// eq. (23): the impulse received, as a constant wrench over `dt`.
    pub fn harvest(&self, dt: f64) -> Spatial {
        self.impulse * (1.0 / dt)
    }
}

/// The proxies of a view, in order of ids.
#[derive(Clone, Debug, Default)]
pub struct Proxies {
    /// Bodies.
    pub bodies: Vec<(BodyId, ProxyTrack)>,
    /// Particles.
    pub particles: Vec<(ParticleId, ProxyTrack)>,
}

impl Proxies {
    /// All proxies of a view, without a motion.
    pub fn new(view: &ModelView) -> Self {
        let bodies = (0..view.body_count()).map(BodyId::new).filter(|&b| view.is_proxy_body(b));
        let particles = (0..view.particle_count()).map(ParticleId::new);
        let particles = particles.filter(|&p| view.is_proxy_particle(p));
        Self {
            bodies: bodies.map(|b| (b, ProxyTrack::default())).collect(),
            particles: particles.map(|p| (p, ProxyTrack::default())).collect(),
        }
    }

    /// The track of a body, if it is a proxy.
    pub fn body(&self, b: BodyId) -> Option<&ProxyTrack> {
        self.bodies.binary_search_by_key(&b, |e| e.0).ok().map(|i| &self.bodies[i].1)
    }

    /// The track of a body, to be changed.
    pub fn body_mut(&mut self, b: BodyId) -> Option<&mut ProxyTrack> {
        self.bodies.binary_search_by_key(&b, |e| e.0).ok().map(|i| &mut self.bodies[i].1)
    }

    /// The track of a particle, if it is a proxy.
    pub fn particle(&self, p: ParticleId) -> Option<&ProxyTrack> {
        self.particles.binary_search_by_key(&p, |e| e.0).ok().map(|i| &self.particles[i].1)
    }

    /// The track of a particle, to be changed.
    pub fn particle_mut(&mut self, p: ParticleId) -> Option<&mut ProxyTrack> {
        self.particles.binary_search_by_key(&p, |e| e.0).ok().map(|i| &mut self.particles[i].1)
    }

    /// Where a proxy body comes to in the next `h`.
    pub fn body_end(&self, body: usize, b: &Body, h: f64) -> FreeEnd {
        let keep = ProxyTrack::default();
        self.body(BodyId::new(body)).unwrap_or(&keep).next(&b.now, &b.velocity, h)
    }
}

/// A particle's position as a pose.
pub fn at(x: Vec3) -> Pose {
    Pose::translation(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn free() -> FreeEnd {
        FreeEnd {
            pose: Pose::translation(Vec3::new(0.3, 0.0, 0.1)),
            velocity: Spatial::new(Vec3::x(), Vec3::zeros()),
        }
    }

    #[test]
    fn one_substep_ends_at_the_free_end_and_many_reach_it() {
        let (mut track, begin) = (ProxyTrack::default(), Pose::identity());
        track.arm(begin, free(), 0.1);
        assert_eq!(track.next(&begin, &Spatial::zeros(), 0.1).pose, free().pose);
        let mut now = begin;
        for _ in 0..4 {
            now = track.next(&now, &Spatial::zeros(), 0.025).pose;
            track.receive(Spatial::zeros(), Spatial::zeros(), 0.025);
        }
        assert!((now.p - free().pose.p).norm() < 1e-15);
    }

    #[test]
    fn a_correction_is_velocity_from_then_on_and_impulse_in_the_harvest() {
        let (mut track, begin) = (ProxyTrack::default(), Pose::identity());
        track.arm(begin, free(), 0.1);
        let (dx, h, m) = (Vec3::new(0.0, 0.0, 0.002), 0.05, 2.0);
        let f = Spatial::new(dx * (m / (h * h)), Vec3::zeros());
        track.receive(Spatial::new(dx, Vec3::zeros()), f, h);
        let end = track.next(&begin, &Spatial::zeros(), h);
        assert!((end.velocity.lin - (Vec3::x() + dx / h)).norm() < 1e-15);
        assert!((track.harvest(0.1).lin - dx * (m / h) / 0.1).norm() < 1e-12);
    }
}
