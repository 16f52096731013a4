//! Bodies that are solved together. Theory: `docs/theory/rigid-rows.md` section 4, eq. (35), (38).
//!
//! A cluster is a block of the descent: its bodies move at once, by the Newton step of all their
//! unknowns with everything else held. How far, `search.rs` says; which bodies, `clusters.rs`; when,
//! `sweep.rs`.

use coact_math::{BlockSparse, Spatial, Vec6};

use super::EdgeTerms;
use super::edges::Edges;
use super::search::Search;
use crate::body::{Bodies, BodyLoad, Displacement};
use crate::particle::ParticleBackend;
use crate::residual::ResidualSums;

/// Bodies up to which a cluster goes through several rounds in a sweep.
const SMALL: usize = 32;

/// Share of the scale of a cluster up to which a gain counts as none.
const SOLVED: f64 = 1e-16;

/// Share of what connections carry that may be left over for a dual update.
const READY: f64 = 1e-3;

/// The largest force \[N\] and torque \[N·m\] of several wrenches.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Largest {
    force: f64,
    torque: f64,
}

impl Largest {
    fn join(self, w: &Spatial) -> Self {
        Self { force: self.force.max(w.lin.norm()), torque: self.torque.max(w.ang.norm()) }
    }
}

/// An edge of a cluster and the places of its bodies in it; `None`: not of this cluster.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inside {
    pub(super) edge: u32,
    pub(super) place: [Option<u32>; 2],
    /// Number of the edge in the pattern, where both are inside.
    pub(super) coupling: u32,
}

/// Bodies that are solved together.
#[derive(Clone, Debug, Default)]
pub struct Cluster {
    pub(super) bodies: Vec<u32>,
    pub(super) edges: Vec<Inside>,
    pub(super) system: BlockSparse,
    /// What acts on each body from outside.
    pub(super) outside: Vec<BodyLoad>,
    pub(super) scratch: Vec<BodyLoad>,
    /// All that acts.
    pub(super) load: Vec<BodyLoad>,
    /// Whether anything but its own inertia acts on a body.
    pub(super) touched: Vec<bool>,
    pub(super) step: Vec<Vec6>,
    /// Where each body was before the step.
    pub(super) start: Vec<Displacement>,
    pub(super) search: Search,
    /// Whether there is a step to take.
    pub(super) steps: bool,
    /// What the step would gain \[J\].
    pub(super) decrement: f64,
    /// The work of the weight of its bodies in a step \[J\].
    pub(super) weight: f64,
    /// Whether its bodies are where their multipliers want them.
    pub(super) solved: bool,
    /// Whether it takes no part in this round.
    pub(super) idle: bool,
    /// Whether something connects it to another cluster: then it never rests within a step.
    pub(super) swept: bool,
    /// Whether they are close enough for a dual update.
    pub(super) ready: bool,
    /// The largest force and torque of a connection at the last assembly.
    pub(super) force: Largest,
    /// Whether its multipliers are right as well: it rests for the remainder of the step.
    pub(super) settled: bool,
    pub(super) singular: bool,
    /// What acted before the first step of this one, and after the last; whether the first is known.
    pub(super) first: ResidualSums,
    pub(super) last: ResidualSums,
    pub(super) begun: bool,
}

impl Cluster {
    /// Whether what is left over is small against what its connections carry.
    fn is_ready(&self) -> bool {
        let mut left = Largest::default();
        self.load.iter().for_each(|l| left = left.join(&l.wrench));
        left.force <= READY * self.force.force && left.torque <= READY * self.force.torque
    }

    /// What acts on its bodies at the last assembly \[N\].
    fn note_residual(&mut self) {
        let mut sums = ResidualSums::default();
        self.load.iter().for_each(|l| sums.add(l.wrench.lin.norm_squared()));
        if !self.begun {
            (self.first, self.begun) = (sums, true);
        }
        self.last = sums;
    }

    /// Whether even without stiffness the step would gain nothing: gᵀ M⁻¹ g h² bounds gᵀ H⁻¹ g.
    fn is_at_rest(&self, bodies: &Bodies, h: f64) -> bool {
        let gain = |(l, &b): (&BodyLoad, &u32)| bodies.get(b as usize).gain(&l.wrench, h);
        let most: f64 = self.load.iter().zip(&self.bodies).map(gain).sum();
        !self.edges.is_empty() && most <= self.nothing(bodies, h)
    }

    /// Asks for what acts on its bodies from outside.
    pub(super) fn feel(&mut self, bodies: &Bodies, particles: &dyn ParticleBackend) {
        for (load, &b) in self.outside.iter_mut().zip(&self.bodies) {
            *load = particles.body_load(b as usize, bodies);
        }
    }

    /// Whether it goes through further rounds of a sweep.
    pub(super) fn goes_on(&self) -> bool {
        self.bodies.len() <= SMALL && !self.swept
    }

    /// Whether it takes another step in this round.
    pub(super) fn is_due(&self) -> bool {
        !self.ready && !self.idle
    }

    /// Whether nothing acts on its bodies from outside.
    pub(super) fn is_left_alone(&self) -> bool {
        !self.edges.is_empty() && self.outside.iter().all(|l| l.wrench == Spatial::zeros() && !l.is_stiff())
    }

