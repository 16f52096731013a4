//! The geometric part of an element's Hessian: what its stress adds because strain is not linear in
//! the motion. Theory: `docs/theory/rod.md` eq. (14), (15).

use coact_math::{Mat3, Mat6, Vec3, Vec6, exp_so3, left_jacobian_inverse, skew};

use crate::strain::{Ends, Strain, angular, linear};

/// Below this angle \[rad\] c(t) and c′(t)/t of eq. (15) come from their series.
const SMALL: f64 = 0.5;

/// What is added to H₀₀, H₁₁ and H₀₁: rows of the first body, columns of the second.
pub(crate) type Blocks = [Mat6; 3];

/// Adds eq. (14), (15) of the stress `s`; `bends`: with the part of the moment, in the rotation-vector
/// law.
pub(crate) fn add_geometric(blocks: &mut Blocks, ends: &Ends, strain: &Strain, s: &Vec6, bends: bool) {
    let f = strain.frame * linear(s);
    add_turns(blocks, [&arm_stiffness(&f, &ends.r[0]), &-arm_stiffness(&f, &ends.r[1])], &Mat3::zeros());
    add_carried(blocks, ends, strain, &f);
    if bends {
        let q0 = ends.q[0].to_rotation_matrix();
        let phi = &strain.phi;
        let inverse = left_jacobian_inverse(phi);
        let w = q0.matrix() * moment(phi, &angular(s)) * inverse * q0.matrix().transpose();
        let w = (w + w.transpose()) * 0.5;
        let torque = q0.matrix() * (inverse.transpose() * angular(s));
        add_turns(blocks, [&w, &w], &(skew(&torque) * 0.5 - w));
    }
}

/// Adds what of eq. (14) is positive: the pull along arms that point with it.
pub(crate) fn add_positive(blocks: &mut Blocks, ends: &Ends, strain: &Strain, s: &Vec6) {
    let f = strain.frame * linear(s);
    let part = |r: Vec3| {
        let (pull, r2) = (f.dot(&r), r.norm_squared());
        if r2 > 0.0 { (Mat3::identity() - r * r.transpose() / r2) * pull.abs() } else { Mat3::zeros() }
    };
    add_turns(blocks, [&part(ends.r[0]), &part(-ends.r[1])], &Mat3::zeros());
}

fn add_turns(blocks: &mut Blocks, diagonal: [&Mat3; 2], off: &Mat3) {
    for (block, part) in blocks.iter_mut().zip([diagonal[0], diagonal[1], off]) {
        let mut turns = block.fixed_view_mut::<3, 3>(3, 3);
        turns += part;
    }
}

/// −(P_aᵀ[f]N_b − N_aᵀ[f]P_b) of eq. (14), with δd = Σ P_b δ_b and δθ_m = Σ N_b δ_b: the force rides in
/// a frame that turns.
fn add_carried(blocks: &mut Blocks, ends: &Ends, strain: &Strain, f: &Vec3) {
    let shares = [Mat3::identity() - strain.share, strain.share];
    let (f, signs) = (skew(f), [-1.0, 1.0]);
    for (block, (a, b)) in blocks.iter_mut().zip([(0, 0), (1, 1), (0, 1)]) {
        let (right, left) = (f * shares[b] * signs[a], shares[a].transpose() * f * signs[b]);
        let mut add = |i: usize, j: usize, part: &Mat3| {
            let mut view = block.fixed_view_mut::<3, 3>(i, j);
            view += part;
        };
        add(0, 3, &-right);
        add(3, 0, &left);
        add(3, 3, &-(skew(&ends.r[a]) * right + left * skew(&ends.r[b])));
    }
}

/// S(f, r) = (f·r) 1 − (f rᵀ + r fᵀ)/2: eq. (14).
pub(crate) fn arm_stiffness(f: &Vec3, r: &Vec3) -> Mat3 {
    let outer = f * r.transpose();
    Mat3::identity() * f.dot(r) - (outer + outer.transpose()) * 0.5
}

/// ∂(J⁻ᵀ(φ) μ)/∂φ for a constant μ: eq. (15).
fn moment(phi: &Vec3, mu: &Vec3) -> Mat3 {
    let t2 = phi.norm_squared();
    let (c, c1) = coefficients(phi);
    let along = phi.dot(mu);
    (phi * mu.transpose() + Mat3::identity() * along - mu * phi.transpose() * 2.0) * c
        + (phi * along - mu * t2) * phi.transpose() * c1
        - skew(mu) * 0.5
}

/// c(t) = (1 − (t/2) cot(t/2))/t² and c′(t)/t.
fn coefficients(phi: &Vec3) -> (f64, f64) {
    let t2 = phi.norm_squared();
    if t2 < SMALL * SMALL {
        let (last, last1) = (1.0 / 1_209_600.0 + t2 / 47_900_160.0, 1.0 / 5_987_520.0 + t2 * 5.284e-9);
        let c = 1.0 / 12.0 + t2 * (1.0 / 720.0 + t2 * (1.0 / 30_240.0 + t2 * last));
        let c1 = 1.0 / 360.0 + t2 * (1.0 / 7_560.0 + t2 * (1.0 / 201_600.0 + t2 * last1));
        return (c, c1);
    }
    let (t, half) = (t2.sqrt(), exp_so3(phi));
    let (sin, cos) = (half.imag().norm(), half.w);
    let c = (1.0 - 0.5 * t * cos / sin) / t2;
    // c′ = −2 c/t + ((t/2)/(2 sin²) − cot/2)/t²
    let slope = (0.25 * t / (sin * sin) - 0.5 * cos / sin) / t2 - 2.0 * c / t;
    (c, slope / t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use coact_testkit::jacobian;

    #[test]
    fn the_slope_of_the_torque_is_its_derivative() {
        let mu = Vec3::new(0.3, -0.7, 0.4);
        for phi in [Vec3::new(1e-3, 2e-3, 0.0), Vec3::new(0.2, -0.3, 0.25), Vec3::new(1.5, -1.0, 2.0)] {
            let torque = |x: &[f64]| {
                let phi = Vec3::new(x[0], x[1], x[2]);
                (left_jacobian_inverse(&phi).transpose() * mu).as_slice().to_vec()
            };
            let exact = moment(&phi, &mu);
            let numeric = jacobian(torque, phi.as_slice());
            for (j, column) in numeric.iter().enumerate() {
                for (i, x) in column.iter().enumerate() {
                    assert!((x - exact[(i, j)]).abs() < 1e-8, "{i} {j}: {x} {}", exact[(i, j)]);
                }
            }
        }
    }

    #[test]
    fn series_and_closed_form_meet() {
        let at = |t2: f64| coefficients(&(Vec3::new(0.6, 0.0, 0.8) * t2.sqrt()));
        let (below, above) = (at(0.25 - 1e-12), at(0.25 + 1e-12));
        assert!(
            (below.0 - above.0).abs() < 2e-12 && (below.1 - above.1).abs() < 2e-12,
            "{below:?} {above:?}"
        );
    }
}
