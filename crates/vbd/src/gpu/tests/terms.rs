//! A number with the sum of the magnitudes of the terms that it was made of.
//!
//! The value is that of `f32`, to the bit; the sum follows each operation: products of
//! sums for products, sums for sums, amplification for quotients and roots. So a twin that
//! is generic over `Real` states its own bound.

use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use coact_math::Real;

/// A value and its terms.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Terms {
    /// As `f32` computes it.
    pub value: f32,
    /// Sum of magnitudes, at least the magnitude of the value.
    pub terms: f64,
}

impl Terms {
    /// A number that was not computed.
    pub fn of(value: f32) -> Self {
        Self { value, terms: f64::from(value).abs() }
    }

    fn new(value: f32, terms: f64) -> Self {
        Self { value, terms: terms.max(f64::from(value).abs()) }
    }

    /// Sum over magnitude: how much of a relative error is amplified.
    fn condition(self) -> f64 {
        if self.value == 0.0 { 1.0 } else { self.terms / f64::from(self.value).abs() }
    }
}

impl Add for Terms {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self::new(self.value + o.value, self.terms + o.terms)
    }
}

impl Sub for Terms {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self::new(self.value - o.value, self.terms + o.terms)
    }
}

impl Mul for Terms {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Self::new(self.value * o.value, self.terms * o.terms)
    }
}

impl Div for Terms {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        Self::new(self.value / o.value, self.terms / f64::from(o.value).abs() * o.condition())
    }
}

impl Neg for Terms {
    type Output = Self;
    fn neg(self) -> Self {
        Self::new(-self.value, self.terms)
    }
}

macro_rules! assign {
    ($Op:ident, $op:ident, $sign:tt) => {
        impl $Op for Terms {
            fn $op(&mut self, o: Self) {
                *self = *self $sign o;
            }
        }
    };
}
assign!(AddAssign, add_assign, +);
assign!(SubAssign, sub_assign, -);
assign!(MulAssign, mul_assign, *);
assign!(DivAssign, div_assign, /);

impl Real for Terms {
    type Scalar = f32;
    type Mask = bool;
    const LANES: usize = 1;

    fn splat(x: f32) -> Self {
        Self::of(x)
    }
    fn from_fn(mut f: impl FnMut(usize) -> f32) -> Self {
        Self::of(f(0))
    }
    fn lane(self, _: usize) -> f32 {
        self.value
    }
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        Self::new(root, if root == 0.0 { self.terms.sqrt() } else { f64::from(root) * self.condition() })
    }
    fn abs(self) -> Self {
        Self::new(self.value.abs(), self.terms)
    }
    fn floor(self) -> Self {
        Self::new(Real::floor(self.value), self.terms)
    }
    fn cmp_lt(self, o: Self) -> bool {
        self.value < o.value
    }
    fn cmp_le(self, o: Self) -> bool {
        self.value <= o.value
    }
    fn cmp_eq(self, o: Self) -> bool {
        self.value == o.value
    }
    fn select(mask: bool, a: Self, b: Self) -> Self {
        if mask { a } else { b }
    }
    fn sin(self) -> Self {
        Self::new(Real::sin(self.value), self.terms + 1.0)
    }
    fn cos(self) -> Self {
        Self::new(Real::cos(self.value), self.terms + 1.0)
    }
    /// The angle moves by (|x| δy + |y| δx)/r².
    fn atan2(self, x: Self) -> Self {
        let (a, b) = (f64::from(self.value), f64::from(x.value));
        let value = Real::atan2(self.value, x.value);
        let moved = (b.abs() * self.terms + a.abs() * x.terms) / (a * a + b * b).max(f64::MIN_POSITIVE);
        Self::new(value, f64::from(value).abs() + moved)
    }
    fn acos(self) -> Self {
        Self::new(Real::acos(self.value), std::f64::consts::PI * self.condition())
    }
}
