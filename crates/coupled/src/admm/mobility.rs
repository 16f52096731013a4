//! The mobility of all rows of an island, and its factors: `docs/theory/admm-coupling.md` eq. (9).
//!
//! W = J X Jᵀ with the responses X of the endpoints, rows that share an endpoint or a mechanism
//! coupled; a pass solves (W + C + γ diag W) Δλ = ρ r.

use coact_math::{Mat6, Spatial, Vec6, cholesky};
use coact_solver::Response;

use super::ends::Ends;
use super::rows::Row;

/// Share of its diagonal below which a pivot is a row that others imply: it keeps its multiplier.
const REDUNDANT: f64 = 1e-11;

/// W of some rows, dense.
#[derive(Clone, Debug, Default)]
pub(super) struct Mobility {
    n: usize,
    /// W without compliance, row-major.
    values: Vec<f64>,
    /// What is solved: W + compliance + γ diag W, before and after it is factored.
    matrix: Vec<f64>,
    factor: Vec<f64>,
    /// Root of the diagonal of what is solved: weights of the rows.
    pub weights: Vec<f64>,
}

/// Which derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Pose,
    Velocity,
}

impl Of {
    fn pick(self, r: &Response) -> &Mat6 {
        match self {
            Self::Pose => &r.pose,
            Self::Velocity => &r.velocity,
        }
    }
}

impl Mobility {
    /// W of rows between these ends.
    pub fn assemble(&mut self, rows: &[Row], ends: &Ends, of: Of) {
        self.n = rows.len();
        self.values.clear();
        self.values.resize(self.n * self.n, 0.0);
        for j in 0..self.n {
            for (end, &place) in rows[j].places.iter().enumerate() {
                let wrench = signed(&rows[j], end).to_vec6();
                self.add(rows, j, place, &(of.pick(&ends.response[place]) * wrench));
                for cross in ends.cross.iter().filter(|c| c.places[1] == place) {
                    self.add(rows, j, cross.places[0], &(of.pick(&cross.response) * wrench));
                }
            }
        }
    }

    /// What a unit multiplier of row j, which moves the end at `place`, does to all rows.
    fn add(&mut self, rows: &[Row], j: usize, place: usize, moved: &Vec6) {
        for (i, row) in rows.iter().enumerate() {
            for end in (0..2).filter(|&e| row.places[e] == place) {
                self.values[i * self.n + j] += signed(row, end).to_vec6().dot(moved);
            }
        }
    }

    /// W ← s W.
    pub fn scale(&mut self, s: f64) {
        self.values.iter_mut().for_each(|w| *w *= s);
    }

    /// Factors W + compliance + γ diag W. Returns how many rows others imply.
    pub fn factor(&mut self, compliance: impl Fn(usize) -> f64, gamma: f64) -> usize {
        let n = self.n;
        self.matrix.clone_from(&self.values);
        self.weights.clear();
        for i in 0..n {
            // rounding must not make it unsymmetric
            for j in 0..i {
                let mean = 0.5 * (self.values[i * n + j] + self.values[j * n + i]);
                (self.matrix[i * n + j], self.matrix[j * n + i]) = (mean, mean);
            }
            let w = self.values[i * n + i];
            self.matrix[i * n + i] = w * (1.0 + gamma) + compliance(i);
            self.weights.push(self.matrix[i * n + i].max(0.0).sqrt());
        }
        self.factor.clone_from(&self.matrix);
        cholesky::factor_above(&mut self.factor, n, REDUNDANT)
    }

    /// What is solved, dense, row-major.
    pub fn matrix(&self) -> &[f64] {
        &self.matrix
    }

    /// Solves in place.
    pub fn solve(&self, b: &mut [f64]) {
        cholesky::solve(&self.factor, b);
    }
}

/// What a unit multiplier of a row puts on one of its ends, as the row's C counts it.
fn signed(row: &Row, end: usize) -> Spatial {
    if end == 0 { row.wrench[0] } else { -row.wrench[1] }
}
