//! `V3<R>`: three components over any [`Real`], for kernels.
//!
//! Host code uses [`Vec3`](crate::Vec3); this type exists because a vector of lanes
//! is not a vector of numbers to nalgebra. Components lie one after the other, so
//! `V3<f32>` has the layout of three floats and `V3<Lanes<_, N>>` of three rows of N.

use crate::real::Real;
use crate::scalar::Scalar;
use crate::types::Vec3;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A vector in three dimensions, or one per lane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct V3<R> {
    /// First component.
    pub x: R,
    /// Second component.
    pub y: R,
    /// Third component.
    pub z: R,
}

impl<R: Real> V3<R> {
    /// From components.
    #[inline(always)]
    pub fn new(x: R, y: R, z: R) -> Self {
        Self { x, y, z }
    }

    /// Zero.
    #[inline(always)]
    pub fn zero() -> Self {
        Self::new(R::zero(), R::zero(), R::zero())
    }

    /// Lane by lane.
    #[inline(always)]
    pub fn from_fn(f: impl Fn(usize) -> V3<R::Scalar>) -> Self {
        Self::new(R::from_fn(|i| f(i).x), R::from_fn(|i| f(i).y), R::from_fn(|i| f(i).z))
    }

    /// The vector of lane `i`.
    #[inline(always)]
    pub fn lane(self, i: usize) -> V3<R::Scalar> {
        V3 { x: self.x.lane(i), y: self.y.lane(i), z: self.z.lane(i) }
    }

    /// A host vector, rounded, in every lane.
    #[inline(always)]
    pub fn from_host(v: &Vec3) -> Self {
        Self::new(R::from_f64(v.x), R::from_f64(v.y), R::from_f64(v.z))
    }

    /// Lane `i` as a host vector; exact.
    #[inline(always)]
    pub fn to_host(self, i: usize) -> Vec3 {
        Vec3::new(self.x.lane(i).to_f64(), self.y.lane(i).to_f64(), self.z.lane(i).to_f64())
    }

    /// Scalar product, summed in the order x, y, z.
    #[inline(always)]
    pub fn dot(self, o: Self) -> R {
        self.x * o.x + self.y * o.y + self.z * o.z
    }

    /// Vector product.
    #[inline(always)]
    pub fn cross(self, o: Self) -> Self {
        Self::new(self.y * o.z - self.z * o.y, self.z * o.x - self.x * o.z, self.x * o.y - self.y * o.x)
    }

    /// Squared length.
    #[inline(always)]
    pub fn norm_sq(self) -> R {
        self.dot(self)
    }

    /// Length.
    #[inline(always)]
    pub fn norm(self) -> R {
        self.norm_sq().sqrt()
    }

    /// `a` where the mask is true, else `b`.
    #[inline(always)]
    pub fn select(mask: R::Mask, a: Self, b: Self) -> Self {
        Self::new(R::select(mask, a.x, b.x), R::select(mask, a.y, b.y), R::select(mask, a.z, b.z))
    }
}

impl<R: Real> Add for V3<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self::new(self.x + o.x, self.y + o.y, self.z + o.z)
    }
}

impl<R: Real> Sub for V3<R> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self::new(self.x - o.x, self.y - o.y, self.z - o.z)
    }
}

impl<R: Real> Neg for V3<R> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y, -self.z)
    }
}

impl<R: Real> Mul<R> for V3<R> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: R) -> Self {
        Self::new(self.x * s, self.y * s, self.z * s)
    }
}

impl<R: Real> AddAssign for V3<R> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl<R: Real> SubAssign for V3<R> {
    #[inline(always)]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}
