//! The graph of entries (nodes) and interfaces (edges, source to destination).
//!
//! It gives the order in which solvers are built and in which they step, finds rings, and
//! splits the entries into islands that never exchange anything: each island iterates alone.
//! What exchanges in a ring is one strongly connected component; the graph of these has no
//! ring, and an entry's *level* in it is its longest way down to a last destination.

use std::collections::BTreeMap;

use petgraph::algo::{connected_components, tarjan_scc};
use petgraph::graphmap::{DiGraphMap, UnGraphMap};
use petgraph::visit::DfsPostOrder;

/// Entries and interfaces by index.
pub(crate) struct EntryGraph {
    graph: DiGraphMap<usize, ()>,
}

impl EntryGraph {
    /// From the number of entries and the (source, destination) pairs.
    pub fn new(entries: usize, pairs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut graph = DiGraphMap::new();
        for i in 0..entries {
            graph.add_node(i);
        }
        for (s, d) in pairs {
            graph.add_edge(s, d, ());
        }
        Self { graph }
    }

    /// Strongly connected components, destinations before their sources, each in ascending order.
    fn components(&self) -> Vec<Vec<usize>> {
        let mut all = tarjan_scc(&self.graph);
        all.iter_mut().for_each(|c| c.sort_unstable());
        all
    }

    /// Entries, sources before their destinations; within a ring in the order of declaration.
    pub fn build_order(&self) -> Vec<usize> {
        self.components().into_iter().rev().flatten().collect()
    }

    /// Entries that exchange in a ring, one list per ring.
    pub fn rings(&self) -> Vec<Vec<usize>> {
        self.components().into_iter().filter(|c| c.len() > 1).collect()
    }

    /// The entries of an island in stages, destinations first: those of one stage exchange
    /// nothing with each other. Members of a ring have a stage each.
    pub fn stages(&self, island: &[usize]) -> Vec<Vec<usize>> {
        let mut level: BTreeMap<usize, usize> = BTreeMap::new();
        let mut stages: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        for component in self.components() {
            let below = component.iter().flat_map(|&e| self.graph.neighbors(e));
            let height = below.filter_map(|d| level.get(&d)).map(|l| l + 1).max().unwrap_or(0);
            for (k, entry) in self.ring_order(&component).into_iter().enumerate() {
                level.insert(entry, height);
                if island.contains(&entry) {
                    stages.entry((height, k)).or_default().push(entry);
                }
            }
        }
        stages.values_mut().for_each(|s| s.sort_unstable());
        stages.into_values().collect()
    }

    /// A component, its members after the destinations that a walk from the first one finds: few
    /// of them then step before what they hand to.
    fn ring_order(&self, component: &[usize]) -> Vec<usize> {
        let mut walk = DfsPostOrder::new(&self.graph, component[0]);
        let mut order = Vec::with_capacity(component.len());
        while let Some(entry) = walk.next(&self.graph) {
            order.extend(component.contains(&entry).then_some(entry));
        }
        order
    }

    /// The connected sets of entries, each in ascending order, by their first entry.
    pub fn islands(&self) -> Vec<Vec<usize>> {
        let undirected: UnGraphMap<usize, ()> = self.graph.all_edges().collect();
        let mut islands: Vec<Vec<usize>> = Vec::new();
        let mut seen = vec![false; self.graph.node_count()];
        for start in 0..self.graph.node_count() {
            let mut stack = vec![start];
            let mut island = Vec::new();
            while let Some(i) = stack.pop() {
                if std::mem::replace(&mut seen[i], true) {
                    continue;
                }
                island.push(i);
                stack.extend(
                    undirected.contains_node(i).then(|| undirected.neighbors(i)).into_iter().flatten(),
                );
            }
            island.sort_unstable();
            islands.extend((!island.is_empty()).then_some(island));
        }
        let loose = seen.len() - undirected.node_count();
        debug_assert_eq!(islands.len(), connected_components(&undirected) + loose);
        islands
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_come_first_and_islands_are_found() {
        let g = EntryGraph::new(6, [(4, 1), (4, 0), (5, 0), (3, 2)]);
        let order = g.build_order();
        let at = |i: usize| order.iter().position(|&o| o == i).unwrap();
        assert!(at(4) < at(1) && at(4) < at(0) && at(5) < at(0) && at(3) < at(2));
        assert_eq!(g.islands(), [vec![0, 1, 4, 5], vec![2, 3]]);
        assert_eq!(g.stages(&[0, 1, 4, 5]), [vec![0, 1], vec![4, 5]]);
        assert_eq!(EntryGraph::new(2, []).islands(), [vec![0], vec![1]]);
        assert!(g.rings().is_empty());
    }

    #[test]
    fn chains_step_from_their_end_and_rings_one_by_one() {
        let chain = EntryGraph::new(4, [(0, 1), (1, 2), (0, 3)]);
        assert_eq!(chain.stages(&[0, 1, 2, 3]), [vec![2, 3], vec![1], vec![0]]);
        // 0 and 1 hand things to each other and, both, to 2; 3 hands to 1
        let ring = EntryGraph::new(4, [(0, 1), (1, 0), (0, 2), (1, 2), (3, 1)]);
        assert_eq!(ring.rings(), [vec![0, 1]]);
        assert_eq!(ring.stages(&[0, 1, 2, 3]), [vec![2], vec![1], vec![0], vec![3]]);
        // of three in a circle two steps come after what they hand to
        let circle = EntryGraph::new(3, [(0, 1), (1, 2), (2, 0)]);
        assert_eq!(circle.stages(&[0, 1, 2]), [vec![2], vec![1], vec![0]]);
        assert_eq!(ring.build_order(), [3, 0, 1, 2]);
    }
}
