//! One shape as detection sees it: its box in the world, and the test of one particle.
//! Theory: `docs/theory/vbd.md` eq. (12), `docs/theory/distance.md` eq. (14).

use coact_math::Pose;
use coact_model::{BodyId, ShapeId};

use super::{Mobility, ParticleQuery};
use crate::contacts::ParticleShapeContact;
use crate::sdf::ShapeDistance;
use crate::world_box::WorldBox;

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
        self.bounds = WorldBox::around(&lower, &upper, &self.x_world);
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
