//! What the device path refuses when a solver is built, by name and with the remedy.

use coact_compute::ComputeError;
use coact_solver::{DetectionSchedule, SolverError};

use crate::config::{ContactLaw, FrictionLaw, VbdConfig};

/// Settings that kernels do not handle.
pub fn refuse_on_device(config: &VbdConfig) -> Result<(), SolverError> {
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
    if config.self_contact.is_some() {
        return Err(refused(
            "self_contact",
            "on",
            "a device does not know self-contact yet: leave it out, or use the CPU",
        ));
    }
    let slot = config.detection.rigid_soft;
    if matches!(slot, DetectionSchedule::Auto | DetectionSchedule::PreInit) {
        return Ok(());
    }
    let remedy = "a device detects once, at the begin of the step: write Auto or PreInit, or use the CPU";
    Err(refused("detection.rigid_soft", &slot.to_string(), remedy))
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
