//! Building and refitting over slices of nodes: `docs/theory/self-contact.md`, section 1.

use super::{Aabb, LEAF, MIXED, Node, left_leaves};

/// Below this many nodes a subtree is not worth a task of its own.
const SERIAL: usize = 2048;

/// Both in parallel if there is enough to do.
fn both<A: Send, B: Send>(
    nodes: usize,
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    if nodes > SERIAL { rayon::join(a, b) } else { (a(), b()) }
}

/// Splits nodes below the root of a slice into those of the left and the right child.
fn children(nodes: &mut [Node], primitives: usize) -> (&mut [Node], &mut [Node], usize) {
    let left = left_leaves(primitives.div_ceil(LEAF));
    let (l, r) = nodes.split_at_mut(2 * left - 1);
    (l, r, left * LEAF)
}

/// Sorts `order` into the leaves of the tree over it; returns the common group.
pub fn build_range(
    nodes: &mut [Node],
    order: &mut [u32],
    centers: &[[f32; 3]],
    group: &(impl Fn(u32) -> u32 + Sync),
) -> u32 {
    let Some((root, below)) = nodes.split_first_mut() else { return MIXED };
    if below.is_empty() {
        let first = group(order[0]);
        root.group = if order.iter().all(|&i| group(i) == first) { first } else { MIXED };
        return root.group;
    }
    let count = below.len();
    let (left, right, middle) = children(below, order.len());
    let axis = longest_axis(order, centers);
    // Ties are broken by the index, so that the order does not depend on how it was found.
    order.select_nth_unstable_by(middle, |&a, &b| {
        centers[a as usize][axis].total_cmp(&centers[b as usize][axis]).then(a.cmp(&b))
    });
    let (lo, hi) = order.split_at_mut(middle);
    let (a, b) =
        both(count, || build_range(left, lo, centers, group), || build_range(right, hi, centers, group));
    root.group = if a == b { a } else { MIXED };
    root.group
}

/// The axis along which the centers are spread most.
fn longest_axis(order: &[u32], centers: &[[f32; 3]]) -> usize {
    let mut b = Aabb::EMPTY;
    for &i in order {
        let c = centers[i as usize];
        b = b.union(&Aabb { min: c, max: c });
    }
    let d = [0, 1, 2].map(|k| b.max[k] - b.min[k]);
    if d[0] >= d[1] && d[0] >= d[2] {
        0
    } else if d[1] >= d[2] {
        1
    } else {
        2
    }
}

/// Boxes from the leaves up; returns the box of the slice and the summed half areas.
pub fn refit_range(nodes: &mut [Node], order: &[u32], bounds: &(impl Fn(u32) -> Aabb + Sync)) -> (Aabb, f64) {
    let Some((root, below)) = nodes.split_first_mut() else { return (Aabb::EMPTY, 0.0) };
    let below_area = if below.is_empty() {
        root.bounds = order.iter().fold(Aabb::EMPTY, |b, &i| b.union(&bounds(i)));
        0.0
    } else {
        let count = below.len();
        let (left, right, middle) = children(below, order.len());
        let (lo, hi) = order.split_at(middle);
        let (a, b) = both(count, || refit_range(left, lo, bounds), || refit_range(right, hi, bounds));
        root.bounds = a.0.union(&b.0);
        a.1 + b.1
    };
    (root.bounds, below_area + f64::from(root.bounds.half_area()))
}
