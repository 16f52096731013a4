//! A single body that moves freely: exact momentum by symmetric splitting.
//!
//! Theory: `docs/theory/articulated.md` eq. (21), (22) and `docs/theory/rotations.md`.
//! The impulse (m dv, k) of forces and contacts is known before the drift, so that
//!   v⁺ = v + dv,  c⁺ = c + h v⁺,  R⁺ = exp(θ) R_free,  J(R⁺) θ = h k,  J(R⁺) ω⁺ = l + k,
//! with R_free the torque-free motion and l its momentum: the converged unified step of a
//! body in block descent.

use coact_math::{Quat, Vec3, exp_so3, free_rotation};

use crate::coordinates::move_free;
use crate::layout::Link;
use crate::motion::Motion;

/// Rounds for θ; each gains a factor of about |θ|.
const ROUNDS: usize = 30;

fn vec3(v: &[f64]) -> Vec3 {
    Vec3::new(v[0], v[1], v[2])
}

/// The torque-free spin of a step, in the parent anchor frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FreeSpin {
    /// Orientation of the body at the begin and at the end.
    begin: Quat,
    end: Quat,
    /// Angular velocity at the end.
    pub omega: Vec3,
}

impl Default for FreeSpin {
    fn default() -> Self {
        Self { begin: Quat::identity(), end: Quat::identity(), omega: Vec3::zeros() }
    }
}

impl FreeSpin {
    /// Free spin over `h`: eq. (21).
    pub fn eval(link: &Link, motion: &Motion, h: f64) -> Self {
        let q = &motion.q[link.coord..];
        let anchor = Quat::new_unchecked(nalgebra::Quaternion::new(q[6], q[3], q[4], q[5]));
        // orientation of the body, not of its anchor, is what the inertia turns with
        let begin = anchor * link.x_c_inv.q;
        let omega = vec3(&motion.qd[link.dofs.start + 3..]);
        let (end, omega) = free_rotation(&begin, &omega, &link.principal, h);
        Self { begin, end, omega }
    }
}

impl FreeSpin {
    /// A spin that was handed over: orientations of the body at begin and end, rate at the end.
    pub fn given(begin: Quat, end: Quat, omega: Vec3) -> Self {
        Self { begin, end, omega }
    }
}

/// The end of the step for rates `u` = (v + dv, ω_free + J(R)⁻¹ k): eq. (22).
pub(crate) fn advance_free_body(link: &Link, motion: &mut Motion, free: &FreeSpin, u: &[f64], h: f64) {
    let (v, du) = (vec3(u), vec3(&u[3..]) - free.omega);
    let (mut r, mut omega) = (free.end, free.omega);
    if du != Vec3::zeros() {
        let impulse = link.principal.momentum(&free.begin, &du);
        r = turn_by_impulse(link, free, &impulse, &(du * h), h);
        let l = link.principal.momentum(&free.end, &free.omega);
        omega = link.principal.velocity(&r, &(l + impulse));
    }
    let anchor = r * link.x_c_inv.q.inverse();
    move_free(link, &mut motion.q[link.coord..link.coord + 7], v * h, &anchor);
    let qd = &mut motion.qd[link.dofs.clone()];
    qd[..3].copy_from_slice(v.as_slice());
    qd[3..].copy_from_slice(omega.as_slice());
}

/// R⁺ = exp(θ) R_free with J(R⁺) θ = h k, by a fixed point from `theta`.
fn turn_by_impulse(link: &Link, free: &FreeSpin, impulse: &Vec3, theta: &Vec3, h: f64) -> Quat {
    let mut theta = *theta;
    for _ in 0..ROUNDS {
        let r = exp_so3(&theta) * free.end;
        let next = link.principal.velocity(&r, impulse) * h;
        let change = (next - theta).norm();
        theta = next;
        if change <= 1e-15 * theta.norm() {
            break;
        }
    }
    exp_so3(&theta) * free.end
}
