//! What contacts between bodies carried over a step, as a user reads it. Theory:
//! `docs/theory/rigid-rows.md` section 6.
//!
//! Forces are those that the last solve of the step balanced, before multipliers followed, and what
//! impacts added: over the step they gave the bodies the momentum that these have now.

use coact_math::Vec3;
use coact_model::BodyId;
use coact_solver::ContactLoad;

use super::{Touch, Touches};
use crate::body::{Bodies, Place};

impl Touches {
    /// What every contact carried in the last step.
    pub fn loads<'a>(&'a self, bodies: &'a Bodies) -> impl Iterator<Item = ContactLoad> + 'a {
        self.list.iter().map(|t| t.load(bodies))
    }
}

impl Touch {
    fn load(&self, bodies: &Bodies) -> ContactLoad {
        // a side that nothing moves lets its point lie where the other one's is, but for the depth
        let side = usize::from(bodies.moves(self.bodies[1]));
        let [lift, rub] = self.place.arms.map(|arms| arms[side]);
        let (n, normal_force) = (self.row.normal, self.applied.normal + self.struck.0);
        let c = &self.memory.contact;
        ContactLoad {
            shapes: [c.shape0, c.shape1],
            bodies: self.bodies.map(|b| (b != u32::MAX).then_some(BodyId(b))),
            point: bodies.placed(self.bodies[side], Place::Now).p + rub,
            normal: n,
            normal_force,
            friction: self.applied.friction + self.struck.1,
            torque: self.applied.spin + Vec3::cross(&(lift - rub), &(n * normal_force)),
            depth: self.place.depth,
        }
    }
}
