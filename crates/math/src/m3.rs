//! `M3<R>` and `M2<R>`: small square matrices over any [`Real`], for kernels.
//!
//! Symmetric blocks have their own type, [`S3`](crate::S3): six numbers, not nine.
//! The inverse reports singularity by a mask and a criterion without units.

use crate::real::Real;
use crate::types::Mat3;
use crate::v3::V3;
use std::ops::{Add, Mul, Sub};

/// A 3×3 matrix by columns, as in WGSL.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct M3<R> {
    /// First column.
    pub x: V3<R>,
    /// Second column.
    pub y: V3<R>,
    /// Third column.
    pub z: V3<R>,
}

impl<R: Real> M3<R> {
    /// From columns.
    #[inline(always)]
    pub fn from_columns(x: V3<R>, y: V3<R>, z: V3<R>) -> Self {
        Self { x, y, z }
    }

    /// Zero.
    #[inline(always)]
    pub fn zero() -> Self {
        Self::from_columns(V3::zero(), V3::zero(), V3::zero())
    }

    /// `s I`.
    #[inline(always)]
    pub fn diagonal(s: R) -> Self {
        let o = R::zero();
        Self::from_columns(V3::new(s, o, o), V3::new(o, s, o), V3::new(o, o, s))
    }

    /// `a bᵀ`.
    #[inline(always)]
    pub fn outer(a: V3<R>, b: V3<R>) -> Self {
        Self::from_columns(a * b.x, a * b.y, a * b.z)
    }

    /// `[v]×`, so that `skew(v) w = v × w`.
    #[inline(always)]
    pub fn skew(v: V3<R>) -> Self {
        let o = R::zero();
        Self::from_columns(V3::new(o, v.z, -v.y), V3::new(-v.z, o, v.x), V3::new(v.y, -v.x, o))
    }

    /// A host matrix, rounded, in every lane.
    #[inline(always)]
    pub fn from_host(m: &Mat3) -> Self {
        let col = |j: usize| V3::from_host(&m.column(j).into_owned());
        Self::from_columns(col(0), col(1), col(2))
    }

    /// Lane `i` as a host matrix; exact.
    #[inline(always)]
    pub fn to_host(self, i: usize) -> Mat3 {
        Mat3::from_columns(&[self.x.to_host(i), self.y.to_host(i), self.z.to_host(i)])
    }

    /// The transpose.
    #[inline(always)]
    pub fn transpose(self) -> Self {
        let Self { x, y, z } = self;
        Self::from_columns(V3::new(x.x, y.x, z.x), V3::new(x.y, y.y, z.y), V3::new(x.z, y.z, z.z))
    }

    /// `Mᵀ v`.
    #[inline(always)]
    pub fn tr_mul_vec(self, v: V3<R>) -> V3<R> {
        V3::new(self.x.dot(v), self.y.dot(v), self.z.dot(v))
    }

    /// Matrix of cofactors, `det(M) M⁻ᵀ`: columns y×z, z×x, x×y.
    #[inline(always)]
    pub fn cofactor(self) -> Self {
        Self::from_columns(self.y.cross(self.z), self.z.cross(self.x), self.x.cross(self.y))
    }

    /// Determinant.
    #[inline(always)]
    pub fn det(self) -> R {
        self.x.dot(self.y.cross(self.z))
    }

    /// The inverse, and where it exists; zero elsewhere. Regular means
    /// `|det| > 8 ε |x| |y| |z|`: the volume of the columns against that of a box
    /// with their lengths, which no unit changes.
    #[inline(always)]
    pub fn inverse(self) -> (Self, R::Mask) {
        let cof = self.cofactor();
        let det = self.x.dot(cof.x);
        let size = self.x.norm() * self.y.norm() * self.z.norm();
        let regular = det.abs().cmp_gt(R::from_f64(8.0) * R::epsilon() * size);
        (cof.transpose() * det.recip_where(regular), regular)
    }
}

impl<R: Real> Add for M3<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self::from_columns(self.x + o.x, self.y + o.y, self.z + o.z)
    }
}

impl<R: Real> Sub for M3<R> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self::from_columns(self.x - o.x, self.y - o.y, self.z - o.z)
    }
}

