//! Momenta and energy of an island, and how its motion is changed: eq. (49a)–(49f) of `docs/theory/vbd.md`.

use std::ops::AddAssign;

use coact_math::{Mat3, Vec3};

use super::Gain;
use super::astray::Share;
use crate::body::Body;
use crate::particle::momentum::{POINT, inverse_inertia};

/// Moments of mass and velocity about a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Motion {
    mass: f64,
    /// Σ m x \[kg·m\].
    first: Vec3,
    /// Inertia \[kg·m²\].
    second: Mat3,
    momentum: Vec3,
    angular: Vec3,
    /// Kinetic energy \[J\].
    kinetic: f64,
}

impl Default for Motion {
    fn default() -> Self {
        let o = Vec3::zeros();
        Self { mass: 0.0, first: o, second: Mat3::zeros(), momentum: o, angular: o, kinetic: 0.0 }
    }
}

impl AddAssign for Motion {
    fn add_assign(&mut self, o: Self) {
        self.mass += o.mass;
        self.first += o.first;
        self.second += o.second;
        self.momentum += o.momentum;
        self.angular += o.angular;
        self.kinetic += o.kinetic;
    }
}

/// Inertia of a unit mass at `x`.
fn point_inertia(x: &Vec3) -> Mat3 {
    Mat3::identity() * x.norm_squared() - x * x.transpose()
}

impl Motion {
    /// Adds a mass at `x`.
    pub fn add_point(&mut self, mass: f64, x: Vec3, v: Vec3) {
        let p = v * mass;
        self.mass += mass;
        self.first += x * mass;
        self.second += point_inertia(&x) * mass;
        self.momentum += p;
        self.angular += x.cross(&p);
        self.kinetic += 0.5 * p.dot(&v);
    }

    /// Of a body, about `centre`.
    pub fn of(b: &Body, centre: &Vec3) -> Self {
        let mut motion = Self::default();
        motion.add_point(b.mass, b.now.p - centre, b.velocity.lin);
        let (inertia, w) = (b.world_inertia(), b.velocity.ang);
        motion.second += inertia;
        motion.angular += inertia * w;
        motion.kinetic += 0.5 * w.dot(&(inertia * w));
        motion
    }

    /// Of the free motion of a body from where the step begins, about `centre`.
    pub fn of_free(b: &Body, centre: &Vec3) -> Self {
        let mut motion = Self::default();
        motion.add_point(b.mass, b.begin.p - centre, b.free_velocity.lin);
        motion.angular += b.principal.momentum(&b.target.q, &b.free_velocity.ang);
        motion
    }

    /// Centre of mass, from where moments are taken.
    fn centre(&self) -> Vec3 {
        self.first / self.mass
    }

    /// Angular momentum about the centre of mass.
    fn spin_momentum(&self) -> Vec3 {
        self.angular - self.centre().cross(&self.momentum)
    }

    /// eq. (49b): momentum, and angular momentum about the centre of mass, of this part of a `whole` that
    /// makes up for what the whole has less than `free`.
    fn made_up(&self, whole: &Self, free: &Self) -> (Vec3, Vec3) {
        let (p, spin) = (free.momentum - whole.momentum, free.spin_momentum() - whole.spin_momentum());
        let arm = self.centre() - whole.centre();
        (self.momentum + p, self.spin_momentum() + spin - arm.cross(&p))
    }

    /// eq. (49c): the rigid motion of these masses with a momentum and an angular momentum about their
    /// centre; moments are about `origin`.
    fn rigid_with(&self, (momentum, spin_momentum): (Vec3, Vec3), origin: &Vec3) -> Rigid {
        let c = self.centre();
        let inertia = self.second - point_inertia(&c) * self.mass;
        // what is a point to rounding has no spin
        let is_point = inertia.trace() <= self.mass * POINT * POINT * c.norm_squared();
        let spin = if is_point { Vec3::zeros() } else { inverse_inertia(&inertia) * spin_momentum };
        let velocity = momentum / self.mass;
        let energy = 0.5 * (momentum.dot(&velocity) + spin.dot(&(inertia * spin)));
        Rigid { centre: c + origin, velocity, spin, energy }
    }
}

/// Place and velocities of a rigid motion, and its energy \[J\].
#[derive(Clone, Copy, Debug)]
struct Rigid {
    centre: Vec3,
    velocity: Vec3,
    spin: Vec3,
    energy: f64,
}

impl Rigid {
    fn at(&self, x: &Vec3) -> Vec3 {
        self.velocity + self.spin.cross(&(x - self.centre))
    }
}

