//! Impacts: velocities of bodies that bounce, and of those that were pushed out of each other.
//! Theory: `docs/theory/rigid-rows.md` section 5.
//!
//! The step itself is inelastic: it ends with what touches at rest against each other. Where a pair
//! hit with restitution, or began overlapped, the normal impulses of all that presses there are
//! taken back and found anew, pair by pair, each pair as one impact that separates with e times the
//! speed at which it approached, until nothing approaches: one ball of a row is handed through to
//! the last. Speeds of approach are those at the surface, not at the begin of the step.
//!
//! Friction is found along with them, inside the cone of all that pressed in the step.

use coact_math::{Spatial, Vec3};
use rayon::prelude::*;

use super::law::inside;
use super::{Touch, Touches};
use crate::body::Bodies;
use crate::rigid::Bond;

/// Rounds over all pairs, at most.
const ROUNDS: usize = 60;

/// Rounds over the contacts of a pair.
const INNER: usize = 12;

/// Approach, as a share of the fastest impact, that is left.
const LEFT: f64 = 1e-9;

/// A hard contact deeper than that at the begin is pushed out without speed \[m\].
const OVERLAP: f64 = 1e-6;

/// A contact that presses, at the end of a step.
#[derive(Clone, Copy, Debug)]
pub struct Strike {
    touch: u32,
    arms: [Vec3; 2],
    /// Velocity of separation for a unit impulse \[1/kg\].
    mobility: f64,
    /// Speed at which its surfaces met; 0: they were together \[m/s\].
    impact: f64,
    restitution: f64,
    /// Of the impact at hand: the speed to separate with, and the impulse so far.
    target: f64,
    impulse: f64,
    /// Of all impacts of the step, less what they took back \[N·s\].
    total: f64,
    /// Arms at which friction acts, and its impulse on the second body, the same way \[N·s\].
    rub: [Vec3; 2],
    rubbed: Vec3,
    fresh: bool,
}

impl Touches {
    /// Ends the impacts of the step, after end velocities are known; they are looked for side by side
    /// where `parallel`.
    pub fn bounce(&mut self, bodies: &mut Bodies, threshold: f64, parallel: bool) {
        let impact = |t: &Touch| t.fastest > threshold && t.impact(bodies, self.h) > threshold;
        let hits = |t: &Touch| t.presses() && (t.overlapped || impact(t));
        let any = match parallel {
            true => self.list.par_iter().with_min_len(64).any(hits),
            false => self.list.iter().any(hits),
        };
        let mut strikes = std::mem::take(&mut self.strikes);
        strikes.clear();
        if any {
            let pressing = self.list.iter().enumerate().filter(|(_, t)| t.presses());
            strikes.extend(pressing.map(|(i, t)| t.strike(i, bodies, self.h)));
            self.spread_heat(bodies, &strikes, threshold);
            strikes.retain(|s| s.impact > threshold || self.is_hot(bodies, s));
            let mut bounds = std::mem::take(&mut self.bounds);
            bounds.begin(bodies);
            self.take_back(bodies, &mut strikes);
            self.strike(bodies, threshold, &mut strikes);
            self.bound_energy(bodies, &mut bounds, &mut strikes);
            self.bounds = bounds;
            for s in &strikes {
                self.list[s.touch as usize].struck = (s.total / self.h, s.rubbed / self.h);
            }
        }
        self.strikes = strikes;
    }

    /// Finds the bodies that what presses connects to one that bounces or overlapped.
    fn spread_heat(&mut self, bodies: &Bodies, strikes: &[Strike], threshold: f64) {
        self.hot.clear();
        self.hot.resize(bodies.len(), false);
        let heats = |s: &Strike, t: &Touch| t.overlapped || (s.restitution > 0.0 && s.impact > threshold);
        let mut grew = true;
        for first in [true, false] {
            while grew {
                grew = false;
                for s in strikes.iter() {
                    let t = &self.list[s.touch as usize];
                    let movable = |b: &&u32| bodies.moves(**b);
                    let hot = |b: &u32| self.hot[*b as usize];
                    let any = if first { heats(s, t) } else { t.bodies.iter().filter(movable).any(hot) };
                    for b in t.bodies.iter().filter(movable).filter(|_| any) {
                        grew |= !std::mem::replace(&mut self.hot[*b as usize], true);
                    }
                }
            }
            grew = true;
        }
    }

