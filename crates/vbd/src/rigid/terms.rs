//! What two bodies feel of what lies between them: wrenches and the blocks of the Hessian.
//! Theory: `docs/theory/rigid-rows.md` eq. (3)–(5).
//!
//! A row pulls the first body by f and the second by −f, at arms r₀ and r₁ from their centres of
//! mass. With the stiffness K of f against the distance x₁ − x₀ of the two points,
//!
//! ```text
//! wrench₀ = (f, r₀×f)    H₀₀ = [I, [r₀]]ᵀ K [I, [r₀]]    H₀₁ = −[I; [r₀]] K [I; [r₁]]ᵀ
//! ```
//! and the like for a torque, which has no arm.

use coact_math::{Mat3, Mat6, Spatial, Vec3, skew};

use crate::body::BodyLoad;

/// Terms between two bodies; those on the static world are summed and left alone.
#[derive(Clone, Copy, Debug)]
pub struct EdgeTerms {
    /// On the first and on the second body.
    pub load: [BodyLoad; 2],
    /// Rows of the first body, columns of the second.
    pub cross: Mat6,
    /// Whether stiffness is asked for, or forces alone.
    pub stiff: bool,
}

impl Default for EdgeTerms {
    fn default() -> Self {
        Self { load: [BodyLoad::default(); 2], cross: Mat6::zeros(), stiff: true }
    }
}

impl EdgeTerms {
    /// Nothing yet; `stiff`: whether stiffness is asked for.
    pub fn new(stiff: bool) -> Self {
        Self { stiff, ..Self::default() }
    }

    /// Adds the force `f` \[N\] on the first body and its opposite on the second, and its
    /// stiffness `k` \[N/m\], at arms `r` \[m\].
    pub fn add_point(&mut self, f: &Vec3, k: &Mat3, r: [&Vec3; 2]) {
        if !self.stiff {
            self.load[0].wrench += Spatial::wrench_at(f, r[0]);
            self.load[1].wrench -= Spatial::wrench_at(f, r[1]);
            return;
        }
        self.load[0].react(&-f, k, r[0]);
        self.load[1].react(f, k, r[1]);
        let (s0, s1) = (skew(r[0]), skew(r[1]).transpose());
        let (k_s1, s0_k) = (k * s1, s0 * k);
        self.add_cross(0, 0, &-k);
        self.add_cross(0, 3, &-k_s1);
        self.add_cross(3, 0, &-s0_k);
        self.add_cross(3, 3, &(-s0_k * s1));
    }

    /// Adds the torque `t` \[N·m\] on the first body and its opposite on the second, and its
    /// stiffness `a` against the turn of the second body relative to the first \[N·m\].
    pub fn add_turn(&mut self, t: &Vec3, a: &Mat3) {
        self.load[0].wrench += Spatial::new(Vec3::zeros(), *t);
        self.load[1].wrench -= Spatial::new(Vec3::zeros(), *t);
        self.load[0].aa += a;
        self.load[1].aa += a;
        self.add_cross(3, 3, &-a);
    }

    /// Adds to the Hessian alone: what a body's own turn does to a force on it, eq. (6).
    pub fn stiffen(&mut self, side: usize, aa: &Mat3) {
        self.load[side].aa += aa;
    }

    fn add_cross(&mut self, row: usize, column: usize, m: &Mat3) {
        let mut view = self.cross.fixed_view_mut::<3, 3>(row, column);
        view += m;
    }
}

