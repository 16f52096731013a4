//! The graph of entries (nodes) and interfaces (edges, source to destination).
//!
//! It gives the order in which solvers are built, finds what is impossible, and splits
//! the entries into islands that never exchange anything: each island iterates alone.
//! Cycles and chains are found here and refused for now; nothing else depends on that.

use petgraph::algo::{tarjan_scc, toposort};
use petgraph::graphmap::{DiGraphMap, UnGraphMap};
use petgraph::{Direction, algo::connected_components};

use crate::CouplingError;

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

    /// Entries, sources before their destinations. Cycles are refused with their names.
    pub fn build_order(&self, names: &[String]) -> Result<Vec<usize>, CouplingError> {
        toposort(&self.graph, None).map_err(|_| CouplingError::Cycle { entries: self.cycle_text(names) })
    }

    /// Refuses an entry that is a destination and a source.
    pub fn refuse_chains(&self, names: &[String]) -> Result<(), CouplingError> {
        for node in self.graph.nodes() {
            let from = self.graph.neighbors_directed(node, Direction::Incoming).next();
            let to = self.graph.neighbors_directed(node, Direction::Outgoing).next();
            if let (Some(from), Some(to)) = (from, to) {
                let name = |i: usize| names[i].clone();
                return Err(CouplingError::Chain { entry: name(node), from: name(from), to: name(to) });
            }
        }
        Ok(())
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

    fn cycle_text(&self, names: &[String]) -> String {
        let mut cycle = tarjan_scc(&self.graph).into_iter().find(|c| c.len() > 1).unwrap_or_default();
        cycle.sort_unstable();
        cycle.iter().map(|&i| format!("'{}'", names[i])).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(n: usize) -> Vec<String> {
        (0..n).map(|i| format!("e{i}")).collect()
    }

    #[test]
    fn sources_come_first_and_islands_are_found() {
        let g = EntryGraph::new(6, [(4, 1), (4, 0), (5, 0), (3, 2)]);
        let order = g.build_order(&names(6)).unwrap();
        let at = |i: usize| order.iter().position(|&o| o == i).unwrap();
        assert!(at(4) < at(1) && at(4) < at(0) && at(5) < at(0) && at(3) < at(2));
        assert_eq!(g.islands(), [vec![0, 1, 4, 5], vec![2, 3]]);
        assert_eq!(EntryGraph::new(2, []).islands(), [vec![0], vec![1]]);
        g.refuse_chains(&names(6)).unwrap();
    }

    #[test]
    fn cycles_and_chains_are_named() {
        let cycle = EntryGraph::new(3, [(0, 1), (1, 2), (2, 0)]);
        let text = cycle.build_order(&names(3)).unwrap_err().to_string();
        assert!(text.contains("'e0', 'e1', 'e2' are proxies of each other"), "{text}");
        let chain = EntryGraph::new(3, [(0, 1), (1, 2)]);
        let text = chain.refuse_chains(&names(3)).unwrap_err().to_string();
        assert!(text.contains("'e1' is the destination of 'e0' and the source of 'e2'"), "{text}");
    }
}
