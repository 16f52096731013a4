//! The loop over particles: fixed chunks, each with its own list, so that the records come
//! in one order at any number of threads.

use rayon::prelude::*;

use super::target::Target;
use super::{ParticleQuery, is_pair};
use crate::contacts::ParticleShapeContact;
use crate::world_box::WorldBox;

/// Particles of a chunk. Smaller, and the test of its box no longer pays for many shapes;
/// larger, and the box holds what is not near.
const CHUNK: usize = 256;

/// Fewer particles than this are not worth waking threads for.
const PARALLEL: usize = 2048;

/// The lists of one chunk, kept from step to step.
#[derive(Clone, Debug, Default)]
pub(super) struct Chunk {
    /// Targets near the box of the chunk.
    near: Vec<u32>,
    found: Vec<ParticleShapeContact>,
}

impl Chunk {
    fn detect(
        &mut self,
        targets: &[Target],
        particles: std::ops::Range<usize>,
        query: &impl Fn(usize) -> Option<ParticleQuery>,
    ) {
        self.near.clear();
        self.found.clear();
        let queries = || particles.clone().filter_map(query).filter(ParticleQuery::is_finite);
        let mut bounds = WorldBox::NOTHING;
        queries().for_each(|q| bounds.add(&q.x, q.radius + q.motion));
        let near = |t: &Target| t.visible && t.bounds.meets(&bounds, t.reach());
        self.near.extend(targets.iter().zip(0..).filter_map(|(t, i)| near(t).then_some(i)));
        if self.near.is_empty() {
            return;
        }
        for q in queries() {
            for t in self.near.iter().map(|&i| &targets[i as usize]) {
                if is_pair(q.mobility, t.mobility) {
                    self.found.extend(t.meet(&q));
                }
            }
        }
    }

    fn capacity(&self) -> usize {
        self.near.capacity() + self.found.capacity()
    }
}

/// Appends the contacts of particles 0..`count`, by particle, then shape. Answers whether a
/// list of a chunk grew.
pub(super) fn detect_chunks(
    chunks: &mut Vec<Chunk>,
    targets: &[Target],
    count: usize,
    query: &(impl Fn(usize) -> Option<ParticleQuery> + Sync),
    out: &mut Vec<ParticleShapeContact>,
) -> bool {
    let needed = count.div_ceil(CHUNK);
    if chunks.len() < needed {
        chunks.resize_with(needed, Chunk::default);
    }
    let chunks = &mut chunks[..needed];
    let before: usize = chunks.iter().map(Chunk::capacity).sum();
    let detect = |(i, c): (usize, &mut Chunk)| {
        c.detect(targets, i * CHUNK..count.min((i + 1) * CHUNK), query);
    };
    if count >= PARALLEL && rayon::current_num_threads() > 1 {
        chunks.par_iter_mut().enumerate().for_each(detect);
    } else {
        chunks.iter_mut().enumerate().for_each(detect);
    }
    chunks.iter().for_each(|c| out.extend_from_slice(&c.found));
    chunks.iter().map(Chunk::capacity).sum::<usize>() > before
}
