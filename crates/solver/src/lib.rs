//! The solver contract: `Solver`, `CouplingInterface`, reports and errors.
//!
//! A researcher writes a solver from `contract.rs` and `coupling.rs` alone; the worked
//! example is the dummy solver of `coact-testkit` (`docs/adding-a-solver.md`).

mod contract;
mod coupling;
mod detection;
mod endpoint;
mod error;
mod loads;
mod report;
mod snapshot;

pub use contract::{Solver, StepInput, advance, check_step_size};
pub use coupling::{CouplingCapabilities, CouplingInterface, Harvest, TrialStep, free_response};
pub use detection::{DetectionSchedule, DetectionSlots};
pub use endpoint::{Endpoint, EndpointState, MassBlock, ProxyMotion, Response};
pub use error::SolverError;
pub use loads::{ContactLoad, JointLoad, Loads, ParticleContactLoad};
pub use report::{
    ContactCounts, EntryReport, InterfaceReport, MAX_LISTED_ENTITIES, Residual, SelfContactReport,
    StepReport, WorstAttachment, WorstPenetration,
};
pub use snapshot::Snapshot;
