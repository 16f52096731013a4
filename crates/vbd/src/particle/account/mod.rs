//! What touches keeps its momentum and gains no energy. Theory: `docs/theory/vbd.md` eq. (49)–(49f).
//!
//! A step of few sweeps may leave cloth that is pressed from all sides with more energy than it began with,
//! and forces between cloth and bodies that do not add up to zero. Of islands, components of the mesh and free
//! bodies that rows, pairs of self-contact or joints connect, the account of the step is drawn up. What nothing
//! outside acts on gets its momentum back, and what was gained is taken out of the motion of particles that their
//! momentum does not ask for. What that cannot pay stays on the account as a debt.
//!
//! Left out on purpose: islands that something prescribed moves, that drives, springs or torques act on, or
//! whose hard attachments begin apart may gain energy.

mod contacts;
mod island;

use std::ops::Range;

use coact_math::{Scalar, V3, Vec3};

use super::columns::convert;
use super::cpu::CpuParticles;
use super::parts::Parts;
use crate::body::Bodies;
use crate::rigid::{Bond, Forest};
use island::{Island, Motion};

/// What is known of a component or body, or of its island.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    /// Whether something touches it, or it owes.
    counts: bool,
    /// Whether it gets energy from elsewhere.
    driven: bool,
    /// Whether what does not move holds it.
    held: bool,
    /// Whether anything outside the island acts on it but gravity and given forces.
    acted: bool,
}

impl Node {
    /// Whether its energy is asked for.
    fn is_kept(&self) -> bool {
        self.counts && !self.driven
    }

    /// Whether its momentum is.
    fn is_free(&self) -> bool {
        self.counts && !self.acted
    }

    /// Whether it may change at all.
    fn is_open(&self) -> bool {
        self.is_kept() || self.is_free()
    }
}

/// The accounts of a step. Memory is kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Account {
    /// Components of the mesh, then bodies.
    forest: Forest,
    nodes: Vec<Node>,
    /// What islands gained in earlier steps and still have, by node \[J\].
    debts: Vec<f64>,
    /// Energy of the contacts of a particle at the end of the last step, and at the begin and the end of this
    /// one \[J\]. Shape: \[particle_count\].
    kept: Vec<f64>,
    begin: Vec<f64>,
    end: Vec<f64>,
    gains: [Vec<f64>; 2],
    motions: [Vec<Motion>; 2],
    /// By the first node of each.
    islands: Vec<Island>,
    is_open: bool,
}

/// What an account keeps between steps.
#[derive(Clone, Debug, Default)]
pub(super) struct SavedAccount {
    debts: Vec<f64>,
    kept: Vec<f64>,
}

impl Account {
    /// What is kept.
    pub fn save(&self, to: &mut SavedAccount) {
        to.debts.clone_from(&self.debts);
        to.kept.clone_from(&self.kept);
    }

    /// Goes back to what was saved.
    pub fn restore(&mut self, from: &SavedAccount) {
        self.debts.clone_from(&from.debts);
        self.kept.clone_from(&from.kept);
    }

    /// Nothing is known of earlier steps.
    pub fn forget(&mut self) {
        self.debts.clear();
        self.kept.clear();
    }

    /// Nothing is known of earlier steps of chosen particles, nor of components with one, nor of chosen bodies.
    pub fn forget_chosen(
        &mut self,
        parts: &Parts,
        is_chosen: impl Fn(u32) -> bool,
        is_body: impl Fn(usize) -> bool,
    ) {
        for (slot, kept) in self.kept.iter_mut().enumerate().filter(|(slot, _)| is_chosen(*slot as u32)) {
            *kept = 0.0;
            self.debts[parts.of(slot)] = 0.0;
        }
        let bodies = self.debts.iter_mut().skip(parts.count()).enumerate();
        bodies.filter(|(b, _)| is_body(*b)).for_each(|(_, debt)| *debt = 0.0);
    }

    /// A step of `count` components and bodies with `slots` particles.
    fn begin(&mut self, count: usize, slots: usize) {
        self.forest.begin(count);
        self.nodes.clear();
        self.nodes.resize(count, Node::default());
        self.debts.resize(count, 0.0);
        self.nodes.iter_mut().zip(&self.debts).for_each(|(n, debt)| n.counts = *debt > 0.0);
        self.kept.resize(slots, 0.0);
        for energies in [&mut self.begin, &mut self.end] {
            energies.clear();
            energies.resize(slots, 0.0);
        }
    }

    /// Two nodes touch each other.
    fn connect(&mut self, of: [usize; 2]) {
        self.forest.unite(of.map(|n| n as u32));
        of.iter().for_each(|&n| self.nodes[n].counts = true);
    }

    /// Tells all nodes what is known of their islands.
    fn share(&mut self) {
        for n in 0..self.nodes.len() {
            let (first, of) = (self.forest.find(n as u32), self.nodes[n]);
            let island = &mut self.nodes[first];
            island.counts |= of.counts;
            island.driven |= of.driven;
            island.held |= of.held;
            island.acted |= of.acted || of.held;
        }
        for n in 0..self.nodes.len() {
            self.nodes[n] = self.nodes[self.forest.find(n as u32)];
        }
    }

    /// The islands of the step, with moments about `origin`.
    fn begin_islands(&mut self, origin: Vec3) {
        self.islands.clear();
        let of = |n: &Node| Island::new(origin, n.held, n.is_kept(), n.is_free());
        self.islands.extend(self.nodes.iter().map(of));
    }
}

