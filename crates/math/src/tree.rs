//! Block elimination on a forest of 6×6 blocks: chains and trees of rigid bodies.
//!
//! The symmetric system has one block row per node and one off-diagonal pair per
//! edge to the parent. Eliminating children before parents makes no fill:
//!
//! ```text
//! Gᵢ = Dᵢ⁻¹ Aᵢₚ,   Dₚ ← Dₚ - Aᵢₚᵀ Gᵢ,   bₚ ← bₚ - Gᵢᵀ bᵢ     (up the tree)
//! xᵢ = Dᵢ⁻¹ bᵢ - Gᵢ xₚ                                         (down the tree)
//! ```
//! with Dᵢ the block after its own children went. Cost: O(nodes).

use crate::ldlt6::Ldlt6;
use crate::types::{Mat6, Vec6};

/// The parent of a root.
pub const NO_PARENT: usize = usize::MAX;

/// A symmetric system on a forest. Fill `diagonal` and `coupling`, then
/// [`factor`](Self::factor), then [`solve`](Self::solve) any number of right-hand
/// sides. Nothing allocates after [`new`](Self::new).
#[derive(Clone, Debug)]
pub struct BlockTree {
    parent: Vec<usize>,
    /// Children before parents.
    order: Vec<usize>,
    /// Diagonal block of each node. Shape: \[nodes\].
    pub diagonal: Vec<Mat6>,
    /// Block (node, parent) of each node, ignored for roots. Shape: \[nodes\].
    pub coupling: Vec<Mat6>,
    reduced: Vec<Mat6>,
    factors: Vec<Ldlt6>,
    gains: Vec<Mat6>,
}

/// What is wrong with a [`BlockTree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeError {
    /// The parents of this node lead in a circle or out of range.
    NotATree {
        /// The node.
        node: usize,
    },
    /// The block of this node is singular after its subtree is eliminated.
    Singular {
        /// The node.
        node: usize,
    },
}

impl std::fmt::Display for TreeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotATree { node } => write!(f, "the parents of node {node} do not lead to a root"),
            Self::Singular { node } => write!(f, "the block of node {node} is singular"),
        }
    }
}

impl std::error::Error for TreeError {}

impl BlockTree {
    /// A zero system; `parents[i]` is the parent of node `i` or [`NO_PARENT`]. Nodes
    /// may come in any order.
    pub fn new(parents: &[usize]) -> Result<Self, TreeError> {
        let n = parents.len();
        let mut depth = vec![0usize; n];
        for (node, depth) in depth.iter_mut().enumerate() {
            let mut ancestor = parents[node];
            while ancestor != NO_PARENT {
                *depth += 1;
                if ancestor >= n || *depth >= n {
                    return Err(TreeError::NotATree { node });
                }
                ancestor = parents[ancestor];
            }
        }
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|&i| std::cmp::Reverse((depth[i], i)));
        Ok(Self {
            parent: parents.to_vec(),
            order,
            diagonal: vec![Mat6::zeros(); n],
            coupling: vec![Mat6::zeros(); n],
            reduced: vec![Mat6::zeros(); n],
            factors: vec![Ldlt6::default(); n],
            gains: vec![Mat6::zeros(); n],
        })
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.parent.len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.parent.is_empty()
    }

    /// Sets all blocks to zero.
    pub fn clear(&mut self) {
        self.diagonal.fill(Mat6::zeros());
        self.coupling.fill(Mat6::zeros());
    }

    /// Eliminates, leaves first.
    pub fn factor(&mut self) -> Result<(), TreeError> {
        self.reduced.copy_from_slice(&self.diagonal);
        for &i in &self.order {
            let factors = Ldlt6::new(&self.reduced[i]).ok_or(TreeError::Singular { node: i })?;
            self.factors[i] = factors;
            let p = self.parent[i];
            if p != NO_PARENT {
                self.gains[i] = factors.solve_matrix(&self.coupling[i]);
                self.reduced[p] -= self.coupling[i].transpose() * self.gains[i];
            }
        }
        Ok(())
    }

    /// Replaces the right-hand side `b` by the solution. Shape: \[nodes\].
    /// Needs [`factor`](Self::factor) before.
    pub fn solve(&self, b: &mut [Vec6]) {
        debug_assert_eq!(b.len(), self.len());
        for &i in &self.order {
            let p = self.parent[i];
            if p != NO_PARENT {
                let up = self.gains[i].transpose() * b[i];
                b[p] -= up;
            }
        }
        for &i in self.order.iter().rev() {
            let p = self.parent[i];
            b[i] = self.factors[i].solve(&b[i]);
            if p != NO_PARENT {
                let down = self.gains[i] * b[p];
                b[i] -= down;
            }
        }
    }
}

