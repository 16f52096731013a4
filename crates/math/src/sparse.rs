//! Block elimination of a sparse symmetric system of 6×6 blocks: what rigid bodies make that
//! joints and contacts connect.
//!
//! One block row per node, one off-diagonal pair per edge. With k the node that is eliminated
//! next and i, j those of its neighbours that are still there:
//!
//! ```text
//! Lᵢ = Aᵢₖ Dₖ⁻¹,   Dᵢ ← Dᵢ - Lᵢ Aᵢₖᵀ,   Aᵢⱼ ← Aᵢⱼ - Lᵢ Aⱼₖᵀ
//! forward  bᵢ ← bᵢ - Lᵢ bₖ,      back  xₖ = Dₖ⁻¹ bₖ - Σ Lᵢᵀ xᵢ
//! ```
//! Nodes of the least degree go first (ties by number): chains and trees make no fill, a loop
//! makes little. No pivoting: the blocks are inertia plus stiffness, positive definite.

use crate::ldlt6::Ldlt6;
use crate::types::{Mat6, Vec6};

/// Where the block of an edge lies.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    block: u32,
    /// The first node of the edge goes before the second one.
    transposed: bool,
}

/// A symmetric system on a graph. [`set_pattern`](Self::set_pattern), fill, then
/// [`factor`](Self::factor), then [`solve`](Self::solve). Memory is kept from one to the next.
#[derive(Clone, Debug, Default)]
pub struct BlockSparse {
    /// Nodes in order of elimination.
    order: Vec<u32>,
    /// Start of the blocks of each step of the elimination. Shape: \[nodes + 1\].
    start: Vec<u32>,
    /// The other node of each block.
    row: Vec<u32>,
    /// Where products of two blocks of a step go: a block, in order of the pairs i > j.
    target: Vec<Place>,
    places: Vec<Place>,
    diagonal: Vec<Mat6>,
    blocks: Vec<Mat6>,
    factors: Vec<Ldlt6>,
    column: Vec<Mat6>,
    neighbors: Vec<Vec<u32>>,
}

/// The block of a node that was singular when its turn came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SingularBlock {
    /// The node.
    pub node: usize,
}

impl std::fmt::Display for SingularBlock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the block of node {} is singular", self.node)
    }
}

impl std::error::Error for SingularBlock {}

