//! Impacts: velocities of bodies that bounce, and of those that were pushed out of each other.
//! Theory: `docs/theory/rigid-rows.md` section 5.
//!
//! The step itself is inelastic: it ends with what touches at rest against each other. Where a pair
//! hit with restitution, or began overlapped, the normal impulses of all that presses there are
//! taken back and found anew, pair by pair, each pair as one impact that separates with e times the
//! speed at which it approached, until nothing approaches: one ball of a row is handed through to
//! the last. Speeds of approach are those at the surface, not at the begin of the step.
//!
//! Left out: friction stays that of the inelastic step.

use coact_math::{Spatial, Vec3};

use super::{Touch, Touches};
use crate::body::Bodies;

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
    fresh: bool,
}

impl Touches {
    /// Ends the impacts of the step, after end velocities are known.
    pub fn bounce(&mut self, bodies: &mut Bodies, threshold: f64) {
        let mut strikes = std::mem::take(&mut self.strikes);
        strikes.clear();
        if self.find_strikes(bodies, threshold, &mut strikes) {
            self.spread_heat(bodies, &strikes, threshold);
            let heat = |s: &Strike| s.impact > threshold || self.is_hot(bodies, s);
            strikes.retain(heat);
            self.take_back(bodies, &strikes);
            self.strike(bodies, threshold, &mut strikes);
        }
        self.strikes = strikes;
    }

    /// All that presses; whether any of it bounces or began deep.
    fn find_strikes(&self, bodies: &Bodies, threshold: f64, out: &mut Vec<Strike>) -> bool {
        let mut any = false;
        for (i, t) in self.list.iter().enumerate().filter(|(_, t)| t.grasp.normal > 0.0) {
            let s = t.strike(i, bodies, &self.law);
            any |= t.overlapped || s.impact > threshold;
            out.push(s);
        }
        any
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

    /// Takes the normal impulses of the step back.
    fn take_back(&self, bodies: &mut Bodies, strikes: &[Strike]) {
        for s in strikes {
            let t = &self.list[s.touch as usize];
            if !self.is_hot(bodies, s) {
                continue;
            }
            t.push(s, -t.grasp.normal * self.h, bodies);
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
            let speed = if s.fresh && s.impact > threshold { s.impact } else { met };
            s.target = if speed > threshold { s.restitution * speed } else { 0.0 };
            (s.fresh, s.impulse) = (false, 0.0);
        }
        for _ in 0..INNER {
            for s in pair.iter_mut() {
                let t = touch(s);
                let wanted = (s.target - t.separation(s, bodies)) / s.mobility;
                let change = wanted.max(-s.impulse);
                s.impulse += change;
                t.push(s, change, bodies);
            }
        }
        approach
    }
}

impl Touch {
    fn strike(&self, touch: usize, bodies: &Bodies, law: &super::TouchLaw) -> Strike {
        let at = self.place(bodies, law);
        let (arms, n) = (at.arms[0], &self.row.normal);
        let mobility: f64 = (0..2).map(|i| bodies.line_mobility(self.bodies[i], &arms[i], n)).sum();
        let of = |velocity: &dyn Fn(u32) -> Spatial| {
            let v = |i: usize| velocity(self.bodies[i]).velocity_at(&arms[i]);
            n.dot(&(v(0) - v(1)))
        };
        let begin = of(&|b| bodies.begin_velocity(b));
        let gain = of(&|b| bodies.free_velocity(b)) - begin;
        // v² = v₀² + 2 a d, with what inertia and forces gain over the step as h a
        let square = begin * begin.max(0.0) + 2.0 * gain / self.h * self.gap;
        let impact = if begin + gain > 0.0 { square.max(0.0).sqrt() } else { 0.0 };
        let restitution = self.restitution;
        Strike {
            touch: touch as u32,
            arms,
            mobility,
            impact,
            restitution,
            target: 0.0,
            impulse: 0.0,
            fresh: true,
        }
    }

    /// Speed at which its surfaces separate \[m/s\].
    fn separation(&self, s: &Strike, bodies: &Bodies) -> f64 {
        let v = |i: usize| bodies.velocity_of(self.bodies[i]).velocity_at(&s.arms[i]);
        self.row.normal.dot(&(v(1) - v(0)))
    }

    /// An impulse along the normal \[N·s\].
    fn push(&self, s: &Strike, impulse: f64, bodies: &mut Bodies) {
        let p = self.row.normal * impulse;
        bodies.kick(self.bodies[0], &s.arms[0], &-p);
        bodies.kick(self.bodies[1], &s.arms[1], &p);
    }

    /// What an impact has to know of the begin of the step.
    pub(super) fn note_begin(&mut self, depth: f64, hard: bool) {
        self.gap = (-depth).max(0.0);
        self.overlapped = hard && depth > OVERLAP;
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

    /// Velocity at the begin of the step; the static world has none.
    fn begin_velocity(&self, body: u32) -> Spatial {
        if (body as usize) < self.len() { self.get(body as usize).begin_velocity } else { Spatial::zeros() }
    }

    /// Velocity at the end of the free motion; what is carried keeps its own.
    fn free_velocity(&self, body: u32) -> Spatial {
        if (body as usize) < self.len() { self.get(body as usize).free_velocity } else { Spatial::zeros() }
    }
}
