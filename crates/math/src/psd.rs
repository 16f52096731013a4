//! Projection of a symmetric 3×3 matrix on the positive semi-definite ones.

use crate::types::{Mat3, Vec3};

/// Eigenvalues in ascending order.
pub fn eigenvalues(m: &Mat3) -> Vec3 {
    let mut e = m.symmetric_eigenvalues();
    e.as_mut_slice().sort_by(f64::total_cmp);
    e
}

/// The nearest positive semi-definite matrix in the Frobenius norm: negative
/// eigenvalues become zero. A matrix that has none comes back unchanged.
pub fn psd_projection(m: &Mat3) -> Mat3 {
    let eigen = m.symmetric_eigen();
    if eigen.eigenvalues.min() >= 0.0 {
        return *m;
    }
    let mut p = Mat3::zeros();
    for i in 0..3 {
        let v = eigen.eigenvectors.column(i);
        p += v * v.transpose() * eigen.eigenvalues[i].max(0.0);
    }
    p
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Lcg;

    /// P is PSD, and M - P is negative semi-definite and orthogonal to P: the
    /// conditions of the nearest point.
    #[test]
    fn projection_is_the_nearest_point() {
        let mut r = Lcg::new(21);
        let mut changed = 0;
        for _ in 0..300 {
            let a = r.mat3();
            let m = a + a.transpose();
            let p = psd_projection(&m);
            assert!(eigenvalues(&p)[0] > -1e-14);
            assert!(eigenvalues(&(m - p))[2] < 1e-14);
            assert!((p * (m - p)).norm() < 1e-13);
            changed += usize::from(p != m);
        }
        assert!(changed > 100);
    }

    #[test]
    fn definite_matrices_come_back_bit_for_bit() {
        let m = Mat3::new(2.0, 0.3, 0.1, 0.3, 1.0, 0.2, 0.1, 0.2, 3.0);
        assert_eq!(psd_projection(&m), m);
    }
}
