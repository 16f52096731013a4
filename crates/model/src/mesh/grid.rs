//! Rectangular grids of triangles: cloths.

use coact_math::Vec3;

use crate::shape::TriMesh;

/// How the cells of a grid are cut in two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Diagonal {
    /// Diagonals change direction from cell to cell: no preferred shear direction.
    #[default]
    Alternating,
    /// All diagonals run the same way.
    Uniform,
}

/// A grid of `cells[0]` × `cells[1]` cells over \[0, size\] in the plane z = 0, facing +z.
/// Vertex (i, j) has index `j (cells[0] + 1) + i`. Shape: (nx + 1)(ny + 1) vertices,
/// 2 nx ny triangles.
pub fn cloth_grid(cells: [usize; 2], size: [f64; 2], diagonal: Diagonal) -> TriMesh {
    let [nx, ny] = cells;
    let at = |i: usize, n: usize, length: f64| length * i as f64 / n.max(1) as f64;
    let vertices = (0..=ny)
        .flat_map(|j| (0..=nx).map(move |i| Vec3::new(at(i, nx, size[0]), at(j, ny, size[1]), 0.0)))
        .collect();
    let mut triangles = Vec::with_capacity(2 * nx * ny);
    for j in 0..ny {
        for i in 0..nx {
            let a = (j * (nx + 1) + i) as u32;
            let (b, d) = (a + 1, a + nx as u32 + 1);
            let c = d + 1;
            if diagonal == Diagonal::Uniform || (i + j) % 2 == 0 {
                triangles.extend([[a, b, c], [a, c, d]]);
            } else {
                triangles.extend([[a, b, d], [b, c, d]]);
            }
        }
    }
    TriMesh { vertices, triangles }
}
