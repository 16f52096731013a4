//! The lane tables of elements: every corner of every block, seen from the block.
//!
//! A triangle, tetrahedron or spring is renumbered so that the block is its vertex 0; energies do
//! not depend on the numbering. A hinge is the same hinge when both its tips and both ends of its
//! edge are swapped, so a block is either its tip 0 or the start of its edge: two tables.
//! Theory: `docs/theory/vbd.md` section 8.

#![allow(non_snake_case)]

use std::ops::Range;

use coact_math::{Lanes, M2, M3, Real, Scalar, V3};

use super::fans::{FanEntry, FanTraits, fill_fans, membrane_at};
use super::for_chunks;
use super::slices::{Groups, Slices};
use crate::energy::{Hinge, Membrane, Spring, Tetrahedron, tetrahedron_weights};
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
    /// Springs.
    pub springs: Slices<Entry<Spring<Lanes<R, N>>, 1, N>>,
    /// Membrane triangles.
    pub triangles: Slices<Entry<Membrane<Lanes<R, N>>, 2, N>>,
    /// Tetrahedra.
    pub tets: Slices<Entry<Tetrahedron<Lanes<R, N>>, 3, N>>,
    /// Hinges of which the block is a tip: vertices are the other tip and the edge.
    pub hinge_tips: Slices<HingeEntry<Lanes<R, N>, N>>,
    /// Hinges on whose edge the block is: vertices are both tips and the other end.
    pub hinge_ends: Slices<HingeEntry<Lanes<R, N>, N>>,
    /// Blocks that are fans: their triangles and hinges are here and not above.
    pub fans: Slices<FanEntry<Lanes<R, N>, N>>,
    /// What fans have.
    pub fan_traits: FanTraits,
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
            springs: Slices::default(),
            triangles: Slices::default(),
            tets: Slices::default(),
            hinge_tips: Slices::default(),
            hinge_ends: Slices::default(),
            fans: Slices::default(),
            fan_traits: FanTraits::default(),
            damped: [false; 4],
        }
    }

    /// Takes over all elements, in the memory that is there.
    pub fn read(&mut self, elements: &Elements<R>, layout: &Layout) {
        let g = &self.groups;
        let any = |_, _| true;
        let single = |group: usize| !g.is_fan[group];
        self.springs.fill(g, &layout.springs, any, |b, c| spring_entry(elements, b, c));
        self.triangles.fill(g, &layout.triangles, |g, _| single(g), |b, c| triangle_entry(elements, b, c));
        self.tets.fill(g, &layout.tets, any, |b, c| tet_entry(elements, b, c));
        let tip = |c: Corner| c.corner() < 2;
        self.hinge_tips.fill(
            g,
            &layout.hinges,
            |g, c| single(g) && tip(c),
            |b, c| hinge_entry(elements, b, c),
        );
        self.hinge_ends.fill(
            g,
            &layout.hinges,
            |g, c| single(g) && !tip(c),
            |b, c| hinge_entry(elements, b, c),
        );
        fill_fans(&mut self.fans, g, elements, layout);
        self.damped = [
            elements.springs.iter().any(|s| s.e.kd.cmp_gt(R::zero())),
            elements.triangles.iter().any(|t| t.e.kd.cmp_gt(R::zero())),
            elements.tets.iter().any(|t| t.e.kd.cmp_gt(R::zero())),
            elements.hinges.iter().any(|h| h.e.kd.cmp_gt(R::zero())),
        ];
        self.fan_traits = FanTraits { damped: self.damped[TRIANGLE], bends: !elements.hinges.is_empty() };
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
        for_chunks(self.fans.entries_mut(), parallel, |_, entries| {
            entries.iter_mut().for_each(|e| e.set_start(angles));
        });
    }
}

/// The others of `record` after `corner`, in the order that keeps the orientation.
fn others<E, const K: usize, const V: usize>(
    record: &Record<E, K>,
    order: [[usize; V]; K],
    c: Corner,
) -> [u32; V] {
    order[c.corner()].map(|i| record.v[i])
}

/// Lanes of vertices: those of each corner, else the block itself.
fn vertices<const V: usize, const N: usize>(
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
) -> Entry<Membrane<Lanes<R, N>>, 2, N>
where
    Lanes<R, N>: Real<Scalar = R>,
{
    const ORDER: [[usize; 2]; 3] = [[1, 2], [2, 0], [0, 1]];
    let of = |c: Corner| others(&e.triangles[c.element()], ORDER, c);
    let m: [Membrane<R>; N] =
        std::array::from_fn(|l| corners[l].map_or_else(Membrane::default, |c| membrane_at(e, c)));
    let Dm_inv = M2::new(
        pack(&m, |m| m.Dm_inv.xx),
        pack(&m, |m| m.Dm_inv.xy),
        pack(&m, |m| m.Dm_inv.yx),
        pack(&m, |m| m.Dm_inv.yy),
    );
    let (mu, lambda) = (pack(&m, |m| m.mu), pack(&m, |m| m.lambda));
    let e = Membrane { Dm_inv, A: pack(&m, |m| m.A), mu, lambda, kd: pack(&m, |m| m.kd) };
    Entry { v: vertices(blocks, corners, of), e }
}

fn tet_entry<R: Scalar, const N: usize>(
    e: &Elements<R>,
    blocks: &Range<usize>,
    corners: [Option<Corner>; N],
) -> Entry<Tetrahedron<Lanes<R, N>>, 3, N>
where
    Lanes<R, N>: Real<Scalar = R>,
{
    const ORDER: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
    let of = |c: Corner| others(&e.tets[c.element()], ORDER, c);
    let t: [Tetrahedron<R>; N] = std::array::from_fn(|l| {
        corners[l].map_or_else(Tetrahedron::default, |c| {
            let t = &e.tets[c.element()].e;
            let [p, q, r] = ORDER[c.corner()].map(|i| tetrahedron_weights(&t.Dm_inv, i));
            let column = |k: usize| V3::new(p[k], q[k], r[k]);
            Tetrahedron { Dm_inv: M3::from_columns(column(0), column(1), column(2)), ..*t }
        })
    });
    let column = |c: fn(&Tetrahedron<R>) -> V3<R>| {
        V3::new(pack(&t, |t| c(t).x), pack(&t, |t| c(t).y), pack(&t, |t| c(t).z))
    };
    let Dm_inv = M3::from_columns(column(|t| t.Dm_inv.x), column(|t| t.Dm_inv.y), column(|t| t.Dm_inv.z));
    let (mu, lambda) = (pack(&t, |t| t.mu), pack(&t, |t| t.lambda));
    let e = Tetrahedron { Dm_inv, V: pack(&t, |t| t.V), mu, lambda, kd: pack(&t, |t| t.kd) };
    Entry { v: vertices(blocks, corners, of), e }
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
