//! Fans in lanes: the table of their sectors, and the walk around N blocks at once.
//!
//! `docs/theory/vbd.md` section 6; formulas: `energy/fan.rs`. All blocks of a group have as many
//! sectors, so no lane is padded.

#![allow(non_snake_case)]

use std::ops::Range;

use coact_math::{Lanes, M2, Real, Scalar, V3};

use super::gather::{Transpose, gather, gather_u};
use super::kernel::Group;
use super::slices::{Groups, Slices};
use super::tables::pack;
use crate::energy::{
    Block, Face, Fold, Membrane, Ray, Sector, eval_sector, eval_spoke, eval_tip, membrane_weights,
};
use crate::prepared::{Corner, Elements, Fan, FanSector, Layout, MAX_SECTORS};

/// One sector per lane.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct FanEntry<L, const N: usize> {
    ring: [u32; N],
    outer: [u32; N],
    sector: Sector<L>,
    /// Hinge across from the block, then that of the spoke.
    folds: [Fold<L>; 2],
    /// Their angles at the begin of the step; not a number where they had none.
    start: [L; 2],
    /// Their records; any where there is none.
    id: [[u32; N]; 2],
}

impl<R: Scalar, const N: usize> FanEntry<Lanes<R, N>, N> {
    /// Takes over the angles of hinges at the begin of the step, by record.
    pub fn set_start(&mut self, angles: &[R]) {
        for (start, id) in self.start.iter_mut().zip(&self.id) {
            *start = Lanes(std::array::from_fn(|l| angles[id[l] as usize]));
        }
    }
}

/// Fills the table: sectors of the groups that are fans.
pub fn fill_fans<R: Scalar, const N: usize>(
    table: &mut Slices<FanEntry<Lanes<R, N>, N>>,
    groups: &Groups,
    elements: &Elements<R>,
    layout: &Layout,
) {
    let fan_at = |slot: usize| {
        let triangles = (&layout.triangles, |e: usize| elements.triangles[e].v);
        Fan::at(slot, triangles, (&layout.hinges, |e: usize| elements.hinges[e].v))
    };
    table.fill_with(groups, |g| {
        let blocks = if groups.is_fan[g] { groups.blocks[g].clone() } else { 0..0 };
        let fans = lanes_of::<N>(&blocks).and_then(|slots| {
            let fans = slots.map(fan_at);
            // the layout found all of them before
            fans.iter().all(Option::is_some).then(|| fans.map(Option::unwrap))
        });
        let count = fans.as_ref().map_or(0, |f| f[0].sectors().len());
        (0..count)
            .filter_map(move |k| Some(entry(elements, fans.as_ref()?.each_ref().map(|f| f.sectors()[k]))))
    });
}

/// The block of each lane: the last one again where there are fewer; `None` without blocks.
fn lanes_of<const N: usize>(blocks: &Range<usize>) -> Option<[usize; N]> {
    let last = blocks.end.checked_sub(1).filter(|_| !blocks.is_empty())?;
    Some(std::array::from_fn(|l| (blocks.start + l).min(last)))
}

fn entry<R: Scalar, const N: usize>(e: &Elements<R>, sectors: [FanSector; N]) -> FanEntry<Lanes<R, N>, N> {
    let s: [Sector<R>; N] = sectors.map(|s| Sector::new(&membrane_at(e, s.triangle)));
    let fold = |c: Option<Corner>| c.map_or_else(Fold::default, |c| Fold::new(&e.hinges[c.element()].e));
    let id = |c: Option<Corner>| c.map_or(0, |c| c.element() as u32);
    let tips: [Fold<R>; N] = sectors.map(|s| fold(s.tip));
    let spokes: [Fold<R>; N] = sectors.map(|s| fold(s.spoke));
    let folds = [&tips, &spokes].map(|h| Fold {
        ke: pack(h, |h| h.ke),
        theta0: pack(h, |h| h.theta0),
        kd: pack(h, |h| h.kd),
    });
    FanEntry {
        ring: sectors.map(|s| s.ring),
        outer: sectors.map(|s| s.outer),
        sector: Sector {
            M: [0, 1, 2].map(|i| pack(&s, |s| s.M[i])),
            det: pack(&s, |s| s.det),
            mu: pack(&s, |s| s.mu),
            lambda: pack(&s, |s| s.lambda),
            kd: pack(&s, |s| s.kd),
        },
        folds,
        start: [Lanes::default(); 2],
        id: [sectors.map(|s| id(s.tip)), sectors.map(|s| id(s.spoke))],
    }
}

/// The triangle renumbered so that the block is its vertex 0.
pub fn membrane_at<R: Scalar>(e: &Elements<R>, c: Corner) -> Membrane<R> {
    const ORDER: [[usize; 2]; 3] = [[1, 2], [2, 0], [0, 1]];
    let t = &e.triangles[c.element()].e;
    let [p, q] = ORDER[c.corner()].map(|i| membrane_weights(&t.Dm_inv, i));
    Membrane { Dm_inv: M2::new(p[0], p[1], q[0], q[1]), ..*t }
}

/// What a table of fans has at all.
#[derive(Clone, Copy, Debug, Default)]
pub struct FanTraits {
    /// Some triangle is damped.
    pub damped: bool,
    /// There are hinges.
    pub bends: bool,
}

impl<R: Transpose, const N: usize> Group<'_, R, N>
where
    Lanes<R, N>: Real<Scalar = R>,
{
    /// eq. (28)–(33) of the theory of elasticity, summed around the blocks.
    #[inline(always)]
    pub(super) fn fan(&self, entries: &[FanEntry<Lanes<R, N>, N>], has: FanTraits) -> Block<Lanes<R, N>> {
        let (mut sum, inv_h) = (Block::zero(), self.inv_h);
        let m = entries.len().min(MAX_SECTORS);
        if m == 0 {
            return sum;
        }
        // rays and faces stay in memory: carried around the loop in registers they fall apart
        let mut rays = [Ray::new(V3::zero(), V3::zero()); MAX_SECTORS + 1];
        for k in 0..m {
            rays[k] = self.ray(&entries[k], has);
        }
        rays[m] = rays[0];
        let closing = Face::new(&rays[m - 1], &rays[0], entries[m - 1].sector.det);
        let mut faces = [closing; 2];
        let damped = has.damped.then_some(inv_h);
        for k in 0..m {
            let (e, a, b) = (&entries[k], &rays[k], &rays[k + 1]);
            faces[(k + 1) & 1] = Face::new(a, b, e.sector.det);
            let (before, after) = (&faces[k & 1], &faces[(k + 1) & 1]);
            sum += eval_sector(&e.sector, [a, b], after, self.step.membrane_hessian, damped);
            if has.bends {
                let o = gather(self.step.at, &e.outer) - self.x;
                sum += eval_tip((&e.folds[0], e.start[0]), [a, b], after, o, inv_h);
                sum += eval_spoke((&e.folds[1], e.start[1]), [a, b], before, after, inv_h);
            }
        }
        sum
    }

    #[inline(always)]
    fn ray(&self, e: &FanEntry<Lanes<R, N>, N>, has: FanTraits) -> Ray<Lanes<R, N>> {
        let a = gather(self.step.at, &e.ring) - self.x;
        let da = if has.damped { gather_u(self.step.at, &e.ring) - self.u } else { V3::zero() };
        Ray::new(a, da)
    }
}
