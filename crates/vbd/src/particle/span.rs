//! The least of a quadratic over a span of a few directions: eq. (43) of `docs/theory/vbd.md`.

#![allow(non_snake_case)]

use std::ops::AddAssign;

/// Most directions of a span.
pub const SPAN: usize = 4;

/// Share of a direction's own curvature below which it adds nothing to those before it.
const DEPENDENT: f64 = 1e-6;

/// Sums of a span: the curvature along and across its directions, and the force along them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gram {
    /// A_ij = −p_i·q_j \[J\]; symmetric where the objective is quadratic.
    pub A: [[f64; SPAN]; SPAN],
    /// b_i = p_i·r \[J\].
    pub b: [f64; SPAN],
}

impl AddAssign for Gram {
    fn add_assign(&mut self, o: Self) {
        for (sum, x) in self.A.iter_mut().flatten().zip(o.A.iter().flatten()) {
            *sum += x;
        }
        for (sum, x) in self.b.iter_mut().zip(o.b) {
            *sum += x;
        }
    }
}

impl Gram {
    /// γ of the first `count` directions; 0 for those along which the objective does not curve upwards,
    /// and for those that the later ones span already.
    pub fn solve(&self, count: usize) -> [f64; SPAN] {
        let A = |i: usize, j: usize| 0.5 * (self.A[i][j] + self.A[j][i]);
        // Cholesky rows of what is kept, the newest direction first
        let (mut L, mut kept, mut n) = ([[0.0; SPAN]; SPAN], [0; SPAN], 0);
        for i in (0..count).rev() {
            for (k, &j) in kept[..n].iter().enumerate() {
                let sum: f64 = (0..k).map(|m| L[n][m] * L[k][m]).sum();
                L[n][k] = (A(i, j) - sum) / L[k][k];
            }
            let pivot = A(i, i) - L[n][..n].iter().map(|x| x * x).sum::<f64>();
            if pivot > DEPENDENT * A(i, i) && A(i, i) > 0.0 {
                L[n][n] = pivot.sqrt();
                kept[n] = i;
                n += 1;
            }
        }
        let mut y = [0.0; SPAN];
        for k in 0..n {
            let sum: f64 = (0..k).map(|m| L[k][m] * y[m]).sum();
            y[k] = (self.b[kept[k]] - sum) / L[k][k];
        }
        let mut gamma = [0.0; SPAN];
        for k in (0..n).rev() {
            let sum: f64 = (k + 1..n).map(|m| L[m][k] * y[m]).sum();
            y[k] = (y[k] - sum) / L[k][k];
            gamma[kept[k]] = y[k];
        }
        if gamma.iter().all(|g| g.is_finite()) { gamma } else { [0.0; SPAN] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const H: [[f64; SPAN]; SPAN] =
        [[4.0, 1.0, 0.5, 0.0], [1.0, 3.0, 0.2, 0.1], [0.5, 0.2, 2.0, 0.3], [0.0, 0.1, 0.3, 1.0]];

    /// Gram of unit directions of the quadratic with Hessian `H`.
    fn quadratic(b: [f64; SPAN]) -> Gram {
        Gram { A: H, b }
    }

    #[test]
    fn the_force_vanishes_along_every_direction_at_the_least() {
        let g = quadratic([1.0, -2.0, 0.5, 3.0]);
        for count in 1..=SPAN {
            let gamma = g.solve(count);
            for (i, row) in H.iter().enumerate().take(count) {
                let force: f64 = g.b[i] - row.iter().zip(gamma).map(|(h, g)| h * g).sum::<f64>();
                assert!(force.abs() < 1e-12, "{force} along {i} of {count}");
            }
            assert!(
                gamma[..count].iter().all(|g| g.abs() > 1e-3) && gamma[count..].iter().all(|&g| g == 0.0)
            );
        }
    }

    #[test]
    fn what_does_not_curve_upwards_is_left_out() {
        let mut g = quadratic([1.0; SPAN]);
        g.A[1][1] = -1.0;
        // a copy of the newest direction
        (0..SPAN).for_each(|j| g.A[0][j] = g.A[3][j]);
        (0..SPAN).for_each(|i| g.A[i][0] = g.A[i][3]);
        let gamma = g.solve(SPAN);
        assert_eq!((gamma[0], gamma[1]), (0.0, 0.0));
        assert!(gamma[2] != 0.0 && gamma[3] != 0.0);
        assert_eq!(quadratic([f64::NAN; SPAN]).solve(SPAN), [0.0; SPAN]);
    }
}
