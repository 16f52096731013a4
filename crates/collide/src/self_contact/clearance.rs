//! Clearances of points: docs/theory/self-contact.md eq. (6), (7).

use std::sync::atomic::AtomicU32;

/// One number per point, lowered by many threads.
#[derive(Debug)]
pub struct Clearance {
    pub cells: Vec<AtomicU32>,
    pub values: Vec<f32>,
}

impl Clearance {
    /// Of `count` points, all 0.
    pub fn new(count: usize) -> Self {
        Self { cells: (0..count).map(|_| AtomicU32::new(0)).collect(), values: vec![0.0; count] }
    }

    /// Sets all to `x`.
    pub fn fill(&mut self, x: f32) {
        for c in &mut self.cells {
            *c.get_mut() = x.to_bits();
        }
    }

    /// Copies what was found to `values`.
    pub fn publish(&mut self) {
        for (v, c) in self.values.iter_mut().zip(&mut self.cells) {
            *v = f32::from_bits(*c.get_mut());
        }
    }
}
