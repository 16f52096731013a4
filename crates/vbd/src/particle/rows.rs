//! The rows of single blocks: contacts with shapes, attachments and pairs, as forces and as potentials.
//! Theory: `docs/theory/vbd.md` eq. (4a), (44a).

#![allow(non_snake_case)]

use std::ops::Range;

use coact_math::{S3, Scalar, V3, Vec3};

use super::columns::convert;
use super::cpu::CpuParticles;
use crate::energy::Block;
use crate::lanes::BlockRows;

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
pub(super) struct Landing<'a, P, R: Scalar>(pub(super) &'a CpuParticles<P, R>);

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
    /// Adds what rows give to a residual without them.
    pub(super) fn add_rows(&mut self) {
        let n = self.layout.block_count;
        if !Rows(self).any(&(0..n)) {
            return;
        }
        let mut r = std::mem::take(&mut self.residual);
        for s in (0..n).filter(|&s| self.columns.moves(s) && Rows(self).any(&(s..s + 1))) {
            r[s] += Rows(self).eval(s).f;
        }
        self.residual = r;
    }

    /// Whether any of `blocks` has rows of shapes or bodies.
    pub(super) fn has_rows(&self, blocks: &Range<usize>) -> bool {
        self.rows.any(blocks) || self.attachments.any(blocks)
    }

    /// The particles that rows couple to a body, once for each row.
    pub(super) fn slots_at(&self, body: usize) -> impl Iterator<Item = u32> + '_ {
        let contacts = self.rows.of_body(body).map(|(_, row, _)| row.slot);
        contacts.chain(self.attachments.ends_at(body).map(|(_, slot, _)| slot))
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

    /// Whether any of `blocks` is a corner of a pair that may press.
    pub(super) fn has_pairs(&self, blocks: &Range<usize>) -> bool {
        self.self_contact.as_ref().is_some_and(|s| s.pairs.any_presses(blocks))
    }

    /// Force and Hessian of the rows of shapes and bodies of a particle, each at the displacement `d` from
    /// its target against that of the body and the anchor there.
    pub(super) fn eval_rows(&self, slot: usize, d: impl Fn(u32, &Vec3) -> V3<f64>) -> (V3<f64>, S3<f64>) {
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
        if !self.has_rows(&run) {
            return 0.0;
        }
        let at = |s: usize, d: V3<f64>| self.rows_energy(s, |_, _| d);
        let gain = |s: usize| at(s, self.columns.exact[s]) - at(s, from(s));
        run.filter(|&s| self.columns.moves(s) && self.has_rows(&(s..s + 1))).map(gain).sum()
    }

    /// Potential of the rows of a particle, multipliers held, each at the displacement `d` as
    /// [`eval_rows`](Self::eval_rows) has it \[J\].
    pub(super) fn rows_energy(&self, slot: usize, d: impl Fn(u32, &Vec3) -> V3<f64>) -> f64 {
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
}
