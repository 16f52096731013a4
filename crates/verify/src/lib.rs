//! Analytic answers, validation cases, the reader of reference cases, and an exact judge of
//! intersections.
//!
//! Used by `coact validate` and by `cargo xtask reference`. Nothing here is a solver.

pub mod intersect;
pub mod race;
pub mod reference;
pub mod validate;

pub use coact_vbd::Precision;
