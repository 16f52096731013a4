//! Which bodies are solved together, and in which order the rest. Theory:
//! `docs/theory/rigid-rows.md` section 4.
//!
//! What a cluster is, [`BodyBlocks`] says: a body, a tree of joints, or all that joints and contacts
//! connect. A cluster whose elimination would fill up too much is cut into its joint trees. Clusters
//! that meet differ in color. A partition is kept until connections change.

use super::cluster::{Cluster, Inside};
use super::edges::Change;
use crate::body::Bodies;

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

/// A partition of the free bodies.
#[derive(Clone, Debug, Default)]
pub struct Clusters {
    pub(super) list: Vec<Cluster>,
    /// Start of each color in `list`.
    pub(super) start: Vec<usize>,
    /// What it was made of.
    pub(super) edges: Vec<[u32; 2]>,
    pub(super) free: Vec<bool>,
    /// The cluster that an edge belongs to alone.
    pub(super) owner: Vec<Option<u32>>,
    /// Mass of the heaviest body that is solved with each \[kg\]; 0: alone, as the guide has it.
    pub(super) together: Vec<f64>,
    /// By body: its place in `list`.
    pub(super) cluster_of: Vec<Option<u32>>,
    pub(super) changes: Vec<Change>,
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
            let mut insert =
                |c: usize, place| self.list[c].edges.push(Inside { edge: e as u32, place, coupling: 0 });
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
                if let (Some(a), Some(b)) = (at(a), at(b))
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
        for c in &mut self.list {
            c.swept = c.edges.iter().any(|e| self.owner[e.edge as usize].is_none());
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
