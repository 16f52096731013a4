//! Coarse blocks: what takes many sweeps to travel through a mesh takes one step of a block that
//! moves many particles together. `docs/theory/vbd.md` section 9.
//!
//! A coarse block c displaces its members by x_i += w_ic δ_c. [`Hierarchy`] holds levels of such
//! blocks, spacing times four from level to level; `graph.rs` makes the weights, `level.rs` colors,
//! `tables.rs` and `kernel.rs` evaluate elements. Rows enter by the blocks of their particles.
//!
//! Left out on purpose: when levels are visited and what becomes of a step
//! (`particle/accelerate.rs`); rotations of a block: three unknowns each.

#![allow(non_snake_case)]

mod graph;
mod kernel;
mod level;
mod stiffness;
mod tables;

use coact_math::{Real, Scalar};

use crate::energy::Block;
use crate::lanes::{Simd, StepTerms, Transpose, Work, run};
use crate::prepared::Elements;

use graph::{Graph, spread_weights};
pub use level::Level;
use level::Shares;
pub use stiffness::stiffness;
use tables::{Tables, Wide};

/// Edges between the seeds of the first level.
const SPACING: u32 = 4;
/// Spacing of a level over that of the level below.
const RATIO: u32 = 4;
/// Particles of a component from which on it gets coarse blocks.
const SMALLEST: u32 = 50;

/// Blocks of a component at which coarsening ends.
const FEW: u32 = 4;

/// Levels of coarse blocks, the finest first.
pub trait Coarse<R: Scalar>: Send + Sync {
    /// Takes over all elements; builds the levels anew where other slots may move (`free`).
    fn read(&mut self, elements: &Elements<R>, free: &[bool]);
    /// Number of levels.
    fn len(&self) -> usize;
    /// Members and colors of a level.
    fn level(&self, level: usize) -> &Level;
    /// What the elements of a part of a block give to it; `task` is (block, part).
    fn eval(&self, level: usize, task: (usize, usize), step: &StepTerms<R>) -> Block<R>;
}

/// All levels.
pub struct Hierarchy<R: Scalar> {
    levels: Vec<(Level, Tables<R>)>,
    /// What the blocks of each level meet.
    shares: Vec<Shares>,
    /// What could move when the levels were built.
    free: Vec<bool>,
    simd: Simd,
}

impl<R: Scalar> Hierarchy<R> {
    /// No level yet. `simd` must be available.
    pub fn new(simd: Simd) -> Self {
        Self { levels: Vec::new(), shares: Vec::new(), free: Vec::new(), simd: simd.resolved() }
    }
}

impl<R: Scalar> Hierarchy<R>
where
    Wide<R>: Real<Scalar = R>,
{
    fn build(&mut self, elements: &Elements<R>, free: &[bool]) {
        self.levels.clear();
        self.shares.clear();
        self.free.clear();
        self.free.extend_from_slice(free);
        let graph = Graph::new(free.len(), elements);
        let (component, sizes) = graph.components();
        let mut part: Vec<bool> = component.iter().map(|&c| sizes[c as usize] >= SMALLEST).collect();
        let mut spacing = SPACING;
        while part.contains(&true) {
            let blocks = spread_weights(&graph, spacing, &part, free);
            let mut count = vec![0_u32; sizes.len()];
            blocks.iter().for_each(|b| count[component[b[0].0 as usize] as usize] += 1);
            for (p, &c) in part.iter_mut().zip(&component) {
                *p &= count[c as usize] > FEW;
            }
            if !blocks.is_empty() {
                let (level, shares) = Level::new(free.len(), &blocks, elements);
                self.levels.push((level, Tables::default()));
                self.shares.push(shares);
            }
            spacing *= RATIO;
        }
    }
}

/// The component of every one of `n` slots, and how many there are.
pub fn components<R: Scalar>(n: usize, elements: &Elements<R>) -> (Vec<u32>, usize) {
    let (component, sizes) = Graph::new(n, elements).components();
    (component, sizes.len())
}

/// Blocks to be evaluated.
struct Eval<'a, R: Scalar> {
    tables: &'a Tables<R>,
    task: (usize, usize),
    step: &'a StepTerms<'a, R>,
    out: &'a mut Block<R>,
}

impl<R: Transpose> Work for Eval<'_, R>
where
    Wide<R>: Real<Scalar = R>,
{
    const IS_WIDE: Option<bool> = None;

    #[inline(always)]
    fn run(self) -> usize {
        *self.out = self.tables.eval(self.task, self.step);
        0
    }
}

impl<R: Transpose> Coarse<R> for Hierarchy<R>
where
    Wide<R>: Real<Scalar = R>,
{
    fn read(&mut self, elements: &Elements<R>, free: &[bool]) {
        if self.free != free {
            self.build(elements, free);
        }
        for ((_, tables), shares) in self.levels.iter_mut().zip(&self.shares) {
            tables.read(elements, shares);
        }
    }

    fn len(&self) -> usize {
        self.levels.len()
    }

    fn level(&self, level: usize) -> &Level {
        &self.levels[level].0
    }

    fn eval(&self, level: usize, task: (usize, usize), step: &StepTerms<R>) -> Block<R> {
        let mut out = Block::zero();
        run(self.simd, Eval { tables: &self.levels[level].1, task, step, out: &mut out });
        out
    }
}
