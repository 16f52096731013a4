//! Stable neo-Hookean tetrahedron.
//!
//! docs/theory/elasticity.md eq. (3)–(7). With F = Ds Dm⁻¹, J = det F, λ' = λ + μ:
//!
//! ```text
//! ψ = μ/2 (|F|² - 3) - μ (J - 1) + λ'/2 (J - 1)²
//! P = ∂ψ/∂F = μ F + s cof F,   s = λ'(J - 1) - μ
//! ∂F/∂x = m ⊗ I for a vertex with weights m:   f = -V P m
//! H = V (μ |m|² I + λ' c cᵀ),   c = cof F m
//! ```
//! J is linear in one vertex, so its second derivative vanishes in the block: H is
//! exact, and positive semi-definite for μ, λ' ≥ 0. Inversion needs no case. The
//! square is expanded so that nothing divides by λ'; ψ differs from
//! λ'/2 (J - 1 - μ/λ')² by a constant and is 0 at rest.

use super::Block;
use super::metric_damping::eval_metric_damping;
use coact_math::{M3, Mat3, Real, S3, Scalar, V3, Vec3};

/// Rest shape and material of a tetrahedron.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Tetrahedron<R> {
    /// Inverse of the matrix of rest edges X₁-X₀, X₂-X₀, X₃-X₀ \[1/m\].
    pub Dm_inv: M3<R>,
    /// Rest volume \[m³\].
    pub V: R,
    /// First Lamé parameter of shear, μ \[Pa\].
    pub mu: R,
    /// Second Lamé parameter, λ \[Pa\].
    pub lambda: R,
    /// Damping of the metric rate \[Pa s\].
    pub kd: R,
}

impl<R: Scalar> Tetrahedron<R> {
    /// The same in `f64`.
    pub fn wide(&self) -> Tetrahedron<f64> {
        let [x, y, z] = [self.Dm_inv.x, self.Dm_inv.y, self.Dm_inv.z]
            .map(|c| V3::new(c.x.to_f64(), c.y.to_f64(), c.z.to_f64()));
        let [V, mu, lambda, kd] = [self.V, self.mu, self.lambda, self.kd].map(R::to_f64);
        Tetrahedron { Dm_inv: M3::from_columns(x, y, z), V, mu, lambda, kd }
    }
}

impl<R: Real> Tetrahedron<R> {
    /// From rest positions \[m\]; `None` if they have no volume. A negative
    /// orientation gives a negative volume, which the caller should refuse.
    pub fn from_rest(X: &[Vec3; 4], mu: f64, lambda: f64, kd: f64) -> Option<Self> {
        let Dm = Mat3::from_columns(&[X[1] - X[0], X[2] - X[0], X[3] - X[0]]);
        let (Dm_inv, regular) = M3::<f64>::from_host(&Dm).inverse();
        let V = R::from_f64(Dm.determinant() / 6.0);
        let (mu, lambda, kd) = (R::from_f64(mu), R::from_f64(lambda), R::from_f64(kd));
        regular.then(|| Self { Dm_inv: M3::from_host(&Dm_inv.to_host(0)), V, mu, lambda, kd })
    }
}

/// Deformation gradient by columns, F = Ds Dm⁻¹, from the edges x₁-x₀, x₂-x₀, x₃-x₀: eq. (1).
/// Linear: of the change of edges it gives the change of F.
#[inline(always)]
pub fn tetrahedron_F<R: Real>(edges: &[V3<R>; 3], Dm_inv: &M3<R>) -> [V3<R>; 3] {
    let [p, q, r] = *edges;
    let Ds = M3::from_columns(p, q, r);
    [Ds * Dm_inv.x, Ds * Dm_inv.y, Ds * Dm_inv.z]
}

/// Weights m of vertex `i` in F: `∂F_b/∂xᵢ = m_b I`, eq. (2).
#[inline(always)]
pub fn tetrahedron_weights<R: Real>(Dm_inv: &M3<R>, i: usize) -> [R; 3] {
    let [a, b, c] = [Dm_inv.x, Dm_inv.y, Dm_inv.z];
    match i {
        0 => [-(a.x + a.y + a.z), -(b.x + b.y + b.z), -(c.x + c.y + c.z)],
        1 => [a.x, b.x, c.x],
        2 => [a.y, b.y, c.y],
        _ => [a.z, b.z, c.z],
    }
}

/// Energy density \[J/m³\]: eq. (3).
#[inline(always)]
pub fn tetrahedron_psi<R: Real>(e: &Tetrahedron<R>, F: &[V3<R>; 3]) -> R {
    let (half, one) = (R::from_f64(0.5), R::one());
    let I_C = F[0].norm_sq() + F[1].norm_sq() + F[2].norm_sq();
    let J = F[0].dot(F[1].cross(F[2]));
    let g = J - one;
    half * e.mu * (I_C - R::from_f64(3.0)) - e.mu * g + half * (e.lambda + e.mu) * (g * g)
}

/// Elastic force and exact Hessian block of the vertex with weights `m`: eq. (6), (7).
#[inline(always)]
pub fn eval_tetrahedron_elastic<R: Real>(e: &Tetrahedron<R>, F: &[V3<R>; 3], m: &[R; 3]) -> Block<R> {
    let lambda = e.lambda + e.mu;
    let cof = [F[1].cross(F[2]), F[2].cross(F[0]), F[0].cross(F[1])];
    let J = F[0].dot(cof[0]);
    let s = lambda * (J - R::one()) - e.mu;
    let Fm = F[0] * m[0] + F[1] * m[1] + F[2] * m[2];
    let c = cof[0] * m[0] + cof[1] * m[1] + cof[2] * m[2];
    let f = (Fm * e.mu + c * s) * -e.V;
    let m2 = m[0] * m[0] + m[1] * m[1] + m[2] * m[2];
    let mut H = S3::outer(e.V * lambda, c);
    H.add_diagonal(e.V * e.mu * m2);
    Block { f, H }
}

/// Damping force and Gauss–Newton block; `dF` is the change of F since the start of
/// the step, `inv_dt` = 1/dt \[1/s\]. See [`eval_metric_damping`].
#[inline(always)]
pub fn eval_tetrahedron_damping<R: Real>(
    e: &Tetrahedron<R>,
    F: &[V3<R>; 3],
    dF: &[V3<R>; 3],
    m: &[R; 3],
    inv_dt: R,
) -> Block<R> {
    eval_metric_damping(F, dF, m, e.V * e.kd * inv_dt)
}
