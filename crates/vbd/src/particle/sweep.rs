//! One sweep: colors in order; inside a color every block reads the old positions, then all
//! are written. Theory: `docs/theory/vbd.md` section 2.
//!
//! A color with many blocks is spread over threads in chunks of fixed size; each block
//! writes its own place, so results do not depend on the number of threads.

use std::ops::Range;

use coact_math::{Scalar, V3};
use rayon::prelude::*;

use super::cpu::CpuParticles;

/// Blocks per task: a few microseconds of work, so that stealing costs little.
const CHUNK: usize = 128;

impl<P: Scalar, R: Scalar> CpuParticles<P, R> {
    /// All colors; the number of blocks skipped.
    pub(super) fn sweep_colors(&mut self) -> usize {
        // the buffer leaves `self` so that chunks may be written while `self` is read
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut skipped = 0;
        for c in 0..self.layout.color_count() {
            let blocks = self.layout.color(c);
            let out = &mut buffer[blocks.clone()];
            skipped += self.for_blocks(blocks.clone(), out, |slot, out| {
                let (step, regular) = self.solve_block(slot);
                *out = step;
                usize::from(!regular)
            });
            self.apply(blocks.clone(), &buffer);
            self.limit_color(blocks);
        }
        self.buffer = buffer;
        skipped
    }

    fn apply(&mut self, blocks: Range<usize>, steps: &[V3<R>]) {
        let (c, rule) = (&mut self.columns, self.options.velocity);
        for slot in blocks {
            c.d[slot] += steps[slot];
            c.x[slot] = c.iterate(slot, rule);
        }
    }

    /// Evaluates `block` for each of `blocks` into `out` (same length); the sum of what it
    /// returns. Serial below the threshold.
    pub(super) fn for_blocks(
        &self,
        blocks: Range<usize>,
        out: &mut [V3<R>],
        block: impl Fn(usize, &mut V3<R>) -> usize + Sync,
    ) -> usize {
        let chunk = |start: usize, part: &mut [V3<R>]| -> usize {
            part.iter_mut().enumerate().map(|(i, o)| block(start + i, o)).sum()
        };
        if blocks.len() < self.options.parallel_threshold || rayon::current_num_threads() == 1 {
            return chunk(blocks.start, out);
        }
        let parts = out.par_chunks_mut(CHUNK).enumerate();
        parts.map(|(i, part)| chunk(blocks.start + i * CHUNK, part)).sum()
    }
}
