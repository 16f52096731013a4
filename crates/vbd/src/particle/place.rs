//! Where a particle is, as lanes read it: eq. (36a), (36b) of `docs/theory/vbd.md`.
//!
//! A position in a low precision is off by its rounding times the extent of the scene, and so would
//! be every edge. Here it is the sum of two numbers, the first a multiple of a grid that all share:
//! differences of the first parts are exact, and an edge is as good as its own length allows.

use coact_math::{Scalar, V3, Vec3};

/// A vector of four, so that lanes load whole vectors.
#[inline(always)]
pub(super) fn row<R: Scalar>(v: V3<R>) -> [R; 4] {
    [v.x, v.y, v.z, R::zero()]
}

/// A position from the origin of the step \[m\]: one aligned record, so that it lies in one line of
/// the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub struct Place<R> {
    /// The part on the grid, and 0; the whole position where it is not split.
    pub hi: [R; 4],
    /// What is left of it, and 0.
    pub lo: [R; 4],
}

impl<R: Scalar> Place<R> {
    /// Whether positions are split: not in `f64`, which has digits enough.
    pub const SPLIT: bool = size_of::<R>() < size_of::<f64>();

    /// A position of one part.
    #[inline(always)]
    pub fn whole(x: V3<R>) -> Self {
        Self { hi: row(x), lo: [R::zero(); 4] }
    }

    /// eq. (36a): a position on `grid`.
    #[inline(always)]
    pub fn split(x: V3<f64>, grid: f64) -> Self {
        let round = |v: V3<f64>| V3::new(R::from_f64(v.x), R::from_f64(v.y), R::from_f64(v.z));
        if !Self::SPLIT {
            return Self::whole(round(x));
        }
        let x = snapped(x, grid);
        let hi = V3::new(on_grid(x.x, grid), on_grid(x.y, grid), on_grid(x.z, grid));
        Self { hi: row(round(hi)), lo: row(round(x - hi)) }
    }

    /// The first part \[m\].
    #[inline(always)]
    pub fn hi(&self) -> V3<R> {
        V3::new(self.hi[0], self.hi[1], self.hi[2])
    }

    #[inline(always)]
    fn lo(&self) -> V3<R> {
        V3::new(self.lo[0], self.lo[1], self.lo[2])
    }

    /// The position from the origin, with all digits \[m\].
    pub fn position(&self) -> Vec3 {
        self.hi().to_host(0) + self.lo().to_host(0)
    }

    /// eq. (36b): the edge from `o` to here \[m\].
    #[inline(always)]
    pub fn minus(&self, o: &Self) -> V3<R> {
        let edge = self.hi() - o.hi();
        if Self::SPLIT { edge + (self.lo() - o.lo()) } else { edge }
    }
}

/// The grid for positions of up to `extent` \[m\]: they are at most 2²² of it, so that what moves
/// beyond the extent within the step still has exact differences.
pub(super) fn grid_of(extent: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff << 52;
    let extent = if extent.is_finite() { extent.max(1e-9) } else { 1.0 };
    f64::from_bits(extent.to_bits() & EXPONENT) * 2_f64.powi(-21)
}

/// What the second part is a multiple of, over the grid of the first: far below what an edge is off
/// by, and enough that products of differences are no denormal numbers, which take their time.
const FINE: f64 = 1.0 / (1 << 20) as f64;

/// On the grid of second parts.
#[inline(always)]
pub(super) fn snapped(x: V3<f64>, grid: f64) -> V3<f64> {
    let fine = grid * FINE;
    V3::new(on_grid(x.x, fine), on_grid(x.y, fine), on_grid(x.z, fine))
}

/// The multiple of `grid` (a power of two) next to `x`, up to 2⁵¹ of it: the sum rounds it there.
#[inline(always)]
fn on_grid(x: f64, grid: f64) -> f64 {
    const SHIFT: f64 = 1.5 * (1_u64 << 52) as f64;
    let shift = SHIFT * grid;
    (x + shift) - shift
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::tests::Lcg;

    const EXTENT: f64 = 300.0;

    /// A position and its place.
    fn placed(r: &mut Lcg, near: &Vec3, grid: f64) -> (Place<f32>, Vec3) {
        let x = near + r.vec() * 0.01;
        (Place::split(V3::from_host(&x), grid), x)
    }

    /// Second parts are off by half their grid, else exact; the edge is rounded.
    #[test]
    fn an_edge_far_from_the_origin_is_off_by_the_rounding_of_its_own_length() {
        let (mut r, grid) = (Lcg::new(5), grid_of(EXTENT));
        let eps = f64::from(f32::EPSILON);
        let mut longest = 0.0_f64;
        for _ in 0..1000 {
            let near = r.vec() * EXTENT;
            let ((a, xa), (b, xb)) = (placed(&mut r, &near, grid), placed(&mut r, &near, grid));
            let edge = a.minus(&b).to_host(0);
            let bound = FINE * grid + eps * (xa - xb).amax();
            assert!((edge - (xa - xb)).amax() <= bound, "{} against {bound}", (edge - (xa - xb)).amax());
            assert!((a.position() - xa).amax() <= bound);
            longest = longest.max(edge.norm());
        }
        assert!(longest > 0.01);
    }

    #[test]
    fn differences_of_first_parts_are_exact_across_the_scene() {
        let (mut r, grid) = (Lcg::new(6), grid_of(EXTENT));
        let first = |x: Vec3| Place::<f32>::split(V3::from_host(&x), grid).hi();
        for _ in 0..1000 {
            let (a, b) = (first(r.vec() * EXTENT), first(r.vec() * EXTENT));
            assert_eq!((a - b).to_host(0), a.to_host(0) - b.to_host(0));
        }
    }

    #[test]
    fn a_double_precision_place_is_the_position() {
        let x = V3::new(1e3, -1.0 / 3.0, 0.1);
        let place = Place::<f64>::split(x, 1.0);
        assert_eq!((place.hi(), place.position()), (x, x.to_host(0)));
    }
}
