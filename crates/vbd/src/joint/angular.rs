//! How far a joint has turned, and how that follows the turns of its bodies. Theory:
//! `docs/theory/rigid-rows.md` eq. (8)–(11).
//!
//! A [`Turn`] is a residual κ of three numbers and the matrix that makes δκ of the relative turn
//! δθ₁ − δθ₀ of the bodies, in world axes: the torque of a force f against κ is Jᵀf on the first
//! body and −Jᵀf on the second.

use std::f64::consts::{PI, TAU};

use coact_math::{Mat3, Quat, Vec3, left_jacobian_inverse, log_so3, skew};

/// Curvature above which the bend of a rod is not counted any further.
const LARGEST_BEND: f64 = 20.0;

/// Below it 1 + t₀·t₁ is a fold to rounding.
const FOLD: f64 = 1e-12;

/// Cosine of the middle angle below which three angles are not told apart.
const GIMBAL: f64 = 1e-6;

/// κ and its derivative.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Turn {
    /// Three angles, or components of a rotation vector, in the parent's joint frame \[rad\].
    pub kappa: Vec3,
    /// δκ = `jacobian` (δθ₁ − δθ₀).
    pub jacobian: Mat3,
}

/// How the derivative of a rotation vector is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derivative {
    /// In closed form.
    Exact,
    /// By three terms of its series, as the reference has it.
    Series,
}

/// eq. (8): the rotation vector of what `q1` has turned away from `rest`, in axes of `q0`.
pub fn eval_rotation(q0: &Quat, q1: &Quat, rest: &Quat, derivative: Derivative) -> Turn {
    let turn = q0.inverse() * q1 * rest.inverse();
    let kappa = log_so3(&turn);
    let inverse = match derivative {
        Derivative::Exact => left_jacobian_inverse(&kappa),
        Derivative::Series => {
            let k = skew(&kappa);
            let right = Mat3::identity() + k * 0.5 + k * k * (1.0 / 12.0);
            right * turn.to_rotation_matrix().matrix().transpose()
        }
    };
    Turn { kappa, jacobian: inverse * q0.to_rotation_matrix().matrix().transpose() }
}

/// eq. (9): the angles about `axes` (orthonormal, each carried by the turns before it) that make
/// the relative rotation, next to the angles `near`; κ = Σ aᵢ qᵢ.
pub fn eval_angles(q0: &Quat, q1: &Quat, axes: &[Vec3; 3], near: &Vec3) -> Turn {
    let basis = Mat3::from_columns(axes);
    // a left-handed triple turns its last axis the other way
    let hand = Mat3::from_diagonal(&Vec3::new(1.0, 1.0, basis.determinant().signum()));
    let right = basis * hand;
    let m = right.transpose() * (q0.inverse() * q1).to_rotation_matrix().matrix() * right;
    let b = m[(0, 2)].atan2(m[(0, 0)].hypot(m[(0, 1)]));
    let (a, c) = ((-m[(1, 2)]).atan2(m[(2, 2)]), (-m[(0, 1)]).atan2(m[(0, 0)]));
    let cos_b = if b.cos().abs() < GIMBAL { GIMBAL } else { b.cos() };
    let (sa, ca, tan_b) = (a.sin(), a.cos(), b.sin() / cos_b);
    // the inverse of the matrix of turned axes (1, 0, 0), (0, ca, sa), (sin b, −sa cos b, ca cos b)
    let rates = Mat3::new(1.0, sa * tan_b, -ca * tan_b, 0.0, ca, sa, 0.0, -sa / cos_b, ca / cos_b);
    let q = hand * Vec3::new(a, b, c);
    let q = Vec3::from_fn(|i, _| q[i] + TAU * ((near[i] - q[i]) / TAU).round());
    let to_axes = right.transpose() * q0.to_rotation_matrix().matrix().transpose();
    Turn { kappa: basis * q, jacobian: basis * hand * rates * to_axes }
}

/// eq. (10), (11): the bend of a rod about its first two axes, 2 tan(θ/2) of the angle between the
/// two tangents (local z), and its twist, the angle left after the parent's first axis was carried
/// along without twist; both less those at `rest` (bend, bend, twist).
pub fn eval_strain(q0: &Quat, q1: &Quat, rest: &Vec3) -> Turn {
    let (t0, t1) = (q0 * Vec3::z(), q1 * Vec3::z());
    let (m0, m1) = (q0 * Vec3::x(), q1 * Vec3::x());
    let (x, fold) = (t0.cross(&t1), (1.0 + t0.dot(&t1)).max(FOLD));
    let mut bend = x * (2.0 / fold);
    let mut d_bend = (Mat3::identity() * t0.dot(&t1) - t1 * t0.transpose()) * (2.0 / fold)
        + x * x.transpose() * (2.0 / (fold * fold));
    let size = bend.norm();
    if size > LARGEST_BEND {
        let along = bend / size;
        d_bend = (Mat3::identity() - along * along.transpose()) * d_bend * (LARGEST_BEND / size);
        bend = along * LARGEST_BEND;
    }
    let carried = m0 - (t0 + t1) * (m0.dot(&t1) / fold);
    let twist = t1.dot(&carried.cross(&m1)).atan2(carried.dot(&m1));
    let to_parent = q0.to_rotation_matrix().matrix().transpose();
    let (bend, mut jacobian) = (to_parent * bend, to_parent * d_bend);
    jacobian.set_row(2, &((t0 + t1) / fold).transpose());
    Turn { kappa: Vec3::new(bend.x - rest.x, bend.y - rest.y, wrapped(twist - rest.z)), jacobian }
}

