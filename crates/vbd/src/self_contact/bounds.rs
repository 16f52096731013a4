//! The set in which each particle may be until the next detection:
//! `docs/theory/self-contact.md` eq. (21), (22). The way back into it: `limit.rs`; how the frames
//! follow: `following.rs`.
//!
//! Two frames move with the particles: each connected component has its own, and all
//! components share a common translation. In them, every particle has two balls (its own
//! clearance in the frame of its component, its clearance from other components in the
//! common frame) and a half-space per pair that detection stored. All are convex. What is in its
//! set meets nothing.
//!
//! Left out on purpose: shapes; where they hold a particle is no part of its set.

use coact_math::{Real, Vec3};
use rayon::prelude::*;

use super::frame::Frame;
use super::pair::PairRow;
use super::pairs::{Pairs, ROWS_PER_TASK};
use super::planes::{HalfSpace, Plane};
use super::separator::{find_separator, place_plane};
use crate::prepared::Corner;

/// Part of the margin that the sides of a pair always keep between them, if they had it: a
/// gap that may shrink by a factor at each detection would be lost in rounding after a few.
const LEAST_GAP: f64 = 1e-3;

/// What detection knows of the particles, by slot.
#[derive(Clone, Copy, Debug)]
pub struct Clearances<'a> {
    /// Distance to what is not stored, own component \[m\].
    pub own: &'a [f32],
    /// Distance to what is not stored, other components \[m\].
    pub cross: &'a [f32],
}

/// The sets of all particles.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    /// Positions at the last detection \[m\]. Shape: \[slot_count\].
    pub x_ref: Vec<Vec3>,
    /// Index of each slot's component.
    pub(super) component: Vec<u32>,
    /// Slots of surfaces, by component; others are free.
    pub(super) members: Vec<u32>,
    pub(super) member_start: Vec<u32>,
    /// Radius of the ball in the component's frame \[m\]; infinite off the surface.
    pub(super) own: Vec<f64>,
    /// Radius of the ball in the common frame \[m\].
    pub(super) cross: Vec<f64>,
    /// By pair.
    pub(super) planes: Vec<Plane>,
    /// Pairs by slot.
    pub(super) corners: Vec<Corner>,
    /// Where those of each slot begin. Shape: \[slot_count + 1\].
    pub(super) start: Vec<u32>,
    /// Components without a pair. Shape: \[component_count\].
    alone: Vec<bool>,
    /// Whether the particles are where these bounds had them.
    valid: bool,
    pub(super) frames: Vec<Frame>,
    pub(super) common: Frame,
    relaxation: f64,
    least_gap: f64,
    /// Distance below which nothing is certain \[m\].
    pub(super) epsilon: f64,
}

impl Bounds {
    /// For slots in components (any labels; `u32::MAX` = on no surface). `relaxation` γ,
    /// `margin` \[m\], `epsilon`: rounding of a position \[m\].
    pub fn new(labels: &[u32], relaxation: f64, margin: f64, epsilon: f64) -> Self {
        let mut seen: Vec<u32> = labels.iter().copied().filter(|&c| c != u32::MAX).collect();
        seen.sort_unstable();
        seen.dedup();
        let index = |c: u32| seen.binary_search(&c).map_or(u32::MAX, |i| i as u32);
        let component: Vec<u32> = labels.iter().map(|&c| index(c)).collect();
        let mut members: Vec<u32> =
            (0..labels.len() as u32).filter(|&s| component[s as usize] != u32::MAX).collect();
        members.sort_by_key(|&s| component[s as usize]);
        let begin = |c: u32| members.partition_point(|&s| component[s as usize] < c) as u32;
        let member_start = (0..=seen.len() as u32).map(begin).collect();
        Self {
            x_ref: vec![Vec3::zeros(); labels.len()],
            own: vec![f64::INFINITY; labels.len()],
            cross: vec![f64::INFINITY; labels.len()],
            frames: vec![Frame::default(); seen.len()],
            alone: vec![true; seen.len()],
            least_gap: LEAST_GAP * margin,
            start: vec![0; labels.len() + 1],
            component,
            members,
            member_start,
            relaxation,
            epsilon,
            ..Self::default()
        }
    }

    /// Whether the particles are where these bounds had them, so that they still hold.
    pub fn is_valid(&self) -> bool {
        self.valid
    }

    /// The particles were put elsewhere.
    pub fn invalidate(&mut self) {
        self.valid = false;
    }

    /// Takes over what changes from one detection to the next, in the memory that is there.
    pub fn restore(&mut self, o: &Self) {
        self.x_ref.clone_from(&o.x_ref);
        self.own.clone_from(&o.own);
        self.cross.clone_from(&o.cross);
        self.planes.clone_from(&o.planes);
        self.corners.clone_from(&o.corners);
        self.start.clone_from(&o.start);
        self.alone.clone_from(&o.alone);
        self.frames.clone_from(&o.frames);
        (self.common, self.valid) = (o.common, o.valid);
    }

    pub(super) fn corners_of(&self, slot: usize) -> &[Corner] {
        &self.corners[self.start[slot] as usize..self.start[slot + 1] as usize]
    }

