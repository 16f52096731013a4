//! Bodies that another solver integrates: contact acts on particles only.
//!
//! Each body moves in the step from where it was at the end of the last one to where it was written since
//! (`CouplingInterface::write_interface`), with one rotation: contacts and their damping and friction see
//! that motion, eq. (9) of `docs/theory/vbd.md`. Nothing pushes it. A kinematic body that nobody writes moves
//! with its velocity, any other stays. Joints are off, bodies do not meet each other, and what contacts
//! between bodies would remember means nothing.

use coact_collide::Mobility;
use coact_math::{Pose, Spatial};
use coact_model::{BodyId, JointId, ModelView, State};

use crate::body::Bodies;

/// Where bodies come to in the next step: frame and velocity, by id; `None` = they move by themselves.
#[derive(Clone, Debug, Default)]
pub struct ExternalBodies {
    ends: Vec<Option<(Pose, Spatial)>>,
}

impl ExternalBodies {
    /// Bodies where they are in `state`.
    pub fn load(&mut self, view: &ModelView, state: &State) {
        let places = state.body_q.iter().zip(&state.body_qd).zip(view.body_kinematic.iter());
        self.ends.clear();
        self.ends.extend(places.map(|((q, qd), kinematic)| (!kinematic).then_some((*q, *qd))));
    }

    /// The other solver has put a body there.
    pub fn put(&mut self, body: BodyId, pose: &Pose, velocity: &Spatial) {
        self.ends[body.index()] = Some((*pose, *velocity));
    }

    /// Moves the bodies over the step, from where they are.
    pub fn carry(&self, bodies: &mut Bodies) {
        for (i, end) in self.ends.iter().enumerate() {
            let Some((pose, velocity)) = *end else { continue };
            let com = bodies.com(i);
            let body = bodies.get_mut(i);
            if body.mobility != Mobility::Static {
                body.target = Pose::new(pose.point(&com), pose.q);
                (body.velocity, body.free_velocity) = (velocity, velocity);
                body.go(body.target);
            }
        }
    }
}

/// A view in which no force moves a body and no joint acts.
pub fn without_bodies(view: &ModelView) -> ModelView {
    let mut own = view.clone();
    for b in (0..view.body_count()).map(BodyId::new) {
        own.immobilise_body(b);
    }
    for j in (0..view.joint_count()).map(JointId::new) {
        own.disable_joint(j);
    }
    own
}
