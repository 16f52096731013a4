//! Checks of bodies, their inertia, and shapes.

use coact_math::Mat3;

use super::check::{finite, finite_not_negative, in_range};
use super::check_surfaces::check_surface;
use super::{BodyDef, BodyMass, ModelBuilder, ShapeDef};
use crate::error::ModelError;
use crate::ids::{BodyId, ShapeId};
use crate::shape::Geometry;

/// Relative asymmetry that `f32` input of an inertia may carry.
const ASYMMETRY: f64 = 1e-5;

/// Smallest eigenvalue relative to the largest: an inverse beyond it is mostly rounding.
const LEAST_EIGENVALUE: f64 = 1e-12;

impl ModelBuilder {
    pub(super) fn check_bodies(&self) -> Result<(), ModelError> {
        self.bodies.iter().enumerate().try_for_each(|(i, b)| self.check_body(BodyId::new(i), b))
    }

    fn check_body(&self, id: BodyId, b: &BodyDef) -> Result<(), ModelError> {
        let label = || self.names.body_label(id);
        finite(&label, "pose", &b.pose.to_array())?;
        finite(&label, "velocity", b.velocity.to_vec6().as_slice())?;
        let BodyMass::Given { mass, com, inertia } = &b.mass else { return Ok(()) };
        finite(&label, "centre of mass", com.as_slice())?;
        finite(&label, "inertia", inertia.as_slice())?;
        finite_not_negative(&label, "mass", *mass)?;
        if b.kinematic {
            return Ok(());
        }
        if *mass == 0.0 {
            let remedy = "write a positive mass, or kinematic: true for a body that forces do not move";
            return Err(ModelError::BadValue { entity: label(), field: "mass", value: 0.0, remedy });
        }
        inertia_fault(inertia).map_or(Ok(()), |(reason, remedy)| {
            let inertia = format!("{:?}", inertia.transpose().as_slice());
            Err(ModelError::BadInertia { entity: label(), inertia, reason, remedy })
        })
    }

    pub(super) fn check_shapes(&self) -> Result<(), ModelError> {
        for (i, s) in self.shapes.iter().enumerate() {
            self.check_shape(ShapeId::new(i), s)?;
        }
        let label = || "filter_shapes(..)".to_string();
        for s in self.filters.iter().flat_map(|f| [f.0, f.1]) {
            in_range(&label, s, s.index(), self.shapes.len())?;
        }
        Ok(())
    }

    fn check_shape(&self, id: ShapeId, s: &ShapeDef) -> Result<(), ModelError> {
        let label = || self.names.shape_label(id);
        if let Some(b) = s.body {
            self.check_body_id(&label, b)?;
        }
        self.check_material(&label, s.material)?;
        finite(&label, "pose", &s.pose.to_array())?;
        finite_not_negative(&label, "density", s.density)?;
        finite_not_negative(&label, "margin", s.margin)?;
        finite_not_negative(&label, "gap", s.gap)?;
        finite(&label, "surface velocity", s.surface_velocity.as_slice())?;
        for (field, value) in dimensions(&s.geometry) {
            finite(&label, field, &[value])?;
            if value < 0.0 || (value == 0.0 && field != "half height") {
                let remedy = "write a positive length";
                return Err(ModelError::BadValue { entity: label(), field, value, remedy });
            }
        }
        check_surface(&label, s)
    }
}

/// Lengths of a geometry that must be positive (a half height of 0 makes a capsule a ball).
pub(super) fn dimensions(g: &Geometry) -> Vec<(&'static str, f64)> {
    match g {
        Geometry::Plane | Geometry::ConvexHull(_) | Geometry::Mesh(_) | Geometry::Heightfield(_) => {
            Vec::new()
        }
        Geometry::Sphere { radius } => vec![("radius", *radius)],
        Geometry::Box { half_extents } => half_extents.iter().map(|h| ("half extent", *h)).collect(),
        Geometry::Ellipsoid { radii } => radii.iter().map(|r| ("semi-axis", *r)).collect(),
        Geometry::Capsule { radius, half_height } => {
            vec![("radius", *radius), ("half height", *half_height)]
        }
        Geometry::Cylinder { radius, half_height } | Geometry::Cone { radius, half_height } => {
            vec![("radius", *radius), ("height", *half_height)]
        }
    }
}

/// What keeps a tensor from being the inertia of a dynamic body, and the remedy.
fn inertia_fault(i: &Mat3) -> Option<(&'static str, &'static str)> {
    if (i - i.transpose()).amax() > ASYMMETRY * i.amax() {
        return Some(("is not symmetric", "write the same number on both sides of the diagonal"));
    }
    let eigenvalues = i.symmetric_eigenvalues();
    let (low, high) = (eigenvalues.min(), eigenvalues.max());
    if high > 0.0 && low > LEAST_EIGENVALUE * high {
        return None;
    }
    let remedy = "write a positive definite one (three positive principal moments), \
                  take mass from shapes, or write kinematic: true";
    if i.amax() == 0.0 { Some(("is zero", remedy)) } else { Some(("is not positive definite", remedy)) }
}
