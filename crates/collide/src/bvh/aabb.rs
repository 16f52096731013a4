//! Axis-aligned boxes in `f32`.
//!
//! Left out on purpose: rounding outward. Whoever makes boxes from `f64` positions widens
//! the query by the rounding (docs/theory/self-contact.md eq. (9)).

// Several arrays go by one index, which reads best so.
#![allow(clippy::needless_range_loop)]

/// A box; empty where `min > max`, and then it overlaps nothing that is finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Smallest coordinates \[m\].
    pub min: [f32; 3],
    /// Largest coordinates \[m\].
    pub max: [f32; 3],
}

impl Aabb {
    /// The box without points.
    pub const EMPTY: Self = Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    /// Of `points`; empty if one of them is not finite.
    #[inline(always)]
    pub fn of(points: &[[f32; 3]]) -> Self {
        let mut b = Self::EMPTY;
        let mut sum = 0.0;
        for p in points {
            for k in 0..3 {
                b.min[k] = p[k].min(b.min[k]);
                b.max[k] = p[k].max(b.max[k]);
                sum += p[k] * 0.0;
            }
        }
        // Zero times what is not finite is not a number, and stays so in the sum.
        if sum == 0.0 { b } else { Self::EMPTY }
    }

    /// Of `points`, which are finite; of others something that need not contain them.
    #[inline(always)]
    pub fn of_finite<const N: usize>(points: [[f32; 3]; N]) -> Self {
        let mut b = Self { min: points[0], max: points[0] };
        for p in &points[1..] {
            for k in 0..3 {
                b.min[k] = if p[k] < b.min[k] { p[k] } else { b.min[k] };
                b.max[k] = if p[k] > b.max[k] { p[k] } else { b.max[k] };
            }
        }
        b
    }

    /// The smallest box around both.
    #[inline(always)]
    pub fn union(&self, o: &Self) -> Self {
        let mut b = *self;
        for k in 0..3 {
            b.min[k] = if o.min[k] < b.min[k] { o.min[k] } else { b.min[k] };
            b.max[k] = if o.max[k] > b.max[k] { o.max[k] } else { b.max[k] };
        }
        b
    }

    /// Wider by `r` \[m\] on every side.
    #[inline(always)]
    pub fn inflated(&self, r: f32) -> Self {
        Self { min: self.min.map(|x| x - r), max: self.max.map(|x| x + r) }
    }

    /// Whether the closed boxes share a point.
    #[inline(always)]
    pub fn overlaps(&self, o: &Self) -> bool {
        (self.min[0] <= o.max[0])
            & (o.min[0] <= self.max[0])
            & (self.min[1] <= o.max[1])
            & (o.min[1] <= self.max[1])
            & (self.min[2] <= o.max[2])
            & (o.min[2] <= self.max[2])
    }

    /// Half of the surface \[m²\]; 0 if empty.
    #[inline(always)]
    pub fn half_area(&self) -> f32 {
        let [x, y, z] = [0, 1, 2].map(|k| (self.max[k] - self.min[k]).max(0.0));
        x * y + y * z + z * x
    }

    /// Largest magnitude of a coordinate \[m\]; 0 if empty.
    #[inline(always)]
    pub fn reach(&self) -> f32 {
        if self.min[0] > self.max[0] {
            return 0.0;
        }
        (0..3).fold(0.0, |r: f32, k| r.max(self.min[k].abs()).max(self.max[k].abs()))
    }
}
