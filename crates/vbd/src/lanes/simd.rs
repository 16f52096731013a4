//! Entry into the lane kernels at the width of the machine, chosen when the solver is built.
//!
//! The same source is compiled three times: for the baseline of the build, for AVX2 and for
//! AVX-512. No variant contracts or reorders, so all give the same bits.

use std::ops::Range;

use coact_math::{Lanes, Real, Scalar, wide_lanes_available};

use super::gather::Transpose;
use super::kernel::{Scratch, start_angles};
use super::tables::{HINGE, Tables};
use super::{BlockRows, LaneSweep, Out, StepTerms, for_chunks};
use crate::coarse::{Coarse, Hierarchy};
use crate::energy::Block;
use crate::particle::Place;
use crate::prepared::{Elements, HingeRecord, Layout};

/// Vector instructions of the sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Simd {
    /// The widest that the machine has.
    #[default]
    Auto,
    /// What every machine of the build's target has.
    Portable,
    /// 256 bits.
    Avx2,
    /// 512 bits.
    Avx512,
}

impl Simd {
    /// Whether this machine has it.
    pub fn is_available(self) -> bool {
        match self {
            Self::Auto | Self::Portable => true,
            Self::Avx2 => has_avx2(),
            Self::Avx512 => has_avx512(),
        }
    }

