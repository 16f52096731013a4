//! Interface quasi-Newton by least squares (IQN-ILS): `docs/theory/acceleration.md` eq. (4)–(8).
//!
//! With F = G(x) − x and the secants ΔF, ΔG of earlier passes: α of least |F + ΔF α|, then
//! x ← G(x) + ΔG α. Without secants it is the plain pass. Two things make it safe: a secant that adds
//! little to newer ones is left out, and where an accelerated pass did not lower the residual the
//! secants of earlier steps go and the plain pass is taken.

use coact_solver::Snapshot;

use super::columns::{Columns, LeastSquares};
use super::{Acceleration, BadSetting, dot};

/// Secants kept at most: more would be noise of passes long gone.
const MOST_COLUMNS: usize = 24;

/// Settings of [`Iqn`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IqnOptions {
    /// From how many earlier steps secants are used again.
    pub reuse: usize,
    /// Share of itself that a secant must add to the newer ones, in \[0, 1).
    pub filter: f64,
}

impl Default for IqnOptions {
    fn default() -> Self {
        Self { reuse: 4, filter: 1e-2 }
    }
}

impl IqnOptions {
    pub(crate) fn check(self) -> Result<(), BadSetting> {
        if (0.0..1.0).contains(&self.filter) {
            return Ok(());
        }
        Err((
            "quasi-Newton filter",
            self.filter.to_string(),
            "write a share from 0 to below 1; 0.01 is usual",
        ))
    }
}

/// Interface quasi-Newton.
#[derive(Clone, Debug, Default)]
pub struct Iqn {
    options: IqnOptions,
    weights: Vec<f64>,
    columns: Columns,
    squares: LeastSquares,
    /// F and G of the last pass, and its norm.
    f: Vec<f64>,
    g: Vec<f64>,
    size: f64,
    /// Whether the last pass was accelerated.
    accelerated: bool,
    alpha: Vec<(usize, f64)>,
}

impl Iqn {
    /// With its settings.
    pub fn new(options: IqnOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Takes down what the last pass and this one tell; the guard.
    fn learn(&mut self, pass: usize, x: &[f64], g: &[f64], size: f64) {
        if pass == 0 {
            self.columns.grow_older(self.options.reuse);
            return;
        }
        let (f, before) = (&self.f, &self.g);
        self.columns.push(|i| g[i] - x[i] - f[i], |i| g[i] - before[i]);
        if self.accelerated && !is_less(size, self.size) {
            self.columns.drop_older();
        }
    }

    fn remember(&mut self, x: &[f64], g: &[f64], size: f64) {
        for (i, f) in self.f.iter_mut().enumerate() {
            (*f, self.g[i]) = (g[i] - x[i], g[i]);
        }
        self.size = size;
    }
}

/// Whether a residual is smaller than another; what is no number is not.
fn is_less(size: f64, than: f64) -> bool {
    size < than
}

impl Acceleration for Iqn {
    fn begin_step(&mut self, weights: &[f64]) {
        let (rows, capacity) = (weights.len(), MOST_COLUMNS.min(weights.len()));
        self.weights.clear();
        self.weights.extend_from_slice(weights);
        self.columns.reserve(rows, capacity);
        self.squares.reserve(rows, capacity);
        self.f.resize(rows, 0.0);
        self.g.resize(rows, 0.0);
        self.alpha.reserve(capacity.saturating_sub(self.alpha.len()));
    }

    fn apply(&mut self, pass: usize, x: &[f64], g: &mut [f64]) -> bool {
        let difference = |i: usize| g[i] - x[i];
        let size =
            self.weights.iter().enumerate().map(|(i, w)| (w * difference(i)).powi(2)).sum::<f64>().sqrt();
        let worse = pass > 0 && self.accelerated && !is_less(size, self.size);
        self.learn(pass, x, g, size);
        self.remember(x, g, size);
        self.accelerated = !worse && size > 0.0 && self.columns.count() > 0;
        if !self.accelerated {
            return false;
        }
        self.squares.solve(&self.columns, &self.weights, &self.f, self.options.filter, &mut self.alpha);
        self.columns.add(&self.alpha, g);
        // what is no number is no step: the plain one is
        if !dot(&self.weights, g, g).is_finite() {
            g.copy_from_slice(&self.g);
            self.accelerated = false;
        }
        self.accelerated
    }

    fn forget(&mut self) {
        self.columns.clear();
    }