/// Solves one system once: see [`BlockTree`] for the arguments.
pub fn solve_tree(
    parents: &[usize],
    diagonal: &[Mat6],
    coupling: &[Mat6],
    b: &mut [Vec6],
) -> Result<(), TreeError> {
    let mut tree = BlockTree::new(parents)?;
    tree.diagonal.copy_from_slice(diagonal);
    tree.coupling.copy_from_slice(coupling);
    tree.factor()?;
    tree.solve(b);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Lcg;
    use nalgebra::{DMatrix, DVector};

    /// A forest whose dense matrix is positive definite, and that matrix.
    fn random_system(parents: &[usize], r: &mut Lcg) -> (BlockTree, DMatrix<f64>) {
        let n = parents.len();
        let mut tree = BlockTree::new(parents).unwrap();
        for (i, &p) in parents.iter().enumerate() {
            tree.diagonal[i] += Mat6::identity() * 0.1;
            if p != NO_PARENT {
                // a spring between node and parent: [J K]ᵀ[J K]
                let (j, k) = (r.mat6(), r.mat6());
                tree.diagonal[i] += j.transpose() * j;
                tree.diagonal[p] += k.transpose() * k;
                tree.coupling[i] = j.transpose() * k;
            }
        }
        let mut dense = DMatrix::zeros(6 * n, 6 * n);
        for (i, &p) in parents.iter().enumerate() {
            dense.view_mut((6 * i, 6 * i), (6, 6)).copy_from(&tree.diagonal[i]);
            if p != NO_PARENT {
                dense.view_mut((6 * i, 6 * p), (6, 6)).copy_from(&tree.coupling[i]);
                dense.view_mut((6 * p, 6 * i), (6, 6)).copy_from(&tree.coupling[i].transpose());
            }
        }
        (tree, dense)
    }

    fn check(parents: &[usize], seed: u64) {
        let mut r = Lcg::new(seed);
        let (mut tree, dense) = random_system(parents, &mut r);
        let b: Vec<Vec6> = parents.iter().map(|_| Vec6::from_fn(|_, _| r.range(-1.0, 1.0))).collect();
        let flat = DVector::from_iterator(6 * b.len(), b.iter().flat_map(|v| v.iter().copied()));
        let exact = dense.lu().solve(&flat).unwrap();
        tree.factor().unwrap();
        let mut x = b.clone();
        tree.solve(&mut x);
        let mut once = b;
        solve_tree(parents, &tree.diagonal, &tree.coupling, &mut once).unwrap();
        assert_eq!(x, once);
        for (i, v) in x.iter().enumerate() {
            assert!((v - exact.rows(6 * i, 6)).norm() < 1e-11 * exact.norm(), "node {i}");
        }
        assert!(exact.norm() > 0.1);
    }

    #[test]
    fn chain_agrees_with_a_dense_solve() {
        check(&[NO_PARENT, 0, 1, 2, 3, 4, 5, 6, 7, 8], 31);
    }

    #[test]
    fn trees_agree_with_a_dense_solve_in_any_order() {
        check(&[3, 3, 0, NO_PARENT, 0, 1, 5, NO_PARENT, 7, 7], 32);
        let mut r = Lcg::new(33);
        for seed in 0..10 {
            // reversed: parents come after children
            let mut parents: Vec<usize> =
                (0..12).map(|i| r.range(f64::from(i) + 1.0, 12.99) as usize).collect();
            parents.push(NO_PARENT);
            check(&parents, 100 + seed);
        }
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        assert_eq!(BlockTree::new(&[1, 0]).unwrap_err(), TreeError::NotATree { node: 0 });
        assert_eq!(BlockTree::new(&[NO_PARENT, 7]).unwrap_err(), TreeError::NotATree { node: 1 });
        assert_eq!(BlockTree::new(&[0]).unwrap_err(), TreeError::NotATree { node: 0 });
        let mut zero = BlockTree::new(&[NO_PARENT]).unwrap();
        assert_eq!(zero.factor().unwrap_err(), TreeError::Singular { node: 0 });
        assert!(BlockTree::new(&[]).unwrap().is_empty());
    }
}
