//! Pairs of shapes whose boxes are near each other: `docs/theory/contact-detection.md` eq. (10).
//!
//! Each box gets room around it, and the pairs of the roomy boxes are kept until a shape
//! leaves its room. What is detected does not depend on that: pairs are tested by their own
//! boxes again.

use super::filter::Filter;
use super::target::Target;
use crate::bvh::{Aabb, Bvh};
use crate::world_box::WorldBox;

/// Room around a box, as a part of its extents. More keeps pairs longer, and keeps more of them.
const ROOM: f64 = 0.1;

/// Kept pairs.
#[derive(Clone, Debug, Default)]
pub(super) struct BroadPhase {
    /// The boxes with their room; empty = to be made.
    rooms: Vec<WorldBox>,
    /// The same in the order of `boxed`, for the tree.
    boxes: Vec<Aabb>,
    /// Shapes with a box.
    boxed: Vec<u32>,
    planes: Vec<u32>,
    tree: Option<Bvh>,
    pairs: Vec<[u32; 2]>,
}

impl BroadPhase {
    /// Forgets what was kept: shapes or filters changed.
    pub fn forget(&mut self) {
        self.rooms.clear();
        self.tree = None;
    }

    /// Pairs that may be near each other, ascending, the lower index first.
    pub fn pairs(&self) -> &[[u32; 2]] {
        &self.pairs
    }

    /// Finds the pairs anew if a box has left its room. Answers whether memory was taken.
    pub fn update(&mut self, targets: &[Target], bounds: &[WorldBox], filter: &Filter) -> bool {
        let kept = self.rooms.len() == bounds.len();
        if kept && self.rooms.iter().zip(bounds).all(|(room, b)| room.holds(b)) {
            return false;
        }
        let before = self.capacity();
        self.rooms.clear();
        self.rooms.extend(bounds.iter().map(roomy));
        let built = self.grow_tree(targets);
        self.find(targets, filter);
        built || self.capacity() > before
    }

    fn capacity(&self) -> usize {
        self.pairs.capacity() + self.boxes.capacity() + self.rooms.capacity()
    }

    /// Brings boxes and tree up to date; answers whether the tree was built anew.
    fn grow_tree(&mut self, targets: &[Target]) -> bool {
        if self.tree.is_none() {
            let of = |plane: bool| {
                let kind = move |t: &&Target| t.visible && t.solid.bounds().is_none() == plane;
                targets.iter().filter(kind).map(|t| t.shape.0).collect()
            };
            (self.boxed, self.planes) = (of(false), of(true));
        }
        self.boxes.clear();
        self.boxes.extend(self.boxed.iter().map(|&i| self.rooms[i as usize].single()));
        let (boxes, one) = (&self.boxes, |_| 0);
        let bounds = |i: u32| boxes[i as usize];
        let Some(tree) = &mut self.tree else {
            self.tree = Some(Bvh::new(boxes.len(), bounds, one));
            return true;
        };
        tree.refit(bounds);
        let worn = tree.is_worn();
        if worn {
            tree.rebuild(bounds, one);
        }
        worn
    }

    fn find(&mut self, targets: &[Target], filter: &Filter) {
        let Self { boxes, boxed, planes, tree, pairs, .. } = self;
        pairs.clear();
        let mut add = |i: u32, j: u32| {
            let (i, j) = (i.min(j), i.max(j));
            if filter.lets(&targets[i as usize], &targets[j as usize]) {
                pairs.push([i, j]);
            }
        };
        for &p in &*planes {
            boxed.iter().for_each(|&i| add(p, i));
        }
        if let Some(tree) = tree {
            for k in 0..tree.leaf_count() {
                overlaps(tree, boxes, k, |i, j| add(boxed[i as usize], boxed[j as usize]));
            }
        }
        pairs.sort_unstable();
    }
}

/// Calls `f` with every pair of boxes that overlap, of which one is in leaf `k` and the other in
/// it or after it.
fn overlaps(tree: &Bvh, boxes: &[Aabb], k: usize, mut f: impl FnMut(u32, u32)) {
    let own = tree.leaf(k);
    let around = own.iter().fold(Aabb::EMPTY, |b, &i| b.union(&boxes[i as usize]));
    let enter = |n: &crate::bvh::Node| n.bounds.overlaps(&around);
    tree.visit(k, enter, |m, _| {
        for (a, &i) in own.iter().enumerate() {
            let others = if m == k { &own[a + 1..] } else { tree.leaf(m) };
            let near = others.iter().filter(|&&j| boxes[i as usize].overlaps(&boxes[j as usize]));
            near.for_each(|&j| f(i, j));
        }
    });
}

fn roomy(b: &WorldBox) -> WorldBox {
    let extent = (b.upper - b.lower).amax();
    b.inflated(if extent.is_finite() { ROOM * extent } else { 0.0 })
}