    pub(super) fn half_spaces_of(&self, slot: usize) -> impl Iterator<Item = HalfSpace> + '_ {
        self.corners_of(slot).iter().map(|c| self.planes[c.element()].half_space(c.corner()))
    }

    /// Whether a slot is on a surface.
    pub fn is_bound(&self, slot: usize) -> bool {
        self.component[slot] != u32::MAX
    }

    /// Whether nothing was near the component of a slot.
    pub fn is_alone(&self, slot: usize) -> bool {
        self.alone[self.component[slot] as usize]
    }

    /// Slots on surfaces.
    pub fn bound_count(&self) -> usize {
        self.members.len()
    }

    /// Capacity of the lists that depend on contacts.
    pub fn capacity(&self) -> usize {
        self.planes.capacity() + self.corners.capacity()
    }

    /// The radii of balls for a detection at `self.x_ref`; frames stand still again.
    pub fn set_clearances(&mut self, clearances: Clearances) {
        let part = |c: f32| (0.5 * self.relaxation * f64::from(c) - self.epsilon).max(0.0);
        let single = self.frames.len() < 2;
        for &s in &self.members {
            let s = s as usize;
            self.own[s] = part(clearances.own[s]);
            self.cross[s] = if single { f64::INFINITY } else { part(clearances.cross[s]) };
        }
        self.frames.fill(Frame::default());
        self.common = Frame::default();
    }

    /// eq. (22): a certified plane for every pair, placed by the planned motions `u`. Returns
    /// how many pairs have none: those are exempt.
    pub fn place_planes<R: Real>(
        &mut self,
        pairs: &Pairs<R>,
        planned: impl Fn(usize) -> Vec3 + Sync,
        moves: impl Fn(usize) -> bool + Sync,
    ) -> usize {
        self.valid = true;
        self.start.copy_from_slice(pairs.start());
        self.corners.clear();
        self.corners.extend_from_slice(pairs.corners());
        let mut planes = std::mem::take(&mut self.planes);
        let rows = pairs.all().par_iter().with_min_len(ROWS_PER_TASK);
        rows.map(|r| self.separate(r, &planned, &moves)).collect_into_vec(&mut planes);
        self.planes = planes;
        self.alone.fill(true);
        for &slot in pairs.all().iter().flat_map(|r| &r.v) {
            self.alone[self.component[slot as usize] as usize] = false;
        }
        self.planes.iter().filter(|p| p.is_exempt()).count()
    }

    fn separate<R: Real>(
        &self,
        row: &PairRow<R>,
        planned: &impl Fn(usize) -> Vec3,
        moves: &impl Fn(usize) -> bool,
    ) -> Plane {
        let (kind, v) = (row.kind, row.v);
        let x = v.map(|s| self.x_ref[s as usize]);
        let Some(s) = find_separator(kind, &x, 2.0 * self.epsilon, 2.0 * self.epsilon) else {
            return Plane::exempt(kind, v);
        };
        let mut u = v.map(|s| planned(s as usize));
        if v.iter().all(|&s| moves(s as usize)) {
            // what the pair does together is no approach
            let (first, second) = u.split_at(kind.first_side());
            let mean = |side: &[Vec3]| side.iter().sum::<Vec3>() / side.len() as f64;
            let shared = (mean(first) + mean(second)) * 0.5;
            u.iter_mut().for_each(|u| *u -= shared);
        }
        let at = place_plane(kind, &s, &u, self.epsilon);
        let cross = self.component[v[0] as usize] != self.component[v[3] as usize];
        Plane { cross, ..Plane::new(kind, v, &s, at, self.relaxation, self.least_gap) }
    }

    /// Where a particle in its place of the last detection would be, carried by the frame of its
    /// component.
    pub fn base(&self, slot: usize) -> Vec3 {
        match self.frames.get(self.component[slot] as usize) {
            Some(frame) => frame.place(&self.x_ref[slot]),
            None => self.x_ref[slot],
        }
    }

    /// Whether a particle at `x` is in its set.
    pub fn holds(&self, slot: usize, x: &Vec3) -> bool {
        if !self.is_bound(slot) {
            return true;
        }
        let place = self.place(slot, x);
        // what was brought to the rim is on it but for rounding, which the radii leave room for
        let slack = 0.5 * self.epsilon;
        let (own, cross) = (self.own[slot] + slack, self.cross[slot] + slack);
        place.w.norm_squared() <= own * own
            && place.w_common.norm_squared() <= cross * cross
            && self.half_spaces_of(slot).all(|h| place.depth(&h) >= -slack)
    }

    /// Whether a particle at `x` meets nothing of other components.
    pub fn holds_across(&self, slot: usize, x: &Vec3) -> bool {
        if !self.is_bound(slot) {
            return true;
        }
        let place = self.place(slot, x);
        place.w_common.norm() <= self.cross[slot]
            && self.half_spaces_of(slot).filter(|h| h.cross).all(|h| place.depth(&h) >= 0.0)
    }

    pub(super) fn place(&self, slot: usize, x: &Vec3) -> Place {
        let x_ref = self.x_ref[slot];
        let w = self.frames[self.component[slot] as usize].relative(x, &x_ref);
        Place { x_ref, w, w_common: x - x_ref - self.common.shift }
    }
}

/// A particle in its two frames.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    x_ref: Vec3,
    /// Motion in the frame of its component.
    pub(super) w: Vec3,
    /// Motion in the common frame.
    pub(super) w_common: Vec3,
}

impl Place {
    /// How far it is inside a half-space \[m\].
    pub(super) fn depth(&self, h: &HalfSpace) -> f64 {
        let w = if h.cross { &self.w_common } else { &self.w };
        h.n.dot(&(self.x_ref + w)) - h.least
    }
}

#[cfg(test)]
#[path = "bounds_tests.rs"]
mod tests;
