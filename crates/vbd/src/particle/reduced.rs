//! The nodes of a span with rows: eq. (44b), (44c) of `docs/theory/vbd.md`.
//!
//! A node is a component that rows act on, with its ways and its rigid motions for unknowns, or a free body
//! that they act on, with its six.

#![allow(non_snake_case)]

use std::ops::AddAssign;

use coact_math::{Mat3, Quat, S3, V3, Vec3, exp_so3};

use crate::body::BodyLoad;

use super::span::{Gram, Room, SPAN, least};

/// Translations, then rotations.
pub(super) const MODES: usize = 6;
/// Unknowns of a node: ways, then modes.
pub(super) const DIM: usize = SPAN + MODES;

/// How a place moves with each unknown of a node.
pub(super) type Lever = [V3<f64>; DIM];

/// Force along the unknowns of a node, and curvature. Energies per unit of an unknown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reduced {
    pub(super) A: [[f64; DIM]; DIM],
    pub(super) b: [f64; DIM],
    /// Potential \[J\].
    pub(super) energy: f64,
}

impl Default for Reduced {
    fn default() -> Self {
        Self { A: [[0.0; DIM]; DIM], b: [0.0; DIM], energy: 0.0 }
    }
}

impl AddAssign for Reduced {
    fn add_assign(&mut self, o: Self) {
        add(&mut self.A, &o.A);
        self.b.iter_mut().zip(o.b).for_each(|(b, x)| *b += x);
        self.energy += o.energy;
    }
}

fn add(sum: &mut [[f64; DIM]; DIM], more: &[[f64; DIM]; DIM]) {
    sum.iter_mut().flatten().zip(more.iter().flatten()).for_each(|(a, x)| *a += x);
}

impl Reduced {
    /// eq. (44c): a force `f` with the stiffness `H` at a place that moves by `lever`.
    pub(super) fn feel(&mut self, lever: &Lever, f: V3<f64>, H: S3<f64>) {
        self.b.iter_mut().zip(lever).for_each(|(b, l)| *b += l.dot(f));
        add_product(&mut self.A, lever, H, lever);
    }
}

impl Reduced {
    /// Leaves out ways along which elements, inertia and what has `held` curvature do not curve upwards, the
    /// newest considered first: contacts may, but where they open nothing would end the search. Tells which
    /// are kept.
    fn leave_out(&mut self, count: usize, modes: bool, held: &[[f64; SPAN]; SPAN]) -> [bool; SPAN] {
        let (mut order, modes) = ([0; DIM], if modes { MODES } else { 0 });
        let list = (SPAN..SPAN + modes).chain((0..count).rev());
        order.iter_mut().zip(list).for_each(|(to, i)| *to = i);
        let mut A = self.A;
        A.iter_mut().zip(held).for_each(|(a, more)| a.iter_mut().zip(more).for_each(|(a, m)| *a += m));
        let (mut L, mut y, mut list, mut z) = ([0.0; DIM * DIM], [0.0; DIM], [0; DIM], [0.0; DIM]);
        let mut room = Room { L: &mut L, y: &mut y, kept: &mut list };
        let n = least(A.as_flattened(), &[0.0; DIM], &order[..count + modes], &mut room, &mut z);
        let kept: [bool; SPAN] = std::array::from_fn(|j| list[..n].contains(&j));
        for j in (0..SPAN).filter(|&j| !kept[j]) {
            self.b[j] = 0.0;
            self.A[j] = [0.0; DIM];
            self.A.iter_mut().for_each(|row| row[j] = 0.0);
        }
        kept
    }
}

/// A += Jᵀ H K.
pub(super) fn add_product(A: &mut [[f64; DIM]; DIM], J: &Lever, H: S3<f64>, K: &Lever) {
    let [x, y, z] = [K.map(|k| k.x), K.map(|k| k.y), K.map(|k| k.z)];
    for (row, j) in A.iter_mut().zip(J).filter(|(_, j)| **j != V3::zero()) {
        let along = H * *j;
        (0..DIM).for_each(|i| row[i] += along.x * x[i] + along.y * y[i] + along.z * z[i]);
    }
}

