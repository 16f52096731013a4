//! Deterministic random numbers for this crate's tests.

use crate::types::{Mat3, Mat6, Vec3};

/// A 64-bit linear congruential generator; the upper bits are used.
pub struct Lcg(u64);

impl Lcg {
    pub fn new(seed: u64) -> Self {
        let mut r = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1);
        r.next();
        r
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 11
    }

    /// Uniform in [lo, hi).
    pub fn range(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * (self.next() as f64 / (1u64 << 53) as f64)
    }

    /// Uniform in the cube [-1, 1]³.
    pub fn vec(&mut self) -> Vec3 {
        Vec3::new(self.range(-1.0, 1.0), self.range(-1.0, 1.0), self.range(-1.0, 1.0))
    }

    /// A direction.
    pub fn unit(&mut self) -> Vec3 {
        loop {
            let v = self.vec();
            if (0.1..1.0).contains(&v.norm()) {
                return v.normalize();
            }
        }
    }

    pub fn mat3(&mut self) -> Mat3 {
        Mat3::from_fn(|_, _| self.range(-1.0, 1.0))
    }

    pub fn mat6(&mut self) -> Mat6 {
        Mat6::from_fn(|_, _| self.range(-1.0, 1.0))
    }
}
