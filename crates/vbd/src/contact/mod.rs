//! Contact of particles with shapes: the law of one row, and the rows of a step.

mod law;
mod rows;

#[cfg(test)]
pub use law::eval_slip_factor;
pub use law::{ContactRow, SlipLaw, eval_contact, eval_penetration};
pub use rows::{ContactRows, RowSource};
