//! The angular rows of a joint: what holds its relative rotation. Theory:
//! `docs/theory/rigid-rows.md` eq. (8)–(11).
//!
//! ```text
//! f = P (k κ + s λ + kd/h J (φ₁ − φ₀))     torque Jᵀf on the first body, −Jᵀf on the second
//! A = Jᵀ P k P J
//! ```
//! φ: rotation vector of a body since the begin of the step. A rod has a row for each of bend,
//! bend, twist; their damping resists the change of κ itself.

use coact_math::{Mat3, Vec3};

use super::angular::{Turn, wrapped};
use super::linear::beyond;
use crate::rigid::EdgeTerms;
use crate::row::CompliantRow;

/// The angular rows of a joint in a step.
#[derive(Clone, Copy, Debug)]
pub struct TurnRows {
    /// κ without what is free.
    pub locked: Mat3,
    /// Per component of κ.
    pub rows: [CompliantRow; 3],
    /// kd/h per component \[N·m\].
    pub damping: [f64; 3],
    /// Whether damping resists the change of κ since `begin` (rods), not the turn of the bodies.
    pub strain: bool,
    /// Multipliers \[N·m\].
    pub lambda: Vec3,
    /// κ at the begin of the step.
    pub begin: Vec3,
    /// What is left of it at the end: not closed yet.
    pub allowed: Vec3,
}

impl Default for TurnRows {
    fn default() -> Self {
        Self {
            locked: Mat3::zeros(),
            rows: [CompliantRow::OFF; 3],
            damping: [0.0; 3],
            strain: false,
            lambda: Vec3::zeros(),
            begin: Vec3::zeros(),
            allowed: Vec3::zeros(),
        }
    }
}

impl TurnRows {
    /// Whether there is a row.
    pub fn is_on(&self) -> bool {
        self.locked != Mat3::zeros() && self.rows != [CompliantRow::OFF; 3]
    }

    /// Adds torque and stiffness; `turned`: φ₁ − φ₀.
    pub fn add(&self, at: &Turn, turned: &Vec3, terms: &mut EdgeTerms) {
        let rate = match self.strain {
            true => self.change(at),
            false => at.jacobian * turned,
        };
        let damped = Vec3::from_fn(|i, _| self.damping[i] * rate[i]);
        let f = self.locked * (self.row_forces(&at.kappa) + damped);
        let k = Vec3::from_fn(|i, _| self.rows[i].k + self.damping[i]);
        let k = self.locked * Mat3::from_diagonal(&k) * self.locked;
        terms.add_turn(&at.jacobian.tr_mul(&f), &(at.jacobian.tr_mul(&k) * at.jacobian));
    }

    /// The same rows, pulling with what their multipliers are.
    pub fn held(&self) -> Self {
        Self { rows: self.rows.map(CompliantRow::held), ..*self }
    }

    /// Angle that the rows leave \[rad\].
    pub fn error(&self, at: &Turn) -> f64 {
        (self.locked * at.kappa).norm()
    }

    /// The dual update.
    pub fn update(&mut self, at: &Turn) {
        self.lambda = self.locked * self.row_forces(&at.kappa);
    }

    /// eq. (34c): what rows close in the step is at most the angle `turn` of what they begin with.
    pub fn allow_beyond(&mut self, turn: f64) {
        self.allowed = beyond(&(self.locked * self.begin), turn);
    }

    fn row_forces(&self, kappa: &Vec3) -> Vec3 {
        Vec3::from_fn(|i, _| self.rows[i].force1(kappa[i] - self.allowed[i], self.lambda[i]))
    }

    fn change(&self, at: &Turn) -> Vec3 {
        let d = at.kappa - self.begin;
        Vec3::new(d.x, d.y, wrapped(d.z))
    }
}
