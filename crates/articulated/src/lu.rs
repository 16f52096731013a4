//! Dense LU factors with row pivoting of small matrices, in place, row-major.

/// Factors `a` into L U and writes the row that came to each place into `pivot`.
/// A zero pivot becomes infinite, so that solves leave its unknown at zero.
pub(crate) fn factor(a: &mut [f64], pivot: &mut [usize]) {
    let n = pivot.len();
    for j in 0..n {
        let largest =
            |best: usize, i: usize| if a[i * n + j].abs() > a[best * n + j].abs() { i } else { best };
        let row = (j..n).fold(j, largest);
        pivot[j] = row;
        if row != j {
            (0..n).for_each(|k| a.swap(j * n + k, row * n + k));
        }
        if a[j * n + j] == 0.0 {
            a[j * n + j] = f64::INFINITY;
        }
        for i in j + 1..n {
            let l = a[i * n + j] / a[j * n + j];
            a[i * n + j] = l;
            (j + 1..n).for_each(|k| a[i * n + k] -= l * a[j * n + k]);
        }
    }
}

/// Solves A x = b in place.
pub(crate) fn solve(lu: &[f64], pivot: &[usize], b: &mut [f64]) {
    let n = pivot.len();
    (0..n).for_each(|j| b.swap(j, pivot[j]));
    for i in 0..n {
        let dot: f64 = (0..i).map(|k| lu[i * n + k] * b[k]).sum();
        b[i] -= dot;
    }
    for i in (0..n).rev() {
        let dot: f64 = (i + 1..n).map(|k| lu[i * n + k] * b[k]).sum();
        b[i] = (b[i] - dot) / lu[i * n + i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solve_inverts_a_matrix_that_needs_pivoting() {
        let a = [0.0, 2.0, 1.0, 4.0, 1.0, -0.5, -1.0, 0.25, 3.0];
        let x = [1.0, -2.0, 3.0];
        let mut b: Vec<f64> = (0..3).map(|i| (0..3).map(|j| a[i * 3 + j] * x[j]).sum()).collect();
        let (mut lu, mut pivot) = (a, [0; 3]);
        factor(&mut lu, &mut pivot);
        solve(&lu, &pivot, &mut b);
        assert!(b.iter().zip(&x).all(|(b, x)| (b - x).abs() < 1e-14), "{b:?}");
    }
}
