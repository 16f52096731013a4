//! Bending of an edge between two triangles: discrete shells.
//!
//! docs/theory/elasticity.md eq. (18)–(23). Vertices x₀, x₁ are opposite the edge
//! x₂ x₃, the triangles are (0, 2, 3) and (1, 3, 2):
//!
//! ```text
//! n₁ = (x₂-x₀)×(x₃-x₀),   n₂ = (x₃-x₁)×(x₂-x₁),   e = x₃-x₂,   ê = e/|e|
//! θ = atan2((n₁×n₂)·ê, n₁·n₂),   d₁ = n₁/|n₁|²,   d₂ = n₂/|n₂|²
//! ∂θ/∂x₀ = -|e| d₁                   ∂θ/∂x₂ = ((x₃-x₀)·ê) d₁ + ((x₃-x₁)·ê) d₂
//! ∂θ/∂x₁ = -|e| d₂                   ∂θ/∂x₃ = -((x₂-x₀)·ê) d₁ - ((x₂-x₁)·ê) d₂
//! E = ke L₀/2 (θ - θ₀)²,   f = -ke L₀ (θ - θ₀) g,   H = ke L₀ g gᵀ
//! ```
//! g is the exact gradient, H its Gauss–Newton block, positive semi-definite. θ - θ₀
//! is *not* wrapped: a hinge folded through pi pulls back the long way, with a jump.
//! The damping measures θ - θ_prev, which *is* wrapped, and its dissipation is
//! kd L₀/(2 dt) (θ - θ_prev)².
//!
//! A triangle whose height is below 1e-6 of its sides has no normal: the hinge is
//! then off (zero gradient, θ = 0). The test has no unit, unlike the reference's
//! 1e-6 m² and 1e-6 m, which switch off cloth of millimetre edges.

use super::Block;
use coact_math::{Real, S3, Scalar, V3};

/// Sine below which a triangle, and length ratio below which an edge, is degenerate;
/// near the rounding of `f32`. Raising it disables thin triangles.
pub(super) const DEGENERATE: f64 = 1e-6;

/// Rest shape and material of a hinge. All zero: no hinge.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Hinge<R> {
    /// Rest length of the edge \[m\].
    pub L0: R,
    /// Rest angle \[rad\].
    pub theta0: R,
    /// Bending stiffness \[N\], that is J/m per rad².
    pub ke: R,
    /// Damping of the angle \[N s\].
    pub kd: R,
}

impl<R: Scalar> Hinge<R> {
    /// The same in `f64`.
    pub fn wide(&self) -> Hinge<f64> {
        let [L0, theta0, ke, kd] = [self.L0, self.theta0, self.ke, self.kd].map(R::to_f64);
        Hinge { L0, theta0, ke, kd }
    }
}

/// The angle of a hinge and what its gradients are made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HingeAngle<R: Real> {
    /// Angle \[rad\] in (-pi, pi\]; 0 where degenerate.
    pub theta: R,
    /// Whether both triangles and the edge have a size.
    pub regular: R::Mask,
    /// `nᵢ/|nᵢ|²` \[1/m²\]; zero where degenerate.
    d: [V3<R>; 2],
    /// Length of the edge \[m\].
    length: R,
    /// `(x₂-x₀)·ê`, `(x₂-x₁)·ê` \[m\].
    start: [R; 2],
}

