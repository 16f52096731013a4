//! A destination's step: how its proxies move, what they received.
//! `docs/theory/proxy-coupling.md` eq. (4)–(10).

use coact_math::{Spatial, Vec3};
use coact_solver::{Endpoint, ProxyMotion, SolverError, StepInput};

use super::config::ProxyMode;
use super::interface::{Interface, Member};
use super::motion::{Substep, eval_free, eval_part, eval_staggered};
use super::pass::CoupledStep;
use crate::partition::entity_of;

impl Interface {
    /// Eq. (4)–(7): begin and free end of every proxy of a destination.
    pub(super) fn eval_motions(&mut self, d: usize, mode: ProxyMode, s: &mut CoupledStep) {
        let destination = &self.destinations[d];
        let rows = destination.rows.clone();
        let entry = &mut s.entries.list[destination.entry];
        if mode == ProxyMode::Staggered {
            entry.solver.gravity_acceleration(&self.set[rows.clone()], &mut self.gravity[rows.clone()]);
        }
        for row in rows {
            let (source, place) = self.slot[row];
            let from = &self.sources[source];
            let (end, com) = (&from.end[place], &from.com[place]);
            self.motion[row] = match (mode, self.set[row]) {
                (ProxyMode::Staggered, Endpoint::Body(_)) => eval_staggered(end, com, &Vec3::zeros(), s.dt),
                (ProxyMode::Staggered, Endpoint::Particle(_)) => {
                    eval_staggered(end, com, &self.gravity[row], s.dt)
                }
                _ => {
                    let net = self.applied[row] - (from.latest[place] - from.force[place]);
                    let free = eval_free(end, com, &self.mass[row], &net, (s.dt, entry.substeps));
                    ProxyMotion { begin: from.begin[place], free }
                }
            };
        }
    }

    /// Steps a destination; the harvest is the mean over its substeps, eq. (10).
    pub(super) fn run_destination(
        &mut self,
        m: &Member,
        d: usize,
        s: &mut CoupledStep,
    ) -> Result<(), SolverError> {
        let rows = self.destinations[d].rows.clone();
        let count = s.entries.list[m.entry].substeps;
        let h = s.dt / count as f64;
        for row in rows.clone() {
            self.proxy_end[row] = self.motion[row].begin;
            self.harvested[row] = Spatial::zeros();
        }
        self.find_contacts(d, s);
        let own = std::mem::take(&mut s.entries.list[m.entry].forces);
        let mut result = Ok(());
        for index in 0..count {
            self.eval_parts(d, Substep { index, count, h });
            self.set_targets(d, s, Substep { index, count, h });
            let control = self.destinations[d].joints.control().unwrap_or(s.input.control);
            let contacts = self.destinations[d].contacts.as_ref().map(|c| c.found()).or(s.input.contacts);
            let forces = if m.source.is_some() { &own } else { s.input.forces };
            let entry = &mut s.entries.list[m.entry];
            let set = &self.set[rows.clone()];
            entry.solver.begin_proxies(set, &self.part[rows.clone()], h);
            entry.solver.prepare_proxy_contacts(set);
            let input = StepInput { control, forces, contacts };
            result = entry.substep(&input, h, &mut s.report.entries[m.entry]);
            if result.is_err() {
                break;
            }
            entry.solver.read_interface(set, &mut self.proxy_end[rows.clone()]);
            self.harvest(d, s, h, count);
        }
        s.entries.list[m.entry].forces = own;
        self.quarantine(d, s);
        result
    }

    fn eval_parts(&mut self, d: usize, substep: Substep) {
        for row in self.destinations[d].rows.clone() {
            let (source, place) = self.slot[row];
            let com = &self.sources[source].com[place];
            self.part[row] = eval_part(&self.motion[row], com, substep, &self.proxy_end[row]);
        }
    }

    /// Adds one substep's harvest; `next` is where the solver writes.
    fn harvest(&mut self, d: usize, s: &mut CoupledStep, h: f64, count: usize) {
        let destination = &self.destinations[d];
        let solver = &mut s.entries.list[destination.entry].solver;
        for block in self.pairs[destination.pairs.clone()].iter().flat_map(|p| &p.blocks) {
            let rows = block.rows.clone();
            let (set, part) = (&self.set[rows.clone()], &self.part[rows.clone()]);
            solver.harvest_proxies(set, part, block.harvest, h, &mut self.next[rows]);
        }
        for row in destination.rows.clone() {
            match count {
                1 => self.harvested[row] = self.next[row],
                _ => self.harvested[row] += self.next[row] * (1.0 / count as f64),
            }
        }
    }

    /// A force that is not a number would spoil the source too: it is dropped and named.
    fn quarantine(&mut self, d: usize, s: &mut CoupledStep) {
        for row in self.destinations[d].rows.clone() {
            if !self.harvested[row].is_finite() {
                self.harvested[row] = Spatial::zeros();
                let entity = entity_of(&self.set[row]);
                if !s.report.nonfinite.contains(&entity) {
                    s.report.note_nonfinite(entity);
                }
            }
        }
    }
}
