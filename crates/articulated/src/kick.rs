//! The velocity after all forces but contacts: one linear solve per tree.
//!
//! Theory: `docs/theory/articulated.md` eq. (11)-(13). With implicit drives the matrix is
//! A = M + h kd + h² ke on the driven freedoms:
//!   A (u - qd) = h τ,   τ = Jᵀ (m g + f) + joint_f + clamp(-ke (q + h qd - q*) - kd (qd - qd*)).
//! The clamp is on the explicit part alone: the reaction h (kd + h ke)(u - qd) is not bounded.

use coact_math::{Spatial, Vec3, cholesky};
use coact_model::{Control, Forces};

use crate::kinematics::Kinematics;
use crate::layout::{Layout, Tree};
use crate::mass::MassMatrix;
use crate::motion::Motion;

/// Factors of A = M + drives, for one step size.
#[derive(Clone, Debug, Default)]
pub(crate) struct DriveMatrix {
    pub factor: Vec<f64>,
}

impl DriveMatrix {
    pub fn new(layout: &Layout) -> Self {
        Self { factor: vec![0.0; layout.matrix_len] }
    }

    /// Factors A of one tree: eq. (12).
    pub fn eval(&mut self, layout: &Layout, tree: &Tree, mass: &MassMatrix, h: f64) {
        let a = &mut self.factor[tree.block()];
        if !tree.driven {
            a.copy_from_slice(&mass.factor[tree.block()]);
            return;
        }
        a.copy_from_slice(&mass.values[tree.block()]);
        let n = tree.n();
        for (k, dof) in layout.dofs[tree.dofs.clone()].iter().enumerate() {
            a[k * n + k] += dof.drive_gain(h);
        }
        cholesky::factor(a, n);
    }
}

/// Wrenches of gravity and external forces about the centres of mass.
pub(crate) fn eval_wrenches(
    layout: &Layout,
    tree: &Tree,
    gravity: &Vec3,
    forces: &Forces,
    out: &mut [Spatial],
) {
    for i in tree.links.clone() {
        let link = &layout.links[i];
        let f = forces.body_f.get(link.body.index()).copied().unwrap_or_default();
        out[i] = Spatial::new(gravity * link.mass, Vec3::zeros()) + f;
    }
}

/// What a kick needs to know of the moment.
pub(crate) struct Kick<'a> {
    pub layout: &'a Layout,
    pub motion: &'a Motion,
    pub kin: &'a Kinematics,
    pub drives: &'a DriveMatrix,
    pub control: &'a Control,
    pub h: f64,
}

impl Kick<'_> {
    /// `du = A⁻¹ h τ` for one tree: eq. (11). `wrenches` is used up.
    pub fn eval(&self, tree: &Tree, wrenches: &mut [Spatial], du: &mut [f64]) {
        du[tree.dofs.clone()].fill(0.0);
        self.kin.project(self.layout, tree, wrenches, du);
        for d in tree.dofs.clone() {
            du[d] = self.h * (du[d] + self.actuation(d));
        }
        cholesky::solve(&self.drives.factor[tree.block()], &mut du[tree.dofs.clone()]);
    }

    /// Generalised force of the caller and of the drive.
    fn actuation(&self, d: usize) -> f64 {
        let dof = &self.layout.dofs[d];
        let applied = dof.global.and_then(|g| self.control.joint_f.get(g)).copied().unwrap_or(0.0);
        let Motion { q, qd, .. } = self.motion;
        applied + eval_drive(self.layout, d, (q, qd), self.control, self.h)
    }
}

/// Explicit part of the drive force on freedom `d` at coordinates and rates, for a step
/// of `h`: eq. (13).
pub(crate) fn eval_drive(
    layout: &Layout,
    d: usize,
    (q, qd): (&[f64], &[f64]),
    control: &Control,
    h: f64,
) -> f64 {
    let dof = &layout.dofs[d];
    if dof.ke == 0.0 && dof.kd == 0.0 {
        return 0.0;
    }
    let target = |of: &[f64]| dof.axis.and_then(|a| of.get(a).copied()).unwrap_or(0.0);
    let link = &layout.links[dof.link];
    let q = q[link.coord + (d - link.dofs.start)];
    let (q_target, qd_target) = (target(&control.joint_target_q), target(&control.joint_target_qd));
    let f = -dof.ke * (q + h * qd[d] - q_target) - dof.kd * (qd[d] - qd_target);
    f.max(-dof.effort).min(dof.effort)
}
