//! The loop over pairs: fixed chunks, each with its own list, so that the contacts come in one
//! order at any number of threads.

use rayon::prelude::*;

use super::passing::meet_moving;
use super::target::{Target, record};
use crate::contacts::ShapeContact;
use crate::narrow::Scratch;
use crate::world_box::WorldBox;

/// Pairs of a chunk: enough to outweigh a task.
const CHUNK: usize = 128;

/// Fewer pairs than this are not worth waking threads for.
const PARALLEL: usize = 512;

/// Bodies farther apart \[m\] have left the scene; squares of more overflow.
const LARGEST: f64 = 1e60;

/// The memory of one chunk, kept from step to step.
#[derive(Clone, Debug, Default)]
pub(super) struct Chunk {
    scratch: Scratch,
    found: Vec<ShapeContact>,
}

impl Chunk {
    fn capacity(&self) -> usize {
        self.found.capacity() + self.scratch.touches.capacity() + self.scratch.set_aside.capacity()
    }
}

/// The shapes with their boxes.
#[derive(Clone, Copy)]
pub(super) struct Placed<'a> {
    pub targets: &'a [Target],
    pub bounds: &'a [WorldBox],
}

impl Placed<'_> {
    fn detect(&self, pairs: &[[u32; 2]], scratch: &mut Scratch, out: &mut Vec<ShapeContact>) {
        for &[i, j] in pairs {
            let (i, j) = (i as usize, j as usize);
            let (a, b) = (&self.targets[i], &self.targets[j]);
            let sane = (b.here.p - a.here.p).amax() < LARGEST;
            if !sane || !are_near(a, b, &self.bounds[i], &self.bounds[j]) {
                continue;
            }
            let spots = meet_moving([a, b], scratch);
            out.extend(scratch.touches.iter().map(|t| record([a, b], spots, t)));
        }
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

/// Appends the contacts of all pairs, in their order. Answers whether memory was taken besides
/// that of `out`.
pub(super) fn detect_chunks(
    chunks: &mut Vec<Chunk>,
    placed: Placed,
    pairs: &[[u32; 2]],
    out: &mut Vec<ShapeContact>,
) -> bool {
    let parallel = pairs.len() >= PARALLEL && rayon::current_num_threads() > 1;
    let needed = if parallel { pairs.len().div_ceil(CHUNK) } else { 1 };
    let more = chunks.len() < needed;
    if more {
        chunks.resize_with(needed, Chunk::default);
    }
    let chunks = &mut chunks[..needed];
    let before: usize = chunks.iter().map(Chunk::capacity).sum();
    if parallel {
        chunks.par_iter_mut().zip(pairs.par_chunks(CHUNK)).for_each(|(c, pairs)| {
            c.found.clear();
            placed.detect(pairs, &mut c.scratch, &mut c.found);
        });
        chunks.iter().for_each(|c| out.extend_from_slice(&c.found));
    } else {
        placed.detect(pairs, &mut chunks[0].scratch, out);
    }
    more || chunks.iter().map(Chunk::capacity).sum::<usize>() > before
}
