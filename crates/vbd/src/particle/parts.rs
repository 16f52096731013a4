//! Sums over the components of a mesh, in parts of fixed size: no bit depends on threads.
//!
//! A part is a run of slots of one component. Parts are summed side by side, then added up in order.
//! Serves section 10 of `docs/theory/vbd.md`.

use std::ops::{AddAssign, Range};

use rayon::prelude::*;

/// Slots of a part at most: enough to outweigh a task.
const LARGEST: usize = 1024;

/// The blocks of a view by component of their mesh.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    /// Component of each slot. Shape: \[particle_count\].
    component: Vec<u32>,
    count: usize,
    /// Component and slots of each part.
    parts: Vec<(u32, Range<u32>)>,
}

impl Parts {
    /// Of `blocks` slots, from the component of every slot and the number of components.
    pub fn new(component: Vec<u32>, count: usize, blocks: usize) -> Self {
        let mut parts: Vec<(u32, Range<u32>)> = Vec::new();
        for (slot, &c) in (0..blocks as u32).zip(&component) {
            match parts.last_mut() {
                Some((of, run)) if *of == c && run.len() < LARGEST => run.end = slot + 1,
                _ => parts.push((c, slot..slot + 1)),
            }
        }
        Self { component, count, parts }
    }

    /// Number of components.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The component of a slot.
    pub fn of(&self, slot: usize) -> usize {
        self.component[slot] as usize
    }

    /// Memory for [`sum`](Self::sum).
    pub fn reserve<T>(&self, (partial, totals): (&mut Vec<T>, &mut Vec<T>)) {
        partial.reserve(self.parts.len().saturating_sub(partial.len()));
        totals.reserve(self.count.saturating_sub(totals.len()));
    }

    /// Σ of each component into `totals`: `eval` gives the sum over a run of slots, and is asked only
    /// about components that `counts`. `partial` is memory.
    pub fn sum<T: Copy + Default + AddAssign + Send>(
        &self,
        (partial, totals): (&mut Vec<T>, &mut Vec<T>),
        parallel: bool,
        counts: impl Fn(usize) -> bool + Sync,
        eval: impl Fn(Range<usize>) -> T + Sync,
    ) {
        let of = |(component, run): &(u32, Range<u32>)| match counts(*component as usize) {
            true => eval(run.start as usize..run.end as usize),
            false => T::default(),
        };
        partial.resize(self.parts.len(), T::default());
        if parallel {
            let min = self.parts.len().div_ceil(4 * rayon::current_num_threads()).max(1);
            let each = self.parts.par_iter().with_min_len(min).zip(&mut *partial);
            each.for_each(|(part, out)| *out = of(part));
        } else {
            self.parts.iter().zip(&mut *partial).for_each(|(part, out)| *out = of(part));
        }
        totals.clear();
        totals.resize(self.count, T::default());
        for ((component, _), &sum) in self.parts.iter().zip(&*partial) {
            totals[*component as usize] += sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_component_has_the_sum_of_its_slots_at_any_number_of_threads() {
        let component: Vec<u32> = (0..5000).map(|s| if s < 3000 { 0 } else { 1 + s % 2 }).collect();
        let parts = Parts::new(component.clone(), 4, 4500);
        let weight = |s: usize| 1.0 / (1.0 + s as f64);
        let sums = |parallel| {
            let (mut partial, mut totals) = (Vec::new(), Vec::new());
            let eval = |run: Range<usize>| run.map(weight).sum::<f64>();
            parts.sum((&mut partial, &mut totals), parallel, |c| c != 2, eval);
            totals
        };
        let exact = |c| (0..4500).filter(|&s| component[s] == c).map(weight).sum::<f64>();
        let found = sums(false);
        assert_eq!(found, sums(true));
        assert_eq!((found.len(), found[2], found[3]), (4, 0.0, 0.0));
        assert!((0..2).all(|c| (found[c] - exact(c as u32)).abs() < 1e-12 && found[c] > 0.1));
    }
}
