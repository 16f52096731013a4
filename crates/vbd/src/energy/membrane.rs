//! Stable neo-Hookean membrane triangle.
//!
//! docs/theory/elasticity.md eq. (8)–(13). F has two columns f₀, f₁; the stretched
//! area per rest area is a = |f₀ × f₁|; λ' = λ + μ:
//!
//! ```text
//! ψ = μ/2 (|F|² - 2) - μ (a - 1) + λ'/2 (a - 1)²
//! n = f₀ × f₁ / a,   w = m₀ f₁ - m₁ f₀,   ∂a/∂x = g = w × n
//! f = -A (μ F m + s g),   s = λ'(a - 1) - μ
//! H = A (μ |m|² I + λ' g gᵀ + k n nᵀ),   k = max(s |w|²/a, -0.9 μ |m|²)
//! ```
//! w, g, n are orthogonal and |g| = |w|: the second derivative of the area,
//! (|w|² I - w wᵀ - g gᵀ)/a, is |w|² n nᵀ/a. With r = s/a the block is exact; where the
//! membrane is compressed it buckles along n. s < 0 does not mean that: at rest s = -μ,
//! and r |w|² cancels μ |m|² along n, since a flat sheet without stress resists no normal
//! motion. `Bounded` lets all but a tenth of μ |m|² be cancelled; `Clamped` cuts r at
//! zero, which makes a sheet as stiff across as along, and descent slow. Both are positive
//! semi-definite for μ, λ' ≥ 0.

use super::Block;
use super::metric_damping::eval_metric_damping;
use coact_math::{M2, Real, S3, Scalar, V3, Vec3};

/// Floor of the squared area ratio: a triangle squeezed to 1e-10 of its area has no
/// normal; raising it takes stiffness from slivers.
pub(super) const AREA_SQ_FLOOR: f64 = 1e-20;

/// Share of μ |m|² that compression may take from the block along the normal. At 1 a block without
/// inertia is singular and sheets that buckle overshoot; at 0 hanging cloth converges slowly.
pub(super) const NORMAL_SHARE: f64 = 0.9;

/// The block of a membrane along its normal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MembraneHessian {
    /// The second derivative, bounded from below by a tenth of the shear stiffness.
    #[default]
    Bounded,
    /// The derivative of the area's normal is cut at zero, as the reference has it: never softer
    /// than the shear stiffness, except in tension by more than μ/λ'.
    Clamped,
}

/// Rest shape and material of a membrane triangle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Membrane<R> {
    /// Inverse of the matrix of rest edges X₁-X₀, X₂-X₀ in the rest plane \[1/m\].
    pub Dm_inv: M2<R>,
    /// Rest area \[m²\].
    pub A: R,
    /// Shear stiffness μ times thickness \[N/m\].
    pub mu: R,
    /// Area stiffness λ times thickness \[N/m\].
    pub lambda: R,
    /// Damping of the metric rate \[N s/m\].
    pub kd: R,
}

impl<R: Scalar> Membrane<R> {
    /// The same in `f64`.
    pub fn wide(&self) -> Membrane<f64> {
        let M2 { xx, xy, yx, yy } = self.Dm_inv;
        let [xx, xy, yx, yy] = [xx, xy, yx, yy].map(R::to_f64);
        let [A, mu, lambda, kd] = [self.A, self.mu, self.lambda, self.kd].map(R::to_f64);
        Membrane { Dm_inv: M2::new(xx, xy, yx, yy), A, mu, lambda, kd }
    }
}

impl<R: Real> Membrane<R> {
    /// From rest positions \[m\]; `None` if they have no area. The rest plane has its
    /// first axis along X₁-X₀.
    pub fn from_rest(X: &[Vec3; 3], mu: f64, lambda: f64, kd: f64) -> Option<Self> {
        let (p, q) = (X[1] - X[0], X[2] - X[0]);
        let (length, area2) = (p.norm(), p.cross(&q).norm());
        // relative: the sine of the angle at X₀; not a number is not regular
        let regular = area2 > 1e-12 * length * q.norm();
        if !regular {
            return None;
        }
        let (qx, qy) = (p.dot(&q) / length, area2 / length);
        let r = R::from_f64;
        let Dm_inv = M2::new(r(1.0 / length), r(-qx / (length * qy)), r(0.0), r(1.0 / qy));
        Some(Self { Dm_inv, A: r(0.5 * area2), mu: r(mu), lambda: r(lambda), kd: r(kd) })
    }
}