    /// eq. (35): the Newton step of all bodies at once.
    pub(super) fn solve(&mut self, bodies: &Bodies, edges: &dyn Edges, h: f64) {
        self.system.clear();
        self.assemble(bodies, edges, h, true);
        self.note_residual();
        if self.is_at_rest(bodies, h) {
            (self.solved, self.ready, self.search.done) = (true, true, true);
            return;
        }
        for (i, load) in self.load.iter().enumerate() {
            self.system.add_diagonal(i, &load.matrix());
            self.step[i] = load.wrench.to_vec6();
        }
        self.singular = self.system.factor().is_err();
        if self.singular {
            self.step.fill(Vec6::zeros());
        } else {
            self.system.solve(&mut self.step);
        }
        let slope = self.slope();
        self.search = Search::begin(slope, &self.step);
        self.decrement = -slope;
        self.solved = self.decrement <= self.nothing(bodies, h);
        self.ready = self.solved;
        // a body that nothing connects takes its own step, one per sweep
        self.search.done |= self.solved || self.edges.is_empty();
        self.solved &= !self.edges.is_empty();
        self.steps = !self.solved;
        self.start.clear();
        self.start.extend(self.bodies.iter().map(|&b| bodies.displaced_to(b as usize)));
    }

    /// All that acts on the bodies, inertia included, into `load`; with `couple`, couplings into the
    /// system.
    fn assemble(&mut self, bodies: &Bodies, edges: &dyn Edges, h: f64, couple: bool) {
        self.load.clone_from(&self.outside);
        self.force = Largest::default();
        for e in &self.edges {
            let mut terms = EdgeTerms::new(couple);
            edges.add(e.edge as usize, bodies, &mut terms);
            for (side, place) in e.place.iter().enumerate() {
                if let Some(i) = place {
                    let load = &terms.load[side];
                    self.force = self.force.join(&load.wrench);
                    self.load[*i as usize] += load;
                }
            }
            if let ([Some(_), Some(_)], true) = (e.place, couple) {
                self.system.add_edge(e.coupling as usize, &terms.cross);
            }
        }
        for (i, &b) in self.bodies.iter().enumerate() {
            if couple {
                self.touched[i] = self.load[i].is_stiff();
            }
            self.load[i] = bodies.system(b as usize, &self.load[i], h);
        }
    }

    /// How the objective changes along the step, at the last assembly.
    fn slope(&self) -> f64 {
        -self.load.iter().zip(&self.step).map(|(l, s)| l.wrench.to_vec6().dot(s)).sum::<f64>()
    }

    /// Looks at where the step has led; what acts from outside is followed by its stiffness.
    pub(super) fn judge(&mut self, bodies: &Bodies, edges: &dyn Edges, h: f64) {
        let t = self.search.share;
        let mut kept = std::mem::take(&mut self.scratch);
        kept.clone_from(&self.outside);
        for (load, s) in self.outside.iter_mut().zip(&self.step) {
            let pull = load.matrix() * s * t;
            load.wrench -= Spatial::from_vec6(&pull);
        }
        self.assemble(bodies, edges, h, false);
        self.scratch = std::mem::replace(&mut self.outside, kept);
        self.search.judge(self.slope());
        self.note_residual();
        if self.search.done {
            let left = self.left_over();
            self.solved = left <= self.nothing(bodies, h);
            self.ready = self.solved || self.is_ready();
        }
    }

    /// What the next step would gain, by the factors of this one \[J\].
    fn left_over(&mut self) -> f64 {
        self.step.clear();
        self.step.extend(self.load.iter().map(|l| l.wrench.to_vec6()));
        self.system.solve(&mut self.step);
        self.load.iter().zip(&self.step).map(|(l, s)| l.wrench.to_vec6().dot(s)).sum()
    }

    /// A gain that counts as none \[J\]: a share of the scale, or what rounding of positions makes.
    fn nothing(&self, bodies: &Bodies, h: f64) -> f64 {
        let of = |(l, &b): (&BodyLoad, &u32)| {
            let at = 8.0 * f64::EPSILON * bodies.centre(b).norm();
            l.ll.trace() * at * at
        };
        let rounding: f64 = self.load.iter().zip(&self.bodies).map(of).sum();
        SOLVED * self.scale(bodies, h) + rounding
    }

    /// What gains are measured by: the work of the weight over what it moves in a step, and what the
    /// step has corrected so far \[J\].
    fn scale(&self, bodies: &Bodies, h: f64) -> f64 {
        let of = |b: &u32| bodies.get(*b as usize).corrected(h);
        self.weight + self.bodies.iter().map(of).sum::<f64>()
    }

    pub(super) fn weigh(&mut self, bodies: &Bodies, h: f64, gravity: f64) {
        let mass: f64 = self.bodies.iter().map(|&b| bodies.mass(b)).sum();
        self.weight = mass * gravity * gravity * h * h;
    }

    /// Finds the pattern of its edges; false where that is more than `most` products per body.
    pub(super) fn connect(&mut self, most: usize) -> bool {
        let mut couplings = Vec::new();
        for e in &mut self.edges {
            if let [Some(a), Some(b)] = e.place {
                e.coupling = couplings.len() as u32;
                couplings.push((a, b));
            }
        }
        let n = self.bodies.len();
        self.system.set_pattern(n, &couplings, most.saturating_mul(n))
    }

    pub(super) fn new(bodies: Vec<u32>) -> Self {
        let n = bodies.len();
        let (load, step) = (vec![BodyLoad::default(); n], vec![Vec6::zeros(); n]);
        let (outside, touched) = (load.clone(), vec![false; n]);
        Self { bodies, load, outside, touched, step, ..Self::default() }
    }

    /// Moves its bodies by the share of the step that is asked for, from where they were before it.
    pub(super) fn advance(&self, bodies: &mut Bodies) {
        for (i, &b) in self.bodies.iter().enumerate().filter(|_| !self.singular) {
            bodies.put_back(b as usize, &self.start[i]);
            let step = Spatial::from_vec6(&(self.step[i] * self.search.share));
            bodies.advance(b as usize, &step, self.touched[i]);
        }
    }
}
