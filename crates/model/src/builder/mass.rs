//! Mass of bodies: given, or summed over their shapes.

use super::{BodyMass, ModelBuilder, ShapeDef};
use crate::error::ModelError;
use crate::ids::{BodyId, ShapeId};
pub(super) use crate::inertia::MassProperties;

impl ModelBuilder {
    /// Mass properties of every body. Shape: \[body_count\]. Errors: a surface that does
    /// not close; a dynamic body whose shapes add up to no mass.
    pub(super) fn body_masses(&self) -> Result<Vec<MassProperties>, ModelError> {
        let mut parts = vec![Vec::new(); self.bodies.len()];
        for (i, s) in self.shapes.iter().enumerate() {
            let Some(body) = s.body.and_then(|b| self.bodies.get(b.index()).map(|_| b)) else { continue };
            if s.density > 0.0 && self.bodies[body.index()].mass == BodyMass::FromShapes {
                parts[body.index()].push(self.shape_mass(ShapeId::new(i), s)?);
            }
        }
        parts.iter().enumerate().map(|(i, p)| self.body_mass(BodyId::new(i), p)).collect()
    }

    fn body_mass(&self, id: BodyId, parts: &[MassProperties]) -> Result<MassProperties, ModelError> {
        let def = &self.bodies[id.index()];
        if let BodyMass::Given { mass, com, inertia } = def.mass {
            return Ok(MassProperties { mass, com, inertia });
        }
        let sum = MassProperties::sum(parts);
        if sum.mass > 0.0 || def.kinematic {
            return Ok(sum);
        }
        let bare = !self.shapes.iter().any(|s| s.body == Some(id));
        let reason = if bare { "it has none" } else { "none of them has both volume and density" };
        Err(ModelError::NoMass { entity: self.names.body_label(id), reason: reason.into() })
    }

    fn shape_mass(&self, id: ShapeId, s: &ShapeDef) -> Result<MassProperties, ModelError> {
        let own = s.geometry.mass_properties(s.density).map_err(|fault| ModelError::OpenMesh {
            entity: self.names.shape_label(id),
            reason: fault.to_string(),
            remedy: "close the mesh, or set its density to 0 and let another shape of the body give it its mass, \
                     as a box that is not visible and meets nothing",
        })?;
        Ok(own.transformed(&s.pose))
    }
}
