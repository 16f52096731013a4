//! The loop over pairs: fixed chunks, each with its own list, so that the contacts come in one
//! order at any number of threads.

use rayon::prelude::*;

use super::target::{Target, record};
use crate::contacts::ShapeContact;
use crate::narrow::{Scratch, meet};
use crate::world_box::WorldBox;

/// Pairs of a chunk: enough to outweigh a task.
const CHUNK: usize = 128;

/// Fewer pairs than this are not worth waking threads for.
const PARALLEL: usize = 512;

/// The memory of one chunk, kept from step to step.
#[derive(Clone, Debug, Default)]
pub(super) struct Chunk {
    scratch: Scratch,
    found: Vec<ShapeContact>,
}

impl Chunk {
    fn detect(&mut self, targets: &[Target], bounds: &[WorldBox], pairs: &[[u32; 2]]) {
        self.found.clear();
        for &[i, j] in pairs {
            let (i, j) = (i as usize, j as usize);
            let (a, b) = (&targets[i], &targets[j]);
            if !are_near(a, b, &bounds[i], &bounds[j]) {
                continue;
            }
            let origin = a.x_world.p;
            meet(&a.side(&origin), &b.side(&origin), a.reach() + b.reach(), &mut self.scratch);
            self.found.extend(self.scratch.touches.iter().map(|t| record(a, b, t)));
        }
    }

    fn capacity(&self) -> usize {
        self.found.capacity() + self.scratch.touches.capacity()
    }
}

/// Whether the boxes, each wider by its own reach, touch. False where a number is none.
fn are_near(a: &Target, b: &Target, box_a: &WorldBox, box_b: &WorldBox) -> bool {
    if a.solid.bounds().is_none() {
        a.plane_meets(box_b)
    } else if b.solid.bounds().is_none() {
        b.plane_meets(box_a)
    } else {
        box_a.meets(box_b, 0.0)
    }
}

/// Appends the contacts of all pairs, in their order. Answers whether a list of a chunk grew.
pub(super) fn detect_chunks(
    chunks: &mut Vec<Chunk>,
    targets: &[Target],
    bounds: &[WorldBox],
    pairs: &[[u32; 2]],
    out: &mut Vec<ShapeContact>,
) -> bool {
    let needed = pairs.len().div_ceil(CHUNK);
    let more = chunks.len() < needed;
    if more {
        chunks.resize_with(needed, Chunk::default);
    }
    let chunks = &mut chunks[..needed];
    let before: usize = chunks.iter().map(Chunk::capacity).sum();
    let detect = |(k, c): (usize, &mut Chunk)| {
        c.detect(targets, bounds, &pairs[k * CHUNK..pairs.len().min((k + 1) * CHUNK)]);
    };
    if pairs.len() >= PARALLEL && rayon::current_num_threads() > 1 {
        chunks.par_iter_mut().enumerate().for_each(detect);
    } else {
        chunks.iter_mut().enumerate().for_each(detect);
    }
    chunks.iter().for_each(|c| out.extend_from_slice(&c.found));
    more || chunks.iter().map(Chunk::capacity).sum::<usize>() > before
}
