//! One pass: the sources step under the interface force, the destinations step against
//! the proxies and report the force. `docs/theory/proxy-coupling.md` eq. (3)–(12).
//!
//! A source's force is `user + F`, summed in this order: F = 0 + F_1 + F_2 + … over its
//! destinations as they were declared, then one addition to the user's force. So with one
//! destination and no user force the source gets the bits that were harvested.

use coact_math::{Spatial, Vec3};
use coact_model::Forces;
use coact_solver::{Endpoint, ProxyMotion, SolverError, StepInput, StepReport};

use super::config::ProxyMode;
use super::interface::{Interface, Island, Source};
use super::motion::{Substep, eval_free, eval_part, eval_staggered};
use crate::acceleration::eval_blend;
use crate::entries::Entries;
use crate::partition::entity_of;

impl Interface {
    /// Takes down where the sources begin, and what is needed to come back.
    pub fn begin_step(
        &mut self,
        island: &mut Island,
        entries: &mut Entries,
        input: &StepInput,
        rewinds: bool,
    ) {
        for source in &mut self.sources[island.sources.clone()] {
            let entry = &mut entries.list[source.entry];
            entry.solver.read_interface(&source.set, &mut source.begin);
            entry.forces.copy_from(input.forces);
        }
        if rewinds {
            for &i in &island.entries {
                let entry = &mut entries.list[i];
                entry.solver.save_into(&mut entry.begin);
            }
        }
        self.before[island.rows.clone()].copy_from_slice(&self.force[island.rows.clone()]);
        if let Some(acceleration) = &mut island.acceleration {
            acceleration.begin_step(island.rows.len());
        }
    }

    /// Eq. (3) with the force of the step before: where the sources' end is expected; they
    /// stay at the begin. Eq. (4) and (5) take that force back, so that a source which answers
    /// it as the proxy does is not affected, and another one only by how much it changed.
    pub fn trial(
        &mut self,
        island: &Island,
        entries: &mut Entries,
        input: &StepInput,
        dt: f64,
        report: &mut StepReport,
    ) -> Result<(), SolverError> {
        self.sum_forces(island);
        for source in &mut self.sources[island.sources.clone()] {
            let (entry, part) = (&mut entries.list[source.entry], &mut report.entries[source.entry]);
            source.apply_forces(input.forces, &mut entry.forces);
            entry.free_motion_with_own_forces(&source.set, input, dt, part, &mut source.end)?;
        }
        Ok(())
    }

    /// Eq. (3) and (12): the sources step under F.
    pub fn source_pass(
        &mut self,
        island: &Island,
        entries: &mut Entries,
        input: &StepInput,
        dt: f64,
        rewind: bool,
        report: &mut StepReport,
    ) -> Result<(), SolverError> {
        self.sum_forces(island);
        for source in &mut self.sources[island.sources.clone()] {
            let entry = &mut entries.list[source.entry];
            if rewind {
                entry.rewind(dt);
            }
            source.apply_forces(input.forces, &mut entry.forces);
            entry.step_with_own_forces(input, dt, &mut report.entries[source.entry])?;
            entry.solver.read_interface(&source.set, &mut source.end);
        }
        Ok(())
    }

    /// F of this pass, row by row and summed at each source endpoint.
    fn sum_forces(&mut self, island: &Island) {
        for source in &mut self.sources[island.sources.clone()] {
            source.force.fill(Spatial::zeros());
        }
        for row in island.rows.clone() {
            self.applied[row] = self.force[row];
            let (source, place) = self.slot[row];
            self.sources[source].force[place] += self.force[row];
        }
        for source in &mut self.sources[island.sources.clone()] {
            source.latest.copy_from_slice(&source.force);
        }
    }

    /// The destinations step against their proxies; then the next F, eq. (10) and (11).
    pub fn destination_pass(
        &mut self,
        island: &mut Island,
        entries: &mut Entries,
        input: &StepInput,
        dt: f64,
        pass: usize,
        report: &mut StepReport,
    ) -> Result<(), SolverError> {
        for d in island.destinations.clone() {
            if pass > 0 {
                entries.list[self.destinations[d].entry].rewind(dt);
            }
            self.eval_motions(d, island.mode, entries, dt);
            self.run_destination(d, entries, input, dt, report)?;
            self.relax(d, island.mode, pass);
        }
        let rows = island.rows.clone();
        // the first force of a predicted step is no estimate that could be blended with
        let earlier = if island.mode == ProxyMode::Predicted { 1 } else { 0 };
        if let (Some(acceleration), true) = (&mut island.acceleration, pass >= earlier) {
            acceleration.apply(pass - earlier, &self.force[rows.clone()], &mut self.next[rows.clone()]);
        }
        self.force[rows.clone()].copy_from_slice(&self.next[rows]);
        Ok(())
    }

