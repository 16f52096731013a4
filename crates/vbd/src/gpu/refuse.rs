//! What the device path refuses when a solver is built, by name and with the remedy.

use coact_collide::Mobility;
use coact_compute::ComputeError;
use coact_model::{BodyId, EntityId, ModelView};
use coact_solver::{DetectionSchedule, SolverError};

use super::tables::color_conflict;
use crate::config::{RotationUpdate, VbdConfig};
use crate::prepared::Layout;

/// Settings and models that kernels do not handle.
pub fn refuse_on_device(view: &ModelView, layout: &Layout, config: &VbdConfig) -> Result<(), SolverError> {
    if let Some((a, b)) = color_conflict(layout, view) {
        return Err(SolverError::Entity {
            entity: EntityId::Particle(a),
            what: format!("shares an element and a color with {b}; on a device their steps would race"),
            remedy: "color with bending (`color_bending`), correct the color groups, or use the CPU".into(),
        });
    }
    let is_free = |b: BodyId| {
        let ours = view.owns_body(b) || view.is_proxy_body(b);
        ours && matches!(coact_collide::body_mobility(view, b), Mobility::Dynamic | Mobility::Proxy)
    };
    let any_free = (0..view.body_count()).map(BodyId::new).any(is_free);
    if config.rotation == RotationUpdate::FirstOrder && any_free {
        return Err(SolverError::Setting {
            setting: "rotation",
            value: "FirstOrder".into(),
            remedy: "bodies on a device turn by the exponential map: write Exponential, or use the CPU"
                .into(),
        });
    }
    let slot = config.detection.rigid_soft;
    if !matches!(slot, DetectionSchedule::Auto | DetectionSchedule::PreInit) {
        return Err(SolverError::Setting {
            setting: "detection.rigid_soft",
            value: slot.to_string(),
            remedy: "a device detects once, at the begin of the step: write Auto or PreInit, or use the CPU"
                .into(),
        });
    }
    Ok(())
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
