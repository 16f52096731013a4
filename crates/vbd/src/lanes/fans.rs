//! Fans in lanes: the table of their sectors, and the walk around N blocks at once.
//!
//! `docs/theory/vbd.md` section 6; formulas: `energy/fan.rs`. All blocks of a group have as many
//! sectors, so no lane is padded.

#![allow(non_snake_case)]

use coact_math::{Lanes, M2, Real, Scalar, V3};

use super::for_chunks;
use super::gather::Transpose;
use super::kernel::Group;
use super::slices::{Groups, Slices, prefetch};
use super::tables::{lanes_of, pack};
use crate::energy::{
    Block, Face, Fold, FoldDamping, Membrane, Ray, Sector, SectorDamping, eval_sector, eval_spoke, eval_tip,
    membrane_weights,
};
use crate::prepared::{Corner, Elements, Fan, FanSector, Layout, MAX_SECTORS};

/// How many sectors ahead the tables are asked for: a sector takes about as long as memory.
const PREFETCHED: usize = 2;

/// One sector per lane.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct FanEntry<L, const N: usize> {
    ring: [u32; N],
    outer: [u32; N],
    sector: Sector<L>,
    /// Hinge across from the block, then that of the spoke.
    folds: [Fold<L>; 2],
}

/// What damps it.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct FanDamping<L> {
    sector: SectorDamping<L>,
    folds: [FoldDamping<L>; 2],
}

/// The fans of all groups.
#[derive(Clone, Debug, Default)]
pub struct Fans<R, const N: usize> {
    entries: Slices<FanEntry<Lanes<R, N>, N>>,
    /// As many, or none where nothing is damped.
    damping: Slices<FanDamping<Lanes<R, N>>>,
    /// The hinges of each sector, by record; any where there is none.
    hinges: Slices<[[u32; N]; 2]>,
    has: FanTraits,
}

impl<R: Scalar, const N: usize> Fans<R, N> {
    /// Takes over angles of hinges at the begin of the step, by record.
    pub fn set_start(&mut self, angles: &[R], parallel: bool) {
        let hinges = self.hinges.entries();
        for_chunks(self.damping.entries_mut(), parallel, |first, entries| {
            for (e, ids) in entries.iter_mut().zip(&hinges[first..]) {
                for (fold, id) in e.folds.iter_mut().zip(ids) {
                    fold.start = Lanes(std::array::from_fn(|l| angles[id[l] as usize]));
                }
            }
        });
    }

    /// Takes over the sectors of all groups that are fans.
    pub fn read(&mut self, groups: &Groups, elements: &Elements<R>, layout: &Layout, has: FanTraits) {
        self.has = has;
        let sectors = |g: usize| sectors_of::<R, N>(g, groups, elements, layout);
        self.entries.fill_with(groups, |g| sectors(g).map(|s| entry(elements, s)));
        let damped = |g: usize| sectors(g).take(if has.damped || has.bends_damped { MAX_SECTORS } else { 0 });
        self.damping.fill_with(groups, |g| damped(g).map(|s| damping(elements, s)));
        self.hinges.fill_with(groups, |g| damped(g).map(ids));
    }
}

/// The sectors of the blocks of a group by lane, one after the other around them; none where the group
/// is no fan or does nothing.
fn sectors_of<R: Scalar, const N: usize>(
    group: usize,
    groups: &Groups,
    elements: &Elements<R>,
    layout: &Layout,
) -> impl Iterator<Item = [FanSector; N]> {
    let fan_at = |slot: usize| {
        let triangles = (&layout.triangles, |e: usize| elements.triangles[e].v);
        Fan::at(slot, triangles, (&layout.hinges, |e: usize| elements.hinges[e].v))
    };
    let blocks = if groups.is_fan[group] { groups.blocks[group].clone() } else { 0..0 };
    let fans = lanes_of::<N>(&blocks).and_then(|slots| {
        let fans = slots.map(fan_at);
        // the layout found all of them before
        fans.iter().all(Option::is_some).then(|| fans.map(Option::unwrap))
    });
    let acts = |s: &FanSector| {
        let hinge = |c: Option<Corner>| c.is_some_and(|c| elements.hinges[c.element()].acts());
        elements.triangles[s.triangle.element()].acts() || hinge(s.tip) || hinge(s.spoke)
    };
    let fans = fans.filter(|fans| fans.iter().any(|f| f.sectors().iter().any(acts)));
    let count = fans.as_ref().map_or(0, |f| f[0].sectors().len());
    (0..count).filter_map(move |k| Some(fans.as_ref()?.each_ref().map(|f| f.sectors()[k])))
}

fn fold<R: Scalar>(e: &Elements<R>, c: Option<Corner>) -> (Fold<R>, FoldDamping<R>) {
    c.map_or_else(Default::default, |c| Fold::new(&e.hinges[c.element()].e))
}

fn entry<R: Scalar, const N: usize>(e: &Elements<R>, sectors: [FanSector; N]) -> FanEntry<Lanes<R, N>, N> {
    let folds = [sectors.map(|s| fold(e, s.tip).0), sectors.map(|s| fold(e, s.spoke).0)];
    FanEntry {
        ring: sectors.map(|s| s.ring),
        outer: sectors.map(|s| s.outer),
        sector: pack_sector(&sectors.map(|s| sector_at(e, s.triangle).0)),
        folds: folds.map(|h| Fold { ke: pack(&h, |h| h.ke), theta0: pack(&h, |h| h.theta0) }),
    }
}

