//! The passes of one island: entries that rows connect, solved together.
//!
//! `docs/theory/admm-coupling.md` eq. (9), section 4. A pass steps every entry of the island from the
//! begin of the step under the multipliers, and measures what the rows have left.

use std::ops::Range;

use coact_solver::{Snapshot, SolverError, StepInput, StepReport};

use super::AdmmExchange;
use super::config::AdmmConfig;
use super::link::Link;
use super::mobility::{Mobility, Of};
use super::project::{Bound, natural_residual};
use super::rows::{Measure, Measured, sum_forces};
use super::secant::{RowKey, Secant};
use crate::{Acceleration, AccelerationKind, Convergence, Entries};

/// A residual that grew beyond this part of the least one is not what a step ends with.
const WORSE: f64 = 2.0;

/// Entries that rows connect, and the memory of their solve.
#[derive(Default)]
pub(super) struct Island {
    pub entries: Vec<usize>,
    pub links: Vec<usize>,
    /// Its rows in this step.
    pub rows: Range<usize>,
    acceleration: Option<Box<dyn Acceleration>>,
    mobility: Mobility,
    /// Where multipliers have bounds.
    secant: Secant,
    bounds: Vec<Bound>,
    bounded: bool,
    residual: Vec<f64>,
    /// What a projection step would still move: `residual` itself where nothing has bounds.
    natural: Vec<f64>,
    next: Vec<f64>,
    best: Vec<f64>,
    /// Passes of the last step, whether it converged, and what a further pass would change.
    pub outcome: Outcome,
}

/// What an island keeps between steps.
#[derive(Default)]
pub(super) struct Saved {
    acceleration: Snapshot,
    secant: Secant,
}

/// How the passes of a step ended.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcome {
    pub passes: usize,
    pub converged: bool,
    /// Largest multiplier of this step and of the one before \[N, N·m\].
    pub scale: f64,
}

impl Island {
    pub fn new(entries: Vec<usize>, links: &[Link], config: &AdmmConfig) -> Self {
        let inside = |i: &usize| entries.contains(&links[*i].sides[0].entry);
        let links = (0..links.len()).filter(inside).collect();
        let acceleration = Some(config.acceleration.build());
        Self { entries, links, acceleration, ..Self::default() }
    }

    /// Rows mean something else from now on.
    pub fn forget(&mut self) {
        self.acceleration.iter_mut().for_each(|a| a.forget());
        self.secant.forget();
    }

    pub fn save_into(&self, to: &mut Saved) {
        self.acceleration.iter().for_each(|a| a.save_into(&mut to.acceleration));
        to.secant.copy_memory(&self.secant);
    }

    pub fn restore(&mut self, from: &Saved) {
        self.acceleration.iter_mut().for_each(|a| a.restore(&from.acceleration));
        self.secant.copy_memory(&from.secant);
    }

    /// What a further pass would change of each multiplier, after the last one.
    pub fn remaining(&self) -> &[f64] {
        &self.next
    }

    /// What each row has left, whatever its bounds.
    pub fn residual(&self) -> &[f64] {
        &self.residual
    }

    /// What a projection step would still move each row \[m, rad\].
    pub fn natural(&self) -> &[f64] {
        &self.natural
    }

    /// One step of the island.
    pub fn step(
        &mut self,
        x: &mut AdmmExchange,
        entries: &mut Entries,
        input: &StepInput,
        dt: f64,
        report: &mut StepReport,
    ) -> Result<(), SolverError> {
        self.outcome.passes = 0;
        if self.rows.is_empty() {
            return self
                .entries
                .iter()
                .try_for_each(|&e| entries.list[e].step(input, dt, &mut report.entries[e]));
        }
        self.begin(x, entries, input);
        let most = x.config.convergence.map_or(x.config.most_passes, |c| c.max_iterations());
        let mut least = f64::INFINITY;
        loop {
            self.pass(x, entries, input, dt, report)?;
            let size = self.eval_update(x);
            if size < least {
                least = size;
                self.best.copy_from_slice(&x.lambda[self.rows.clone()]);
            }
            let done = self.is_done(x);
            if done || self.outcome.passes >= most || !size.is_finite() {
                self.outcome.converged = done;
                break;
            }
            self.update(x);
        }
        self.settle(x, entries, input, dt, (least, report))
    }

    fn begin(&mut self, x: &mut AdmmExchange, entries: &mut Entries, input: &StepInput) {
        for &e in &self.entries {
            let entry = &mut entries.list[e];
            entry.solver.save_into(&mut entry.begin);
            entry.forces.copy_from(input.forces);
        }
        let rows = &x.rows[self.rows.clone()];
        self.bounds.clear();
        self.bounds.extend(rows.iter().map(|r| r.bound));
        self.bounded = self.bounds.iter().any(|b| *b != Bound::Free);
        self.mobility.assemble(rows, &x.ends, Of::Pose);
        self.mobility.factor(|i| rows[i].compliance, x.config.gamma);
        if self.bounded {
            self.secant.begin(self.mobility.matrix(), rows.iter().map(|r| key_of(x, r)));
        } else {
            self.acceleration.iter_mut().for_each(|a| a.begin_step(&self.mobility.weights));
        }
        for buffer in [&mut self.residual, &mut self.natural, &mut self.next, &mut self.best] {
            buffer.clear();
            buffer.resize(rows.len(), 0.0);
        }
        self.outcome.scale = 0.0;
    }

