//! Numbers for tests: the same in every run.

use coact_math::Vec3;

/// A stream of numbers in [-1, 1).
pub fn numbers(seed: u64) -> impl FnMut() -> f64 {
    let mut s = seed;
    move || {
        s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (s >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
    }
}

/// A stream of vectors with components in [-size, size).
pub fn vectors(seed: u64, size: f64) -> impl FnMut() -> Vec3 {
    let mut next = numbers(seed);
    move || Vec3::new(next(), next(), next()) * size
}