/// An island of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Island {
    /// What it gained, without its motion at the end \[J\].
    pub gain: Gain,
    /// What it owes of earlier steps; below 0 what it lost in them \[J\].
    pub debt: f64,
    pub share: Share,
    /// Its free motion where it begins, its motion where it ends, and of that the particles', about `origin`.
    pub free_motion: Motion,
    pub motion: Motion,
    pub particles: Motion,
    origin: Vec3,
    held: bool,
    pays: bool,
    is_free: bool,
    /// The rigid motion of its particles, and the one that they get.
    rigid: Option<[Rigid; 2]>,
    /// Factors of the rigid motion and of the rest of its particles.
    keeps: [f64; 2],
}

impl Island {
    /// With moments about `origin`. `held`: by what takes momentum; `pays`: what it gained; `is_free`: nothing
    /// outside gives it momentum but what free motion has.
    pub fn new(origin: Vec3, held: bool, pays: bool, is_free: bool) -> Self {
        let still = Motion::default();
        let (free_motion, motion, particles) = (still, still, still);
        let (rigid, keeps) = (None, [1.0; 2]);
        Self {
            gain: Gain::default(),
            debt: 0.0,
            share: Share::default(),
            free_motion,
            motion,
            particles,
            origin,
            held,
            pays,
            is_free,
            rigid,
            keeps,
        }
    }

    /// Whether its motion changes.
    pub fn changes(&self) -> bool {
        self.rigid.is_some()
    }

    /// eq. (49a)–(49f): how much of its motion it keeps; returns what it still owes, or has lost, \[J\].
    pub fn settle(&mut self) -> f64 {
        if self.motion.mass <= 0.0 || self.particles.mass <= 0.0 {
            return 0.0;
        }
        let own = (self.particles.momentum, self.particles.spin_momentum());
        let has = self.particles.rigid_with(own, &self.origin);
        let should = match self.is_free {
            true => {
                let momenta = self.particles.made_up(&self.motion, &self.free_motion);
                self.particles.rigid_with(momenta, &self.origin)
            }
            false => has,
        };
        let rest = (self.particles.kinetic - has.energy).max(0.0);
        let gain = self.gain.energy + self.debt + self.motion.kinetic + should.energy - has.energy;
        let owed = if self.pays { gain.max(0.0) } else { 0.0 };
        let (kept, owed) = pay(rest, owed);
        let (whole, owed) = if self.held { pay(should.energy, owed) } else { (1.0, owed) };
        self.keeps = [whole, kept];
        let changes = self.is_free || self.keeps != [1.0; 2];
        self.rigid = changes.then_some([has, should]);
        if self.pays && gain < 0.0 {
            return gain.max(-self.particles.kinetic);
        }
        // bodies take what places store along
        if self.particles.mass < self.motion.mass { 0.0 } else { owed }
    }

    /// eq. (49b), (49d), (49e): the velocity of a particle at `x` that moves at `v`.
    pub fn changed(&self, x: &Vec3, v: &Vec3) -> Vec3 {
        let Some([has, should]) = &self.rigid else { return *v };
        let [whole, kept] = self.keeps;
        should.at(x) * whole + (v - has.at(x)) * kept
    }
}