/// The angle at `x`: eq. (19).
#[inline(always)]
pub fn eval_hinge_angle<R: Real>(x: &[V3<R>; 4]) -> HingeAngle<R> {
    let (a0, b0) = (x[2] - x[0], x[3] - x[0]);
    let (a1, b1) = (x[2] - x[1], x[3] - x[1]);
    let e = x[3] - x[2];
    let (n1, n2) = (a0.cross(b0), b1.cross(a1));
    let (n1_sq, n2_sq, e_sq) = (n1.norm_sq(), n2.norm_sq(), e.norm_sq());

    // sizes against those of the sides, squared
    let t = R::from_f64(DEGENERATE * DEGENERATE);
    let (s0, s1) = (a0.norm_sq() * b0.norm_sq(), a1.norm_sq() * b1.norm_sq());
    let regular =
        n1_sq.cmp_gt(t * s0) & n2_sq.cmp_gt(t * s1) & e_sq.cmp_gt(t * (a0.norm_sq() + b0.norm_sq()));

    let length = e_sq.sqrt();
    let u = e * length.recip_where(regular);
    let theta = R::select(regular, n1.cross(n2).dot(u).atan2(n1.dot(n2)), R::zero());
    HingeAngle {
        theta,
        regular,
        d: [n1 * n1_sq.recip_where(regular), n2 * n2_sq.recip_where(regular)],
        length,
        start: [a0.dot(u), a1.dot(u)],
    }
}

impl<R: Real> HingeAngle<R> {
    /// Factors of d₁ and d₂ in the gradient of vertex `i`: eq. (20).
    #[inline(always)]
    fn factors(&self, i: usize) -> [R; 2] {
        let [p, q] = self.start;
        match i {
            0 => [-self.length, R::zero()],
            1 => [R::zero(), -self.length],
            2 => [p + self.length, q + self.length],
            _ => [-p, -q],
        }
    }

    /// `∂θ/∂xᵢ` \[1/m\]: eq. (20).
    #[inline(always)]
    pub fn gradient(&self, i: usize) -> V3<R> {
        let [p, q] = self.factors(i);
        self.d[0] * p + self.d[1] * q
    }

    /// The gradient of the vertex that `role` marks: 1 at its index, 0 elsewhere.
    /// For lanes in which the vertex plays different parts.
    #[inline(always)]
    pub fn gradient_of(&self, role: &[R; 4]) -> V3<R> {
        let (mut p, mut q) = (R::zero(), R::zero());
        for (i, &r) in role.iter().enumerate() {
            let [a, b] = self.factors(i);
            p += r * a;
            q += r * b;
        }
        self.d[0] * p + self.d[1] * q
    }
}

#[cfg(test)]
impl<R: Real> HingeAngle<R> {
    /// From its parts, for the comparison with a device.
    pub(crate) fn from_parts(theta: R, regular: R::Mask, d: [V3<R>; 2], length: R, start: [R; 2]) -> Self {
        Self { theta, regular, d, length, start }
    }

    /// What [`gradient`](Self::gradient) is made of.
    pub(crate) fn parts(&self) -> ([V3<R>; 2], R, [R; 2]) {
        (self.d, self.length, self.start)
    }
}

/// Bending force and Gauss–Newton block of the vertex with gradient `g`: eq. (21).
#[inline(always)]
pub fn eval_hinge_elastic<R: Real>(h: &Hinge<R>, theta: R, g: V3<R>) -> Block<R> {
    let k = h.ke * h.L0;
    Block { f: g * -(k * (theta - h.theta0)), H: S3::outer(k, g) }
}

/// Damping force and Gauss–Newton block: eq. (23). `start` is the angle at the start
/// of the step; where it is degenerate there is no damping. `inv_dt` = 1/dt \[1/s\].
#[inline(always)]
pub fn eval_hinge_damping<R: Real>(
    h: &Hinge<R>,
    theta: R,
    start: (R, R::Mask),
    g: V3<R>,
    inv_dt: R,
) -> Block<R> {
    let k = R::select(start.1, h.kd * h.L0 * inv_dt, R::zero());
    let (pi, turn) = (R::from_f64(std::f64::consts::PI), R::from_f64(std::f64::consts::TAU));
    let delta = theta - start.0;
    let delta = R::select(delta.cmp_gt(pi), delta - turn, delta);
    let delta = R::select(delta.cmp_lt(-pi), delta + turn, delta);
    Block { f: g * -(k * delta), H: S3::outer(k, g) }
}
