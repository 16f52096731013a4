//! The end of an accelerated step: eq. (46) of `docs/theory/vbd.md`, and what comes before and after it.

use std::ops::Range;

use coact_math::Scalar;

use super::columns::convert;
use super::cpu::CpuParticles;
use super::directions::Directions;
use super::reduction::Movable;
use super::span::Gram;

/// How often friction follows what presses at the end of a step.
const BALANCES: usize = 3;

impl<P: Scalar, R: Scalar> CpuParticles<P, R> {
    /// After the last sweep: as between two, with the whole way of the step; what raised the objective
    /// is taken back. A step that `is_done` stays where it is. Either ends where it cannot gain energy,
    /// and the residual is that of the end then.
    pub(super) fn end_ways(&mut self, is_done: bool, movable: &mut Movable) {
        if self.directions.begun {
            self.find_rows();
            self.eval_smooth();
            if !is_done {
                self.note();
                self.span_whole(movable);
                self.eval_smooth();
                self.take_back();
                self.settle(movable);
            }
            self.retreat();
            self.add_rows();
            self.residual_is_current = self.self_contact.is_none();
        }
        let (n, h2) = (self.layout.block_count, R::from_f64(1.0 / (self.h * self.h)));
        let dir = &mut self.directions;
        dir.previous.clear();
        dir.previous.extend(self.columns.d[..n].iter().map(|&d| d * h2));
    }

    /// What touches is swept once more, since a span leaves in its normal forces what it needed elsewhere and
    /// multipliers would keep that; then all that can move as a whole is in balance: eq. (44b).
    fn settle(&mut self, movable: &mut Movable) {
        let touches = self.has_rows(&(0..self.layout.block_count));
        if !touches && self.directions.held.iter().all(|&h| h) {
            return;
        }
        self.sweep_touching();
        self.directions.ending = true;
        for _ in 0..if touches { BALANCES } else { 1 } {
            self.rows.follow_press(&self.law, &self.columns.exact);
            self.go_to_least(0, movable);
        }
        self.directions.ending = false;
        if touches || self.directions.system.has_moved() {
            self.eval_smooth();
        }
    }

    /// The least over the last ways and the whole one.
    fn span_whole(&mut self, movable: &mut Movable) {
        let dir = &mut self.directions;
        let count = dir.known;
        if count < 2 {
            return self.go_to_least(count, movable);
        }
        dir.first.turn_to(&dir.last);
        std::mem::swap(&mut dir.ways[count], &mut dir.first);
        if self.directions.any_whole() {
            self.take_out_rigid(count);
        }
        self.go_to_least(count + 1, movable);
        let dir = &mut self.directions;
        std::mem::swap(&mut dir.ways[count], &mut dir.first);
    }

    /// eq. (46): components that went too far since the last note are put back there.
    fn take_back(&mut self) {
        self.find_worse(|_, _| true);
        self.go_to_last();
    }

    /// Puts what is worse off where the last note was.
    pub(super) fn go_to_last(&mut self) {
        for s in 0..self.layout.block_count {
            let dir = &self.directions;
            if dir.worse[dir.parts.of(s)] && self.columns.moves(s) {
                self.columns.put(s, convert(dir.last.d[s]), self.options.velocity);
                self.residual[s] = self.directions.last.r[s];
            }
        }
    }

    /// eq. (46): marks components, of those asked for, whose objective is larger than at the last note.
    pub(super) fn find_worse(&mut self, is_asked: impl Fn(&Directions<R>, usize) -> bool + Sync) {
        let dir = &mut self.directions;
        let mut sums = (std::mem::take(&mut dir.partial), std::mem::take(&mut dir.grams));
        let dir = &self.directions;
        let (last, exact, r) = (&dir.last, &self.columns.exact, &self.residual);
        let eval = |run: Range<usize>| {
            let along = |s: usize| (exact[s] - convert(last.d[s])).dot(convert(last.r[s] + r[s]));
            let rows = self.rows_gain(run.clone(), |s| convert(last.d[s]));
            Gram { b: [run.map(along).sum::<f64>() - 2.0 * rows, 0.0, 0.0, 0.0], ..Gram::default() }
        };
        dir.parts.sum((&mut sums.0, &mut sums.1), false, |c| is_asked(dir, c), eval);
        let worse = sums.1.iter().map(|g| g.b[0] < 0.0);
        self.directions.worse.clear();
        self.directions.worse.extend(worse);
        (self.directions.partial, self.directions.grams) = sums;
    }
}
