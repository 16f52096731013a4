//! The lane tables of elements: every corner of every block, seen from the block.
//!
//! A triangle, tetrahedron or spring is renumbered so that the block is its vertex 0; energies do
//! not depend on the numbering. A hinge is the same hinge when both its tips and both ends of its
//! edge are swapped, so a block is either its tip 0 or the start of its edge: two tables.
//! Theory: `docs/theory/vbd.md` section 8.

#![allow(non_snake_case)]

use std::ops::Range;

use coact_math::{Lanes, Real, Scalar};

use super::fans::{FanTraits, Fans, pack_sector, pack_sector_damping, sector_at};
use super::for_chunks;
use super::slices::{Groups, Slices};
use super::tets::Tets;
use crate::energy::{Hinge, Sector, SectorDamping, Spring};
use crate::prepared::{Corner, Elements, Layout, Record};

/// Index of a kind in [`Tables::damped`].
pub const SPRING: usize = 0;
/// As [`SPRING`].
pub const TRIANGLE: usize = 1;
/// As [`SPRING`].
pub const TET: usize = 2;
/// As [`SPRING`].
pub const HINGE: usize = 3;

/// One element per lane: its other vertices (slots) and what it is.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Entry<E, const V: usize, const N: usize> {
    /// Vertices 1, 2, …; the block itself in padding lanes.
    pub v: [[u32; N]; V],
    /// Rest shape and material.
    pub e: E,
}

/// A triangle and its damping.
#[derive(Clone, Copy, Debug)]
pub struct TriangleLane<L> {
    /// Rest shape and material.
    pub sector: Sector<L>,
    /// Damping.
    pub damping: SectorDamping<L>,
}

/// A hinge and its angle at the begin of the step; not a number where it had none.
#[derive(Clone, Copy, Debug, Default)]
pub struct HingeLane<L> {
    /// Rest shape and material.
    pub hinge: Hinge<L>,
    /// Angle at the begin of the step \[rad\], for damping.
    pub start: L,
}

/// A hinge entry and which hinge each lane is.
#[derive(Clone, Copy, Debug)]
pub struct HingeEntry<L, const N: usize> {
    /// Vertices and material.
    pub entry: Entry<HingeLane<L>, 3, N>,
    /// Index of the record; padding lanes repeat any.
    pub id: [u32; N],
}

/// All tables.
#[derive(Clone, Debug)]
pub struct Tables<R: Scalar, const N: usize> {
    /// Who is in which lane.
    pub groups: Groups,
    /// Number of slots; no table names one beyond.
    pub slots: usize,
    /// Springs.
    pub springs: Slices<Entry<Spring<Lanes<R, N>>, 1, N>>,
    /// Membrane triangles.
    pub triangles: Slices<Entry<TriangleLane<Lanes<R, N>>, 2, N>>,
    /// Tetrahedra.
    pub tets: Tets<R, N>,
    /// Hinges of which the block is a tip: vertices are the other tip and the edge.
    pub hinge_tips: Slices<HingeEntry<Lanes<R, N>, N>>,
    /// Hinges on whose edge the block is: vertices are both tips and the other end.
    pub hinge_ends: Slices<HingeEntry<Lanes<R, N>, N>>,
    /// Blocks that are fans: their triangles and hinges are here and not above.
    pub fans: Fans<R, N>,
    /// Whether any element of a kind is damped.
    pub damped: [bool; 4],
}

impl<R: Scalar, const N: usize> Tables<R, N>
where
    Lanes<R, N>: Real<Scalar = R>,
{
    /// Empty tables for the groups of a layout.
    pub fn new(layout: &Layout) -> Self {
        Self {
            groups: Groups::new(layout, N),
            slots: layout.particle_of.len(),
            springs: Slices::default(),
            triangles: Slices::default(),
            tets: Tets::default(),
            hinge_tips: Slices::default(),
            hinge_ends: Slices::default(),
            fans: Fans::default(),
            damped: [false; 4],
        }
    }

    /// Takes over all elements, in the memory that is there.
    pub fn read(&mut self, elements: &Elements<R>, layout: &Layout) {
        assert!(elements.are_within(self.slots), "elements of another layout");
        let g = &self.groups;
        let groups_are_fans = &g.is_fan;
        self.damped = [
            elements.springs.iter().any(|s| s.e.kd.cmp_gt(R::zero())),
            elements.triangles.iter().any(|t| t.e.kd.cmp_gt(R::zero())),
            elements.tets.iter().any(|t| t.e.kd.cmp_gt(R::zero())),
            elements.hinges.iter().any(|h| h.e.kd.cmp_gt(R::zero())),
        ];
        let spring = |_, c: Corner| elements.springs[c.element()].acts();
        self.springs.fill(g, &layout.springs, spring, |b, c| spring_entry(elements, b, c));
        let triangle = |g: usize, c: Corner| !groups_are_fans[g] && elements.triangles[c.element()].acts();
        self.triangles.fill(g, &layout.triangles, triangle, |b, c| triangle_entry(elements, b, c));
        let hinge = |g: usize, c: Corner| !groups_are_fans[g] && elements.hinges[c.element()].acts();
        let tip = |g, c: Corner| c.corner() < 2 && hinge(g, c);
        self.hinge_tips.fill(g, &layout.hinges, tip, |b, c| hinge_entry(elements, b, c));
        let end = |g, c: Corner| c.corner() >= 2 && hinge(g, c);
        self.hinge_ends.fill(g, &layout.hinges, end, |b, c| hinge_entry(elements, b, c));
        self.tets.read(g, elements, layout, self.damped[TET]);
        let bends = elements.hinges.iter().any(|h| h.acts());
        let has = FanTraits { damped: self.damped[TRIANGLE], bends, bends_damped: self.damped[HINGE] };
        self.fans.read(g, elements, layout, has);
    }
}

