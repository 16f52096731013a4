//! Strain as the rows of block descent measure it: `docs/theory/rod.md` eq. (23).
//!
//! Γ in the parent's joint frame, both bodies held at the child's anchor; bend 2 tan(θ/2) of the
//! angle between the two tangents, twist from the parent's first axis, carried along without twist:
//! `docs/theory/rigid-rows.md` eq. (7), (10), (11). Kept apart from the rows of block descent, which
//! this solver must not know; a test of the product compares the two.

use std::f64::consts::{PI, TAU};

use coact_math::{Mat3, Quat, Vec3, skew};

use crate::strain::{Ends, Strain, rows, stack};

/// Curvature above which bend is not counted any further.
const LARGEST_BEND: f64 = 20.0;

/// Below it 1 + t₀·t₁ is a fold to rounding.
const FOLD: f64 = 1e-12;

/// Strain against `rest`, the bend and twist at rest.
pub(crate) fn eval_strain(ends: &Ends, rest: &Vec3) -> Strain {
    let [q0, q1] = &ends.q;
    let to_parent = q0.to_rotation_matrix().matrix().transpose();
    let d = ends.x[1] - ends.x[0];
    let (phi, turn) = eval_bend_and_twist(q0, q1);
    let arm = to_parent * skew(&(ends.r[0] + d));
    let jacobian =
        [rows(&-to_parent, &arm, &-turn), rows(&to_parent, &-(to_parent * skew(&ends.r[1])), &turn)];
    let mut kappa = phi - rest;
    kappa.z = wrapped(kappa.z);
    Strain { epsilon: stack(&(to_parent * d), &kappa), phi, jacobian, frame: *q0, share: Mat3::zeros() }
}

/// (bend, bend, twist) and its derivative by the relative turn in world axes.
pub(crate) fn eval_bend_and_twist(q0: &Quat, q1: &Quat) -> (Vec3, Mat3) {
    let (t0, t1) = (q0 * Vec3::z(), q1 * Vec3::z());
    let (m0, m1) = (q0 * Vec3::x(), q1 * Vec3::x());
    let to_parent = q0.to_rotation_matrix().matrix().transpose();
    let (cross, fold) = (t0.cross(&t1), (1.0 + t0.dot(&t1)).max(FOLD));
    let tangents = t0 + t1;
    let (bend, d_bend) = bounded(
        cross * (2.0 / fold),
        ((Mat3::identity() * t0.dot(&t1) - t1 * t0.transpose()) + cross * cross.transpose() / fold)
            * (2.0 / fold),
    );
    let carried = m0 - tangents * (m0.dot(&t1) / fold);
    let twist = libm::atan2(t1.dot(&carried.cross(&m1)), carried.dot(&m1));
    let bend = to_parent * bend;
    let mut turn = to_parent * d_bend;
    turn.set_row(2, &(tangents / fold).transpose());
    (Vec3::new(bend.x, bend.y, twist), turn)
}

/// A bend of at most [`LARGEST_BEND`].
fn bounded(bend: Vec3, derivative: Mat3) -> (Vec3, Mat3) {
    let size = bend.norm();
    if size <= LARGEST_BEND {
        return (bend, derivative);
    }
    let along = bend / size;
    let across = Mat3::identity() - along * along.transpose();
    (along * LARGEST_BEND, across * derivative * (LARGEST_BEND / size))
}

/// The same angle in (−π, π].
fn wrapped(angle: f64) -> f64 {
    let a = angle.rem_euclid(TAU);
    if a > PI { a - TAU } else { a }
}
