//! Who is next to whom, and the weights of coarse blocks: eq. (37), (38) of `docs/theory/vbd.md`.
//!
//! Distances are counted in edges, so everything here follows from connectivity alone, in order of
//! slots: no random choice, no geometry.

use std::collections::VecDeque;

use coact_math::Scalar;

use crate::prepared::Elements;

/// How far a coarse block reaches, over the spacing of seeds. Below 1 some particles would belong
/// to no block. Measured on hanging cloth of 64²: 1.5 converges as well and costs 1.6 times as much.
const REACH: f64 = 1.1;

/// A particle and its weight in a coarse block.
pub type Weight = (u32, f64);

/// Neighbours by slot, CSR.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    start: Vec<u32>,
    to: Vec<u32>,
}

impl Graph {
    /// Neighbours by springs, triangles and tetrahedra of `n` slots.
    pub fn new<R: Scalar>(n: usize, elements: &Elements<R>) -> Self {
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        let mut all = |v: &[u32]| {
            for &a in v {
                pairs.extend(v.iter().filter(|&&b| b != a).map(|&b| (a, b)));
            }
        };
        elements.springs.iter().for_each(|e| all(&e.v));
        elements.triangles.iter().for_each(|e| all(&e.v));
        elements.tets.iter().for_each(|e| all(&e.v));
        pairs.sort_unstable();
        pairs.dedup();
        let mut start = vec![0_u32; n + 1];
        pairs.iter().for_each(|&(a, _)| start[a as usize + 1] += 1);
        for s in 0..n {
            start[s + 1] += start[s];
        }
        Self { start, to: pairs.into_iter().map(|(_, b)| b).collect() }
    }

    fn of(&self, slot: u32) -> &[u32] {
        &self.to[self.start[slot as usize] as usize..self.start[slot as usize + 1] as usize]
    }

    fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// The component of every slot, and the size of each.
    pub fn components(&self) -> (Vec<u32>, Vec<u32>) {
        let (mut component, mut sizes) = (vec![u32::MAX; self.len()], Vec::new());
        for first in 0..self.len() as u32 {
            if component[first as usize] != u32::MAX {
                continue;
            }
            let (id, mut size, mut open) = (sizes.len() as u32, 0, vec![first]);
            component[first as usize] = id;
            while let Some(s) = open.pop() {
                size += 1;
                for &t in self.of(s) {
                    if component[t as usize] == u32::MAX {
                        component[t as usize] = id;
                        open.push(t);
                    }
                }
            }
            sizes.push(size);
        }
        (component, sizes)
    }

    /// Edges to the nearest of `from`, up to `limit`.
    pub fn distance(&self, from: impl Iterator<Item = u32>, limit: u32) -> Vec<u32> {
        let mut far = vec![limit; self.len()];
        let mut open: VecDeque<u32> = from.collect();
        open.iter().for_each(|&s| far[s as usize] = 0);
        while let Some(s) = open.pop_front() {
            let next = far[s as usize] + 1;
            for &t in self.of(s) {
                if next < far[t as usize] {
                    far[t as usize] = next;
                    open.push_back(t);
                }
            }
        }
        far
    }
}

/// Coarse blocks about `spacing` edges apart: the weights of each, by slot.
pub fn spread_weights(graph: &Graph, spacing: u32, takes_part: &[bool], free: &[bool]) -> Vec<Vec<Weight>> {
    let n = graph.len();
    let mut nearest = vec![u32::MAX; n];
    let reach = ((f64::from(spacing) * REACH).ceil() as u32).max(spacing + 1);
    let mut search = Search { seen: vec![u32::MAX; n], open: VecDeque::new() };
    let mut blocks: Vec<Vec<Weight>> = Vec::new();
    let mut total = vec![0.0; n];
    for seed in search_order(graph, takes_part) {
        if nearest[seed as usize] < spacing {
            continue;
        }
        let mut weights = Vec::new();
        search.run(graph, seed, reach, blocks.len() as u32, |s, far| {
            nearest[s as usize] = nearest[s as usize].min(far);
            let t = 1.0 - f64::from(far) / f64::from(reach);
            weights.push((s, t * t));
            total[s as usize] += t * t;
        });
        blocks.push(weights);
    }
    let fixed = (0..n as u32).filter(|&s| !free[s as usize]);
    let taper = graph.distance(fixed, spacing);
    for weights in &mut blocks {
        for (s, w) in weights.iter_mut() {
            *w *= f64::from(taper[*s as usize]) / (f64::from(spacing) * total[*s as usize]);
        }
        weights.retain(|&(_, w)| w > 0.0);
        weights.sort_unstable_by_key(|&(s, _)| s);
    }
    blocks.retain(|w| !w.is_empty());
    blocks
}

/// Slots in the order of a breadth-first walk, so that seeds come to lie side by side.
fn search_order(graph: &Graph, takes_part: &[bool]) -> Vec<u32> {
    let mut seen = vec![false; graph.len()];
    let mut order = Vec::new();
    for first in (0..graph.len()).filter(|&s| takes_part[s]) {
        if seen[first] {
            continue;
        }
        let mut next = order.len();
        seen[first] = true;
        order.push(first as u32);
        while next < order.len() {
            for &t in graph.of(order[next]) {
                if !std::mem::replace(&mut seen[t as usize], true) {
                    order.push(t);
                }
            }
            next += 1;
        }
    }
    order
}

/// A breadth-first search that need not be cleared.
struct Search {
    seen: Vec<u32>,
    open: VecDeque<(u32, u32)>,
}

impl Search {
    /// Everything nearer than `reach` to `seed`, with its distance; `id` differs from call to call.
    fn run(&mut self, graph: &Graph, seed: u32, reach: u32, id: u32, mut found: impl FnMut(u32, u32)) {
        self.seen[seed as usize] = id;
        self.open.push_back((seed, 0));
        while let Some((s, far)) = self.open.pop_front() {
            found(s, far);
            if far + 1 >= reach {
                continue;
            }
            for &t in graph.of(s) {
                if std::mem::replace(&mut self.seen[t as usize], id) != id {
                    self.open.push_back((t, far + 1));
                }
            }
        }
    }
}