/// eq. (6): the part that is positive of how a force `f` on a body turns against it with the arm
/// `r` on which it acts: (f·r) I − (f rᵀ + r fᵀ)/2.
pub fn eval_arm_stiffness(f: &Vec3, r: &Vec3) -> Mat3 {
    let size = f.norm() * r.norm();
    if size == 0.0 {
        return Mat3::zeros();
    }
    let (f, r) = (f / f.norm(), r / r.norm());
    let (c, minus) = (f.dot(&r), f - r);
    // eigenvalues c, (c + 1)/2 along f − r, and (c − 1)/2 ≤ 0 along f + r, which is left out
    if c > 0.0 {
        let plus = (f + r) / (f + r).norm();
        let across = (Mat3::identity() - plus * plus.transpose()) * c;
        return (across + minus * minus.transpose() * 0.25) * size;
    }
    minus * minus.transpose() * (0.5 * (c + 1.0) / minus.norm_squared() * size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use coact_math::psd_projection;

    /// The wrenches are minus the gradient of k|x₁ − x₀|²/2 and H its Gauss–Newton Hessian.
    #[test]
    fn a_point_force_gives_both_wrenches_and_all_blocks() {
        let (r0, r1) = (Vec3::new(0.3, -0.2, 0.5), Vec3::new(-0.1, 0.4, 0.2));
        let k = Mat3::new(4.0, 1.0, 0.5, 1.0, 3.0, -0.2, 0.5, -0.2, 5.0);
        let f = Vec3::new(1.0, -2.0, 0.7);
        let mut t = EdgeTerms::default();
        t.add_point(&f, &k, [&r0, &r1]);
        assert_eq!(t.load[0].wrench, Spatial::new(f, r0.cross(&f)));
        assert_eq!(t.load[1].wrench, Spatial::new(-f, -r1.cross(&f)));
        let j = |r: &Vec3| {
            let mut j = nalgebra::Matrix3x6::zeros();
            j.fixed_view_mut::<3, 3>(0, 0).copy_from(&Mat3::identity());
            j.fixed_view_mut::<3, 3>(0, 3).copy_from(&-skew(r));
            j
        };
        let near = |a: Mat6, b: Mat6| assert!((a - b).norm() < 1e-14, "{a} {b}");
        near(t.cross, -j(&r0).transpose() * k * j(&r1));
        near(t.load[0].matrix(), j(&r0).transpose() * k * j(&r0));
        near(t.load[1].matrix(), j(&r1).transpose() * k * j(&r1));
    }

    #[test]
    fn the_stiffness_of_an_arm_is_the_projection_of_its_second_derivative() {
        for (f, r) in [
            (Vec3::new(1.0, 2.0, -0.5), Vec3::new(0.3, 0.5, 0.1)),
            (Vec3::new(1.0, 2.0, -0.5), Vec3::new(-0.3, -0.5, 0.4)),
            (Vec3::new(0.0, 0.0, 3.0), Vec3::new(0.0, 0.0, 0.2)),
            (Vec3::new(0.0, 0.0, 3.0), Vec3::new(0.0, 0.0, -0.2)),
            (Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.5, 0.0, 0.0)),
        ] {
            let exact = Mat3::identity() * f.dot(&r) - (f * r.transpose() + r * f.transpose()) * 0.5;
            let err = (eval_arm_stiffness(&f, &r) - psd_projection(&exact)).norm();
            assert!(err < 1e-12, "{f} {r}: {err}");
        }
        assert_eq!(eval_arm_stiffness(&Vec3::zeros(), &Vec3::x()), Mat3::zeros());
    }

    /// −f·(exp(θ) r) to second order.
    #[test]
    fn the_second_derivative_is_that_of_the_work_on_a_turning_arm() {
        let (f, r) = (Vec3::new(1.0, 2.0, -0.5), Vec3::new(0.3, 0.5, 0.1));
        let exact = Mat3::identity() * f.dot(&r) - (f * r.transpose() + r * f.transpose()) * 0.5;
        let work = |t: Vec3| -f.dot(&(coact_math::exp_so3(&t) * r));
        let h = 1e-4;
        for t in [Vec3::x(), Vec3::y(), Vec3::z(), Vec3::new(0.5, -0.3, 0.8)] {
            let second = (work(t * h) - 2.0 * work(Vec3::zeros()) + work(-t * h)) / (h * h);
            assert!((second - t.dot(&(exact * t))).abs() < 1e-6);
        }
    }
}
