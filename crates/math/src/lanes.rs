//! `Lanes<T, N>`: N numbers that go through a kernel together.
//!
//! A plain array with element-wise operators, each a loop of known length over
//! `T`. Inside a function with wider vector instructions
//! (`#[target_feature(enable = "avx2")]`) the same source becomes wider code,
//! since everything here is inlined into the caller. A mask is an integer of the
//! lane's width, all ones or zero, so that `select` is three bit operations.
//!
//! Lanes of 64 bytes are AVX-512 registers on x86-64 (`wide.rs`) and may be used on machines that
//! have it only.

// The loops run over several arrays by one index; the compiler sees them best so.
#![allow(clippy::needless_range_loop)]

use crate::real::{Mask, Real};
use crate::scalar::Scalar;
#[cfg(target_arch = "x86_64")]
use crate::wide;
use std::ops::{Add, AddAssign, BitAnd, BitOr, Div, DivAssign, Mul, MulAssign, Neg, Not, Sub, SubAssign};

/// `$wide` where the lanes are one wide register, else what follows.
macro_rules! wide_or {
    ($B:ty, $N:ident, $wide:expr, $plain:block) => {{
        #[cfg(target_arch = "x86_64")]
        if wide::is_wide::<$B, $N>() {
            return $wide;
        }
        $plain
    }};
}

/// N numbers of precision `T`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
pub struct Lanes<T, const N: usize>(pub [T; N]);

/// Eight `f32`: one AVX register.
pub type F32x8 = Lanes<f32, 8>;
/// Sixteen `f32`: one AVX-512 register.
pub type F32x16 = Lanes<f32, 16>;
/// Four `f64`: one AVX register.
pub type F64x4 = Lanes<f64, 4>;
/// Eight `f64`: one AVX-512 register.
pub type F64x8 = Lanes<f64, 8>;

/// Whether this machine may use lanes of 64 bytes ([`F32x16`], [`F64x8`]): with AVX-512, or where
/// they are plain arrays. Ask before the first of them is made.
pub fn wide_lanes_available() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512bw")
    }
    #[cfg(not(target_arch = "x86_64"))]
    true
}

impl<T: Scalar, const N: usize> Lanes<T, N> {
    /// `f` of each lane.
    #[inline(always)]
    pub fn map(self, f: impl Fn(T) -> T) -> Self {
        let mut r = self;
        for i in 0..N {
            r.0[i] = f(self.0[i]);
        }
        r
    }

    /// `f` of each pair of lanes.
    #[inline(always)]
    pub fn zip_map(self, o: Self, f: impl Fn(T, T) -> T) -> Self {
        let mut r = self;
        for i in 0..N {
            r.0[i] = f(self.0[i], o.0[i]);
        }
        r
    }

    /// `f` of each pair of lanes, as a mask.
    #[inline(always)]
    fn compare(self, o: Self, f: impl Fn(T, T) -> bool) -> LaneMask<T::Bits, N> {
        let mut r = [T::bits_of(false); N];
        for i in 0..N {
            r[i] = T::bits_of(f(self.0[i], o.0[i]));
        }
        LaneMask(r)
    }
}

impl<T: Scalar, const N: usize> Default for Lanes<T, N> {
    #[inline(always)]
    fn default() -> Self {
        wide_or!(T, N, Self(wide::splat(T::default())), { Self([T::default(); N]) })
    }
}

/// One truth value per lane: all ones or zero.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
pub struct LaneMask<B, const N: usize>([B; N]);

macro_rules! impl_mask_op {
    ($Op:ident, $op:ident, $wide:ident, $sign:tt) => {
        impl<B: Copy + $Op<Output = B>, const N: usize> $Op for LaneMask<B, N> {
            type Output = Self;
            #[inline(always)]
            fn $op(mut self, o: Self) -> Self {
                wide_or!(B, N, Self(wide::$wide(&self.0, &o.0)), {
                    for i in 0..N {
                        self.0[i] = self.0[i] $sign o.0[i];
                    }
                    self
                })
            }
        }
    };
}
impl_mask_op!(BitAnd, bitand, and, &);
impl_mask_op!(BitOr, bitor, or, |);

impl<B: Copy + Not<Output = B>, const N: usize> Not for LaneMask<B, N> {
    type Output = Self;
    #[inline(always)]
    fn not(mut self) -> Self {
        wide_or!(B, N, Self(wide::not(&self.0)), {
            for i in 0..N {
                self.0[i] = !self.0[i];
            }
            self
        })
    }
}

