//! Energies of particles, as block descent needs them: for one vertex of one element,
//! the force and the 3×3 block of the Hessian.
//!
//! Theory: `docs/theory/elasticity.md`. One constitutive law per file:
//! [`tetrahedron`], [`membrane`], [`hinge`], [`spring`]; the damping of the first two
//! is the same function, [`metric_damping`].
//!
//! All functions are pure and generic over [`Real`], so that a vertex may sum its
//! elements in one lane while seven others sum theirs. Nothing branches on data:
//! what is degenerate is masked to zero, and an element of zeros (a padding lane, an
//! edge without second triangle) gives a finite zero. The vertex of interest enters
//! as its weights, which may differ between lanes.
//!
//! Left out on purpose: inertia, contact, who is summed in which order, and the
//! reference's rule that damping is off where stiffness is zero (set `kd` to zero).

#![allow(non_snake_case)]

pub mod corner;
pub mod fan;
pub mod hinge;
pub mod membrane;
pub mod metric_damping;
pub mod spring;
#[cfg(test)]
pub(crate) mod tests;
pub mod tetrahedron;

use coact_math::{Real, S3, V3};
use std::ops::{Add, AddAssign};

pub use corner::{TetCorner, TetCornerDamping, eval_tet_corner, eval_tet_corner_damping};
pub use fan::{Face, Fold, FoldDamping, Ray, Sector, SectorDamping, eval_sector, eval_spoke, eval_tip};
pub use hinge::{Hinge, HingeAngle, eval_hinge_angle, eval_hinge_damping, eval_hinge_elastic};
pub use membrane::{
    Membrane, MembraneHessian, eval_membrane_damping, eval_membrane_elastic, membrane_F, membrane_psi,
    membrane_weights,
};
pub use metric_damping::eval_metric_damping;
pub use spring::{Spring, SpringHessian, eval_spring_damping, eval_spring_elastic, spring_energy};
pub use tetrahedron::{
    Tetrahedron, eval_tetrahedron_damping, eval_tetrahedron_elastic, tetrahedron_F, tetrahedron_psi,
    tetrahedron_weights,
};

/// What an energy E gives to a vertex x: the force `-∂E/∂x` \[N\] and the block
/// `∂²E/∂x²` \[N/m\], or what stands for it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Block<R> {
    /// Force \[N\].
    pub f: V3<R>,
    /// Hessian block \[N/m\].
    pub H: S3<R>,
}

/// The edges from the first vertex to the others.
#[inline(always)]
pub fn edges<R: Real, const N: usize, const E: usize>(x: &[V3<R>; N]) -> [V3<R>; E] {
    const { assert!(E + 1 == N, "one edge less than vertices") };
    std::array::from_fn(|i| x[i + 1] - x[0])
}

impl<R: Real> Block<R> {
    /// No force, no stiffness.
    #[inline(always)]
    pub fn zero() -> Self {
        Self { f: V3::zero(), H: S3::zero() }
    }

    /// This block where the mask is true, zero elsewhere.
    #[inline(always)]
    pub fn masked(self, mask: R::Mask) -> Self {
        Self { f: V3::select(mask, self.f, V3::zero()), H: S3::select(mask, self.H, S3::zero()) }
    }
}

impl<R: Real> Add for Block<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self { f: self.f + o.f, H: self.H + o.H }
    }
}

impl<R: Real> AddAssign for Block<R> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}
