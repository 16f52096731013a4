//! The tetrahedra around a vertex by numbers of their neighbours.
//!
//! Blocks whose stars have one pattern read each neighbour once, whatever the number of tetrahedra
//! that it is in. Meshes made by a rule have few patterns; what is irregular is read corner by corner.

use super::incidence::Incidence;

/// Stars of more neighbours are left to the general path.
pub const MAX_RING: usize = 32;

/// The other vertices of a tetrahedron after each of its vertices, in the order that keeps the
/// orientation.
pub const TET_ORDER: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// A star.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Star {
    /// The neighbours, in the order in which tetrahedra name them first.
    pub ring: Vec<u32>,
    /// The other vertices of each tetrahedron, as places in the ring.
    pub tets: Vec<[u8; 3]>,
}

impl Star {
    /// The star of `block`, by elements; `None` where it has none or too many neighbours.
    pub fn at(block: usize, incidence: &Incidence, vertices: impl Fn(usize) -> [u32; 4]) -> Option<Self> {
        let mut star = Self::default();
        for c in incidence.of(block) {
            let v = vertices(c.element());
            let tet = TET_ORDER[c.corner()].map(|i| star.place(v[i]));
            star.tets.push(tet);
        }
        (1..=MAX_RING).contains(&star.ring.len()).then_some(star)
    }

    fn place(&mut self, vertex: u32) -> u8 {
        let found = self.ring.iter().position(|&r| r == vertex);
        let place = found.unwrap_or_else(|| {
            self.ring.push(vertex);
            self.ring.len() - 1
        });
        // beyond the ring's limit the star is dropped
        place.min(255) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_names_each_neighbour_once_and_keeps_orientation() {
        let tets = [[0, 1, 2, 3], [4, 3, 2, 0]];
        let inc = Incidence::new(5, &tets);
        let star = Star::at(0, &inc, |e| tets[e]).unwrap();
        assert_eq!((star.ring, star.tets), (vec![1, 2, 3, 4], vec![[0, 1, 2], [3, 1, 2]]));
        assert!(Star::at(0, &Incidence::new(5, &tets[..0]), |e| tets[e]).is_none());
    }
}
