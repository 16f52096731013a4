//! Which contact of a detection is which of the one before. Theory:
//! `docs/theory/contact-detection.md` eq. (12)–(14).
//!
//! Within a pair of shapes a contact is known by the key of its features where that names one
//! contact on both sides, else by its points in the frames of the bodies. Matches are one to
//! one and do not depend on the order of the lists. What is kept across a match is up to the
//! solver.

use coact_math::{Pose, Vec3};
use coact_model::{BodyId, ShapeId};

use crate::contacts::ShapeContact;

/// Sticky points are given up when the new ones are elsewhere on a body by this part of the
/// matching distance.
const STICK: f64 = 0.1;

/// What a contact takes over from the same contact of the detection before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContactMatching {
    /// Matches are found; the geometry is that of the new detection.
    #[default]
    Latest,
    /// Matches are found, and a matched contact keeps its points as long as they touch.
    Sticky,
    /// No matches: every contact is new.
    Disabled,
}

/// Finds the matches, and keeps its memory.
#[derive(Clone, Debug, Default)]
pub struct ContactMatcher {
    matches: Vec<Option<u32>>,
    /// The lists in the order of their pairs.
    before: Vec<Place>,
    after: Vec<Place>,
    taken: Vec<bool>,
    candidates: Vec<Candidate>,
}

/// Where a contact is in its list; ordered by pair of shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    pair: u64,
    index: u32,
}

/// Two contacts that may be the same.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    apart: f64,
    after: u32,
    before: u32,
}

impl ContactMatcher {
    /// For each contact of `after` the index of the same contact in `before`, which may be records
    /// that hold one. `distance` is how far \[m\] a contact of two shapes may have moved over one
    /// of them without its features being the same:
    /// [`ShapePairDetector::matching_distance`](crate::ShapePairDetector::matching_distance).
    pub fn find<B: AsRef<ShapeContact>>(
        &mut self,
        before: &[B],
        after: &[ShapeContact],
        distance: impl Fn(ShapeId, ShapeId) -> f64,
    ) -> &[Option<u32>] {
        by_pair(before, &mut self.before);
        by_pair(after, &mut self.after);
        self.matches.clear();
        self.matches.resize(after.len(), None);
        self.taken.clear();
        self.taken.resize(before.len(), false);
        let (mut i, mut j) = (0, 0);
        while i < self.before.len() && j < self.after.len() {
            let (p, q) = (self.before[i].pair, self.after[j].pair);
            let (end_i, end_j) = (i + run(&self.before[i..]), j + run(&self.after[j..]));
            if p == q {
                let (a, b) = after[self.after[j].index as usize].shapes();
                let lists = Lists { before, after, distance: distance(a, b) };
                self.match_pair(&lists, i..end_i, j..end_j);
            }
            (i, j) = (if p <= q { end_i } else { i }, if q <= p { end_j } else { j });
        }
        &self.matches
    }

    /// The matches that were found last.
    pub fn matches(&self) -> &[Option<u32>] {
        &self.matches
    }

    /// eq. (14): gives matched contacts of `after` their points of `before` where these still
    /// touch at the poses of the bodies. Answers how many kept theirs.
    pub fn stick<B: AsRef<ShapeContact>>(
        &self,
        before: &[B],
        after: &mut [ShapeContact],
        pose: impl Fn(BodyId) -> Pose,
        distance: impl Fn(ShapeId, ShapeId) -> f64,
    ) -> usize {
        let pose = |b: Option<BodyId>| b.map_or_else(Pose::identity, &pose);
        let mut count = 0;
        for (new, of) in after.iter_mut().zip(&self.matches) {
            let Some(old) = of.map(|i| before[i as usize].as_ref()) else { continue };
            let kept = ShapeContact { normal: new.normal, feature: new.feature, ..*old };
            let (x0, x1) = (pose(new.body0), pose(new.body1));
            let moved0 = (old.point0 + old.offset0) - (new.point0 + new.offset0);
            let moved1 = (old.point1 + old.offset1) - (new.point1 + new.offset1);
            let limit = STICK * distance(new.shape0, new.shape1);
            let off = kept.gap(&x0, &x1) - new.gap(&x0, &x1);
            if moved0.norm().max(moved1.norm()) <= limit && off.abs() <= STICK * limit {
                *new = kept;
                count += 1;
            }
        }
        count
    }

