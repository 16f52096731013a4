//! Mass of bodies: given, or summed over their shapes.

pub(super) use crate::inertia::MassProperties;

use super::{BodyMass, ModelBuilder};
use crate::error::ModelError;

impl ModelBuilder {
    /// Mass properties of every body. Shape: \[body_count\]. Errors: a dynamic body whose
    /// shapes add up to no mass.
    pub(super) fn body_masses(&self) -> Result<Vec<MassProperties>, ModelError> {
        Ok(self
            .bodies
            .iter()
            .map(|b| match &b.mass {
                BodyMass::Given { mass, com, inertia } => {
                    MassProperties { mass: *mass, com: *com, inertia: *inertia }
                }
                BodyMass::FromShapes => MassProperties::default(),
            })
            .collect())
    }
}
