//! Joint coordinates: from numbers to the pose across a joint, back, and forward in time.
//!
//! Theory: `docs/theory/articulated.md` eq. (1)-(3).

use coact_math::{Pose, Quat, Vec3, exp_so3, log_so3};
use coact_model::JointKind;

use crate::layout::Link;

fn vec3(q: &[f64]) -> Vec3 {
    Vec3::new(q[0], q[1], q[2])
}

fn quat(q: &[f64]) -> Quat {
    // stored normalised; the division would change bits of what was stored
    Quat::new_unchecked(nalgebra::Quaternion::new(q[3], q[0], q[1], q[2]))
}

fn put_quat(q: &mut [f64], r: &Quat) {
    let n = Quat::from_quaternion(r.into_inner());
    q[..4].copy_from_slice(&[n.i, n.j, n.k, n.w]);
}

/// Child anchor frame in the parent anchor frame: eq. (1). `q` starts at the joint.
pub(crate) fn joint_pose(link: &Link, q: &[f64]) -> Pose {
    match link.kind {
        JointKind::Revolute => Pose::new(Vec3::zeros(), exp_so3(&(link.axis * q[0]))),
        JointKind::Prismatic => Pose::translation(link.axis * q[0]),
        JointKind::Ball => Pose::new(Vec3::zeros(), quat(q)),
        JointKind::Free => Pose::new(vec3(q), quat(&q[3..])),
        _ => Pose::new(Vec3::zeros(), link.rest),
    }
}

/// `q ⊕ h w`: eq. (2). The centre of mass of a free link moves on a straight line.
pub(crate) fn integrate(link: &Link, q: &mut [f64], w: &[f64], h: f64) {
    match link.kind {
        JointKind::Revolute | JointKind::Prismatic => q[0] += h * w[0],
        JointKind::Ball => {
            let r = exp_so3(&(vec3(w) * h)) * quat(q);
            put_quat(q, &r);
        }
        JointKind::Free => {
            let r = exp_so3(&(vec3(&w[3..]) * h)) * quat(&q[3..]);
            move_free(link, q, vec3(w) * h, &r);
        }
        _ => {}
    }
}

/// Moves the centre of mass of a free link by `dc` and turns it to `r` (parent anchor frame).
pub(crate) fn move_free(link: &Link, q: &mut [f64], dc: Vec3, r: &Quat) {
    let com = link.x_c_inv.point(&link.com);
    let c = vec3(q) + quat(&q[3..]) * com + dc;
    put_quat(&mut q[3..], r);
    let p = c - quat(&q[3..]) * com;
    q[..3].copy_from_slice(p.as_slice());
}

/// The coordinates whose [`joint_pose`] is nearest to `x` in the joint's own freedoms: eq. (3).
/// `q` holds the last coordinates; a revolute angle stays on its turn.
pub(crate) fn coordinates_of_pose(link: &Link, x: &Pose, q: &mut [f64]) {
    match link.kind {
        JointKind::Revolute => {
            let angle = 2.0 * x.q.imag().dot(&link.axis).atan2(x.q.w);
            let turn = std::f64::consts::TAU;
            q[0] = angle + turn * ((q[0] - angle) / turn).round();
        }
        JointKind::Prismatic => q[0] = x.p.dot(&link.axis),
        JointKind::Ball => put_quat(q, &x.q),
        JointKind::Free => {
            q[..3].copy_from_slice(x.p.as_slice());
            put_quat(&mut q[3..], &x.q);
        }
        _ => {}
    }
}

/// How far two poses are apart \[m, rad\].
pub(crate) fn pose_distance(a: &Pose, b: &Pose) -> (f64, f64) {
    ((a.p - b.p).norm(), log_so3(&(a.q * b.q.inverse())).norm())
}
