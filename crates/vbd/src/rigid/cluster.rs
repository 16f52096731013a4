//! Which bodies are solved together, and in which order the rest. Theory:
//! `docs/theory/rigid-rows.md` section 5.
//!
//! A cluster is a block of the descent: its bodies move at once, by the Newton step of all their
//! unknowns with everything else held. What a cluster is, [`BodyBlocks`] says: a body, a tree of
//! joints, or all that joints and contacts connect. A cluster whose elimination would fill up too
//! much is cut into its joint trees. Clusters that meet differ in color.

use coact_math::{BlockSparse, Spatial, Vec6};
use rayon::prelude::*;

use super::EdgeTerms;
use super::search::{LOOKS, Search};
use crate::body::{Bodies, BodyLoad, Displacement};
use crate::residual::ResidualSums;
use crate::particle::ParticleBackend;

/// Products of 6×6 blocks per body up to which a cluster is eliminated as one.
const MOST_WORK: usize = 40;

/// Bodies up to which a cluster goes through several rounds in a sweep.
const SMALL: usize = 32;

/// Newton steps of a cluster in a sweep, at most.
const NEWTON: usize = 6;

/// Share of the scale of a cluster up to which a gain counts as none.
const SOLVED: f64 = 1e-16;

/// Share of what connections carry that may be left over for a dual update.
const READY: f64 = 1e-3;

/// Share of the largest multiplier that an update may change where the cluster counts as settled.
const SETTLED: f64 = 1e-6;

/// The largest force \[N\] and torque \[N·m\] of several wrenches.
#[derive(Clone, Copy, Debug, Default)]
struct Largest {
    force: f64,
    torque: f64,
}

impl Largest {
    fn join(self, w: &Spatial) -> Self {
        Self { force: self.force.max(w.lin.norm()), torque: self.torque.max(w.ang.norm()) }
    }
}

/// Which bodies are solved together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BodyBlocks {
    /// All that joints and contacts connect.
    #[default]
    Islands,
    /// What joints connect; contacts are swept.
    Trees,
    /// Each body alone, as in the guide.
    Single,
}

/// What lies between bodies, by number.
pub trait Edges: Sync {
    /// What edge `i` puts on its bodies.
    fn add(&self, edge: usize, bodies: &Bodies, terms: &mut EdgeTerms);
    /// Multipliers and anchors of edge `i` follow.
    fn follow(&mut self, edge: usize, bodies: &Bodies, when: Follow) -> Change;
}

/// What the memory of an edge follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follow {
    /// A sweep: the dual update.
    Sweep,
    /// The last sweep: the dual update, and anchors.
    End,
    /// The last sweep, which did not bring bodies to where multipliers want them: anchors alone.
    Unsolved,
    /// A sweep after which nothing moved any more: anchors, as the last dual update found them.
    Settled,
}

/// How far multipliers moved in an update, and how large they are, in one unit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Change {
    /// The largest change.
    pub by: f64,
    /// The largest multiplier.
    pub of: f64,
}

impl Change {
    /// Of one multiplier.
    pub fn new(before: f64, after: f64) -> Self {
        Self { by: (after - before).abs(), of: after.abs() }
    }

    /// The larger of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { by: self.by.max(other.by), of: self.of.max(other.of) }
    }
}

/// An edge of a cluster and the places of its bodies in it; `None`: not of this cluster.
#[derive(Clone, Copy, Debug)]
struct Inside {
    edge: u32,
    place: [Option<u32>; 2],
    /// Number of the edge in the pattern, where both are inside.
    coupling: u32,
}

/// Bodies that are solved together.
#[derive(Clone, Debug, Default)]
pub struct Cluster {
    bodies: Vec<u32>,
    edges: Vec<Inside>,
    system: BlockSparse,
    /// What acts on each body from outside.
    outside: Vec<BodyLoad>,
    scratch: Vec<BodyLoad>,
    /// All that acts.
    load: Vec<BodyLoad>,
    /// Whether anything but its own inertia acts on a body.
    touched: Vec<bool>,
    step: Vec<Vec6>,
    /// Where each body was before the step.
    start: Vec<Displacement>,
    search: Search,
    /// Whether there is a step to take.
    steps: bool,
    /// What the step would gain \[J\].
    decrement: f64,
    /// The work of the weight of its bodies in a step \[J\].
    weight: f64,
    /// Whether its bodies are where their multipliers want them.
    solved: bool,
    /// Whether it takes no part in this round.
    idle: bool,
    /// Whether they are close enough for a dual update.
    ready: bool,
    /// The largest force and torque of a connection at the last assembly.
    force: Largest,
    /// Whether its multipliers are right as well: it rests for the remainder of the step.
    settled: bool,
    singular: bool,
    /// What acted before the first step of this one, and after the last; whether the first is known.
    first: ResidualSums,
    last: ResidualSums,
    begun: bool,
}

