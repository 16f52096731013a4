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

/// Terms between two bodies.
#[derive(Debug)]
pub struct EdgeTerms<'a> {
    /// Force and torque on the first and on the second body.
    pub wrench: [Spatial; 2],
    /// Stiffness, where it is asked for.
    pub stiffness: Option<Stiffness<'a>>,
}

/// Stiffness between two bodies.
#[derive(Debug)]
pub struct Stiffness<'a> {
    /// Against motion of one body alone.
    pub own: [&'a mut BodyLoad; 2],
    /// Rows of the first body, columns of the second; where both are unknowns.
    pub cross: Option<&'a mut Mat6>,
}

impl EdgeTerms<'_> {
    /// Adds the force `f` \[N\] on the first body and its opposite on the second, at arms `r` \[m\].
    #[inline]
    pub fn add_force(&mut self, f: &Vec3, r: [&Vec3; 2]) {
        self.wrench[0] += Spatial::wrench_at(f, r[0]);
        self.wrench[1] -= Spatial::wrench_at(f, r[1]);
    }

    /// Adds a force as `add_force` does, and its stiffness `k` \[N/m\].
    pub fn add_point(&mut self, f: &Vec3, k: &Mat3, r: [&Vec3; 2]) {
        self.add_force(f, r);
        let Some(Stiffness { own: [a, b], cross }) = &mut self.stiffness else { return };
        a.stiffen(k, r[0]);
        b.stiffen(k, r[1]);
        if let Some(cross) = cross {
            let (s0, s1) = (skew(r[0]), skew(r[1]).transpose());
            let (k_s1, s0_k) = (k * s1, s0 * k);
            subtract(cross, 0, 0, k);
            subtract(cross, 0, 3, &k_s1);
            subtract(cross, 3, 0, &s0_k);
            subtract(cross, 3, 3, &(s0_k * s1));
        }
    }

    /// Adds a stiffness with an axis, `along` that axis `n` and `across` \[N/m\], at arms `r`:
    /// K = across I + (along − across) n nᵀ, of which every block is a sum of outer products.
    #[inline]
    pub fn add_axial(&mut self, n: &Vec3, along: f64, across: f64, r: [&Vec3; 2]) {
        let Some(Stiffness { own: [a, b], cross }) = &mut self.stiffness else { return };
        let d = along - across;
        let turn = [r[0].cross(n), r[1].cross(n)];
        let nn = n * (n * d).transpose();
        for (load, i) in [(a, 0), (b, 1)] {
            let (w, r) = (&turn[i], r[i]);
            load.ll += nn + Mat3::from_diagonal_element(across);
            load.al += w * (n * d).transpose() + skew(&(r * across));
            load.aa += w * (w * d).transpose() - r * (r * across).transpose()
                + Mat3::from_diagonal_element(across * r.norm_squared());
        }
        if let Some(cross) = cross {
            let (w0, w1) = (&turn[0], &turn[1]);
            subtract(cross, 0, 0, &(nn + Mat3::from_diagonal_element(across)));
            subtract(cross, 0, 3, &(n * (w1 * d).transpose() - skew(&(r[1] * across))));
            subtract(cross, 3, 0, &(w0 * (n * d).transpose() + skew(&(r[0] * across))));
            let arms =
                Mat3::from_diagonal_element(across * r[0].dot(r[1])) - r[1] * (r[0] * across).transpose();
            subtract(cross, 3, 3, &(w0 * (w1 * d).transpose() + arms));
        }
    }

    /// Adds the torque `t` \[N·m\] on the first body and its opposite on the second, and its
    /// stiffness `a` against the turn of the second body relative to the first \[N·m\].
    pub fn add_turn(&mut self, t: &Vec3, a: &Mat3) {
        self.wrench[0].ang += t;
        self.wrench[1].ang -= t;
        let Some(Stiffness { own, cross }) = &mut self.stiffness else { return };
        own.iter_mut().for_each(|o| o.aa += a);
        if let Some(cross) = cross {
            subtract(cross, 3, 3, a);
        }
    }

    /// Adds to the Hessian alone: what a body's own turn does to a force on it, eq. (6).
    pub fn stiffen(&mut self, side: usize, aa: &Mat3) {
        if let Some(s) = &mut self.stiffness {
            s.own[side].aa += aa;
        }
    }
}

#[inline]
fn subtract(from: &mut Mat6, row: usize, column: usize, m: &Mat3) {
    for j in 0..3 {
        for i in 0..3 {
            from[(row + i, column + j)] -= m[(i, j)];
        }
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

    fn jacobian(r: &Vec3) -> nalgebra::Matrix3x6<f64> {
        let mut j = nalgebra::Matrix3x6::zeros();
        j.fixed_view_mut::<3, 3>(0, 0).copy_from(&Mat3::identity());
        j.fixed_view_mut::<3, 3>(0, 3).copy_from(&-skew(r));
        j
    }

    /// Wrenches and blocks that `add` makes at arms r against Jᵀ K J.
    fn check(k: &Mat3, f: &Vec3, add: impl Fn(&mut EdgeTerms, [&Vec3; 2])) {
        let (r0, r1) = (Vec3::new(0.3, -0.2, 0.5), Vec3::new(-0.1, 0.4, 0.2));
        let (mut loads, mut cross) = ([BodyLoad::default(); 2], Mat6::zeros());
        let [a, b] = &mut loads;
        let stiffness = Some(Stiffness { own: [a, b], cross: Some(&mut cross) });
        let mut t = EdgeTerms { wrench: [Spatial::zeros(); 2], stiffness };
        add(&mut t, [&r0, &r1]);
        assert_eq!(t.wrench, [Spatial::new(*f, r0.cross(f)), Spatial::new(-f, -r1.cross(f))]);
        let near = |a: Mat6, b: Mat6| assert!((a - b).norm() < 1e-14, "{a} {b}");
        near(cross, -jacobian(&r0).transpose() * k * jacobian(&r1));
        near(loads[0].matrix(), jacobian(&r0).transpose() * k * jacobian(&r0));
        near(loads[1].matrix(), jacobian(&r1).transpose() * k * jacobian(&r1));
    }

    /// The wrenches are minus the gradient of k|x₁ − x₀|²/2 and H its Gauss–Newton Hessian.
    #[test]
    fn a_point_force_gives_both_wrenches_and_all_blocks() {
        let k = Mat3::new(4.0, 1.0, 0.5, 1.0, 3.0, -0.2, 0.5, -0.2, 5.0);
        let f = Vec3::new(1.0, -2.0, 0.7);
        check(&k, &f, |t, r| t.add_point(&f, &k, r));
    }

    #[test]
    fn an_axial_stiffness_is_the_general_one_of_its_matrix() {
        let n = Vec3::new(0.6, 0.0, -0.8);
        let k = Mat3::identity() * 2.0 + n * n.transpose() * 5.0;
        check(&k, &Vec3::zeros(), |t, r| t.add_axial(&n, 7.0, 2.0, r));
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
