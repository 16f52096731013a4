//! Contact of particles with shapes: the law of one row, and the rows of a step; and the
//! barrier, the normal law that self-contact shares.

mod anchors;
mod barrier;
mod grip;
mod law;
mod rows;
mod start;

pub use anchors::Anchor;
pub use barrier::{eval_barrier, eval_barrier_energy};
pub use law::{ContactRow, SlipLaw, eval_contact, eval_penetration, eval_slip_factor};
pub use rows::{ContactRows, RowSource, WORLD};
