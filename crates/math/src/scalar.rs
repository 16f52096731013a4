//! `f32` and `f64` as [`Real`] and as what a lane holds.

use crate::lanes::Lanes;
use crate::real::Real;
use crate::trig;
use std::fmt::Debug;
use std::ops::{BitAnd, BitOr, Not};

/// A single number: what a lane holds.
pub trait Scalar: Real<Scalar = Self, Mask = bool> {
    /// The unsigned integer of the same width; all ones is true in a mask.
    type Bits: Copy
        + Debug
        + PartialEq
        + Send
        + Sync
        + BitAnd<Output = Self::Bits>
        + BitOr<Output = Self::Bits>
        + Not<Output = Self::Bits>;
    /// Spacing of the numbers just above 1.
    const EPSILON: Self;
    /// Smallest normal number.
    const TINY: Self;

    /// Nearest number of this precision.
    fn round_from(x: f64) -> Self;
    /// Exact for `f32` and `f64`.
    fn to_f64(self) -> f64;
    /// The bit pattern.
    fn to_bits(self) -> Self::Bits;
    /// From the bit pattern.
    fn from_bits(bits: Self::Bits) -> Self;
    /// All ones, or zero.
    fn bits_of(value: bool) -> Self::Bits;

    /// [`Real::sin`] of lanes.
    fn sin_lanes<const N: usize>(x: Lanes<Self, N>) -> Lanes<Self, N>;
    /// [`Real::cos`] of lanes.
    fn cos_lanes<const N: usize>(x: Lanes<Self, N>) -> Lanes<Self, N>;
    /// [`Real::atan2`] of lanes.
    fn atan2_lanes<const N: usize>(y: Lanes<Self, N>, x: Lanes<Self, N>) -> Lanes<Self, N>;
    /// [`Real::acos`] of lanes.
    fn acos_lanes<const N: usize>(x: Lanes<Self, N>) -> Lanes<Self, N>;
}

/// What `f32` and `f64` spell alike; `$rest` holds floor and trigonometry.
macro_rules! impl_real {
    ($T:ident, { $($rest:item)* }) => {
        impl Real for $T {
            type Scalar = $T;
            type Mask = bool;
            const LANES: usize = 1;

            #[inline(always)]
            fn splat(x: $T) -> Self {
                x
            }
            #[inline(always)]
            fn from_fn(mut f: impl FnMut(usize) -> $T) -> Self {
                f(0)
            }
            #[inline(always)]
            fn lane(self, _: usize) -> $T {
                self
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                <$T>::sqrt(self)
            }
            #[inline(always)]
            fn abs(self) -> Self {
                <$T>::abs(self)
            }
            #[inline(always)]
            fn cmp_lt(self, o: Self) -> bool {
                self < o
            }
            #[inline(always)]
            fn cmp_le(self, o: Self) -> bool {
                self <= o
            }
            #[inline(always)]
            fn cmp_eq(self, o: Self) -> bool {
                self == o
            }
            #[inline(always)]
            fn select(mask: bool, a: Self, b: Self) -> Self {
                if mask { a } else { b }
            }
            $($rest)*
        }
    };
}

impl_real!(f32, {
    /// Exact. Written without `f32::floor`, which is a call on baseline x86-64.
    /// From 2^23 on every number is an integer; below, the cast cuts toward zero.
    #[inline(always)]
    fn floor(self) -> Self {
        let t = (self as i32) as f32;
        let t = if t > self { t - 1.0 } else { t };
        if f32::abs(self) < 8_388_608.0 { t } else { self }
    }
    #[inline(always)]
    fn sin(self) -> Self {
        trig::coact_sin(self)
    }
    #[inline(always)]
    fn cos(self) -> Self {
        trig::coact_cos(self)
    }
    #[inline(always)]
    fn atan2(self, o: Self) -> Self {
        trig::coact_atan2(self, o)
    }
    #[inline(always)]
    fn acos(self) -> Self {
        trig::coact_acos(self)
    }
});

impl_real!(f64, {
    #[inline(always)]
    fn floor(self) -> Self {
        f64::floor(self)
    }
    fn sin(self) -> Self {
        libm::sin(self)
    }
    fn cos(self) -> Self {
        libm::cos(self)
    }
    fn atan2(self, o: Self) -> Self {
        libm::atan2(self, o)
    }
    fn acos(self) -> Self {
        libm::acos(self)
    }
});

macro_rules! impl_scalar {
    ($T:ident, $B:ident, { $($rest:item)* }) => {
        impl Scalar for $T {
            type Bits = $B;
            const EPSILON: Self = <$T>::EPSILON;
            const TINY: Self = <$T>::MIN_POSITIVE;

            #[inline(always)]
            fn round_from(x: f64) -> Self {
                x as $T
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn to_bits(self) -> $B {
                <$T>::to_bits(self)
            }
            #[inline(always)]
            fn from_bits(bits: $B) -> Self {
                <$T>::from_bits(bits)
            }
            #[inline(always)]
            fn bits_of(value: bool) -> $B {
                (value as $B).wrapping_neg()
            }
            $($rest)*
        }
    };
}

impl_scalar!(f32, u32, {
    #[inline(always)]
    fn sin_lanes<const N: usize>(x: Lanes<f32, N>) -> Lanes<f32, N> {
        trig::coact_sin(x)
    }
    #[inline(always)]
    fn cos_lanes<const N: usize>(x: Lanes<f32, N>) -> Lanes<f32, N> {
        trig::coact_cos(x)
    }
    #[inline(always)]
    fn atan2_lanes<const N: usize>(y: Lanes<f32, N>, x: Lanes<f32, N>) -> Lanes<f32, N> {
        trig::coact_atan2(y, x)
    }
    #[inline(always)]
    fn acos_lanes<const N: usize>(x: Lanes<f32, N>) -> Lanes<f32, N> {
        trig::coact_acos(x)
    }
});

impl_scalar!(f64, u64, {
    fn sin_lanes<const N: usize>(x: Lanes<f64, N>) -> Lanes<f64, N> {
        x.map(libm::sin)
    }
    fn cos_lanes<const N: usize>(x: Lanes<f64, N>) -> Lanes<f64, N> {
        x.map(libm::cos)
    }
    fn atan2_lanes<const N: usize>(y: Lanes<f64, N>, x: Lanes<f64, N>) -> Lanes<f64, N> {
        y.zip_map(x, libm::atan2)
    }
    fn acos_lanes<const N: usize>(x: Lanes<f64, N>) -> Lanes<f64, N> {
        x.map(libm::acos)
    }
});