/// The factor of a motion of the energy `has` that pays what is `owed`, and what is owed then: eq. (49d). Near a
/// full stop it pays more, or what rounding moves in the gain its root would make large in the velocities.
fn pay(has: f64, owed: f64) -> (f64, f64) {
    match owed {
        0.0 => (1.0, 0.0),
        _ if owed >= has => (0.0, owed - has.max(0.0)),
        _ => {
            let left = 1.0 - owed / has;
            (left.sqrt().min(2.0 * left), 0.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four masses that turn, fly and shake.
    fn points() -> [(f64, Vec3, Vec3); 4] {
        let at = |m: f64, x: [f64; 3], v: [f64; 3]| (m, Vec3::from(x), Vec3::from(v));
        [
            at(1.0, [0.0, 0.0, 0.0], [1.0, 0.5, 0.0]),
            at(2.0, [1.0, 0.0, 0.0], [0.0, 1.5, -1.0]),
            at(0.5, [0.0, 1.0, 0.2], [2.0, 0.0, 0.3]),
            at(1.5, [0.3, 0.2, 1.0], [0.0, -0.7, 0.4]),
        ]
    }

    const ORIGIN: Vec3 = Vec3::new(0.1, 0.2, 0.3);

    fn motion(v: impl Fn(&Vec3, Vec3) -> Vec3) -> Motion {
        let mut motion = Motion::default();
        points().iter().for_each(|(m, x, v0)| motion.add_point(*m, x - ORIGIN, v(x, *v0)));
        motion
    }

    /// The island, which gained `gain` in all, and its motion as it is changed.
    fn settled(gain: f64, held: bool, is_free: bool, free: Motion) -> (f64, Motion) {
        let has = motion(|_, v| v);
        let mut island = Island::new(ORIGIN, held, true, is_free);
        (island.gain.energy, island.free_motion) = (gain - has.kinetic, free);
        (island.motion, island.particles) = (has, has);
        let owed = island.settle();
        (owed, motion(|x, v| island.changed(x, &v)))
    }

    fn same_momenta(a: &Motion, b: &Motion) -> bool {
        (a.momentum - b.momentum).norm() < 1e-12 && (a.angular - b.angular).norm() < 1e-12
    }

    #[test]
    fn what_was_gained_is_paid_and_momentum_stays() {
        let before = motion(|_, v| v);
        let (owed, after) = settled(0.2, false, false, Motion::default());
        assert_eq!(owed, 0.0);
        assert!((before.kinetic - after.kinetic - 0.2).abs() < 1e-12);
        assert!(same_momenta(&before, &after));
    }

    #[test]
    fn what_is_loose_owes_what_its_momentum_needs_and_what_is_held_stops() {
        let before = motion(|_, v| v);
        let (owed, after) = settled(100.0, false, false, Motion::default());
        assert!((owed - (100.0 - before.kinetic) - after.kinetic).abs() < 1e-9, "{owed}");
        assert!(same_momenta(&before, &after) && after.kinetic > 0.1);
        let (owed, after) = settled(100.0, true, false, Motion::default());
        assert!((owed - 100.0 + before.kinetic).abs() < 1e-9 && after.kinetic < 1e-20, "{owed}");
    }

    #[test]
    fn what_nothing_acts_on_gets_its_momenta_back_and_may_pay_with_the_rest() {
        let free = motion(|x, v| v * 1.1 + Vec3::new(0.0, 0.2, 0.1).cross(x));
        let (owed, after) = settled(-100.0, false, true, free);
        assert!(owed == -motion(|_, v| v).kinetic && same_momenta(&free, &after));
        let (owed, after) = settled(0.2, false, true, free);
        assert!(owed == 0.0 && same_momenta(&free, &after));
        let most = motion(|_, v| v).kinetic - 0.2;
        assert!((after.kinetic - most).abs() < 1e-12, "{} of {most}", after.kinetic);
    }

    #[test]
    fn what_lost_energy_keeps_its_motion_and_may_gain_it_back() {
        let (owed, after) = settled(-0.1, true, false, Motion::default());
        assert!((owed + 0.1).abs() < 1e-12 && after.kinetic == motion(|_, v| v).kinetic);
        let mut island = Island::new(ORIGIN, true, true, false);
        let has = motion(|_, v| v);
        (island.gain.energy, island.debt) = (0.15 - has.kinetic, -0.1);
        (island.motion, island.particles) = (has, has);
        assert_eq!(island.settle(), 0.0);
        let after = motion(|x, v| island.changed(x, &v));
        assert!((has.kinetic - after.kinetic - 0.05).abs() < 1e-12);
    }

    /// The first two masses are a body, which keeps its velocity.
    #[test]
    fn particles_make_up_for_what_the_whole_lost() {
        let (whole, free) = (motion(|_, v| v), motion(|x, v| v * 1.1 + Vec3::new(0.0, 0.2, 0.1).cross(x)));
        let mut island = Island::new(ORIGIN, false, false, true);
        (island.motion, island.free_motion) = (whole, free);
        points()[2..].iter().for_each(|(m, x, v)| island.particles.add_point(*m, x - ORIGIN, *v));
        // two points have no inertia about their line
        island.particles.add_point(0.4, Vec3::new(-0.5, 0.3, 0.1) - ORIGIN, Vec3::zeros());
        island.motion.add_point(0.4, Vec3::new(-0.5, 0.3, 0.1) - ORIGIN, Vec3::zeros());
        island.free_motion.add_point(0.4, Vec3::new(-0.5, 0.3, 0.1) - ORIGIN, Vec3::zeros());
        island.settle();
        let mut after = Motion::default();
        points()[..2].iter().for_each(|(m, x, v)| after.add_point(*m, x - ORIGIN, *v));
        let third = (0.4, Vec3::new(-0.5, 0.3, 0.1), Vec3::zeros());
        for (m, x, v) in points()[2..].iter().chain([&third]) {
            after.add_point(*m, x - ORIGIN, island.changed(x, v));
        }
        assert!(same_momenta(&island.free_motion, &after));
    }
}
