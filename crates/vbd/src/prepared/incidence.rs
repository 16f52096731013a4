//! Which elements meet at a block: compressed lists.

/// An element and which of its vertices the block is, packed as `element << 2 | corner`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Corner(pub u32);

impl Corner {
    /// Packs; elements beyond 2^30 do not fit.
    pub fn new(element: usize, corner: usize) -> Self {
        assert!(element < 1 << 30, "more than 2^30 elements of one kind");
        Self((element << 2 | corner) as u32)
    }

    /// Index of the element record.
    #[inline(always)]
    pub fn element(self) -> usize {
        (self.0 >> 2) as usize
    }

    /// Which vertex of the element.
    #[inline(always)]
    pub fn corner(self) -> usize {
        (self.0 & 3) as usize
    }
}

/// Corners by block, CSR.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Incidence {
    /// Start of each block's corners. Shape: \[block_count + 1\].
    pub start: Vec<u32>,
    /// Corners, by block, then by element.
    pub entries: Vec<Corner>,
}

impl Incidence {
    /// From the vertices (slots) of each element; slots from `blocks` on have no list.
    pub fn new<const N: usize>(blocks: usize, elements: &[[u32; N]]) -> Self {
        let corners = || {
            let of = |(e, vs): (usize, &[u32; N])| {
                let vs = *vs;
                (0..N).map(move |k| (vs[k] as usize, Corner::new(e, k)))
            };
            elements.iter().enumerate().flat_map(of).filter(|&(slot, _)| slot < blocks)
        };
        let mut start = vec![0_u32; blocks + 1];
        corners().for_each(|(slot, _)| start[slot + 1] += 1);
        for b in 0..blocks {
            start[b + 1] += start[b];
        }
        let mut next = start.clone();
        let mut entries = vec![Corner(0); start[blocks] as usize];
        for (slot, corner) in corners() {
            entries[next[slot] as usize] = corner;
            next[slot] += 1;
        }
        Self { start, entries }
    }

    /// The corners of a block.
    #[inline(always)]
    pub fn of(&self, block: usize) -> &[Corner] {
        &self.entries[self.start[block] as usize..self.start[block + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_corner_is_listed_once_in_order_of_elements() {
        let inc = Incidence::new(3, &[[2, 0, 5], [0, 1, 2]]);
        let of = |b| inc.of(b).iter().map(|c| (c.element(), c.corner())).collect::<Vec<_>>();
        assert_eq!(of(0), [(0, 1), (1, 0)]);
        assert_eq!(of(1), [(1, 1)]);
        assert_eq!(of(2), [(0, 0), (1, 2)]);
    }
}