    fn is_hot(&self, bodies: &Bodies, s: &Strike) -> bool {
        self.list[s.touch as usize].bodies.iter().any(|&b| bodies.moves(b) && self.hot[b as usize])
    }

    pub(super) fn bodies_of(&self, s: &Strike) -> [u32; 2] {
        self.list[s.touch as usize].bodies
    }

    pub(super) fn bond_of(&self, s: &Strike, bodies: &Bodies) -> Bond {
        self.list[s.touch as usize].bond(bodies, self.h)
    }

    /// Takes the impulses of the step back.
    fn take_back(&self, bodies: &mut Bodies, strikes: &mut [Strike]) {
        for s in strikes {
            let t = &self.list[s.touch as usize];
            if !self.is_hot(bodies, s) {
                continue;
            }
            (s.total, s.rubbed) = (-t.applied.normal * self.h, -t.applied.friction * self.h);
            t.push(s, s.total, bodies);
            t.kick(&s.rub, &s.rubbed, bodies);
        }
    }

    /// Pair by pair, until nothing approaches.
    fn strike(&self, bodies: &mut Bodies, threshold: f64, strikes: &mut [Strike]) {
        let fastest = strikes.iter().map(|s| s.impact).fold(0.0, f64::max);
        let same =
            |a: &Strike, b: &Strike| self.list[a.touch as usize].bodies == self.list[b.touch as usize].bodies;
        for _ in 0..ROUNDS {
            let mut approach = 0.0_f64;
            for pair in strikes.chunk_by_mut(same) {
                approach = approach.max(self.strike_pair(bodies, threshold, pair));
            }
            if approach <= LEFT * fastest.max(threshold) {
                break;
            }
        }
    }

    /// One impact of a pair; returns how fast it approached.
    fn strike_pair(&self, bodies: &mut Bodies, threshold: f64, pair: &mut [Strike]) -> f64 {
        let touch = |s: &Strike| &self.list[s.touch as usize];
        let approach = pair.iter().map(|s| -touch(s).separation(s, bodies)).fold(0.0, f64::max);
        if approach <= 0.0 {
            return 0.0;
        }
        for s in pair.iter_mut() {
            let met = -touch(s).separation(s, bodies);
            // what turned on the way may meet at less than it began with, and gives back no more
            let speed = if s.fresh && s.impact > threshold { s.impact.min(met) } else { met };
            s.target = if speed > threshold { s.restitution * speed } else { 0.0 };
            (s.fresh, s.impulse) = (false, 0.0);
        }
        // without friction first: what turns on the way to all normal impulses is no slip of the pair
        for round in 0..2 * INNER {
            for s in pair.iter_mut() {
                touch(s).part(s, bodies);
                if round >= INNER {
                    touch(s).brake(s, self.h, bodies);
                }
            }
        }
        approach
    }
}

impl Strike {
    /// Keeps a share of what impacts gave.
    pub(super) fn scale(&mut self, share: f64) {
        self.total *= share;
        self.rubbed *= share;
    }
}

impl Touch {
    fn strike(&self, touch: usize, bodies: &Bodies, h: f64) -> Strike {
        let (arms, n) = (self.place.arms[0], &self.row.normal);
        let mobility: f64 = (0..2).map(|i| bodies.kick_mobility(self.bodies[i], &arms[i], n)).sum();
        Strike {
            touch: touch as u32,
            arms,
            mobility,
            impact: self.impact(bodies, h),
            restitution: self.restitution,
            target: 0.0,
            impulse: 0.0,
            total: 0.0,
            rub: self.place.arms[1],
            rubbed: Vec3::zeros(),
            fresh: true,
        }
    }

    /// Speed at which its surfaces meet in the step \[m/s\].
    fn impact(&self, bodies: &Bodies, h: f64) -> f64 {
        let arms = &self.place.arms[0];
        let approach = |v: [Spatial; 2]| {
            let [a, b] = [v[0].velocity_at(&arms[0]), v[1].velocity_at(&arms[1])];
            self.row.normal.dot(&(a - b))
        };
        let begin = approach(self.bodies.map(|b| bodies.begin_velocity(b)));
        let gain = approach(self.bodies.map(|b| bodies.free_velocity(b))) - begin;
        // v² = v₀² + 2 a d, with what inertia and forces gain over the step as h a
        let square = begin * begin.max(0.0) + 2.0 * gain / h * self.gap;
        if begin + gain > 0.0 { square.max(0.0).sqrt() } else { 0.0 }
    }

