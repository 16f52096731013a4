//! Friction of a contact against turning: rolling in its plane, torsion about its normal. Theory:
//! `docs/theory/rigid-rows.md` eq. (26a), (26b).
//!
//! ```text
//! w = φ₁ − φ₀                         relative turn of the step
//! p = λ + ρ (o + w),  T = s p         torque on the first body, −T on the second
//! s = min(1, r N/|p|)                 r_t along n, r_r in the plane, each with its own share
//! ```
//! The lengths r are how far the pressure of a real contact may move away from its middle.

use coact_math::{Mat3, Vec3};

use super::law::inside;
use crate::rigid::EdgeTerms;

/// Coefficients in a step; the first of two numbers is for rolling, the second for torsion.
#[derive(Clone, Copy, Debug, Default)]
pub struct SpinRow {
    /// Largest torque per normal force \[m\].
    pub arm: [f64; 2],
    /// Metrics \[N·m\].
    pub rho: [f64; 2],
}

/// What a contact remembers of torques, in the world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpinGrasp {
    /// Multiplier \[N·m\].
    pub torque: Vec3,
    /// Turn of the second body from its anchor on the first at the begin of the step.
    pub offset: Vec3,
    /// The same as the last dual update found it.
    pub next: Vec3,
}

impl SpinRow {
    /// Whether anything resists.
    pub fn is_on(&self) -> bool {
        self.arm != [0.0; 2]
    }

    /// eq. (26a): torque on the first body under the normal force `normal` and the relative `turn`, and
    /// the shares that hold.
    fn eval(&self, grasp: &SpinGrasp, n: &Vec3, normal: f64, turn: &Vec3) -> (Vec3, [f64; 2]) {
        let p = self.wanted(grasp, n, turn);
        let along = n * n.dot(&p);
        let parts = [p - along, along];
        let held = [0, 1].map(|i| inside(parts[i], self.arm[i] * normal));
        let share = |i: usize| {
            let size = parts[i].norm();
            if size > 0.0 { held[i].norm() / size } else { 1.0 }
        };
        (held[0] + held[1], [share(0), share(1)])
    }

    /// Torque on the first body \[N·m\].
    pub fn torque(&self, grasp: &SpinGrasp, n: &Vec3, normal: f64, turn: &Vec3) -> Vec3 {
        self.eval(grasp, n, normal, turn).0
    }

    fn wanted(&self, grasp: &SpinGrasp, n: &Vec3, turn: &Vec3) -> Vec3 {
        grasp.torque + self.scaled(&(grasp.offset + turn), n, self.rho)
    }

    /// `v` with its part in the plane and that along `n` scaled.
    fn scaled(&self, v: &Vec3, n: &Vec3, by: [f64; 2]) -> Vec3 {
        let along = n * n.dot(v);
        (v - along) * by[0] + along * by[1]
    }

    /// eq. (26b): adds torque and stiffness.
    pub fn add(&self, grasp: &SpinGrasp, n: &Vec3, normal: f64, turn: &Vec3, terms: &mut EdgeTerms) {
        let (torque, share) = self.eval(grasp, n, normal, turn);
        let [plane, along] = [share[0] * self.rho[0], share[1] * self.rho[1]];
        let stiffness = Mat3::from_diagonal_element(plane) + n * n.transpose() * (along - plane);
        terms.add_turn(&torque, &stiffness);
    }

    /// The dual update.
    pub fn update(&self, grasp: &mut SpinGrasp, n: &Vec3, normal: f64, turn: &Vec3) {
        let (torque, _) = self.eval(grasp, n, normal, turn);
        grasp.next = self.offset_after(&(torque - grasp.torque), n);
        grasp.torque = torque;
    }

    /// The end of a step without a dual update: the anchor follows what it could not hold.
    pub fn rest(&self, grasp: &mut SpinGrasp, n: &Vec3, normal: f64, turn: &Vec3) {
        let (torque, _) = self.eval(grasp, n, normal, turn);
        grasp.offset = self.offset_after(&(torque - grasp.torque), n);
    }

    /// The turn that a torque leaves against the metrics.
    fn offset_after(&self, torque: &Vec3, n: &Vec3) -> Vec3 {
        self.scaled(torque, n, self.rho.map(|r| if r > 0.0 { 1.0 / r } else { 0.0 }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: SpinRow = SpinRow { arm: [0.01, 0.02], rho: [50.0, 80.0] };

    #[test]
    fn what_is_within_both_limits_holds_and_each_limit_is_its_own() {
        let (n, none) = (Vec3::z(), SpinGrasp::default());
        let (held, share) = ROW.eval(&none, &n, 10.0, &Vec3::new(1e-3, 0.0, -1e-3));
        assert!((held - Vec3::new(0.05, 0.0, -0.08)).norm() < 1e-15 && share == [1.0, 1.0]);
        let (slips, share) = ROW.eval(&none, &n, 10.0, &Vec3::new(0.3, 0.4, -1e-3));
        assert!((slips - Vec3::new(0.06, 0.08, -0.08)).norm() < 1e-15);
        assert!((share[0] - 0.1 / 25.0).abs() < 1e-15 && share[1] == 1.0);
    }

    /// Updates at a fixed turn leave the torque that gives no further offset.
    #[test]
    fn the_dual_update_keeps_what_it_can_hold() {
        let (n, turn, mut grasp) = (Vec3::z(), Vec3::new(0.0, 0.0, 1e-3), SpinGrasp::default());
        ROW.update(&mut grasp, &n, 10.0, &turn);
        assert!((grasp.torque.z - 0.08).abs() < 1e-15 && (grasp.next - turn).norm() < 1e-15);
        ROW.update(&mut grasp, &n, 10.0, &Vec3::new(0.0, 0.0, 1.0));
        assert!((grasp.torque.z - 0.2).abs() < 1e-15);
    }
}
