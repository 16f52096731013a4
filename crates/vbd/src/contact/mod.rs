//! Contact of particles with shapes: the law of one row, and the rows of a step; and the
//! barrier, the normal law that self-contact shares.

mod anchors;
mod barrier;
mod grip;
mod law;
mod rows;
mod start;

pub use anchors::Anchor;
pub use barrier::eval_barrier;
#[cfg(test)]
pub use law::eval_slip_factor;
pub use law::{ContactRow, SlipLaw, eval_contact, eval_penetration};
pub use rows::{ContactRows, RowSource};