    /// Eq. (4)–(7): begin and free end of every proxy of a destination.
    fn eval_motions(&mut self, d: usize, mode: ProxyMode, entries: &mut Entries, dt: f64) {
        let destination = &self.destinations[d];
        let rows = destination.rows.clone();
        let entry = &mut entries.list[destination.entry];
        if mode == ProxyMode::Staggered {
            entry.solver.gravity_acceleration(&self.set[rows.clone()], &mut self.gravity[rows.clone()]);
        }
        for row in rows {
            let (source, place) = self.slot[row];
            let s = &self.sources[source];
            let (end, com) = (&s.end[place], &s.com[place]);
            self.motion[row] = match (mode, self.set[row]) {
                (ProxyMode::Staggered, Endpoint::Body(_)) => eval_staggered(end, com, &Vec3::zeros(), dt),
                (ProxyMode::Staggered, Endpoint::Particle(_)) => {
                    eval_staggered(end, com, &self.gravity[row], dt)
                }
                _ => {
                    let net = self.applied[row] - (s.latest[place] - s.force[place]);
                    let free = eval_free(end, com, &self.mass[row], &net, (dt, entry.substeps));
                    ProxyMotion { begin: s.begin[place], free }
                }
            };
        }
    }

    /// Steps a destination; the harvest is the mean over its substeps, eq. (10).
    fn run_destination(
        &mut self,
        d: usize,
        entries: &mut Entries,
        input: &StepInput,
        dt: f64,
        report: &mut StepReport,
    ) -> Result<(), SolverError> {
        let rows = self.destinations[d].rows.clone();
        let entry = self.destinations[d].entry;
        let count = entries.list[entry].substeps;
        let h = dt / count as f64;
        for row in rows.clone() {
            self.proxy_end[row] = self.motion[row].begin;
            self.harvested[row] = Spatial::zeros();
        }
        for index in 0..count {
            self.eval_parts(d, Substep { index, count, h });
            let entry_at_work = &mut entries.list[entry];
            let set = &self.set[rows.clone()];
            entry_at_work.solver.begin_proxies(set, &self.part[rows.clone()], h);
            entry_at_work.solver.prepare_proxy_contacts(set);
            entry_at_work.substep(input, h, &mut report.entries[entry])?;
            entry_at_work.solver.read_interface(set, &mut self.proxy_end[rows.clone()]);
            self.harvest(d, entries, h, count);
        }
        self.quarantine(d, report);
        Ok(())
    }

    fn eval_parts(&mut self, d: usize, substep: Substep) {
        for row in self.destinations[d].rows.clone() {
            let (source, place) = self.slot[row];
            let com = &self.sources[source].com[place];
            self.part[row] = eval_part(&self.motion[row], com, substep, &self.proxy_end[row]);
        }
    }

    /// Adds one substep's harvest; `next` is where the solver writes.
    fn harvest(&mut self, d: usize, entries: &mut Entries, h: f64, count: usize) {
        let destination = &self.destinations[d];
        let solver = &mut entries.list[destination.entry].solver;
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
    fn quarantine(&mut self, d: usize, report: &mut StepReport) {
        for row in self.destinations[d].rows.clone() {
            if !self.harvested[row].is_finite() {
                self.harvested[row] = Spatial::zeros();
                let entity = entity_of(&self.set[row]);
                if !report.nonfinite.contains(&entity) {
                    report.note_nonfinite(entity);
                }
            }
        }
    }

    /// Eq. (11): relaxation per declared proxy, and what the other destinations of the same
    /// endpoint see of it in this pass, eq. (6).
    fn relax(&mut self, d: usize, mode: ProxyMode, pass: usize) {
        let first = mode == ProxyMode::Predicted && pass == 0;
        for block in self.pairs[self.destinations[d].pairs.clone()].iter().flat_map(|p| &p.blocks) {
            let w = if first { 1.0 } else { block.relaxation };
            for row in block.rows.clone() {
                self.next[row] = eval_blend(w, self.harvested[row], self.force[row]);
                let (source, place) = self.slot[row];
                self.sources[source].latest[place] += self.next[row] - self.force[row];
            }
        }
    }
}

impl Source {
    /// Eq. (12): the endpoints' rows of the entry's forces; all other rows are the user's.
    fn apply_forces(&self, user: &Forces, own: &mut Forces) {
        for (e, f) in self.set.iter().zip(&self.force) {
            match e {
                Endpoint::Body(b) => own.body_f[b.index()] = user.body_f[b.index()] + *f,
                Endpoint::Particle(p) => own.particle_f[p.index()] = user.particle_f[p.index()] + f.lin,
            }
        }
    }
}