/// Sums of inertia k = m/h² over a component, ρ from its centre.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Moments {
    /// Σ k, Σ k ρ, Σ k ρ ρᵀ.
    k: f64,
    first: V3<f64>,
    second: S3<f64>,
    /// Σ k d, Σ k ρ × d, and the same of each way.
    d: [V3<f64>; 2],
    ways: [[V3<f64>; 2]; SPAN],
}

impl AddAssign for Moments {
    fn add_assign(&mut self, o: Self) {
        self.k += o.k;
        self.first += o.first;
        self.second += o.second;
        let (sums, more) = (self.ways.iter_mut().chain([&mut self.d]), o.ways.iter().chain([&o.d]));
        for (sum, &x) in sums.flatten().zip(more.flatten()) {
            *sum += x;
        }
    }
}

impl Moments {
    /// One more particle, with its displacement and its `ways`.
    pub(super) fn add(&mut self, k: f64, rho: V3<f64>, d: V3<f64>, ways: impl Iterator<Item = V3<f64>>) {
        self.k += k;
        self.first += rho * k;
        self.second.add_outer(k, rho);
        let sums = self.ways.iter_mut().zip(ways).chain([(&mut self.d, d)]);
        sums.for_each(|(sum, p)| {
            sum[0] += p * k;
            sum[1] += rho.cross(p * k);
        });
    }

    /// Translation and rotation vector of the rigid motion with the momentum of the displacements; nothing
    /// where there is no inertia.
    pub(super) fn rigid(&self) -> [V3<f64>; 2] {
        if self.k <= 0.0 {
            return [V3::zero(); 2];
        }
        let (mean, middle) = (self.d[0] * self.k.recip(), self.first * self.k.recip());
        let spin = (self.d[1] - middle.cross(self.d[0])).to_host(0);
        let mut second = self.second;
        second.add_outer(-self.k, middle);
        let inertia = Mat3::identity() * second.trace() - second.to_host(0);
        // what lies on a line does not turn about it
        let turn = inertia.pseudo_inverse(1e-9 * second.trace()).map_or_else(|_| Vec3::zeros(), |i| i * spin);
        let turn = V3::from_host(&turn);
        [mean - turn.cross(middle), turn]
    }

    /// eq. (44b): the modes, and what they share with the first `count` ways.
    fn add_to(&self, r: &mut Reduced, count: usize) {
        let list = |v: &[V3<f64>; 2]| [v[0].x, v[0].y, v[0].z, v[1].x, v[1].y, v[1].z];
        for (m, force) in list(&self.d).into_iter().enumerate() {
            r.b[SPAN + m] = -force;
        }
        for j in 0..count {
            for (m, a) in list(&self.ways[j]).into_iter().enumerate() {
                (r.A[j][SPAN + m], r.A[SPAN + m][j]) = (a, a);
            }
        }
        let (s, spread) = (self.first, self.second.trace());
        let second = self.second.to_host(0);
        // t·(ω × Σ k ρ)
        let cross = [[0.0, s.z, -s.y], [-s.z, 0.0, s.x], [s.y, -s.x, 0.0]];
        for a in 0..3 {
            r.A[SPAN + a][SPAN + a] = self.k;
            for b in 0..3 {
                let diagonal = if a == b { spread } else { 0.0 };
                r.A[SPAN + 3 + a][SPAN + 3 + b] = diagonal - second[(a, b)];
                (r.A[SPAN + a][SPAN + 3 + b], r.A[SPAN + 3 + b][SPAN + a]) = (cross[a][b], cross[a][b]);
            }
        }
    }
}

