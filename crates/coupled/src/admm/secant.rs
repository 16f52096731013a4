//! The model of an island whose multipliers have bounds: `docs/theory/admm-coupling.md` eq. (14)–(17).
//!
//! r(λ) ≈ r_k − B (λ − λ_k) with B = W + C + D, D what the secants of earlier passes have shown that W
//! does not know: the neighbours of a block, what an entry does inside. D is kept from step to step for
//! rows that are the same.

use super::project::{Bound, Projection};

/// Share of a secant's own size below which its correction is noise.
const NOISE: f64 = 1e-8;
/// Residuals smaller than this share of the step's first one teach nothing.
const ROUNDING: f64 = 1e-12;

/// What a row is, so that its correction is found again in the next step.
pub(super) type RowKey = (u8, u32, u32, u32);

/// The model, and the solve on it.
#[derive(Clone, Debug, Default)]
pub(super) struct Secant {
    n: usize,
    b: Vec<f64>,
    correction: Vec<f64>,
    keys: Vec<RowKey>,
    /// The same of the step before.
    before: (Vec<f64>, Vec<RowKey>),
    order: Vec<usize>,
    lambda: Vec<f64>,
    residual: Vec<f64>,
    /// s, y − B s.
    step: Vec<f64>,
    miss: Vec<f64>,
    first: f64,
    has_last: bool,
    projection: Projection,
    q: Vec<f64>,
}

impl Secant {
    /// A step begins with B = `base` (dense, row-major) plus what was learnt of rows with these keys.
    pub fn begin(&mut self, base: &[f64], keys: impl Iterator<Item = RowKey>) {
        std::mem::swap(&mut self.before.0, &mut self.correction);
        std::mem::swap(&mut self.before.1, &mut self.keys);
        self.keys.clear();
        self.keys.extend(keys);
        self.n = self.keys.len();
        self.recall();
        self.b.clear();
        self.b.extend(base.iter().zip(&self.correction).map(|(b, d)| b + d));
        self.has_last = false;
    }

    fn recall(&mut self) {
        let (old, known) = (&self.before.0, &self.before.1);
        let m = known.len();
        self.correction.clear();
        self.correction.resize(self.n * self.n, 0.0);
        self.order.clear();
        self.order.extend(0..m);
        self.order.sort_unstable_by_key(|&i| known[i]);
        let place =
            |key: &RowKey| self.order.binary_search_by_key(key, |&i| known[i]).ok().map(|at| self.order[at]);
        for i in 0..self.n {
            let Some(a) = place(&self.keys[i]) else { continue };
            for j in 0..self.n {
                if let Some(b) = place(&self.keys[j]) {
                    self.correction[i * self.n + j] = old[a * m + b];
                }
            }
        }
    }

    /// Forgets what was learnt.
    pub fn forget(&mut self) {
        self.keys.clear();
        self.correction.clear();
        self.has_last = false;
    }

    /// What the last two passes tell, as a symmetric correction of rank one: eq. (17). One that would
    /// take away mobility is left out.
    pub fn learn(&mut self, lambda: &[f64], residual: &[f64]) {
        let n = self.n;
        let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let size = norm(residual);
        if self.has_last {
            self.step.clear();
            self.step.extend(lambda.iter().zip(&self.lambda).map(|(a, b)| a - b));
            self.miss.clear();
            for (row, (before, now)) in self.b.chunks_exact(n.max(1)).zip(self.residual.iter().zip(residual))
            {
                let told: f64 = row.iter().zip(&self.step).map(|(b, s)| b * s).sum();
                self.miss.push(before - now - told);
            }
            let along: f64 = self.miss.iter().zip(&self.step).map(|(m, s)| m * s).sum();
            let enough = along > NOISE * norm(&self.miss) * norm(&self.step);
            // written so that what is no number teaches nothing
            if enough && norm(&self.miss) > ROUNDING * self.first && along.is_finite() {
                for i in 0..n {
                    for j in 0..n {
                        let d = self.miss[i] * self.miss[j] / along;
                        self.b[i * n + j] += d;
                        self.correction[i * n + j] += d;
                    }
                }
            }
        } else {
            self.first = size;
        }
        self.lambda.clear();
        self.lambda.extend_from_slice(lambda);
        self.residual.clear();
        self.residual.extend_from_slice(residual);
        self.has_last = true;
    }

    /// Eq. (14): the multipliers that the model wants, γ holding them back, into `next`.
    pub fn solve(
        &mut self,
        lambda: &[f64],
        residual: &[f64],
        bounds: &[Bound],
        gamma: f64,
        next: &mut [f64],
    ) {
        let n = self.n;
        if gamma > 0.0 {
            (0..n).for_each(|i| self.b[i * n + i] *= 1.0 + gamma);
        }
        self.q.clear();
        for (row, residual) in self.b.chunks_exact(n.max(1)).zip(residual) {
            let told: f64 = row.iter().zip(lambda).map(|(b, l)| b * l).sum();
            self.q.push(residual + told);
        }
        next.copy_from_slice(lambda);
        self.projection.prepare(&self.b, bounds);
        self.projection.solve(&self.b, &self.q, bounds, next);
        if gamma > 0.0 {
            (0..n).for_each(|i| self.b[i * n + i] /= 1.0 + gamma);
        }
    }

    /// What is learnt, for a snapshot, and back.
    pub fn copy_memory(&mut self, o: &Self) {
        self.correction.clone_from(&o.correction);
        self.keys.clone_from(&o.keys);
    }
}
