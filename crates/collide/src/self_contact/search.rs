//! Walks the trees: `docs/theory/self-contact.md`, section 1, "Search".

use super::narrow::{Chunk, EdgeEdge, Narrow, VertexTriangle};
use crate::bvh::{Aabb, Bvh, LEAF, MIXED, Node};

/// Points that go through the tree of triangles together.
pub const GROUP: usize = 8;

/// How far to look \[m\]: among features of one component, and of all.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    pub own: f32,
    pub any: f32,
}

/// What goes through a tree together: its boxes side by side, and the box around them widened
/// for partners of its own component and for any partner.
struct Searchers<const N: usize> {
    min: [[f32; N]; 3],
    max: [[f32; N]; 3],
    own: Aabb,
    any: Aabb,
    own_margin: f32,
    any_margin: f32,
    group: u32,
}

impl<const N: usize> Searchers<N> {
    /// Of at most N boxes, each with its component.
    #[inline(always)]
    fn new(boxes: impl Iterator<Item = (Aabb, u32)>, reach: Reach) -> Self {
        let (mut min, mut max) = ([[f32::INFINITY; N]; 3], [[f32::NEG_INFINITY; N]; 3]);
        let (mut all, mut group) = (Aabb::EMPTY, None);
        for (i, (b, component)) in boxes.enumerate() {
            for k in 0..3 {
                min[k][i] = b.min[k];
                max[k][i] = b.max[k];
            }
            all = all.union(&b);
            group = Some(if group.is_none_or(|g| g == component) { component } else { MIXED });
        }
        let (own_margin, any_margin) = (margin(&all, reach.own), margin(&all, reach.any));
        let (own, any) = (all.inflated(own_margin), all.inflated(any_margin));
        Self { min, max, own, any, own_margin, any_margin, group: group.unwrap_or(MIXED) }
    }

    /// Whether something of group `group` is of the one component of all searchers.
    #[inline(always)]
    fn is_own(&self, group: u32) -> bool {
        (group == self.group) & (group != MIXED)
    }

    #[inline(always)]
    fn let_in(&self, node: &Node) -> bool {
        node.bounds.overlaps(if self.is_own(node.group) { &self.own } else { &self.any })
    }

    /// Which searchers may reach the box of a feature of that component (or [`MIXED`]): one bit each.
    #[inline(always)]
    fn near(&self, bounds: &Aabb, component: u32) -> u32 {
        let own = self.is_own(component);
        if !bounds.overlaps(if own { &self.own } else { &self.any }) {
            return 0;
        }
        let b = bounds.inflated(if own { self.own_margin } else { self.any_margin });
        let mut bit: [u32; N] = std::array::from_fn(|i| 1 << i);
        for k in 0..3 {
            for (i, bit) in bit.iter_mut().enumerate() {
                let hit = (self.min[k][i] <= b.max[k]) & (b.min[k] <= self.max[k][i]);
                *bit = if hit { *bit } else { 0 };
            }
        }
        bit.iter().fold(0, |all, b| all | b)
    }
}

/// `reach` and the rounding of both sides, eq. (9).
#[inline(always)]
fn margin(bounds: &Aabb, reach: f32) -> f32 {
    reach + 4.0 * f32::EPSILON * (bounds.reach() + reach)
}

/// The bits that are set, ascending.
#[inline(always)]
fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let i = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (i < u32::BITS).then_some(i as usize)
    })
}

/// All triangles near a group of points.
pub fn search_points(narrow: &Narrow, tree: &Bvh, points: &[u32], reach: Reach, out: &mut Chunk) {
    let (surface, frame) = (narrow.surface, narrow.frame);
    let component = |i: u32| surface.component()[i as usize];
    let boxes = points.iter().map(|&i| (frame.bounds([i]), component(i)));
    let searchers = Searchers::<GROUP>::new(boxes, reach);
    let in_leaf = |leaf: usize, node: &Node| {
        for &t in tree.leaf(leaf) {
            let corners = surface.triangles()[t as usize];
            for i in bits(searchers.near(&frame.bounds_if_finite(corners), node.group)) {
                if !corners.contains(&points[i]) {
                    out.push::<VertexTriangle>(narrow, [points[i], t]);
                }
            }
        }
    };
    tree.visit(0, |node| searchers.let_in(node), in_leaf);
}

/// All edges near those of leaf `k`, in the leaf itself and in later ones.
pub fn search_edges(narrow: &Narrow, tree: &Bvh, k: usize, reach: Reach, out: &mut Chunk) {
    let (surface, frame) = (narrow.surface, narrow.frame);
    let component = |i: u32| surface.component()[i as usize];
    let first = tree.leaf(k);
    let ends = |e: u32| surface.edges()[e as usize];
    let boxes = first.iter().map(|&e| (frame.bounds(ends(e)), component(ends(e)[0])));
    let searchers = Searchers::<LEAF>::new(boxes, reach);
    let in_leaf = |leaf: usize, node: &Node| {
        for (j, &f) in tree.leaf(leaf).iter().enumerate() {
            let [c, d] = ends(f);
            // In the leaf itself each pair is met once.
            let met = if leaf == k { (1 << j) - 1 } else { u32::MAX };
            for i in bits(met & searchers.near(&frame.bounds_if_finite([c, d]), node.group)) {
                let [a, b] = ends(first[i]);
                if (a != c) & (a != d) & (b != c) & (b != d) {
                    out.push::<EdgeEdge>(narrow, [first[i].min(f), first[i].max(f)]);
                }
            }
        }
    };
    tree.visit(k, |node| searchers.let_in(node), in_leaf);
}
