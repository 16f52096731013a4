//! Whether the triangles and hinges at a vertex close to one fan, and in which order it is walked.
//!
//! Sector k of a fan is the triangle (x, r_k, r_{k+1}); the hinge across from x lies on its edge
//! r_k r_{k+1}, the hinge of its spoke on x r_k. All must be oriented alike. What is no fan (a
//! boundary, three triangles at an edge, mixed orientation) is evaluated element by element.

use super::incidence::{Corner, Incidence};

/// Fans of more sectors are left to the general path.
pub const MAX_SECTORS: usize = 8;

/// One sector of a fan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FanSector {
    /// The triangle, and which corner x is.
    pub triangle: Corner,
    /// r_k.
    pub ring: u32,
    /// The tip beyond the edge r_k r_{k+1}; r_k where there is no hinge.
    pub outer: u32,
    /// The hinge on that edge.
    pub tip: Option<Corner>,
    /// The hinge on the edge x r_k.
    pub spoke: Option<Corner>,
}

/// A closed fan.
#[derive(Clone, Copy, Debug)]
pub struct Fan {
    sectors: [FanSector; MAX_SECTORS],
    count: usize,
}

impl Fan {
    /// Its sectors, in order.
    pub fn sectors(&self) -> &[FanSector] {
        &self.sectors[..self.count]
    }

    /// Walks the triangles and hinges at `block`; `None` where they are no closed fan. The first
    /// triangle of the block is sector 0.
    pub fn at(
        block: usize,
        (triangles, triangle): (&Incidence, impl Fn(usize) -> [u32; 3]),
        (hinges, hinge): (&Incidence, impl Fn(usize) -> [u32; 4]),
    ) -> Option<Self> {
        let mut fan = Self::of_triangles(triangles.of(block), triangle)?;
        hinges.of(block).iter().all(|&c| fan.add_hinge(c, hinge(c.element()))).then_some(fan)
    }

    fn of_triangles(corners: &[Corner], vertices: impl Fn(usize) -> [u32; 3]) -> Option<Self> {
        const OTHERS: [[usize; 2]; 3] = [[1, 2], [2, 0], [0, 1]];
        if !(3..=MAX_SECTORS).contains(&corners.len()) {
            return None;
        }
        let ends = |c: Corner| OTHERS[c.corner()].map(|i| vertices(c.element())[i]);
        let first = corners[0];
        let empty = FanSector { triangle: first, ring: 0, outer: 0, tip: None, spoke: None };
        let mut fan = Self { sectors: [empty; MAX_SECTORS], count: 0 };
        let [start, mut next] = ends(first);
        (fan.sectors[0].ring, fan.sectors[0].outer, fan.count) = (start, start, 1);
        while fan.count < corners.len() {
            let mut follow = corners.iter().filter(|&&c| ends(c)[0] == next);
            let (Some(&c), None) = (follow.next(), follow.next()) else { return None };
            if next == start {
                return None;
            }
            fan.sectors[fan.count] = FanSector { triangle: c, ring: next, outer: next, ..empty };
            (fan.count, next) = (fan.count + 1, ends(c)[1]);
        }
        (next == start).then_some(fan)
    }

    /// Puts a hinge where it belongs; false where it has no place.
    fn add_hinge(&mut self, c: Corner, v: [u32; 4]) -> bool {
        // as seen from x: (x, outer, r_k, r_{k+1}), or (r_{k+1}, r_{k-1}, x, r_k)
        const SEEN: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [1, 0, 2]];
        let [p, q, r] = SEEN[c.corner()].map(|i| v[i]);
        let n = self.count;
        let ring = |k: usize| self.sectors[k % n].ring;
        let place = if c.corner() < 2 {
            (0..n).find(|&k| ring(k) == q && ring(k + 1) == r)
        } else {
            (0..n).find(|&k| ring(k) == r && ring(k + 1) == p && ring(k + n - 1) == q)
        };
        let Some(sector) = place.map(|k| &mut self.sectors[k]) else { return false };
        let slot = if c.corner() < 2 {
            sector.outer = p;
            &mut sector.tip
        } else {
            &mut sector.spoke
        };
        slot.replace(c).is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ring of four about vertex 0 with one hinge of each kind.
    fn fan(triangles: &[[u32; 3]], hinges: &[[u32; 4]]) -> Option<Fan> {
        let (t, h) = (Incidence::new(1, triangles), Incidence::new(1, hinges));
        Fan::at(0, (&t, |e| triangles[e]), (&h, |e| hinges[e]))
    }

    #[test]
    fn a_closed_fan_is_walked_from_its_first_triangle() {
        let triangles = [[0, 2, 3], [4, 1, 0], [3, 4, 0], [2, 0, 1]];
        let f = fan(&triangles, &[[0, 9, 2, 3], [2, 4, 0, 1]]).expect("closed");
        let rings: Vec<_> = f.sectors().iter().map(|s| s.ring).collect();
        assert_eq!(rings, [2, 3, 4, 1]);
        assert_eq!((f.sectors()[0].outer, f.sectors()[0].tip.map(Corner::corner)), (9, Some(0)));
        assert_eq!(f.sectors()[3].spoke.map(Corner::corner), Some(2));
        // the same hinges from their other side
        let g = fan(&triangles, &[[9, 0, 3, 2], [4, 2, 1, 0]]).expect("closed");
        assert_eq!((g.sectors()[0].outer, g.sectors()[0].tip.map(Corner::corner)), (9, Some(1)));
        assert_eq!(g.sectors()[3].spoke.map(Corner::corner), Some(3));
    }

    #[test]
    fn what_is_open_or_turned_or_meets_itself_is_no_fan() {
        let closed = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1]];
        assert!(fan(&closed, &[]).is_some());
        assert!(fan(&closed[..3], &[]).is_none());
        assert!(fan(&[[0, 1, 2], [0, 2, 3], [0, 4, 3], [0, 4, 1]], &[]).is_none());
        let two = [[0, 1, 2], [0, 2, 3], [0, 3, 1], [0, 4, 5], [0, 5, 6], [0, 6, 4]];
        assert!(fan(&two, &[]).is_none());
        // a hinge turned against the triangles, and one twice
        assert!(fan(&closed, &[[0, 9, 2, 1]]).is_none());
        assert!(fan(&closed, &[[0, 9, 1, 2], [0, 8, 1, 2]]).is_none());
    }
}
