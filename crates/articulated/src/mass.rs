//! The mass matrix of a tree by composite bodies, and its factors.
//!
//! Theory: `docs/theory/articulated.md` eq. (8)-(10).

use coact_math::{Mat3, Spatial, Vec3, cholesky, skew};

use crate::kinematics::Kinematics;
use crate::layout::{Layout, Tree};

/// A subtree frozen to one body.
#[derive(Clone, Copy, Debug)]
struct Composite {
    mass: f64,
    com: Vec3,
    inertia: Mat3,
}

impl Composite {
    /// Two bodies as one: the reduced mass carries the distance of their centres.
    fn join(&self, o: &Self) -> Self {
        let mass = self.mass + o.mass;
        let d = skew(&(o.com - self.com));
        let com = self.com + (o.com - self.com) * (o.mass / mass);
        Self { mass, com, inertia: self.inertia + o.inertia - d * d * (self.mass * o.mass / mass) }
    }
}

/// Mass matrices of all trees, dense per tree, armature included.
#[derive(Clone, Debug, Default)]
pub(crate) struct MassMatrix {
    /// Entries, row-major per tree.
    pub values: Vec<f64>,
    /// Cholesky factors of `values`.
    pub factor: Vec<f64>,
    composite: Vec<Composite>,
}

impl MassMatrix {
    pub fn new(layout: &Layout) -> Self {
        let zero = Composite { mass: 0.0, com: Vec3::zeros(), inertia: Mat3::zeros() };
        Self {
            values: vec![0.0; layout.matrix_len],
            factor: vec![0.0; layout.matrix_len],
            composite: vec![zero; layout.links.len()],
        }
    }

    /// Assembles and factors the matrix of one tree: eq. (8), (9). Returns how many
    /// freedoms have no mass.
    pub fn eval(&mut self, layout: &Layout, tree: &Tree, kin: &Kinematics) -> usize {
        self.eval_composites(layout, tree, kin);
        let (n, first) = (tree.n(), tree.dofs.start);
        let m = &mut self.values[tree.block()];
        m.fill(0.0);
        for i in tree.links.clone() {
            let c = self.composite[i];
            for k in layout.links[i].dofs.clone() {
                let momentum = unit_momentum(kin, k, &c);
                kin.each_moving(layout, i, |j| {
                    let entry = kin.column(j, &c.com).dot(&momentum);
                    m[(k - first) * n + (j - first)] = entry;
                    m[(j - first) * n + (k - first)] = entry;
                });
            }
        }
        for (k, dof) in layout.dofs[tree.dofs.clone()].iter().enumerate() {
            m[k * n + k] += dof.armature;
        }
        self.factor[tree.block()].copy_from_slice(&self.values[tree.block()]);
        cholesky::factor(&mut self.factor[tree.block()], n)
    }

    fn eval_composites(&mut self, layout: &Layout, tree: &Tree, kin: &Kinematics) {
        for i in tree.links.clone() {
            let (mass, com, inertia) = (layout.links[i].mass, kin.com[i], kin.inertia[i]);
            self.composite[i] = Composite { mass, com, inertia };
        }
        for i in tree.links.clone().rev() {
            if let Some(p) = layout.links[i].parent {
                self.composite[p] = self.composite[p].join(&self.composite[i]);
            }
        }
    }
}

/// Momentum of the composite body, about its centre, when freedom `k` moves at unit rate.
fn unit_momentum(kin: &Kinematics, k: usize, c: &Composite) -> Spatial {
    let v = kin.column(k, &c.com);
    Spatial::new(v.lin * c.mass, c.inertia * v.ang)
}

/// `out = m x` for a dense square matrix.
pub(crate) fn multiply(m: &[f64], x: &[f64], out: &mut [f64]) {
    for (row, o) in m.chunks_exact(x.len().max(1)).zip(out) {
        *o = row.iter().zip(x).map(|(a, b)| a * b).sum();
    }
}
