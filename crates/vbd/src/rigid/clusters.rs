//! Which bodies are solved together, and in which order the rest. Theory:
//! `docs/theory/rigid-rows.md` section 4.
//!
//! What a cluster is, [`BodyBlocks`] says: a body, a tree of joints, or all that joints and contacts
//! connect. A cluster whose elimination would fill up too much is cut into its joint trees. Clusters
//! that meet differ in color. A partition is kept until connections change, and a cluster as long as
//! its bodies stay together.

use coact_math::Vec3;

use super::cluster::{Cluster, Outer};
use super::components::components;
use super::edges::EdgeCounts;
use super::seen::Seen;
use crate::body::Bodies;
use crate::touch::Pair;

/// Products of 6×6 blocks up to which a cluster is eliminated as one: per body, and in all, whichever is more.
const MOST_WORK: [usize; 2] = [40, 20_000];

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

/// The bodies that each connection joins, out of range = world.
#[derive(Clone, Copy)]
pub struct Graph<'a> {
    /// Of joints, in order of ids.
    pub joints: &'a [[u32; 2]],
    /// Of contacts.
    pub pairs: &'a [Pair],
}

/// A partition of the free bodies.
#[derive(Clone, Debug, Default)]
pub struct Clusters {
    /// In order of the sweep, color by color.
    pub(super) list: Vec<Cluster>,
    /// Where bodies are for those of other clusters.
    pub(super) seen: Seen,
    /// Start of each color in `list`.
    pub(super) start: Vec<usize>,
    /// Joints, then pairs, each in the order of the clusters that own them; then those between.
    sequence: [Vec<u32>; 2],
    /// How many of these are owned.
    pub(super) owned: EdgeCounts,
    /// What it was made of: bodies of joints, then of pairs.
    edges: Vec<[u32; 2]>,
    joints: usize,
    free: Vec<bool>,
    /// Mass of the heaviest body that is solved with each \[kg\]; 0: alone, as the guide has it.
    together: Vec<f64>,
    /// By body: its place in `list`.
    cluster_of: Vec<Option<u32>>,
    /// Clusters of before, to be taken up again; by their first body.
    old: Vec<Option<Cluster>>,
    /// Islands that were cut.
    cut: Vec<CutIsland>,
}

/// An island that took too many products to be eliminated as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutIsland {
    first: u32,
    bodies: usize,
    /// Connections that it had.
    edges: usize,
}

