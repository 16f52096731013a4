//! Begin and end of a step: inertial targets and end velocities. Theory:
//! `docs/theory/vbd.md` eq. (14)–(16) and (20), `docs/theory/rotations.md` for the splitting.
//!
//! ```text
//! v_free = v + h (g + f/m)      c* = c + h v_free
//! (q*, ω_free) = free rotation of (q, ω) over h: momentum l = J ω is kept exactly
//! end:  v = v_free + dx/h       ω = J(q)⁻¹ l + θ/h
//! ```
//! The external torque is no part of the target: it acts in the block as a potential. At the
//! solution J θ/h = h τ, so the end momentum is l + h τ with nothing lost. A body that nothing
//! touches is given that momentum outright: there is no θ for a torque that turns it further
//! than π in a step.

use coact_collide::Mobility;
use coact_math::{Pose, Quat, Spatial, Vec3, free_rotation, rotation_between};

use rayon::prelude::*;

use super::{Bodies, Body, turned};
use crate::config::RotationUpdate;

/// Bodies that one thread takes at least.
const CHUNK: usize = 64;

/// A body starts to move but is left alone: where it comes to, and how fast it is there.
#[derive(Clone, Copy, Debug)]
pub struct FreeEnd {
    /// Pose of the centre of mass.
    pub pose: Pose,
    /// Velocity.
    pub velocity: Spatial,
}

impl Bodies {
    /// Sets the inertial target of every body and puts it there, side by side where `parallel`.
    /// `proxy_end` answers where a proxy comes to.
    pub fn predict(
        &mut self,
        gravity: &Vec3,
        body_f: &[Spatial],
        h: f64,
        parallel: bool,
        proxy_end: impl Fn(usize, &Body) -> FreeEnd + Sync,
    ) {
        let (rotation, single) = (self.rotation, self.single);
        let predict = |(i, b): (usize, &mut Body)| {
            b.begin_here();
            (b.torque, b.untouched) = (Vec3::zeros(), false);
            let wrench = body_f.get(i).copied().unwrap_or_default();
            let end = match b.mobility {
                Mobility::Static => FreeEnd { pose: b.now, velocity: b.velocity },
                Mobility::Prescribed => carried(b, h),
                Mobility::Proxy => proxy_end(i, b),
                Mobility::Dynamic if rotation == RotationUpdate::FirstOrder => {
                    first_order(b, gravity, &wrench, h)
                }
                Mobility::Dynamic => {
                    b.torque = wrench.ang;
                    free_motion(b, gravity, &wrench.lin, h)
                }
            };
            (b.target, b.free_velocity) = (end.pose, end.velocity);
            b.dx = Vec3::zeros();
            b.go(end.pose);
            if single {
                b.round();
                b.target = b.now;
            }
        };
        match parallel {
            true => self.list.par_iter_mut().enumerate().with_min_len(CHUNK).for_each(predict),
            false => self.list.iter_mut().enumerate().for_each(predict),
        }
    }

    /// eq. (37) of `docs/theory/rigid-rows.md`: starts a body from what its connections corrected in
    /// the last step.
    pub fn start(&mut self, body: usize, h: f64) {
        let b = &mut self.list[body];
        let d = b.kept * (h * h);
        b.dx = d.lin;
        b.go(Pose::new(b.target.p + b.dx, turned(&b.target.q, &d.ang)));
    }

    /// Takes note of what connections corrected.
    pub fn keep(&mut self, body: usize, h: f64) {
        let b = &mut self.list[body];
        b.kept = Spatial::new(b.dx, b.theta()) * (1.0 / (h * h));
    }

    /// Gives a kinematic body the velocity with which it moves; others move by themselves.
    pub fn prescribe(&mut self, body: usize, velocity: Spatial) {
        let b = &mut self.list[body];
        if b.mobility == Mobility::Prescribed {
            b.velocity = velocity;
        }
    }

    /// eq. (20): end velocities from what the step corrected.
    pub fn finalize(&mut self, h: f64, parallel: bool) {
        let rotation = self.rotation;
        let end = |b: &mut Body| {
            b.velocity = match (b.mobility, rotation) {
                (Mobility::Static | Mobility::Prescribed, _) => b.velocity,
                (Mobility::Proxy, _) => b.free_velocity + Spatial::new(b.dx, b.theta()) * (1.0 / h),
                (Mobility::Dynamic, RotationUpdate::Exponential) => {
                    let spin = match b.untouched && b.principal.has_dynamics() {
                        true => spin_at(b, &(b.torque * h)),
                        false => spin_at(b, &Vec3::zeros()) + b.theta() / h,
                    };
                    Spatial::new(b.free_velocity.lin + b.dx / h, spin)
                }
                (Mobility::Dynamic, RotationUpdate::FirstOrder) => {
                    let turn = rotation_between(&b.begin.q, &b.now.q);
                    Spatial::new(b.now.p - b.begin.p, turn) * (1.0 / h)
                }
            };
        };
        match parallel {
            true => self.list.par_iter_mut().with_min_len(CHUNK).for_each(end),
            false => self.list.iter_mut().for_each(end),
        }
    }
}

/// J(q)⁻¹ (l + impulse): the angular velocity that the free momentum gives at the end rotation.
fn spin_at(b: &Body, impulse: &Vec3) -> Vec3 {
    if !b.principal.has_dynamics() {
        return b.free_velocity.ang;
    }
    let l = b.principal.momentum(&b.target.q, &b.free_velocity.ang) + impulse;
    b.principal.velocity(&b.now.q, &l)
}

/// A prescribed body moves with its velocity, which stays.
fn carried(b: &Body, h: f64) -> FreeEnd {
    let pose = advanced(&b.now, &b.velocity, h);
    FreeEnd { pose, velocity: b.velocity }
}

/// `pose` after moving with the twist `v` for `h`.
pub fn advanced(pose: &Pose, v: &Spatial, h: f64) -> Pose {
    Pose::new(pose.p + v.lin * h, turned(&pose.q, &(v.ang * h)))
}

/// eq. (14), (15): gravity and force in the target, rotation free of torque.
fn free_motion(b: &Body, gravity: &Vec3, force: &Vec3, h: f64) -> FreeEnd {
    let v = b.velocity.lin + (gravity + force / b.mass) * h;
    let (q, w) = free_rotation(&b.now.q, &b.velocity.ang, &b.principal, h);
    FreeEnd { pose: Pose::new(b.now.p + v * h, q), velocity: Spatial::new(v, w) }
}

/// Semi-implicit Euler in body axes with the explicit gyroscopic term, then
/// q* = normalise(q + h/2 (ω, 0) q).
fn first_order(b: &Body, gravity: &Vec3, wrench: &Spatial, h: f64) -> FreeEnd {
    let v = b.velocity.lin + (gravity + wrench.lin / b.mass) * h;
    let to_body = |x: &Vec3| b.now.q.inverse_transform_vector(x);
    let (w, tau) = (to_body(&b.velocity.ang), to_body(&wrench.ang));
    let inverse = b.inertia.try_inverse().unwrap_or_default();
    let w = b.now.q * (w + inverse * (tau - w.cross(&(b.inertia * w))) * h);
    let spin = nalgebra::Quaternion::from_imag(w * (0.5 * h)) * b.now.q.quaternion();
    let q = Quat::from_quaternion(b.now.q.quaternion() + spin);
    FreeEnd { pose: Pose::new(b.now.p + v * h, q), velocity: Spatial::new(v, w) }
}
