//! What the device path refuses when a solver is built, by name and with the remedy.

use coact_compute::ComputeError;
use coact_solver::{DetectionSchedule, SolverError};

use crate::config::VbdConfig;

/// Settings that kernels do not handle.
pub fn refuse_on_device(config: &VbdConfig) -> Result<(), SolverError> {
    if config.self_contact.is_some() {
        return Err(SolverError::Setting {
            setting: "self_contact",
            value: "on".into(),
            remedy: "a device does not know self-contact yet: leave it out, or use the CPU".into(),
        });
    }
    let slot = config.detection.rigid_soft;
    if matches!(slot, DetectionSchedule::Auto | DetectionSchedule::PreInit) {
        return Ok(());
    }
    Err(SolverError::Setting {
        setting: "detection.rigid_soft",
        value: slot.to_string(),
        remedy: "a device detects once, at the begin of the step: write Auto or PreInit, or use the CPU"
            .into(),
    })
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
