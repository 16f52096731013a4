//! What lies between bodies, as clusters see it.

use super::EdgeTerms;
use crate::body::Bodies;

/// What lies between bodies, by number.
pub trait Edges: Sync {
    /// What edge `i` puts on its bodies.
    fn add(&self, edge: usize, bodies: &Bodies, terms: &mut EdgeTerms);
    /// Multipliers and anchors of edge `i` follow.
    fn follow(&mut self, edge: usize, bodies: &Bodies, when: Follow) -> Change;
}

/// What the memory of an edge follows.
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

/// When multipliers follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Between two rounds of a sweep: those of small clusters.
    Round,
    /// Between two sweeps.
    Sweep,
    /// At the end of the step.
    End,
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