    /// Speed at which its surfaces separate \[m/s\].
    fn separation(&self, s: &Strike, bodies: &Bodies) -> f64 {
        let v = |i: usize| bodies.velocity_of(self.bodies[i]).velocity_at(&s.arms[i]);
        self.row.normal.dot(&(v(1) - v(0)))
    }

    /// eq. (40): the impulse that lets it separate with its target speed, with what it had of it so far.
    fn part(&self, s: &mut Strike, bodies: &mut Bodies) {
        let wanted = (s.target - self.separation(s, bodies)) / s.mobility;
        let change = wanted.max(-s.impulse);
        s.impulse += change;
        s.total += change;
        self.push(s, change, bodies);
    }

    /// An impulse along the normal \[N·s\].
    fn push(&self, s: &Strike, impulse: f64, bodies: &mut Bodies) {
        self.kick(&s.arms, &(self.row.normal * impulse), bodies);
    }

    /// An impulse on the second body, and its opposite on the first \[N·s\].
    fn kick(&self, arms: &[Vec3; 2], impulse: &Vec3, bodies: &mut Bodies) {
        bodies.kick(self.bodies[0], &arms[0], &-impulse);
        bodies.kick(self.bodies[1], &arms[1], impulse);
    }

    /// eq. (40a): friction of the step and of its impacts against what still slips, inside the cone of all
    /// that pressed.
    fn brake(&self, s: &mut Strike, h: f64, bodies: &mut Bodies) {
        let (n, v) = (&self.row.normal, |i: usize| bodies.velocity_of(self.bodies[i]).velocity_at(&s.rub[i]));
        let slip = v(1) - v(0) + self.row.carried / h;
        let slip = slip - n * n.dot(&slip);
        let speed = slip.norm();
        if self.row.mu == 0.0 || speed == 0.0 {
            return;
        }
        let along = slip / speed;
        let mobility: f64 = (0..2).map(|i| bodies.kick_mobility(self.bodies[i], &s.rub[i], &along)).sum();
        let limit = self.row.mu * (self.applied.normal * h + s.total).max(0.0);
        let so_far = self.applied.friction * h + s.rubbed;
        let change = inside(so_far - slip / mobility, limit) - so_far;
        s.rubbed += change;
        self.kick(&s.rub, &change, bodies);
    }

    /// What an impact has to know of the begin of the step.
    pub(super) fn note_begin(&mut self, depth: f64, hard: bool) {
        self.gap = (-depth).max(0.0);
        self.overlapped = hard && depth > OVERLAP;
        self.overlap = if hard { depth.max(0.0) } else { 0.0 };
    }
}

impl Bodies {
    /// An impulse at an arm of a body that forces move.
    fn kick(&mut self, body: u32, r: &Vec3, impulse: &Vec3) {
        if self.moves(body) {
            let turn = self.turned_by(body, &r.cross(impulse));
            let b = self.get_mut(body as usize);
            b.velocity += Spatial::new(impulse / b.mass, turn);
        }
    }

    /// Velocity along `n` that a unit impulse along it gives at an arm \[1/kg\].
    fn kick_mobility(&self, body: u32, r: &Vec3, n: &Vec3) -> f64 {
        if !self.moves(body) {
            return 0.0;
        }
        let turn = r.cross(n);
        1.0 / self.mass(body) + turn.dot(&self.turned_by(body, &turn))
    }

    /// Velocity at the begin of the step; the static world has none.
    pub(super) fn begin_velocity(&self, body: u32) -> Spatial {
        if (body as usize) < self.len() { self.get(body as usize).begin_velocity } else { Spatial::zeros() }
    }

    /// Velocity at the end of the free motion; what is carried keeps its own.
    pub(super) fn free_velocity(&self, body: u32) -> Spatial {
        if (body as usize) < self.len() { self.get(body as usize).free_velocity } else { Spatial::zeros() }
    }
}