    fn save_into(&self, to: &mut Snapshot) {
        to.slot::<Columns>().copy_from(&self.columns);
    }

    fn restore(&mut self, from: &Snapshot) {
        if let Some(saved) = from.get::<Columns>() {
            self.columns.copy_from(saved);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G(x) = A x + b with a matrix that does not contract.
    fn affine(x: &[f64]) -> [f64; 4] {
        let a = [[0.2, -1.5, 0.3, 0.0], [0.9, -2.0, 0.1, 0.4], [0.0, 0.7, 1.6, -0.2], [0.3, 0.0, -0.5, -3.0]];
        let b = [1.0, -2.0, 0.5, 3.0];
        std::array::from_fn(|i| b[i] + a[i].iter().zip(x).map(|(a, x)| a * x).sum::<f64>())
    }

    fn passes(iqn: &mut Iqn, x: &mut [f64; 4], weights: &[f64; 4]) -> usize {
        iqn.begin_step(weights);
        for pass in 0..40 {
            let mut g = affine(x);
            if g.iter().zip(x.iter()).all(|(g, x)| (g - x).abs() < 1e-9) {
                return pass;
            }
            iqn.apply(pass, x, &mut g);
            *x = g;
        }
        40
    }

    #[test]
    fn an_affine_fixed_point_is_found_in_one_pass_more_than_rows_where_plain_passes_diverge() {
        let mut iqn = Iqn::new(IqnOptions { filter: 1e-9, ..IqnOptions::default() });
        let mut x = [0.0; 4];
        let taken = passes(&mut iqn, &mut x, &[1.0, 0.1, 10.0, 1.0]);
        assert!(taken <= 6, "{taken}");
        let g = affine(&x);
        assert!(g.iter().zip(&x).all(|(g, x)| (g - x).abs() < 1e-9));
    }

    /// Secants of the last step solve the next one in one pass; after `forget` they do not.
    #[test]
    fn secants_of_earlier_steps_are_used_again() {
        let mut iqn = Iqn::new(IqnOptions { filter: 1e-9, ..IqnOptions::default() });
        passes(&mut iqn, &mut [0.0; 4], &[1.0; 4]);
        assert!(passes(&mut iqn, &mut [9.0, 1.0, -3.0, 2.0], &[1.0; 4]) <= 2);
        iqn.forget();
        assert!(passes(&mut iqn, &mut [9.0, 1.0, -3.0, 2.0], &[1.0; 4]) >= 4);
        let mut fresh = Iqn::new(IqnOptions { reuse: 0, filter: 1e-9 });
        passes(&mut fresh, &mut [0.0; 4], &[1.0; 4]);
        assert!(passes(&mut fresh, &mut [9.0, 1.0, -3.0, 2.0], &[1.0; 4]) >= 4);
    }

    /// A secant that lies about the map makes the residual grow: the next pass is plain.
    #[test]
    fn a_pass_that_did_not_help_is_followed_by_a_plain_one() {
        let mut iqn = Iqn::new(IqnOptions::default());
        iqn.begin_step(&[1.0, 1.0]);
        assert!(!iqn.apply(0, &[0.0, 0.0], &mut [1.0, 0.0]));
        assert!(iqn.apply(1, &[1.0, 0.0], &mut [1.5, 0.0]));
        let mut g = [9.0, 4.0];
        assert!(!iqn.apply(2, &[2.0, 0.0], &mut g));
        assert_eq!(g, [9.0, 4.0]);
    }

    #[test]
    fn what_is_no_number_is_never_made_of_numbers() {
        let mut iqn = Iqn::new(IqnOptions::default());
        iqn.begin_step(&[1.0]);
        iqn.apply(0, &[0.0], &mut [f64::NAN]);
        let mut g = [1.0];
        iqn.apply(1, &[0.5], &mut g);
        assert_eq!(g, [1.0]);
    }

    #[test]
    fn memory_saves_and_restores_exactly() {
        let mut iqn = Iqn::new(IqnOptions::default());
        passes(&mut iqn, &mut [0.0; 4], &[1.0; 4]);
        let mut saved = Snapshot::new();
        iqn.save_into(&mut saved);
        let start = [3.0, -1.0, 2.0, 5.0];
        let mut a = start;
        passes(&mut iqn, &mut a, &[1.0; 4]);
        iqn.restore(&saved);
        let mut b = start;
        passes(&mut iqn, &mut b, &[1.0; 4]);
        assert_eq!(a, b);
    }
}