/// A partition of the free bodies.
#[derive(Clone, Debug, Default)]
pub struct Clusters {
    list: Vec<Cluster>,
    /// Start of each color in `list`.
    start: Vec<usize>,
    /// What it was made of.
    edges: Vec<[u32; 2]>,
    free: Vec<bool>,
    /// The cluster that an edge belongs to alone.
    owner: Vec<Option<u32>>,
    /// Mass of the heaviest body that is solved with each \[kg\]; 0: alone, as the guide has it.
    together: Vec<f64>,
    /// By body: its place in `list`.
    cluster_of: Vec<Option<u32>>,
    changes: Vec<Change>,
}

impl Cluster {
    /// Its bodies, by id.
    pub fn bodies(&self) -> &[u32] {
        &self.bodies
    }

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
    fn feel(&mut self, bodies: &Bodies, particles: &dyn ParticleBackend) {
        for (load, &b) in self.outside.iter_mut().zip(&self.bodies) {
            *load = particles.body_load(b as usize, bodies);
        }
    }

    fn is_small(&self) -> bool {
        self.bodies.len() <= SMALL
    }

    /// Whether nothing acts on its bodies from outside.
    fn is_left_alone(&self) -> bool {
        !self.edges.is_empty() && self.outside.iter().all(|l| l.wrench == Spatial::zeros() && !l.is_stiff())
    }

