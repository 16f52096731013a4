//! A surface given by heights over a grid, solid below.
//!
//! It is carried as the closed surface of a block: two triangles per cell on top, walls, and
//! a floor deep below. Whatever meets triangle surfaces meets it.

use std::sync::Arc;

use coact_math::Vec3;
use thiserror::Error;

use crate::shape::TriMesh;

/// Why heights are no surface.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum HeightFieldFault {
    /// Not enough points for one cell.
    #[error("{0} × {1} points make no cell; give it two or more both ways")]
    TooFew(usize, usize),
    /// The list does not fill the grid.
    #[error("{given} heights for a grid of {wanted}; give one per point, row by row")]
    Count {
        /// Heights given.
        given: usize,
        /// Points of the grid.
        wanted: usize,
    },
    /// A spacing that is not above zero.
    #[error("the spacing is {0} m; give one above 0")]
    Spacing(f64),
    /// A height that is not finite.
    #[error("height {0} is not finite")]
    Height(usize),
}

/// Heights \[m\] along z over a grid about the origin: columns along x, rows along y.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightField {
    counts: [usize; 2],
    spacing: [f64; 2],
    heights: Vec<f64>,
    solid: Arc<TriMesh>,
}

impl HeightField {
    /// `counts` are the numbers of columns and rows of points, `spacing` \[m\] their distances.
    /// The height of column i and row j is `heights[j * counts[0] + i]`.
    ///
    /// # Errors
    /// See [`HeightFieldFault`].
    pub fn new(counts: [usize; 2], spacing: [f64; 2], heights: Vec<f64>) -> Result<Self, HeightFieldFault> {
        let [columns, rows] = counts;
        if columns < 2 || rows < 2 {
            return Err(HeightFieldFault::TooFew(columns, rows));
        }
        if heights.len() != columns * rows {
            return Err(HeightFieldFault::Count { given: heights.len(), wanted: columns * rows });
        }
        if let Some(s) = spacing.into_iter().find(|s| !(*s > 0.0 && s.is_finite())) {
            return Err(HeightFieldFault::Spacing(s));
        }
        if let Some(i) = heights.iter().position(|h| !h.is_finite()) {
            return Err(HeightFieldFault::Height(i));
        }
        let solid = Arc::new(block(counts, spacing, &heights));
        Ok(Self { counts, spacing, heights, solid })
    }

    /// Numbers of columns and rows of points.
    pub fn counts(&self) -> [usize; 2] {
        self.counts
    }

    /// Distances of columns and of rows \[m\].
    pub fn spacing(&self) -> [f64; 2] {
        self.spacing
    }

    /// Heights, row by row \[m\].
    pub fn heights(&self) -> &[f64] {
        &self.heights
    }

    /// The closed surface of the block. Its floor lies below the lowest height by the larger
    /// side of the grid.
    pub fn solid(&self) -> &Arc<TriMesh> {
        &self.solid
    }

    /// The surface on top alone, wound to be seen from above.
    pub fn surface(&self) -> TriMesh {
        let [columns, rows] = self.counts;
        let vertices = self.solid.vertices[..columns * rows].to_vec();
        let triangles = self.solid.triangles[..2 * (columns - 1) * (rows - 1)].to_vec();
        TriMesh { vertices, triangles }
    }
}

fn block(counts: [usize; 2], spacing: [f64; 2], heights: &[f64]) -> TriMesh {
    let [columns, rows] = counts;
    let size = [(columns - 1) as f64 * spacing[0], (rows - 1) as f64 * spacing[1]];
    let at = |k: usize, z: f64| {
        let (i, j) = ((k % columns) as f64, (k / columns) as f64);
        Vec3::new(i * spacing[0] - 0.5 * size[0], j * spacing[1] - 0.5 * size[1], z)
    };
    let mut vertices: Vec<Vec3> = heights.iter().enumerate().map(|(k, h)| at(k, *h)).collect();
    let mut triangles = top(columns, rows);
    let lowest = heights.iter().copied().fold(f64::INFINITY, f64::min);
    let floor = lowest - size[0].max(size[1]);
    let border = border(columns, rows);
    let first = vertices.len() as u32;
    vertices.extend(border.iter().map(|&k| at(k as usize, floor)));
    let middle = vertices.len() as u32;
    vertices.push(Vec3::new(0.0, 0.0, floor));
    let count = border.len();
    for n in 0..count {
        let next = (n + 1) % count;
        let (a, b) = (border[n], border[next]);
        let (c, d) = (first + n as u32, first + next as u32);
        triangles.extend([[a, c, d], [a, d, b], [c, middle, d]]);
    }
    TriMesh { vertices, triangles }
}

