//! Test aids: finite differences, counting allocator, digests, the dummy solver.
//!
//! For tests only: no crate of the product depends on it.

mod allocation;
mod digest;
mod dummy;
mod finite_difference;
mod random;
mod scene;
pub mod tolerance;

pub use allocation::{CountingAllocator, count_allocations};
pub use digest::{Digest, state_digest};
pub use dummy::{DummySolver, GroundSpring};
pub use finite_difference::{gradient, jacobian, relative_error};
pub use random::Random;
pub use scene::{body, particle, points};
