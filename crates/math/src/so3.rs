//! Rotations in `f64`: exponential, logarithm and the Jacobians between them.
//!
//! Theory: docs/theory/rotations.md eq. (1)–(8). A rotation vector θ \[rad\] is
//! axis times angle. All functions are accurate to rounding from 0 through pi;
//! sine, cosine and arc tangent are libm's, so that bits do not depend on the host.

use crate::types::{Mat3, Quat, Vec3};

/// `[v]×`, so that `skew(v) * w == v.cross(&w)`.
#[inline]
pub fn skew(v: &Vec3) -> Mat3 {
    Mat3::new(0.0, -v.z, v.y, v.z, 0.0, -v.x, -v.y, v.x, 0.0)
}

/// The rotation by |θ| about θ: eq. (1).
#[inline]
pub fn exp_so3(theta: &Vec3) -> Quat {
    let half = 0.5 * theta.norm();
    // sin(half)/(2 half); the next term of the series is below rounding there
    let s = if half < 1e-4 { 0.5 * (1.0 - half * half / 6.0) } else { 0.5 * libm::sin(half) / half };
    let v = theta * s;
    let q = nalgebra::Quaternion::new(libm::cos(half), v.x, v.y, v.z);
    Quat::from_quaternion(q)
}

/// The shortest rotation vector of `q`, |θ| ≤ pi: eq. (2). `q` and `-q` give the
/// same; at half a turn exactly the sign of the axis is that of `q`.
#[inline]
pub fn log_so3(q: &Quat) -> Vec3 {
    let (w, v) = if q.w < 0.0 { (-q.w, -q.imag()) } else { (q.w, q.imag()) };
    let n = v.norm();
    // 2 atan2(n, w)/n, whose limit is 2/w; w is 1 there
    let s = if n < 1e-150 { 2.0 } else { 2.0 * libm::atan2(n, w) / n };
    v * s
}

/// The rotation vector of `b a⁻¹`: what turns `a` into `b`, in the world frame. It is zero to
/// the bit between equal rotations, so that what nothing turned shows no torque.
#[inline]
pub fn rotation_between(a: &Quat, b: &Quat) -> Vec3 {
    if a.coords == b.coords {
        return Vec3::zeros();
    }
    log_so3(&(b * a.inverse()))
}

/// `(1 - cos t)/t²` and `(t - sin t)/t³`.
#[inline]
fn left_coefficients(t2: f64) -> (f64, f64) {
    if t2 < 0.25 {
        // alternating series; the first dropped term is below 1e-18 for t < 0.5
        let a =
            0.5 - t2 / 24.0 * (1.0 - t2 / 30.0 * (1.0 - t2 / 56.0 * (1.0 - t2 / 90.0 * (1.0 - t2 / 132.0))));
        let b = 1.0 / 6.0
            - t2 / 120.0 * (1.0 - t2 / 42.0 * (1.0 - t2 / 72.0 * (1.0 - t2 / 110.0 * (1.0 - t2 / 156.0))));
        return (a, b);
    }
    let t = t2.sqrt();
    let s = libm::sin(0.5 * t);
    (2.0 * s * s / t2, (t - libm::sin(t)) / (t2 * t))
}

/// Left Jacobian of the exponential: `exp(θ + δ) = exp(J δ) exp(θ)` to first order
/// in δ: eq. (4).
#[inline]
pub fn left_jacobian(theta: &Vec3) -> Mat3 {
    let (a, b) = left_coefficients(theta.norm_squared());
    let k = skew(theta);
    Mat3::identity() + k * a + k * k * b
}

/// Inverse of [`left_jacobian`]: eq. (5). Singular at a full turn; finite for
/// every rotation vector that [`log_so3`] returns.
#[inline]
pub fn left_jacobian_inverse(theta: &Vec3) -> Mat3 {
    let t2 = theta.norm_squared();
    let c = if t2 < 0.25 {
        let tail = t2 * (1.0 / 47_900_160.0 + t2 * (691.0 / 1_307_674_368_000.0 + t2 / 74_724_249_600.0));
        1.0 / 12.0 + t2 * (1.0 / 720.0 + t2 * (1.0 / 30_240.0 + t2 * (1.0 / 1_209_600.0 + tail)))
    } else {
        let half = 0.5 * t2.sqrt();
        (1.0 - half * libm::cos(half) / libm::sin(half)) / t2
    };
    let k = skew(theta);
    Mat3::identity() - k * 0.5 + k * k * c
}

