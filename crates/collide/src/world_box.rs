//! Boxes along the axes of the world, in `f64`.

use coact_math::{Mat3, Pose, Vec3};

use crate::bvh::Aabb;

/// A box along the axes of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WorldBox {
    pub lower: Vec3,
    pub upper: Vec3,
}

impl WorldBox {
    /// Everything.
    pub const ALL: Self = Self {
        lower: Vec3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
        upper: Vec3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
    };

    /// Nothing: what grows from here holds only what was added.
    pub const NOTHING: Self = Self { lower: Self::ALL.upper, upper: Self::ALL.lower };

    /// Takes in the cube of half width `r` about `x`.
    pub fn add(&mut self, x: &Vec3, r: f64) {
        self.lower = self.lower.inf(&x.add_scalar(-r));
        self.upper = self.upper.sup(&x.add_scalar(r));
    }

    /// Whether two boxes are within `reach` of each other along every axis. False where a
    /// number is none.
    pub fn meets(&self, o: &Self, reach: f64) -> bool {
        (0..3).all(|k| self.lower[k] - reach < o.upper[k] && o.lower[k] - reach < self.upper[k])
    }

    /// As [`meets`](Self::meets), with a point.
    pub fn is_near(&self, x: &Vec3, reach: f64) -> bool {
        self.meets(&Self { lower: *x, upper: *x }, reach)
    }

    /// docs/theory/distance.md eq. (14): of the box between two corners, placed at `x`.
    pub fn around(lower: &Vec3, upper: &Vec3, x: &Pose) -> Self {
        Self::turned(lower, upper, &x.q.to_rotation_matrix().into_inner(), &x.p)
    }

    /// As [`around`](Self::around), turned by a matrix.
    pub fn turned(lower: &Vec3, upper: &Vec3, turn: &Mat3, p: &Vec3) -> Self {
        let centre = turn * ((lower + upper) * 0.5) + p;
        let half = turn.abs() * ((upper - lower) * 0.5);
        Self { lower: centre - half, upper: centre + half }
    }

    /// Wider by `r` \[m\] on every side.
    pub fn inflated(&self, r: f64) -> Self {
        Self { lower: self.lower.add_scalar(-r), upper: self.upper.add_scalar(r) }
    }

    /// Whether it holds all of `o`. False where a number is none.
    pub fn holds(&self, o: &Self) -> bool {
        (0..3).all(|k| self.lower[k] <= o.lower[k] && o.upper[k] <= self.upper[k])
    }

    /// In single precision, rounded outward.
    pub fn single(&self) -> Aabb {
        let down = |x: f64| if f64::from(x as f32) > x { (x as f32).next_down() } else { x as f32 };
        let up = |x: f64| -down(-x);
        let (l, u) = (&self.lower, &self.upper);
        Aabb { min: [down(l.x), down(l.y), down(l.z)], max: [up(u.x), up(u.y), up(u.z)] }
    }
}
