//! `S3<R>`: symmetric 3×3 blocks over any [`Real`]: the Hessian of one vertex.
//!
//! The solve is LDLᵀ without pivoting. For the positive definite blocks of a
//! descent it is backward stable, where the adjugate loses the stiff direction once
//! the condition number nears 1/ε (a membrane block of 1e6 in `f32`).
//!
//! ```text
//! H = L D Lᵀ,  d₁ = h₁₁,  l₂₁ = h₁₂/d₁,  d₂ = h₂₂ - l₂₁² d₁,  …
//! ```
//! Pivot `dᵢ` is what is left of `hᵢᵢ` after subtracting `Σ lᵢⱼ² dⱼ`; its rounding
//! error is ε times those terms. So a pivot is zero when
//! `|dᵢ| ≤ 4 ε (|hᵢᵢ| + Σ lᵢⱼ² |dⱼ|)`: scaling the matrix, or one axis of it,
//! changes nothing. A regular but indefinite matrix may be reported singular (zero
//! in the first corner); a vertex then stays where it is.

use crate::m3::M3;
use crate::real::Real;
use crate::types::Mat3;
use crate::v3::V3;
use std::ops::{Add, AddAssign, Mul, Sub};

/// A symmetric 3×3 matrix, or one per lane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct S3<R> {
    /// Entry (0, 0).
    pub xx: R,
    /// Entries (0, 1) and (1, 0).
    pub xy: R,
    /// Entries (0, 2) and (2, 0).
    pub xz: R,
    /// Entry (1, 1).
    pub yy: R,
    /// Entries (1, 2) and (2, 1).
    pub yz: R,
    /// Entry (2, 2).
    pub zz: R,
}

impl<R: Real> S3<R> {
    /// Zero.
    #[inline(always)]
    pub fn zero() -> Self {
        Self::diagonal(R::zero())
    }

    /// `s I`.
    #[inline(always)]
    pub fn diagonal(s: R) -> Self {
        let o = R::zero();
        Self { xx: s, xy: o, xz: o, yy: s, yz: o, zz: s }
    }

    /// `s v vᵀ`.
    #[inline(always)]
    pub fn outer(s: R, v: V3<R>) -> Self {
        let w = v * s;
        Self { xx: w.x * v.x, xy: w.x * v.y, xz: w.x * v.z, yy: w.y * v.y, yz: w.y * v.z, zz: w.z * v.z }
    }

    /// Adds `s v vᵀ`.
    #[inline(always)]
    pub fn add_outer(&mut self, s: R, v: V3<R>) {
        *self += Self::outer(s, v);
    }

    /// Adds `s I`.
    #[inline(always)]
    pub fn add_diagonal(&mut self, s: R) {
        self.xx += s;
        self.yy += s;
        self.zz += s;
    }

    /// Sum of the diagonal.
    #[inline(always)]
    pub fn trace(self) -> R {
        self.xx + self.yy + self.zz
    }

    /// Largest absolute row sum: a bound on the eigenvalues.
    #[inline(always)]
    pub fn max_row_sum(self) -> R {
        let (xy, xz, yz) = (self.xy.abs(), self.xz.abs(), self.yz.abs());
        let (x, y, z) = (self.xx.abs() + xy + xz, self.yy.abs() + xy + yz, self.zz.abs() + xz + yz);
        x.max(y).max(z)
    }

    /// Determinant, by cofactors of the first row.
    #[inline(always)]
    pub fn det(self) -> R {
        let a = self.yy * self.zz - self.yz * self.yz;
        let b = self.xz * self.yz - self.xy * self.zz;
        let c = self.xy * self.yz - self.xz * self.yy;
        self.xx * a + self.xy * b + self.xz * c
    }

    /// Solves `H x = f`: the solution, and where it exists; zero elsewhere. See the
    /// head of the file for the method and the criterion.
    #[inline(always)]
    pub fn solve(self, f: V3<R>) -> (V3<R>, R::Mask) {
        // first column
        let d1 = self.xx;
        let ok1 = regular_pivot(d1, d1.abs());
        let i1 = d1.recip_where(ok1);
        let (l21, l31) = (self.xy * i1, self.xz * i1);
        // second column
        let (c22, c33) = (l21 * self.xy, l31 * self.xz);
        let d2 = self.yy - c22;
        let ok2 = regular_pivot(d2, self.yy.abs() + c22.abs());
        let i2 = d2.recip_where(ok2);
        let u32 = self.yz - l21 * self.xz;
        let l32 = u32 * i2;
        // third column
        let c33b = l32 * u32;
        let d3 = (self.zz - c33) - c33b;
        let ok3 = regular_pivot(d3, self.zz.abs() + c33.abs() + c33b.abs());
        let i3 = d3.recip_where(ok3);
        // L y = f, D z = y, Lᵀ x = z
        let y1 = f.x;
        let y2 = f.y - l21 * y1;
        let y3 = f.z - l31 * y1 - l32 * y2;
        let x3 = y3 * i3;
        let x2 = y2 * i2 - l32 * x3;
        let x1 = y1 * i1 - l21 * x2 - l31 * x3;
        let regular = ok1 & ok2 & ok3;
        (V3::select(regular, V3::new(x1, x2, x3), V3::zero()), regular)
    }

