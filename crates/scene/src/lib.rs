//! Scene files: RON as typed, resolved, and built into model and solvers; mesh importers.
//!
//! [`load`] reads a file into [`file::SceneFile`] (what was typed), applies overrides,
//! reads the meshes and checks every name, range and owner: the result is a [`Scene`].
//! [`Scene::build`] makes the model and the solvers: a [`Simulation`]. Every fault is one
//! [`SceneError`] with file, line, column and remedy; nothing here prints.

mod brackets;
mod build;
mod drive;
mod error;
mod expect;
mod explain;
pub mod file;
mod format;
pub mod import;
mod load;
mod loads;
mod locate;
mod nearest;
mod overrides;
mod parse;
pub mod resolve;
mod simulation;
mod source;
mod syntax;

pub use error::{Fault, Place, SceneError};
pub use expect::{Check, History, Verdict};
pub use explain::{EntityLine, Explanation, InterfaceLine, SolverLine};
pub use format::scene_format_markdown;
pub use load::{load, load_text};
pub use overrides::apply_overrides;
pub use resolve::Scene;
pub use simulation::{RunPlan, Simulation};
pub use source::SourceText;
