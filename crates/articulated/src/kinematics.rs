//! Forward kinematics, link velocities, and the transposed Jacobian.
//!
//! Theory: `docs/theory/articulated.md` eq. (4)-(7). Each freedom is a unit axis `a`
//! through a point `o`, angular or linear; the Jacobian is never stored: a freedom moves
//! the point x of a link by a × (x - o) or by a.

use coact_math::{Mat3, Pose, Spatial, Vec3};
use coact_model::JointKind;

use crate::coordinates::joint_pose;
use crate::layout::{Layout, Link, Tree};

/// Where everything is, in the world frame, at one set of coordinates.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kinematics {
    /// Poses of the body frames. Shape: \[link_count\].
    pub pose: Vec<Pose>,
    /// Centres of mass \[m\]. Shape: \[link_count\].
    pub com: Vec<Vec3>,
    /// Inertia about the centre of mass \[kg·m²\]. Shape: \[link_count\].
    pub inertia: Vec<Mat3>,
    /// Unit axes of freedoms. Shape: \[dof_count\].
    pub axis: Vec<Vec3>,
    /// Points on the axes of angular freedoms \[m\]. Shape: \[dof_count\].
    pub point: Vec<Vec3>,
    /// Whether a freedom turns. Shape: \[dof_count\].
    pub angular: Vec<bool>,
}

impl Kinematics {
    pub fn new(layout: &Layout) -> Self {
        let (links, dofs) = (layout.links.len(), layout.dofs.len());
        Self {
            pose: vec![Pose::identity(); links],
            com: vec![Vec3::zeros(); links],
            inertia: vec![Mat3::zeros(); links],
            axis: vec![Vec3::zeros(); dofs],
            point: vec![Vec3::zeros(); dofs],
            angular: vec![false; dofs],
        }
    }

    /// Forward kinematics of one tree whose base is at `base`: eq. (4).
    pub fn eval(&mut self, layout: &Layout, tree: &Tree, base: &Pose, q: &[f64]) {
        for i in tree.links.clone() {
            let link = &layout.links[i];
            let parent = link.parent.map_or(*base, |p| self.pose[p]);
            let anchor = parent * link.x_p;
            let child = anchor * joint_pose(link, &q[link.coord..]);
            self.pose[i] = child * link.x_c_inv;
            self.com[i] = self.pose[i].point(&link.com);
            let r = self.pose[i].q.to_rotation_matrix();
            self.inertia[i] = r.matrix() * link.inertia * r.matrix().transpose();
            self.eval_axes(link, i, &anchor, &child);
        }
    }

    fn eval_axes(&mut self, link: &Link, i: usize, anchor: &Pose, child: &Pose) {
        let r = anchor.q.to_rotation_matrix();
        for (k, d) in link.dofs.clone().enumerate() {
            let column = |c: usize| r.matrix().column(c).into_owned();
            let (axis, point, angular) = match link.kind {
                JointKind::Revolute => (anchor.q * link.axis, child.p, true),
                JointKind::Prismatic => (anchor.q * link.axis, child.p, false),
                JointKind::Ball => (column(k), child.p, true),
                _ => (column(k % 3), self.com[i], k >= 3),
            };
            (self.axis[d], self.point[d], self.angular[d]) = (axis, point, angular);
        }
    }

    /// Velocity of a point `x` moved by freedom `d` at unit rate, and its turn: eq. (5).
    pub fn column(&self, d: usize, x: &Vec3) -> Spatial {
        let a = self.axis[d];
        if self.angular[d] {
            Spatial::new(a.cross(&(x - self.point[d])), a)
        } else {
            Spatial::new(a, Vec3::zeros())
        }
    }

    /// Velocities of the links of a tree: eq. (6). `base`: centre of mass and velocity of
    /// what carries the root.
    pub fn eval_velocities(
        &self,
        layout: &Layout,
        tree: &Tree,
        base: &(Vec3, Spatial),
        qd: &[f64],
        out: &mut [Spatial],
    ) {
        for i in tree.links.clone() {
            let link = &layout.links[i];
            let (c, v) = link.parent.map_or(*base, |p| (self.com[p], out[p]));
            let mut sum = Spatial::new(v.velocity_at(&(self.com[i] - c)), v.ang);
            for d in link.dofs.clone() {
                sum += self.column(d, &self.com[i]) * qd[d];
            }
            out[i] = sum;
        }
    }

    /// `out += Jᵀ f`: eq. (7). `f` holds a wrench about each link's centre of mass and is
    /// used up: afterwards each holds the sum over its subtree.
    pub fn project(&self, layout: &Layout, tree: &Tree, f: &mut [Spatial], out: &mut [f64]) {
        self.project_each(layout, tree, f, |d, value| out[d] += value);
    }

    fn project_each(&self, layout: &Layout, tree: &Tree, f: &mut [Spatial], mut add: impl FnMut(usize, f64)) {
        for i in tree.links.clone().rev() {
            let link = &layout.links[i];
            for d in link.dofs.clone() {
                add(d, self.column(d, &self.com[i]).dot(&f[i]));
            }
            if let Some(p) = link.parent {
                let lever = self.com[i] - self.com[p];
                f[p] = Spatial::new(f[p].lin + f[i].lin, f[p].ang + f[i].ang + lever.cross(&f[i].lin));
            }
        }
    }

    /// `out = Jᵀ f` of one tree, `out` being its freedoms alone.
    pub fn project_into(&self, layout: &Layout, tree: &Tree, f: &mut [Spatial], out: &mut [f64]) {
        out.fill(0.0);
        let first = tree.dofs.start;
        self.project_each(layout, tree, f, |d, value| out[d - first] += value);
    }

    /// Visits the freedoms that move link `i`, from the link to the root.
    pub fn each_moving(&self, layout: &Layout, i: usize, mut visit: impl FnMut(usize)) {
        let mut at = Some(i);
        while let Some(k) = at {
            layout.links[k].dofs.clone().for_each(&mut visit);
            at = layout.links[k].parent;
        }
    }
}
