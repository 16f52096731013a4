//! Impacts give no energy. Theory: `docs/theory/rigid-rows.md` eq. (40d).
//!
//! Restitution along the normal and friction across it, each by its own law, may add up to more energy than
//! there was: a rod that hits askew. And impulses that are taken back of a step that was not solved to its end
//! are not those that bodies got. Between the velocities of the inelastic step and those after the impacts,
//! which have the same momentum, there is a mixture that has no more energy than free motion had.

use coact_math::Spatial;

use super::Touches;
use super::bounce::Strike;
use crate::body::{Bodies, Body};
use crate::rigid::components;

/// Share of the energy that is rounding.
const ROUNDING: f64 = 1e-9;

/// Energies of bodies that impacts connect.
#[derive(Clone, Copy, Debug, Default)]
struct Energies {
    /// In free motion, at the end of the inelastic step, and after the impacts.
    free: f64,
    begin: f64,
    end: f64,
    /// Velocities of the last two, multiplied with each other by the inertia.
    mixed: f64,
}

impl Energies {
    fn add(&mut self, b: &Body, before: &Spatial) {
        let inertia = b.world_inertia();
        let product = |a: &Spatial, c: &Spatial| b.mass * a.lin.dot(&c.lin) + a.ang.dot(&(inertia * c.ang));
        let free = b.principal.momentum(&b.target.q, &b.free_velocity.ang).dot(&b.free_velocity.ang);
        self.free += b.mass * b.free_velocity.lin.norm_squared() + free;
        self.begin += product(before, before);
        self.end += product(&b.velocity, &b.velocity);
        self.mixed += product(before, &b.velocity);
    }

    /// The share of the change by the impacts that is kept.
    fn share(&self) -> f64 {
        let most = self.free.max(self.begin) * (1.0 + ROUNDING);
        if self.end <= most {
            return 1.0;
        }
        // begin + 2 s (mixed − begin) + s² (begin − 2 mixed + end) = most
        let (a, b, c) =
            (self.begin - 2.0 * self.mixed + self.end, self.mixed - self.begin, self.begin - most);
        let root = (b * b - a * c).max(0.0).sqrt();
        if a > 0.0 { ((root - b) / a).clamp(0.0, 1.0) } else { 0.0 }
    }
}

impl Touches {
    /// eq. (40d): draws velocities back where impacts gave energy; `before`: of all bodies.
    pub(super) fn bound_energy(&self, bodies: &mut Bodies, before: &[Spatial], strikes: &mut [Strike]) {
        let free: Vec<bool> = (0..bodies.len()).map(|b| bodies.moves(b as u32)).collect();
        let of = |s: &Strike| self.bodies_of(s);
        let edges: Vec<[u32; 2]> = strikes.iter().map(of).collect();
        // what moves by prescription, and belts, may give energy
        let driven = |s: &Strike| self.is_driven(s, bodies);
        let driven: Vec<u32> = strikes.iter().filter(|s| driven(s)).flat_map(of).collect();
        let mut share = vec![1.0; bodies.len()];
        for group in components(&free, &edges) {
            if group.iter().any(|b| driven.contains(b)) {
                continue;
            }
            let mut sum = Energies::default();
            group.iter().for_each(|&b| sum.add(bodies.get(b as usize), &before[b as usize]));
            group.iter().for_each(|&b| share[b as usize] = sum.share());
        }
        for (b, &s) in share.iter().enumerate().filter(|(_, s)| **s < 1.0) {
            let body = bodies.get_mut(b);
            body.velocity = before[b] + (body.velocity - before[b]) * s;
        }
        for s in strikes {
            let kept = self
                .bodies_of(s)
                .iter()
                .filter_map(|&b| share.get(b as usize))
                .fold(1.0, |m: f64, x| m.min(*x));
            s.scale(kept);
        }
    }
}
