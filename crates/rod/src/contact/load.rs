//! What contacts carried in the last step, as a user reads it.

use coact_model::BodyId;
use coact_solver::ContactLoad;

use super::touch::Touch;
use crate::rod::Rod;

impl Touch {
    /// Its forces at the end of the step; `rod`: what it is solved with. They act at the surface of the
    /// side that moves.
    pub fn load(&self, rod: &Rod) -> ContactLoad {
        let nodes = self.nodes();
        let side = usize::from(nodes[1].is_some());
        let com = nodes[side].map_or_else(coact_math::Vec3::zeros, |n| rod.at[n].pose(&rod.target[n]).p);
        let (push, n, offset) = (self.law.push(&self.here), self.contact.normal, self.feet[side].offset);
        let bodies: [Option<BodyId>; 2] = [self.contact.body0, self.contact.body1];
        ContactLoad {
            shapes: [self.contact.shape0, self.contact.shape1],
            bodies,
            point: com + self.arms[side] + offset,
            normal: n,
            normal_force: push.normal,
            friction: -push.friction,
            torque: -offset.cross(&(n * push.normal)),
            depth: self.here.depth,
        }
    }
}
