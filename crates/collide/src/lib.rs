//! Shapes, distances and contact detection.

pub mod bvh;
mod contacts;
mod matching;
mod narrow;
mod particle_shape;
#[cfg(test)]
mod sample;
pub mod sdf;
pub mod self_contact;
mod shape_pair;
mod world_box;

pub use contacts::{Contacts, ParticleShapeContact, ShapeContact};
pub use matching::{ContactMatcher, ContactMatching};
pub use particle_shape::{
    Mobility, ParticleQuery, ParticleShapeDetector, UnsupportedShape, body_mobility, is_pair,
};
pub use sdf::{MeshDistance, MeshFault, Sdf, ShapeDistance};
pub use shape_pair::{ShapePairDetector, ShapePairOptions};
