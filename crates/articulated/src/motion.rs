//! What moves: coordinates of the trees and poses of the bases.

use coact_math::{Pose, Spatial, Vec3, exp_so3};
use coact_model::{BodyId, JointKind, ModelView, State};

use crate::coordinates::coordinates_of_pose;
use crate::kinematics::Kinematics;
use crate::layout::{Base, Layout, Link, Role, Tree};

/// The independent state, all of it: everything else is derived.
#[derive(Clone, Debug, Default)]
pub(crate) struct Motion {
    /// Joint coordinates. Shape: \[coord_count\].
    pub q: Vec<f64>,
    /// Joint velocities. Shape: \[dof_count\].
    pub qd: Vec<f64>,
    /// Poses of bases. Shape: \[base_count\].
    pub base_q: Vec<Pose>,
    /// Velocities of bases (centre of mass, angular). Shape: \[base_count\].
    pub base_qd: Vec<Spatial>,
}

impl Motion {
    pub fn new(layout: &Layout) -> Self {
        Self {
            q: vec![0.0; layout.coord_count],
            qd: vec![0.0; layout.dofs.len()],
            base_q: vec![Pose::identity(); layout.bases.len()],
            base_qd: vec![Spatial::zeros(); layout.bases.len()],
        }
    }

    /// Copies into existing memory.
    pub fn copy_from(&mut self, o: &Self) {
        self.q.clone_from(&o.q);
        self.qd.clone_from(&o.qd);
        self.base_q.clone_from(&o.base_q);
        self.base_qd.clone_from(&o.base_qd);
    }

    /// Joint coordinates of joints, body poses of synthesised roots and of bases.
    pub fn load(&mut self, layout: &Layout, view: &ModelView, state: &State) {
        self.load_some(layout, view, state, |_| true);
    }

    /// The same of some bodies, each with the joint that carries it.
    pub fn load_some(
        &mut self,
        layout: &Layout,
        view: &ModelView,
        state: &State,
        takes: impl Fn(BodyId) -> bool,
    ) {
        for link in layout.links.iter().filter(|l| takes(l.body)) {
            let dofs = link.dofs.clone();
            let coords = link.coord..link.coord + link.kind.coord_count();
            if let Some(j) = link.joint {
                let (a, d) = (view.joint_q_start[j.index()], view.joint_qd_start[j.index()]);
                let (a, d) = (a as usize, d as usize);
                self.q[coords.clone()].copy_from_slice(&state.joint_q[a..a + coords.len()]);
                self.qd[dofs.clone()].copy_from_slice(&state.joint_qd[d..d + dofs.len()]);
            } else {
                let b = link.body.index();
                self.set_free(link, &state.body_q[b], &state.body_qd[b]);
            }
            if matches!(link.kind, JointKind::Ball | JointKind::Free) {
                let end = coords.end;
                normalise(&mut self.q[end - 4..end]);
            }
        }
        for (k, base) in layout.bases.iter().enumerate().filter(|(_, b)| takes(b.body)) {
            self.set_base(k, base, state.body_q[base.body.index()], state.body_qd[base.body.index()]);
        }
    }

    /// Pose and velocity of a free link whose anchors are the world and the body frame.
    pub fn set_free(&mut self, link: &Link, pose: &Pose, velocity: &Spatial) {
        coordinates_of_pose(link, pose, &mut self.q[link.coord..]);
        let qd = &mut self.qd[link.dofs.clone()];
        qd[..3].copy_from_slice(velocity.lin.as_slice());
        qd[3..].copy_from_slice(velocity.ang.as_slice());
    }

    /// Pose and velocity of a base; a base of another entry stands still.
    pub fn set_base(&mut self, k: usize, base: &Base, pose: Pose, velocity: Spatial) {
        self.base_q[k] = pose;
        self.base_qd[k] = if base.moves { velocity } else { Spatial::zeros() };
    }

    /// Velocities of kinematic bodies that the control moves.
    pub fn prescribe(&mut self, layout: &Layout, velocities: &[(BodyId, Spatial)]) {
        for &(b, velocity) in velocities {
            if let Role::Base(k) = layout.roles[b.index()]
                && layout.bases[k].moves
            {
                self.base_qd[k] = velocity;
            }
        }
    }

