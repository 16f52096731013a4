//! What a step is judged by: residuals, impulse and work of each interface.
//! `docs/theory/proxy-coupling.md` eq. (13)–(15), (17).

use std::ops::Range;

use coact_math::{Spatial, Vec3};
use coact_solver::InterfaceReport;

use super::config::ProxyMode;
use super::interface::{Interface, Island};
use super::motion::displacement;
use super::pass::CoupledStep;
use crate::convergence::Residuals;
use crate::partition::entity_of;

/// Two ways of adding up the same velocity differ by less than this part of it. Larger hides
/// a force that still changes, smaller makes a contact that opens look unsolved.
const ROUNDING: f64 = 1e-13;

impl Interface {
    /// Residuals of the pass that just ended, over the island.
    pub fn measure(&self, island: &Island, dt: f64) -> Residuals {
        self.residuals(island.rows.clone(), island.mode, dt)
    }

    fn residuals(&self, rows: Range<usize>, mode: ProxyMode, dt: f64) -> Residuals {
        rows.map(|row| self.residuals_of_row(row, mode, dt)).fold(Residuals::default(), Residuals::max)
    }

    /// Eq. (13) and (14).
    fn residuals_of_row(&self, row: usize, mode: ProxyMode, dt: f64) -> Residuals {
        let (source, place) = self.slot[row];
        let s = &self.sources[source];
        let (end, proxy, com) = (&s.end[place], &self.proxy_end[row], &s.com[place]);
        let primal = (end.pose.point(com) - proxy.pose.point(com)).norm();
        let dual = match mode {
            ProxyMode::Predicted if self.mass[row].is_movable() => {
                let (a, b) = (end.velocity.lin, proxy.velocity.lin);
                let differ = (a - b).norm() > ROUNDING * (a.norm() + b.norm());
                if differ || !proxy.velocity.is_finite() {
                    (a - b).norm() * self.mass[row].mass / dt
                } else {
                    0.0
                }
            }
            ProxyMode::Predicted => 0.0,
            _ => (self.force[row].lin - self.applied[row].lin).norm(),
        };
        let force = self.force[row].lin.norm();
        Residuals { primal, dual, force, scale: force.max(self.before[row].lin.norm()) }
    }

    /// Fills the reports of an island's interfaces and keeps the books of their rows.
    pub fn end_step(&mut self, island: &Island, taken: usize, s: &mut CoupledStep) {
        let converged = island.convergence.is_met(&self.measure(island, s.dt));
        for pair in island.pairs.clone() {
            let rows = self.pairs[pair].rows.clone();
            let residuals = self.residuals(rows.clone(), island.mode, s.dt);
            let out = &mut s.report.interfaces[pair];
            out.iterations = taken;
            (out.primal, out.dual, out.force) = (residuals.primal, residuals.dual, residuals.force);
            out.converged = converged;
            for row in rows {
                let of_row = self.residuals_of_row(row, island.mode, s.dt);
                if of_row.primal >= residuals.primal && out.worst.is_none() {
                    out.worst = Some(entity_of(&self.set[row]));
                }
                out.withheld = out.withheld.max(self.ledger[row].withheld);
                self.add_exchange(row, s.dt, out);
                self.book(row);
            }
        }
    }

    /// Eq. (17): the ledger of a row. The proxy's way is counted from where it ended last, since
    /// its destination is also moved when it is put back to its source.
    fn book(&mut self, row: usize) {
        let (source, place) = self.slot[row];
        let s = &self.sources[source];
        let (com, begin) = (&s.com[place], &self.motion[row].begin.pose);
        let none = Spatial::zeros();
        let touched = self.applied[row] != none || self.force[row] != none;
        let from = if touched && self.before[row] != none { self.last_end[row] } else { *begin };
        let by_source = displacement(&s.begin[place].pose, &s.end[place].pose, com);
        let by_proxy = displacement(&from, &self.proxy_end[row].pose, com);
        let work = [self.applied[row].dot(&by_source), -self.harvested[row].dot(&by_proxy)];
        self.ledger[row].add(work[0], work[1], touched);
        self.last_end[row] = self.proxy_end[row].pose;
    }

    /// Eq. (15): impulse and work of one row, on each side with that side's own force and
    /// displacement.
    fn add_exchange(&self, row: usize, dt: f64, out: &mut InterfaceReport) {
        let (source, place) = self.slot[row];
        let s = &self.sources[source];
        let com = &s.com[place];
        let add = |sum: &mut [f64; 3], f: &Spatial| {
            let impulse: Vec3 = f.lin * dt;
            sum.iter_mut().zip(&impulse).for_each(|(s, i)| *s += i);
        };
        add(&mut out.impulse_source, &self.applied[row]);
        add(&mut out.impulse_destination, &self.harvested[row]);
        let by_source = displacement(&s.begin[place].pose, &s.end[place].pose, com);
        let by_proxy = displacement(&self.motion[row].begin.pose, &self.proxy_end[row].pose, com);
        out.work_source += self.applied[row].dot(&by_source);
        out.work_destination -= self.harvested[row].dot(&by_proxy);
    }
}