macro_rules! impl_lane_mask {
    ($B:ident) => {
        impl<const N: usize> Mask for LaneMask<$B, N> {
            #[inline(always)]
            fn splat(value: bool) -> Self {
                Self([(value as $B).wrapping_neg(); N])
            }
            #[inline(always)]
            fn any(self) -> bool {
                self.0.iter().fold(0, |s, b| s | b) != 0
            }
            #[inline(always)]
            fn all(self) -> bool {
                self.0.iter().fold($B::MAX, |s, b| s & b) == $B::MAX
            }
            #[inline(always)]
            fn lane(self, i: usize) -> bool {
                self.0[i] != 0
            }
        }
    };
}
impl_lane_mask!(u32);
impl_lane_mask!(u64);

macro_rules! impl_lane_op {
    ($Op:ident, $op:ident, $OpAssign:ident, $op_assign:ident, $sign:tt, $sign_assign:tt) => {
        impl<T: Scalar, const N: usize> $Op for Lanes<T, N> {
            type Output = Self;
            #[inline(always)]
            fn $op(mut self, o: Self) -> Self {
                wide_or!(T, N, Self(wide::$op(&self.0, &o.0)), {
                    for i in 0..N {
                        self.0[i] $sign_assign o.0[i];
                    }
                    self
                })
            }
        }
        impl<T: Scalar, const N: usize> $OpAssign for Lanes<T, N> {
            #[inline(always)]
            fn $op_assign(&mut self, o: Self) {
                *self = *self $sign o;
            }
        }
    };
}
impl_lane_op!(Add, add, AddAssign, add_assign, +, +=);
impl_lane_op!(Sub, sub, SubAssign, sub_assign, -, -=);
impl_lane_op!(Mul, mul, MulAssign, mul_assign, *, *=);
impl_lane_op!(Div, div, DivAssign, div_assign, /, /=);

impl<T: Scalar, const N: usize> Neg for Lanes<T, N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        wide_or!(T, N, Self(wide::neg(&self.0)), { self.map(|x| -x) })
    }
}