/// Right Jacobian: `exp(θ + δ) = exp(θ) exp(J δ)` to first order in δ: the
/// transpose of the left one, eq. (6).
#[inline]
pub fn right_jacobian(theta: &Vec3) -> Mat3 {
    left_jacobian(theta).transpose()
}

/// Inverse of [`right_jacobian`].
#[inline]
pub fn right_jacobian_inverse(theta: &Vec3) -> Mat3 {
    left_jacobian_inverse(theta).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Lcg;
    use std::f64::consts::PI;

    #[test]
    fn log_inverts_exp_from_zero_to_pi() {
        let mut r = Lcg::new(1);
        let mut worst: f64 = 0.0;
        for size in [1e-300, 1e-160, 1e-12, 1e-5, 1.9e-4, 2.1e-4, 0.1, 1.0, 3.0, PI - 1e-7, PI - 1e-12] {
            for _ in 0..200 {
                let theta = r.unit() * size;
                let back = log_so3(&exp_so3(&theta));
                worst = worst.max((back - theta).norm() / size.max(1e-290));
            }
        }
        println!("log(exp): {worst:.1e} relative");
        assert!(worst < 1e-15 * 4.0);
    }

    #[test]
    fn log_takes_the_shorter_way() {
        let axis = Vec3::new(0.6, 0.0, 0.8);
        let theta = log_so3(&exp_so3(&(axis * (PI + 0.1))));
        assert!((theta + axis * (PI - 0.1)).norm() < 1e-14);
        let q = exp_so3(&(axis * 0.3));
        let negated = Quat::new_unchecked(-q.into_inner());
        assert_eq!(log_so3(&q), log_so3(&negated));
    }

    #[test]
    fn exp_agrees_with_the_matrix_series() {
        let mut r = Lcg::new(2);
        for _ in 0..100 {
            let theta = r.unit() * r.range(0.0, 3.0);
            let k = skew(&theta);
            let (mut term, mut sum) = (Mat3::identity(), Mat3::identity());
            for n in 1..40 {
                term = term * k / f64::from(n);
                sum += term;
            }
            assert!((exp_so3(&theta).to_rotation_matrix().matrix() - sum).norm() < 1e-14);
        }
    }

    /// Central differences of eq. (4) and (6), on both sides of the switch to series.
    #[test]
    fn jacobians_are_derivatives_of_exp() {
        let mut r = Lcg::new(3);
        let h = 1e-5;
        for size in [1e-3, 0.3, 0.499, 0.501, 1.5, 3.0, 5.0] {
            let theta = r.unit() * size;
            let q = exp_so3(&theta);
            for i in 0..3 {
                let d = Vec3::ith(i, h);
                let (p, m) = (exp_so3(&(theta + d)), exp_so3(&(theta - d)));
                let left = (log_so3(&(p * q.inverse())) - log_so3(&(m * q.inverse()))) / (2.0 * h);
                let right = (log_so3(&(q.inverse() * p)) - log_so3(&(q.inverse() * m))) / (2.0 * h);
                assert!((left - left_jacobian(&theta).column(i)).norm() < 1e-9);
                assert!((right - right_jacobian(&theta).column(i)).norm() < 1e-9);
            }
        }
    }

    #[test]
    fn inverse_jacobians_invert() {
        let mut r = Lcg::new(4);
        let mut worst: f64 = 0.0;
        for k in 0..400 {
            let theta = r.unit() * (PI * f64::from(k) / 400.0);
            worst =
                worst.max((left_jacobian(&theta) * left_jacobian_inverse(&theta) - Mat3::identity()).norm());
            worst = worst
                .max((right_jacobian(&theta) * right_jacobian_inverse(&theta) - Mat3::identity()).norm());
        }
        println!("J J⁻¹ - I: {worst:.1e}");
        assert!(worst < 5e-15);
    }
}
