//! Tolerances by name, each with its reason. A test that needs another one adds it here.

/// Numbers that went through the same operations in another order: some hundred
/// roundings of `f64` on numbers of size one.
pub const REORDERED: f64 = 1e-13;

/// Two runs of some hundred steps that differ by rounding only, without chaos: rounding
/// grows with the number of steps.
pub const SAME_RUN: f64 = 1e-12;

/// Central differences against an exact derivative: truncation and rounding balanced
/// leave 1e-10; the margin is for functions with large third derivatives.
pub const FINITE_DIFFERENCE: f64 = 1e-7;

/// `f32` against `f64` on one operation chain of a kernel, relative to the sum of
/// magnitudes: 2⁻²⁴ times some ten operations.
pub const SINGLE_PRECISION: f64 = 1e-6;
