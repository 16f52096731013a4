//! Sum or largest value of an array, in a tree that is the same on every
//! device and in every run.
//!
//! Each level turns blocks of elements into one each; the levels are dispatches
//! of the recording that the reduction is part of, so that a residual costs no
//! extra submit and one word of read-back. Elements that are not numbers are
//! not looked for: a largest value may pass over them.

use bytemuck::{Pod, Zeroable};

use crate::bind::Bound;
use crate::buffer::Buffer;
use crate::error::Result;
use crate::params::{Params, Slot};
use crate::pipeline::Pipelines;
use crate::record::Recording;

/// Elements that each thread takes; a block is as many times a workgroup. It is
/// the factor in `REDUCE_BLOCK` of the shaders.
const PER_THREAD: usize = 4;

/// What a reduction computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduce {
    /// Sum of all elements.
    Sum,
    /// Largest of all elements, none of which is negative.
    Max,
}

/// Twin of `ReduceParams` in `shaders/common/reduce_sum.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub(crate) struct ReduceParams {
    pub(crate) count: u32,
}

/// A reduction of one buffer, prepared once.
pub struct Reduction {
    /// (kernel, parameters, threads) per level.
    levels: Vec<(Bound, Slot, u32)>,
    params: Params<ReduceParams>,
    /// Outputs of even and odd levels.
    partial: [Buffer<f32>; 2],
}

impl Reduction {
    /// Prepares the reduction of the first `count` elements of `source`.
    /// Of none, both kinds give 0.
    pub fn new(pipelines: &Pipelines, kind: Reduce, source: &Buffer<f32>, count: usize) -> Result<Self> {
        let ctx = pipelines.context();
        let stem = match kind {
            Reduce::Sum => "common/reduce_sum",
            Reduce::Max => "common/reduce_max",
        };
        source.byte_range(&(0..count))?;
        let block = PER_THREAD * pipelines.get(stem)?.workgroup() as usize;
        let room = count.div_ceil(block).max(1);
        let partial = [
            Buffer::zeroed(ctx, "reduction, even levels", room)?,
            Buffer::zeroed(ctx, "reduction, odd levels", room)?,
        ];
        let mut params = Params::with_capacity(ctx, "reduction", 4)?;
        let mut levels = Vec::new();
        let mut left = count;
        while left > 1 || (left == 1 && levels.is_empty()) {
            let [even, odd] = &partial;
            let (from, to) = match levels.len() {
                0 => (source, even),
                n if n % 2 == 1 => (even, odd),
                _ => (odd, even),
            };
            let kernel = pipelines.bind(stem, &[from.bind("source"), to.bind("partial")])?;
            let slot = params.push(&ReduceParams { count: left as u32 });
            let blocks = left.div_ceil(block);
            levels.push((kernel, slot, (blocks * block / PER_THREAD) as u32));
            left = blocks;
        }
        params.upload()?;
        Ok(Self { levels, params, partial })
    }

    /// Adds the reduction to a recording.
    pub fn record(&self, recording: &mut Recording) {
        for (kernel, slot, threads) in &self.levels {
            recording.dispatch_with(kernel, self.params.at(*slot), *threads);
        }
    }

    /// The buffer whose element 0 is the result.
    pub fn result(&self) -> &Buffer<f32> {
        let [even, odd] = &self.partial;
        if self.levels.len().is_multiple_of(2) && !self.levels.is_empty() { odd } else { even }
    }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;
    use crate::testing::{assert_layout, gpu_for_tests};

    #[test]
    fn layout_is_that_of_both_shaders() {
        for file in ["common/reduce_sum.wgsl", "common/reduce_max.wgsl"] {
            let fields = [("count", offset_of!(ReduceParams, count))];
            assert_layout::<ReduceParams>(file, "ReduceParams", &fields);
        }
    }

    /// The tree of `shaders/common/reduce_sum.wgsl`.
    fn tree_sum(values: &[f32]) -> f32 {
        let blocks: Vec<f32> = values.chunks(256).map(block_sum).collect();
        if blocks.len() > 1 { tree_sum(&blocks) } else { blocks.first().copied().unwrap_or(0.0) }
    }

    fn block_sum(block: &[f32]) -> f32 {
        let mut sums: Vec<f32> =
            (0..64).map(|t| block.iter().skip(t).step_by(64).fold(0.0, |s, v| s + v)).collect();
        while sums.len() > 1 {
            let half = sums.len() / 2;
            sums = (0..half).map(|t| sums[t] + sums[t + half]).collect();
        }
        sums[0]
    }

    #[test]
    fn device_reduces_as_the_tree_does() {
        let Some(ctx) = gpu_for_tests() else { return };
        let pipelines = Pipelines::new(&ctx);
        for n in [0, 1, 2, 255, 256, 257, 65_537, 1_000_003] {
            let values: Vec<f32> = (0..n).map(|i| (i as f32 * 0.37).fract()).collect();
            let source = Buffer::from_slice(&ctx, "values", &values).unwrap();
            let sum = Reduction::new(&pipelines, Reduce::Sum, &source, n).unwrap();
            let max = Reduction::new(&pipelines, Reduce::Max, &source, n).unwrap();
            let mut recording = ctx.record("reduce");
            sum.record(&mut recording);
            max.record(&mut recording);
            recording.submit().unwrap();
            let wanted = tree_sum(&values);
            let found = sum.result().download().unwrap()[0];
            // Same tree: at most the last bit of each level apart.
            assert!((found - wanted).abs() <= 4.0 * f32::EPSILON * wanted, "{n}: {found} {wanted}");
            let largest = values.iter().copied().fold(0.0, f32::max);
            assert_eq!(max.result().download().unwrap()[0], largest, "{n}");
        }
    }
}
