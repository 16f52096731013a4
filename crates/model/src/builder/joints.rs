//! Joints: adding them, their coordinates, and body poses that follow from coordinates.

use coact_math::{Pose, Quat, Spatial};

use super::mass::MassProperties;
use super::{JointDef, ModelBuilder};
use crate::error::ModelError;
use crate::ids::JointId;
use crate::joint::JointKind;
use crate::kinematics::{Link, forward_kinematics, joint_error};
use crate::model::Model;

/// Distance relative to the reach of a joint, and angle \[rad\], up to which poses and
/// coordinates count as the same: rounding of hand-written and `f32` numbers passes.
const POSE_TOLERANCE: f64 = 1e-3;

impl ModelBuilder {
    /// Adds a joint. Two joints may share a child: the first one is the tree joint of
    /// that body, the others close loops.
    pub fn add_joint(&mut self, mut def: JointDef) -> JointId {
        self.names.joints.push(std::mem::take(&mut def.name));
        self.joints.push(def);
        JointId::new(self.joints.len() - 1)
    }

    /// Number of joints so far.
    pub fn joint_count(&self) -> usize {
        self.joints.len()
    }

    /// The definition of a joint (its name is in [`ModelBuilder::names`]), if there is such an id.
    pub fn joint(&self, id: JointId) -> Option<&JointDef> {
        self.joints.get(id.index())
    }

    /// Poses and velocities of the children of tree joints from the joints' coordinates
    /// (not given = 0), along what was added so far. Call it after the last body, joint
    /// and shape. Errors at `finalize`: a joint that is wrong in itself.
    pub fn pose_from_joints(&mut self) {
        if let Err(error) = self.check_bodies().and_then(|()| self.check_joints()) {
            self.deferred.push(error);
            return;
        }
        let mut m = Model::default();
        // Without mass a body has no centre of mass either; `finalize` reports it.
        let unknown = || vec![MassProperties::default(); self.bodies.len()];
        self.fill_bodies(&mut m, &self.body_masses().unwrap_or_else(|_| unknown()));
        self.fill_joints(&mut m);
        let mut state = m.state();
        forward_kinematics(&m, &mut state);
        for (b, (q, qd)) in self.bodies.iter_mut().zip(state.body_q.into_iter().zip(state.body_qd)) {
            (b.pose, b.velocity) = (q, qd);
        }
    }

    /// Reads off the poses what joints did not give: coordinates, velocities, rest
    /// rotations of rods. Errors: given coordinates that contradict the poses.
    pub(super) fn settle_joints(&self, m: &mut Model) -> Result<(), ModelError> {
        let (body_q, body_qd): (Vec<Pose>, Vec<Spatial>) = (m.body_q.to_vec(), m.body_qd.to_vec());
        let (mut q, mut qd) = (m.joint_q.to_vec(), m.joint_qd.to_vec());
        let mut rest: Vec<Quat> = m.joint_rest_rotation.to_vec();
        for (i, def) in self.joints.iter().enumerate() {
            let link = Link::new(m, JointId::new(i));
            let (at, rates) = link.measure(&body_q, &body_qd);
            if def.q.is_none() {
                q[link.q_range()].copy_from_slice(&at[..def.kind.coord_count()]);
            }
            if def.qd.is_none() {
                qd[link.qd_range()].copy_from_slice(&rates[..def.kind.dof_count()]);
            }
            if def.kind == JointKind::Rod && def.rest_rotation.is_none() {
                rest[i] = link.relative_pose(&body_q).q;
            }
        }
        m.joint_q = q.into();
        m.joint_qd = qd.into();
        m.joint_rest_rotation = rest.into();
        (0..self.joints.len()).try_for_each(|i| self.check_pose(m, JointId::new(i)))
    }

    fn check_pose(&self, m: &Model, id: JointId) -> Result<(), ModelError> {
        let Some(q) = &self.joints[id.index()].q else { return Ok(()) };
        match pose_gap(m, id) {
            Some((distance, angle)) => Err(ModelError::PoseContradictsJoint {
                entity: self.names.joint_label(id),
                coordinates: format!("{q:?}"),
                distance,
                angle,
            }),
            None => Ok(()),
        }
    }
}

/// Distance \[m\] and angle \[rad\] between the initial poses and the initial coordinates
/// of an enabled joint, if they are more than rounding.
pub(super) fn pose_gap(m: &Model, id: JointId) -> Option<(f64, f64)> {
    let i = id.index();
    let (distance, angle) = joint_error(m, id, &m.body_q, &m.joint_q);
    let child = &m.body_q[m.joint_child[i].index()];
    let parent = m.joint_parent[i].map_or_else(Pose::identity, |b| m.body_q[b.index()]);
    let reach = m.joint_x_p[i].p.norm() + m.joint_x_c[i].p.norm() + (child.p - parent.p).norm();
    let apart = distance > POSE_TOLERANCE * reach || angle > POSE_TOLERANCE;
    (apart && m.joint_enabled[i]).then_some((distance, angle))
}
