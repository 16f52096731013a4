//! Contacts of links: what meets, rows per contact, and the Gauss-Seidel solve.
//!
//! Theory: `docs/theory/articulated.md` section 6. Own detection knows points of link
//! shapes (corners, sphere centres, mesh vertices, each with a radius) against planes of
//! the static and kinematic world. Links against links and other geometry come in as
//! contacts of the caller; without them links pass through each other.

mod candidates;
mod detect;
mod report;
mod rows;
mod scalar;
mod solve;

pub(crate) use candidates::Candidates;
pub(crate) use rows::{ContactSet, RowContext, Warm};
