//! Dense Cholesky factors of small matrices, in place, row-major.

/// Pivots below this share of their diagonal are taken as zero: a freedom without mass.
const PIVOT_FLOOR: f64 = 1e-14;

/// Factors `a` = L Lᵀ into its lower triangle. A freedom without mass gets an infinite
/// pivot, so that solves leave it still. Returns how many there were.
pub fn factor(a: &mut [f64], n: usize) -> usize {
    factor_above(a, n, PIVOT_FLOOR)
}

/// The same, with pivots below `floor` times their diagonal taken as zero: what depends on
/// earlier rows to that precision stays still.
pub fn factor_above(a: &mut [f64], n: usize, floor: f64) -> usize {
    let mut singular = 0;
    for j in 0..n {
        let sum: f64 = (0..j).map(|k| a[j * n + k] * a[j * n + k]).sum();
        let pivot = a[j * n + j] - sum;
        let regular = pivot > floor * a[j * n + j].abs();
        singular += usize::from(!regular);
        let l = if regular { pivot.sqrt() } else { f64::INFINITY };
        a[j * n + j] = l;
        for i in j + 1..n {
            let dot: f64 = (0..j).map(|k| a[i * n + k] * a[j * n + k]).sum();
            a[i * n + j] = (a[i * n + j] - dot) / l;
        }
    }
    singular
}

/// Solves L Lᵀ x = b in place.
pub fn solve(l: &[f64], b: &mut [f64]) {
    let n = b.len();
    for i in 0..n {
        let dot: f64 = (0..i).map(|k| l[i * n + k] * b[k]).sum();
        b[i] = (b[i] - dot) / l[i * n + i];
    }
    for i in (0..n).rev() {
        let dot: f64 = (i + 1..n).map(|k| l[k * n + i] * b[k]).sum();
        b[i] = (b[i] - dot) / l[i * n + i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solve_inverts_the_matrix() {
        let a = [4.0, 1.0, -0.5, 1.0, 3.0, 0.25, -0.5, 0.25, 2.0];
        let x = [1.0, -2.0, 3.0];
        let mut b: Vec<f64> = (0..3).map(|i| (0..3).map(|j| a[i * 3 + j] * x[j]).sum()).collect();
        let mut l = a;
        assert_eq!(factor(&mut l, 3), 0);
        solve(&l, &mut b);
        assert!(b.iter().zip(&x).all(|(b, x)| (b - x).abs() < 1e-14), "{b:?}");
    }

    #[test]
    fn a_freedom_without_mass_stays_still() {
        let mut l = [4.0, 0.0, 0.0, 0.0];
        assert_eq!(factor(&mut l, 2), 1);
        let mut b = [8.0, 7.0];
        solve(&l, &mut b);
        assert_eq!(b, [2.0, 0.0]);
    }
}
