//! A segment: its free motion over the step and its inertia.
//!
//! Theory: `docs/theory/rod.md` eq. (10), (11). With the displacement d of the centre of mass and the
//! rotation vector θ from the target, and the inertia I_t in world axes there,
//!
//! ```text
//! E = (m |d|² + θᵀ I_t θ)/(2h²),   gradient (m d, J⁻ᵀ(θ) I_t θ)/h²,   H = (m, J⁻ᵀ I_t J⁻¹)/h²
//! ```

use coact_math::{
    Mat3, Mat6, Pose, PrincipalInertia, Quat, Spatial, Vec3, Vec6, exp_so3, free_rotation,
    left_jacobian_inverse,
};
use coact_model::{BodyId, ModelView};

use crate::branch::log_near;
use crate::strain::stack;

/// What the model says of a segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub body: BodyId,
    /// It stands for a body of another solver.
    pub proxy: bool,
    pub mass: f64,
    /// Centre of mass in the body frame \[m\].
    pub com: Vec3,
    pub inertia: PrincipalInertia,
}

impl Node {
    pub fn new(view: &ModelView, body: BodyId) -> Self {
        let i = body.index();
        Self {
            body,
            proxy: view.is_proxy_body(body),
            mass: view.body_mass[i],
            com: view.body_com[i],
            inertia: PrincipalInertia::from_tensor(&view.body_inertia[i]),
        }
    }

    /// Where the segment comes to if nothing but gravity and forces acts on it; torques act in the
    /// solve. A proxy coasts.
    pub fn free_motion(&self, pose: &Pose, velocity: &Spatial, acceleration: &Vec3, h: f64) -> Target {
        let com = pose.point(&self.com);
        let lin = if self.proxy { velocity.lin } else { velocity.lin + acceleration * h };
        let (q, ang) = if self.proxy {
            (exp_so3(&(velocity.ang * h)) * pose.q, velocity.ang)
        } else {
            free_rotation(&pose.q, &velocity.ang, &self.inertia, h)
        };
        let axes = q.to_rotation_matrix();
        let inertia = axes.matrix() * self.inertia.tensor() * axes.matrix().transpose();
        Target { com: com + lin * h, q, velocity: Spatial::new(lin, ang), inertia }
    }
}

/// The end of a segment's free motion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    /// Centre of mass \[m\].
    pub com: Vec3,
    pub q: Quat,
    /// Velocity there.
    pub velocity: Spatial,
    /// Inertia in world axes there \[kg·m²\].
    pub inertia: Mat3,
}

impl Default for Target {
    fn default() -> Self {
        let (com, q) = (Vec3::zeros(), Quat::identity());
        Self { com, q, velocity: Spatial::zeros(), inertia: Mat3::zeros() }
    }
}

/// Where a segment is at an iterate, from its target.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Iterate {
    /// (displacement of the centre of mass, rotation vector) from the target.
    pub d: Spatial,
    /// Its rotation, exp(d.ang) of the target's.
    pub q: Quat,
    /// Sum of the turns of all Newton steps: what applied torques work on \[rad\].
    pub turned: Vec3,
}

impl Iterate {
    /// The iterate at a displacement from the target.
    pub fn at(target: &Target, d: Spatial) -> Self {
        let q = if d.ang == Vec3::zeros() { target.q } else { exp_so3(&d.ang) * target.q };
        Self { d, q, turned: d.ang }
    }

    /// The iterate moved on by `t` times a Newton step.
    pub fn moved(&self, target: &Target, step: &Vec6, t: f64) -> Self {
        let lin = Vec3::new(step[0], step[1], step[2]) * t;
        let ang = Vec3::new(step[3], step[4], step[5]) * t;
        if ang == Vec3::zeros() {
            return Self { d: Spatial::new(self.d.lin + lin, self.d.ang), ..*self };
        }
        let q = Quat::new_normalize((exp_so3(&ang) * self.q).into_inner());
        let next = log_near(&(q * target.q.inverse()), &(self.d.ang + ang));
        Self { d: Spatial::new(self.d.lin + lin, next), q, turned: self.turned + ang }
    }

    /// Pose of (centre of mass, rotation).
    pub fn pose(&self, target: &Target) -> Pose {
        Pose::new(target.com + self.d.lin, self.q)
    }

    /// (m |d|² + θᵀ I_t θ)/(2h²) \[J\].
    pub fn eval_energy(&self, mass: f64, target: &Target, h: f64) -> f64 {
        let turn = (target.inertia * self.d.ang).dot(&self.d.ang);
        0.5 * (mass * self.d.lin.norm_squared() + turn) / (h * h)
    }

    /// eq. (11).
    pub fn eval_gradient(&self, mass: f64, target: &Target, h: f64) -> Vec6 {
        let torque = left_jacobian_inverse(&self.d.ang).tr_mul(&(target.inertia * self.d.ang));
        stack(&(self.d.lin * mass), &torque) / (h * h)
    }

    /// The block of eq. (13).
    pub fn eval_hessian(&self, mass: f64, target: &Target, h: f64) -> Mat6 {
        let inverse = left_jacobian_inverse(&self.d.ang);
        let turn = inverse.transpose() * target.inertia * inverse;
        let mut block = Mat6::zeros();
        block.fixed_view_mut::<3, 3>(0, 0).copy_from(&(Mat3::identity() * mass));
        block.fixed_view_mut::<3, 3>(3, 3).copy_from(&turn);
        block / (h * h)
    }
}