impl<T: Scalar, const N: usize> Real for Lanes<T, N>
where
    LaneMask<T::Bits, N>: Mask,
{
    type Scalar = T;
    type Mask = LaneMask<T::Bits, N>;
    const LANES: usize = N;

    #[inline(always)]
    fn splat(x: T) -> Self {
        wide_or!(T, N, Self(wide::splat(x)), { Self([x; N]) })
    }
    #[inline(always)]
    fn from_fn(mut f: impl FnMut(usize) -> T) -> Self {
        let mut r = [T::default(); N];
        for (i, x) in r.iter_mut().enumerate() {
            *x = f(i);
        }
        Self(r)
    }
    #[inline(always)]
    fn lane(self, i: usize) -> T {
        self.0[i]
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        wide_or!(T, N, Self(wide::sqrt(&self.0)), { self.map(T::sqrt) })
    }
    #[inline(always)]
    fn abs(self) -> Self {
        wide_or!(T, N, Self(wide::abs(&self.0)), { self.map(T::abs) })
    }
    #[inline(always)]
    fn floor(self) -> Self {
        self.map(T::floor)
    }
    #[inline(always)]
    fn cmp_lt(self, o: Self) -> Self::Mask {
        wide_or!(T, N, LaneMask(wide::lt(&self.0, &o.0)), { self.compare(o, T::cmp_lt) })
    }
    #[inline(always)]
    fn cmp_le(self, o: Self) -> Self::Mask {
        wide_or!(T, N, LaneMask(wide::le(&self.0, &o.0)), { self.compare(o, T::cmp_le) })
    }
    #[inline(always)]
    fn cmp_eq(self, o: Self) -> Self::Mask {
        wide_or!(T, N, LaneMask(wide::eq(&self.0, &o.0)), { self.compare(o, T::cmp_eq) })
    }
    #[inline(always)]
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self {
        wide_or!(T, N, Self(wide::select::<T, N>(&mask.0, &a.0, &b.0)), {
            let mut r = a;
            for i in 0..N {
                r.0[i] = T::from_bits((mask.0[i] & a.0[i].to_bits()) | (!mask.0[i] & b.0[i].to_bits()));
            }
            r
        })
    }
    #[inline(always)]
    fn sin(self) -> Self {
        T::sin_lanes(self)
    }
    #[inline(always)]
    fn cos(self) -> Self {
        T::cos_lanes(self)
    }
    #[inline(always)]
    fn atan2(self, o: Self) -> Self {
        T::atan2_lanes(self, o)
    }
    #[inline(always)]
    fn acos(self) -> Self {
        T::acos_lanes(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Lcg;

    /// Every operation of [`Real`] on (a, b), as numbers of one kind.
    fn operations<R: Real>(a: R, b: R) -> Vec<R> {
        let (t, o) = (R::one(), R::zero());
        let mask = |m: R::Mask| R::select(m, t, o);
        let mut sum = a;
        sum += b;
        sum -= a * b;
        sum *= b;
        sum /= a;
        vec![
            a + b,
            a - b,
            a * b,
            a / b,
            -a,
            sum,
            a.abs().sqrt(),
            a.abs(),
            a.floor(),
            a.recip(),
            a.min(b),
            a.max(b),
            a * b + a / b,
            mask(a.cmp_lt(b)),
            mask(a.cmp_le(b)),
            mask(a.cmp_gt(b)),
            mask(a.cmp_ge(b)),
            mask(a.cmp_eq(a)),
            mask(a.cmp_lt(b) & a.cmp_gt(o)),
            mask(a.cmp_lt(b) | a.cmp_gt(o)),
            mask(!a.cmp_lt(b)),
            R::select(a.cmp_lt(b), a, b),
            a.sin(),
            a.cos(),
            a.atan2(b),
            (a / (a.abs() + b.abs())).acos(),
        ]
    }

    fn lanes_equal_scalars<T: Scalar, const N: usize>(seed: u64)
    where
        LaneMask<T::Bits, N>: Mask,
    {
        let mut r = Lcg::new(seed);
        let mut seen = 0;
        for k in 0..20_000 {
            let size = 10f64.powi(k % 9 - 4);
            let mut draw = || T::round_from(r.range(-size, size));
            let (a, b) = (Lanes::<T, N>::from_fn(|_| draw()), Lanes::<T, N>::from_fn(|_| draw()));
            let wide = operations(a, b);
            for i in 0..N {
                for (j, s) in operations(a.lane(i), b.lane(i)).into_iter().enumerate() {
                    assert_eq!(wide[j].lane(i).to_bits(), s.to_bits(), "operation {j} of {a:?}, {b:?}");
                    seen += usize::from(s != T::zero());
                }
            }
        }
        assert!(seen > 100_000);
    }

    #[test]
    fn lanes_equal_scalars_bit_for_bit() {
        lanes_equal_scalars::<f32, 8>(1);
        if wide_lanes_available() {
            lanes_equal_scalars::<f32, 16>(2);
        }
        lanes_equal_scalars::<f64, 4>(3);
        if wide_lanes_available() {
            lanes_equal_scalars::<f64, 8>(4);
        }
        lanes_equal_scalars::<f32, 3>(5);
    }

    #[test]
    fn masks_know_any_and_all() {
        let a = F32x8::from_fn(|i| i as f32);
        let some = a.cmp_lt(F32x8::splat(3.0));
        assert!(some.any() && !some.all() && some.lane(2) && !some.lane(3));
        assert!((some | !some).all() && !(some & !some).any());
        assert_eq!(LaneMask::<u32, 8>::splat(true), some | !some);
        assert!(!<LaneMask<u64, 4> as Mask>::splat(false).lane(1));
    }

    #[test]
    fn floor_is_exact_from_tiny_to_huge() {
        let mut r = Lcg::new(6);
        for k in 0..100_000 {
            let x = r.range(-1.0, 1.0) as f32 * 2f32.powi(k % 60 - 20);
            assert_eq!(Real::floor(x), x.floor());
        }
        for x in [0.0f32, 1.0, -1.0, 8_388_607.5, -8_388_607.5, 8_388_608.0, 1e30, f32::INFINITY] {
            assert_eq!(Real::floor(x), x.floor());
        }
    }

    #[test]
    fn what_is_not_a_number_passes_the_comparison_rules() {
        let nan = f32::NAN;
        assert_eq!(Real::min(nan, 1.0f32), 1.0);
        assert!(Real::min(1.0f32, nan).is_nan());
        assert!(!nan.cmp_lt(1.0) && !nan.cmp_ge(1.0));
    }
}
