//! Meshes by construction: cloth grids, boxes of tetrahedra, and surfaces of primitives.

mod edges;
mod tet_mesh;

pub(crate) use edges::interior_edges;
pub use tet_mesh::TetMesh;
pub(crate) use tet_mesh::boundary_triangles;
