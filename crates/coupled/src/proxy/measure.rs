//! What a step is judged by: residuals, impulse and work of each interface.
//! `docs/theory/proxy-coupling.md` eq. (13)–(15).

use std::ops::Range;

use coact_math::{Spatial, Vec3};
use coact_solver::{InterfaceReport, StepReport};

use super::config::ProxyMode;
use super::interface::{Interface, Island};
use super::motion::displacement;
use crate::convergence::Residuals;

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

    /// Fills the reports of an island's interfaces.
    pub fn fill_report(&self, island: &Island, dt: f64, taken: usize, report: &mut StepReport) {
        let converged = island.convergence.is_met(&self.measure(island, dt));
        for pair in island.pairs.clone() {
            let rows = self.pairs[pair].rows.clone();
            let residuals = self.residuals(rows.clone(), island.mode, dt);
            let out = &mut report.interfaces[pair];
            out.iterations = taken;
            (out.primal, out.dual, out.force) = (residuals.primal, residuals.dual, residuals.force);
            out.converged = converged;
            rows.for_each(|row| self.add_exchange(row, dt, out));
        }
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
