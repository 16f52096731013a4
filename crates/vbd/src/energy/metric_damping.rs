//! Damping of the rate of the metric C = FᵀF, for membranes (D = 2) and
//! tetrahedra (D = 3).
//!
//! docs/theory/elasticity.md eq. (14)–(17). The dissipation of one step is
//!
//! ```text
//! W = w kd/(2 dt) |C - C_prev|²      w: rest area or volume
//! ∂C_ab/∂x = m_a f_b + m_b f_a
//! f = -w kd/dt Σ_ab ΔC_ab ∂C_ab/∂x           = -2 (w kd/dt) F ΔC m
//! H =  w kd/dt Σ_ab (∂C_ab/∂x)(∂C_ab/∂x)ᵀ    =  2 (w kd/dt) (|m|² F Fᵀ + (F m)(F m)ᵀ)
//! ```
//! over all ordered pairs a, b. f is the exact gradient of W, H its Gauss–Newton part
//! (the derivative of ∂C/∂x is dropped), positive semi-definite. A rigid motion does
//! not change C, so it is not damped, whatever its size.
//!
//! ΔC is taken as FᵀdF + dFᵀF - dFᵀdF from the change dF = F - F_prev: from
//! displacements it keeps the digits that a difference of two metrics loses.

use super::Block;
use coact_math::{Real, S3, V3};

/// Damping force and Gauss–Newton block of the vertex with weights `m`: eq. (16), (17).
/// `k` is w kd/dt \[N m\]; `dF` is the change of `F` since the start of the step.
#[inline(always)]
pub fn eval_metric_damping<R: Real, const D: usize>(
    F: &[V3<R>; D],
    dF: &[V3<R>; D],
    m: &[R; D],
    k: R,
) -> Block<R> {
    let k2 = R::from_f64(2.0) * k;
    let (mut f, mut Fm, mut m2, mut H) = (V3::zero(), V3::zero(), R::zero(), S3::zero());
    for a in 0..D {
        // row a of ΔC m, with ΔC_ab = f_a·df_b + df_a·(f_b - df_b)
        let mut dC_m = R::zero();
        for b in 0..D {
            let dC = F[a].dot(dF[b]) + dF[a].dot(F[b] - dF[b]);
            dC_m += dC * m[b];
        }
        f += F[a] * dC_m;
        Fm += F[a] * m[a];
        m2 += m[a] * m[a];
        H.add_outer(R::one(), F[a]);
    }
    let mut H = H * (k2 * m2);
    H.add_outer(k2, Fm);
    Block { f: f * -k2, H }
}