impl<R: Scalar, const N: usize> Tables<R, N>
where
    Lanes<R, N>: Real<Scalar = R>,
{
    /// Takes over the angles of hinges at the begin of the step, by record.
    pub fn start(&mut self, angles: &[R], parallel: bool) {
        for table in [&mut self.hinge_tips, &mut self.hinge_ends] {
            for_chunks(table.entries_mut(), parallel, |_, entries| {
                for h in entries {
                    h.entry.e.start = Lanes(std::array::from_fn(|l| angles[h.id[l] as usize]));
                }
            });
        }
        self.fans.set_start(angles, parallel);
    }
}

/// The others of `record` after `corner`, in the order that keeps the orientation.
pub fn others<E, const K: usize, const V: usize>(
    record: &Record<E, K>,
    order: [[usize; V]; K],
    c: Corner,
) -> [u32; V] {
    order[c.corner()].map(|i| record.v[i])
}

/// Lanes of vertices: those of each corner, else the block itself.
pub fn vertices<const V: usize, const N: usize>(
    blocks: &Range<usize>,
    corners: [Option<Corner>; N],
    of: impl Fn(Corner) -> [u32; V],
) -> [[u32; N]; V] {
    let lanes = std::array::from_fn::<[u32; V], N, _>(|l| match corners[l] {
        Some(c) => of(c),
        None => [(blocks.start + l).min(blocks.end - 1) as u32; V],
    });
    std::array::from_fn(|i| std::array::from_fn(|l| lanes[l][i]))
}

/// The block of each lane: the last one again where there are fewer; `None` without blocks.
pub fn lanes_of<const N: usize>(blocks: &Range<usize>) -> Option<[usize; N]> {
    let last = blocks.end.checked_sub(1).filter(|_| !blocks.is_empty())?;
    Some(std::array::from_fn(|l| (blocks.start + l).min(last)))
}

/// One number of the element of each lane; 0 in padding.
pub fn pack<E, R: Scalar, const N: usize>(elements: &[E; N], field: impl Fn(&E) -> R) -> Lanes<R, N> {
    Lanes(std::array::from_fn(|l| field(&elements[l])))
}

fn spring_entry<R: Scalar, const N: usize>(
    e: &Elements<R>,
    blocks: &Range<usize>,
    corners: [Option<Corner>; N],
) -> Entry<Spring<Lanes<R, N>>, 1, N> {
    let of = |c: Corner| others(&e.springs[c.element()], [[1], [0]], c);
    let s: [Spring<R>; N] =
        std::array::from_fn(|l| corners[l].map_or_else(Spring::default, |c| e.springs[c.element()].e));
    let e = Spring { l0: pack(&s, |s| s.l0), ke: pack(&s, |s| s.ke), kd: pack(&s, |s| s.kd) };
    Entry { v: vertices(blocks, corners, of), e }
}

fn triangle_entry<R: Scalar, const N: usize>(
    e: &Elements<R>,
    blocks: &Range<usize>,
    corners: [Option<Corner>; N],
) -> Entry<TriangleLane<Lanes<R, N>>, 2, N> {
    const ORDER: [[usize; 2]; 3] = [[1, 2], [2, 0], [0, 1]];
    let of = |c: Corner| others(&e.triangles[c.element()], ORDER, c);
    let t: [_; N] = corners.map(|c| c.map_or_else(Default::default, |c| sector_at(e, c)));
    let (sector, damping) = (pack_sector(&t.map(|t| t.0)), pack_sector_damping(&t.map(|t| t.1)));
    Entry { v: vertices(blocks, corners, of), e: TriangleLane { sector, damping } }
}

fn hinge_entry<R: Scalar, const N: usize>(
    e: &Elements<R>,
    blocks: &Range<usize>,
    corners: [Option<Corner>; N],
) -> HingeEntry<Lanes<R, N>, N> {
    // (x0, x1, x2, x3) and (x1, x0, x3, x2) are the same hinge
    const ORDER: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [1, 0, 2]];
    let of = |c: Corner| others(&e.hinges[c.element()], ORDER, c);
    let h: [Hinge<R>; N] =
        std::array::from_fn(|l| corners[l].map_or_else(Hinge::default, |c| e.hinges[c.element()].e));
    let hinge = Hinge {
        L0: pack(&h, |h| h.L0),
        theta0: pack(&h, |h| h.theta0),
        ke: pack(&h, |h| h.ke),
        kd: pack(&h, |h| h.kd),
    };
    let id = corners.map(|c| c.map_or(0, |c| c.element() as u32));
    let entry = Entry { v: vertices(blocks, corners, of), e: HingeLane { hinge, start: Lanes::default() } };
    HingeEntry { entry, id }
}
