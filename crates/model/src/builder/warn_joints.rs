//! Warnings about joints: frames that do not meet, starts out of range, loops that hold more than
//! they need to.
//!
//! A loop closes six conditions on the motions that its joints leave free. Where those span fewer
//! than six directions at the initial poses, some conditions say the same: the forces that hold
//! them are not determined, and poses that are slightly off cannot all be met. Each loop of a
//! spanning tree is looked at alone; loops that only together hold too much are not found.

use coact_math::Vec3;
use nalgebra::Matrix6xX;

use super::ModelBuilder;
use super::joints::pose_gap;
use super::warn::warn;
use crate::error::{Warning, WarningKind};
use crate::ids::JointId;
use crate::joint::JointKind;
use crate::kinematics::Link;
use crate::model::Model;

/// Singular values below this share of the largest are those of motions that are not there: poses
/// written with six digits pass as parallel.
const RANK: f64 = 1e-5;

/// Joints that a message names, at most.
const NAMED: usize = 8;

impl ModelBuilder {
    pub(super) fn warn_joints(&self, m: &Model, out: &mut Vec<Warning>) {
        for i in 0..self.joints.len() {
            let id = JointId::new(i);
            if let Some((distance, angle)) = pose_gap(m, id) {
                let message = format!(
                    "its frames do not meet at the initial poses: {distance:.3e} m and {angle:.3e} rad off; \
                     the first steps will pull them together"
                );
                out.push(warn(WarningKind::JointGap, self.names.joint_label(id), message));
            }
            self.warn_range(m, id, out);
        }
        for l in loops(m) {
            let rank = free_directions(m, &l);
            if rank < 6 {
                out.push(self.warn_loop(&l, rank));
            }
        }
    }

    /// Coordinates, or the distance of the anchors, outside of the limits.
    fn warn_range(&self, m: &Model, id: JointId, out: &mut Vec<Warning>) {
        let i = id.index();
        let first = m.joint_q_start[i] as usize;
        for (k, axis) in m.axes_of(id).iter().enumerate().filter(|_| m.joint_enabled[i]) {
            let (at, what) = match m.joint_kind[i] {
                JointKind::Rod => continue,
                JointKind::Distance => (Link::new(m, id).relative_pose(&m.body_q).p.norm(), "distance"),
                _ => (m.joint_q[first + k], "coordinate"),
            };
            let (lower, upper) = (axis.limit_lower, axis.limit_upper);
            let rounding = 1e-6 * (1.0 + at.abs());
            if at < lower - rounding || at > upper + rounding {
                let message = format!(
                    "its {what} is {at:.6} at the start, and its limits are {lower} to {upper}; the first steps \
                     will push it there: move a body, or widen the limits"
                );
                out.push(warn(WarningKind::JointRange, self.names.joint_label(id), message));
            }
        }
    }

    fn warn_loop(&self, joints: &[JointId], rank: usize) -> Warning {
        let label = |j: &JointId| self.names.joint_label(*j);
        let (closing, rest) = (joints[0], &joints[1..]);
        let mut others: Vec<String> = rest.iter().take(NAMED).map(label).collect();
        if rest.len() > NAMED {
            others.push(format!("{} more", rest.len() - NAMED));
        }
        let message = format!(
            "with {} it closes a loop that holds {} of 6 directions more than once: which joint bears what is not \
             determined there; to have it determined, make one of them a ball or a D6 joint that leaves these \
             directions free, or remove one",
            others.join(", "),
            6 - rank
        );
        warn(WarningKind::OverConstrained, label(&closing), message)
    }
}

/// The loops that enabled joints close, each with the joint that closes it first. What never moves
/// is one with the world.
fn loops(m: &Model) -> Vec<Vec<JointId>> {
    let place = |body: usize| if m.body_kinematic[body] { 0 } else { body + 1 };
    let mut neighbors: Vec<Vec<(usize, JointId)>> = vec![Vec::new(); m.body_count() + 1];
    let mut ends = Vec::new();
    for j in (0..m.joint_count()).filter(|&j| m.joint_enabled[j] && holds(m.joint_kind[j])) {
        let (a, b) = (m.joint_parent[j].map_or(0, |p| place(p.index())), place(m.joint_child[j].index()));
        neighbors[a].push((b, JointId::new(j)));
        neighbors[b].push((a, JointId::new(j)));
        ends.push((JointId::new(j), a, b));
    }
    // towards the root, by breadth: short loops
    let mut up: Vec<Option<(usize, JointId)>> = vec![None; neighbors.len()];
    let mut depth = vec![usize::MAX; neighbors.len()];
    for root in 0..neighbors.len() {
        if depth[root] != usize::MAX {
            continue;
        }
        depth[root] = 0;
        let mut queue = std::collections::VecDeque::from([root]);
        while let Some(a) = queue.pop_front() {
            for &(b, j) in &neighbors[a] {
                if depth[b] == usize::MAX {
                    (depth[b], up[b]) = (depth[a] + 1, Some((a, j)));
                    queue.push_back(b);
                }
            }
        }
    }
    let in_tree = |j: JointId, a: usize, b: usize| [a, b].iter().any(|&x| up[x].is_some_and(|u| u.1 == j));
    let closing = ends.into_iter().filter(|&(j, a, b)| a != b && !in_tree(j, a, b));
    closing.map(|(j, a, b)| path(j, a, b, &up, &depth)).collect()
}

/// Whether a joint holds what its coordinates do not leave free, rather than springs do.
fn holds(kind: JointKind) -> bool {
    !matches!(kind, JointKind::Free | JointKind::Distance | JointKind::Rod)
}

fn path(
    closing: JointId,
    mut a: usize,
    mut b: usize,
    up: &[Option<(usize, JointId)>],
    depth: &[usize],
) -> Vec<JointId> {
    let mut joints = vec![closing];
    while a != b {
        let lower = if depth[a] >= depth[b] { &mut a } else { &mut b };
        let Some((next, j)) = up[*lower] else { break };
        joints.push(j);
        *lower = next;
    }
    joints
}

/// How many of six directions the free motions of the joints of a loop span, about the middle of
/// their anchors and over its extent.
fn free_directions(m: &Model, joints: &[JointId]) -> usize {
    let frames: Vec<_> = joints.iter().map(|&j| Link::new(m, j).parent_frame(&m.body_q)).collect();
    let middle = frames.iter().map(|f| f.p).sum::<Vec3>() / frames.len() as f64;
    let extent = frames.iter().map(|f| (f.p - middle).norm()).fold(1e-9, f64::max);
    let mut columns = Vec::new();
    for (&j, frame) in joints.iter().zip(&frames) {
        let q = &m.joint_q[Link::new(m, j).q_range()];
        let (linear, angular) = Link::new(m, j).motion.free_axes(q);
        let arm = (frame.p - middle) / extent;
        columns.extend(linear.iter().map(|a| (frame.q * a, Vec3::zeros())));
        columns.extend(angular.iter().map(|a| (arm.cross(&(frame.q * a)), frame.q * a)));
    }
    if columns.is_empty() {
        return 0;
    }
    let matrix = Matrix6xX::from_fn(columns.len(), |r, c| {
        let (lin, ang): &(Vec3, Vec3) = &columns[c];
        if r < 3 { lin[r] } else { ang[r - 3] }
    });
    let values = matrix.singular_values();
    values.iter().filter(|v| **v > RANK * values.max()).count()
}
