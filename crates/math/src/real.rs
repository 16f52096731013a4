//! `Real`: the arithmetic that kernels are written in, once for every width.
//!
//! A kernel is a function over `R: Real`. With `R = f32` or `f64` it handles one
//! block; with [`Lanes`](crate::Lanes) it handles one block per lane. No method
//! contracts `a * b + c`, none re-orders, and none branches on data, so a lane
//! computes the same bits as the scalar of its precision.
//!
//! Kernels are `#[inline(always)]` functions down to the last one, so that they take on
//! the vector width of the sweep that calls them. A closure cannot be forced inline:
//! one that is more than an operation or two becomes a call, through memory, at the
//! width of the baseline. And arrays become vectors only at `opt-level = 3`.
//!
//! Left out on purpose: `PartialOrd` (a comparison yields a [`Mask`], one truth
//! value per lane) and `From<f64>` (a literal reads as `R::from_f64(0.5)`).

use crate::scalar::Scalar;
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
    /// `1/self` where the mask is true, 0 elsewhere; divides by 1 there.
    #[inline(always)]
    fn recip_where(self, mask: Self::Mask) -> Self {
        Self::select(mask, Self::select(mask, self, Self::one()).recip(), Self::zero())
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

    /// Sine. `f32`: see [`trig`](crate::trig); `f64`: libm.
    fn sin(self) -> Self;
    /// Cosine. `f32`: see [`trig`](crate::trig); `f64`: libm.
    fn cos(self) -> Self;
    /// Angle of the point (x, y) = (`o`, `self`) in (-pi, pi\]. `f32`: see [`trig`](crate::trig); `f64`: libm.
    fn atan2(self, o: Self) -> Self;
    /// Arc cosine in \[0, pi\]. `f32`: see [`trig`](crate::trig); `f64`: libm.
    fn acos(self) -> Self;
}
