//! One pass: every entry of an island steps once, stage by stage. Sources step under the
//! interface force, destinations against the proxies, what is both does both.
//! `docs/theory/proxy-coupling.md` eq. (3), (11), (12) and section 4.
//!
//! A source's force is `user + F`, summed in this order: F = 0 + F_1 + F_2 + … over its
//! rows, then one addition to the user's force. So with one destination and no user force
//! the source gets the bits that were harvested.

use coact_math::{Spatial, Vec3};
use coact_model::Forces;
use coact_solver::{Endpoint, SolverError, StepInput, StepReport};

use super::config::ProxyMode;
use super::interface::{Interface, Island, Member, Source, Stage};
use super::passivity::LateForce;
use crate::acceleration::eval_blend;
use crate::entries::Entries;

/// What a coupled step is made of besides its interface.
pub(super) struct CoupledStep<'a> {
    pub entries: &'a mut Entries,
    pub input: StepInput<'a>,
    pub dt: f64,
    pub report: &'a mut StepReport,
}

impl Interface {
    /// Takes down where the sources begin, and what is needed to come back.
    pub fn begin_step(&mut self, island: &mut Island, s: &mut CoupledStep) {
        let again = island.convergence.max_iterations() > 1;
        let predicted = island.mode == ProxyMode::Predicted;
        for stage in &mut island.stages {
            stage.acceleration.begin_step(stage.rows.len());
            for m in &stage.members {
                let entry = &mut s.entries.list[m.entry];
                entry.stepped = false;
                if let Some(source) = m.source {
                    self.sources[source].begin_step(entry, s.input.forces, s.dt);
                }
                if again || (predicted && m.source.is_some()) {
                    entry.solver.save_into(&mut entry.begin);
                }
                if let Some(d) = m.destination {
                    self.begin_joints(d, &s.entries.list[m.entry].view);
                }
            }
        }
        self.before[island.rows.clone()].copy_from_slice(&self.force[island.rows.clone()]);
    }

    /// Eq. (3) with the force of the step before: where the sources' end is expected. Eq. (4)
    /// and (5) take that force back, so that a source which answers it as the proxy does is not
    /// affected, and another one only by how much it changed.
    pub fn trial(&mut self, island: &Island, s: &mut CoupledStep) -> Result<(), SolverError> {
        let upwards = island.stages.iter().rev().flat_map(|stage| &stage.members);
        upwards.filter(|m| m.source.is_some()).try_for_each(|m| self.advance(m, island, s))
    }

    /// Every entry once, from the begin of the step. `pass` counts from 0.
    pub fn pass(&mut self, island: &mut Island, s: &mut CoupledStep, pass: usize) -> Result<(), SolverError> {
        for k in 0..island.stages.len() {
            for i in 0..island.stages[k].members.len() {
                let m = island.stages[k].members[i];
                self.advance(&m, island, s)?;
                if let Some(d) = m.destination {
                    self.relax(d, island.mode, pass);
                }
            }
            self.close_stage(&mut island.stages[k], island.mode, pass);
        }
        Ok(())
    }

    /// One entry's step from the begin, in the roles that it has. A source that has taken it
    /// under the same force already is where that leads: nothing is left to do.
    fn advance(&mut self, m: &Member, island: &Island, s: &mut CoupledStep) -> Result<(), SolverError> {
        let before = s.entries.list[m.entry].stepped;
        if let Some(source) = m.source {
            let same = self.sources[source].rows.iter().all(|&row| self.force[row] == self.applied[row]);
            if before && same && m.destination.is_none() {
                return Ok(());
            }
            self.apply_forces(source, island, s);
        }
        if before {
            s.entries.list[m.entry].rewind(s.dt);
        }
        s.entries.list[m.entry].stepped = true;
        match m.destination {
            Some(d) => {
                self.eval_motions(d, island.mode, s);
                self.run_destination(m, d, s)?;
            }
            None => {
                let (entry, part) = (&mut s.entries.list[m.entry], &mut s.report.entries[m.entry]);
                entry.step_with_own_forces(&s.input, s.dt, part)?;
            }
        }
        if let Some(source) = m.source {
            let source = &mut self.sources[source];
            s.entries.list[m.entry].solver.read_interface(&source.set, &mut source.end);
        }
        Ok(())
    }

    /// Eq. (12): F of a source, row by row, summed at each endpoint and added to the user's.
    /// A force that is a step late is applied as far as it is passive, eq. (18)–(21).
    fn apply_forces(&mut self, source: usize, island: &Island, s: &mut CoupledStep) {
        let late = island.mode != ProxyMode::Predicted && island.convergence.max_iterations() == 1;
        self.sources[source].force.fill(Spatial::zeros());
        for k in 0..self.sources[source].rows.len() {
            let row = self.sources[source].rows[k];
            let share = if late { self.eval_share(row, s.dt) } else { 1.0 };
            let f = self.force[row];
            self.applied[row] = if share == 1.0 { f } else { f * share };
            let place = self.slot[row].1;
            let applied = self.applied[row];
            self.sources[source].force[place] += applied;
        }
        let source = &mut self.sources[source];
        source.latest.copy_from_slice(&source.force);
        source.write_forces(s.input.forces, &mut s.entries.list[source.entry].forces);
    }

    fn eval_share(&mut self, row: usize, dt: f64) -> f64 {
        if !self.is_passive(row) {
            return 1.0;
        }
        let (source, place) = self.slot[row];
        let s = &self.sources[source];
        let begin = &s.begin[place];
        let gravity = Spatial::new(s.gravity[place], Vec3::zeros());
        let (mass, q) = (&s.mass[place], &begin.pose.q);
        let late = LateForce::new(self.force[row], mass, q, begin.velocity, gravity, dt);
        self.ledger[row].eval_share(&late)
    }

    fn is_passive(&self, row: usize) -> bool {
        self.pairs.iter().any(|p| p.passive && p.rows.contains(&row))
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

    /// Eq. (11): acceleration of what a stage has found, which then is what sources get.
    fn close_stage(&mut self, stage: &mut Stage, mode: ProxyMode, pass: usize) {
        let rows = stage.rows.clone();
        // the first force of a predicted step is no estimate that could be blended with
        let earlier = if mode == ProxyMode::Predicted { 1 } else { 0 };
        if pass >= earlier && !rows.is_empty() {
            let next = &mut self.next[rows.clone()];
            stage.acceleration.apply(pass - earlier, &self.force[rows.clone()], next);
        }
        self.force[rows.clone()].copy_from_slice(&self.next[rows]);
    }
}

impl Source {
    /// The begin is known; the end is guessed, for what is stepped before its source was.
    fn begin_step(&mut self, entry: &mut crate::Entry, user: &Forces, dt: f64) {
        for ((end, begin), com) in self.end.iter_mut().zip(&self.begin).zip(&self.com) {
            *end = begin.coasted(com, dt);
        }
        entry.solver.gravity_acceleration(&self.set, &mut self.gravity);
        entry.forces.copy_from(user);
    }

    /// Eq. (12): the endpoints' rows of the entry's forces; all other rows are the user's.
    fn write_forces(&self, user: &Forces, own: &mut Forces) {
        for (e, f) in self.set.iter().zip(&self.force) {
            match e {
                Endpoint::Body(b) => own.body_f[b.index()] = user.body_f[b.index()] + *f,
                Endpoint::Particle(p) => own.particle_f[p.index()] = user.particle_f[p.index()] + f.lin,
            }
        }
    }
}