    /// What `Auto` means on this machine; itself otherwise.
    pub fn resolved(self) -> Self {
        match self {
            Self::Auto if has_avx512() => Self::Avx512,
            Self::Auto if has_avx2() => Self::Avx2,
            Self::Auto => Self::Portable,
            asked => asked,
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
}

fn has_avx512() -> bool {
    cfg!(target_arch = "x86_64") && wide_lanes_available()
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx2() -> bool {
    false
}

/// A precision and the lanes that fill its registers.
pub trait LaneWidths: Transpose {
    /// Coarse blocks at `simd`, which is available.
    fn coarse(simd: Simd) -> Box<dyn Coarse<Self>>;
    /// Lane tables of a layout at the width of `simd`, which is resolved and available.
    fn sweep(layout: &Layout, simd: Simd) -> Box<dyn LaneSweep<Self>>;
}

impl LaneWidths for f32 {
    fn coarse(simd: Simd) -> Box<dyn Coarse<f32>> {
        Box::new(Hierarchy::new(simd))
    }

    fn sweep(layout: &Layout, simd: Simd) -> Box<dyn LaneSweep<f32>> {
        match simd {
            Simd::Avx512 => Box::new(Sweep::<f32, 16>::new(layout, simd)),
            _ => Box::new(Sweep::<f32, 8>::new(layout, simd)),
        }
    }
}

impl LaneWidths for f64 {
    fn coarse(simd: Simd) -> Box<dyn Coarse<f64>> {
        Box::new(Hierarchy::new(simd))
    }

    fn sweep(layout: &Layout, simd: Simd) -> Box<dyn LaneSweep<f64>> {
        match simd {
            Simd::Avx512 => Box::new(Sweep::<f64, 8>::new(layout, simd)),
            _ => Box::new(Sweep::<f64, 4>::new(layout, simd)),
        }
    }
}

/// Lane tables of a layout: as many lanes as fill a register of `simd`, which must be available.
pub fn lane_sweep<R: LaneWidths>(layout: &Layout, simd: Simd) -> Box<dyn LaneSweep<R>> {
    let simd = simd.resolved();
    assert!(simd.is_available(), "{simd:?} was not checked");
    R::sweep(layout, simd)
}

/// Tables with their entry.
struct Sweep<R: Scalar, const N: usize> {
    tables: Tables<R, N>,
    /// Angle of each hinge at the begin of the step.
    angles: Vec<R>,
    simd: Simd,
}

impl<R: Transpose, const N: usize> Sweep<R, N>
where
    Lanes<R, N>: Real<Scalar = R>,
{
    fn new(layout: &Layout, simd: Simd) -> Self {
        Self { tables: Tables::new(layout), angles: Vec::new(), simd }
    }
}

/// A run of groups to be worked on.
struct Run<'a, R: Scalar, const N: usize> {
    tables: &'a Tables<R, N>,
    groups: Range<usize>,
    step: &'a StepTerms<'a, R>,
    rows: &'a dyn BlockRows<R>,
    out: Out<'a, R>,
}

/// What is done at some width; compiled once for all instructions that may be chosen for its lanes.
pub trait Work {
    /// Whether its lanes are made for AVX-512 or for what is narrower; `None`: runs on all.
    const IS_WIDE: Option<bool>;
    /// All of it; how many systems were singular.
    fn run(self) -> usize;
}

/// Whether lanes fill a register of AVX-512.
const fn is_wide<R, const N: usize>() -> Option<bool> {
    Some(size_of::<[R; N]>() == 64)
}

impl<R: Transpose, const N: usize> Work for Run<'_, R, N>
where
    Lanes<R, N>: Real<Scalar = R>,
{
    const IS_WIDE: Option<bool> = is_wide::<R, N>();

    #[inline(always)]
    fn run(mut self) -> usize {
        let mut skipped = 0;
        let first = self.tables.groups.blocks.get(self.groups.start).map_or(0, |b| b.start);
        let mut scratch = Scratch::new();
        for g in self.groups {
            let out = (first, &mut self.out);
            skipped += self.tables.work_on(g, self.step, self.rows, out, &mut scratch);
        }
        skipped
    }
}

/// Hinges to be measured at the begin of the step.
struct Angles<'a, R: Scalar, const N: usize> {
    hinges: &'a [HingeRecord<R>],
    /// Where particles are, and their displacements since the begin of the step.
    places: (&'a [Place<R>], &'a [[R; 4]]),
    out: &'a mut [R],
}

impl<R: Transpose, const N: usize> Work for Angles<'_, R, N>
where
    Lanes<R, N>: Real<Scalar = R>,
{
    const IS_WIDE: Option<bool> = is_wide::<R, N>();

    #[inline(always)]
    fn run(self) -> usize {
        for (hinges, out) in self.hinges.chunks(N).zip(self.out.chunks_mut(N)) {
            start_angles::<R, N>(hinges, self.places, out);
        }
        0
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_avx2(work: impl Work) -> usize {
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
fn run_avx512(work: impl Work) -> usize {
    work.run()
}

/// Runs at the width of `simd`, which the machine must have.
pub fn run<W: Work>(simd: Simd, work: W) -> usize {
    if const { !matches!(W::IS_WIDE, Some(true)) } {
        return match simd {
            Simd::Avx512 if const { W::IS_WIDE.is_none() } => widest(work),
            // SAFETY: `Sweep` holds only what `Simd::is_available` affirmed
            #[cfg(target_arch = "x86_64")]
            Simd::Avx2 => unsafe { run_avx2(work) },
            _ => work.run(),
        };
    }
    widest(work)
}

/// On AVX-512, which the machine must have.
#[inline(always)]
fn widest(work: impl Work) -> usize {
    // SAFETY: as above
    #[cfg(target_arch = "x86_64")]
    return unsafe { run_avx512(work) };
    #[cfg(not(target_arch = "x86_64"))]
    work.run()
}

impl<R: Transpose, const N: usize> LaneSweep<R> for Sweep<R, N>
where
    Lanes<R, N>: Real<Scalar = R>,
{
    fn read(&mut self, elements: &Elements<R>, layout: &Layout) {
        self.tables.read(elements, layout);
    }

    fn start(&mut self, elements: &Elements<R>, places: (&[Place<R>], &[[R; 4]]), parallel: bool) {
        if self.tables.damped[HINGE] {
            let simd = self.simd;
            self.angles.resize(elements.hinges.len(), R::zero());
            for_chunks(&mut self.angles, parallel, |first, out| {
                let hinges = &elements.hinges[first..first + out.len()];
                run(simd, Angles::<R, N> { hinges, places, out });
            });
            self.tables.start(&self.angles, parallel);
        }
    }

    fn lanes(&self) -> usize {
        N
    }

    fn groups(&self, color: usize) -> Range<usize> {
        self.tables.groups.color(color)
    }

    fn blocks(&self, group: usize) -> Range<usize> {
        self.tables.groups.blocks[group].clone()
    }

    fn work_on(
        &self,
        groups: Range<usize>,
        step: &StepTerms<R>,
        rows: &dyn BlockRows<R>,
        out: Out<R>,
    ) -> usize {
        run(self.simd, Run { tables: &self.tables, groups, step, rows, out })
    }

    fn eval_one(&self, slot: usize, step: &StepTerms<R>, rows: &dyn BlockRows<R>) -> Block<R> {
        let blocks = &self.tables.groups.blocks;
        let group = blocks.partition_point(|b| b.end <= slot);
        let mut out = [Block::zero(); N];
        self.work_on(group..group + 1, step, rows, Out::Terms(&mut out));
        out[slot - blocks[group].start]
    }
}
