//! A coarse lattice of signed distances in the box of a closed surface: what is known to be
//! far outside needs no walk through the tree. Theory: `docs/theory/distance.md` eq. (13).

use coact_math::Vec3;

/// Cells along an axis at most: about one per triangle until then. More make what is sure
/// a little larger, and building much slower: deep inside, all triangles are equally near.
const MOST_CELLS: usize = 12;

/// Signed distance at the centres of equal cells.
#[derive(Clone, Debug)]
pub struct Lattice {
    lower: Vec3,
    /// Cells per metre along each axis.
    per_metre: Vec3,
    cells: usize,
    half_diagonal: f64,
    distance: Vec<f64>,
}

impl Lattice {
    /// Over the box `[lower, upper]` of a surface of so many triangles.
    pub fn new([lower, upper]: [Vec3; 2], triangles: usize, distance: impl Fn(&Vec3) -> f64) -> Self {
        let cells = (1..MOST_CELLS).find(|n| n * n * n >= triangles).unwrap_or(MOST_CELLS);
        let size = (upper - lower) / cells as f64;
        let centre = |i: usize| {
            let k = [i % cells, i / cells % cells, i / (cells * cells)].map(|k| k as f64 + 0.5);
            lower + size.component_mul(&Vec3::from(k))
        };
        Self {
            lower,
            per_metre: size.map(|s| 1.0 / s),
            cells,
            half_diagonal: 0.5 * size.norm(),
            distance: (0..cells * cells * cells).map(|i| distance(&centre(i))).collect(),
        }
    }

    /// eq. (13): whether `x` surely is `reach` or more outside. False outside of the box.
    pub fn is_beyond(&self, x: &Vec3, reach: f64) -> bool {
        let k = (x - self.lower).component_mul(&self.per_metre);
        if !k.iter().all(|&k| k >= 0.0 && k < self.cells as f64) {
            return false;
        }
        let [i, j, k] = [k.x, k.y, k.z].map(|k| k as usize);
        self.distance[(k * self.cells + j) * self.cells + i] - self.half_diagonal >= reach
    }
}