/// Two triangles per cell, counter-clockwise from above.
fn top(columns: usize, rows: usize) -> Vec<[u32; 3]> {
    let cell = |k: usize| {
        let (i, j) = (k % (columns - 1), k / (columns - 1));
        let a = (j * columns + i) as u32;
        let (b, c) = (a + 1, a + columns as u32);
        [[a, b, c + 1], [a, c + 1, c]]
    };
    (0..(columns - 1) * (rows - 1)).flat_map(cell).collect()
}

/// The points of the border, counter-clockwise from above.
fn border(columns: usize, rows: usize) -> Vec<u32> {
    let at = |i: usize, j: usize| (j * columns + i) as u32;
    let (right, back) = (columns - 1, rows - 1);
    let front = (0..right).map(|i| at(i, 0));
    let east = (0..back).map(|j| at(right, j));
    let rear = (0..right).map(|i| at(right - i, back));
    let west = (0..back).map(|j| at(0, back - j));
    front.chain(east).chain(rear).chain(west).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MassProperties;

    #[test]
    fn the_block_is_closed_and_has_the_volume_between_surface_and_floor() {
        let heights: Vec<f64> = (0..12).map(|k| 0.1 * f64::from(k % 5)).collect();
        let field = HeightField::new([4, 3], [0.5, 0.25], heights).unwrap();
        let mass = MassProperties::of_mesh(field.solid(), 1.0).unwrap();
        // mean height over a cell cut along one diagonal, floor at -1.5
        let h = field.heights();
        let mut volume = 0.0;
        for (i, j) in (0..3).flat_map(|i| (0..2).map(move |j| (i, j))) {
            let at = |i: usize, j: usize| h[j * 4 + i] + 1.5;
            let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
            volume += 0.125 * 0.5 * ((a + b + c) / 3.0 + (a + c + d) / 3.0);
        }
        assert!((mass.mass - volume).abs() < 1e-12, "{} {volume}", mass.mass);
    }

    #[test]
    fn the_surface_is_the_top_seen_from_above() {
        let field = HeightField::new([3, 2], [1.0, 2.0], vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        let top = field.surface();
        assert_eq!((top.vertices.len(), top.triangles.len()), (6, 4));
        assert_eq!(top.vertices[4], Vec3::new(0.0, 1.0, 4.0));
        for t in &top.triangles {
            let [a, b, c] = t.map(|v| top.vertices[v as usize]);
            assert!((b - a).cross(&(c - a)).z > 0.0);
        }
    }

    #[test]
    fn heights_that_make_no_surface_are_refused_with_the_remedy() {
        let fault =
            |counts, spacing, heights| HeightField::new(counts, spacing, heights).unwrap_err().to_string();
        assert!(fault([1, 4], [1.0; 2], vec![0.0; 4]).contains("two or more"));
        assert!(fault([2, 2], [1.0; 2], vec![0.0; 3]).contains("3 heights for a grid of 4"));
        assert!(fault([2, 2], [0.0, 1.0], vec![0.0; 4]).contains("above 0"));
        assert!(fault([2, 2], [1.0, f64::NAN], vec![0.0; 4]).contains("NaN"));
        assert!(fault([2, 2], [1.0; 2], vec![0.0, f64::NAN, 0.0, 0.0]).contains("height 1"));
    }
}
