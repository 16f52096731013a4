//! Impacts give no energy. Theory: `docs/theory/rigid-rows.md` eq. (40d).
//!
//! Restitution along the normal and friction across it, each by its own law, may add up to more energy than
//! there was: a rod that hits askew. And impulses that are taken back of a step that was not solved to its end
//! are not those that bodies got. Between the velocities of the inelastic step and those after the impacts,
//! which have the same momentum, there is a mixture that has no more energy than free motion had.

use coact_math::Spatial;

use super::Touches;
use super::bounce::Strike;
use crate::body::{Along, Bodies, Body};
use crate::rigid::{DRIVEN, Forest};

/// Share of the energy that is rounding.
const ROUNDING: f64 = 1e-9;

/// Energies of bodies that impacts connect.
#[derive(Clone, Copy, Debug, Default)]
struct Energies {
    /// In free motion.
    free: f64,
    mass: f64,
    /// From the end of the inelastic step to that after the impacts.
    along: Along,
}

impl Energies {
    fn add(&mut self, b: &Body, before: &Spatial) {
        let inertia = b.world_inertia();
        let product = |a: &Spatial, c: &Spatial| b.mass * a.lin.dot(&c.lin) + a.ang.dot(&(inertia * c.ang));
        let free = b.principal.momentum(&b.target.q, &b.free_velocity.ang).dot(&b.free_velocity.ang);
        self.mass += b.mass;
        self.free += b.mass * b.free_velocity.lin.norm_squared() + free;
        self.along.begin += product(before, before);
        self.along.end += product(&b.velocity, &b.velocity);
        self.along.mixed += product(before, &b.velocity);
    }

    /// The share of the change by the impacts that is kept; `speed`: of what is prescribed.
    fn share(&self, speed: f64) -> f64 {
        let own = (self.free.max(self.along.begin) * (1.0 + ROUNDING)).sqrt();
        let most = own + self.mass.sqrt() * DRIVEN * speed;
        self.along.share(most * most)
    }
}

/// Memory of [`Touches::bound_energy`].
#[derive(Clone, Debug, Default)]
pub(super) struct Bounds {
    /// Velocities of all bodies before the impacts.
    before: Vec<Spatial>,
    groups: Forest,
    /// By the first body of a group: its energies, the speed of what is prescribed there, and the share.
    sums: Vec<Energies>,
    driven: Vec<f64>,
    share: Vec<f64>,
}

impl Bounds {
    /// Takes note of where impacts start from.
    pub(super) fn begin(&mut self, bodies: &Bodies) {
        self.before.clear();
        self.before.extend(bodies.iter().map(|b| b.velocity));
    }
}

impl Touches {
    /// eq. (40d): draws velocities back where impacts gave energy.
    pub(super) fn bound_energy(&self, bodies: &mut Bodies, bounds: &mut Bounds, strikes: &mut [Strike]) {
        let Bounds { before, groups, sums, driven, share } = bounds;
        let (n, moves) = (bodies.len(), |b: &u32| bodies.moves(*b));
        groups.begin(n);
        for of in strikes.iter().map(|s| self.bodies_of(s)).filter(|of| of.iter().all(moves)) {
            groups.unite(of);
        }
        driven.clear();
        driven.resize(n, 0.0);
        // what moves by prescription, and belts, may give energy
        for bond in strikes.iter().map(|s| self.bond_of(s, bodies)) {
            if let Some(&b) = bond.bodies.iter().find(|b| moves(b)) {
                let fastest = &mut driven[groups.find(b)];
                *fastest = fastest.max(bond.speed);
            }
        }
        sums.clear();
        sums.resize(n, Energies::default());
        for b in (0..n as u32).filter(moves) {
            sums[groups.find(b)].add(bodies.get(b as usize), &before[b as usize]);
        }
        share.clear();
        share.extend(sums.iter().zip(&*driven).map(|(sum, speed)| sum.share(*speed)));
        for b in 0..n {
            let s = share[groups.find(b as u32)];
            if s < 1.0 {
                let body = bodies.get_mut(b);
                body.velocity = before[b] + (body.velocity - before[b]) * s;
            }
        }
        for s in strikes {
            let of = self.bodies_of(s).into_iter().find(|&b| bodies.moves(b));
            s.scale(of.map_or(1.0, |b| share[groups.find(b)]));
        }
    }
}
