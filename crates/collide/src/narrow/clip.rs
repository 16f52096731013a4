//! A polygon cut by the side planes of another: `docs/theory/contact-detection.md` eq. (6).

use coact_math::Vec3;

use super::polygon::{CORNERS, Polygon};

/// Corners that a cut polygon can have.
const ROOM: usize = 2 * CORNERS + 2;

/// Names of side planes among edges.
const PLANE: u8 = 64;

/// A corner of a cut polygon, between the edges `before` and `after` it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Corner {
    pub x: Vec3,
    pub before: u8,
    pub after: u8,
}

impl Corner {
    /// Names the corner by its two edges.
    pub fn key(&self) -> u32 {
        u32::from(self.before) << 8 | u32::from(self.after)
    }
}

/// A cut polygon, with room for the next cut.
#[derive(Clone, Copy)]
pub(crate) struct Clipped {
    len: usize,
    corners: [Corner; ROOM],
}

impl Clipped {
    const EMPTY: Self =
        Self { len: 0, corners: [Corner { x: Vec3::new(0.0, 0.0, 0.0), before: 0, after: 0 }; ROOM] };

    fn fill(&mut self, p: &Polygon) {
        let n = p.points().len();
        self.len = 0;
        for (i, x) in p.points().iter().enumerate() {
            self.push(Corner { x: *x, before: ((i + n - 1) % n) as u8, after: i as u8 });
        }
    }

    fn push(&mut self, c: Corner) {
        if self.len < ROOM {
            self.corners[self.len] = c;
            self.len += 1;
        }
    }

    pub fn corners(&self) -> &[Corner] {
        &self.corners[..self.len]
    }

    /// Puts into `out` what lies where `side` is not negative; false if that is all. A corner
    /// that is out by less than `slack` stays.
    fn cut(&self, side: impl Fn(&Vec3) -> f64, plane: u8, slack: f64, out: &mut Self) -> bool {
        let d = |c: &Corner| side(&c.x);
        if self.corners().iter().all(|c| d(c) >= -slack) {
            return false;
        }
        let n = self.len;
        out.len = 0;
        // an edge is walked once, a polygon all round
        let edges = if n == 2 { 1 } else { n };
        for (i, a) in self.corners().iter().enumerate() {
            let b = &self.corners[(i + 1) % n];
            let (da, db) = (d(a), d(b));
            if da >= -slack {
                out.push(*a);
            }
            // what overhangs by less than the slack counts as on the border
            if i < edges && ((da < -slack && db > 0.0) || (db < -slack && da > 0.0)) {
                let t = (da / (da - db)).clamp(0.0, 1.0);
                let x = a.x + (b.x - a.x) * t;
                let leaves = da >= -slack;
                let (before, after) = if leaves { (a.after, plane) } else { (plane, a.after) };
                out.push(Corner { x, before, after });
            }
        }
        true
    }
}

/// Whether a point is in the prism over the face `base`.
pub(crate) fn is_over(base: &Polygon, x: &Vec3) -> bool {
    let (corners, n) = (base.points(), base.points().len());
    let inside = |(k, a): (usize, &Vec3)| base.normal.cross(&(corners[(k + 1) % n] - a)).dot(&(x - a)) >= 0.0;
    corners.iter().enumerate().all(inside)
}

/// Calls `f` with the corners of the part of `polygon` inside the prism over the face `base`.
pub(crate) fn clip(base: &Polygon, polygon: &Polygon, slack: f64, f: impl FnMut(&Corner)) {
    let (corners, n) = (base.points(), base.points().len());
    let (mut this, mut other) = (Clipped::EMPTY, Clipped::EMPTY);
    let (mut now, mut next) = (&mut this, &mut other);
    now.fill(polygon);
    for (k, a) in corners.iter().enumerate() {
        let inward = base.normal.cross(&(corners[(k + 1) % n] - a));
        let length = inward.norm();
        if length > 0.0 {
            let inward = inward / length;
            if now.cut(|x| inward.dot(&(x - a)), PLANE + k as u8, slack, next) {
                std::mem::swap(&mut now, &mut next);
            }
        }
    }
    now.corners().iter().for_each(f);
}