/// Deformation gradient by columns, F = Ds Dm⁻¹, from the edges x₁-x₀, x₂-x₀: eq. (1). Linear:
/// of the change of edges it gives the change of F.
#[inline(always)]
pub fn membrane_F<R: Real>(edges: &[V3<R>; 2], Dm_inv: &M2<R>) -> [V3<R>; 2] {
    let [p, q] = *edges;
    [p * Dm_inv.xx + q * Dm_inv.yx, p * Dm_inv.xy + q * Dm_inv.yy]
}

/// Weights m of vertex `i` in F: `∂F_b/∂xᵢ = m_b I`, eq. (2).
#[inline(always)]
pub fn membrane_weights<R: Real>(Dm_inv: &M2<R>, i: usize) -> [R; 2] {
    match i {
        0 => [-(Dm_inv.xx + Dm_inv.yx), -(Dm_inv.xy + Dm_inv.yy)],
        1 => [Dm_inv.xx, Dm_inv.xy],
        _ => [Dm_inv.yx, Dm_inv.yy],
    }
}

/// Area ratio and unit normal.
#[inline(always)]
fn membrane_area<R: Real>(F: &[V3<R>; 2]) -> (R, V3<R>) {
    let c = F[0].cross(F[1]);
    let a = c.norm_sq().max(R::from_f64(AREA_SQ_FLOOR)).sqrt();
    (a, c * a.recip())
}

/// Energy density \[J/m²\]: eq. (8).
#[inline(always)]
pub fn membrane_psi<R: Real>(e: &Membrane<R>, F: &[V3<R>; 2]) -> R {
    let (half, one) = (R::from_f64(0.5), R::one());
    let I_C = F[0].norm_sq() + F[1].norm_sq();
    let g = membrane_area(F).0 - one;
    half * e.mu * (I_C - R::from_f64(2.0)) - e.mu * g + half * (e.lambda + e.mu) * (g * g)
}

/// Elastic force and Hessian block (see the head of the file) of the vertex with weights `m`:
/// eq. (11), (13).
#[inline(always)]
pub fn eval_membrane_elastic<R: Real>(
    e: &Membrane<R>,
    F: &[V3<R>; 2],
    m: &[R; 2],
    hessian: MembraneHessian,
) -> Block<R> {
    let lambda = e.lambda + e.mu;
    let (a, n) = membrane_area(F);
    let s = lambda * (a - R::one()) - e.mu;
    let w = F[1] * m[0] - F[0] * m[1];
    let g = w.cross(n);
    let Fm = F[0] * m[0] + F[1] * m[1];
    let f = (Fm * e.mu + g * s) * -e.A;
    let shear = e.mu * (m[0] * m[0] + m[1] * m[1]);
    let mut H = S3::outer(e.A * lambda, g);
    let least = match hessian {
        MembraneHessian::Bounded => shear * R::from_f64(-NORMAL_SHARE),
        MembraneHessian::Clamped => R::zero(),
    };
    H.add_outer(e.A * (s / a * w.norm_sq()).max(least), n);
    H.add_diagonal(e.A * shear);
    Block { f, H }
}

/// Damping force and Gauss–Newton block; `dF` is the change of F since the start of
/// the step, `inv_dt` = 1/dt \[1/s\]. See [`eval_metric_damping`].
#[inline(always)]
pub fn eval_membrane_damping<R: Real>(
    e: &Membrane<R>,
    F: &[V3<R>; 2],
    dF: &[V3<R>; 2],
    m: &[R; 2],
    inv_dt: R,
) -> Block<R> {
    eval_metric_damping(F, dF, m, e.A * e.kd * inv_dt)
}
