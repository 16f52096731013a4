//! Rotations, spatial vectors, small solves and the `Real` arithmetic that kernels are written in.

mod types;

pub use types::{Mat2, Mat3, Mat6, Pose, Quat, Spatial, Vec3, Vec6};
