//! The set in which each particle may be until the next detection, and the way back into it:
//! `docs/theory/self-contact.md` eq. (21)–(25).
//!
//! Two frames move with the particles: each connected component has its own, and all
//! components share a common translation. In them, every particle has two balls (its own
//! clearance in the frame of its component, its clearance from other components in the
//! common frame) and a half-space per pair that detection stored. All are convex and contain
//! the place of the particle in the frame of its component. What is in its set meets nothing.
//!
//! Left out on purpose: particles that the step does not move are never moved here; frames
//! are chosen so that they are in their sets, if that is possible.

use coact_math::{Real, Vec3};

use super::frame::{Frame, Moments};
use super::pair::PairKind;
use super::pairs::Pairs;
use super::separator::{Separator, find_separator, place_plane};

/// How often a frame is halved before it is given up.
const HALVINGS: usize = 8;
/// Passes over the half-spaces of a particle before what is left is scaled away.
const PROJECTIONS: usize = 3;
/// Part of the margin that the sides of a pair always keep between them, if they had it: a
/// gap that may shrink by a factor at each detection would be lost in rounding after a few.
const LEAST_GAP: f64 = 1e-3;

/// n·p ≥ least, for the place p of a particle in its frame. Zero n: nothing is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct HalfSpace {
    n: Vec3,
    least: f64,
    /// In the common frame, else in that of the component.
    cross: bool,
}

