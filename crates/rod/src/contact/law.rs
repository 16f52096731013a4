//! The law of one contact: normal force, friction, their stiffness and their potential.
//!
//! Theory: `docs/theory/rod-contact.md` eq. (2), (4), (9). With the depth C and the trial force p,
//!
//! ```text
//! N = k C⁺ + (D/h) (C − C_begin⁺)⁺,        K_n = k + D/h where both act
//! F = p min(1, f/|p|),                     K_t = ρ P,  outside of the disk ρ f/|p| (P − ppᵀ/|p|²)
//! ```

use coact_math::{Mat3, Vec3};

/// Coefficients of a contact in a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Law {
    /// Normal stiffness \[N/m\].
    pub k: f64,
    /// Normal damping over the step, D/h \[N/m\].
    pub damping: f64,
    /// Depth at the begin, if any \[m\].
    pub begin: f64,
    /// Metric of friction \[N/m\].
    pub rho: f64,
    /// Radius of the disk that friction is in \[N\].
    pub limit: f64,
}

/// Where a contact is: its depth \[m\] and the trial force of its friction, in its plane \[N\].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spot {
    pub depth: f64,
    pub trial: Vec3,
}

/// Forces of a contact.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Push {
    /// Along the normal on the second body, against it on the first \[N\].
    pub normal: f64,
    /// Friction on the first body; the second one gets the opposite \[N\].
    pub friction: Vec3,
}

impl Law {
    /// eq. (2), (4).
    pub fn push(&self, at: &Spot) -> Push {
        let normal = if at.depth > 0.0 {
            self.k * at.depth + self.damping * (at.depth - self.begin).max(0.0)
        } else {
            0.0
        };
        Push { normal, friction: inside(at.trial, self.limit) }
    }

    /// ψ_n + ψ_t \[J\].
    pub fn eval_potential(&self, at: &Spot) -> f64 {
        let pressed = at.depth.max(0.0);
        let damped = if pressed > 0.0 { (pressed - self.begin).max(0.0) } else { 0.0 };
        let normal = 0.5 * (self.k * pressed * pressed + self.damping * damped * damped);
        if self.rho == 0.0 {
            return normal;
        }
        let (size, f) = (at.trial.norm(), self.limit);
        let held = if size <= f { 0.5 * size * size } else { f * size - 0.5 * f * f };
        normal + held / self.rho
    }

    /// Whether friction is on the rim of its disk.
    pub fn slides(&self, at: &Spot) -> bool {
        self.limit > 0.0 && at.trial.norm() > self.limit
    }

    /// Which branches of eq. (2), (4) it is on.
    pub fn piece(&self, at: &Spot) -> [bool; 3] {
        [at.depth > 0.0, at.depth > self.begin, at.trial.norm() > self.limit]
    }

    /// K_n, and K_t in the plane of the normal `n`; `slack`: share of the secant along the slip that is left
    /// out, eq. (9).
    pub fn stiffness(&self, n: &Vec3, at: &Spot, slack: f64) -> (f64, Mat3) {
        let damped = if at.depth > self.begin { self.damping } else { 0.0 };
        let normal = if at.depth > 0.0 { self.k + damped } else { 0.0 };
        let plane = Mat3::identity() - n * n.transpose();
        let size = at.trial.norm();
        if size <= self.limit {
            let sticks = if self.limit > 0.0 { self.rho } else { 0.0 };
            return (normal, plane * sticks);
        }
        let t = at.trial / size;
        (normal, (plane - t * t.transpose() * slack) * (self.rho * self.limit / size))
    }
}

/// The part of `p` inside the disk of radius `limit`.
pub(crate) fn inside(p: Vec3, limit: f64) -> Vec3 {
    let size = p.norm();
    if size > limit { p * (limit / size) } else { p }
}

#[cfg(test)]
mod tests {
    use coact_testkit::{gradient, jacobian};

    use super::*;

    const N: Vec3 = Vec3::new(0.6, 0.0, 0.8);

    /// The law at the depth x₀ and the slip (x₁, x₂) in the plane.
    fn spot(law: &Law, x: &[f64]) -> Spot {
        let axes = [Vec3::y(), N.cross(&Vec3::y())];
        Spot { depth: x[0], trial: (axes[0] * x[1] + axes[1] * x[2]) * law.rho }
    }

    fn forces(law: &Law, x: &[f64]) -> Vec<f64> {
        let push = law.push(&spot(law, x));
        vec![push.normal, push.friction.y, push.friction.dot(&N.cross(&Vec3::y()))]
    }

    #[test]
    fn forces_are_those_of_the_potential_and_stiffness_is_theirs() {
        let law = Law { k: 50.0, damping: 7.0, begin: 0.1, rho: 20.0, limit: 1.5 };
        // pressing and sticking, pressing less than at the begin and sliding, open and sliding
        for x in [[0.3, 0.01, 0.02], [0.05, 0.3, -0.2], [-0.2, -0.2, 0.4]] {
            let force = forces(&law, &x);
            let slope = gradient(|x| law.eval_potential(&spot(&law, x)), &x);
            let slopes = jacobian(|x| forces(&law, x), &x);
            let (k, across) = law.stiffness(&N, &spot(&law, &x), 1.0);
            let axes = [Vec3::y(), N.cross(&Vec3::y())];
            assert!(force.iter().any(|f| f.abs() > 0.1), "nothing to compare");
            for i in 0..3 {
                assert!((force[i] - slope[i]).abs() < 1e-7, "{x:?} {i}: {force:?} {slope:?}");
                for j in 0..3 {
                    let exact = match (i, j) {
                        (0, 0) => k,
                        (0, _) | (_, 0) => 0.0,
                        _ => axes[i - 1].dot(&(across * axes[j - 1])),
                    };
                    assert!((slopes[j][i] - exact).abs() < 1e-6, "{x:?} {i} {j}");
                }
            }
        }
    }

    #[test]
    fn what_has_no_load_has_no_friction() {
        let law = Law { k: 50.0, rho: 20.0, ..Law::default() };
        let at = Spot { depth: -1.0, trial: Vec3::y() };
        assert_eq!((law.push(&at).normal, law.push(&at).friction), (0.0, Vec3::zeros()));
        assert_eq!(law.stiffness(&N, &at, 0.0).1, Mat3::zeros());
    }
}
