//! LDLᵀ of a symmetric 6×6 block, `f64`: the solve of one rigid body.
//!
//! No pivoting: the blocks are positive definite, inertia over h² plus stiffness.
//! A pivot is singular when it is below the rounding error of the sums that made
//! it, `|dᵢ| ≤ 8 ε (|aᵢᵢ| + Σ lᵢⱼ² |dⱼ|)`. The test does not change when rows and
//! columns are scaled, so metres against radians do not matter.

use crate::types::{Mat6, Vec6};

/// The factors `L` (unit lower, below the diagonal) and `1/D` (on the diagonal).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ldlt6 {
    factors: Mat6,
}

impl Default for Ldlt6 {
    /// The factors of the identity.
    #[inline]
    fn default() -> Self {
        Self { factors: Mat6::identity() }
    }
}

impl Ldlt6 {
    /// Factors `a`, of which the lower triangle is read; `None` if it is singular
    /// to working precision or not finite.
    #[inline]
    pub fn new(a: &Mat6) -> Option<Self> {
        let mut f = Mat6::zeros();
        let mut d = [0.0; 6];
        for j in 0..6 {
            let (mut pivot, mut size) = (a[(j, j)], a[(j, j)].abs());
            for k in 0..j {
                let t = f[(j, k)] * f[(j, k)] * d[k];
                pivot -= t;
                size += t.abs();
            }
            // written so that NaN fails too
            if !(pivot.abs() > 8.0 * f64::EPSILON * size && size.is_finite()) {
                return None;
            }
            d[j] = pivot;
            f[(j, j)] = 1.0 / pivot;
            for i in j + 1..6 {
                let sum: f64 = (0..j).map(|k| f[(i, k)] * f[(j, k)] * d[k]).sum();
                f[(i, j)] = (a[(i, j)] - sum) * f[(j, j)];
            }
        }
        Some(Self { factors: f })
    }

    /// The solution of `A x = b`.
    #[inline]
    pub fn solve(&self, b: &Vec6) -> Vec6 {
        let f = &self.factors;
        let mut x = *b;
        for i in 0..6 {
            for k in 0..i {
                x[i] -= f[(i, k)] * x[k];
            }
        }
        for i in (0..6).rev() {
            x[i] *= f[(i, i)];
            for k in i + 1..6 {
                x[i] -= f[(k, i)] * x[k];
            }
        }
        x
    }

    /// `A⁻¹ B`, column by column.
    #[inline]
    pub fn solve_matrix(&self, b: &Mat6) -> Mat6 {
        let mut x = *b;
        for j in 0..6 {
            let column = self.solve(&b.column(j).into_owned());
            x.set_column(j, &column);
        }
        x
    }

    /// Whether `A` is positive definite.
    #[inline]
    pub fn is_positive(&self) -> bool {
        (0..6).all(|i| self.factors[(i, i)] > 0.0)
    }
}

/// The solution of `A x = b`, `None` if `A` is singular to working precision.
#[inline]
pub fn solve_ldlt6(a: &Mat6, b: &Vec6) -> Option<Vec6> {
    Ldlt6::new(a).map(|f| f.solve(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Lcg;

    fn spd(r: &mut Lcg) -> Mat6 {
        let a = r.mat6();
        a * a.transpose() + Mat6::identity() * 0.05
    }

    #[test]
    fn agrees_with_a_dense_solve() {
        let mut r = Lcg::new(11);
        let mut worst: f64 = 0.0;
        for _ in 0..500 {
            let (a, b) = (spd(&mut r), Vec6::from_fn(|_, _| r.range(-1.0, 1.0)));
            let x = solve_ldlt6(&a, &b).unwrap();
            let dense = a.lu().solve(&b).unwrap();
            assert!((x - dense).norm() < 1e-11 * dense.norm());
            worst = worst.max((a * x - b).norm() / (a.norm() * x.norm() + b.norm()));
            assert!(Ldlt6::new(&a).unwrap().is_positive());
        }
        println!("backward error {worst:.1e}");
        assert!(worst < 5e-16);
    }

    #[test]
    fn singularity_does_not_depend_on_units() {
        let mut r = Lcg::new(12);
        let scale = Mat6::from_diagonal(&Vec6::new(1e-9, 1e-9, 1e-9, 1e7, 1e7, 1e7));
        for _ in 0..100 {
            let a = spd(&mut r);
            assert!(Ldlt6::new(&(scale * a * scale)).is_some());
            // rank 5, all entries exact in binary: the last column repeats the first
            let mut s = a;
            for i in 0..6 {
                s[(i, 5)] = s[(i, 0)];
            }
            for i in 0..6 {
                s[(5, i)] = s[(0, i)];
            }
            assert!(Ldlt6::new(&s).is_none());
            assert!(Ldlt6::new(&(scale * s * scale)).is_none());
        }
        assert!(Ldlt6::new(&Mat6::zeros()).is_none());
        assert!(Ldlt6::new(&(Mat6::identity() * f64::NAN)).is_none());
    }
}
