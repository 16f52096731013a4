//! The prepared layout: what a step needs of the model, in the order in which it is used.
//! Built once per solver; CPU and device read the same tables.
//!
//! *Slots.* Every particle has a slot. Slots `0..block_count` are the blocks (owned and
//! proxy particles) in order of colors; the others follow in order of ids and only stand
//! where they are. All columns inside the solver, and all vertices in element records, are
//! in slots; [`Layout::slot_of`] and [`Layout::particle_of`] translate at the door.
//!
//! *Incidence.* For each block and each kind of element one list of [`Corner`]s in CSR form:
//! `entries[start[block]..start[block + 1]]`, in order of element ids.
//!
//! *Fans.* Blocks whose triangles and hinges close to a fan of some number of sectors (`fan.rs`)
//! stand side by side in their color, before the others.
//!
//! *Stars.* So do blocks whose tetrahedra have one pattern (`star.rs`).
//!
//! *Records.* One plain record per element (`records.rs`), shared by its vertices.

mod fan;
mod incidence;
mod layout;
mod records;
mod star;

pub use fan::{Fan, FanSector, MAX_SECTORS};
pub use incidence::{Corner, Incidence};
pub use layout::Layout;
pub use records::{Elements, HingeRecord, Record, SpringRecord, TetRecord, TriangleRecord};
pub use star::{MAX_RING, Star, TET_ORDER};
