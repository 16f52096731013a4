//! What lies between bodies, as clusters hold it: joints, and pairs of bodies with their contacts.

use crate::joint::Joint;
use crate::touch::{Pair, Touch, TouchLaw};

/// What the memory of a connection follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follow {
    /// A sweep: the dual update.
    Sweep,
    /// The last sweep: the dual update, and anchors.
    End,
    /// The last sweep, which did not bring bodies to where multipliers want them: anchors alone.
    Unsolved,
    /// A sweep after which nothing moved any more: anchors, as the last dual update found them.
    Settled,
}

/// How far multipliers moved in an update, and how large they are, in one unit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Change {
    /// The largest change.
    pub by: f64,
    /// The largest multiplier.
    pub of: f64,
}

impl Change {
    /// Of one multiplier.
    pub fn new(before: f64, after: f64) -> Self {
        Self { by: (after - before).abs(), of: after.abs() }
    }

    /// The larger of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { by: self.by.max(other.by), of: self.of.max(other.of) }
    }
}

/// Joints, and contacts by pair of bodies.
#[derive(Clone, Copy)]
pub struct Edges<'a> {
    /// Joints.
    pub joints: &'a [Box<Joint>],
    /// Contacts of all pairs.
    pub touches: &'a [Touch],
    /// Pairs.
    pub pairs: &'a [Pair],
}

impl<'a> Edges<'a> {
    /// The contacts of a pair.
    pub fn of(&self, pair: &Pair) -> &'a [Touch] {
        let first = (pair.first - self.pairs[0].first) as usize;
        &self.touches[first..first + pair.count as usize]
    }
}

/// The same, of which multipliers follow.
pub struct EdgesMut<'a> {
    /// Joints.
    pub joints: &'a mut [Box<Joint>],
    /// Contacts of all pairs.
    pub touches: &'a mut [Touch],
    /// Pairs.
    pub pairs: &'a [Pair],
}

/// How many of each there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EdgeCounts {
    /// Joints.
    pub joints: usize,
    /// Pairs.
    pub pairs: usize,
    /// Contacts of these.
    pub touches: usize,
}

impl std::ops::AddAssign for EdgeCounts {
    fn add_assign(&mut self, other: Self) {
        self.joints += other.joints;
        self.pairs += other.pairs;
        self.touches += other.touches;
    }
}

impl<'a> EdgesMut<'a> {
    /// The first ones, and the rest.
    pub fn split(self, first: EdgeCounts) -> (Self, Self) {
        let (a, b) = self.joints.split_at_mut(first.joints);
        let (c, d) = self.touches.split_at_mut(first.touches);
        let (e, f) = self.pairs.split_at(first.pairs);
        (Self { joints: a, touches: c, pairs: e }, Self { joints: b, touches: d, pairs: f })
    }

    /// To be looked at.
    pub fn shared(&self) -> Edges<'_> {
        Edges { joints: self.joints, touches: self.touches, pairs: self.pairs }
    }

    /// Lends them.
    pub fn lend(&mut self) -> EdgesMut<'_> {
        EdgesMut { joints: self.joints, touches: self.touches, pairs: self.pairs }
    }

    /// Each pair with its contacts.
    pub fn by_pair(&mut self) -> impl Iterator<Item = (&Pair, &mut [Touch])> {
        let mut rest = &mut *self.touches;
        self.pairs.iter().map(move |p| {
            let (these, others) = std::mem::take(&mut rest).split_at_mut(p.count as usize);
            rest = others;
            (p, these)
        })
    }
}

/// What lies between clusters: it takes part in the steps of both, and follows after the sweep.
#[derive(Clone, Copy)]
pub struct Between<'a> {
    /// The connections.
    pub edges: Edges<'a>,
    /// How contacts are computed.
    pub law: TouchLaw,
}
