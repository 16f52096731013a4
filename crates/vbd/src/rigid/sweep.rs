//! Sweeps over clusters, and what multipliers follow. Theory: `docs/theory/rigid-rows.md` section 4,
//! eq. (36), (38).
//!
//! All clusters of a color take their Newton steps side by side; then each looks at where its step has
//! led, and those that went too far try again. A cluster whose bodies are where its multipliers want
//! them lets these follow; one whose multipliers no longer change rests.

use rayon::prelude::*;

use super::cluster::Cluster;
use super::clusters::Clusters;
use super::edges::{Change, Edges, Follow, When};
use super::search::LOOKS;
use crate::body::Bodies;
use crate::particle::ParticleBackend;
use crate::residual::ResidualSums;

/// Newton steps of a cluster in a sweep, at most.
const NEWTON: usize = 6;

/// Share of the largest multiplier that an update may change where the cluster counts as settled.
const SETTLED: f64 = 1e-6;

/// How a sweep is done.
#[derive(Clone, Copy)]
pub struct Sweep<'a> {
    /// What connects bodies.
    pub edges: &'a dyn Edges,
    /// Step \[s\].
    pub h: f64,
    /// Whether clusters are spread over threads.
    pub parallel: bool,
    /// Whether steps are judged by where they lead.
    pub search: bool,
    /// Which round of the sweep: after the first one only small clusters go on.
    pub round: usize,
}

impl Sweep<'_> {
    /// A Newton step of every cluster that is not solved yet.
    fn step(&self, clusters: &mut [Cluster], bodies: &mut Bodies) {
        self.each(clusters, |c| {
            (c.search.done, c.steps) = (true, false);
            if c.is_due() {
                c.solve(bodies, self.edges, self.h);
            }
        });
        let moving = |c: &&Cluster| c.steps;
        clusters.iter().filter(moving).for_each(|c| c.advance(bodies));
        for _ in 0..if self.search { LOOKS } else { 0 } {
            if clusters.iter().all(|c| c.search.done) {
                break;
            }
            self.each(clusters, |c| {
                if !c.search.done {
                    c.judge(bodies, self.edges, self.h);
                }
            });
            clusters.iter().filter(|c| !c.search.done).for_each(|c| c.advance(bodies));
        }
    }

    fn each(&self, clusters: &mut [Cluster], work: impl Fn(&mut Cluster) + Sync + Send) {
        match self.parallel {
            true => clusters.par_iter_mut().with_min_len(8).for_each(work),
            false => clusters.iter_mut().for_each(work),
        }
    }
}

impl Clusters {
    /// One visit of every cluster, color by color; `particles` also pull at bodies, and are told of
    /// every one that moved. Returns how many bodies have a singular system.
    pub fn sweep(&mut self, bodies: &mut Bodies, particles: &mut dyn ParticleBackend, how: &Sweep) -> usize {
        let mut skipped = 0;
        for color in 0..self.start.len().saturating_sub(1) {
            let clusters = &mut self.list[self.start[color]..self.start[color + 1]];
            for c in clusters.iter_mut() {
                c.feel(bodies, particles);
                c.settled &= c.is_left_alone() && how.search;
                c.idle = how.round > 1 && !c.goes_on();
                if !c.idle {
                    (c.solved, c.ready) = (c.settled, c.settled);
                }
            }
            for k in 0..if how.search { NEWTON } else { 1 } {
                for c in clusters.iter_mut().filter(|c| k > 0 && c.is_due()) {
                    c.feel(bodies, particles);
                }
                how.step(clusters, bodies);
                for c in clusters.iter_mut() {
                    c.bodies.iter().for_each(|&b| particles.refresh_rows(b as usize, bodies));
                    c.solved |= c.edges.is_empty();
                    c.ready |= c.solved;
                    // its neighbours have to move before it is worth another step
                    c.idle |= c.swept;
                }
                if !clusters.iter().any(Cluster::is_due) {
                    break;
                }
            }
            for c in clusters.iter() {
                skipped += if c.singular { c.bodies.len() } else { 0 };
            }
        }
        skipped
    }

    /// What acts on the bodies that something connects: before the first sweep, and after the last.
    pub fn residuals(&self) -> [ResidualSums; 2] {
        let mut sums = [ResidualSums::default(); 2];
        for c in self.list.iter().filter(|c| !c.edges.is_empty()) {
            sums[0].join(&c.first);
            sums[1].join(&c.last);
        }
        sums
    }

    /// Whether no cluster that goes on has anything left to do in this step.
    pub fn are_settled(&self) -> bool {
        self.list.iter().all(|c| c.settled || c.edges.is_empty() || !c.goes_on())
    }

    /// Bodies that something connects, by cluster.
    pub fn connected(&self) -> impl Iterator<Item = usize> + '_ {
        let connected = self.list.iter().filter(|c| !c.edges.is_empty());
        connected.flat_map(|c| c.bodies.iter().map(|&b| b as usize))
    }

    /// Makes ready for a step of size `h`.
    pub fn begin(&mut self, bodies: &Bodies, h: f64, gravity: f64) {
        for c in &mut self.list {
            c.weigh(bodies, h, gravity);
            (c.settled, c.begun) = (false, false);
        }
    }

    /// The dual update of every edge whose cluster is where its multipliers want it; `search`: whether
    /// clusters are looked after at all.
    pub fn update_duals(&mut self, edges: &mut dyn Edges, bodies: &Bodies, search: bool, when: When) {
        let last = when == When::End;
        let mut changes = std::mem::take(&mut self.changes);
        changes.clear();
        changes.resize(self.list.len(), Change::default());
        let whole = if last { Follow::End } else { Follow::Sweep };
        for (e, owner) in self.owner.iter().enumerate() {
            let Some(c) = owner.map(|c| c as usize).filter(|_| search) else {
                if when != When::Round {
                    edges.follow(e, bodies, whole);
                }
                continue;
            };
            let when = match (&self.list[c], last) {
                (c, true) if c.settled => Follow::Settled,
                (c, true) if !c.ready => Follow::Unsolved,
                (c, false) if c.settled || !c.ready => continue,
                (c, _) if when == When::Round && !c.goes_on() => continue,
                _ => whole,
            };
            changes[c] = changes[c].and(edges.follow(e, bodies, when));
        }
        for (c, change) in self.list.iter_mut().zip(&changes) {
            c.settled |= c.solved && !c.swept && c.is_left_alone() && change.by <= SETTLED * change.of;
        }
        self.changes = changes;
    }
}
