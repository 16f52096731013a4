//! What a step is judged by: residuals, impulse and work of each interface.
//! `docs/theory/admm-coupling.md` eq. (13).

use coact_math::{Spatial, Vec3};
use coact_solver::{InterfaceReport, StepReport};

use super::AdmmExchange;
use super::rows::Row;
use crate::proxy::displacement;

impl AdmmExchange {
    /// Fills the reports of all interfaces.
    pub(super) fn fill_reports(&self, dt: f64, report: &mut StepReport) {
        for island in &self.islands {
            for (k, i) in island.rows.clone().enumerate() {
                let row = &self.rows[i];
                let out = &mut report.interfaces[row.pair];
                out.iterations = island.outcome.passes;
                out.converged = island.outcome.converged;
                let r = island.natural()[k];
                out.primal = larger(out.primal, r.abs());
                if !row.is_angular() {
                    out.dual = larger(out.dual, island.remaining()[k].abs());
                }
                self.add_exchange(row, (self.lambda[i], self.impulse[i]), dt, out);
            }
        }
        for (pair, out) in report.interfaces.iter_mut().enumerate() {
            out.converged |= !self.rows.iter().any(|r| r.pair == pair);
            out.force = out.impulse_source.iter().map(|p| p * p).sum::<f64>().sqrt() / dt;
        }
    }

    /// Eq. (13): impulse and work of one row on each side.
    fn add_exchange(&self, row: &Row, (lambda, p): (f64, f64), dt: f64, out: &mut InterfaceReport) {
        let first_is_source = self.ends.keys[row.places[0]].0 == self.pairs[row.pair].entries[0];
        for end in 0..2 {
            let place = row.places[end];
            let sign = if end == 0 { -1.0 } else { 1.0 };
            let wrench = row.wrench[end] * (sign * lambda);
            let way =
                displacement(&self.ends.begin[place].pose, &self.ends.end[place].pose, &self.ends.com[place]);
            let rate: Spatial = self.ends.end[place].velocity;
            let work = wrench.dot(&way) + sign * p * row.wrench[end].dot(&rate);
            let impulse: Vec3 = row.wrench[end].lin * (sign * (lambda * dt + p));
            let is_source = (end == 0) == first_is_source;
            let (sum, done) = match is_source {
                true => (&mut out.impulse_source, &mut out.work_source),
                false => (&mut out.impulse_destination, &mut out.work_destination),
            };
            // what the second side gave is what the first one got
            let toward = if is_source { 1.0 } else { -1.0 };
            sum.iter_mut().zip(&impulse).for_each(|(s, i)| *s += toward * i);
            *done += work;
        }
    }
}

/// What is no number stays.
fn larger(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}