    /// Pose of a base after time `t`, its velocity being constant.
    pub fn base_pose_after(&self, base: &Base, k: usize, t: f64) -> Pose {
        let (x, v) = (&self.base_q[k], &self.base_qd[k]);
        if !base.moves || *v == Spatial::zeros() {
            return *x;
        }
        let q = exp_so3(&(v.ang * t)) * x.q;
        Pose::new(x.point(&base.com) + v.lin * t - q * base.com, q)
    }

    /// Pose of what carries a tree after time `t`; the world's is the identity.
    pub fn carrier_pose(&self, layout: &Layout, tree: &Tree, t: f64) -> Pose {
        tree.base.map_or_else(Pose::identity, |k| self.base_pose_after(&layout.bases[k], k, t))
    }

    /// Centre of mass (after time `t`) and velocity of what carries a tree.
    pub fn carrier_twist(&self, layout: &Layout, tree: &Tree, t: f64) -> (Vec3, Spatial) {
        tree.base.map_or((Vec3::zeros(), Spatial::zeros()), |k| {
            let base = &layout.bases[k];
            (self.base_pose_after(base, k, t).point(&base.com), self.base_qd[k])
        })
    }

    /// Bases at the end of a step.
    pub fn advance_bases(&mut self, layout: &Layout, dt: f64) {
        for (k, base) in layout.bases.iter().enumerate() {
            self.base_q[k] = self.base_pose_after(base, k, dt);
        }
    }

    /// Takes over the motion of another layout of the same view: by joint where both
    /// have it, else from the pose and velocity of the body.
    pub fn take_over(&mut self, to: &Layout, from: &Layout, old: &Self, kin: &Kinematics, v: &[Spatial]) {
        let seen = |role: Role| match role {
            Role::Link(i) => (kin.pose[i], v[i]),
            Role::Base(k) => (old.base_q[k], old.base_qd[k]),
        };
        for (k, base) in to.bases.iter().enumerate() {
            let (pose, velocity) = seen(from.roles[base.body.index()]);
            self.set_base(k, base, pose, velocity);
        }
        for link in &to.links {
            let role = from.roles[link.body.index()];
            let same = match role {
                Role::Link(i) => Some(&from.links[i]).filter(|o| o.joint == link.joint),
                Role::Base(_) => None,
            };
            if let Some(o) = same {
                let n = link.kind.coord_count();
                self.q[link.coord..link.coord + n].copy_from_slice(&old.q[o.coord..o.coord + n]);
                self.qd[link.dofs.clone()].copy_from_slice(&old.qd[o.dofs.clone()]);
                continue;
            }
            let (pose, velocity) = seen(role);
            self.take_over_pose(to, link, &pose, &velocity, |b| seen(from.roles[b]));
        }
    }

    /// A joint that was not there before: coordinates nearest to the poses, at rest
    /// relative to its parent unless it is free.
    fn take_over_pose(
        &mut self,
        to: &Layout,
        link: &Link,
        pose: &Pose,
        velocity: &Spatial,
        seen: impl Fn(usize) -> (Pose, Spatial),
    ) {
        if link.joint.is_none() {
            return self.set_free(link, pose, velocity);
        }
        let carrier = match (link.parent, to.trees[link.tree].base) {
            (Some(p), _) => seen(to.links[p].body.index()).0,
            (None, Some(k)) => self.base_q[k],
            (None, None) => Pose::identity(),
        };
        let anchor = carrier * link.x_p;
        let across = anchor.inverse() * *pose * link.x_c_inv.inverse();
        coordinates_of_pose(link, &across, &mut self.q[link.coord..]);
        self.qd[link.dofs.clone()].fill(0.0);
    }
}

fn normalise(q: &mut [f64]) {
    let n = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    // rounding aside, what was stored comes back with the same bits
    if (n - 1.0).abs() > 1e-12 && n > 0.0 {
        q.iter_mut().for_each(|x| *x /= n);
    }
}
