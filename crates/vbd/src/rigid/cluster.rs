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
use crate::particle::ParticleBackend;

/// Products of 6×6 blocks per body up to which a cluster is eliminated as one.
const MOST_WORK: usize = 40;

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
    /// All that acts.
    load: Vec<BodyLoad>,
    /// Whether anything but its own inertia acts on a body.
    touched: Vec<bool>,
    step: Vec<Vec6>,
    /// Where each body was before the step.
    start: Vec<Displacement>,
    search: Search,
    singular: bool,
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
    /// Mass of the heaviest body that is solved with each \[kg\]; 0: alone, as the guide has it.
    together: Vec<f64>,
}

impl Cluster {
    /// Its bodies, by id.
    pub fn bodies(&self) -> &[u32] {
        &self.bodies
    }

    /// eq. (35): the Newton step of all bodies at once.
    fn solve(&mut self, bodies: &Bodies, edges: &dyn Edges, h: f64) {
        self.assemble(bodies, edges, h);
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
        self.search = Search::begin(self.slope(), &self.step);
        self.start.clear();
        self.start.extend(self.bodies.iter().map(|&b| bodies.displaced_to(b as usize)));
    }

    /// All that acts on the bodies, inertia included, into `load`, and couplings into the system.
    fn assemble(&mut self, bodies: &Bodies, edges: &dyn Edges, h: f64) {
        self.system.clear();
        self.load.clone_from(&self.outside);
        for e in &self.edges {
            let mut terms = EdgeTerms::default();
            edges.add(e.edge as usize, bodies, &mut terms);
            for (side, place) in e.place.iter().enumerate() {
                if let Some(i) = place {
                    self.load[*i as usize] += &terms.load[side];
                }
            }
            if let [Some(_), Some(_)] = e.place {
                self.system.add_edge(e.coupling as usize, &terms.cross);
            }
        }
        for (i, &b) in self.bodies.iter().enumerate() {
            self.touched[i] = self.load[i].is_stiff();
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
        let kept = self.outside.clone();
        for (load, s) in self.outside.iter_mut().zip(&self.step) {
            let pull = load.matrix() * s * t;
            load.wrench -= Spatial::from_vec6(&pull);
        }
        self.assemble(bodies, edges, h);
        self.outside = kept;
        self.search.judge(self.slope());
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
}

impl Sweep<'_> {
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
                for (load, &b) in c.outside.iter_mut().zip(&c.bodies) {
                    *load = particles.body_load(b as usize, bodies);
                }
            }
            how.each(clusters, |c| c.solve(bodies, how.edges, how.h));
            clusters.iter().for_each(|c| c.advance(bodies));
            for _ in 0..if how.search { LOOKS } else { 0 } {
                how.each(clusters, |c| {
                    if !c.search.done {
                        c.judge(bodies, how.edges, how.h);
                    }
                });
                if clusters.iter().all(|c| c.search.done) {
                    break;
                }
                clusters.iter().filter(|c| !c.search.done).for_each(|c| c.advance(bodies));
            }
            for c in clusters.iter() {
                skipped += if c.singular { c.bodies.len() } else { 0 };
                c.bodies.iter().for_each(|&b| particles.refresh_rows(b as usize, bodies));
            }
        }
        skipped
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
        self.start.clear();
        self.start.push(0);
        for k in 0..colors.last().map_or(0, |c| c + 1) {
            self.start.push(colors.partition_point(|&c| c <= k));
        }
    }

    fn weigh(&mut self, bodies: &Bodies, blocks: BodyBlocks) {
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
