//! Shapes, distances and contact detection.

mod contacts;
mod particle_shape;
#[cfg(test)]
mod sample;
pub mod sdf;

pub use contacts::{Contacts, ParticleShapeContact, ShapeContact};
pub use particle_shape::{
    Mobility, ParticleQuery, ParticleShapeDetector, UnsupportedShape, body_mobility, is_pair,
};
pub use sdf::{MeshDistance, MeshFault, Sdf, ShapeDistance};
