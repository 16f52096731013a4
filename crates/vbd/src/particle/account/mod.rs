//! What touches keeps its momentum and gains no energy. Theory: `docs/theory/vbd.md` eq. (49)–(49g).
//!
//! A step of few sweeps may leave cloth that is pressed from all sides with more energy than it began with,
//! and forces between cloth and bodies that do not add up to zero. Of islands, components of the mesh and free
//! bodies that rows, pairs of self-contact or joints connect, the account of the step is drawn up. What nothing
//! outside acts on gets its momentum back, and what was gained, beyond what it lost before, is taken out of the
//! motion that momentum does not ask for. What that cannot pay stays on the account as a debt. Particles alone
//! change: a body may stand in for that of another solver, which hears of forces alone.
//!
//! Left out on purpose: islands that something prescribed moves, that drives, springs or torques act on, or
//! whose hard attachments begin apart may gain energy.

mod astray;
mod contacts;
mod island;

use std::ops::{AddAssign, Range};

use coact_math::{Scalar, V3, Vec3};

use super::columns::convert;
use super::cpu::CpuParticles;
use super::parts::Parts;
use crate::body::{Bodies, Body};
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
    /// Whether a hard attachment ends at it.
    is_tied: bool,
    /// What overlaps of bodies may have done to it \[J\].
    work: f64,
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
    /// What islands gained in earlier steps and still have, or below 0 have lost, by node \[J\].
    debts: Vec<f64>,
    /// Energy of the contacts of a particle at the end of the last step, and at the begin and the end of this
    /// one \[J\]. Shape: \[particle_count\].
    kept: Vec<f64>,
    begin: Vec<f64>,
    end: Vec<f64>,
    gains: [Vec<Gain>; 2],
    motions: [Vec<Motion>; 2],
    /// By the first node of each.
    islands: Vec<Island>,
    is_open: bool,
}

/// What a step gained \[J\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Gain {
    /// Energy, without that of the motion at the end.
    energy: f64,
    /// What the step minimises, more than where it began.
    objective: f64,
}

impl AddAssign for Gain {
    fn add_assign(&mut self, o: Self) {
        self.energy += o.energy;
        self.objective += o.objective;
    }
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
    fn inform_nodes(&mut self) {
        for n in 0..self.nodes.len() {
            let (first, of) = (self.forest.find(n as u32), self.nodes[n]);
            if first == n {
                continue;
            }
            let island = &mut self.nodes[first];
            island.counts |= of.counts;
            island.driven |= of.driven;
            island.held |= of.held;
            island.acted |= of.acted;
            island.is_tied |= of.is_tied;
            island.work += of.work;
        }
        for n in 0..self.nodes.len() {
            self.nodes[n] = self.nodes[self.forest.find(n as u32)];
            self.nodes[n].acted |= self.nodes[n].held;
        }
    }

    /// A debt goes to the island that its debtor is in now.
    fn take_debts(&mut self) {
        for n in (0..self.nodes.len()).filter(|&n| self.nodes[n].is_kept()) {
            let first = self.forest.find(n as u32);
            self.islands[first].debt += std::mem::take(&mut self.debts[n]);
            self.islands[first].debt -= if n == first { self.nodes[n].work } else { 0.0 };
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
                account.inform_nodes();
                account.begin_islands(self.columns.origin.to_host(0));
                account.take_debts();
                self.sum_gains(&mut account, bodies);
                self.go_back(&mut account, bodies);
                self.sum_motions(&mut account, bodies, Time::Begin);
            }
            std::mem::swap(&mut account.kept, &mut account.end);
        }
        self.account = account;
    }

    /// After end velocities are known: eq. (49a)–(49f).
    pub(super) fn settle_gains(&mut self, bodies: &Bodies) {
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
            self.change(&mut account);
        }
        self.account = account;
    }

    /// eq. (49) of every island, without the motion at the end.
    fn sum_gains(&self, a: &mut Account, bodies: &Bodies) {
        a.islands.iter_mut().for_each(|island| island.gain = Gain::default());
        let spread = self.is_spread(&(0..self.layout.block_count));
        let [mut partial, mut totals] = std::mem::take(&mut a.gains);
        let parts = &self.directions.parts;
        let known = &*a;
        let eval = |run: Range<usize>| {
            let stored = self.stored_gain(run.clone());
            let first = Gain { energy: stored, objective: stored };
            run.fold(first, |mut sum, s| {
                sum += self.gain_without_elements(known, s);
                sum
            })
        };
        parts.sum((&mut partial, &mut totals), spread, |c| known.nodes[c].is_kept(), eval);
        let of_body = |b: &Body| Gain { energy: b.gain_before_motion(self.h), objective: 0.0 };
        let of_bodies = bodies.iter().map(of_body);
        for (n, gain) in totals.iter().copied().chain(of_bodies).enumerate() {
            if a.nodes[n].is_kept() {
                a.islands[a.forest.find(n as u32)].gain += gain;
            }
        }
        a.gains = [partial, totals];
    }

    /// What a particle adds besides elements: contacts, the motion at the begin, and the work from outside.
    fn gain_without_elements(&self, a: &Account, s: usize) -> Gain {
        let c = &self.columns;
        let contacts = a.end[s] - a.begin[s].max(a.kept[s]);
        if !c.moves(s) {
            return Gain { energy: contacts, objective: contacts };
        }
        let (begin, free) = (convert::<P, f64>(c.v[s]), convert::<P, f64>(c.v_free[s]));
        let mean = c.motion(s) * (1.0 / self.h);
        let energy = contacts - c.mass[s] * (0.5 * begin.norm_sq() + (free - begin).dot(mean));
        let objective = contacts + c.mass[s] * (mean * 0.5 - free).dot(mean);
        Gain { energy, objective }
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
    fn change(&mut self, a: &mut Account) {
        for s in (0..self.layout.block_count).filter(|&s| self.columns.inertia_exact[s] > 0.0) {
            let island = &a.islands[a.forest.find(self.directions.parts.of(s) as u32)];
            if island.changes() {
                let (x, v) = (self.columns.x0[s].to_host(0), self.columns.v[s].to_host(0));
                self.columns.v[s] = V3::from_host(&island.changed(&x, &v));
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
