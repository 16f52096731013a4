//! The sweep over elements in lanes: blocks of one color side by side.
//!
//! [`Tables`] holds, per group of N blocks, what they meet, one lane per block (`slices.rs`,
//! `tables.rs`); `kernel.rs` evaluates a group; `simd.rs` enters it at the width of the machine.
//! Rows (contacts, attachments) are few and differ from block to block: they are evaluated one by
//! one through [`BlockRows`] and added to their lane.
//!
//! Left out on purpose: which colors follow which, threads, and what becomes of a step
//! (`particle/sweep.rs`).

#![allow(non_snake_case)]

mod fans;
mod gather;
mod kernel;
mod simd;
mod slices;
mod tables;
mod tets;
#[cfg(target_arch = "x86_64")]
mod wide;

use std::ops::Range;

use coact_math::{Scalar, V3};
use rayon::prelude::*;

use crate::config::{MembraneHessian, SingularRule, SpringHessian, VelocityRule};
use crate::energy::Block;
use crate::particle::Place;
use crate::prepared::{Elements, Layout};

pub use gather::{Transpose, gather, gather_u};
pub use kernel::SINGULAR_DETERMINANT;
pub use simd::{LaneWidths, Simd, Work, lane_sweep, run};

/// What all blocks of a sweep read.
#[derive(Clone, Copy)]
pub struct StepTerms<'a, R> {
    /// Where all particles are, by slot.
    pub at: &'a [Place<R>],
    /// Their displacements since the begin of the step \[m\], and 0, by slot.
    pub u: &'a [[R; 4]],
    /// Displacements from the targets \[m\], by slot.
    pub d: &'a [V3<R>],
    /// Rounded targets \[m\], by slot; only for `VelocityRule::PositionDifference`.
    pub x_target: &'a [V3<R>],
    /// m/h² \[N/m\], by slot.
    pub inertia: &'a [R],
    /// 1/h \[1/s\].
    pub inv_h: R,
    /// Hessian of compressed springs.
    pub spring_hessian: SpringHessian,
    /// Block of membranes along their normal.
    pub membrane_hessian: MembraneHessian,
    /// When a block is skipped.
    pub singular: SingularRule,
    /// What the inertial offset is.
    pub velocity: VelocityRule,
}

/// Rows of single blocks.
pub trait BlockRows<R>: Sync {
    /// Whether any of `blocks` has rows.
    fn any(&self, blocks: &Range<usize>) -> bool;
    /// What the rows of a block give to it.
    fn eval(&self, slot: usize) -> Block<R>;
    /// The same, or what leads to a better step beside what its `elements` give.
    fn eval_beside(&self, slot: usize, _elements: &Block<R>) -> Block<R> {
        self.eval(slot)
    }
}

/// No rows at all.
pub struct NoRows;

impl<R: Scalar> BlockRows<R> for NoRows {
    fn any(&self, _: &Range<usize>) -> bool {
        false
    }

    fn eval(&self, _: usize) -> Block<R> {
        Block::zero()
    }
}

/// What is asked of blocks, one entry per block.
pub enum Out<'a, R> {
    /// eq. (4): their descent steps.
    Steps(&'a mut [V3<R>]),
    /// Their residuals: force less what inertia pulls back \[N\], zero where nothing moves.
    Residuals(&'a mut [V3<R>]),
    /// Force of elements and rows, and Hessian.
    Terms(&'a mut [Block<R>]),
}

/// Lane tables of some width, behind one door.
pub trait LaneSweep<R: Scalar>: Send + Sync {
    /// Takes over all elements; connectivity stays.
    fn read(&mut self, elements: &Elements<R>, layout: &Layout);
    /// Measures damped hinges at the begin of the step, x − u.
    fn start(&mut self, elements: &Elements<R>, places: (&[Place<R>], &[[R; 4]]), parallel: bool);
    /// Blocks per group.
    fn lanes(&self) -> usize;
    /// The groups of a color.
    fn groups(&self, color: usize) -> Range<usize>;
    /// The blocks of a group.
    fn blocks(&self, group: usize) -> Range<usize>;
    /// Evaluates the blocks of `groups` into `out`, one entry each from the first; the number of
    /// singular systems.
    fn work_on(
        &self,
        groups: Range<usize>,
        step: &StepTerms<R>,
        rows: &dyn BlockRows<R>,
        out: Out<R>,
    ) -> usize;
    /// Terms of one block.
    fn eval_one(&self, slot: usize, step: &StepTerms<R>, rows: &dyn BlockRows<R>) -> Block<R>;
}

/// Entries per task of [`for_chunks`]; a multiple of every number of lanes.
const CHUNK: usize = 256;

/// `work(first, part)` of fixed parts, which do not depend on the number of threads.
pub fn for_chunks<T: Send>(all: &mut [T], parallel: bool, work: impl Fn(usize, &mut [T]) + Sync) {
    if parallel {
        all.par_chunks_mut(CHUNK).enumerate().for_each(|(i, part)| work(i * CHUNK, part));
    } else {
        work(0, all);
    }
}