impl<R: Real> Mul<R> for M3<R> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: R) -> Self {
        Self::from_columns(self.x * s, self.y * s, self.z * s)
    }
}

impl<R: Real> Mul<V3<R>> for M3<R> {
    type Output = V3<R>;
    #[inline(always)]
    fn mul(self, v: V3<R>) -> V3<R> {
        self.x * v.x + self.y * v.y + self.z * v.z
    }
}

impl<R: Real> Mul for M3<R> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Self::from_columns(self * o.x, self * o.y, self * o.z)
    }
}

/// A 2×2 matrix by rows: `xy` is row x, column y.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct M2<R> {
    /// Row 0, column 0.
    pub xx: R,
    /// Row 0, column 1.
    pub xy: R,
    /// Row 1, column 0.
    pub yx: R,
    /// Row 1, column 1.
    pub yy: R,
}

impl<R: Real> M2<R> {
    /// By rows.
    #[inline(always)]
    pub fn new(xx: R, xy: R, yx: R, yy: R) -> Self {
        Self { xx, xy, yx, yy }
    }

    /// Determinant.
    #[inline(always)]
    pub fn det(self) -> R {
        self.xx * self.yy - self.xy * self.yx
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::F64x4;
    use crate::sample::Lcg;

    fn kernel(m: &Mat3) -> M3<f64> {
        M3::from_host(m)
    }

    #[test]
    fn products_agree_with_the_host() {
        let mut r = Lcg::new(41);
        for _ in 0..200 {
            let (a, b, v, w) = (r.mat3(), r.mat3(), r.vec(), r.vec());
            let (ka, kb) = (kernel(&a), kernel(&b));
            let (kv, kw) = (V3::<f64>::from_host(&v), V3::<f64>::from_host(&w));
            let near = |k: M3<f64>, h: Mat3| assert!((k.to_host(0) - h).norm() < 1e-14);
            near(ka * kb, a * b);
            near(ka + kb, a + b);
            near(ka - kb, a - b);
            near(ka * 3.0, a * 3.0);
            near(ka.transpose(), a.transpose());
            near(M3::outer(kv, kw), v * w.transpose());
            near(M3::skew(kv), crate::so3::skew(&v));
            near(M3::diagonal(2.0), Mat3::identity() * 2.0);
            assert!(((ka * kv).to_host(0) - a * v).norm() < 1e-14);
            assert!((ka.tr_mul_vec(kv).to_host(0) - a.transpose() * v).norm() < 1e-14);
            assert!((kv.cross(kw).to_host(0) - v.cross(&w)).norm() < 1e-15);
            assert!((kv.dot(kw) - v.dot(&w)).abs() < 1e-15 && (kv.norm() - v.norm()).abs() < 1e-15);
            assert!((ka.det() - a.determinant()).abs() < 1e-14);
        }
    }

    #[test]
    fn inverse_inverts_whatever_the_unit() {
        let mut r = Lcg::new(42);
        for k in 0..300 {
            let m = (r.mat3() + Mat3::identity() * 2.0) * 10f64.powi(k % 41 - 20);
            let (inv, ok) = kernel(&m).inverse();
            assert!(ok);
            assert!((inv.to_host(0) * m - Mat3::identity()).norm() < 1e-13);
        }
    }

    #[test]
    fn singular_lanes_are_masked_and_stay_finite() {
        let flat = Mat3::new(1.0, 2.0, 3.0, 0.5, 1.0, 1.5, 7.0, 1.0, 0.0);
        let pick = |i: usize| [Mat3::identity(), flat * 1e-9, Mat3::zeros(), flat * 1e9][i];
        let column = |j: usize| V3::<F64x4>::from_fn(|i| V3::from_host(&pick(i).column(j).into_owned()));
        let (inv, ok) = M3::from_columns(column(0), column(1), column(2)).inverse();
        let regular: Vec<bool> = (0..4).map(|i| crate::Mask::lane(ok, i)).collect();
        assert_eq!(regular, [true, false, false, false]);
        assert_eq!(inv.to_host(0), Mat3::identity());
        assert_eq!(inv.to_host(3), Mat3::zeros());
    }

    #[test]
    fn two_by_two_determinant() {
        assert_eq!(M2::new(1.0, 2.0, 3.0, 4.0).det(), -2.0);
    }
}
