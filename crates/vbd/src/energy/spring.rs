//! Spring between two particles.
//!
//! docs/theory/elasticity.md eq. (24)–(27). For the end a with d = x_a - x_b, l = |d|,
//! u = d/l:
//!
//! ```text
//! E = ke/2 (l - l₀)²,   f = -ke (l - l₀) u
//! H = ke (u uᵀ + (1 - l₀/l)(I - u uᵀ))
//! ```
//! In compression the second factor is negative and the exact H indefinite; by
//! default it is cut at zero, which makes H positive semi-definite. The reference
//! keeps it. Damping is axial, W = kd/(2 dt) (l - l_prev)², so that a rotation is not
//! damped; the change of length is Δd·(2d - Δd)/(l + l_prev), without cancellation.
//! The other end has the opposite force and the same block.

use super::Block;
use coact_math::{Real, S3, Scalar, V3};

/// Length below which a spring has no direction, over its rest length.
const COLLAPSED: f64 = 1e-8;

/// Rest shape and material of a spring. All zero: no spring.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Spring<R> {
    /// Rest length \[m\].
    pub l0: R,
    /// Stiffness \[N/m\].
    pub ke: R,
    /// Axial damping \[N s/m\].
    pub kd: R,
}

impl<R: Scalar> Spring<R> {
    /// The same in `f64`.
    pub fn wide(&self) -> Spring<f64> {
        Spring { l0: self.l0.to_f64(), ke: self.ke.to_f64(), kd: self.kd.to_f64() }
    }
}

/// Which Hessian an element in compression gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpringHessian {
    /// The transverse part cut at zero: positive semi-definite.
    #[default]
    Clamped,
    /// The second derivative, indefinite in compression.
    Exact,
}

/// Length, never zero, and direction; zero vector for a collapsed spring.
#[inline(always)]
fn spring_axis<R: Real>(s: &Spring<R>, d: V3<R>) -> (R, V3<R>) {
    let floor = (s.l0 * R::from_f64(COLLAPSED)).max(R::tiny());
    let l = d.norm().max(floor);
    (l, d * l.recip())
}

/// Energy \[J\]: eq. (24).
#[inline(always)]
pub fn spring_energy<R: Real>(s: &Spring<R>, d: V3<R>) -> R {
    let stretch = d.norm() - s.l0;
    R::from_f64(0.5) * s.ke * (stretch * stretch)
}

/// Elastic force and Hessian block of the end a, with d = x_a - x_b: eq. (25), (26).
#[inline(always)]
pub fn eval_spring_elastic<R: Real>(s: &Spring<R>, d: V3<R>, hessian: SpringHessian) -> Block<R> {
    let (l, u) = spring_axis(s, d);
    let transverse = R::one() - s.l0 / l;
    let transverse = match hessian {
        SpringHessian::Clamped => transverse.max(R::zero()),
        SpringHessian::Exact => transverse,
    };
    let mut H = S3::outer(s.ke * (R::one() - transverse), u);
    H.add_diagonal(s.ke * transverse);
    Block { f: u * -(s.ke * (l - s.l0)), H }
}

/// Damping force and Gauss–Newton block of the end a: eq. (27). `dd` is the change of
/// d since the start of the step, `inv_dt` = 1/dt \[1/s\].
#[inline(always)]
pub fn eval_spring_damping<R: Real>(s: &Spring<R>, d: V3<R>, dd: V3<R>, inv_dt: R) -> Block<R> {
    let (l, u) = spring_axis(s, d);
    let (l_prev, _) = spring_axis(s, d - dd);
    let dl = dd.dot(d + (d - dd)) / (l + l_prev);
    let k = s.kd * inv_dt;
    Block { f: u * -(k * dl), H: S3::outer(k, u) }
}
