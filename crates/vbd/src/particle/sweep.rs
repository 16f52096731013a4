//! One sweep: colors in order; inside a color every block reads the old positions, then all
//! are written. Theory: `docs/theory/vbd.md` section 2.
//!
//! A color with many blocks is spread over threads in runs of fixed size; each block
//! writes its own place, so results do not depend on the number of threads.

#![allow(non_snake_case)]

use std::ops::Range;

use coact_math::{S3, Scalar, V3};

use super::columns::convert;
use super::cpu::CpuParticles;
use crate::config::SingularRule;
use crate::energy::Block;
use crate::lanes::{self, BlockRows, NoRows, Out, StepTerms};

/// Blocks per task: a few microseconds of work, so that stealing costs little.
const CHUNK: usize = 128;

/// The rows of single blocks.
pub(super) struct Rows<'a, P, R>(pub(super) &'a CpuParticles<P, R>)
where
    R: Scalar;

impl<P: Scalar, R: Scalar> BlockRows<R> for Rows<'_, P, R> {
    fn any(&self, blocks: &Range<usize>) -> bool {
        let Self(p) = self;
        p.rows.any(blocks)
            || p.self_contact.as_ref().is_some_and(|s| s.pairs.any_presses(blocks))
            || p.attachments.any(blocks)
    }

    fn eval(&self, slot: usize) -> Block<R> {
        let Self(p) = self;
        let d = p.columns.exact[slot];
        let mut sum = p.eval_self_contact(slot);
        for row in p.rows.of_slot(slot) {
            let (f, H) = p.rows.eval(row, &p.law, d);
            sum += rounded(&Block { f, H });
        }
        for i in p.attachments.of_slot(slot) {
            let (f, k) = p.attachments.eval(i, &d.to_host(0));
            sum += Block { f: V3::from_host(&f), H: S3::diagonal(R::from_f64(k)) };
        }
        sum
    }
}

/// A block in the precision of blocks.
fn rounded<R: Scalar>(b: &Block<f64>) -> Block<R> {
    let (r, H) = (R::from_f64, &b.H);
    let H = S3 { xx: r(H.xx), xy: r(H.xy), xz: r(H.xz), yy: r(H.yy), yz: r(H.yz), zz: r(H.zz) };
    Block { f: convert(b.f), H }
}

impl<P: Scalar, R: Scalar> CpuParticles<P, R> {
    /// All colors; the number of blocks skipped.
    pub(super) fn sweep_colors(&mut self) -> usize {
        // the buffers leave `self` so that runs may be written while `self` is read
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut before = std::mem::take(&mut self.before);
        let mut skipped = 0;
        for color in 0..self.layout.color_count() {
            skipped += self.for_color(color, &mut buffer, |groups, out| {
                self.lanes.work_on(groups, &self.step_terms(), &Rows(self), Out::Steps(out))
            });
            self.apply(self.layout.color(color), &buffer, &mut before);
            self.limit_color(self.layout.color(color), &before);
        }
        (self.buffer, self.before) = (buffer, before);
        skipped
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
        let mut out = std::mem::take(&mut self.residual);
        out.resize(self.layout.block_count, V3::zero());
        for color in 0..self.layout.color_count() {
            self.for_color(color, &mut out, |groups, out| {
                self.lanes.work_on(groups, &self.step_terms(), &Rows(self), Out::Residuals(out))
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