/// A component or a body in the search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Node {
    /// Where it is, the best place so far, and the step from there.
    pub(super) z: [f64; DIM],
    pub(super) best: [f64; DIM],
    pub(super) step: [f64; DIM],
    /// What elements and inertia give at z = 0.
    pub(super) smooth: Reduced,
    /// The first node of its group; `NONE` = not in the search.
    pub(super) group: u32,
    /// Whether it moves as a whole.
    pub(super) modes: bool,
    /// Ways along which it curves upwards whatever opens.
    kept: [bool; SPAN],
    /// Whether its group has come to the least.
    pub(super) done: bool,
    /// The rotation of the best place, at the end of the search.
    pub(super) turn: Quat,
}

pub(super) const NONE: u32 = u32::MAX;

impl Default for Node {
    fn default() -> Self {
        let o = [0.0; DIM];
        let (smooth, turn) = (Reduced::default(), Quat::identity());
        let kept = [true; SPAN];
        Self { z: o, best: o, step: o, smooth, group: NONE, modes: false, kept, done: true, turn }
    }
}

impl Node {
    /// A component, over the first `count` ways, and over rigid motions where there are `moments`; `held`:
    /// curvature that what never opens adds to that of the ways.
    pub(super) fn component(
        gram: &Gram,
        moments: Option<&Moments>,
        count: usize,
        held: &[[f64; SPAN]; SPAN],
    ) -> Self {
        let mut smooth = Reduced::default();
        for i in 0..count {
            smooth.b[i] = gram.b[i];
            for j in 0..count {
                smooth.A[i][j] = 0.5 * (gram.A[i][j] + gram.A[j][i]);
            }
        }
        if let Some(m) = moments {
            m.add_to(&mut smooth, count);
        }
        let kept = smooth.leave_out(count, moments.is_some(), held);
        Self { smooth, modes: moments.is_some(), kept, group: 0, done: false, ..Self::default() }
    }

    /// A free body, from its inertia.
    pub(super) fn body(load: &BodyLoad) -> Self {
        let (mut smooth, all) = (Reduced::default(), load.matrix());
        for a in 0..MODES {
            let wrench = if a < 3 { load.wrench.lin[a] } else { load.wrench.ang[a - 3] };
            smooth.b[SPAN + a] = wrench;
            (0..MODES).for_each(|b| smooth.A[SPAN + a][SPAN + b] = all[(a, b)]);
        }
        Self { smooth, modes: true, group: 0, done: false, ..Self::default() }
    }

    /// Whether it takes part.
    pub(super) fn searches(&self) -> bool {
        self.group != NONE
    }

    /// How a place at `rho` from its centre moves with the modes, and with its `ways`.
    pub(super) fn lever(&self, rho: V3<f64>, ways: impl Iterator<Item = V3<f64>>) -> Lever {
        let mut lever = [V3::zero(); DIM];
        let kept = ways.zip(self.kept).map(|(way, kept)| if kept { way } else { V3::zero() });
        lever.iter_mut().zip(kept).for_each(|(l, way)| *l = way);
        if self.modes {
            for a in 0..3 {
                let axis = V3::from_host(&Vec3::ith(a, 1.0));
                (lever[SPAN + a], lever[SPAN + 3 + a]) = (axis, axis.cross(rho));
            }
        }
        lever
    }

    /// How far that place is moved, to first order.
    pub(super) fn shift(&self, lever: &Lever) -> V3<f64> {
        lever.iter().zip(&self.z).fold(V3::zero(), |sum, (l, &z)| sum + *l * z)
    }

    /// Translation and rotation vector of its modes.
    pub(super) fn rigid(&self) -> [Vec3; 2] {
        [0, 3].map(|i| Vec3::new(self.z[SPAN + i], self.z[SPAN + i + 1], self.z[SPAN + i + 2]))
    }

    /// Goes to the best place that was found.
    pub(super) fn end(&mut self) {
        self.z = self.best;
        self.turn = exp_so3(&self.rigid()[1]);
    }

    /// eq. (44d), at the end: displacement by the modes at `rho` from the centre, rotations to all orders.
    pub(super) fn moved(&self, rho: V3<f64>) -> V3<f64> {
        let ([t, _], rho) = (self.rigid(), rho.to_host(0));
        V3::from_host(&(t + self.turn * rho - rho))
    }
}
