//! Which triangles of a scene intersect: an exact judge of penetration-free results.
//!
//! Sort and sweep over bounding boxes finds the candidates; each is decided by the signs of
//! exact determinants (Shewchuk's adaptive predicates, crate `robust`), so that rounding
//! never decides. Nothing is shared with a solver or its collision detection.
//!
//! Triangles are closed sets: touching counts. Of triangles that share vertices by index,
//! only what they have in common beyond these counts. Left out on purpose: triangles
//! without area, except against one that has an area and shares no vertex with it, and
//! coordinates whose products overflow or underflow (beyond 1e±90).

mod exact;
#[cfg(test)]
mod tests;

use coact_math::Vec3;

pub use exact::triangles_intersect;

/// A triangle has a vertex that is not a finite number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("triangle {triangle} has a vertex that is not finite: stop at the step where that began")]
pub struct NotFinite {
    /// The first such triangle.
    pub triangle: u32,
}

/// All pairs of triangles that intersect, smaller index first, in rising order.
/// `points` in m, any length; `triangles` index into them.
///
/// # Errors
/// A vertex of a triangle is not finite.
///
/// # Panics
/// An index lies beyond `points`.
pub fn intersecting_pairs(points: &[Vec3], triangles: &[[u32; 3]]) -> Result<Vec<[u32; 2]>, NotFinite> {
    let boxes = sorted_boxes(points, triangles)?;
    let mut pairs = Vec::new();
    for (k, a) in boxes.iter().enumerate() {
        for b in boxes[k + 1..].iter().take_while(|b| b.min[0] <= a.max[0]) {
            if a.meets_across(b) {
                let pair = [a.triangle.min(b.triangle), a.triangle.max(b.triangle)];
                if triangles_intersect(points, pair.map(|t| triangles[t as usize])) {
                    pairs.push(pair);
                }
            }
        }
    }
    pairs.sort_unstable();
    Ok(pairs)
}

/// Bounds of a triangle; axis 0 is the one that is swept.
struct Bounds {
    min: [f64; 3],
    max: [f64; 3],
    triangle: u32,
}

impl Bounds {
    /// Overlap on the two axes that the sweep does not look at.
    fn meets_across(&self, other: &Self) -> bool {
        (1..3).all(|k| self.min[k] <= other.max[k] && other.min[k] <= self.max[k])
    }
}

/// The bounds of all triangles along the axis on which they spread most.
fn sorted_boxes(points: &[Vec3], triangles: &[[u32; 3]]) -> Result<Vec<Bounds>, NotFinite> {
    let axis = widest_axis(points, triangles);
    let mut boxes = Vec::with_capacity(triangles.len());
    for (t, corners) in triangles.iter().enumerate() {
        let x = corners.map(|c| points[c as usize]);
        let triangle = t as u32;
        if !x.iter().all(|p| p.iter().all(|c| c.is_finite())) {
            return Err(NotFinite { triangle });
        }
        let over = |f: fn(f64, f64) -> f64| {
            [0, 1, 2].map(|k| (axis + k) % 3).map(|k| f(f(x[0][k], x[1][k]), x[2][k]))
        };
        boxes.push(Bounds { min: over(f64::min), max: over(f64::max), triangle });
    }
    boxes.sort_unstable_by(|a, b| a.min[0].total_cmp(&b.min[0]).then(a.triangle.cmp(&b.triangle)));
    Ok(boxes)
}

/// The axis of the largest variance of first vertices.
fn widest_axis(points: &[Vec3], triangles: &[[u32; 3]]) -> usize {
    let count = triangles.len().max(1) as f64;
    let first = || triangles.iter().map(|t| points[t[0] as usize]);
    let mean = first().sum::<Vec3>() / count;
    let spread = first().map(|p| (p - mean).component_mul(&(p - mean))).sum::<Vec3>();
    spread.imax()
}
