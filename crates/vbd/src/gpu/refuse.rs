//! What the device path refuses when a solver is built, by name and with the remedy.

use coact_compute::ComputeError;
use coact_solver::SolverError;

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
