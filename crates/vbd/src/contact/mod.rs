//! Contact of particles with shapes: the law of one row, and the rows of a step.

mod law;
mod rows;

pub use law::{ContactRow, SlipLaw, eval_contact, eval_penetration};
#[cfg(test)]
pub use law::eval_slip_factor;
pub use rows::{ContactRows, RowSource};
