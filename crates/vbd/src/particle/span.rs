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
        let (mut order, mut gamma) = ([0; SPAN], [0.0; SPAN]);
        // the newest direction first
        order[..count].iter_mut().zip((0..count).rev()).for_each(|(to, i)| *to = i);
        let mut room = Room { L: &mut [0.0; SPAN * SPAN], y: &mut [0.0; SPAN], kept: &mut [0; SPAN] };
        least(self.A.as_flattened(), &self.b, &order[..count], &mut room, &mut gamma);
        gamma
    }
}

/// Memory of [`least`]. Shapes: \[n²\], \[n\], \[n\].
pub struct Room<'a> {
    /// Cholesky rows of what is kept.
    pub L: &'a mut [f64],
    /// What of b is left to them.
    pub y: &'a mut [f64],
    /// What is kept.
    pub kept: &'a mut [usize],
}

/// The least of ½ zᵀ A z − b·z over the unknowns in `order`, with the symmetric part of A; an unknown
/// along which that does not curve upwards, or which those before it span already, becomes 0. Returns how
/// many are kept.
pub fn least(A: &[f64], b: &[f64], order: &[usize], room: &mut Room, z: &mut [f64]) -> usize {
    let (size, mut n) = (b.len(), 0);
    let at = |i: usize, j: usize| 0.5 * (A[i * size + j] + A[j * size + i]);
    let Room { L, y, kept } = room;
    for &i in order {
        for k in 0..n {
            let (above, row) = L.split_at_mut(n * size);
            let of = &above[k * size..k * size + k + 1];
            let sum: f64 = row.iter().zip(&of[..k]).map(|(a, b)| a * b).sum();
            row[k] = (at(i, kept[k]) - sum) / of[k];
        }
        let row = &mut L[n * size..(n + 1) * size];
        let pivot = at(i, i) - row[..n].iter().map(|x| x * x).sum::<f64>();
        if pivot > DEPENDENT * at(i, i) && at(i, i) > 0.0 {
            row[n] = pivot.sqrt();
            kept[n] = i;
            n += 1;
        }
    }
    for k in 0..n {
        let row = &L[k * size..(k + 1) * size];
        let sum: f64 = row[..k].iter().zip(&y[..k]).map(|(l, y)| l * y).sum();
        y[k] = (b[kept[k]] - sum) / row[k];
    }
    z.fill(0.0);
    for k in (0..n).rev() {
        let sum: f64 = (k + 1..n).map(|m| L[m * size + k] * y[m]).sum();
        y[k] = (y[k] - sum) / L[k * size + k];
        z[kept[k]] = y[k];
    }
    if z.iter().any(|g| !g.is_finite()) {
        z.fill(0.0);
    }
    n
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
