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
use crate::energy::Block;
use crate::lanes::{BlockRows, NoRows, Out, StepTerms};
use crate::self_contact::eval_pair_energy;

/// Blocks per task: a few microseconds of work, so that stealing costs little.
const CHUNK: usize = 128;

/// The rows of single blocks.
pub(super) struct Rows<'a, P, R>(pub(super) &'a CpuParticles<P, R>)
where
    R: Scalar;

impl<P: Scalar, R: Scalar> BlockRows<R> for Rows<'_, P, R> {
    fn any(&self, blocks: &Range<usize>) -> bool {
        let Self(p) = self;
        p.has_rows(blocks) || p.has_pairs(blocks)
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

/// Linearisations of the rows of a block in one visit.
const LANDINGS: usize = 4;

/// The rows of single blocks that are to take a step: linearised where the step leads to, eq. (4a).
pub(super) struct Landing<'a, P, R: Scalar>(&'a CpuParticles<P, R>);

impl<P: Scalar, R: Scalar> BlockRows<R> for Landing<'_, P, R> {
    fn any(&self, blocks: &Range<usize>) -> bool {
        Rows(self.0).any(blocks)
    }

    fn eval(&self, slot: usize) -> Block<R> {
        Rows(self.0).eval(slot)
    }

    fn eval_beside(&self, slot: usize, elements: &Block<R>) -> Block<R> {
        let Self(p) = self;
        let rows = p.rows.of_slot(slot);
        let k = p.columns.inertia_exact[slot];
        if !p.options.accelerated || rows.is_empty() || k == 0.0 {
            return self.eval(slot);
        }
        let d = p.columns.exact[slot];
        let mut others = *elements;
        others += p.eval_self_contact(slot);
        let mut rest = (convert::<R, f64>(others.f) - d * k, S3::from_host(&others.H.to_host(0)));
        rest.1.add_diagonal(k);
        let pressing =
            |d| rows.clone().map(|i| p.rows.presses(i, &p.law, d)).fold(0_u64, |m, b| m << 1 | u64::from(b));
        let (mut at, mut mask) = (d, pressing(d));
        for _ in 1..LANDINGS {
            let (f, H) = p.rows_about(slot, at, d);
            let to = d + (rest.1 + H).solve(rest.0 + f).0;
            let landed = pressing(to);
            if landed == mask {
                break;
            }
            (at, mask) = (to, landed);
        }
        let (f, H) = p.rows_about(slot, at, d);
        p.eval_self_contact(slot) + rounded(&Block { f, H })
    }
}

/// A block in the precision of blocks.
fn rounded<R: Scalar>(b: &Block<f64>) -> Block<R> {
    let (r, H) = (R::from_f64, &b.H);
    let H = S3 { xx: r(H.xx), xy: r(H.xy), xz: r(H.xz), yy: r(H.yy), yz: r(H.yz), zz: r(H.zz) };
    Block { f: convert(b.f), H }
}

impl<P: Scalar, R: Scalar> CpuParticles<P, R> {
    /// Whether any of `blocks` has rows of shapes or bodies.
    pub(super) fn has_rows(&self, blocks: &Range<usize>) -> bool {
        self.rows.any(blocks) || self.attachments.any(blocks)
    }

    /// The rows of shapes and bodies of a particle, linearised at the displacement `at`, for steps from `d`.
    fn rows_about(&self, slot: usize, at: V3<f64>, d: V3<f64>) -> (V3<f64>, S3<f64>) {
        let mut sum = (V3::zero(), S3::zero());
        for row in self.rows.of_slot(slot) {
            let (f, H) = self.rows.eval(row, &self.law, at);
            sum = (sum.0 + f, sum.1 + H);
        }
        for i in self.attachments.of_slot(slot) {
            let (f, k) = self.attachments.eval(i, &at.to_host(0));
            sum = (sum.0 + V3::from_host(&f), sum.1 + S3::diagonal(k));
        }
        (sum.0 + sum.1 * (at - d), sum.1)
    }

