//! The way of a particle, as far as its set allows: `docs/theory/self-contact.md` eq. (25), (26).

use coact_math::Vec3;

use super::bounds::{Bounds, Place};
use super::planes::HalfSpace;

/// Passes over the planes and balls of a particle before what is left is cut off its way.
const PROJECTIONS: usize = 3;

/// The way of a particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Way {
    /// Where it is, in its set \[m\].
    pub from: Vec3,
    /// Where it wants to be \[m\].
    pub to: Vec3,
    /// What it keeps to planes beyond what they ask, where it has that already \[m\]: eq. (30).
    pub apart: f64,
}

/// What a bound did to a particle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cut {
    /// Where the particle may be \[m\].
    pub x: Vec3,
    /// How much was cut off \[m\].
    pub length: f64,
    /// The part of its way since detection that a ball cut off, in \[0, 1\].
    pub by_ball: f64,
    /// Whether nothing but rounding was cut off: planes gave way.
    pub is_rounding: bool,
}

impl Bounds {
    /// eq. (25): where a particle in its set, at `way.from`, ends that wants to go to `way.to`; `None` =
    /// there. `x`: where all particles are, each in its set; planes move where they have room.
    pub fn limit(&mut self, slot: usize, way: &Way, x: impl Fn(usize) -> Vec3) -> Option<Cut> {
        let &Way { from, to, apart } = way;
        if self.holds(slot, &to) && (apart == 0.0 || self.is_apart(slot, way, &to)) {
            return None;
        }
        let (mut end, mut by_ball) = (to, 0.0_f64);
        for pass in 0..PROJECTIONS {
            end = self.off_planes(slot, way, end, &x);
            if pass == 0 {
                by_ball = self.part_beyond_balls(slot, &end);
            }
            end = self.inside_balls(slot, end);
            if self.holds(slot, &end) {
                break;
            }
        }
        let t = self.part_inside(slot, way, &end);
        let kept = from + (end - from) * t;
        let length = (kept - to).norm();
        Some(Cut { x: kept, length, by_ball, is_rounding: length <= self.epsilon })
    }

    /// eq. (30): what a particle must keep to a half-space on its way, beyond what the set asks \[m\].
    fn kept(&self, slot: usize, way: &Way, h: &HalfSpace) -> f64 {
        if way.apart > 0.0 { way.apart.min(self.place(slot, &way.from).depth(h)).max(0.0) } else { 0.0 }
    }

    fn is_apart(&self, slot: usize, way: &Way, x: &Vec3) -> bool {
        let place = self.place(slot, x);
        self.half_spaces_of(slot).all(|h| place.depth(&h) >= self.kept(slot, way, &h))
    }

    /// Moves a particle off the planes that it has passed, along their normals, where they do not
    /// give way.
    fn off_planes(&mut self, slot: usize, way: &Way, mut end: Vec3, x: &impl Fn(usize) -> Vec3) -> Vec3 {
        let turn = self.frames[self.component[slot] as usize].turn;
        for k in self.start[slot]..self.start[slot + 1] {
            let c = self.corners[k as usize];
            let (row, corner) = (c.element(), c.corner());
            let place = self.place(slot, &end);
            let before = self.planes[row].half_space(corner);
            let kept = self.kept(slot, way, &before);
            let need = kept - place.depth(&before);
            if need <= 0.0 {
                continue;
            }
            let room = self.room_across(row, corner, x);
            self.planes[row].give_way(corner, need, room);
            let h = self.planes[row].half_space(corner);
            let lacking = kept - place.depth(&h);
            if lacking > 0.0 {
                end += if h.cross { h.n } else { turn * h.n } * lacking;
            }
        }
        end
    }

    /// How far the side across from a corner is from where the plane stops it \[m\].
    fn room_across(&self, row: usize, corner: usize, x: &impl Fn(usize) -> Vec3) -> f64 {
        let plane = &self.planes[row];
        let depth = |k: usize| {
            let slot = plane.v[k] as usize;
            self.place(slot, &x(slot)).depth(&plane.half_space(k))
        };
        plane.across(corner).map(depth).fold(f64::INFINITY, f64::min)
    }

    /// The part of its way since detection that is beyond the balls.
    fn part_beyond_balls(&self, slot: usize, end: &Vec3) -> f64 {
        let place = self.place(slot, end);
        let beyond = |way: &Vec3, radius: f64| 1.0 - (radius / way.norm()).min(1.0);
        beyond(&place.w, self.own[slot]).max(beyond(&place.w_common, self.cross[slot]))
    }

    /// The nearest place in the ball of the component, then in the common one.
    fn inside_balls(&self, slot: usize, mut end: Vec3) -> Vec3 {
        let x_ref = self.x_ref[slot];
        let length = |w: &Vec3| w.norm();
        let w = self.place(slot, &end).w;
        if length(&w) > self.own[slot] {
            let frame = &self.frames[self.component[slot] as usize];
            end = frame.place(&(x_ref + w * (self.own[slot] / length(&w))));
        }
        let w = self.place(slot, &end).w_common;
        if length(&w) > self.cross[slot] {
            end = x_ref + self.common.shift + w * (self.cross[slot] / length(&w));
        }
        end
    }

    /// The largest t in \[0, 1\] for which `way.from` + t (`end` − `way.from`) is in the set.
    fn part_inside(&self, slot: usize, way: &Way, end: &Vec3) -> f64 {
        let (a, b): (Place, Place) = (self.place(slot, &way.from), self.place(slot, end));
        let balls = part_in_ball(&a.w, &b.w, self.own[slot]).min(part_in_ball(
            &a.w_common,
            &b.w_common,
            self.cross[slot],
        ));
        let planes = self.half_spaces_of(slot).map(|h| {
            let kept = self.kept(slot, way, &h);
            let (start, stop) = ((a.depth(&h) - kept).max(0.0), b.depth(&h) - kept);
            if stop < 0.0 { start / (start - stop) } else { 1.0 }
        });
        planes.fold(balls, f64::min)
    }
}

/// The largest t in \[0, 1\] with |a + t (b − a)| ≤ radius, for |a| ≤ radius.
fn part_in_ball(a: &Vec3, b: &Vec3, radius: f64) -> f64 {
    let way = b - a;
    if b.norm_squared() <= radius * radius || way == Vec3::zeros() {
        return 1.0;
    }
    let (square, along) = (way.norm_squared(), a.dot(&way));
    let left = (radius * radius - a.norm_squared()).max(0.0);
    let t = ((along * along + square * left).sqrt() - along) / square;
    t.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use coact_testkit::Random;

    #[test]
    fn a_way_out_of_a_ball_ends_on_its_rim() {
        let mut rng = Random::new(7);
        for _ in 0..100 {
            let (a, b) = (rng.vector(0.5), rng.vector(4.0));
            if a.norm() > 1.0 || b.norm() < 1.0 {
                continue;
            }
            let t = part_in_ball(&a, &b, 1.0);
            assert!(((a + (b - a) * t).norm() - 1.0).abs() < 1e-12 && t > 0.0 && t < 1.0);
        }
        assert_eq!(part_in_ball(&Vec3::x(), &(Vec3::x() * 2.0), 1.0), 0.0);
        assert_eq!(part_in_ball(&Vec3::x(), &Vec3::y(), f64::INFINITY), 1.0);
        let out = Vec3::x() * 1.000001;
        assert_eq!(part_in_ball(&out, &out, 1.0), 1.0, "who does not move needs no part of its way");
    }
}