impl Clusters {
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
        c.is_some_and(|c| !self.list[c as usize].is_free())
    }

    /// By body: mass of the heaviest that is solved with it \[kg\].
    pub fn together(&self) -> &[f64] {
        &self.together
    }

    /// By body: size of all torques that are applied to what is solved together with it \[N·m\]; nothing
    /// where there are none.
    pub fn sum_torques(&self, bodies: &Bodies, into: &mut Vec<f64>) {
        into.clear();
        if bodies.iter().all(|b| b.torque == Vec3::zeros()) {
            return;
        }
        into.resize(bodies.len(), 0.0);
        for c in &self.list {
            let sum = c.bodies.iter().map(|&b| bodies.get(b as usize).torque.norm()).sum();
            c.bodies.iter().for_each(|&b| into[b as usize] = sum);
        }
    }

    /// Joints and pairs in the order of the clusters that own them, those between clusters last.
    pub fn sequence(&self) -> [&[u32]; 2] {
        [&self.sequence[0], &self.sequence[1]]
    }

    /// Partitions the free bodies; `groups`: bodies of each color in order of the sweep, for bodies
    /// alone. Returns whether anything changed.
    pub fn update(&mut self, bodies: &Bodies, graph: Graph, blocks: BodyBlocks, groups: &[Vec<u32>]) -> bool {
        let ends = || graph.joints.iter().copied().chain(graph.pairs.iter().map(|p| p.bodies));
        let same = self.free.len() == bodies.len()
            && self.joints == graph.joints.len()
            && ends().eq(self.edges.iter().copied())
            && (0..bodies.len()).all(|b| self.free[b] == bodies.moves(b as u32));
        if !same {
            self.edges.clear();
            self.edges.extend(ends());
            self.joints = graph.joints.len();
            self.free.clear();
            self.free.extend((0..bodies.len()).map(|b| bodies.moves(b as u32)));
            self.partition(blocks);
            self.color(if blocks == BodyBlocks::Single { groups } else { &[] });
            self.weigh(bodies, blocks);
            self.link();
        }
        self.count_touches(graph.pairs);
        !same
    }

    fn partition(&mut self, blocks: BodyBlocks) {
        let by = match blocks {
            BodyBlocks::Islands => self.edges.len(),
            BodyBlocks::Trees => self.joints,
            BodyBlocks::Single => 0,
        };
        self.old.clear();
        self.old.resize_with(self.free.len(), || None);
        self.keep_old();
        let mut groups = components(&self.free, &self.edges[..by]);
        if blocks != BodyBlocks::Islands {
            self.build(&groups, [usize::MAX; 2]);
            return;
        }
        let edges = self.count_edges(&groups);
        let cut = std::mem::take(&mut self.cut);
        let stays = |(i, g): (usize, &Vec<u32>)| {
            cut.iter().any(|c| c.first == g[0] && c.bodies == g.len() && c.edges <= edges[i])
        };
        let mut full: Vec<bool> = groups.iter().enumerate().map(stays).collect();
        groups = self.cut(groups, &edges, &full, &cut);
        full = self.build(&groups, MOST_WORK);
        if full.contains(&true) {
            self.keep_old();
            let edges = self.count_edges(&groups);
            groups = self.cut(groups, &edges, &full, &cut);
            self.build(&groups, [usize::MAX; 2]);
        }
    }

    /// Takes islands that are too `full` apart into joint trees, and takes note of that; `known`: as
    /// they were when they were cut before.
    fn cut(
        &mut self,
        groups: Vec<Vec<u32>>,
        edges: &[usize],
        full: &[bool],
        known: &[CutIsland],
    ) -> Vec<Vec<u32>> {
        let mut out = Vec::new();
        for ((group, &full), &edges) in groups.into_iter().zip(full).zip(edges) {
            if !full {
                out.push(group);
                continue;
            }
            let before = known.iter().find(|c| c.first == group[0] && c.bodies == group.len());
            let edges = before.map_or(edges, |c| c.edges.min(edges));
            self.cut.push(CutIsland { first: group[0], bodies: group.len(), edges });
            out.extend(self.trees(&group));
        }
        out
    }

    /// Connections of each group.
    fn count_edges(&self, groups: &[Vec<u32>]) -> Vec<usize> {
        let mut of = vec![usize::MAX; self.free.len()];
        for (i, g) in groups.iter().enumerate() {
            g.iter().for_each(|&b| of[b as usize] = i);
        }
        let mut count = vec![0; groups.len()];
        for ends in &self.edges {
            let inside = ends.iter().find_map(|&b| of.get(b as usize).filter(|&&g| g != usize::MAX));
            if let Some(&g) = inside {
                count[g] += 1;
            }
        }
        count
    }

    /// What later partitions depend on.
    pub fn save(&self, to: &mut Vec<CutIsland>) {
        to.clone_from(&self.cut);
    }

    /// Goes back to what was saved: the next partition is what it would have been.
    pub fn restore(&mut self, from: &[CutIsland]) {
        if self.cut != from {
            self.cut = from.to_vec();
            self.free.clear();
        }
    }

    fn keep_old(&mut self) {
        for c in self.list.drain(..) {
            let first = c.bodies[0] as usize;
            // a smaller one that was kept before this one is what its bodies fall apart into
            if first < self.old.len() && self.old[first].is_none() {
                self.old[first] = Some(c);
            }
        }
    }

    /// The joint trees of a group.
    fn trees(&self, group: &[u32]) -> Vec<Vec<u32>> {
        let mut free = vec![false; self.free.len()];
        group.iter().for_each(|&b| free[b as usize] = true);
        components(&free, &self.edges[..self.joints])
    }

    /// Clusters of these groups; which of them would take more than the `most` products, per body or in all.
    fn build(&mut self, groups: &[Vec<u32>], most: [usize; 2]) -> Vec<bool> {
        let old = &mut self.old;
        let take = |g: &Vec<u32>| {
            let kept = old[g[0] as usize].take_if(|c| c.bodies == *g);
            kept.unwrap_or_else(|| Cluster::new(g.clone()))
        };
        self.list.extend(groups.iter().map(take));
        let at = self.places();
        let mut couplings = vec![Vec::new(); groups.len()];
        for ends in &self.edges {
            let [a, b] = ends.map(|b| at.get(b as usize).copied().flatten());
            if let (Some((c, i)), Some((d, j))) = (a, b)
                && c == d
            {
                couplings[c as usize].push((i, j));
            }
        }
        self.list.iter_mut().zip(couplings).map(|(c, couplings)| !c.connect(couplings, most)).collect()
    }

    /// By body: its cluster, and its place in it.
    fn places(&self) -> Vec<Option<(u32, u32)>> {
        let mut at = vec![None; self.free.len()];
        for (c, cluster) in self.list.iter().enumerate() {
            for (i, &b) in cluster.bodies.iter().enumerate() {
                at[b as usize] = Some((c as u32, i as u32));
            }
        }
        at
    }

    /// Sorts clusters by color: given groups, or the least color that no neighbour has.
    fn color(&mut self, groups: &[Vec<u32>]) {
        let at = self.places();
        let of = |b: u32| at.get(b as usize).copied().flatten().map(|(c, _)| c as usize);
        let mut color = vec![usize::MAX; self.list.len()];
        let mut order: Vec<usize> = (0..self.list.len()).collect();
        if !groups.is_empty() {
            order.clear();
            for (k, group) in groups.iter().enumerate() {
                for c in group.iter().filter_map(|&b| of(b)) {
                    color[c] = k;
                    order.push(c);
                }
            }
        } else {
            let mut near = vec![Vec::new(); self.list.len()];
            for ends in &self.edges {
                if let [Some(a), Some(b)] = ends.map(of)
                    && a != b
                {
                    near[a].push(b);
                    near[b].push(a);
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

    /// Gives every cluster its own connections and those to others.
    fn link(&mut self) {
        let at = self.places();
        let place = |b: u32| at.get(b as usize).copied().flatten();
        let owner: Vec<Option<u32>> = self
            .edges
            .iter()
            .map(|ends| match ends.map(place) {
                [Some((a, _)), Some((b, _))] => (a == b).then_some(a),
                [a, b] => a.or(b).map(|(c, _)| c),
            })
            .collect();
        let (joints, pairs) = owner.split_at(self.joints);
        let sorted = |owner: &[Option<u32>]| {
            let mut order: Vec<u32> = (0..owner.len() as u32).collect();
            order.sort_by_key(|&e| owner[e as usize].unwrap_or(u32::MAX));
            order
        };
        let owned = |owner: &[Option<u32>]| owner.iter().flatten().count();
        self.owned = EdgeCounts { joints: owned(joints), pairs: owned(pairs), touches: 0 };
        self.sequence = [sorted(joints), sorted(pairs)];
        self.list.iter_mut().for_each(Cluster::unlink);
        for (part, first) in [(0, 0), (1, self.joints)] {
            for (k, &e) in self.sequence[part].iter().enumerate() {
                let e = first + e as usize;
                match owner[e] {
                    Some(c) => self.list[c as usize].own(part, self.edges[e]),
                    None => {
                        let k = (k - [self.owned.joints, self.owned.pairs][part]) as u32;
                        let outer = if part == 0 { Outer::Joint(k) } else { Outer::Pair(k) };
                        for (c, _) in self.edges[e].iter().filter_map(|&b| place(b)) {
                            self.list[c as usize].reach(outer, self.edges[e]);
                        }
                    }
                }
            }
        }
        self.list.iter_mut().for_each(Cluster::resolve);
    }

    /// How many contacts each cluster has.
    fn count_touches(&mut self, pairs: &[Pair]) {
        let mut sequence = self.sequence[1].iter();
        self.owned.touches = 0;
        for c in &mut self.list {
            let own = sequence.by_ref().take(c.counts.pairs);
            c.counts.touches = own.map(|&p| pairs[p as usize].count as usize).sum();
            self.owned.touches += c.counts.touches;
        }
    }

    fn weigh(&mut self, bodies: &Bodies, blocks: BodyBlocks) {
        self.cluster_of.clear();
        self.cluster_of.extend(self.places().into_iter().map(|p| p.map(|(c, _)| c)));
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
