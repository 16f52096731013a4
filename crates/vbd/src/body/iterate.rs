//! One body at an iterate of a step, apart from all others: what connections read of it, and what
//! is constant about it in a step. Theory: `docs/theory/vbd.md` eq. (17)–(19).
//!
//! ```text
//! force   F = −m dx/h²           torque  τ = τ_ext − J θ/h²        J = R I Rᵀ now
//! dx += δ, q ← exp(δθ) q
//! ```

use coact_math::{Mat3, Pose, Quat, Spatial, Vec3, rotation_between};

use super::{Bodies, Body, BodyLoad, SurfacePoint, rounded, turned};
use crate::config::RotationUpdate;

/// Where a body is in a step. The static world is at the origin and stays there.
#[derive(Clone, Copy, Debug)]
pub struct Iterate {
    /// Centre of mass \[m\] and rotation.
    pub now: Pose,
    /// The rotation as a matrix.
    pub axes: Mat3,
    /// Centre of mass and rotation at the begin of the step.
    pub begin: Pose,
    /// By how much the matrix of the rotation has changed since then.
    pub turned: Mat3,
    /// What it moved and turned since then.
    pub moved: Spatial,
    /// Displacement from the inertial target \[m\].
    pub dx: Vec3,
    /// Rotation vector from the inertial target.
    pub theta: Vec3,
}

/// What does not change of a free body while it is solved.
#[derive(Clone, Copy, Debug)]
pub struct Inertial {
    /// Mass \[kg\].
    pub mass: f64,
    inertia: Mat3,
    inverse: Mat3,
    /// Torque that acts as a potential \[N·m\].
    torque: Vec3,
    target: Pose,
    com: Vec3,
}

/// How bodies take steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Motion {
    /// Update of the rotation.
    pub rotation: RotationUpdate,
    /// Whether poses are numbers of `f32`.
    pub single: bool,
}

impl Default for Iterate {
    fn default() -> Self {
        Self {
            now: Pose::identity(),
            axes: Mat3::identity(),
            begin: Pose::identity(),
            turned: Mat3::zeros(),
            moved: Spatial::zeros(),
            dx: Vec3::zeros(),
            theta: Vec3::zeros(),
        }
    }
}

impl Iterate {
    /// Where `b` is now.
    pub fn of(b: &Body) -> Self {
        Self { theta: b.theta(), ..Self::seen(b) }
    }

    /// The same without θ.
    fn seen(b: &Body) -> Self {
        let axes = matrix(&b.now.q);
        let turned = axes - matrix(&b.begin.q);
        Self { now: b.now, axes, begin: b.begin, turned, moved: b.moved, dx: b.dx, theta: Vec3::zeros() }
    }

    /// eq. (9): the material point at `r` from the centre of mass, body axes.
    #[inline]
    pub fn surface_point(&self, r: &Vec3) -> SurfacePoint {
        SurfacePoint { position: self.now.p + self.axes * r, displacement: self.moved.lin + self.turned * r }
    }

    /// The point at `offset` from another one \[m, world frame\], however the body turned.
    #[inline]
    pub fn beside(&self, point: &SurfacePoint, offset: &Vec3) -> SurfacePoint {
        let displacement = point.displacement + self.moved.ang.cross(offset);
        SurfacePoint { position: point.position + offset, displacement }
    }

    /// eq. (18): after a step of the unknowns (dx, θ) of a body.
    pub fn stepped(&self, body: &Inertial, step: &Spatial, motion: Motion) -> Self {
        let q = match motion.rotation {
            RotationUpdate::Exponential => turned(&self.now.q, &step.ang),
            RotationUpdate::FirstOrder => half_turned(&self.now.q, &step.ang),
        };
        let dx = self.dx + step.lin;
        let mut now = Pose::new(body.target.p + dx, q);
        if motion.single {
            now = rounded(&now, &body.com);
        }
        let dx = if motion.single { now.p - body.target.p } else { dx };
        let axes = matrix(&now.q);
        Self {
            now,
            axes,
            begin: self.begin,
            turned: self.turned + (axes - self.axes),
            moved: Spatial::new(now.p - self.begin.p, rotation_between(&self.begin.q, &now.q)),
            dx,
            theta: rotation_between(&body.target.q, &now.q),
        }
    }
}

impl Inertial {
    /// Of `b` in this step.
    pub fn of(b: &Body) -> Self {
        Self {
            mass: b.mass,
            inertia: b.inertia,
            inverse: b.inverse_inertia,
            torque: b.torque,
            target: b.target,
            com: b.com,
        }
    }

    /// eq. (17): adds inertia and external torque; returns m |dx|²/h² + θᵀ J θ/h² \[J\].
    pub fn add(&self, at: &Iterate, h: f64, load: &mut BodyLoad) -> f64 {
        let w = 1.0 / (h * h);
        let j = at.axes * self.inertia * at.axes.transpose() * w;
        let (force, torque) = (at.dx * (self.mass * w), j * at.theta);
        load.wrench += Spatial::new(-force, self.torque - torque);
        load.ll += Mat3::from_diagonal_element(self.mass * w);
        load.aa += j;
        force.dot(&at.dx) + torque.dot(&at.theta)
    }

    /// What a step of inertia alone would gain under a wrench: F² h²/m + τᵀ J⁻¹ τ h² \[J\].
    pub fn gain(&self, at: &Iterate, wrench: &Spatial, h: f64) -> f64 {
        let t = at.axes.tr_mul(&wrench.ang);
        h * h * (wrench.lin.norm_squared() / self.mass + t.dot(&(self.inverse * t)))
    }
}

impl Bodies {
    /// A body where it is now, as its neighbours see it: without θ. Out of range is the static world.
    pub fn seen(&self, body: u32) -> Iterate {
        self.list.get(body as usize).map_or_else(Iterate::default, Iterate::seen)
    }

    /// Takes over where a body has come to; `touched`: whether anything else acts on it.
    pub fn put(&mut self, body: usize, at: &Iterate, touched: bool) {
        let b = &mut self.list[body];
        (b.now, b.moved, b.dx, b.untouched) = (at.now, at.moved, at.dx, !touched);
    }

    /// How they take steps.
    pub fn motion(&self) -> Motion {
        Motion { rotation: self.rotation, single: self.single }
    }
}

fn matrix(q: &Quat) -> Mat3 {
    q.to_rotation_matrix().into_inner()
}

/// The rotation by 2 atan(|w|/2) about w.
fn half_turned(q: &Quat, w: &Vec3) -> Quat {
    let turn = Quat::from_quaternion(nalgebra::Quaternion::from_parts(1.0, w * 0.5));
    let mut out = turn * q;
    out.renormalize();
    out
}
