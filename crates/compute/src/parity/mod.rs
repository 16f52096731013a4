//! Parity of a WGSL function with its Rust twin.
//!
//! [`Function`] wraps one pure function of a shader file in a generated
//! kernel and runs it on many inputs; [`compare`] holds the results against
//! the twin and names function, input and error of the worst.
//!
//! Records are flat: the components of all parameters in order, matrices by
//! columns, structs by fields. Every component is one `f32`; integers travel
//! as their bits ([`word`]), a `bool` as 0 or 1.

mod compare;
mod function;
mod signature;
mod wrapper;

pub use compare::{Expected, Mismatch, Report, compare};
pub use function::{Function, Outputs, run_function};
pub use signature::{Component, Scalar};

/// The component that carries an integer.
pub fn word(bits: u32) -> f32 {
    f32::from_bits(bits)
}

/// The integer that a component carries.
pub fn bits(word: f32) -> u32 {
    word.to_bits()
}
