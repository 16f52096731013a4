//! Sweeps over clusters, color by color. Theory: `docs/theory/rigid-rows.md` section 4.
//!
//! Clusters of a color are visited side by side, each with the joints and contacts that are its own.
//! One that particles act on asks them anew before each of its steps: those go one after the other.

use rayon::prelude::*;

use super::cluster::{Cluster, How};
use super::clusters::Clusters;
use super::edges::{Between, EdgeCounts, EdgesMut, Follow};
use super::seen::Seen;
use super::visit::When;
use crate::body::{Bodies, Iterate};
use crate::joint::Joint;
use crate::particle::ParticleBackend;
use crate::residual::ResidualSums;
use crate::touch::{Touch, TouchLaw};

/// Bodies and contacts up to which clusters are not spread over threads any further.
const GRAIN: usize = 128;

impl Clusters {
    /// One visit of every cluster; `particles` also pull at bodies, and are told of every one that
    /// moved. Returns how many bodies have a singular system.
    pub fn sweep(
        &mut self,
        edges: EdgesMut,
        law: TouchLaw,
        bodies: &mut Bodies,
        particles: &mut dyn ParticleBackend,
        how: &How,
    ) -> usize {
        let (mut mine, others) = edges.split(self.owned);
        let between = Between { edges: others.shared(), law };
        for color in self.start.windows(2) {
            let clusters = &mut self.list[color[0]..color[1]];
            let (own, rest) = mine.split(counts(clusters));
            mine = rest;
            for c in clusters.iter_mut() {
                c.feel(bodies, particles);
                c.look_beyond(&self.seen);
            }
            let mut world = Surroundings { bodies, seen: &mut self.seen, particles };
            sweep_color(clusters, own, &between, &mut world, how);
        }
        let singular = self.list.iter().filter(|c| c.singular);
        singular.map(|c| c.bodies.len()).sum()
    }

    /// Takes over where free bodies are that something else moved, by id.
    pub fn take_over(&mut self, bodies: &Bodies, moved: &[u32]) {
        for c in self.list.iter_mut().filter(|c| c.is_free()) {
            if c.bodies.first().is_some_and(|b| moved.binary_search(b).is_ok()) {
                c.at[0] = Iterate::of(bodies.get(c.bodies[0] as usize));
            }
        }
    }

    /// What acts on the bodies that something connects: before the first sweep, and after the last.
    pub fn residuals(&self) -> [ResidualSums; 2] {
        let mut sums = [ResidualSums::default(); 2];
        for c in self.list.iter().filter(|c| !c.is_free()) {
            sums[0].join(&c.first);
            sums[1].join(&c.last);
        }
        sums
    }

    /// Bodies that something connects, by cluster.
    pub fn connected(&self) -> impl Iterator<Item = usize> + '_ {
        let connected = self.list.iter().filter(|c| !c.is_free());
        connected.flat_map(|c| c.bodies.iter().map(|&b| b as usize))
    }

    /// Makes ready for a step.
    pub fn begin(&mut self, bodies: &Bodies, h: f64, gravity: f64, parallel: bool) {
        self.seen.begin(bodies, parallel);
        let seen = &self.seen;
        match parallel {
            true => self.list.par_iter_mut().with_min_len(8).for_each(|c| c.begin(bodies, seen, h, gravity)),
            false => self.list.iter_mut().for_each(|c| c.begin(bodies, seen, h, gravity)),
        }
    }

    /// The dual update of every connection whose cluster is where its multipliers want it, and of all
    /// between clusters.
    pub fn follow(&mut self, edges: EdgesMut, law: TouchLaw, how: &How, when: When) {
        let (mine, mut others) = edges.split(self.owned);
        let none = Between { edges: others.shared(), law };
        let due = |c: &Cluster| when == When::End || !how.search || (c.ready && !c.settled);
        if self.list.iter().any(due) {
            each(&mut self.list, mine, how.parallel, &|c, mut mine| c.follow(&mut mine, &none, how, when));
        }
        let follow = if when == When::End { Follow::End } else { Follow::Sweep };
        follow_between(&mut others, law, &self.seen, follow, how.parallel);
    }
}

/// All that clusters find around them in a sweep, and tell where they are.
struct Surroundings<'a> {
    bodies: &'a mut Bodies,
    seen: &'a mut Seen,
    particles: &'a mut dyn ParticleBackend,
}

impl Surroundings<'_> {
    fn publish(&mut self, c: &mut Cluster) {
        if c.publish(self.bodies, self.seen) {
            c.bodies.iter().for_each(|&b| self.particles.refresh_rows(b as usize, self.bodies));
        }
    }
}

/// Clusters that particles leave alone side by side, the others one by one.
fn sweep_color(
    clusters: &mut [Cluster],
    mut own: EdgesMut,
    between: &Between,
    world: &mut Surroundings,
    how: &How,
) {
    each(clusters, own.lend(), how.parallel, &|c, mut mine| {
        if c.alone {
            c.visit(&mut mine, between, how, &mut |_| ());
        }
    });
    for c in clusters {
        let (mut mine, rest) = own.split(c.counts);
        own = rest;
        if !c.alone {
            c.visit(&mut mine, between, how, &mut |c| {
                world.publish(c);
                c.feel(world.bodies, world.particles);
            });
        }
        world.publish(c);
    }
}

/// Every cluster with what is its own, side by side where `parallel`.
fn each(
    clusters: &mut [Cluster],
    own: EdgesMut,
    parallel: bool,
    work: &(impl Fn(&mut Cluster, EdgesMut) + Sync),
) {
    let size = |c: &Cluster| c.bodies.len() + c.counts.touches;
    if parallel && clusters.len() > 1 && clusters.iter().map(size).sum::<usize>() > GRAIN {
        let (a, b) = clusters.split_at_mut(clusters.len() / 2);
        let (mine, others) = own.split(counts(a));
        rayon::join(|| each(a, mine, true, work), || each(b, others, true, work));
        return;
    }
    let mut own = own;
    for c in clusters {
        let (mine, rest) = own.split(c.counts);
        own = rest;
        work(c, mine);
    }
}

fn counts(clusters: &[Cluster]) -> EdgeCounts {
    clusters.iter().fold(EdgeCounts::default(), |mut sum, c| {
        sum += c.counts;
        sum
    })
}

fn follow_between(edges: &mut EdgesMut, law: TouchLaw, seen: &Seen, follow: Follow, parallel: bool) {
    let joint = |j: &mut Box<Joint>| {
        j.look(j.bodies.map(|b| seen.at(b)));
        j.follow(follow);
    };
    let touch = |t: &mut Touch| {
        t.look(t.bodies().map(|b| seen.at(b)), &law);
        t.follow(&law, follow);
    };
    if parallel && edges.joints.len() + edges.touches.len() > GRAIN {
        edges.joints.par_iter_mut().filter(|j| j.on).for_each(joint);
        edges.touches.par_iter_mut().with_min_len(64).for_each(touch);
    } else {
        edges.joints.iter_mut().filter(|j| j.on).for_each(joint);
        edges.touches.iter_mut().for_each(touch);
    }
}
