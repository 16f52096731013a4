//! Meshes: read from files or generated.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::V3;
use super::values::one;

/// A mesh with a name, for several users.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NamedMesh {
    /// The name that `Named("…")` refers to.
    pub name: String,
    /// Where it comes from.
    pub mesh: Mesh,
}

/// Where a mesh comes from.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Mesh {
    /// An entry of `meshes`.
    Named(String),
    /// A file. Surfaces: `.obj`, `.ply`, `.stl`. Tetrahedra: `.msh` (gmsh 4.1), `.vtk` (legacy ASCII).
    File(FileMesh),
    /// A flat rectangle of triangles in the x-y plane, centred at the origin.
    Grid(GridMesh),
    /// A box of tetrahedra, centred at the origin.
    TetBox(TetBoxMesh),
    /// An open tube of triangles about the z axis, centred at the origin.
    Tube(TubeMesh),
    /// Triangles written out in the scene.
    Triangles(TriangleData),
}

/// A mesh file.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileMesh {
    /// Path, relative to the scene file.
    pub path: String,
    /// Factor on all coordinates: 0.001 for a file in millimetres.
    #[serde(default = "one")]
    pub scale: f64,
    /// Turn inverted tetrahedra instead of refusing them.
    #[serde(default)]
    pub orient: bool,
}

/// A rectangle of squares, each cut into two triangles.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GridMesh {
    /// Number of squares along x and y.
    pub cells: [u32; 2],
    /// Edge lengths along x and y \[m\].
    pub size: [f64; 2],
    /// Whether all diagonals run the same way; else they alternate.
    #[serde(default)]
    pub uniform: bool,
}

/// A box of cubes, each cut into tetrahedra.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TetBoxMesh {
    /// Number of cells along x, y and z.
    pub cells: [u32; 3],
    /// Edge lengths \[m\].
    pub size: V3,
}

/// An open tube.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TubeMesh {
    /// Number of squares around and along.
    pub cells: [u32; 2],
    /// Radius \[m\].
    pub radius: f64,
    /// Length along z \[m\].
    pub length: f64,
}

/// Triangles written out.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TriangleData {
    /// Vertex positions \[m\].
    pub vertices: Vec<V3>,
    /// Vertex indices from 0, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}
