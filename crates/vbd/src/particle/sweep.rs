//! One sweep: colors in order; inside a color every block reads the old positions, then all
//! are written. Theory: `docs/theory/vbd.md` section 2.
//!
//! A color with many blocks is spread over threads in runs of fixed size; each block
//! writes its own place, so results do not depend on the number of threads.

#![allow(non_snake_case)]

use std::ops::Range;

use coact_math::{Scalar, V3};

use super::cpu::CpuParticles;
use super::rows::{Landing, Rows};
use crate::config::SingularRule;
use crate::energy::Block;
use crate::lanes::{self, NoRows, Out, StepTerms};

/// Blocks per task: a few microseconds of work, so that stealing costs little.
const CHUNK: usize = 128;

impl<P: Scalar, R: Scalar> CpuParticles<P, R> {
    /// All colors; the number of blocks skipped.
    pub(super) fn sweep_colors(&mut self) -> usize {
        // the buffers leave `self` so that runs may be written while `self` is read
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut before = std::mem::take(&mut self.before);
        let mut skipped = 0;
        for color in 0..self.layout.color_count() {
            skipped += self.for_color(color, &mut buffer, |groups, out| {
                self.lanes.work_on(groups, &self.step_terms(), &Landing(self), Out::Steps(out))
            });
            self.apply(self.layout.color(color), &buffer, &mut before);
            self.limit_color(self.layout.color(color), &before);
        }
        (self.buffer, self.before) = (buffer, before);
        skipped
    }

    /// The same of groups of blocks with rows of shapes and bodies alone; bounds come after it.
    pub(super) fn sweep_touching(&mut self) {
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut before = std::mem::take(&mut self.before);
        for color in 0..self.layout.color_count() {
            let blocks = self.layout.color(color);
            if !self.has_rows(&blocks) {
                continue;
            }
            self.for_color(color, &mut buffer, |groups, out| self.step_touching(groups, out));
            self.apply(blocks, &buffer, &mut before);
        }
        (self.buffer, self.before) = (buffer, before);
    }

    /// Steps of a run of groups into `out`, none where there are no rows.
    fn step_touching(&self, groups: Range<usize>, out: &mut [V3<R>]) -> usize {
        let mut rest = out;
        for g in groups {
            let blocks = self.lanes.blocks(g);
            let (these, after) = rest.split_at_mut(blocks.len());
            rest = after;
            match self.has_rows(&blocks) {
                true => {
                    self.lanes.work_on(g..g + 1, &self.step_terms(), &Landing(self), Out::Steps(these));
                }
                false => these.fill(V3::zero()),
            }
        }
        0
    }

    /// Moves blocks by their steps; `before` takes their displacements from before.
    fn apply(&mut self, blocks: Range<usize>, steps: &[V3<R>], before: &mut [V3<f64>]) {
        let rule = self.options.velocity;
        if self.is_spread(&blocks) {
            before[blocks.clone()].copy_from_slice(&self.columns.exact[blocks.clone()]);
            return self.columns.shift_all(blocks.clone(), &steps[blocks], rule);
        }
        for slot in blocks {
            before[slot] = self.columns.exact[slot];
            self.columns.shift(slot, steps[slot], rule);
        }
    }

    /// Whether a color is spread over threads.
    pub(super) fn is_spread(&self, blocks: &Range<usize>) -> bool {
        blocks.len() >= self.options.parallel_threshold && rayon::current_num_threads() > 1
    }

    /// r = f − m/h² d of every block at the iterate, into `residual`.
    pub(super) fn eval_residual(&mut self) {
        self.eval_residual_of(true);
    }

    /// The same without rows.
    pub(super) fn eval_smooth(&mut self) {
        self.eval_residual_of(false);
    }

    fn eval_residual_of(&mut self, with_rows: bool) {
        let mut out = std::mem::take(&mut self.residual);
        out.resize(self.layout.block_count, V3::zero());
        for color in 0..self.layout.color_count() {
            self.for_color(color, &mut out, |groups, out| match with_rows {
                true => self.lanes.work_on(groups, &self.step_terms(), &Rows(self), Out::Residuals(out)),
                false => self.lanes.work_on(groups, &self.step_terms(), &NoRows, Out::Residuals(out)),
            });
        }
        self.residual = out;
    }

    /// Terms of one block at the iterate.
    pub(super) fn eval_block(&self, slot: usize) -> Block<R> {
        self.lanes.eval_one(slot, &self.step_terms(), &Rows(self))
    }

    /// The first block whose system is singular at the iterate.
    pub(super) fn find_skipped(&self) -> Option<usize> {
        let is_skipped = |slot: &usize| {
            let Block { f, mut H } = self.eval_block(*slot);
            H.add_diagonal(self.columns.inertia[*slot]);
            let keep = match self.options.singular {
                SingularRule::Relative => H.solve(f).1,
                SingularRule::AbsoluteDeterminant => {
                    H.det().abs().cmp_gt(R::from_f64(lanes::SINGULAR_DETERMINANT))
                }
            };
            self.columns.moves(*slot) && !keep
        };
        (0..self.layout.block_count).find(is_skipped)
    }

    /// Elements' terms of the group of blocks with this one at the iterate, into `out`; which these are.
    pub(super) fn eval_group(&self, slot: usize, out: &mut Vec<Block<R>>) -> Range<usize> {
        let groups = self.lanes.groups(self.layout.color_count() - 1).end;
        let (mut low, mut high) = (0, groups);
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.lanes.blocks(middle).end <= slot { low = middle + 1 } else { high = middle }
        }
        out.resize(self.lanes.lanes(), Block::zero());
        self.lanes.work_on(low..low + 1, &self.step_terms(), &NoRows, Out::Terms(out));
        self.lanes.blocks(low)
    }

    pub(super) fn step_terms(&self) -> StepTerms<'_, R> {
        let c = &self.columns;
        StepTerms {
            at: &c.at,
            u: &c.u,
            d: &c.d,
            x_target: &c.x_target,
            inertia: &c.inertia,
            inv_h: R::from_f64(self.law.inv_h),
            spring_hessian: self.options.spring_hessian,
            membrane_hessian: self.options.membrane_hessian,
            singular: self.options.singular,
            velocity: self.options.velocity,
        }
    }

    /// `work` on runs of groups of a color, each with its part of `out` (by slot); the sum of what
    /// it returns. Serial below the threshold.
    fn for_color<T: Send>(
        &self,
        color: usize,
        out: &mut [T],
        work: impl Fn(Range<usize>, &mut [T]) -> usize + Sync,
    ) -> usize {
        let (groups, blocks) = (self.lanes.groups(color), self.layout.color(color));
        let out = &mut out[blocks.clone()];
        if !self.is_spread(&blocks) {
            return work(groups, out);
        }
        self.halve(groups, out, &work)
    }

    /// `work` on runs of at most `CHUNK` blocks or so: halves of halves of `groups`.
    fn halve<T: Send>(
        &self,
        groups: Range<usize>,
        out: &mut [T],
        work: &(impl Fn(Range<usize>, &mut [T]) -> usize + Sync),
    ) -> usize {
        if groups.len() * self.lanes.lanes() <= CHUNK {
            return work(groups, out);
        }
        let (first, middle) = (groups.start, groups.start + groups.len() / 2);
        let begin = |g: usize| self.lanes.blocks(g).start;
        let (low, high) = out.split_at_mut(begin(middle) - begin(first));
        let (a, b) = rayon::join(
            || self.halve(first..middle, low, work),
            || self.halve(middle..groups.end, high, work),
        );
        a + b
    }
}
