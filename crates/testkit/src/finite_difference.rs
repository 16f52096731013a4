//! Central differences, for checking derivatives in `f64`.
//!
//! Truncation is `O(h²)`, rounding `O(eps/h)`: the step `h` that balances them is
//! `eps^(1/3)` times the scale of `x`, which leaves a relative error near 1e-10.

/// The step for a variable of the size of `x`.
fn step_for(x: f64) -> f64 {
    f64::EPSILON.cbrt() * x.abs().max(1.0)
}

/// Gradient of `f` at `x`.
pub fn gradient(f: impl Fn(&[f64]) -> f64, x: &[f64]) -> Vec<f64> {
    jacobian(|x| vec![f(x)], x).into_iter().map(|column| column[0]).collect()
}

/// Derivatives of the vector `f` at `x`: element `[j][i]` is df_i/dx_j.
pub fn jacobian(f: impl Fn(&[f64]) -> Vec<f64>, x: &[f64]) -> Vec<Vec<f64>> {
    let mut y = x.to_vec();
    (0..x.len())
        .map(|j| {
            let h = step_for(x[j]);
            y[j] = x[j] + h;
            let (above, up) = (f(&y), y[j]);
            y[j] = x[j] - h;
            let (below, down) = (f(&y), y[j]);
            y[j] = x[j];
            above.iter().zip(&below).map(|(a, b)| (a - b) / (up - down)).collect()
        })
        .collect()
}

/// Largest difference of two vectors over the largest entry of the second (at least
/// `floor`, which says what counts as zero).
pub fn relative_error(measured: &[f64], exact: &[f64], floor: f64) -> f64 {
    assert_eq!(measured.len(), exact.len(), "vectors of different length are compared");
    let scale = exact.iter().fold(floor, |m, x| m.max(x.abs()));
    measured.iter().zip(exact).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs())) / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradient_of_a_known_function() {
        let g = gradient(|x| x[0].sin() * x[1].powi(3), &[0.7, -1.3]);
        let exact = [0.7_f64.cos() * (-1.3_f64).powi(3), 3.0 * 0.7_f64.sin() * 1.69];
        assert!(relative_error(&g, &exact, 0.0) < crate::tolerance::FINITE_DIFFERENCE);
    }
}
