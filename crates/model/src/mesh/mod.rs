//! Meshes by construction: cloth grids, boxes of tetrahedra, and surfaces of primitives.

mod edges;
mod grid;
mod round;
mod surface;
mod tet_box;
mod tet_mesh;

pub use grid::{Diagonal, cloth_grid};
pub use round::{capsule, cone, cylinder, sphere, tube};
pub use surface::box_surface;
pub use tet_box::{CellSplit, tet_box};
pub use tet_mesh::TetMesh;

pub(crate) use edges::interior_edges;
pub(crate) use tet_mesh::boundary_triangles;

#[cfg(test)]
mod tests;
