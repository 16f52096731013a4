//! Colors of a conflict graph: neighbors differ, so that one color is solved at once.
//!
//! Static connectivity gets the saturation order (fewest colors) as long as that is
//! affordable, larger and changing graphs the greedy one; both are the same on every
//! run. [`balance`] then evens out the sizes without a new color.

mod adjacency;
mod conflicts;

pub use adjacency::Adjacency;
pub(crate) use conflicts::{Conflicts, body_conflicts, check_groups, particle_conflicts};

use std::cmp::Reverse;

use petgraph::algo::coloring::dsatur_coloring;
use petgraph::graph::UnGraph;

use crate::model::Model;

/// Above this many neighbor entries the saturation order takes longer than a user
/// expects of a build (about 0.1 s here); the greedy order takes over.
const SATURATION_LIMIT: usize = 500_000;

/// No color yet.
const NONE: u32 = u32::MAX;

/// Colors for connectivity that stays: the fewest of two greedy orders and, up to
/// 500 000 neighbor entries, the saturation order; then balanced. Isolated nodes get
/// color 0. Shape: \[node_count\].
pub fn static_coloring(graph: &Adjacency) -> Vec<u32> {
    let count = |color: &Vec<u32>| color.iter().max().copied();
    let mut best = greedy_coloring(graph);
    let mut scratch = GreedyScratch { order: (0..graph.node_count() as u32).collect(), taken_by: Vec::new() };
    let mut by_index = Vec::new();
    color_in_order(graph, &mut scratch, &mut by_index);
    let by_saturation = (graph.entry_count() <= SATURATION_LIMIT).then(|| saturation(graph));
    for color in [Some(by_index), by_saturation].into_iter().flatten() {
        if count(&color) <= count(&best) {
            best = color;
        }
    }
    balance(graph, &mut best);
    best
}

/// [`static_coloring`] of a model's particles by the elements that they share; `bending`: the two
/// tips of a hinge differ too. Shape: \[particle_count\].
pub fn particle_coloring(model: &Model, bending: bool) -> Vec<u32> {
    static_coloring(&particle_conflicts(model, bending).graph())
}

/// Colors by descending degree, then ascending index, each node the lowest free color.
/// Deterministic, O(nodes log nodes + edges). Isolated nodes get color 0. Shape: \[node_count\].
pub fn greedy_coloring(graph: &Adjacency) -> Vec<u32> {
    let mut color = Vec::new();
    greedy_coloring_into(graph, &mut GreedyScratch::default(), &mut color);
    color
}

/// Memory of [`greedy_coloring_into`], kept from call to call.
#[derive(Clone, Debug, Default)]
pub struct GreedyScratch {
    order: Vec<u32>,
    /// For each color the last node that found it taken.
    taken_by: Vec<u32>,
}

/// [`greedy_coloring`] into memory of the caller: nothing is allocated once the vectors
/// have grown to the size of the graph.
pub fn greedy_coloring_into(graph: &Adjacency, scratch: &mut GreedyScratch, color: &mut Vec<u32>) {
    scratch.order.clear();
    scratch.order.extend(0..graph.node_count() as u32);
    scratch.order.sort_unstable_by_key(|&i| (Reverse(graph.degree(i as usize)), i));
    color_in_order(graph, scratch, color);
}

/// Each node of `scratch.order` the lowest color that no neighbor has yet.
fn color_in_order(graph: &Adjacency, scratch: &mut GreedyScratch, color: &mut Vec<u32>) {
    let GreedyScratch { order, taken_by } = scratch;
    color.clear();
    color.resize(graph.node_count(), NONE);
    taken_by.clear();
    for &mut i in order {
        mark_taken(graph, i, color, taken_by);
        let free = taken_by.iter().position(|&t| t != i).unwrap_or(taken_by.len());
        color[i as usize] = free as u32;
    }
}

/// Moves nodes from large colors to smaller ones that no neighbor has, in index order.
/// The number of colors stays; isolated nodes stay where they are.
pub fn balance(graph: &Adjacency, color: &mut [u32]) {
    let count = color.iter().max().map_or(0, |&c| c as usize + 1);
    let mut size = vec![0_usize; count];
    color.iter().for_each(|&c| size[c as usize] += 1);
    let mut taken_by = vec![NONE; count];
    for i in 0..graph.node_count() {
        if graph.degree(i) == 0 {
            continue;
        }
        mark_taken(graph, i as u32, color, &mut taken_by);
        let from = color[i] as usize;
        let free = (0..count).filter(|&c| taken_by[c] != i as u32);
        if let Some(to) = free.min_by_key(|&c| (size[c], c)).filter(|&to| size[to] + 1 < size[from]) {
            size[from] -= 1;
            size[to] += 1;
            color[i] = to as u32;
        }
    }
}

/// Notes in `taken_by[c] = node` each color `c` of a neighbor.
fn mark_taken(graph: &Adjacency, node: u32, color: &[u32], taken_by: &mut Vec<u32>) {
    for &j in graph.neighbors(node as usize) {
        let c = color[j as usize];
        if c == NONE {
            continue;
        }
        if taken_by.len() <= c as usize {
            taken_by.resize(c as usize + 1, NONE);
        }
        taken_by[c as usize] = node;
    }
}

/// Node with the most distinct neighbor colors first. The map that petgraph returns is
/// only looked up, never walked, so its order does not matter.
fn saturation(graph: &Adjacency) -> Vec<u32> {
    let mut g = UnGraph::<(), ()>::with_capacity(graph.node_count(), graph.entry_count() / 2);
    let nodes: Vec<_> = (0..graph.node_count()).map(|_| g.add_node(())).collect();
    for i in 0..graph.node_count() {
        for &j in graph.neighbors(i).iter().filter(|&&j| j as usize > i) {
            g.add_edge(nodes[i], nodes[j as usize], ());
        }
    }
    let (color, _) = dsatur_coloring(&g);
    nodes.iter().map(|n| color[n] as u32).collect()
}

#[cfg(test)]
mod tests;