impl<P: Scalar, R: Scalar> CpuParticles<P, R> {
    /// Before end velocities are known: eq. (49), and the momenta of (49a).
    pub(super) fn draw_up(&mut self, bodies: &Bodies, bonds: &mut dyn Iterator<Item = Bond>) {
        let mut account = std::mem::take(&mut self.account);
        account.is_open = self.options.accelerated;
        if account.is_open {
            account.begin(self.directions.parts.count() + bodies.len(), self.columns.x0.len());
            self.find_contacts_of(&mut account, bodies);
            account.is_open = account.nodes.iter().any(|n| n.counts);
            if account.is_open {
                self.find_ends(&mut account);
                self.connect_bodies(&mut account, bodies, bonds);
                self.find_neighbors(&mut account);
                account.share();
                account.begin_islands(self.columns.origin.to_host(0));
                self.sum_gains(&mut account, bodies);
                self.sum_motions(&mut account, bodies, Time::Begin);
            }
            std::mem::swap(&mut account.kept, &mut account.end);
        }
        self.account = account;
    }

    /// After end velocities are known: eq. (49a)–(49f).
    pub(super) fn settle_gains(&mut self, bodies: &mut Bodies) {
        if !self.account.is_open {
            return;
        }
        let mut account = std::mem::take(&mut self.account);
        self.sum_motions(&mut account, bodies, Time::End);
        let Account { nodes, islands, debts, forest, .. } = &mut account;
        let mut any = false;
        for n in (0..nodes.len()).filter(|&n| nodes[n].is_open() && forest.find(n as u32) == n) {
            debts[n] = islands[n].settle();
            any |= islands[n].changes();
        }
        if any {
            self.change(&mut account, bodies);
        }
        self.account = account;
    }

    /// eq. (49) of every island, without the motion at the end.
    fn sum_gains(&self, a: &mut Account, bodies: &Bodies) {
        let spread = self.is_spread(&(0..self.layout.block_count));
        let [mut partial, mut totals] = std::mem::take(&mut a.gains);
        let parts = &self.directions.parts;
        let known = &*a;
        let eval = |run: Range<usize>| {
            let moved = run.clone().map(|s| self.work_and_contacts(known, s));
            self.stored_gain(run) + moved.sum::<f64>()
        };
        parts.sum((&mut partial, &mut totals), spread, |c| known.nodes[c].is_kept(), eval);
        let of_bodies = bodies.iter().map(|b| b.gain_before_motion(self.h));
        for (n, gain) in totals.iter().copied().chain(of_bodies).enumerate() {
            if a.nodes[n].is_kept() {
                // a debt goes to the island that its debtor is in now
                let debt = std::mem::take(&mut a.debts[n]);
                a.islands[a.forest.find(n as u32)].gain += gain + debt;
            }
        }
        a.gains = [partial, totals];
    }

    /// What a particle adds besides elements: contacts, the motion at the begin, and the work from outside.
    fn work_and_contacts(&self, a: &Account, s: usize) -> f64 {
        let c = &self.columns;
        let contacts = a.end[s] - a.begin[s].max(a.kept[s]);
        if !c.moves(s) {
            return contacts;
        }
        let (begin, free) = (convert::<P, f64>(c.v[s]), convert::<P, f64>(c.v_free[s]));
        let work = (free - begin).dot(c.motion(s)) / self.h;
        contacts - c.mass[s] * (0.5 * begin.norm_sq() + work)
    }

    /// Mass, momenta and energy of each island: of its free motion where it begins, or where it ends.
    fn sum_motions(&self, a: &mut Account, bodies: &Bodies, time: Time) {
        let spread = self.is_spread(&(0..self.layout.block_count));
        let [mut partial, mut totals] = std::mem::take(&mut a.motions);
        let (parts, c) = (&self.directions.parts, &self.columns);
        let (nodes, origin) = (&a.nodes, c.origin.to_host(0));
        let v = if time == Time::Begin { &c.v_free } else { &c.v };
        let eval = |run: Range<usize>| {
            run.filter(|&s| c.moves(s)).fold(Motion::default(), |mut sum, s| {
                sum.add_point(c.mass[s], c.x0[s].to_host(0) - origin, v[s].to_host(0));
                sum
            })
        };
        parts.sum((&mut partial, &mut totals), spread, |c| nodes[c].is_open(), eval);
        let of_body = |b: usize| match (bodies.moves(b as u32), time) {
            (false, _) => Motion::default(),
            (true, Time::Begin) => Motion::of_free(bodies.get(b), &origin),
            (true, Time::End) => Motion::of(bodies.get(b), &origin),
        };
        for n in (0..a.nodes.len()).filter(|&n| a.nodes[n].is_open()) {
            let motion = totals.get(n).copied().unwrap_or_else(|| of_body(n - totals.len()));
            let island = &mut a.islands[a.forest.find(n as u32)];
            match time {
                Time::Begin => island.free_motion += motion,
                Time::End => {
                    island.motion += motion;
                    island.particles += totals.get(n).copied().unwrap_or_default();
                }
            }
        }
        a.motions = [partial, totals];
    }

    /// eq. (49b), (49d), (49e).
    fn change(&mut self, a: &mut Account, bodies: &mut Bodies) {
        let first = self.directions.parts.count();
        for s in (0..self.layout.block_count).filter(|&s| self.columns.inertia_exact[s] > 0.0) {
            let island = &a.islands[a.forest.find(self.directions.parts.of(s) as u32)];
            if island.changes() {
                let (x, v) = (self.columns.x0[s].to_host(0), self.columns.v[s].to_host(0));
                self.columns.v[s] = V3::from_host(&island.slowed(&x, &v));
            }
        }
        for b in 0..bodies.len() {
            let island = &a.islands[a.forest.find((first + b) as u32)];
            if island.changes() && bodies.moves(b as u32) {
                let body = bodies.get_mut(b);
                body.velocity = island.restored(&body.now.p, &body.velocity);
            }
        }
    }
}

/// Which motion is summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Time {
    Begin,
    End,
}
