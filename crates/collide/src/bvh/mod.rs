//! A binary tree of boxes over primitives, for `docs/theory/self-contact.md`, section 1.
//!
//! The shape of the tree follows from the number of primitives alone: leaves hold
//! [`LEAF`] primitives (the last one what remains), the left child of a node takes the
//! first half of the leaves, and nodes lie in preorder. So nodes need no links, subtrees are
//! slices, and building and refitting go over them in parallel with the same result at any
//! number of threads. Primitives are split at the median centroid along the longest axis.
//!
//! Left out on purpose: insertion and removal; a mesh keeps its primitives.

mod aabb;
mod build;

pub use aabb::Aabb;

use build::{build_range, refit_range};

/// Primitives in a leaf. More makes the tree smaller and the tests in a leaf dearer.
pub const LEAF: usize = 8;

/// The group of a node whose primitives are of several groups.
pub const MIXED: u32 = u32::MAX;

/// A tree is built anew when the summed area of its boxes has grown by this factor.
const WORST_GROWTH: f64 = 2.0;

/// A box and the group of all its primitives.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Node {
    /// Around all primitives below.
    pub bounds: Aabb,
    /// The group of the primitives below, or [`MIXED`].
    pub group: u32,
    _pad: u32,
}

const _: () = assert!(size_of::<Node>() == 32);

impl Node {
    const EMPTY: Self = Self { bounds: Aabb::EMPTY, group: MIXED, _pad: 0 };
}

/// A part of the tree: node, first leaf, number of leaves.
#[derive(Clone, Copy)]
struct Subtree {
    node: u32,
    first: u32,
    leaves: u32,
}

/// Leaves of the left child of a node over `leaves` leaves.
fn left_leaves(leaves: usize) -> usize {
    leaves.div_ceil(2)
}

/// The tree.
#[derive(Clone, Debug)]
pub struct Bvh {
    nodes: Vec<Node>,
    order: Vec<u32>,
    centers: Vec<[f32; 3]>,
    area: f64,
    area_when_built: f64,
}

impl Bvh {
    /// Over the primitives `0..count` with their boxes and groups (say, components).
    pub fn new(count: usize, bounds: impl Fn(u32) -> Aabb + Sync, group: impl Fn(u32) -> u32 + Sync) -> Self {
        let nodes = vec![Node::EMPTY; (2 * count.div_ceil(LEAF)).saturating_sub(1)];
        let order = (0..count as u32).collect();
        let mut tree = Self { nodes, order, centers: Vec::new(), area: 0.0, area_when_built: 0.0 };
        tree.rebuild(bounds, group);
        tree
    }

    /// Orders the primitives anew.
    pub fn rebuild(&mut self, bounds: impl Fn(u32) -> Aabb + Sync, group: impl Fn(u32) -> u32 + Sync) {
        if self.nodes.is_empty() {
            return;
        }
        self.centers.clear();
        self.centers.extend((0..self.order.len() as u32).map(|i| {
            let b = bounds(i);
            [0, 1, 2].map(|k| 0.5 * (b.min[k] + b.max[k]))
        }));
        for (i, o) in self.order.iter_mut().enumerate() {
            *o = i as u32;
        }
        build_range(&mut self.nodes, &mut self.order, &self.centers, &group);
        self.centers = Vec::new();
        self.refit(bounds);
        self.area_when_built = self.area;
    }

    /// Moves the boxes to where the primitives are; the order stays.
    pub fn refit(&mut self, bounds: impl Fn(u32) -> Aabb + Sync) {
        if !self.nodes.is_empty() {
            self.area = refit_range(&mut self.nodes, &self.order, &bounds).1;
        }
    }

    /// Summed area of all boxes over what it was when built: 1 is as good as then.
    pub fn growth(&self) -> f64 {
        if self.area_when_built > 0.0 { self.area / self.area_when_built } else { 1.0 }
    }

    /// Whether building anew would pay.
    pub fn is_worn(&self) -> bool {
        self.growth() > WORST_GROWTH
    }

    /// Primitives in the order of leaves: leaf k holds `[LEAF k, LEAF (k + 1))` of them.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Number of leaves.
    pub fn leaf_count(&self) -> usize {
        self.order.len().div_ceil(LEAF)
    }

    /// Primitives of leaf `k`.
    #[inline(always)]
    pub fn leaf(&self, k: usize) -> &[u32] {
        &self.order[k * LEAF..self.order.len().min((k + 1) * LEAF)]
    }

    /// Memory held by the tree \[bytes\].
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>() + self.order.capacity() * size_of::<u32>()
    }

    /// Calls `leaf` with each leaf from `from` on that `enter` lets in, in ascending order;
    /// `enter` is asked about every node above it first.
    #[inline(always)]
    pub fn visit(
        &self,
        from: usize,
        mut enter: impl FnMut(&Node) -> bool,
        mut leaf: impl FnMut(usize, &Node),
    ) {
        // One entry per level below the root: 32 levels hold more than 2³¹ primitives.
        let mut stack = [Subtree { node: 0, first: 0, leaves: 0 }; 40];
        let mut top = 0;
        let mut s = Subtree { node: 0, first: 0, leaves: self.leaf_count() as u32 };
        if s.leaves == 0 {
            return;
        }
        loop {
            let inside = s.first as usize + s.leaves as usize > from && enter(&self.nodes[s.node as usize]);
            if inside && s.leaves > 1 {
                let left = left_leaves(s.leaves as usize) as u32;
                stack[top] =
                    Subtree { node: s.node + 2 * left, first: s.first + left, leaves: s.leaves - left };
                top += 1;
                s = Subtree { node: s.node + 1, first: s.first, leaves: left };
                continue;
            }
            if inside {
                leaf(s.first as usize, &self.nodes[s.node as usize]);
            }
            if top == 0 {
                return;
            }
            top -= 1;
            s = stack[top];
        }
    }
}

#[cfg(test)]
mod tests;