    /// As a full matrix.
    #[inline(always)]
    pub fn to_m3(self) -> M3<R> {
        M3::from_columns(
            V3::new(self.xx, self.xy, self.xz),
            V3::new(self.xy, self.yy, self.yz),
            V3::new(self.xz, self.yz, self.zz),
        )
    }

    /// The upper triangle of a host matrix, rounded, in every lane.
    #[inline(always)]
    pub fn from_host(m: &Mat3) -> Self {
        let e = |i: usize, j: usize| R::from_f64(m[(i, j)]);
        Self { xx: e(0, 0), xy: e(0, 1), xz: e(0, 2), yy: e(1, 1), yz: e(1, 2), zz: e(2, 2) }
    }

    /// Lane `i` as a host matrix; exact.
    #[inline(always)]
    pub fn to_host(self, i: usize) -> Mat3 {
        self.to_m3().to_host(i)
    }

    /// `a` where the mask is true, else `b`.
    #[inline(always)]
    pub fn select(mask: R::Mask, a: Self, b: Self) -> Self {
        Self {
            xx: R::select(mask, a.xx, b.xx),
            xy: R::select(mask, a.xy, b.xy),
            xz: R::select(mask, a.xz, b.xz),
            yy: R::select(mask, a.yy, b.yy),
            yz: R::select(mask, a.yz, b.yz),
            zz: R::select(mask, a.zz, b.zz),
        }
    }
}

/// Whether a pivot exceeds the rounding error of the terms whose sizes sum to `size`.
#[inline(always)]
fn regular_pivot<R: Real>(pivot: R, size: R) -> R::Mask {
    pivot.abs().cmp_gt(R::from_f64(4.0) * R::epsilon() * size)
}

impl<R: Real> Add for S3<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self {
            xx: self.xx + o.xx,
            xy: self.xy + o.xy,
            xz: self.xz + o.xz,
            yy: self.yy + o.yy,
            yz: self.yz + o.yz,
            zz: self.zz + o.zz,
        }
    }
}

impl<R: Real> Sub for S3<R> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self {
            xx: self.xx - o.xx,
            xy: self.xy - o.xy,
            xz: self.xz - o.xz,
            yy: self.yy - o.yy,
            yz: self.yz - o.yz,
            zz: self.zz - o.zz,
        }
    }
}

impl<R: Real> AddAssign for S3<R> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl<R: Real> Mul<R> for S3<R> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: R) -> Self {
        Self {
            xx: self.xx * s,
            xy: self.xy * s,
            xz: self.xz * s,
            yy: self.yy * s,
            yz: self.yz * s,
            zz: self.zz * s,
        }
    }
}

