//! One sweep: colors in order; inside a color every block reads the old positions, then all
//! are written. Theory: `docs/theory/vbd.md` section 2.
//!
//! A color with many blocks is spread over threads in runs of fixed size; each block
//! writes its own place, so results do not depend on the number of threads.

use std::ops::Range;

use coact_math::{Scalar, V3};
use rayon::prelude::*;

use super::cpu::CpuParticles;
use crate::contact::eval_contact;
use crate::energy::Block;
use crate::lanes::{BlockRows, BlockTerms, Out, StepTerms};

/// Blocks per task: a few microseconds of work, so that stealing costs little.
const CHUNK: usize = 128;

/// The rows of single blocks.
pub(super) struct Rows<'a, P, R>(pub(super) &'a CpuParticles<P, R>)
where
    R: Scalar;

impl<P: Scalar, R: Scalar> BlockRows<R> for Rows<'_, P, R> {
    fn any(&self, blocks: &Range<usize>) -> bool {
        self.0.rows.any(blocks)
    }

    fn eval(&self, slot: usize) -> Block<R> {
        let mut sum = Block::zero();
        for row in self.0.rows.of_slot(slot) {
            let (f, h) = eval_contact(row, &self.0.law, self.0.columns.d[slot]);
            sum += Block { f, H: h };
        }
        sum
    }
}

impl<P: Scalar, R: Scalar> CpuParticles<P, R> {
    /// All colors; the number of blocks skipped.
    pub(super) fn sweep_colors(&mut self) -> usize {
        // the buffer leaves `self` so that runs may be written while `self` is read
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut skipped = 0;
        for color in 0..self.layout.color_count() {
            skipped += self.for_color(color, &mut buffer, |groups, out| {
                self.lanes.work_on(groups, &self.step_terms(), &Rows(self), Out::Steps(out))
            });
            self.apply(self.layout.color(color), &buffer);
        }
        self.buffer = buffer;
        skipped
    }

    fn apply(&mut self, blocks: Range<usize>, steps: &[V3<R>]) {
        let rule = self.options.velocity;
        for slot in blocks {
            let d = self.columns.d[slot] + steps[slot];
            self.columns.put(slot, d, rule);
        }
    }

    /// Terms of every block at the iterate.
    pub(super) fn eval_all(&self, out: &mut [BlockTerms<R>]) {
        for color in 0..self.layout.color_count() {
            self.for_color(color, out, |groups, out| {
                self.lanes.work_on(groups, &self.step_terms(), &Rows(self), Out::Terms(out))
            });
        }
    }

    /// Terms of one block at the iterate.
    pub(super) fn eval_block(&self, slot: usize) -> BlockTerms<R> {
        self.lanes.eval_one(slot, &self.step_terms(), &Rows(self))
    }

    pub(super) fn step_terms(&self) -> StepTerms<'_, R> {
        let c = &self.columns;
        StepTerms {
            at: &c.at,
            d: &c.d,
            x_target: &c.x_target,
            inertia: &c.inertia,
            inv_h: self.law.inv_h,
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
        if blocks.len() < self.options.parallel_threshold || rayon::current_num_threads() == 1 {
            return work(groups, out);
        }
        let run = CHUNK / self.lanes.lanes();
        let parts = out.par_chunks_mut(CHUNK).enumerate();
        parts
            .map(|(i, part)| {
                let first = groups.start + i * run;
                work(first..(first + run).min(groups.end), part)
            })
            .sum()
    }
}
