//! Bodies that are solved together. Theory: `docs/theory/rigid-rows.md` section 4, eq. (35), (38).
//!
//! A cluster is a block of the descent: its bodies move at once, by the Newton step of all their
//! unknowns with everything else held. It holds all that it needs for that: where its bodies are,
//! and where those are that its connections reach; so clusters of a color are solved side by side.
//! Its step is `newton.rs`, how far that goes `search.rs`, which bodies `clusters.rs`, when `visit.rs`.

use coact_math::{BlockSparse, Spatial, Vec6};

use super::edges::EdgeCounts;
use super::newton::Largest;
use super::search::Search;
use super::seen::Seen;
use crate::body::{Bodies, BodyLoad, Inertial, Iterate, Motion};
use crate::particle::ParticleBackend;
use crate::residual::ResidualSums;

/// Bodies up to which a cluster goes through several rounds in a sweep.
const SMALL: usize = 32;

/// Two bodies of a cluster that something connects, one of them perhaps from outside.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Link {
    /// Their places in the cluster: its own bodies first, then those outside.
    pub(super) ends: [u32; 2],
    /// Number in the pattern, where both are inside.
    pub(super) coupling: Option<u32>,
}

/// A connection to another cluster.
#[derive(Clone, Copy, Debug)]
pub(super) enum Outer {
    /// Place among the joints between clusters.
    Joint(u32),
    /// Place among the pairs between clusters.
    Pair(u32),
}

/// Step size and what else is the same for all clusters of a step.
#[derive(Clone, Copy, Debug)]
pub struct How {
    /// Step \[s\].
    pub h: f64,
    /// How bodies take steps.
    pub motion: Motion,
    /// Whether steps are judged by where they lead.
    pub search: bool,
    /// Rounds of steps and dual updates in a sweep, at most.
    pub rounds: usize,
    /// Whether clusters are spread over threads.
    pub parallel: bool,
}

/// Bodies that are solved together.
#[derive(Clone, Debug, Default)]
pub struct Cluster {
    pub(super) bodies: Vec<u32>,
    /// Bodies that its connections reach beyond its own, by number; out of range = world.
    pub(super) beyond: Vec<u32>,
    /// Its joints, then its pairs.
    pub(super) links: Vec<Link>,
    /// Its connections to other clusters.
    pub(super) outer: Vec<(Outer, Link)>,
    /// How many joints, pairs and contacts are its own.
    pub(super) counts: EdgeCounts,
    /// Where its bodies are, then those beyond.
    pub(super) at: Vec<Iterate>,
    pub(super) inertial: Vec<Inertial>,
    pub(super) couplings: Vec<(u32, u32)>,
    pub(super) system: BlockSparse,
    /// What acts on each body from outside.
    pub(super) outside: Vec<BodyLoad>,
    /// Whether that is nothing.
    pub(super) alone: bool,
    pub(super) scratch: Vec<BodyLoad>,
    /// All that acts on its bodies, then on those beyond.
    pub(super) load: Vec<BodyLoad>,
    /// Whether anything but its own inertia acts on a body.
    pub(super) touched: Vec<bool>,
    pub(super) step: Vec<Vec6>,
    /// Where each body was before the step.
    pub(super) start: Vec<Iterate>,
    pub(super) search: Search,
    /// The work of the weight of its bodies in a step \[J\].
    pub(super) weight: f64,
    /// What gains are measured by \[J\].
    pub(super) scale: f64,
    /// A gain that counts as none \[J\].
    pub(super) nothing: f64,
    /// Share of it that rounding of positions makes.
    pub(super) rounding: f64,
    /// Whether its connections were looked at where it is.
    pub(super) looked: bool,
    /// Whether its bodies moved since they were last published.
    pub(super) moved: bool,
    /// Whether its bodies are where their multipliers want them.
    pub(super) solved: bool,
    /// Whether it takes no part any more in this sweep.
    pub(super) idle: bool,
    /// Whether they are close enough for a dual update.
    pub(super) ready: bool,
    /// Whether its multipliers are right as well: it rests for the remainder of the step.
    pub(super) settled: bool,
    pub(super) singular: bool,
    /// The largest force and torque of a connection at the last assembly.
    pub(super) force: Largest,
    /// What acted before the first step of this one, and after the last; whether the first is known.
    pub(super) first: ResidualSums,
    pub(super) last: ResidualSums,
    pub(super) begun: bool,
}

/// Life of a cluster.
impl Cluster {
    pub(super) fn new(bodies: Vec<u32>) -> Self {
        Self { bodies, ..Self::default() }
    }

    /// Makes ready for a step: takes over where its bodies are.
    pub(super) fn begin(&mut self, bodies: &Bodies, seen: &Seen, h: f64, gravity: f64) {
        let n = self.bodies.len();
        self.inertial.clear();
        self.inertial.extend(self.bodies.iter().map(|&b| Inertial::of(bodies.get(b as usize))));
        self.at.clear();
        let theta = |b: u32| bodies.get(b as usize).theta();
        self.at.extend(self.bodies.iter().map(|&b| Iterate { theta: theta(b), ..*seen.at(b) }));
        self.at.extend(self.beyond.iter().map(|&b| *seen.at(b)));
        self.load.clear();
        self.load.resize(self.at.len(), BodyLoad::default());
        self.outside.clear();
        self.outside.resize(n, BodyLoad::default());
        self.alone = true;
        self.touched.resize(n, false);
        self.step.resize(n, Vec6::zeros());
        let mass: f64 = self.inertial.iter().map(|b| b.mass).sum();
        self.weight = mass * gravity * gravity * h * h;
        (self.settled, self.begun, self.looked, self.moved) = (false, false, false, false);
    }

    /// Takes over where bodies of other clusters are.
    pub(super) fn look_beyond(&mut self, seen: &Seen) {
        if !self.outer.is_empty() {
            let beyond = &mut self.at[self.bodies.len()..];
            beyond.iter_mut().zip(&self.beyond).for_each(|(at, &b)| *at = *seen.at(b));
        }
    }

    /// Tells where its bodies are.
    pub(super) fn publish(&mut self, bodies: &mut Bodies, seen: &mut Seen) -> bool {
        if !std::mem::take(&mut self.moved) {
            return false;
        }
        let swept = self.is_swept();
        for (i, &b) in self.bodies.iter().enumerate() {
            bodies.put(b as usize, &self.at[i], self.touched[i]);
            if swept {
                seen.put(b, &self.at[i]);
            }
        }
        true
    }

    /// Asks for what acts on its bodies from outside.
    pub(super) fn feel(&mut self, bodies: &Bodies, particles: &dyn ParticleBackend) {
        if !particles.acts_on_bodies() && self.alone {
            return;
        }
        for (load, &b) in self.outside.iter_mut().zip(&self.bodies) {
            *load = particles.body_load(b as usize, bodies);
        }
        self.alone = self.outside.iter().all(|l| l.wrench == Spatial::zeros() && !l.is_stiff());
    }

    /// Whether nothing connects its bodies to anything.
    pub(super) fn is_free(&self) -> bool {
        self.links.is_empty() && self.outer.is_empty()
    }

    /// Whether something connects it to another cluster: then it never rests within a step.
    pub(super) fn is_swept(&self) -> bool {
        !self.outer.is_empty()
    }

    /// Whether it goes through further rounds of a sweep.
    pub(super) fn goes_on(&self) -> bool {
        self.bodies.len() <= SMALL && !self.is_swept()
    }

    /// Whether it takes another step in this round.
    pub(super) fn is_due(&self) -> bool {
        !self.ready && !self.idle
    }
}
