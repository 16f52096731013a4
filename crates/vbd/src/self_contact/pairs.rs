//! The pairs of a detection as rows, and which of them meet at a slot.
//!
//! Pairs that press come first, then those that are only kept apart, each vertex–triangle
//! before edge–edge, in the detector's order; a counting sort lists them by slot. Memory is
//! used again; growth is counted by the owner.

use coact_math::{Real, V3, Vec3};
use coact_model::Material;
use rayon::prelude::*;

use super::pair::{PairKind, PairRow};
use crate::prepared::Corner;

/// Enough to outweigh a task.
pub const ROWS_PER_TASK: usize = 256;

/// A pair as detection names it, by slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stencil {
    /// Which features.
    pub kind: PairKind,
    /// Slots: vertex and triangle, or the two edges.
    pub v: [u32; 4],
    /// Whether it presses; else it is only kept apart.
    pub presses: bool,
}

/// All pairs of a detection.
#[derive(Clone, Debug, Default)]
pub struct Pairs<R> {
    rows: Vec<PairRow<R>>,
    /// Rows below this press.
    pressing: usize,
    /// Shape: \[slot_count + 1\].
    start: Vec<u32>,
    /// Corners by slot, then by row.
    corners: Vec<Corner>,
    /// Fill positions of the counting sort.
    next: Vec<u32>,
}

impl<R: Real> Pairs<R> {
    /// No pairs over `slots` slots.
    pub fn new(slots: usize) -> Self {
        Self { start: vec![0; slots + 1], next: Vec::with_capacity(slots + 1), ..Self::default() }
    }

    /// Takes over the pairs of a detection, first all that press, with the `material` of each, its
    /// corners `at_once` and its `normal` from the second side to the first.
    pub fn build(
        &mut self,
        found: impl Iterator<Item = Stencil>,
        material: impl Fn(&Stencil) -> Material,
        at_once: impl Fn(&[u32; 4]) -> u16,
        normal: impl Fn(PairKind, &[u32; 4]) -> Vec3 + Sync,
    ) {
        self.rows.clear();
        self.pressing = 0;
        for s in found {
            let m = if s.presses {
                material(&s)
            } else {
                Material { ke: 0.0, kd: 0.0, mu: 0.0, ..Material::default() }
            };
            let r = R::from_f64;
            let (ke, kd, mu) = (r(m.ke), r(m.kd), r(m.mu));
            let at_once = if s.presses { at_once(&s.v) } else { 0 };
            self.rows.push(PairRow { v: s.v, kind: s.kind, at_once, n: V3::zero(), ke, kd, mu });
            debug_assert!(!s.presses || self.pressing + 1 == self.rows.len(), "pressing pairs come first");
            self.pressing += usize::from(s.presses);
        }
        let set = |row: &mut PairRow<R>| row.n = V3::from_host(&normal(row.kind, &row.v));
        self.rows[..self.pressing].par_iter_mut().with_min_len(ROWS_PER_TASK).for_each(set);
        self.list_by_slot();
    }

    fn list_by_slot(&mut self) {
        self.start.fill(0);
        for &slot in self.rows.iter().flat_map(|r| &r.v) {
            self.start[slot as usize + 1] += 1;
        }
        for i in 1..self.start.len() {
            self.start[i] += self.start[i - 1];
        }
        self.next.clone_from(&self.start);
        self.corners.resize(4 * self.rows.len(), Corner(0));
        for (i, row) in self.rows.iter().enumerate() {
            for (k, &slot) in row.v.iter().enumerate() {
                let at = &mut self.next[slot as usize];
                self.corners[*at as usize] = Corner::new(i, k);
                *at += 1;
            }
        }
    }

    /// Rows that press.
    #[inline(always)]
    pub fn pressing(&self) -> &[PairRow<R>] {
        &self.rows[..self.pressing]
    }

    /// All rows.
    #[inline(always)]
    pub fn all(&self) -> &[PairRow<R>] {
        &self.rows
    }

    /// Where the corners of a slot are in [`corners`](Self::corners).
    #[inline(always)]
    pub fn range(&self, slot: usize) -> std::ops::Range<usize> {
        self.start[slot] as usize..self.start[slot + 1] as usize
    }

    /// Whether any of `slots` is a corner of a pair.
    #[inline(always)]
    pub fn any(&self, slots: &std::ops::Range<usize>) -> bool {
        self.start[slots.start] < self.start[slots.end]
    }

    /// Whether any of `slots` is a corner of a pair that may press.
    #[inline(always)]
    pub fn any_presses(&self, slots: &std::ops::Range<usize>) -> bool {
        // those come first at every slot
        let first =
            |s: usize| self.corners[self.range(s)].first().is_some_and(|c| c.element() < self.pressing);
        self.pressing > 0 && self.any(slots) && slots.clone().any(first)
    }

    /// Where the corners of each slot begin. Shape: \[slot_count + 1\].
    pub fn start(&self) -> &[u32] {
        &self.start
    }

    /// Corners by slot, in order of rows.
    #[inline(always)]
    pub fn corners(&self) -> &[Corner] {
        &self.corners
    }

    /// Capacity of the lists that depend on contacts, to notice growth.
    pub fn capacity(&self) -> usize {
        self.rows.capacity() + self.corners.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn soft() -> Material {
        Material { ke: 3.0, kd: 2.0, mu: 1.0, ..Material::default() }
    }

    #[test]
    fn each_slot_lists_its_pairs_once_and_in_order_of_rows() {
        let (vt, ee) = (PairKind::VertexTriangle, PairKind::EdgeEdge);
        let found = [
            Stencil { kind: vt, v: [5, 0, 1, 2], presses: true },
            Stencil { kind: ee, v: [0, 1, 4, 5], presses: true },
            Stencil { kind: vt, v: [3, 0, 1, 2], presses: false },
        ];
        let mut pairs = Pairs::<f64>::new(6);
        for _ in 0..2 {
            pairs.build(found.iter().copied(), |_| soft(), |_| 0, |_, _| Vec3::z());
        }
        let of = |slot| {
            let list = &pairs.corners()[pairs.range(slot)];
            list.iter().map(|c| (c.element(), c.corner())).collect::<Vec<_>>()
        };
        assert_eq!(of(0), [(0, 1), (1, 0), (2, 1)]);
        assert_eq!(of(5), [(0, 0), (1, 3)]);
        assert_eq!(of(3), [(2, 0)]);
        assert_eq!((pairs.pressing().len(), pairs.all().len()), (2, 3));
        assert!(pairs.any(&(3..4)) && !pairs.any_presses(&(3..4)), "it is only kept apart");
        assert!(pairs.any_presses(&(3..5)) && pairs.any_presses(&(0..1)));
        assert_eq!((pairs.all()[0].ke, pairs.all()[2].ke), (3.0, 0.0));
    }
}
