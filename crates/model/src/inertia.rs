//! Mass, centre of mass and inertia of solids of constant density.

use coact_math::{Mat3, Vec3};

/// Mass, centre of mass and inertia of a solid in its own frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Mass \[kg\].
    pub mass: f64,
    /// Centre of mass \[m\].
    pub com: Vec3,
    /// Inertia about the centre of mass, axes of the frame \[kg·m²\].
    pub inertia: Mat3,
}

impl Default for MassProperties {
    fn default() -> Self {
        Self { mass: 0.0, com: Vec3::zeros(), inertia: Mat3::zeros() }
    }
}
