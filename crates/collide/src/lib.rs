//! Shapes, distances and contact detection.

pub mod bvh;
mod contacts;
mod particle_shape;
pub mod sdf;
pub mod self_contact;

pub use contacts::{Contacts, ParticleShapeContact, ShapeContact};
pub use particle_shape::{
    Mobility, ParticleQuery, ParticleShapeDetector, UnsupportedShape, body_mobility, is_pair,
};
pub use sdf::Sdf;
