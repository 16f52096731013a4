//! `Real`: the arithmetic that kernels are written in, once for every width.
//!
//! A kernel is a function over `R: Real`. With `R = f32` or `f64` it handles one
//! block; with [`Lanes`](crate::Lanes) it handles one block per lane. No method
//! contracts `a * b + c`, none re-orders, and none branches on data, so a lane
//! computes the same bits as the scalar of its precision.
//!
//! Left out on purpose: `PartialOrd` (a comparison yields a [`Mask`], one truth
//! value per lane) and `From<f64>` (a literal reads as `R::from_f64(0.5)`).

use crate::lanes::Lanes;
use crate::trig;
use std::fmt::Debug;
use std::ops::{Add, AddAssign, BitAnd, BitOr, Div, DivAssign, Mul, MulAssign, Neg, Not, Sub, SubAssign};

/// One truth value per lane.
pub trait Mask:
    Copy + Debug + PartialEq + Send + Sync + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self>
{
    /// The same value in every lane.
    fn splat(value: bool) -> Self;
    /// Whether some lane is true.
    fn any(self) -> bool;
    /// Whether every lane is true.
    fn all(self) -> bool;
    /// The value of lane `i`.
    fn lane(self, i: usize) -> bool;
}

impl Mask for bool {
    #[inline(always)]
    fn splat(value: bool) -> Self {
        value
    }
    #[inline(always)]
    fn any(self) -> bool {
        self
    }
    #[inline(always)]
    fn all(self) -> bool {
        self
    }
    #[inline(always)]
    fn lane(self, _: usize) -> bool {
        self
    }
}

/// The operators that every [`Real`] has.
pub trait Arithmetic:
    Sized
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
{
}

impl<T> Arithmetic for T where
    T: Sized
        + Add<Output = Self>
        + Sub<Output = Self>
        + Mul<Output = Self>
        + Div<Output = Self>
        + Neg<Output = Self>
        + AddAssign
        + SubAssign
        + MulAssign
        + DivAssign
{
}

/// A number, or one number per lane.
pub trait Real: Arithmetic + Copy + Debug + Default + PartialEq + Send + Sync + 'static {
    /// The type of one lane; `Self` for scalars.
    type Scalar: Scalar;
    /// The result of a comparison.
    type Mask: Mask;
    /// Number of lanes; 1 for scalars.
    const LANES: usize;

    /// The number in every lane.
    fn splat(x: Self::Scalar) -> Self;
    /// Lane by lane.
    fn from_fn(f: impl FnMut(usize) -> Self::Scalar) -> Self;
    /// The value of lane `i`; a scalar ignores `i`.
    fn lane(self, i: usize) -> Self::Scalar;

    /// The literal `x`, rounded to the precision, in every lane.
    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        Self::splat(Self::Scalar::round_from(x))
    }
    /// 0.
    #[inline(always)]
    fn zero() -> Self {
        Self::from_f64(0.0)
    }
    /// 1.
    #[inline(always)]
    fn one() -> Self {
        Self::from_f64(1.0)
    }
    /// Spacing of the numbers just above 1: 1.2e-7 in `f32`, 2.2e-16 in `f64`.
    #[inline(always)]
    fn epsilon() -> Self {
        Self::splat(Self::Scalar::EPSILON)
    }
    /// Smallest normal number: the floor that keeps `0/0` out of padding lanes.
    #[inline(always)]
    fn tiny() -> Self {
        Self::splat(Self::Scalar::TINY)
    }

    /// Square root, correctly rounded.
    fn sqrt(self) -> Self;
    /// Magnitude.
    fn abs(self) -> Self;
    /// Largest integer not above.
    fn floor(self) -> Self;
    /// `1/self`, correctly rounded.
    #[inline(always)]
    fn recip(self) -> Self {
        Self::one() / self
    }
    /// `self` where `self < o`, else `o` (so `o` where `self` is not a number).
    #[inline(always)]
    fn min(self, o: Self) -> Self {
        Self::select(self.cmp_lt(o), self, o)
    }
    /// `self` where `self > o`, else `o` (so `o` where `self` is not a number).
    #[inline(always)]
    fn max(self, o: Self) -> Self {
        Self::select(self.cmp_gt(o), self, o)
    }

    /// `self < o`.
    fn cmp_lt(self, o: Self) -> Self::Mask;
    /// `self <= o`.
    fn cmp_le(self, o: Self) -> Self::Mask;
    /// `self == o`.
    fn cmp_eq(self, o: Self) -> Self::Mask;
    /// `self > o`.
    #[inline(always)]
    fn cmp_gt(self, o: Self) -> Self::Mask {
        o.cmp_lt(self)
    }
    /// `self >= o`.
    #[inline(always)]
    fn cmp_ge(self, o: Self) -> Self::Mask {
        o.cmp_le(self)
    }
    /// `a` where the mask is true, else `b`; both are evaluated.
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self;

    /// Sine. `f32`: see [`trig`]; `f64`: libm.
    fn sin(self) -> Self;
    /// Cosine. `f32`: see [`trig`]; `f64`: libm.
    fn cos(self) -> Self;
    /// Angle of the point (x, y) = (`o`, `self`) in (-pi, pi\]. `f32`: see [`trig`]; `f64`: libm.
    fn atan2(self, o: Self) -> Self;
    /// Arc cosine in \[0, pi\]. `f32`: see [`trig`]; `f64`: libm.
    fn acos(self) -> Self;
}

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