    /// The contacts of one pair of shapes, as ranges of the ordered lists.
    fn match_pair<B: AsRef<ShapeContact>>(&mut self, lists: &Lists<B>, before: Range, after: Range) {
        self.match_features(lists, before.clone(), after.clone());
        self.candidates.clear();
        for &Place { index: j, .. } in &self.after[after] {
            if self.matches[j as usize].is_some() {
                continue;
            }
            for &Place { index: i, .. } in &self.before[before.clone()] {
                let apart = lists.apart(i, j).filter(|_| !self.taken[i as usize]);
                self.candidates.extend(apart.map(|apart| Candidate { apart, after: j, before: i }));
            }
        }
        self.candidates.sort_unstable_by(|a, b| lists.compare(a, b));
        for k in 0..self.candidates.len() {
            let c = self.candidates[k];
            if self.matches[c.after as usize].is_none() && !self.taken[c.before as usize] {
                self.join(c.before, c.after);
            }
        }
    }

    /// eq. (12): keys that name one contact before and one after.
    fn match_features<B: AsRef<ShapeContact>>(&mut self, lists: &Lists<B>, before: Range, after: Range) {
        for j in after.clone() {
            let new = lists.new_at(self.after[j].index);
            let twins =
                self.after[after.clone()].iter().filter(|p| lists.new_at(p.index).feature == new.feature);
            let of_old = self.before[before.clone()].iter();
            let mut old = of_old.filter(|p| lists.old_at(p.index).feature == new.feature);
            if let (1, Some(i), None) = (twins.count(), old.next(), old.next())
                && lists.old_at(i.index).normal.dot(&new.normal) > 0.0
            {
                self.join(i.index, self.after[j].index);
            }
        }
    }

    fn join(&mut self, before: u32, after: u32) {
        self.matches[after as usize] = Some(before);
        self.taken[before as usize] = true;
    }
}

type Range = std::ops::Range<usize>;

/// The two lists, and the matching distance of the pair at hand.
struct Lists<'a, B> {
    before: &'a [B],
    after: &'a [ShapeContact],
    distance: f64,
}

impl<B: AsRef<ShapeContact>> Lists<'_, B> {
    fn old_at(&self, i: u32) -> &ShapeContact {
        self.before[i as usize].as_ref()
    }

    fn new_at(&self, j: u32) -> &ShapeContact {
        &self.after[j as usize]
    }

    /// eq. (13): how far two contacts are apart over both shapes, if they may be the same.
    fn apart(&self, before: u32, after: u32) -> Option<f64> {
        let (old, new) = (self.old_at(before), self.new_at(after));
        let d0 = (new.point0 - old.point0).norm();
        let d1 = (new.point1 - old.point1).norm();
        let near = d0.min(d1) <= self.distance && old.normal.dot(&new.normal) > 0.0;
        near.then_some(d0 + d1)
    }

    /// Nearest first; equals by what they are, not by where they stand in the lists.
    fn compare(&self, a: &Candidate, b: &Candidate) -> std::cmp::Ordering {
        let (new_a, new_b) = (self.new_at(a.after), self.new_at(b.after));
        let (old_a, old_b) = (self.old_at(a.before), self.old_at(b.before));
        let order = a.apart.total_cmp(&b.apart);
        let order = order.then_with(|| new_a.feature.cmp(&new_b.feature));
        let order = order.then_with(|| old_a.feature.cmp(&old_b.feature));
        let order = order.then_with(|| places(new_a, new_b)).then_with(|| places(old_a, old_b));
        order.then(a.after.cmp(&b.after)).then(a.before.cmp(&b.before))
    }
}

/// An order of contacts by their points.
fn places(a: &ShapeContact, b: &ShapeContact) -> std::cmp::Ordering {
    let of = |x: &Vec3, y: &Vec3| {
        (0..3).fold(std::cmp::Ordering::Equal, |order, k| order.then(x[k].total_cmp(&y[k])))
    };
    of(&a.point0, &b.point0).then_with(|| of(&a.point1, &b.point1))
}

/// The contacts in the order of their pairs.
fn by_pair<B: AsRef<ShapeContact>>(contacts: &[B], order: &mut Vec<Place>) {
    order.clear();
    order.extend((0..).zip(contacts).map(|(index, c)| {
        let (a, b) = c.as_ref().shapes();
        Place { pair: u64::from(a.0) << 32 | u64::from(b.0), index }
    }));
    if !order.is_sorted() {
        order.sort_unstable();
    }
}

/// How many contacts from the first on are of its pair.
fn run(order: &[Place]) -> usize {
    order.iter().take_while(|p| p.pair == order[0].pair).count()
}

#[cfg(test)]
mod tests;