/// The same angle in (−π, π].
pub fn wrapped(angle: f64) -> f64 {
    let a = angle.rem_euclid(TAU);
    if a > PI { a - TAU } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coact_math::exp_so3;

    fn turns() -> Vec<(Quat, Quat)> {
        let q = |x, y, z| exp_so3(&Vec3::new(x, y, z));
        vec![
            (q(0.1, 0.2, -0.4), q(0.3, -0.5, 0.2)),
            (q(-1.1, 0.4, 0.6), q(1.2, 0.1, 0.9)),
            (q(0.0, 0.0, 0.0), q(0.0, 0.0, 1e-9)),
        ]
    }

    /// Central differences over turns of either body.
    fn check(eval: impl Fn(&Quat, &Quat) -> Turn) {
        let h = 1e-6;
        for (q0, q1) in turns() {
            let at = eval(&q0, &q1);
            for axis in [Vec3::x(), Vec3::y(), Vec3::z()] {
                let (plus, minus) = (exp_so3(&(axis * h)), exp_so3(&(axis * -h)));
                let child = (eval(&q0, &(plus * q1)).kappa - eval(&q0, &(minus * q1)).kappa) / (2.0 * h);
                let parent = (eval(&(plus * q0), &q1).kappa - eval(&(minus * q0), &q1).kappa) / (2.0 * h);
                assert!((child - at.jacobian * axis).norm() < 1e-7, "{child} {}", at.jacobian * axis);
                assert!((parent + at.jacobian * axis).norm() < 1e-7, "{parent} {}", at.jacobian * axis);
            }
        }
    }

    #[test]
    fn the_jacobian_of_the_rotation_vector_is_its_derivative() {
        let rest = exp_so3(&Vec3::new(0.2, 0.1, -0.3));
        check(|a, b| eval_rotation(a, b, &rest, Derivative::Exact));
    }

    #[test]
    fn the_series_is_the_closed_form_to_fourth_order() {
        let (q0, rest) = (Quat::identity(), Quat::identity());
        for (t, bound) in [(0.1, 2e-7), (0.4, 6e-5)] {
            let q1 = exp_so3(&(Vec3::new(0.6, 0.0, 0.8) * t));
            let [a, b] = [Derivative::Exact, Derivative::Series].map(|d| eval_rotation(&q0, &q1, &rest, d));
            assert!((a.jacobian - b.jacobian).norm() < bound, "{}", (a.jacobian - b.jacobian).norm());
        }
    }

    #[test]
    fn three_angles_make_the_rotation_and_their_jacobian_is_their_derivative() {
        for axes in [
            [Vec3::x(), Vec3::y(), Vec3::z()],
            [Vec3::y(), Vec3::x(), Vec3::z()],
            [Vec3::z(), Vec3::y(), Vec3::x()],
        ] {
            check(|a, b| eval_angles(a, b, &axes, &Vec3::zeros()));
            for (q0, q1) in turns() {
                let t = eval_angles(&q0, &q1, &axes, &Vec3::zeros());
                let r = axes.iter().fold(Quat::identity(), |r, a| r * exp_so3(&(a * t.kappa.dot(a))));
                assert!((q0.inverse() * q1).angle_to(&r) < 1e-12);
            }
        }
    }

    #[test]
    fn angles_go_on_past_half_a_turn() {
        let axes = [Vec3::x(), Vec3::y(), Vec3::z()];
        let q1 = exp_so3(&(Vec3::x() * 3.3));
        let t = eval_angles(&Quat::identity(), &q1, &axes, &Vec3::new(3.1, 0.0, 0.0));
        assert!((t.kappa - Vec3::x() * 3.3).norm() < 1e-12);
    }

    #[test]
    fn the_jacobian_of_the_strain_is_its_derivative() {
        check(|a, b| eval_strain(a, b, &Vec3::new(0.1, -0.2, 0.3)));
    }

    #[test]
    fn bend_and_twist_are_those_of_the_arc_and_do_not_mix() {
        let bend = eval_strain(&Quat::identity(), &exp_so3(&(Vec3::y() * 0.4)), &Vec3::zeros());
        assert!((bend.kappa - Vec3::new(0.0, 2.0 * 0.2_f64.tan(), 0.0)).norm() < 1e-15);
        let twist = eval_strain(&Quat::identity(), &exp_so3(&(Vec3::z() * 0.4)), &Vec3::zeros());
        assert!((twist.kappa - Vec3::new(0.0, 0.0, 0.4)).norm() < 1e-15);
        let folded = eval_strain(&Quat::identity(), &exp_so3(&(Vec3::y() * PI)), &Vec3::zeros());
        assert!(folded.kappa.iter().chain(folded.jacobian.iter()).all(|x| x.is_finite()));
    }
}