    /// eq. (35): the Newton step of all bodies at once.
    fn solve(&mut self, bodies: &Bodies, edges: &dyn Edges, h: f64) {
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
    fn judge(&mut self, bodies: &Bodies, edges: &dyn Edges, h: f64) {
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

    fn weigh(&mut self, bodies: &Bodies, h: f64, gravity: f64) {
        let mass: f64 = self.bodies.iter().map(|&b| bodies.mass(b)).sum();
        self.weight = mass * gravity * gravity * h * h;
    }

    /// Finds the pattern of its edges; false where that is more than `most` products per body.
    fn connect(&mut self, most: usize) -> bool {
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

    fn new(bodies: Vec<u32>) -> Self {
        let n = bodies.len();
        let (load, step) = (vec![BodyLoad::default(); n], vec![Vec6::zeros(); n]);
        let (outside, touched) = (load.clone(), vec![false; n]);
        Self { bodies, load, outside, touched, step, ..Self::default() }
    }
}

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

/// When multipliers follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Between two rounds of a sweep: those of small clusters.
    Round,
    /// Between two sweeps.
    Sweep,
    /// At the end of the step.
    End,
}

impl Sweep<'_> {
    /// A Newton step of every cluster that is not solved yet.
    fn step(&self, clusters: &mut [Cluster], bodies: &mut Bodies) {
        self.each(clusters, |c| {
            (c.search.done, c.steps) = (true, false);
            if !c.ready && !c.idle {
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

impl Cluster {
    /// Moves its bodies by the share of the step that is asked for, from where they were before it.
    fn advance(&self, bodies: &mut Bodies) {
        for (i, &b) in self.bodies.iter().enumerate().filter(|_| !self.singular) {
            bodies.put_back(b as usize, &self.start[i]);
            let step = Spatial::from_vec6(&(self.step[i] * self.search.share));
            bodies.advance(b as usize, &step, self.touched[i]);
        }
    }
}

impl Clusters {
    /// In order of colors.
    pub fn iter(&self) -> impl Iterator<Item = &Cluster> {
        self.list.iter()
    }

    /// Mass of the heaviest body that is solved with both bodies of an edge \[kg\]; 0 where they
    /// are swept one after the other, or where bodies are alone.
    pub fn heaviest(&self, of: [u32; 2]) -> f64 {
        let [a, b] = of.map(|b| self.cluster_of.get(b as usize).copied().flatten());
        match (a, b) {
            (Some(a), Some(b)) if a != b => 0.0,
            _ => of.iter().filter_map(|&b| self.together.get(b as usize)).fold(0.0, |m: f64, x| m.max(*x)),
        }
    }

    /// Whether an edge acts on a body.
    pub fn connects(&self, body: usize) -> bool {
        let c = self.cluster_of.get(body).copied().flatten();
        c.is_some_and(|c| !self.list[c as usize].edges.is_empty())
    }

    /// By body: mass of the heaviest that is solved with it \[kg\].
    pub fn together(&self) -> &[f64] {
        &self.together
    }

    /// Partitions the free bodies; `joints`: how many of the edges, from the first on, are joints;
    /// `groups`: bodies of each color in order of the sweep, for bodies alone. Returns whether
    /// anything changed.
    pub fn update(
        &mut self,
        bodies: &Bodies,
        edges: &[[u32; 2]],
        joints: usize,
        blocks: BodyBlocks,
        groups: &[Vec<u32>],
    ) -> bool {
        let free = |b: u32| bodies.moves(b);
        let same = self.free.len() == bodies.len()
            && self.edges == edges
            && (0..bodies.len()).all(|b| self.free[b] == free(b as u32));
        if same {
            return false;
        }
        self.edges.clear();
        self.edges.extend_from_slice(edges);
        self.free.clear();
        self.free.extend((0..bodies.len()).map(|b| free(b as u32)));
        self.partition(joints, blocks);
        self.color(edges, if blocks == BodyBlocks::Single { groups } else { &[] });
        self.weigh(bodies, blocks);
        true
    }

    /// One visit of every cluster, color by color; `particles` also pull at bodies, and are told of
    /// every one that moved. Returns how many bodies have a singular system.
    pub fn sweep(&mut self, bodies: &mut Bodies, particles: &mut dyn ParticleBackend, how: &Sweep) -> usize {
        let mut skipped = 0;
        for color in 0..self.start.len().saturating_sub(1) {
            let clusters = &mut self.list[self.start[color]..self.start[color + 1]];
            for c in clusters.iter_mut() {
                c.feel(bodies, particles);
                c.settled &= c.is_left_alone() && how.search;
                c.idle = how.round > 1 && !c.is_small();
                if !c.idle {
                    (c.solved, c.ready) = (c.settled, c.settled);
                }
            }
            for k in 0..if how.search { NEWTON } else { 1 } {
                for c in clusters.iter_mut().filter(|c| k > 0 && !c.ready && !c.idle) {
                    c.feel(bodies, particles);
                }
                how.step(clusters, bodies);
                for c in clusters.iter_mut() {
                    c.bodies.iter().for_each(|&b| particles.refresh_rows(b as usize, bodies));
                    c.solved |= c.edges.is_empty();
                    c.ready |= c.solved;
                }
                if clusters.iter().all(|c| c.ready || c.idle) {
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

    /// Whether no small cluster has anything left to do in this step.
    pub fn are_settled(&self) -> bool {
        self.list.iter().all(|c| c.settled || c.edges.is_empty() || !c.is_small())
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
                (c, _) if when == When::Round && !c.is_small() => continue,
                _ => whole,
            };
            changes[c] = changes[c].and(edges.follow(e, bodies, when));
        }
        for (c, change) in self.list.iter_mut().zip(&changes) {
            c.settled |= c.solved && c.is_left_alone() && change.by <= SETTLED * change.of;
        }
        self.changes = changes;
    }

    fn partition(&mut self, joints: usize, blocks: BodyBlocks) {
        let by = match blocks {
            BodyBlocks::Islands => self.edges.len(),
            BodyBlocks::Trees => joints,
            BodyBlocks::Single => 0,
        };
        let groups = components(&self.free, &self.edges[..by]);
        let most = if blocks == BodyBlocks::Islands { MOST_WORK } else { usize::MAX };
        let full = self.build(&groups, most);
        if full.contains(&true) {
            let cut = groups.into_iter().zip(full).flat_map(|(group, full)| match full {
                true => self.trees(&group, joints),
                false => vec![group],
            });
            let cut: Vec<_> = cut.collect();
            self.build(&cut, usize::MAX);
        }
    }

    /// The joint trees of a group.
    fn trees(&self, group: &[u32], joints: usize) -> Vec<Vec<u32>> {
        let mut free = vec![false; self.free.len()];
        group.iter().for_each(|&b| free[b as usize] = true);
        components(&free, &self.edges[..joints])
    }

    /// Clusters of these groups; which of them would take more than `most` products per body.
    fn build(&mut self, groups: &[Vec<u32>], most: usize) -> Vec<bool> {
        self.list.clear();
        self.list.extend(groups.iter().map(|g| Cluster::new(g.clone())));
        let mut at = vec![None; self.free.len()];
        for (c, group) in groups.iter().enumerate() {
            group.iter().enumerate().for_each(|(i, &b)| at[b as usize] = Some((c, i as u32)));
        }
        for (e, ends) in self.edges.iter().enumerate() {
            let [a, b] = ends.map(|b| at.get(b as usize).copied().flatten());
            let mut insert = |c: usize, place| self.list[c].edges.push(Inside { edge: e as u32, place, coupling: 0 });
            match (a, b) {
                (Some((c, i)), Some((d, j))) if c == d => insert(c, [Some(i), Some(j)]),
                _ => {
                    if let Some((c, i)) = a {
                        insert(c, [Some(i), None]);
                    }
                    if let Some((d, j)) = b {
                        insert(d, [None, Some(j)]);
                    }
                }
            }
        }
        self.list.iter_mut().map(|c| !c.connect(most)).collect()
    }

    /// Given groups, or the least color that no neighbour has, in order of the list.
    fn color(&mut self, edges: &[[u32; 2]], groups: &[Vec<u32>]) {
        let mut of = vec![usize::MAX; self.free.len()];
        for (i, c) in self.list.iter().enumerate() {
            c.bodies.iter().for_each(|&b| of[b as usize] = i);
        }
        let mut color = vec![usize::MAX; self.list.len()];
        let mut order: Vec<usize> = (0..self.list.len()).collect();
        if !groups.is_empty() {
            order.clear();
            for (k, group) in groups.iter().enumerate() {
                for &b in group.iter().filter(|&&b| of.get(b as usize).is_some_and(|&c| c != usize::MAX)) {
                    color[of[b as usize]] = k;
                    order.push(of[b as usize]);
                }
            }
        } else {
            let mut near = vec![Vec::new(); self.list.len()];
            for &[a, b] in edges {
                let at = |b: u32| of.get(b as usize).copied().filter(|&c| c != usize::MAX);
                if let (Some(a), Some(b)) = (at(a), at(b)) {
                    if a != b {
                        near[a].push(b);
                        near[b].push(a);
                    }
                }
            }
            for i in 0..self.list.len() {
                color[i] = (0..).find(|c| near[i].iter().all(|&j| color[j] != *c)).unwrap_or(0);
            }
            order.sort_by_key(|&i| (color[i], i));
        }
        let mut old: Vec<Option<Cluster>> = std::mem::take(&mut self.list).into_iter().map(Some).collect();
        let colors: Vec<usize> = order.iter().map(|&i| color[i]).collect();
        self.list.extend(order.iter().filter_map(|&i| old[i].take()));
        self.own();
        self.start.clear();
        self.start.push(0);
        for k in 0..colors.last().map_or(0, |c| c + 1) {
            self.start.push(colors.partition_point(|&c| c <= k));
        }
    }

    /// Edges with a single cluster.
    fn own(&mut self) {
        self.owner.clear();
        self.owner.resize(self.edges.len(), None);
        let mut seen = vec![false; self.edges.len()];
        for (i, c) in self.list.iter().enumerate() {
            for e in c.edges.iter().map(|e| e.edge as usize) {
                self.owner[e] = if seen[e] { None } else { Some(i as u32) };
                seen[e] = true;
            }
        }
    }

    fn weigh(&mut self, bodies: &Bodies, blocks: BodyBlocks) {
        self.cluster_of.clear();
        self.cluster_of.resize(bodies.len(), None);
        for (i, c) in self.list.iter().enumerate() {
            c.bodies.iter().for_each(|&b| self.cluster_of[b as usize] = Some(i as u32));
        }
        self.together.clear();
        self.together.resize(bodies.len(), 0.0);
        if blocks == BodyBlocks::Single {
            return;
        }
        for c in &self.list {
            let most = c.bodies.iter().map(|&b| bodies.mass(b)).fold(0.0, f64::max);
            c.bodies.iter().for_each(|&b| self.together[b as usize] = most);
        }
    }
}

/// Connected components of the free bodies, each by id, in order of their first body.
fn components(free: &[bool], edges: &[[u32; 2]]) -> Vec<Vec<u32>> {
    let mut top: Vec<u32> = (0..free.len() as u32).collect();
    fn find(top: &mut [u32], mut b: u32) -> u32 {
        while top[b as usize] != b {
            top[b as usize] = top[top[b as usize] as usize];
            b = top[b as usize];
        }
        b
    }
    let is_free = |b: u32| free.get(b as usize).copied().unwrap_or(false);
    for &[a, b] in edges.iter().filter(|e| is_free(e[0]) && is_free(e[1])) {
        let (a, b) = (find(&mut top, a), find(&mut top, b));
        top[a.max(b) as usize] = a.min(b);
    }
    let mut place = vec![usize::MAX; free.len()];
    let mut out: Vec<Vec<u32>> = Vec::new();
    for b in (0..free.len() as u32).filter(|&b| free[b as usize]) {
        let t = find(&mut top, b) as usize;
        if place[t] == usize::MAX {
            place[t] = out.len();
            out.push(Vec::new());
        }
        out[place[t]].push(b);
    }
    out
}
