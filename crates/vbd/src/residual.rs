//! Force residuals of many blocks, summed.

use coact_solver::Residual;

/// Sums over blocks \[N\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ResidualSums {
    /// The largest.
    pub max: f64,
    /// Sum of squares.
    pub sum_sq: f64,
    /// Number of blocks.
    pub count: usize,
}

impl ResidualSums {
    /// One more block, by the square of its force.
    pub fn add(&mut self, square: f64) {
        self.join(&Self { max: square.sqrt(), sum_sq: square, count: 1 });
    }

    /// All blocks of `other`.
    pub fn join(&mut self, other: &Self) {
        self.max = self.max.max(other.max);
        self.sum_sq += other.sum_sq;
        self.count += other.count;
    }

    /// Largest and root mean square.
    pub fn residual(&self) -> Residual {
        Residual { max: self.max, rms: (self.sum_sq / self.count.max(1) as f64).sqrt() }
    }
}
