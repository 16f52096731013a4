//! What the energies promise: the force is minus the gradient, the block is what its
//! file declares, rigid motion makes no force, lanes equal scalars, padding is zero.

mod acceptance;
mod derivatives;
mod invariance;
mod lanes;

use super::*;
use coact_math::{Mat3, Quat, Vec3, exp_so3};

/// Deterministic random numbers: a linear congruential generator, upper bits.
pub(crate) struct Lcg(u64);

impl Lcg {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0xdead_beef)
    }

    pub fn range(&mut self, lo: f64, hi: f64) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        lo + (hi - lo) * ((self.0 >> 11) as f64 / (1u64 << 53) as f64)
    }

    pub fn vec(&mut self) -> Vec3 {
        Vec3::new(self.range(-1.0, 1.0), self.range(-1.0, 1.0), self.range(-1.0, 1.0))
    }

    /// Positions near a pattern, `spread` away at most.
    pub fn near<const N: usize>(&mut self, pattern: &[Vec3; N], spread: f64) -> [Vec3; N] {
        pattern.map(|p| p + self.vec() * spread)
    }

    pub fn rotation(&mut self) -> Quat {
        exp_so3(&(self.vec() * 3.0))
    }
}

pub(super) const TET: [Vec3; 4] =
    [Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 0.0, 1.0)];
pub(super) const TRI: [Vec3; 3] =
    [Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.2, 0.9, 0.0)];
pub(super) const HINGE: [Vec3; 4] =
    [Vec3::new(0.4, -0.8, 0.1), Vec3::new(0.5, 0.9, 0.2), Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0)];

pub(super) const INV_DT: f64 = 60.0;

pub(super) fn kernel<R: Real, const N: usize>(x: &[Vec3; N]) -> [V3<R>; N] {
    x.map(|v| V3::from_host(&v))
}

/// Change of F, of an angle and of a length: the elements whole, as a solver calls them.
pub(super) fn tetrahedron<R: Real>(
    e: &Tetrahedron<R>,
    x: &[V3<R>; 4],
    u: &[V3<R>; 4],
    i: usize,
) -> (Block<R>, Block<R>) {
    let (F, dF, m) = (
        tetrahedron_F(&edges(x), &e.Dm_inv),
        tetrahedron_F(&edges(u), &e.Dm_inv),
        tetrahedron_weights(&e.Dm_inv, i),
    );
    (eval_tetrahedron_elastic(e, &F, &m), eval_tetrahedron_damping(e, &F, &dF, &m, R::from_f64(INV_DT)))
}

pub(super) fn membrane<R: Real>(
    e: &Membrane<R>,
    x: &[V3<R>; 3],
    u: &[V3<R>; 3],
    i: usize,
) -> (Block<R>, Block<R>) {
    let (F, dF, m) =
        (membrane_F(&edges(x), &e.Dm_inv), membrane_F(&edges(u), &e.Dm_inv), membrane_weights(&e.Dm_inv, i));
    (
        eval_membrane_elastic(e, &F, &m, MembraneHessian::Bounded),
        eval_membrane_damping(e, &F, &dF, &m, R::from_f64(INV_DT)),
    )
}

pub(super) fn hinge<R: Real>(h: &Hinge<R>, x: &[V3<R>; 4], u: &[V3<R>; 4], i: usize) -> (Block<R>, Block<R>) {
    let now = eval_hinge_angle(x);
    let start = eval_hinge_angle(&[x[0] - u[0], x[1] - u[1], x[2] - u[2], x[3] - u[3]]);
    let g = now.gradient(i);
    let damping = eval_hinge_damping(h, now.theta, (start.theta, start.regular), g, R::from_f64(INV_DT));
    (eval_hinge_elastic(h, now.theta, g), damping)
}

pub(super) fn spring<R: Real>(s: &Spring<R>, d: V3<R>, dd: V3<R>, h: SpringHessian) -> (Block<R>, Block<R>) {
    (eval_spring_elastic(s, d, h), eval_spring_damping(s, d, dd, R::from_f64(INV_DT)))
}

/// Gradient by central differences of an energy of one vertex.
pub(super) fn difference(x: &Vec3, energy: impl Fn(&Vec3) -> f64) -> Vec3 {
    let h = 1e-5;
    Vec3::from_fn(|i, _| {
        let d = Vec3::ith(i, h);
        (energy(&(x + d)) - energy(&(x - d))) / (2.0 * h)
    })
}

/// Jacobian by central differences of a vector function of one vertex.
pub(super) fn jacobian(x: &Vec3, f: impl Fn(&Vec3) -> Vec3) -> Mat3 {
    let h = 1e-5;
    let column = |i: usize| (f(&(x + Vec3::ith(i, h))) - f(&(x - Vec3::ith(i, h)))) / (2.0 * h);
    Mat3::from_columns(&[column(0), column(1), column(2)])
}

/// `x` with vertex `i` at `v`.
pub(super) fn moved<const N: usize>(x: &[Vec3; N], i: usize, v: &Vec3) -> [Vec3; N] {
    let mut y = *x;
    y[i] = *v;
    y
}

pub(super) fn minus<const N: usize>(x: &[Vec3; N], y: &[Vec3; N]) -> [Vec3; N] {
    std::array::from_fn(|k| x[k] - y[k])
}
