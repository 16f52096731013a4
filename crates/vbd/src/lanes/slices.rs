//! Sliced lists: what the blocks of one group meet, one lane per block.
//!
//! A group is up to N consecutive blocks of one color. Its list of one kind of element has as many
//! entries as the block of the group that meets most; the lanes of the others end in padding, an
//! element of zeros on the block alone, which gives a finite zero. Blocks of a color are sorted by
//! how much they meet (`prepared/layout.rs`), so padding is rare.

use std::ops::Range;

use crate::prepared::{Corner, Incidence, Layout};

/// The groups of all colors.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    /// Blocks of each group.
    pub blocks: Vec<Range<usize>>,
    /// Whether the blocks of a group are fans, of one size.
    pub is_fan: Vec<bool>,
    /// Whether their tetrahedra are stars of one pattern.
    pub is_star: Vec<bool>,
    /// Start of each color's groups. Shape: \[color_count + 1\].
    pub color_start: Vec<usize>,
}

impl Groups {
    /// Cuts every color into groups of up to `lanes`; fans of one size stay among themselves, stars of
    /// one pattern too.
    pub fn new(layout: &Layout, lanes: usize) -> Self {
        let mut groups = Self { color_start: vec![0], ..Self::default() };
        let kind = |slot: usize| (layout.sectors[slot], layout.patterns[slot]);
        for c in 0..layout.color_count() {
            let color = layout.color(c);
            let mut start = color.start;
            while start < color.end {
                let (sectors, pattern) = kind(start);
                let end = (start..color.end).find(|&s| kind(s) != kind(start)).unwrap_or(color.end);
                let starts = (start..end).step_by(lanes);
                groups.blocks.extend(starts.map(|s| s..(s + lanes).min(end)));
                groups.is_fan.resize(groups.blocks.len(), sectors > 0);
                groups.is_star.resize(groups.blocks.len(), pattern > 0);
                start = end;
            }
            groups.color_start.push(groups.blocks.len());
        }
        groups
    }

    /// The groups of a color.
    pub fn color(&self, c: usize) -> Range<usize> {
        self.color_start[c]..self.color_start[c + 1]
    }
}

/// Asks the caches for the entry `ahead` of one in its table. The processor does so by itself only
/// within a page, and an entry is a good part of it.
#[inline(always)]
pub fn prefetch<E>(entry: &E, ahead: usize) {
    #[cfg(target_arch = "x86_64")]
    for line in 0..size_of::<E>() / 64 {
        let at = std::ptr::from_ref(entry).wrapping_add(ahead).wrapping_byte_add(64 * line);
        // SAFETY: any address may be asked for
        unsafe { std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(at.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (entry, ahead);
}

/// One list per group.
#[derive(Clone, Debug)]
pub struct Slices<E> {
    /// Start of each group's entries. Shape: \[group_count + 1\].
    start: Vec<u32>,
    entries: Vec<E>,
}

impl<E> Default for Slices<E> {
    fn default() -> Self {
        Self { start: vec![0], entries: Vec::new() }
    }
}

impl<E> Slices<E> {
    /// Fills the list of every group with what `of` yields for it. Memory is used again.
    pub fn fill_with<I: IntoIterator<Item = E>>(&mut self, groups: &Groups, of: impl Fn(usize) -> I) {
        self.start.clear();
        self.entries.clear();
        self.start.push(0);
        for g in 0..groups.blocks.len() {
            self.entries.extend(of(g));
            self.start.push(self.entries.len() as u32);
        }
    }

    /// Fills the lists of all groups: `entry(blocks, corners)` packs one corner per lane that `keep`
    /// keeps in the group, `None` where a lane has no more. Memory is used again.
    pub fn fill<const N: usize>(
        &mut self,
        groups: &Groups,
        incidence: &Incidence,
        keep: impl Fn(usize, Corner) -> bool,
        entry: impl Fn(&Range<usize>, [Option<Corner>; N]) -> E,
    ) {
        self.start.clear();
        self.entries.clear();
        self.start.push(0);
        for (g, blocks) in groups.blocks.iter().enumerate() {
            let mut lanes: [_; N] = std::array::from_fn(|l| {
                let corners = blocks.clone().nth(l).map_or(&[][..], |slot| incidence.of(slot));
                corners.iter().copied().filter(|&c| keep(g, c))
            });
            let longest = lanes.iter().map(|c| c.clone().count()).max().unwrap_or(0);
            for _ in 0..longest {
                self.entries.push(entry(blocks, std::array::from_fn(|l| lanes[l].next())));
            }
            self.start.push(self.entries.len() as u32);
        }
    }

    /// The entries of a group.
    #[inline(always)]
    pub fn of(&self, group: usize) -> &[E] {
        &self.entries[self.start[group] as usize..self.start[group + 1] as usize]
    }

    /// All entries.
    pub fn entries(&self) -> &[E] {
        &self.entries
    }

    /// All entries, to be changed.
    pub fn entries_mut(&mut self) -> &mut [E] {
        &mut self.entries
    }
}
