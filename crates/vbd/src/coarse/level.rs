//! One level: coarse blocks in order of colors, their members and their elements.

use std::ops::Range;

use coact_math::Scalar;

use super::graph::Weight;
use super::tables::{PART, Share, WIDTH};
use crate::prepared::{Elements, Record};

/// Members in a part.
const MEMBERS: usize = PART * WIDTH;

/// Coarse blocks of one spacing.
#[derive(Clone, Debug, Default)]
pub struct Level {
    /// Start of each block's members. Shape: \[block_count + 1\].
    start: Vec<u32>,
    /// Members, by block, then by slot: slot and weight.
    members: Vec<Weight>,
    /// Start of each color's blocks. Shape: \[color_count + 1\].
    color_start: Vec<u32>,
    /// Block and part of each task, by block. Shape: \[task_count\].
    tasks: Vec<(u32, u32)>,
    /// Start of each block's tasks. Shape: \[block_count + 1\].
    task_start: Vec<u32>,
}

/// The elements that each block strains.
#[derive(Clone, Debug, Default)]
pub struct Shares {
    /// Springs.
    pub springs: Vec<Vec<Share<2>>>,
    /// Membrane triangles.
    pub triangles: Vec<Vec<Share<3>>>,
    /// Hinges.
    pub hinges: Vec<Vec<Share<4>>>,
    /// Tetrahedra.
    pub tets: Vec<Vec<Share<4>>>,
}

impl Shares {
    /// Parts that the elements of a block fill.
    fn parts(&self, b: usize) -> usize {
        let lens = [self.springs[b].len(), self.triangles[b].len(), self.hinges[b].len(), self.tets[b].len()];
        lens.into_iter().max().unwrap_or(0).div_ceil(PART * WIDTH)
    }
}

impl Level {
    /// Colors `blocks`: two that share an element or a member differ.
    pub fn new<R: Scalar>(n: usize, blocks: &[Vec<Weight>], e: &Elements<R>) -> (Self, Shares) {
        let meets = by_slot(n, blocks);
        let touch = neighbours(blocks.len(), &meets, e);
        let (order, color_start) = color(&touch);
        let ordered: Vec<Vec<Weight>> = order.iter().map(|&b| blocks[b as usize].clone()).collect();
        let meets = by_slot(n, &ordered);
        let count = ordered.len();
        let shares = Shares {
            springs: shares(count, &meets, &e.springs),
            triangles: shares(count, &meets, &e.triangles),
            hinges: shares(count, &meets, &e.hinges),
            tets: shares(count, &meets, &e.tets),
        };
        let mut level = Self { start: vec![0], task_start: vec![0], color_start, ..Self::default() };
        for (b, members) in ordered.into_iter().enumerate() {
            let parts = shares.parts(b).max(members.len().div_ceil(MEMBERS)) as u32;
            level.tasks.extend((0..parts).map(|part| (b as u32, part)));
            level.task_start.push(level.tasks.len() as u32);
            level.members.extend(members);
            level.start.push(level.members.len() as u32);
        }
        (level, shares)
    }

    /// Number of colors.
    pub fn color_count(&self) -> usize {
        self.color_start.len() - 1
    }

    /// The blocks of a color.
    pub fn color(&self, c: usize) -> Range<usize> {
        self.color_start[c] as usize..self.color_start[c + 1] as usize
    }

    /// The tasks of consecutive blocks: block and part, by block.
    pub fn tasks(&self, blocks: Range<usize>) -> &[(u32, u32)] {
        &self.tasks[self.task_start[blocks.start] as usize..self.task_start[blocks.end] as usize]
    }

    /// The members that a part of a block counts.
    pub fn part_members(&self, (block, part): (usize, usize)) -> &[Weight] {
        let all = self.members(block);
        &all[(part * MEMBERS).min(all.len())..((part + 1) * MEMBERS).min(all.len())]
    }

    /// The members of a block: slot and weight.
    #[inline(always)]
    pub fn members(&self, block: usize) -> &[Weight] {
        &self.members[self.start[block] as usize..self.start[block + 1] as usize]
    }
}

/// The blocks of each slot, with the weight in each.
fn by_slot(n: usize, blocks: &[Vec<Weight>]) -> Vec<Vec<Weight>> {
    let mut meets = vec![Vec::new(); n];
    for (b, members) in blocks.iter().enumerate() {
        members.iter().for_each(|&(s, w)| meets[s as usize].push((b as u32, w)));
    }
    meets
}

/// The blocks that move an element, in order.
fn movers(v: &[u32], meets: &[Vec<Weight>], out: &mut Vec<u32>) {
    out.clear();
    v.iter().for_each(|&s| out.extend(meets[s as usize].iter().map(|&(b, _)| b)));
    out.sort_unstable();
    out.dedup();
}

fn neighbours<R: Scalar>(count: usize, meets: &[Vec<Weight>], e: &Elements<R>) -> Vec<Vec<u32>> {
    let (mut touch, mut at) = (vec![Vec::new(); count], Vec::new());
    let mut all = |v: &[u32]| {
        movers(v, meets, &mut at);
        for &a in &at {
            touch[a as usize].extend(at.iter().filter(|&&b| b != a));
        }
    };
    e.springs.iter().for_each(|e| all(&e.v));
    e.triangles.iter().for_each(|e| all(&e.v));
    e.hinges.iter().for_each(|e| all(&e.v));
    e.tets.iter().for_each(|e| all(&e.v));
    for t in &mut touch {
        t.sort_unstable();
        t.dedup();
    }
    touch
}

/// Greedy: blocks in order of colors, and where each color starts.
fn color(touch: &[Vec<u32>]) -> (Vec<u32>, Vec<u32>) {
    let mut colors: Vec<u32> = Vec::with_capacity(touch.len());
    for (b, near) in touch.iter().enumerate() {
        let taken: Vec<u32> =
            near.iter().filter(|&&a| (a as usize) < b).map(|&a| colors[a as usize]).collect();
        colors.push((0..).find(|c| !taken.contains(c)).unwrap_or(0));
    }
    let mut order: Vec<u32> = (0..touch.len() as u32).collect();
    order.sort_by_key(|&b| colors[b as usize]);
    let last = colors.iter().max().map_or(0, |&c| c + 1);
    let start = (0..=last).map(|c| order.partition_point(|&b| colors[b as usize] < c) as u32).collect();
    (order, start)
}

/// The elements that each block strains, in order.
fn shares<E, const V: usize>(
    count: usize,
    meets: &[Vec<Weight>],
    records: &[Record<E, V>],
) -> Vec<Vec<Share<V>>> {
    let (mut out, mut at) = (vec![Vec::new(); count], Vec::new());
    for (id, record) in records.iter().enumerate() {
        movers(&record.v, meets, &mut at);
        for &b in &at {
            let weight = |s: u32| meets[s as usize].iter().find(|&&(c, _)| c == b).map_or(0.0, |&(_, w)| w);
            let w = record.v.map(weight);
            let m = w.map(|x| x - w[0]);
            if m.iter().any(|&x| x != 0.0) {
                out[b as usize].push((id as u32, m));
            }
        }
    }
    out
}