/// What a bound did to a particle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cut {
    /// Where the particle may be \[m\].
    pub x: Vec3,
    /// How much was cut off \[m\].
    pub length: f64,
    /// The part of its way in the frame that a ball cut off, in \[0, 1\].
    pub by_ball: f64,
}

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
    component: Vec<u32>,
    /// Slots of surfaces, by component; others are free.
    members: Vec<u32>,
    member_start: Vec<u32>,
    /// Radius of the ball in the component's frame \[m\]; infinite off the surface.
    own: Vec<f64>,
    /// Radius of the ball in the common frame \[m\].
    cross: Vec<f64>,
    /// By slot, in order of `Pairs::corners`.
    half_spaces: Vec<HalfSpace>,
    frames: Vec<Frame>,
    common: Frame,
    relaxation: f64,
    least_gap: f64,
    /// Distance below which nothing is certain \[m\].
    epsilon: f64,
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
        let (mut members, mut member_start) = (Vec::new(), vec![0]);
        for c in 0..seen.len() as u32 {
            members.extend((0..component.len() as u32).filter(|&s| component[s as usize] == c));
            member_start.push(members.len() as u32);
        }
        Self {
            x_ref: vec![Vec3::zeros(); labels.len()],
            own: vec![f64::INFINITY; labels.len()],
            cross: vec![f64::INFINITY; labels.len()],
            frames: vec![Frame::default(); seen.len()],
            least_gap: LEAST_GAP * margin,
            component,
            members,
            member_start,
            relaxation,
            epsilon,
            ..Self::default()
        }
    }

    /// Whether a slot is on a surface.
    pub fn is_bound(&self, slot: usize) -> bool {
        self.component[slot] != u32::MAX
    }

    /// Slots on surfaces.
    pub fn bound_count(&self) -> usize {
        self.members.len()
    }

    /// Capacity of the lists that depend on contacts.
    pub fn capacity(&self) -> usize {
        self.half_spaces.capacity()
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
        planned: impl Fn(usize) -> Vec3,
        moves: impl Fn(usize) -> bool,
    ) -> usize {
        let mut exempt = 0;
        let mut half_spaces = std::mem::take(&mut self.half_spaces);
        half_spaces.clear();
        half_spaces.resize(pairs.corners().len(), HalfSpace::default());
        for (row, list) in pairs.all().iter().zip(pairs.places()) {
            match self.separate(row.kind, &row.v, &planned, &moves) {
                Some(planes) => list.iter().zip(planes).for_each(|(&k, p)| half_spaces[k as usize] = p),
                None => exempt += 1,
            }
        }
        self.half_spaces = half_spaces;
        exempt
    }

    fn separate(
        &self,
        kind: PairKind,
        v: &[u32; 4],
        planned: &impl Fn(usize) -> Vec3,
        moves: &impl Fn(usize) -> bool,
    ) -> Option<[HalfSpace; 4]> {
        let x = v.map(|s| self.x_ref[s as usize]);
        let s = find_separator(kind, &x, 2.0 * self.epsilon, 2.0 * self.epsilon)?;
        let mut u = v.map(|s| planned(s as usize));
        if v.iter().all(|&s| moves(s as usize)) {
            // what the pair does together is no approach
            let (first, second) = u.split_at(kind.first_side());
            let mean = |side: &[Vec3]| side.iter().sum::<Vec3>() / side.len() as f64;
            let shared = (mean(first) + mean(second)) * 0.5;
            u.iter_mut().for_each(|u| *u -= shared);
        }
        let plane = place_plane(kind, &s, &u, self.epsilon);
        let cross = self.component[v[0] as usize] != self.component[v[3] as usize];
        Some(std::array::from_fn(|i| self.half_space(&s, plane, i < kind.first_side(), &x[i], cross)))
    }

    /// eq. (22): a vertex keeps 1 − γ of its distance to the plane, and half of the least gap.
    fn half_space(&self, s: &Separator, plane: f64, first: bool, x: &Vec3, cross: bool) -> HalfSpace {
        let sign = if first { 1.0 } else { -1.0 };
        let distance = sign * (s.n.dot(x) - plane);
        let kept = ((1.0 - self.relaxation) * distance).max(distance.min(0.5 * self.least_gap));
        HalfSpace { n: s.n * sign, least: sign * plane + kept, cross }
    }

    /// eq. (23), (24): frames that follow the particles at `x` as far as all of them, and
    /// those that do not move, allow.
    pub fn fit_frames<R: Real>(
        &mut self,
        pairs: &Pairs<R>,
        x: impl Fn(usize) -> Vec3,
        moves: impl Fn(usize) -> bool,
    ) {
        self.common = self.fit_common(pairs, &x, &moves);
        for c in 0..self.frames.len() {
            let members = self.members_of(c);
            let origin = self.x_ref[self.members[members.start] as usize];
            let mut moments = Moments::default();
            for &s in &self.members[members.clone()] {
                let x_ref = self.x_ref[s as usize];
                moments.add(&(x_ref - origin), &(x(s as usize) - x_ref));
            }
            let fit = moments.fit(&origin);
            let shares = (0..HALVINGS).map(|k| 0.5_f64.powi(k as i32));
            let common = self.common.shift;
            let fits = |frame: &Frame| {
                self.members[members.clone()]
                    .iter()
                    .all(|&s| self.allows(pairs, s as usize, frame, &x, &moves))
            };
            self.frames[c] = shares
                .map(|s| fit.part(&common, s))
                .find(fits)
                .unwrap_or(Frame { center: fit.center, ..Frame::translation(common) });
        }
    }

    /// Where the slots of a component are in `members`.
    fn members_of(&self, c: usize) -> std::ops::Range<usize> {
        self.member_start[c] as usize..self.member_start[c + 1] as usize
    }

    /// eq. (24): the mean motion of all, as far as those that do not move allow.
    fn fit_common<R: Real>(
        &self,
        pairs: &Pairs<R>,
        x: &impl Fn(usize) -> Vec3,
        moves: &impl Fn(usize) -> bool,
    ) -> Frame {
        if self.frames.len() < 2 {
            return Frame::default();
        }
        let slots = || self.members.iter().map(|&s| s as usize);
        let sum: Vec3 = slots().map(|s| x(s) - self.x_ref[s]).sum();
        let mean = sum / self.members.len() as f64;
        let stands = |frame: &Frame| {
            slots().filter(|&s| !moves(s)).all(|s| {
                let p = x(s) - frame.shift;
                let length = (p - self.x_ref[s]).norm();
                let planes = &self.half_spaces[pairs.range(s)];
                length <= self.own[s].min(self.cross[s]) && planes.iter().all(|h| h.n.dot(&p) >= h.least)
            })
        };
        let shares = (0..HALVINGS).map(|k| 0.5_f64.powi(k as i32));
        let found = shares.map(|s| Frame::translation(mean * s)).find(stands);
        found.filter(|f| f.shift.iter().all(|x| x.is_finite())).unwrap_or_default()
    }

    /// eq. (23): whether `frame` leaves a slot at most half of its way to other components,
    /// and, if it does not move, within its own bounds.
    fn allows<R: Real>(
        &self,
        pairs: &Pairs<R>,
        slot: usize,
        frame: &Frame,
        x: &impl Fn(usize) -> Vec3,
        moves: &impl Fn(usize) -> bool,
    ) -> bool {
        let x_ref = self.x_ref[slot];
        let base = frame.place(&x_ref) - self.common.shift;
        if (base - x_ref).norm() > 0.5 * self.cross[slot] {
            return false;
        }
        let planes = &self.half_spaces[pairs.range(slot)];
        let across = |h: &&HalfSpace| h.cross;
        if planes.iter().filter(across).any(|h| h.n.dot(&base) < 0.5 * (h.least + h.n.dot(&x_ref))) {
            return false;
        }
        moves(slot) || {
            let w = frame.relative(&x(slot), &x_ref);
            let p = x_ref + w;
            w.norm() <= self.own[slot] && planes.iter().filter(|h| !h.cross).all(|h| h.n.dot(&p) >= h.least)
        }
    }

    /// Whether a particle at `x` is in its set.
    pub fn holds<R: Real>(&self, pairs: &Pairs<R>, slot: usize, x: &Vec3) -> bool {
        if !self.is_bound(slot) {
            return true;
        }
        let place = self.place(slot, x);
        place.w.norm_squared() <= self.own[slot] * self.own[slot]
            && place.w_common.norm_squared() <= self.cross[slot] * self.cross[slot]
            && self.half_spaces[pairs.range(slot)].iter().all(|h| place.depth(h) >= 0.0)
    }

    fn place(&self, slot: usize, x: &Vec3) -> Place {
        let x_ref = self.x_ref[slot];
        let w = self.frames[self.component[slot] as usize].relative(x, &x_ref);
        Place { x_ref, w, w_common: x - x_ref - self.common.shift }
    }

    /// eq. (25): moves a particle off the planes that it has passed, along their normals.
    pub fn project<R: Real>(&self, pairs: &Pairs<R>, slot: usize, mut x: Vec3) -> Vec3 {
        let planes = &self.half_spaces[pairs.range(slot)];
        if planes.is_empty() {
            return x;
        }
        let turn = &self.frames[self.component[slot] as usize].turn;
        for _ in 0..PROJECTIONS {
            let mut inside = true;
            for h in planes {
                let depth = self.place(slot, &x).depth(h);
                if depth < 0.0 {
                    x -= if h.cross { h.n } else { turn * h.n } * depth;
                    inside = false;
                }
            }
            if inside {
                break;
            }
        }
        x
    }

    /// eq. (25): the particle at `x`, brought back into its set; `None` = it is there.
    pub fn limit<R: Real>(&self, pairs: &Pairs<R>, slot: usize, x: Vec3) -> Option<Cut> {
        if self.holds(pairs, slot, &x) {
            return None;
        }
        let projected = self.project(pairs, slot, x);
        let base = self.frames[self.component[slot] as usize].place(&self.x_ref[slot]);
        let place = self.place(slot, &projected);
        let (length, across) = (place.w.norm(), place.w_common.norm());
        let own = if length > self.own[slot] { self.own[slot] / length } else { 1.0 };
        let cross = if across > self.cross[slot] {
            let start = (base - self.x_ref[slot] - self.common.shift).norm();
            ((self.cross[slot] - start) / (projected - base).norm()).clamp(0.0, 1.0)
        } else {
            1.0
        };
        let ball = own.min(cross);
        let start = self.place(slot, &base);
        let planes = self.half_spaces[pairs.range(slot)].iter().map(|h| {
            let (from, to) = (start.depth(h).max(0.0), place.depth(h));
            if to < 0.0 { from / (from - to) } else { 1.0 }
        });
        let t = planes.fold(ball, f64::min);
        let kept = base + (projected - base) * t;
        Some(Cut { x: kept, length: (kept - x).norm(), by_ball: 1.0 - ball })
    }
}

/// A particle in its two frames.
#[derive(Clone, Copy, Debug)]
struct Place {
    x_ref: Vec3,
    /// Motion in the frame of its component.
    w: Vec3,
    /// Motion in the common frame.
    w_common: Vec3,
}

impl Place {
    /// How far it is inside a half-space \[m\].
    fn depth(&self, h: &HalfSpace) -> f64 {
        let w = if h.cross { &self.w_common } else { &self.w };
        h.n.dot(&(self.x_ref + w)) - h.least
    }
}