impl BlockSparse {
    /// The graph; `edges` may name a pair twice, never a node with itself. All blocks become zero.
    /// False, and no pattern, where a factorisation would take more than `most` products.
    pub fn set_pattern(&mut self, nodes: usize, edges: &[(u32, u32)], most: usize) -> bool {
        self.read_neighbors(nodes, edges);
        if !self.eliminate_symbolically(nodes, most) {
            return false;
        }
        let mut rank = vec![0; nodes];
        self.order.iter().enumerate().for_each(|(k, &n)| rank[n as usize] = k);
        self.target.clear();
        for k in 0..nodes {
            let rows = self.range(k);
            for a in rows.clone() {
                for b in rows.start..a {
                    let place = self.place(&rank, self.row[a], self.row[b]);
                    self.target.push(place);
                }
            }
        }
        let places = edges.iter().map(|&(a, b)| self.place(&rank, a, b)).collect();
        self.places = places;
        self.diagonal.resize(nodes, Mat6::zeros());
        self.factors.resize(nodes, Ldlt6::default());
        self.blocks.resize(self.row.len(), Mat6::zeros());
        self.clear();
        true
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Products of two blocks that a factorisation takes.
    pub fn work(&self) -> usize {
        self.target.len() + self.row.len()
    }

    /// Sets all blocks to zero.
    pub fn clear(&mut self) {
        self.diagonal.fill(Mat6::zeros());
        self.blocks.fill(Mat6::zeros());
    }

    /// Adds to the diagonal block of a node.
    pub fn add_diagonal(&mut self, node: usize, block: &Mat6) {
        self.diagonal[node] += block;
    }

    /// Adds the block of an edge of the pattern: rows of its first node, columns of its second.
    pub fn add_edge(&mut self, edge: usize, block: &Mat6) {
        let p = self.places[edge];
        let into = &mut self.blocks[p.block as usize];
        if p.transposed { *into += block.transpose() } else { *into += block }
    }

    /// Eliminates; the blocks are used up.
    ///
    /// # Errors
    /// A block is singular to working precision or not finite.
    pub fn factor(&mut self) -> Result<(), SingularBlock> {
        let mut target = 0;
        for k in 0..self.len() {
            let (node, rows) = (self.order[k] as usize, self.range(k));
            let factors = Ldlt6::new(&self.diagonal[node]).ok_or(SingularBlock { node })?;
            self.factors[node] = factors;
            self.column.clear();
            self.column.extend_from_slice(&self.blocks[rows.clone()]);
            for (a, i) in rows.clone().enumerate() {
                let l = factors.solve_matrix(&self.column[a].transpose()).transpose();
                self.blocks[i] = l;
                self.diagonal[self.row[i] as usize] -= l * self.column[a].transpose();
                for b in 0..a {
                    let p = self.target[target];
                    target += 1;
                    let product = l * self.column[b].transpose();
                    let into = &mut self.blocks[p.block as usize];
                    if p.transposed { *into -= product.transpose() } else { *into -= product }
                }
            }
        }
        Ok(())
    }

    /// Whether what was factored last is positive definite.
    pub fn is_positive(&self) -> bool {
        self.order.iter().all(|&n| self.factors[n as usize].is_positive())
    }

    /// Replaces the right-hand side `b` by the solution. Shape: \[nodes\].
    pub fn solve(&self, b: &mut [Vec6]) {
        for k in 0..self.len() {
            let at = b[self.order[k] as usize];
            for i in self.range(k) {
                b[self.row[i] as usize] -= self.blocks[i] * at;
            }
        }
        for k in (0..self.len()).rev() {
            let node = self.order[k] as usize;
            let mut x = self.factors[node].solve(&b[node]);
            for i in self.range(k) {
                x -= self.blocks[i].tr_mul(&b[self.row[i] as usize]);
            }
            b[node] = x;
        }
    }

    fn range(&self, k: usize) -> std::ops::Range<usize> {
        self.start[k] as usize..self.start[k + 1] as usize
    }

    /// The block of two connected nodes: it lies with the one that goes first, rows of the other.
    fn place(&self, rank: &[usize], a: u32, b: u32) -> Place {
        let transposed = rank[a as usize] < rank[b as usize];
        let (first, other) = if transposed { (a, b) } else { (b, a) };
        let rows = self.range(rank[first as usize]);
        let at = self.row[rows.clone()].binary_search(&other).unwrap_or(0);
        Place { block: (rows.start + at) as u32, transposed }
    }

    fn read_neighbors(&mut self, nodes: usize, edges: &[(u32, u32)]) {
        self.neighbors.iter_mut().for_each(Vec::clear);
        self.neighbors.resize(nodes.max(self.neighbors.len()), Vec::new());
        for &(a, b) in edges {
            self.neighbors[a as usize].push(b);
            self.neighbors[b as usize].push(a);
        }
        for list in &mut self.neighbors {
            list.sort_unstable();
            list.dedup();
        }
    }

    /// Least degree first; what a node leaves behind is connected.
    fn eliminate_symbolically(&mut self, nodes: usize, most: usize) -> bool {
        let mut work = 0;
        self.order.clear();
        self.row.clear();
        self.start.clear();
        self.start.push(0);
        let mut queue: std::collections::BTreeSet<(usize, u32)> =
            (0..nodes).map(|n| (self.neighbors[n].len(), n as u32)).collect();
        while let Some((_, n)) = queue.pop_first() {
            let around = std::mem::take(&mut self.neighbors[n as usize]);
            work += around.len() * (around.len() + 1) / 2;
            if work > most {
                return false;
            }
            for &i in &around {
                let list = &mut self.neighbors[i as usize];
                queue.remove(&(list.len(), i));
                list.retain(|&j| j != n);
                list.extend(around.iter().filter(|&&j| j != i));
                list.sort_unstable();
                list.dedup();
                queue.insert((list.len(), i));
            }
            self.order.push(n);
            self.row.extend_from_slice(&around);
            self.start.push(self.row.len() as u32);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, DVector};

    use super::*;

    fn noise(i: usize) -> f64 {
        ((i as f64 * 12.9898).sin() * 43758.5453).fract()
    }

    fn block(seed: usize) -> Mat6 {
        Mat6::from_fn(|r, c| noise(seed * 36 + r * 6 + c))
    }

    fn check(nodes: usize, edges: &[(u32, u32)]) -> BlockSparse {
        let mut s = BlockSparse::default();
        assert!(s.set_pattern(nodes, edges, usize::MAX));
        let mut dense = DMatrix::<f64>::zeros(6 * nodes, 6 * nodes);
        for n in 0..nodes {
            let d = block(n) * block(n).transpose() + Mat6::identity() * 30.0;
            s.add_diagonal(n, &d);
            dense.view_mut((6 * n, 6 * n), (6, 6)).copy_from(&d);
        }
        for (e, &(a, b)) in edges.iter().enumerate() {
            let m = block(100 + e);
            s.add_edge(e, &m);
            let (a, b) = (6 * a as usize, 6 * b as usize);
            let mut upper = dense.view_mut((a, b), (6, 6));
            upper += m;
            let mut lower = dense.view_mut((b, a), (6, 6));
            lower += m.transpose();
        }
        let rhs: Vec<Vec6> = (0..nodes).map(|n| Vec6::from_fn(|r, _| noise(7 * n + r))).collect();
        let want =
            dense.lu().solve(&DVector::from_iterator(6 * nodes, rhs.iter().flat_map(|v| v.iter().copied())));
        let mut x = rhs;
        s.factor().unwrap();
        s.solve(&mut x);
        let want = want.unwrap();
        for n in 0..nodes {
            for r in 0..6 {
                assert!((x[n][r] - want[6 * n + r]).abs() < 1e-12, "node {n}, {edges:?}");
            }
        }
        s
    }

    #[test]
    fn chains_trees_loops_and_pairs_named_twice_are_solved_as_a_dense_solver_does() {
        check(1, &[]);
        check(3, &[(0, 1), (2, 1)]);
        check(6, &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)]);
        check(5, &[(4, 0), (0, 3), (3, 4), (1, 2), (2, 1), (1, 4)]);
        check(7, &[(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (6, 2), (3, 6), (4, 5)]);
    }

    #[test]
    fn a_tree_makes_no_fill() {
        let chain: Vec<_> = (1..50).map(|i| (i - 1, i)).collect();
        assert_eq!(check(50, &chain).work(), 49);
        let star: Vec<_> = (1..20).map(|i| (0, i)).collect();
        assert_eq!(check(20, &star).work(), 19);
    }

    #[test]
    fn a_pattern_may_follow_another_one() {
        let mut s = check(6, &[(0, 1), (1, 2), (2, 0), (3, 4)]);
        assert!(s.set_pattern(2, &[(1, 0)], 1));
        (0..2).for_each(|n| s.add_diagonal(n, &(Mat6::identity() * 2.0)));
        s.add_edge(0, &Mat6::identity());
        s.factor().unwrap();
        let mut x = [Vec6::repeat(3.0), Vec6::repeat(3.0)];
        s.solve(&mut x);
        assert!(x.iter().all(|v| (v - Vec6::repeat(1.0)).norm() < 1e-15));
    }

    #[test]
    fn more_work_than_is_allowed_is_not_begun() {
        let all: Vec<_> = (0..6).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
        assert!(!BlockSparse::default().set_pattern(6, &all, 20));
        let full = check(6, &all).work();
        assert!(BlockSparse::default().set_pattern(6, &all, full));
    }

    /// (a b; b a) has the eigenvalues a ± b.
    #[test]
    fn what_is_not_positive_is_told() {
        for (b, positive) in [(0.9, true), (1.1, false)] {
            let mut s = BlockSparse::default();
            assert!(s.set_pattern(2, &[(0, 1)], usize::MAX));
            (0..2).for_each(|n| s.add_diagonal(n, &Mat6::identity()));
            s.add_edge(0, &(Mat6::identity() * b));
            s.factor().unwrap();
            assert_eq!(s.is_positive(), positive);
        }
    }

    #[test]
    fn a_singular_block_is_named() {
        let mut s = BlockSparse::default();
        assert!(s.set_pattern(2, &[], 0));
        s.add_diagonal(0, &Mat6::identity());
        assert_eq!(s.factor(), Err(SingularBlock { node: 1 }));
    }
}
