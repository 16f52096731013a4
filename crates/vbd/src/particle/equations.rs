//! The equations of a group of nodes, eq. (44c) of `docs/theory/vbd.md`: dense over all unknowns of a small one,
//! by block elimination over the rigid motions of a large one.

#![allow(non_snake_case)]

use coact_math::{BlockSparse, Mat6, Vec6};

use super::reduced::{DIM, MODES, Node, Reduced};
use super::span::{Room, SPAN, least};
use super::system::{Coupling, hold};

/// Potential and force along all unknowns of a group, and the step that they lead to. Shape: \[nodes × `DIM`\].
#[derive(Clone, Debug, Default)]
pub(super) struct Forces {
    pub(super) energy: f64,
    pub(super) b: Vec<f64>,
    pub(super) step: Vec<f64>,
}

impl Forces {
    pub(super) fn reserve(&mut self, n: usize) {
        [&mut self.b, &mut self.step].into_iter().for_each(|v| hold(v, n));
    }

    /// At the place of the search.
    pub(super) fn gather(&mut self, of: Members) {
        self.b.clear();
        self.energy = 0.0;
        for (node, r) in of.each() {
            self.energy += r.energy;
            for a in 0..DIM {
                let along: f64 = node.smooth.A[a].iter().zip(&node.z).map(|(s, z)| s * z).sum();
                self.b.push(node.smooth.b[a] + r.b[a] - along);
                self.energy += node.z[a] * (0.5 * along - node.smooth.b[a]);
            }
        }
        self.step.clear();
        self.step.resize(self.b.len(), 0.0);
    }

    /// The slope along the steps of all nodes.
    pub(super) fn slope(&self, of: Members) -> f64 {
        let steps = of.each().flat_map(|(node, _)| &node.step);
        self.b.iter().zip(steps).map(|(b, s)| b * s).sum()
    }
}

/// The equations of one group after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Equations {
    pub(super) forces: Forces,
    dense: Dense,
    /// Of groups that are too large for dense ones.
    pub(super) wholes: Vec<Whole>,
}

impl Equations {
    pub(super) fn reserve(&mut self, n: usize) {
        self.forces.reserve(n);
        self.dense.reserve(n);
    }

    /// The Newton step from the forces that were gathered.
    pub(super) fn solve(&mut self, whole: Option<u32>, of: Members) {
        match whole {
            Some(w) => self.wholes[w as usize].solve(of, &mut self.forces),
            None => self.dense.solve(of, &mut self.forces),
        }
    }
}

/// All unknowns.
#[derive(Clone, Debug, Default)]
struct Dense {
    A: Vec<f64>,
    /// Unknowns that the search uses, modes before ways.
    order: Vec<usize>,
    L: Vec<f64>,
    y: Vec<f64>,
    kept: Vec<usize>,
}

impl Dense {
    fn reserve(&mut self, n: usize) {
        [&mut self.A, &mut self.L].into_iter().for_each(|v| hold(v, n * n));
        hold(&mut self.y, n);
        [&mut self.order, &mut self.kept].into_iter().for_each(|v| hold(v, n));
    }

    /// The Newton step.
    fn solve(&mut self, of: Members, forces: &mut Forces) {
        self.fill(of);
        let n = forces.b.len();
        self.order.clear();
        let all = |part: std::ops::Range<usize>| (0..n).filter(move |i| part.contains(&(i % DIM)));
        self.order.extend(all(SPAN..DIM).chain(all(0..SPAN).rev()));
        self.L.resize(n * n, 0.0);
        self.y.resize(n, 0.0);
        self.kept.resize(n, 0);
        let mut room = Room { L: &mut self.L, y: &mut self.y, kept: &mut self.kept };
        least(&self.A, &forces.b, &self.order, &mut room, &mut forces.step);
    }

    fn fill(&mut self, of: Members) {
        let n = of.order.len() * DIM;
        self.A.clear();
        self.A.resize(n * n, 0.0);
        for (k, (node, r)) in of.each().enumerate() {
            for (a, (smooth, r)) in node.smooth.A.iter().zip(&r.A).enumerate() {
                let row = &mut self.A[(k * DIM + a) * n + k * DIM..][..DIM];
                row.iter_mut().zip(smooth.iter().zip(r)).for_each(|(x, (s, r))| *x = s + r);
            }
        }
        for ([i, j], c) in of.between() {
            for a in 0..DIM {
                for b in 0..DIM {
                    self.A[(i * DIM + a) * n + j * DIM + b] = c.A[a][b];
                    self.A[(j * DIM + b) * n + i * DIM + a] = c.A[a][b];
                }
            }
        }
    }
}

/// Rigid motions only, of a group of which all ways would be too many. A body of another group that is moved
/// alone would not give to others what it takes; ways are left to sweeps.
#[derive(Clone, Debug, Default)]
pub(super) struct Whole {
    system: BlockSparse,
    edges: Vec<(u32, u32)>,
    step: Vec<Vec6>,
}

impl Whole {
    /// Takes over which nodes of a group are coupled.
    pub(super) fn connect(&mut self, of: Members) {
        let edges = of.between().map(|([i, j], _)| (i as u32, j as u32));
        if self.system.len() == of.order.len() && edges.clone().eq(self.edges.iter().copied()) {
            return;
        }
        self.edges.clear();
        self.edges.extend(edges);
        self.system.set_pattern(of.order.len(), &self.edges, usize::MAX);
    }

    /// The Newton step; none where the equations are singular.
    fn solve(&mut self, of: Members, forces: &mut Forces) {
        self.system.clear();
        self.step.clear();
        for (k, (node, r)) in of.each().enumerate() {
            let own = modes(&node.smooth.A) + modes(&r.A);
            self.system.add_diagonal(k, &if node.modes { own } else { Mat6::identity() });
            let pull = Vec6::from_column_slice(&forces.b[k * DIM + SPAN..][..MODES]);
            self.step.push(if node.modes { pull } else { Vec6::zeros() });
        }
        for (e, (_, c)) in of.between().enumerate() {
            self.system.add_edge(e, &modes(&c.A));
        }
        if self.system.factor().is_err() {
            return;
        }
        self.system.solve(&mut self.step);
        for (to, step) in forces.step.chunks_mut(DIM).zip(&self.step) {
            to[SPAN..].copy_from_slice(step.as_slice());
        }
    }
}

fn modes(A: &[[f64; DIM]; DIM]) -> Mat6 {
    Mat6::from_fn(|i, j| A[SPAN + i][SPAN + j])
}

/// The nodes of a group, and what couples them.
#[derive(Clone, Copy)]
pub(super) struct Members<'a> {
    /// Numbers of its nodes, ascending.
    pub(super) order: &'a [u32],
    pub(super) nodes: &'a [Node],
    /// What rows give to all nodes.
    pub(super) rows: &'a [Reduced],
    /// Places of its couplings among all.
    pub(super) edges: &'a [u32],
    pub(super) couplings: &'a [Coupling],
}

impl<'a> Members<'a> {
    fn each(self) -> impl Iterator<Item = (&'a Node, &'a Reduced)> {
        self.order.iter().map(move |&i| (&self.nodes[i as usize], &self.rows[i as usize]))
    }

    /// What couples two nodes, with their places in `order`.
    fn between(self) -> impl Iterator<Item = ([usize; 2], &'a Coupling)> + Clone {
        let place = move |node: u32| self.order.binary_search(&node).ok();
        self.edges.iter().filter_map(move |&e| {
            let c = &self.couplings[e as usize];
            Some(([place(c.nodes[0])?, place(c.nodes[1])?], c))
        })
    }
}