fn damping<R: Scalar, const N: usize>(e: &Elements<R>, sectors: [FanSector; N]) -> FanDamping<Lanes<R, N>> {
    let folds = [sectors.map(|s| fold(e, s.tip).1), sectors.map(|s| fold(e, s.spoke).1)];
    FanDamping {
        sector: pack_sector_damping(&sectors.map(|s| sector_at(e, s.triangle).1)),
        folds: folds.map(|h| FoldDamping { kd: pack(&h, |h| h.kd), start: Lanes::default() }),
    }
}

fn ids<const N: usize>(sectors: [FanSector; N]) -> [[u32; N]; 2] {
    let id = |c: Option<Corner>| c.map_or(0, |c| c.element() as u32);
    [sectors.map(|s| id(s.tip)), sectors.map(|s| id(s.spoke))]
}

/// Sectors side by side.
pub fn pack_sector<R: Scalar, const N: usize>(s: &[Sector<R>; N]) -> Sector<Lanes<R, N>> {
    Sector {
        q: [0, 1].map(|i| pack(s, |s| s.q[i])),
        det: pack(s, |s| s.det),
        mu: pack(s, |s| s.mu),
        lambda: pack(s, |s| s.lambda),
    }
}

/// As [`pack_sector`].
pub fn pack_sector_damping<R: Scalar, const N: usize>(
    s: &[SectorDamping<R>; N],
) -> SectorDamping<Lanes<R, N>> {
    SectorDamping { m12: pack(s, |s| s.m12), kd: pack(s, |s| s.kd) }
}

/// The triangle at a corner, seen from there.
pub fn sector_at<R: Scalar>(e: &Elements<R>, c: Corner) -> (Sector<R>, SectorDamping<R>) {
    const ORDER: [[usize; 2]; 3] = [[1, 2], [2, 0], [0, 1]];
    let t = e.triangles[c.element()].e.wide();
    let [p, q] = ORDER[c.corner()].map(|i| membrane_weights(&t.Dm_inv, i));
    Sector::new(&Membrane { Dm_inv: M2::new(p[0], p[1], q[0], q[1]), ..t })
}

/// The rays of a fan; the first once more behind the last.
pub type Rays<L> = [Ray<L>; MAX_SECTORS + 1];

/// What a table of fans has at all.
#[derive(Clone, Copy, Debug, Default)]
pub struct FanTraits {
    /// Some triangle is damped.
    pub damped: bool,
    /// Some hinge acts.
    pub bends: bool,
    /// Some hinge is damped.
    pub bends_damped: bool,
}

impl<R: Transpose, const N: usize> Group<'_, R, N>
where
    Lanes<R, N>: Real<Scalar = R>,
{
    /// eq. (28)–(33) of the theory of elasticity, summed around the blocks.
    #[inline(always)]
    pub(super) fn fan(
        &self,
        fans: &Fans<R, N>,
        group: usize,
        rays: &mut Rays<Lanes<R, N>>,
    ) -> Block<Lanes<R, N>> {
        let (mut sum, has) = (Block::zero(), fans.has);
        let (entries, damping) = (fans.entries.of(group), fans.damping.of(group));
        let m = entries.len().min(MAX_SECTORS);
        if m == 0 {
            return sum;
        }
        // rays and faces stay in memory: carried around the loop in registers they fall apart
        for k in 0..m {
            rays[k] = self.ray(&entries[k], has);
        }
        rays[m] = rays[0];
        let closing = Face::new(&rays[m - 1], &rays[0], entries[m - 1].sector.det);
        let mut faces = [closing; 2];
        for k in 0..m {
            let (e, a, b) = (&entries[k], &rays[k], &rays[k + 1]);
            prefetch(e, PREFETCHED);
            faces[(k + 1) & 1] = Face::new(a, b, e.sector.det);
            let (before, after) = (&faces[k & 1], &faces[(k + 1) & 1]);
            let d = damping.get(k);
            if let Some(d) = d {
                prefetch(d, PREFETCHED);
            }
            let damped = d.filter(|_| has.damped).map(|d| (&d.sector, self.inv_h));
            sum += eval_sector(&e.sector, [a, b], after, self.step.membrane_hessian, damped);
            if has.bends {
                let damped = |i: usize| d.filter(|_| has.bends_damped).map(|d| (&d.folds[i], self.inv_h));
                sum += eval_tip(&e.folds[0], damped(0), [a, b], after, self.edge(&e.outer));
                sum += eval_spoke(&e.folds[1], damped(1), [a, b], before, after);
            }
        }
        sum
    }

    #[inline(always)]
    fn ray(&self, e: &FanEntry<Lanes<R, N>, N>, has: FanTraits) -> Ray<Lanes<R, N>> {
        let a = self.edge(&e.ring);
        let da = if has.damped { self.edge_u(&e.ring) } else { V3::zero() };
        Ray::new(a, da)
    }
}
