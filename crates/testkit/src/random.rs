//! Numbers that look random and are the same on every machine: SplitMix64.

use coact_math::{Quat, Vec3};

/// A generator with 64 bits of state.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Equal seeds give equal sequences.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in \[0, 1): 53 random bits.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Uniform in \[low, high).
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Uniform in 0..count.
    pub fn index(&mut self, count: usize) -> usize {
        ((self.unit() * count as f64) as usize).min(count.saturating_sub(1))
    }

    /// A vector in the cube of half size `size`.
    pub fn vector(&mut self, size: f64) -> Vec3 {
        Vec3::new(self.range(-size, size), self.range(-size, size), self.range(-size, size))
    }

    /// A rotation by a rotation vector in the cube of half size π/2.
    pub fn rotation(&mut self) -> Quat {
        Quat::from_scaled_axis(self.vector(std::f64::consts::FRAC_PI_2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_fixed_and_even() {
        assert_eq!(Random::new(0).bits(), 0xe220_a839_7b1d_cdaf);
        let mut r = Random::new(7);
        let mean = (0..10_000).map(|_| r.unit()).sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.01);
        assert!((0..1000).all(|_| r.index(3) < 3));
    }
}
