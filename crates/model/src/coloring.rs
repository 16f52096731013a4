//! Colors of a conflict graph: neighbors differ, so that one color can be solved at once.

/// An undirected graph as sorted neighbor lists, without duplicates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Adjacency {
    start: Vec<u32>,
    neighbors: Vec<u32>,
}

impl Adjacency {
    /// From `count` nodes and edges in any order; loops and repeats are dropped.
    pub fn from_edges(count: usize, edges: &[[u32; 2]]) -> Self {
        let mut degree = vec![0_u32; count + 1];
        for &[a, b] in edges {
            degree[a as usize + 1] += 1;
            degree[b as usize + 1] += 1;
        }
        for i in 0..count {
            degree[i + 1] += degree[i];
        }
        let mut fill = degree.clone();
        let mut raw = vec![0; 2 * edges.len()];
        for &[a, b] in edges {
            for (x, y) in [(a, b), (b, a)] {
                raw[fill[x as usize] as usize] = y;
                fill[x as usize] += 1;
            }
        }
        let mut out = Self { start: Vec::with_capacity(count + 1), neighbors: Vec::with_capacity(raw.len()) };
        out.start.push(0);
        for i in 0..count {
            let row = &mut raw[degree[i] as usize..degree[i + 1] as usize];
            row.sort_unstable();
            let mut last = i as u32;
            for &n in row.iter().filter(|&&n| n != i as u32) {
                if n != last {
                    out.neighbors.push(n);
                    last = n;
                }
            }
            out.start.push(out.neighbors.len() as u32);
        }
        out
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    /// Neighbors of a node, ascending.
    pub fn neighbors(&self, node: usize) -> &[u32] {
        &self.neighbors[self.start[node] as usize..self.start[node + 1] as usize]
    }

    /// Number of neighbors of a node.
    pub fn degree(&self, node: usize) -> usize {
        (self.start[node + 1] - self.start[node]) as usize
    }
}

/// Colors by descending degree, then ascending index, each node the lowest free color.
/// Deterministic, O(nodes + edges). Isolated nodes get color 0. Shape: \[node_count\].
pub fn greedy_coloring(graph: &Adjacency) -> Vec<u32> {
    let n = graph.node_count();
    let mut order: Vec<u32> = (0..n as u32).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(graph.degree(i as usize)));
    let mut color = vec![u32::MAX; n];
    let mut taken_by = Vec::new();
    for i in order {
        for &j in graph.neighbors(i as usize) {
            let c = color[j as usize] as usize;
            if c != u32::MAX as usize {
                if taken_by.len() <= c {
                    taken_by.resize(c + 1, u32::MAX);
                }
                taken_by[c] = i;
            }
        }
        let free = taken_by.iter().position(|&t| t != i).unwrap_or(taken_by.len());
        color[i as usize] = free as u32;
    }
    color
}
