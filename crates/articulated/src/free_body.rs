//! A single body that moves freely: exact momentum by symmetric splitting.
//!
//! Theory: `docs/theory/articulated.md` eq. (21), (22) and `docs/theory/rotations.md`.
//! The kick du is known before the drift, so that
//!   v⁺ = v + du_lin,  c⁺ = c + h v⁺,  ω⁺ = ω_free + du_ang,  R⁺ = exp(h du_ang) R_free,
//! with (R_free, ω_free) the torque-free motion: the unified step of a body in block descent.

use coact_math::{Quat, Vec3, exp_so3, free_rotation};

use crate::coordinates::move_free;
use crate::layout::Link;
use crate::motion::Motion;

fn vec3(v: &[f64]) -> Vec3 {
    Vec3::new(v[0], v[1], v[2])
}

/// Orientation and angular velocity after `h` without torque, both in the parent anchor frame.
pub(crate) fn eval_free_spin(link: &Link, motion: &Motion, h: f64) -> (Quat, Vec3) {
    let q = &motion.q[link.coord..];
    let r = Quat::new_unchecked(nalgebra::Quaternion::new(q[6], q[3], q[4], q[5]));
    let omega = vec3(&motion.qd[link.dofs.start + 3..]);
    // orientation of the body, not of its anchor, is what the inertia turns with
    let body = r * link.x_c_inv.q;
    let (end, omega) = free_rotation(&body, &omega, &link.principal, h);
    (end * link.x_c_inv.q.inverse(), omega)
}

/// The end of the step for rates `u` = (v + du_lin, ω_free + du_ang): eq. (22).
pub(crate) fn advance_free_body(link: &Link, motion: &mut Motion, free: &(Quat, Vec3), u: &[f64], h: f64) {
    let (v, omega) = (vec3(u), vec3(&u[3..]));
    let r = exp_so3(&((omega - free.1) * h)) * free.0;
    move_free(link, &mut motion.q[link.coord..link.coord + 7], v * h, &r);
    motion.qd[link.dofs.clone()].copy_from_slice(&u[..6]);
}