impl<R: Real> Mul<V3<R>> for S3<R> {
    type Output = V3<R>;
    #[inline(always)]
    fn mul(self, v: V3<R>) -> V3<R> {
        V3::new(
            self.xx * v.x + self.xy * v.y + self.xz * v.z,
            self.xy * v.x + self.yy * v.y + self.yz * v.z,
            self.xz * v.x + self.yz * v.y + self.zz * v.z,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::{F32x8, F64x4};
    use crate::real::Mask;
    use crate::sample::Lcg;
    use crate::types::Vec3;

    /// A rotated diag(1, k, k): what a stiff sheet makes of a light vertex.
    fn stiff(r: &mut Lcg, k: f64) -> Mat3 {
        let q = crate::so3::exp_so3(&(r.unit() * r.range(0.0, 3.0))).to_rotation_matrix();
        q.matrix() * Mat3::from_diagonal(&Vec3::new(1.0, k, k)) * q.matrix().transpose()
    }

    /// The product of the solution with the matrix against the right-hand side, over
    /// |H||x| + |f|: stays near ε however stiff the block.
    #[test]
    fn solve_is_backward_stable() {
        let mut r = Lcg::new(51);
        let (mut worst32, mut worst64): (f64, f64) = (0.0, 0.0);
        for k in 0..5000 {
            let h = S3::<f32>::from_host(&stiff(&mut r, 10f64.powi(k % 7))).to_host(0);
            let f = V3::<f32>::from_host(&r.vec()).to_host(0);
            let error = |x: Vec3| (h * x - f).norm() / (h.norm() * x.norm() + f.norm());
            let (x, ok) = S3::<f32>::from_host(&h).solve(V3::from_host(&f));
            worst32 = worst32.max(error(x.to_host(0)));
            let (x, ok64) = S3::<f64>::from_host(&h).solve(V3::from_host(&f));
            worst64 = worst64.max(error(x.to_host(0)));
            assert!(ok && ok64);
        }
        println!("backward error: f32 {worst32:.1e}, f64 {worst64:.1e}");
        assert!(worst32 < 3e-7 && worst64 < 6e-16);
    }

    #[test]
    fn singularity_does_not_depend_on_units() {
        let mut r = Lcg::new(52);
        for k in 0..200 {
            let unit = 10f64.powi(k % 31 - 15);
            let v = r.vec();
            // exact in binary: small integers over 8
            let v = Vec3::new((v.x * 8.0).round() / 8.0, 1.0, (v.z * 8.0).round() / 8.0);
            let f = V3::<f64>::new(1.0, 2.0, 3.0);
            let plane = S3::<f64>::outer(unit, V3::from_host(&v));
            assert_eq!(plane.solve(f), (V3::zero(), false));
            let mut full = plane;
            full.add_diagonal(unit);
            let (x, ok) = full.solve(f);
            assert!(ok && ((full * x) - f).norm() < 1e-13);
        }
        assert_eq!(S3::<f32>::zero().solve(V3::zero()), (V3::zero(), false));
    }

    #[test]
    fn indefinite_blocks_are_solved() {
        let h = S3::<f64>::from_host(&Mat3::new(-3.0, 1.0, 0.5, 1.0, 2.0, 0.1, 0.5, 0.1, -1.0));
        let f = V3::new(1.0, -2.0, 0.5);
        let (x, ok) = h.solve(f);
        assert!(ok && (h * x - f).norm() < 1e-15);
    }

    #[test]
    fn entries_agree_with_the_host() {
        let mut r = Lcg::new(53);
        for _ in 0..100 {
            let (v, a) = (r.vec(), r.mat3());
            let m = a + a.transpose();
            let mut k = S3::<f64>::from_host(&m);
            assert_eq!(k.to_host(0), m);
            assert!((k.det() - m.determinant()).abs() < 1e-14);
            assert!((k.trace() - m.trace()).abs() < 1e-15);
            let rows = (0..3).map(|i| m.row(i).abs().sum()).fold(0.0, f64::max);
            assert!((k.max_row_sum() - rows).abs() < 1e-15);
            k.add_outer(2.0, V3::from_host(&v));
            k.add_diagonal(0.5);
            let host = m + v * v.transpose() * 2.0 + Mat3::identity() * 0.5;
            assert!((k.to_host(0) - host).norm() < 1e-15 * 4.0);
            assert!(((k - k * 2.0 + k).to_host(0)).norm() < 1e-15);
        }
    }

    fn lanes_equal_scalars<R: Real>(seed: u64) {
        let mut r = Lcg::new(seed);
        for _ in 0..500 {
            let blocks: Vec<Mat3> = (0..R::LANES).map(|i| stiff(&mut r, i as f64)).collect();
            let pick = |i: usize, j: usize| R::from_fn(|l| R::Scalar::round_from(blocks[l][(i, j)]));
            let h = S3 {
                xx: pick(0, 0),
                xy: pick(0, 1),
                xz: pick(0, 2),
                yy: pick(1, 1),
                yz: pick(1, 2),
                zz: pick(2, 2),
            };
            let f = V3::from_host(&r.vec());
            let (x, ok) = h.solve(f);
            for (l, block) in blocks.iter().enumerate() {
                let (s, regular) = S3::<R::Scalar>::from_host(block).solve(f.lane(l));
                assert_eq!((x.lane(l), ok.lane(l)), (s, regular));
                assert_eq!(
                    S3::select(ok, h, S3::zero()).det().lane(l),
                    if regular { S3::<R::Scalar>::from_host(block).det() } else { R::Scalar::zero() }
                );
            }
        }
    }

    use crate::scalar::Scalar;

    #[test]
    fn lanes_equal_scalars_also_where_singular() {
        lanes_equal_scalars::<F32x8>(54);
        lanes_equal_scalars::<F64x4>(55);
    }
}
