//! What the device path refuses when a solver is built, by name and with the remedy.

use coact_compute::ComputeError;
use coact_math::Vec3;
use coact_model::{ModelView, ShapeFlags, ShapeId};
use coact_solver::{DetectionSchedule, SolverError};

use super::tables::unknown_shape;
use crate::config::{ContactLaw, FrictionLaw, VbdConfig};
use crate::refuse::shape_name;

/// Shapes and settings that kernels do not handle.
pub fn refuse_on_device(view: &ModelView, config: &VbdConfig) -> Result<(), SolverError> {
    if let Some(shape) = unknown_shape(view) {
        let (name, kind) = (shape_name(view, shape), view.shape_geometry[shape.index()].kind());
        return Err(SolverError::Setting {
            setting: "shape",
            value: format!("{name} ({kind})"),
            remedy: "on a device particles meet planes, spheres, boxes, capsules and cylinders: use one \
                     of them, clear the shape's COLLIDE_PARTICLES flag, or use the CPU"
                .into(),
        });
    }
    refuse_conveyors(view)?;
    if config.self_contact.is_some() {
        return Err(SolverError::Setting {
            setting: "self_contact",
            value: "on".into(),
            remedy: "a device does not know self-contact yet: leave it out, or use the CPU".into(),
        });
    }
    if config.friction != FrictionLaw::Smoothed {
        return Err(refused(
            "friction",
            "Anchored",
            "a device has no anchors: write Smoothed, or use the CPU",
        ));
    }
    if config.contact_law != ContactLaw::Quadratic {
        return Err(refused(
            "contact_law",
            "Barrier",
            "a device has no barrier: write Quadratic, or use the CPU",
        ));
    }
    if let Some(tolerance) = config.tolerance {
        return Err(SolverError::Setting {
            setting: "tolerance",
            value: tolerance.to_string(),
            remedy: "a device does all its sweeps: leave it out, or use the CPU".into(),
        });
    }
    let slot = config.detection.rigid_soft;
    if matches!(slot, DetectionSchedule::Auto | DetectionSchedule::PreInit) {
        return Ok(());
    }
    let remedy = "a device detects once, at the begin of the step: write Auto or PreInit, or use the CPU";
    Err(refused("detection.rigid_soft", &slot.to_string(), remedy))
}

/// Shapes that would carry particles along.
pub fn refuse_conveyors(view: &ModelView) -> Result<(), SolverError> {
    let meets = |s: usize| view.shape_flags[s].contains(ShapeFlags::COLLIDE_PARTICLES);
    let moves = |s: usize| view.shape_surface_velocity[s] != Vec3::zeros();
    match (0..view.shape_count()).find(|&s| meets(s) && moves(s)).map(ShapeId::new) {
        None => Ok(()),
        Some(shape) => Err(SolverError::Setting {
            setting: "shape",
            value: format!("{} with a surface velocity", shape_name(view, shape)),
            remedy: "a device has no conveyors: clear the shape's surface velocity or its \
                     COLLIDE_PARTICLES flag, or use the CPU"
                .into(),
        }),
    }
}

fn refused(setting: &'static str, value: &str, remedy: &str) -> SolverError {
    SolverError::Setting { setting, value: value.into(), remedy: remedy.into() }
}

/// What the device itself objects to: too small, or a kernel that it does not take.
pub fn refuse_by_device(error: &ComputeError) -> SolverError {
    match error {
        ComputeError::TooLarge { .. } => SolverError::Setting {
            setting: "device",
            value: error.to_string(),
            remedy: "particles times visible shapes must fit: hide shapes (clear COLLIDE_PARTICLES), \
                     split the entry, or use the CPU"
                .into(),
        },
        other => SolverError::Device(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coact_model::{Geometry, ModelBuilder, ShapeDef};

    #[test]
    fn a_shape_that_kernels_do_not_know_is_named_unless_particles_do_not_meet_it() {
        let refused = |geometry, flags| {
            let mut b = ModelBuilder::new();
            b.add_shape(ShapeDef { name: "egg".into(), geometry, flags, ..ShapeDef::default() });
            let config = VbdConfig { friction: FrictionLaw::Smoothed, ..VbdConfig::default() };
            refuse_on_device(&ModelView::whole(&b.finalize().unwrap()), &config).err()
        };
        let egg = || Geometry::Ellipsoid { radii: Vec3::repeat(0.1) };
        let text = refused(egg(), ShapeFlags::all()).unwrap().to_string();
        for word in ["'egg'", "ellipsoid", "COLLIDE_PARTICLES", "use the CPU"] {
            assert!(text.contains(word), "\"{word}\" is missing in \"{text}\"");
        }
        assert!(refused(Geometry::Cone { radius: 0.1, half_height: 0.1 }, ShapeFlags::all()).is_some());
        assert!(refused(egg(), ShapeFlags::VISIBLE).is_none());
        assert!(refused(Geometry::Sphere { radius: 0.1 }, ShapeFlags::all()).is_none());
    }

    #[test]
    fn a_conveyor_is_refused_where_particles_meet_it() {
        let refused = |flags| {
            let mut b = ModelBuilder::new();
            let surface_velocity = Vec3::x();
            b.add_shape(ShapeDef { name: "belt".into(), surface_velocity, flags, ..ShapeDef::default() });
            let config = VbdConfig { friction: FrictionLaw::Smoothed, ..VbdConfig::default() };
            refuse_on_device(&ModelView::whole(&b.finalize().unwrap()), &config).err()
        };
        let text = refused(ShapeFlags::all()).unwrap().to_string();
        assert!(text.contains("'belt'") && text.contains("surface velocity"), "{text}");
        assert!(refused(ShapeFlags::COLLIDE_SHAPES).is_none());
    }
}
