//! Joint coordinates to body poses, and back.
//!
//! Along the spanning tree of the enabled joints, parents first: X_WC = X_WP · X_PC(q).
//! Loop joints are left out of the way down (their coordinates are only measured), rods
//! too, since their segments move freely. Nothing here projects loops shut.

mod motion;
mod tree;

pub use tree::{JointTree, joint_tree};

pub(crate) use motion::{JointMotion, zero_coordinates};

use std::f64::consts::TAU;

use coact_math::{Pose, Spatial};

use crate::ids::JointId;
use crate::joint::JointKind;
use crate::model::Model;
use crate::state::State;

/// Share by which a coordinate may differ from what poses say.
const ROUNDING: f64 = 1e-9;

/// Sets the pose and velocity of each child of a tree joint from `joint_q` and
/// `joint_qd`; other bodies stay. Lengths must be the model's.
pub fn forward_kinematics(model: &Model, state: &mut State) {
    forward_kinematics_in(model, &joint_tree(model), state);
}

/// [`forward_kinematics`] along a tree computed before; allocates nothing.
pub fn forward_kinematics_in(model: &Model, tree: &JointTree, state: &mut State) {
    for &j in &tree.order {
        let link = Link::new(model, j);
        let (q, qd) = (link.q(&state.joint_q), link.qd(&state.joint_qd));
        let x_wp = link.parent_frame(&state.body_q);
        let child = x_wp * link.motion.pose(q) * model.joint_x_c[j.index()].inverse();
        let v = link.child_velocity(state, &child, &link.motion.rate(q, qd));
        state.body_q[link.child] = child;
        state.body_qd[link.child] = v;
    }
}

/// Measures `joint_q` and `joint_qd` of every joint from the poses and velocities of the
/// bodies; angles in (−π, π]. Lengths must be the model's.
pub fn measure_joints(model: &Model, state: &mut State) {
    for i in 0..model.joint_count() {
        let link = Link::new(model, JointId::new(i));
        let (q, qd) = link.measure(&state.body_q, &state.body_qd);
        state.joint_q[link.q_range()].copy_from_slice(&q[..link.motion.kind.coord_count()]);
        state.joint_qd[link.qd_range()].copy_from_slice(&qd[..link.motion.kind.dof_count()]);
    }
}

/// Where `joint_q` and `joint_qd` do not say what the bodies do, they are measured: a solver that moves
/// bodies by their poses keeps no coordinates. Angles are counted on from what `joint_q` was, so that whole
/// turns stay as long as less than half a turn lies between two calls. Lengths must be the model's.
pub fn follow_joints(model: &Model, state: &mut State) {
    for i in 0..model.joint_count() {
        let link = Link::new(model, JointId::new(i));
        let (q, qd) = link.measure(&state.body_q, &state.body_qd);
        let angles = link.motion.kind.angle_coordinates();
        let of = link.q_range();
        for (k, measured) in q[..of.len()].iter().enumerate() {
            let was = state.joint_q[of.start + k];
            let turns = if angles.contains(&k) { ((was - measured) / TAU).round() * TAU } else { 0.0 };
            let now = measured + turns;
            if (now - was).abs() > ROUNDING * now.abs().max(1.0) {
                state.joint_q[of.start + k] = now;
            }
        }
        for (k, measured) in qd[..link.motion.kind.dof_count()].iter().enumerate() {
            let was = &mut state.joint_qd[link.qd_range().start + k];
            if (measured - *was).abs() > ROUNDING * measured.abs().max(1.0) {
                *was = *measured;
            }
        }
    }
}

/// How far the frames of a joint are from where `joint_q` puts them: distance \[m\] and
/// angle \[rad\]. Rods have no coordinates and are always at (0, 0).
pub fn joint_error(model: &Model, joint: JointId, body_q: &[Pose], joint_q: &[f64]) -> (f64, f64) {
    let link = Link::new(model, joint);
    if link.motion.kind == JointKind::Rod {
        return (0.0, 0.0);
    }
    let (want, is) = (link.motion.pose(link.q(joint_q)), link.relative_pose(body_q));
    ((want.p - is.p).norm(), want.q.angle_to(&is.q))
}

