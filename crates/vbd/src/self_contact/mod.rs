//! Self-contact: vertices against triangles and edges against edges of one particle system.
//! Theory: `docs/theory/self-contact.md`.
//!
//! Map: `settings.rs` what a user sets; `surface.rs` the triangles of a view; `pair.rs` the
//! law of one pair; `pairs.rs` the pairs of a detection by slot; `separator.rs` planes that
//! certainly separate a pair; `frame.rs`, `bounds.rs`, `planes.rs`, `following.rs`, `limit.rs` and `budget.rs`
//! how far particles may move until the next detection; `lag.rs` how far prescribed ones are behind.
//! [`SelfContact`] holds them together; when it runs within a step is with the particles
//! (`crates/vbd/src/particle/self_contact.rs`).
//!
//! Left out on purpose: particles that another solver moves (they are where it puts them), and truncation
//! against shapes.

mod bounds;
mod budget;
mod detection;
mod following;
mod frame;
mod lag;
mod limit;
mod pair;
mod pairs;
mod planes;
mod separator;
mod settings;
mod surface;

pub use bounds::Bounds;
pub use detection::{Budgets, Cuts, GivenPairs, Guard, Kept, Place, SelfContact, Truncated};
pub use following::Hold;
pub use lag::Lagging;
pub use limit::Way;
pub use pair::{PairLaw, eval_closest, eval_pair, eval_stored, presses};
pub use settings::{IntersectingStart, SelfContactConfig, Truncation};
