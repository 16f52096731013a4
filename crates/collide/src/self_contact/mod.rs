//! Self-contact of triangle meshes: pairs, distances and clearances,
//! `docs/theory/self-contact.md`, section 1.
//!
//! Map: [`Surface`] (`surface.rs`) is the mesh with its filters, [`SelfContactDetector`]
//! (`detector.rs`) finds pairs and clearances; below it `frame.rs` holds positions in `f32`,
//! `search.rs` walks the trees, `narrow.rs` decides about single pairs. [`closest`] has the distances for
//! kernels, [`find_intersections`] is exact. Points are plain indices: a solver numbers
//! them as it likes.
//!
//! Left out on purpose: forces and truncation, which are the solver's.

mod clearance;
pub mod closest;
mod detector;
mod frame;
mod intersections;
mod narrow;
mod search;
mod surface;

pub use closest::{closest_edge_edge, closest_vertex_triangle};
pub use detector::{Query, SelfContactDetector};
pub use intersections::find_intersections;
pub use surface::{Filter, Surface};

#[cfg(test)]
mod tests;
