//! Shapes, distances and contact detection.

mod contacts;

pub use contacts::{Contacts, ParticleShapeContact, ShapeContact};
