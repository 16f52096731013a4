//! How the frames of bounds follow the particles: `docs/theory/self-contact.md` eq. (20),
//! (23), (24).
//!
//! A frame may go only as far as what is bound in other frames, and what does not move at
//! all, allows; what remains of the motion is then cut by the bounds themselves.

use coact_math::Vec3;

use super::bounds::{Bounds, HalfSpace};
use super::frame::{Frame, Moments};

/// How often a frame is halved before it is given up.
const HALVINGS: usize = 8;

impl Bounds {
    /// eq. (23), (24): frames that follow the particles at `x` as far as all of them, and
    /// those that do not move, allow.
    pub fn fit_frames(&mut self, x: impl Fn(usize) -> Vec3, moves: impl Fn(usize) -> bool) {
        self.common = self.fit_common(&x, &moves);
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
                self.members[members.clone()].iter().all(|&s| self.allows(s as usize, frame, &x, &moves))
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
    fn fit_common(&self, x: &impl Fn(usize) -> Vec3, moves: &impl Fn(usize) -> bool) -> Frame {
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
                let planes = self.half_spaces_of(s);
                length <= self.own[s].min(self.cross[s]) && planes.iter().all(|h| h.n.dot(&p) >= h.least)
            })
        };
        let shares = (0..HALVINGS).map(|k| 0.5_f64.powi(k as i32));
        let found = shares.map(|s| Frame::translation(mean * s)).find(stands);
        found.filter(|f| f.shift.iter().all(|x| x.is_finite())).unwrap_or_default()
    }

    /// eq. (23): whether `frame` leaves a slot at most half of its way to other components,
    /// and, if it does not move, within its own bounds.
    fn allows(
        &self,
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
        let planes = self.half_spaces_of(slot);
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
}