    /// Steps all entries under the multipliers and reads where their ends come to.
    fn pass(
        &mut self,
        x: &mut AdmmExchange,
        entries: &mut Entries,
        input: &StepInput,
        dt: f64,
        report: &mut StepReport,
    ) -> Result<(), SolverError> {
        sum_forces(&x.rows[self.rows.clone()], &x.lambda[self.rows.clone()], &mut x.ends.force);
        for &e in &self.entries {
            if self.outcome.passes > 0 {
                entries.list[e].rewind(dt);
            }
            x.ends.apply_forces(entries, e, input);
            entries.list[e].step_with_own_forces(input, dt, &mut report.entries[e])?;
            x.ends.read_end(entries, e);
        }
        self.outcome.passes += 1;
        let contacts = x.detection.as_ref().map_or(&[][..], |d| &d.contacts);
        let measured = Measured { links: &x.links, contacts, ends: &x.ends };
        for (i, r) in self.rows.clone().zip(&mut self.residual) {
            *r = x.rows[i].residual(measured, x.lambda[i]);
        }
        let lambda = &x.lambda[self.rows.clone()];
        let diagonal = |i: usize| self.mobility.weights[i].powi(2);
        natural_residual(&diagonal, &self.bounds, lambda, &self.residual, &mut self.natural);
        Ok(())
    }

    /// Eq. (9) or (14): what a further pass would change of the multipliers, into `next`; its norm in
    /// the metric of the rows.
    fn eval_update(&mut self, x: &AdmmExchange) -> f64 {
        let lambda = &x.lambda[self.rows.clone()];
        if self.bounded {
            if matches!(x.config.acceleration, AccelerationKind::Iqn(_)) {
                self.secant.learn(lambda, &self.residual);
            }
            self.secant.solve(lambda, &self.residual, &self.bounds, x.config.gamma, &mut self.next);
            self.next.iter_mut().zip(lambda).for_each(|(next, l)| *next -= l);
        } else {
            self.next.copy_from_slice(&self.residual);
            self.mobility.solve(&mut self.next);
        }
        self.next.iter_mut().for_each(|d| *d *= x.config.rho);
        self.outcome.scale = lambda.iter().fold(self.outcome.scale, |s, l| s.max(l.abs()));
        self.size()
    }

    fn size(&self) -> f64 {
        match self.bounded {
            // the model's own wish depends on what it has learnt: what is left does not
            true => self
                .natural
                .iter()
                .zip(&self.mobility.weights)
                .map(|(r, w)| square(r / w))
                .sum::<f64>()
                .sqrt(),
            false => {
                self.next.iter().zip(&self.mobility.weights).map(|(d, w)| square(d * w)).sum::<f64>().sqrt()
            }
        }
    }

    /// Whether the rows hold.
    fn is_done(&self, x: &AdmmExchange) -> bool {
        let rows = self.natural.iter().zip(&x.rows[self.rows.clone()]);
        match x.config.convergence {
            None => rows.clone().all(|(r, row)| r.abs() <= row.tolerance),
            Some(Convergence::FixedCount(n)) => self.outcome.passes >= n,
            Some(Convergence::Tolerance { primal, dual, .. }) => {
                rows.clone().all(|(r, _)| r.abs() <= primal)
                    && self.next.iter().all(|d| d.abs() <= dual * self.outcome.scale)
            }
        }
    }

    /// The multipliers of the next pass.
    fn update(&mut self, x: &mut AdmmExchange) {
        let lambda = &mut x.lambda[self.rows.clone()];
        self.next.iter_mut().zip(lambda.iter()).for_each(|(next, l)| *next += l);
        if let Some(a) = self.acceleration.as_mut().filter(|_| !self.bounded) {
            a.apply(self.outcome.passes - 1, lambda, &mut self.next);
        }
        lambda.copy_from_slice(&self.next);
    }

    /// A step that did not converge ends with the best multipliers that were seen.
    fn settle(
        &mut self,
        x: &mut AdmmExchange,
        entries: &mut Entries,
        input: &StepInput,
        dt: f64,
        (least, report): (f64, &mut StepReport),
    ) -> Result<(), SolverError> {
        let size = self.size();
        // written so that what is no number is worse
        if self.outcome.converged || size <= WORSE * least {
            return Ok(());
        }
        x.lambda[self.rows.clone()].copy_from_slice(&self.best);
        self.pass(x, entries, input, dt, report)?;
        self.eval_update(x);
        Ok(())
    }
}

/// An immovable row weighs nothing.
fn square(x: f64) -> f64 {
    if x.is_infinite() { 0.0 } else { x * x }
}

/// What a row is, from step to step.
fn key_of(x: &AdmmExchange, row: &super::Row) -> RowKey {
    match row.measure {
        Measure::Link { .. } => (0, row.memory as u32, 0, 0),
        Measure::Depth { contact } => contact_key(x, contact, 0),
        Measure::Slip { contact, tangent } => contact_key(x, contact, 1 + tangent as u32),
    }
}

fn contact_key(x: &AdmmExchange, contact: usize, row: u32) -> RowKey {
    let c =
        x.detection.as_ref().map(|d| &d.contacts[contact]).expect("rows of contacts come from a detection");
    let (kind, a, b) = c.order();
    match c.key {
        super::contact::Key::Shapes(s) => {
            (1, s.shape0.0, s.shape1.0, s.feature.wrapping_mul(4).wrapping_add(row))
        }
        _ => (1 + kind, a, b, row),
    }
}
