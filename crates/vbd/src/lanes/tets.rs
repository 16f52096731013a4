//! Tetrahedra in lanes: the tables of their corners, and the sum around N blocks at once.
//!
//! `docs/theory/vbd.md` section 8; formulas: `energy/corner.rs`. The blocks of a group that is a
//! star have one pattern (`prepared/star.rs`): the edges to their neighbours are read once.

#![allow(non_snake_case)]

use std::mem::MaybeUninit;

use coact_math::{Lanes, M3, Real, Scalar, V3};

use super::gather::Transpose;
use super::kernel::Group;
use super::slices::{Groups, Slices, prefetch};
use super::tables::{lanes_of, others, pack, vertices};
use crate::energy::{
    Block, TetCorner, TetCornerDamping, Tetrahedron, eval_tet_corner, eval_tet_corner_damping,
    tetrahedron_weights,
};
use crate::prepared::{Corner, Elements, Layout, MAX_RING, Star, TET_ORDER};

/// How many tetrahedra ahead the tables are asked for.
const PREFETCHED: usize = 6;

/// The edges to the ring of a star, and their changes since the begin of the step.
pub type StarEdges<L> = [[MaybeUninit<V3<L>>; MAX_RING]; 2];

/// All corners of all groups.
#[derive(Clone, Debug, Default)]
pub struct Tets<R, const N: usize> {
    corners: Slices<TetCorner<Lanes<R, N>>>,
    /// As many, or none where nothing is damped.
    damping: Slices<TetCornerDamping<Lanes<R, N>>>,
    /// The other vertices of each, where the group is no star.
    vertices: Slices<[[u32; N]; 3]>,
    /// The neighbours of each star.
    rings: Slices<[u32; N]>,
    /// The other vertices of each corner of a star, as places in its ring.
    places: Slices<[u8; 3]>,
}

impl<R: Scalar, const N: usize> Tets<R, N>
where
    Lanes<R, N>: Real<Scalar = R>,
{
    /// Takes over all tetrahedra.
    pub fn read(&mut self, groups: &Groups, elements: &Elements<R>, layout: &Layout, damped: bool) {
        let corner = |c: Option<Corner>| c.map_or_else(Default::default, |c| corner_at(elements, c));
        self.corners.fill(
            groups,
            &layout.tets,
            |_, _| true,
            |_, c: [_; N]| {
                let c = c.map(|c| corner(c).0);
                let q = [0, 1, 2].map(|i| pack(&c, |c| c.q[i]));
                TetCorner {
                    q,
                    mu: pack(&c, |c| c.mu),
                    kappa: pack(&c, |c| c.kappa),
                    tau: pack(&c, |c| c.tau),
                }
            },
        );
        self.damping.fill(
            groups,
            &layout.tets,
            |_, _| damped,
            |_, c: [_; N]| {
                let c = c.map(|c| corner(c).1);
                TetCornerDamping { m: [0, 1, 2].map(|i| pack(&c, |c| c.m[i])), k: pack(&c, |c| c.k) }
            },
        );
        let single = |g: usize, _| !groups.is_star[g];
        self.vertices.fill(groups, &layout.tets, single, |blocks, c| {
            vertices(blocks, c, |c| others(&elements.tets[c.element()], TET_ORDER, c))
        });
        let star = |slot: usize| Star::at(slot, &layout.tets, |e| elements.tets[e].v).unwrap_or_default();
        let slots = |g: usize| lanes_of::<N>(&groups.blocks[g]).filter(|_| groups.is_star[g]);
        self.rings.fill_with(groups, |g| {
            let stars = slots(g).map(|s| s.map(star));
            let count = stars.as_ref().map_or(0, |s| s[0].ring.len());
            (0..count).filter_map(move |k| Some(stars.as_ref()?.each_ref().map(|s| s.ring[k])))
        });
        self.places.fill_with(groups, |g| slots(g).map_or_else(Vec::new, |s| star(s[0]).tets));
    }
}

/// The tetrahedron at a corner, seen from there.
fn corner_at<R: Scalar>(e: &Elements<R>, c: Corner) -> (TetCorner<R>, TetCornerDamping<R>) {
    let t = e.tets[c.element()].e.wide();
    let [p, q, r] = TET_ORDER[c.corner()].map(|i| tetrahedron_weights(&t.Dm_inv, i));
    let column = |k: usize| V3::new(p[k], q[k], r[k]);
    TetCorner::new(&Tetrahedron { Dm_inv: M3::from_columns(column(0), column(1), column(2)), ..t })
}

impl<R: Transpose, const N: usize> Group<'_, R, N>
where
    Lanes<R, N>: Real<Scalar = R>,
{
    /// eq. (34)–(37) of the theory of elasticity, summed around the blocks.
    #[inline(always)]
    pub(super) fn tets(
        &self,
        tets: &Tets<R, N>,
        group: usize,
        star: &mut StarEdges<Lanes<R, N>>,
    ) -> Block<Lanes<R, N>> {
        let rings = tets.rings.of(group);
        if rings.is_empty() { self.single_tets(tets, group) } else { self.star(tets, group, rings, star) }
    }

    #[inline(always)]
    fn star(
        &self,
        tets: &Tets<R, N>,
        group: usize,
        rings: &[[u32; N]],
        [edges, moves]: &mut StarEdges<Lanes<R, N>>,
    ) -> Block<Lanes<R, N>> {
        let (corners, damping) = (tets.corners.of(group), tets.damping.of(group));
        for (k, ring) in rings.iter().enumerate().take(MAX_RING) {
            edges[k].write(self.edge(ring));
            if !damping.is_empty() {
                moves[k].write(self.edge_u(ring));
            }
        }
        let mut sum = Block::zero();
        for (i, (c, places)) in corners.iter().zip(tets.places.of(group)).enumerate() {
            // always below: it spares three tests
            let [p, q, r] = [places[0], places[1], places[2]];
            let (p, q, r) = (p as usize % MAX_RING, q as usize % MAX_RING, r as usize % MAX_RING);
            prefetch(c, PREFETCHED);
            // SAFETY: places are those of the ring, all written above
            let e = unsafe { [edges[p].assume_init(), edges[q].assume_init(), edges[r].assume_init()] };
            sum += eval_tet_corner(c, e);
            if let Some(d) = damping.get(i) {
                prefetch(d, PREFETCHED);
                // SAFETY: as above, since the ring is damped
                let m = unsafe { [moves[p].assume_init(), moves[q].assume_init(), moves[r].assume_init()] };
                sum += eval_tet_corner_damping(c, d, e, (m, self.inv_h));
            }
        }
        sum
    }

    #[inline(always)]
    fn single_tets(&self, tets: &Tets<R, N>, group: usize) -> Block<Lanes<R, N>> {
        let damping = tets.damping.of(group);
        let mut sum = Block::zero();
        for (i, (c, v)) in tets.corners.of(group).iter().zip(tets.vertices.of(group)).enumerate() {
            prefetch(c, PREFETCHED);
            let e = self.edges(v);
            sum += eval_tet_corner(c, e);
            if let Some(d) = damping.get(i) {
                sum += eval_tet_corner_damping(c, d, e, (self.edges_u(v), self.inv_h));
            }
        }
        sum
    }
}