    /// Whether any of `blocks` is a corner of a pair.
    pub(super) fn has_pairs(&self, blocks: &Range<usize>) -> bool {
        self.self_contact.as_ref().is_some_and(|s| s.pairs.any(blocks))
    }

    /// Force and Hessian of the rows of shapes and bodies of a particle, each at the displacement `d` from
    /// its target against that of the body and the anchor there.
    pub(super) fn eval_rows(
        &self,
        slot: usize,
        d: impl Fn(u32, &coact_math::Vec3) -> V3<f64>,
    ) -> (V3<f64>, S3<f64>) {
        let mut sum = (V3::zero(), S3::zero());
        for row in self.rows.of_slot(slot) {
            let (body, arm) = self.rows.anchor(row);
            let (f, H) = self.rows.eval_exactly(row, &self.law, d(body, arm));
            sum = (sum.0 + f, sum.1 + H);
        }
        for i in self.attachments.of_slot(slot) {
            let (body, arm) = self.attachments.anchor(i);
            let (f, k) = self.attachments.eval(i, &d(body, arm).to_host(0));
            sum = (sum.0 + V3::from_host(&f), sum.1 + S3::diagonal(k));
        }
        sum
    }

    /// What the rows of `run` store more at the iterate than at the displacements `from` \[J\].
    pub(super) fn rows_gain(&self, run: Range<usize>, from: impl Fn(usize) -> V3<f64>) -> f64 {
        if !Rows(self).any(&run) {
            return 0.0;
        }
        let gain = |s: usize| {
            let at = |d: V3<f64>| self.rows_energy(s, |_, _| d);
            let rows = at(self.columns.exact[s]) - at(from(s));
            rows + self.pairs_gain(s, &from)
        };
        run.filter(|&s| self.columns.moves(s) && Rows(self).any(&(s..s + 1))).map(gain).sum()
    }

    /// The same of pairs of which a slot is the first in its component; other components stay.
    fn pairs_gain(&self, slot: usize, from: &impl Fn(usize) -> V3<f64>) -> f64 {
        let Some(sc) = &self.self_contact else { return 0.0 };
        let (rows, of) = (sc.pairs.pressing(), |s: u32| self.directions.parts.of(s as usize));
        let mut sum = 0.0;
        for c in &sc.pairs.corners()[sc.pairs.range(slot)] {
            let Some(row) = rows.get(c.element()) else { break };
            let ours = |s: u32| of(s) == of(slot as u32) && self.columns.moves(s as usize);
            if row.v[..c.corner()].iter().any(|&s| ours(s)) {
                continue;
            }
            let (mut x, mut u) = (self.columns.x_of(&row.v), self.columns.u_of(&row.v));
            sum += eval_pair_energy(row, &x, &u, &self.pair_law);
            for k in (0..4).filter(|&k| ours(row.v[k])) {
                let s = row.v[k] as usize;
                let back = convert(from(s) - self.columns.exact[s]);
                (x[k], u[k]) = (x[k] + back, u[k] + back);
            }
            sum -= eval_pair_energy(row, &x, &u, &self.pair_law);
        }
        sum
    }

    /// Potential of the rows of a particle, multipliers held, each at the displacement `d` as
    /// [`eval_rows`](Self::eval_rows) has it \[J\].
    pub(super) fn rows_energy(&self, slot: usize, d: impl Fn(u32, &coact_math::Vec3) -> V3<f64>) -> f64 {
        let rows = self.rows.of_slot(slot).map(|i| {
            let (body, arm) = self.rows.anchor(i);
            self.rows.energy(i, &self.law, d(body, arm))
        });
        let pulls = self.attachments.of_slot(slot).map(|i| {
            let (body, arm) = self.attachments.anchor(i);
            self.attachments.energy(i, &d(body, arm).to_host(0))
        });
        rows.sum::<f64>() + pulls.sum::<f64>()
    }

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