/// Coordinates of a joint next to the poses of its bodies; the first `kind.coord_count()` count, angles
/// are in (−π, π]. `parent` is not read where that is the world.
pub fn joint_coordinates(model: &Model, joint: JointId, parent: &Pose, child: &Pose) -> [f64; 7] {
    let i = joint.index();
    let frame = model.joint_parent[i].map_or(model.joint_x_p[i], |_| *parent * model.joint_x_p[i]);
    Link::new(model, joint).motion.coordinates(&(frame.inverse() * (*child * model.joint_x_c[i])))
}

/// A joint with its place in the model.
pub(crate) struct Link<'a> {
    model: &'a Model,
    joint: usize,
    child: usize,
    pub motion: JointMotion<'a>,
}

impl<'a> Link<'a> {
    pub fn new(model: &'a Model, j: JointId) -> Self {
        let joint = j.index();
        let motion = JointMotion {
            kind: model.joint_kind[joint],
            axes: model.axes_of(j),
            rest: model.joint_rest_rotation[joint],
        };
        Self { model, joint, child: model.joint_child[joint].index(), motion }
    }

    pub fn q_range(&self) -> std::ops::Range<usize> {
        let s = &self.model.joint_q_start;
        s[self.joint] as usize..s[self.joint + 1] as usize
    }

    pub fn qd_range(&self) -> std::ops::Range<usize> {
        let s = &self.model.joint_qd_start;
        s[self.joint] as usize..s[self.joint + 1] as usize
    }

    fn q<'b>(&self, joint_q: &'b [f64]) -> &'b [f64] {
        &joint_q[self.q_range()]
    }

    fn qd<'b>(&self, joint_qd: &'b [f64]) -> &'b [f64] {
        &joint_qd[self.qd_range()]
    }

    /// The joint frame of the parent in the world.
    pub fn parent_frame(&self, body_q: &[Pose]) -> Pose {
        let x_p = self.model.joint_x_p[self.joint];
        self.model.joint_parent[self.joint].map_or(x_p, |b| body_q[b.index()] * x_p)
    }

    /// Pose of the child joint frame in the parent joint frame.
    pub fn relative_pose(&self, body_q: &[Pose]) -> Pose {
        let x_wc = body_q[self.child] * self.model.joint_x_c[self.joint];
        self.parent_frame(body_q).inverse() * x_wc
    }

    /// Coordinates and rates next to the given poses and velocities.
    pub fn measure(&self, body_q: &[Pose], body_qd: &[Spatial]) -> ([f64; 7], [f64; 6]) {
        let q = self.motion.coordinates(&self.relative_pose(body_q));
        let at = self.rate_point(&body_q[self.child]);
        let child = &body_qd[self.child];
        let com = self.model.body_com[self.child];
        let v_child = child.velocity_at(&(at - body_q[self.child].point(&com)));
        let base = self.parent_velocity(body_q, body_qd, &at);
        let turn = self.parent_frame(body_q).q.inverse();
        let v = Spatial::new(turn * (v_child - base.lin), turn * (child.ang - base.ang));
        (q, self.motion.rates(&q[..self.motion.kind.coord_count()], &v))
    }

    /// Where the linear rate of the joint is measured, in the world: the origin of the
    /// child frame, or the centre of mass for a free joint.
    fn rate_point(&self, child: &Pose) -> coact_math::Vec3 {
        match self.motion.kind {
            JointKind::Free | JointKind::Distance => child.point(&self.model.body_com[self.child]),
            _ => child.point(&self.model.joint_x_c[self.joint].p),
        }
    }

    /// Velocity that the parent frame carries to the world point `at`.
    fn parent_velocity(&self, body_q: &[Pose], body_qd: &[Spatial], at: &coact_math::Vec3) -> Spatial {
        let Some(b) = self.model.joint_parent[self.joint] else { return Spatial::zeros() };
        let com = self.model.com_at(b, &body_q[b.index()]);
        let v = body_qd[b.index()];
        Spatial::new(v.velocity_at(&(at - com)), v.ang)
    }

    fn child_velocity(&self, state: &State, child: &Pose, rate: &Spatial) -> Spatial {
        let at = self.rate_point(child);
        let base = self.parent_velocity(&state.body_q, &state.body_qd, &at);
        let turn = self.parent_frame(&state.body_q).q;
        let ang = base.ang + turn * rate.ang;
        let com = child.point(&self.model.body_com[self.child]);
        Spatial::new(base.lin + turn * rate.lin + ang.cross(&(com - at)), ang)
    }
}

#[cfg(test)]
mod tests;
