//! Reference cases: exact inputs and recorded trajectories in a neutral format.
//!
//! A case is a JSON file (`vbd-reference-scene/1`) in `DIR`; what was recorded lies in
//! `DIR/../out/<case>/` as `.npy`. A case may have variants that override settings.

mod case;
mod joints;
mod json;
mod measures;
mod model;
mod recorded;
mod rods;
mod run;
mod timing;
mod tolerance;

use std::path::{Path, PathBuf};

pub use case::{Case, Variant, find_cases};
pub use rods::compare_rods;
pub use run::{Comparison, Mode, Outcome, RecordDifference, Settings, compare};
pub use timing::{SweepWork, Timing, time};
pub use tolerance::tolerance;

/// A case that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReferenceError {
    /// A file could not be read.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file has another form than expected.
    #[error("{0}")]
    Format(String),
    /// The device cannot be used.
    #[error(transparent)]
    Device(#[from] coact_compute::ComputeError),
    /// The solver refused the case.
    #[error(transparent)]
    Solver(#[from] coact_solver::SolverError),
}

impl ReferenceError {
    fn file(path: &Path, source: std::io::Error) -> Self {
        Self::File { path: path.into(), source }
    }
}
