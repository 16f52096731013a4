//! Rotations, spatial vectors, small solves and the `Real` arithmetic that kernels are written in.
//!
//! Two halves. Host, `f64`, over nalgebra: [`Pose`], [`Spatial`], [`exp_so3`],
//! [`log_so3`], [`free_rotation`], [`Ldlt6`], [`BlockSparse`], [`cholesky`]. Kernels, any precision and
//! width: [`Real`], [`Lanes`], [`V3`], [`M3`], [`S3`], [`trig`].

pub mod cholesky;
mod free_motion;
mod lanes;
mod ldlt6;
mod m3;
mod psd;
mod real;
mod s3;
#[cfg(test)]
mod sample;
mod scalar;
mod so3;
mod sparse;
pub mod trig;
mod types;
mod v3;
#[cfg(target_arch = "x86_64")]
mod wide;

pub use free_motion::{PrincipalInertia, free_rotation, free_rotation_of_momentum};
pub use lanes::{F32x8, F32x16, F64x4, F64x8, LaneMask, Lanes, wide_lanes_available};
pub use ldlt6::{Ldlt6, solve_ldlt6};
pub use m3::{M2, M3};
pub use psd::{eigenvalues, psd_projection};
pub use real::{Arithmetic, Mask, Real};
pub use s3::S3;
pub use scalar::Scalar;
pub use so3::{
    exp_so3, left_jacobian, left_jacobian_inverse, log_so3, right_jacobian, right_jacobian_inverse,
    rotation_between, skew,
};
pub use sparse::{BlockSparse, SingularBlock};
pub use types::{Mat2, Mat3, Mat6, Pose, Quat, Spatial, Vec3, Vec6};
pub use v3::V3;
