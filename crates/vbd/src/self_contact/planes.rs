//! Planes between the two sides of stored pairs: `docs/theory/self-contact.md` eq. (22), (26).
//!
//! A plane is certified where the pair was detected, and moves along its axis with the sides:
//! what counts is that the two are apart, not where. Layers that lie on each other can so move
//! together by more than the gaps between them.

use coact_math::Vec3;

use super::pair::PairKind;
use super::separator::Separator;

/// n·p ≥ least, for the place p of a particle in its frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct HalfSpace {
    pub(super) n: Vec3,
    pub(super) least: f64,
    /// In the common frame, else in that of the component.
    pub(super) cross: bool,
}

/// n·p = at between the sides of a pair, both of which keep a distance to it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Plane {
    /// Unit axis from the second side to the first; zero: nothing separates the pair, nothing is
    /// asked.
    pub(super) n: Vec3,
    /// Where it stands along n \[m\].
    pub(super) at: f64,
    /// What each side keeps to it \[m\].
    pub(super) kept: f64,
    /// Slots: first side, then second.
    pub(super) v: [u32; 4],
    /// How many are of the first side.
    pub(super) first_side: u8,
    /// In the common frame, else in that of the component.
    pub(super) cross: bool,
}

impl Plane {
    /// eq. (22): a plane at `at` or as near to it as leaves each side half of what the gap keeps:
    /// 1 − γ of it, and `least_gap` if it was that wide.
    pub(super) fn new(
        kind: PairKind,
        v: [u32; 4],
        s: &Separator,
        at: f64,
        relaxation: f64,
        least_gap: f64,
    ) -> Self {
        let gap = s.gap();
        let kept = 0.5 * ((1.0 - relaxation) * gap).max(gap.min(least_gap));
        let at = at.max(s.low + kept).min(s.high - kept);
        Self { n: s.n, at, kept, v, first_side: kind.first_side() as u8, cross: false }
    }

    /// A pair that nothing separates.
    pub(super) fn exempt(kind: PairKind, v: [u32; 4]) -> Self {
        Self { v, first_side: kind.first_side() as u8, ..Self::default() }
    }

    pub(super) fn is_exempt(&self) -> bool {
        self.n == Vec3::zeros()
    }

    fn sign(&self, corner: usize) -> f64 {
        if corner < usize::from(self.first_side) { 1.0 } else { -1.0 }
    }

    /// Where a corner may be.
    pub(super) fn half_space(&self, corner: usize) -> HalfSpace {
        let sign = self.sign(corner);
        let least = if self.is_exempt() { 0.0 } else { sign * self.at + self.kept };
        HalfSpace { n: self.n * sign, least, cross: self.cross }
    }

    /// Corners of the side across from `corner`.
    pub(super) fn across(&self, corner: usize) -> std::ops::Range<usize> {
        let first = usize::from(self.first_side);
        if corner < first { first..4 } else { 0..first }
    }

    /// eq. (26): gives a corner that lacks `need` up to half of the `room` that the other side has.
    pub(super) fn give_way(&mut self, corner: usize, need: f64, room: f64) {
        let by = need.min(0.5 * room);
        if by > 0.0 {
            self.at -= self.sign(corner) * by;
        }
    }
}
