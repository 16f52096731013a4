//! One shape as detection sees it: its box in the world, and the test of one particle.
//! Theory: `docs/theory/vbd.md` eq. (12), `docs/theory/distance.md` eq. (14).

use coact_math::{Pose, Vec3};
use coact_model::{BodyId, ShapeId};

use super::{Mobility, ParticleQuery};
use crate::contacts::ParticleShapeContact;
use crate::sdf::ShapeDistance;

/// A shape, placed.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub shape: ShapeId,
    /// `None` while a mesh that particles do not meet has no tree.
    pub distance: Option<ShapeDistance>,
    pub body: Option<BodyId>,
    /// Shape frame in the body (or world) frame.
    pub x_local: Pose,
    /// Shape frame in the world.
    pub x_world: Pose,
    pub mobility: Mobility,
    pub margin: f64,
    pub gap: f64,
    /// How far the surface moves in the step \[m\].
    pub motion: f64,
    pub visible: bool,
    pub bounds: WorldBox,
}

/// A box along the axes of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct WorldBox {
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
}

impl Target {
    /// How far outside of the shape this target alone reaches \[m\].
    pub fn reach(&self) -> f64 {
        self.gap + self.margin + self.motion
    }

    /// eq. (14): the box of the shape where it is now.
    pub fn bound(&mut self) {
        let Some([lower, upper]) = self.distance.as_ref().and_then(ShapeDistance::bounds) else {
            self.bounds = WorldBox::ALL;
            return;
        };
        let centre = self.x_world.point(&((lower + upper) * 0.5));
        let turn = self.x_world.q.to_rotation_matrix().into_inner();
        let half = turn.abs() * ((upper - lower) * 0.5);
        self.bounds = WorldBox { lower: centre - half, upper: centre + half };
    }

    /// eq. (12): the record of `q` against this shape, if it is near enough. What is not a
    /// number meets nothing.
    pub fn meet(&self, q: &ParticleQuery) -> Option<ParticleShapeContact> {
        let reach = self.reach() + q.radius + q.motion;
        if !self.bounds.is_near(&q.x, reach) {
            return None;
        }
        let local = self.x_world.q.inverse_transform_vector(&(q.x - self.x_world.p));
        let at = self.distance.as_ref()?.eval(&local, reach)?;
        (at.distance < reach).then(|| ParticleShapeContact {
            particle: q.particle,
            shape: self.shape,
            body: self.body,
            point: self.x_local.point(&at.point.to_host(0)),
            normal: self.x_world.q * at.normal.to_host(0),
            margin: self.margin,
        })
    }
}
