//! Trajectories, logs, exporters and pictures.
//!
//! A run feeds a [`Sink`]; [`RunFolder`] is the sink that leaves the folder a user finds.
//! What is drawn and exported is described by a [`Stage`], made once from the model and
//! stored beside the trajectory, so that a run folder needs no scene file to be looked at.

mod compare;
mod csv;
mod energy;
mod error;
pub mod export;
mod loads;
mod npy;
pub mod picture;
mod run;
mod sink;
mod stage;
mod statistics;
mod tables;
pub mod trajectory;
mod verdict;

pub use compare::{ColumnDifference, Comparison, Difference, compare};
pub use energy::Energy;
pub use error::{Result, TraceError};
pub use loads::{ContactTable, JointTable, LoadCells};
pub use npy::{Dtype, NpyArray, NpyWriter};
pub use run::{RunFolder, RunRecord};
pub use sink::{NullSink, Sink, Tee};
pub use stage::{Sheet, Solid, Stage};
pub use statistics::{EntryStatistics, InterfaceStatistics, RunStatistics};
pub use tables::{ConvergenceTable, EnergyTable, IterationTable, ScalarTable};
pub use trajectory::{Recording, Trajectory, TrajectorySink};
pub use verdict::{Outcome, Verdict};
