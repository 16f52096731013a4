//! Analytic answers, validation cases and the reader of reference cases.
//!
//! Used by `coact validate` and by `cargo xtask reference`. Nothing here is a solver.

pub mod reference;
pub mod validate;

pub use coact_vbd::Precision;
