//! Boxes of tetrahedra.

use coact_math::Vec3;

use super::TetMesh;

/// How a cell is cut into tetrahedra.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CellSplit {
    /// Four corners and the middle; mirrored from cell to cell so that faces match.
    #[default]
    Five,
    /// Six around the main diagonal; the same in every cell.
    Six,
}

// Corners of a cell are numbered x + 2 y + 4 z.
const FIVE_EVEN: [[usize; 4]; 5] = [[0, 1, 2, 4], [3, 2, 1, 7], [5, 4, 7, 1], [6, 7, 4, 2], [1, 2, 4, 7]];
const FIVE_ODD: [[usize; 4]; 5] = [[1, 3, 0, 5], [2, 0, 3, 6], [4, 6, 5, 0], [7, 5, 6, 3], [0, 5, 3, 6]];
const SIX: [[usize; 4]; 6] =
    [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]];

/// A box over \[0, size\] of `cells` cells, 5 or 6 tetrahedra each, all positively
/// oriented. Vertex (i, j, k) has index `(k (ny + 1) + j)(nx + 1) + i`.
pub fn tet_box(cells: [usize; 3], size: Vec3, split: CellSplit) -> TetMesh {
    let [nx, ny, nz] = cells;
    let at = |i: usize, axis: usize| size[axis] * i as f64 / cells[axis].max(1) as f64;
    let index = |i: usize, j: usize, k: usize| ((k * (ny + 1) + j) * (nx + 1) + i) as u32;
    let mut mesh = TetMesh::default();
    for k in 0..=nz {
        for j in 0..=ny {
            mesh.vertices.extend((0..=nx).map(|i| Vec3::new(at(i, 0), at(j, 1), at(k, 2))));
        }
    }
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                let tets: &[[usize; 4]] = match split {
                    CellSplit::Six => &SIX,
                    CellSplit::Five if (i + j + k) % 2 == 0 => &FIVE_EVEN,
                    CellSplit::Five => &FIVE_ODD,
                };
                let corner = |c: usize| index(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2));
                mesh.tets.extend(tets.iter().map(|t| t.map(corner)));
            }
        }
    }
    mesh
}
