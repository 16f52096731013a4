//! Multipliers of earlier steps, and what they let expect: `docs/theory/admm-coupling.md` eq. (10).
//!
//! The order of the extrapolation is chosen link by link: the one that would have done best last time.
//! After an impact that is the lowest, in smooth motion the highest.

use std::ops::Range;

/// Multipliers of the last steps, newest first.
const DEPTH: usize = 3;

/// Multipliers of all rows of all links.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    history: Vec<[f64; DEPTH]>,
    /// How many of them are of consecutive steps.
    depth: Vec<usize>,
    /// Squared error that each order made last time, per row.
    error: Vec<[f64; DEPTH]>,
    /// Whether the row was kept in this step.
    kept: Vec<bool>,
}

fn extrapolate(h: &[f64; DEPTH], order: usize) -> f64 {
    match order {
        0 => h[0],
        1 => 2.0 * h[0] - h[1],
        _ => 3.0 * (h[0] - h[1]) + h[2],
    }
}

impl Memory {
    pub fn new(rows: usize) -> Self {
        let none = [0.0; DEPTH];
        Self {
            history: vec![none; rows],
            depth: vec![0; rows],
            error: vec![none; rows],
            kept: vec![false; rows],
        }
    }

    /// Copies into existing memory.
    pub fn copy_from(&mut self, o: &Self) {
        self.history.clone_from(&o.history);
        self.depth.clone_from(&o.depth);
        self.error.clone_from(&o.error);
        self.kept.clone_from(&o.kept);
    }

    /// A new step begins.
    pub fn begin_step(&mut self) {
        self.kept.fill(false);
    }

    /// The order for the rows of one link.
    pub fn order(&self, link: Range<usize>) -> usize {
        let depth = link.clone().map(|i| self.depth[i]).min().unwrap_or(0);
        let error = |order: usize| link.clone().map(|i| self.error[i][order]).sum::<f64>();
        (0..depth).fold(0, |best, order| if error(order) < error(best) { order } else { best })
    }

    /// What a row is expected to need.
    pub fn predict(&self, row: usize, order: usize) -> f64 {
        if self.depth[row] == 0 { 0.0 } else { extrapolate(&self.history[row], order) }
    }

    /// Takes note of what a row needed. What is no number is forgotten.
    pub fn keep(&mut self, row: usize, lambda: f64) {
        let h = &mut self.history[row];
        for order in 0..DEPTH {
            let known = order < self.depth[row];
            let off = if known { extrapolate(h, order) - lambda } else { f64::INFINITY };
            self.error[row][order] = off * off;
        }
        *h = [lambda, h[0], h[1]];
        self.depth[row] = (self.depth[row] + 1).min(DEPTH);
        self.kept[row] = lambda.is_finite();
    }

    /// Rows that did not act in this step start anew when they act again.
    pub fn end_step(&mut self) {
        for (depth, kept) in self.depth.iter_mut().zip(&self.kept) {
            if !kept {
                *depth = 0;
            }
        }
    }

    /// Forgets some rows.
    pub fn forget(&mut self, rows: Range<usize>) {
        self.depth[rows].fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_follows_what_would_have_done_best() {
        let mut m = Memory::new(1);
        assert_eq!((m.order(0..1), m.predict(0, 0)), (0, 0.0));
        let step = |m: &mut Memory, lambda: f64| {
            m.begin_step();
            m.keep(0, lambda);
            m.end_step();
        };
        for t in 0..5 {
            step(&mut m, f64::from(t * t));
        }
        // a parabola is continued exactly
        assert_eq!((m.order(0..1), m.predict(0, m.order(0..1))), (2, 25.0));
        // a jump makes the lowest order best
        step(&mut m, -100.0);
        step(&mut m, -100.0);
        assert_eq!(m.predict(0, m.order(0..1)), -100.0);
        m.begin_step();
        m.end_step();
        assert_eq!(m.predict(0, m.order(0..1)), 0.0);
    }

    #[test]
    fn what_is_no_number_is_forgotten() {
        let mut m = Memory::new(1);
        m.begin_step();
        m.keep(0, f64::NAN);
        m.end_step();
        assert_eq!(m.predict(0, 0), 0.0);
    }
}
