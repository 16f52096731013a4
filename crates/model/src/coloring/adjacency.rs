//! A conflict graph as neighbor lists.

/// An undirected graph as sorted neighbor lists, without loops and duplicates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Adjacency {
    /// Start of each row in `neighbors`. Shape: \[node_count + 1\].
    start: Vec<u32>,
    neighbors: Vec<u32>,
    /// Rows before duplicates are dropped, and their starts: kept for the next rebuild.
    raw: Vec<u32>,
    fill: Vec<u32>,
}

impl Adjacency {
    /// From `count` nodes and edges in any order; loops and repeats are dropped.
    pub fn from_edges(count: usize, edges: &[[u32; 2]]) -> Self {
        let mut graph = Self::default();
        graph.rebuild(count, edges);
        graph
    }

    /// [`Adjacency::from_edges`] in the memory of this graph.
    pub fn rebuild(&mut self, count: usize, edges: &[[u32; 2]]) {
        self.scatter(count, edges);
        self.start.clear();
        self.neighbors.clear();
        self.start.push(0);
        let mut from = 0;
        for i in 0..count {
            let row = &mut self.raw[from..self.fill[i] as usize];
            from = self.fill[i] as usize;
            row.sort_unstable();
            // A node is never its own neighbor, so it can stand for "none before".
            let mut last = i as u32;
            for &n in row.iter().filter(|&&n| n != i as u32) {
                if n != last {
                    self.neighbors.push(n);
                    last = n;
                }
            }
            self.start.push(self.neighbors.len() as u32);
        }
    }

    /// Sorts both directions of the edges into rows; `fill[i]` becomes the end of row i.
    fn scatter(&mut self, count: usize, edges: &[[u32; 2]]) {
        let fill = &mut self.fill;
        fill.clear();
        fill.resize(count + 1, 0);
        for &end in edges.iter().flatten() {
            fill[end as usize + 1] += 1;
        }
        for i in 0..count {
            fill[i + 1] += fill[i];
        }
        self.raw.clear();
        self.raw.resize(2 * edges.len(), 0);
        for &[a, b] in edges {
            for (node, neighbor) in [(a, b), (b, a)] {
                let slot = &mut fill[node as usize];
                self.raw[*slot as usize] = neighbor;
                *slot += 1;
            }
        }
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

    /// Sum of all degrees: twice the number of edges.
    pub fn entry_count(&self) -> usize {
        self.neighbors.len()
    }
}
