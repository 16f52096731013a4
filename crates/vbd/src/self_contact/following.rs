//! How the frames of bounds follow the particles: `docs/theory/self-contact.md` eq. (20),
//! (23), (24).
//!
//! A frame may go only as far as what is bound in other frames, and what does not move at
//! all, allows; what remains of the motion is then cut by the bounds themselves. Nor may it carry
//! along what something else holds back: a sheet that lands is stopped in its middle, and the rest
//! of it, still falling, must not push the middle on.

use coact_math::Vec3;

use super::bounds::Bounds;
use super::frame::{Frame, Moments};
use super::planes::HalfSpace;

/// What else acts on a particle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// Its elements only.
    Free,
    /// Contacts or attachments.
    Held,
    /// The step does not move it.
    Fixed,
}

/// How often a frame is halved before it is given up.
const HALVINGS: usize = 8;

impl Bounds {
    /// eq. (23), (24): frames that follow the particles at `x` as far as all of them, and
    /// those that do not move, allow.
    pub fn fit_frames(&mut self, x: impl Fn(usize) -> Vec3, hold: impl Fn(usize) -> Hold) {
        self.common = self.fit_common(&x, &hold);
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
                self.members[members.clone()].iter().all(|&s| self.allows(s as usize, frame, &x, &hold))
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
    fn fit_common(&self, x: &impl Fn(usize) -> Vec3, hold: &impl Fn(usize) -> Hold) -> Frame {
        if self.frames.len() < 2 {
            return Frame::default();
        }
        let slots = || self.members.iter().map(|&s| s as usize);
        let sum: Vec3 = slots().map(|s| x(s) - self.x_ref[s]).sum();
        let mean = sum / self.members.len() as f64;
        let stands = |frame: &Frame| {
            slots().all(|s| match hold(s) {
                Hold::Free => true,
                Hold::Held => self.is_not_carried(s, frame, &x(s), true),
                Hold::Fixed => {
                    let p = x(s) - frame.shift;
                    let length = (p - self.x_ref[s]).norm();
                    let mut planes = self.half_spaces_of(s);
                    let holds =
                        length <= self.own[s].min(self.cross[s]) && planes.all(|h| h.n.dot(&p) >= h.least);
                    holds || self.is_ahead(s, frame, &x(s), true)
                }
            })
        };
        let shares = (0..HALVINGS).map(|k| 0.5_f64.powi(k as i32));
        let found = shares.map(|s| Frame::translation(mean * s)).find(stands);
        found.filter(|f| f.shift.iter().all(|x| x.is_finite())).unwrap_or_default()
    }

    /// eq. (23): whether `frame` leaves a slot at most half of its way to other components, does
    /// not carry it along if it is held and, if it is fixed, keeps it within its own bounds or on its way.
    fn allows(
        &self,
        slot: usize,
        frame: &Frame,
        x: &impl Fn(usize) -> Vec3,
        hold: &impl Fn(usize) -> Hold,
    ) -> bool {
        let x_ref = self.x_ref[slot];
        let base = frame.place(&x_ref) - self.common.shift;
        if (base - x_ref).norm() > 0.5 * self.cross[slot] {
            return false;
        }
        let planes = || self.half_spaces_of(slot);
        let across = |h: &HalfSpace| h.cross;
        if planes().filter(across).any(|h| h.n.dot(&base) < 0.5 * (h.least + h.n.dot(&x_ref))) {
            return false;
        }
        match hold(slot) {
            Hold::Free => true,
            Hold::Held => self.is_not_carried(slot, frame, &x(slot), false),
            Hold::Fixed => {
                let w = frame.relative(&x(slot), &x_ref);
                let p = x_ref + w;
                let mut own = planes().filter(|h| !h.cross);
                let holds = w.norm() <= self.own[slot] && own.all(|h| h.n.dot(&p) >= h.least);
                holds || self.is_ahead(slot, frame, &x(slot), false)
            }
        }
    }

    /// Whether `frame` takes a particle that is to be at `x` part of its way there.
    fn is_ahead(&self, slot: usize, frame: &Frame, x: &Vec3, common: bool) -> bool {
        let place = frame.place(&self.x_ref[slot]);
        let (ahead, motion) = (x - place, place - self.x_ref[slot]);
        ahead.dot(&motion) > 0.0 && self.is_not_carried(slot, frame, x, common)
    }

    /// Whether the ball and the planes that move with `frame` (the common one, or that of the
    /// component) leave a particle at `x` where it is, or at least move it no further than it went.
    fn is_not_carried(&self, slot: usize, frame: &Frame, x: &Vec3, common: bool) -> bool {
        let x_ref = self.x_ref[slot];
        let place = frame.place(&x_ref);
        let (ahead, motion) = (x - place, place - x_ref);
        let radius = if common { self.cross[slot] } else { self.own[slot] };
        let in_frame = x_ref + frame.relative(x, &x_ref);
        let by_plane = |h: HalfSpace| {
            h.cross == common && h.n.dot(&in_frame) < h.least && (frame.turn * h.n).dot(&motion) > 0.0
        };
        (ahead.norm() <= radius || ahead.dot(&motion) >= 0.0) && !self.half_spaces_of(slot).any(by_plane)
    }
}
