//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use coact_compute::DeviceChoice;

/// Coupled physics: cloth, soft bodies, rods and mechanisms in one scene.
#[derive(Debug, Parser)]
#[command(name = "coact", version, propagate_version = true, after_help = EXAMPLES)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Say more; twice for debugging.
    #[arg(short, long, global = true, action = clap::ArgAction::Count, conflicts_with = "quiet")]
    pub verbose: u8,
    /// Say nothing but errors.
    #[arg(short, long, global = true)]
    pub quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  coact run scenes/coupling/boxes_on_cloth.ron
  coact run scene.ron --set run.duration=2 --out out/long
  coact check scene.ron
  coact export out/boxes_on_cloth --format vtk --out frames

Exit status: 0 ran, 1 ran but the physics or a check failed, 2 could not run.";

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a scene and write its trajectory, tables and picture.
    Run(RunArguments),
    /// Explain a scene without running it.
    Check(CheckArguments),
    /// Show version, threads and devices.
    Info,
    /// Run the analytic suite: measured against exact.
    Validate(ValidateArguments),
    /// Find where two runs part.
    Compare(CompareArguments),
    /// Write a run for ParaView, Blender and the like.
    Export(ExportArguments),
}

/// A scene and edits of it.
#[derive(Args, Debug)]
pub struct SceneArguments {
    /// The scene file (RON).
    pub file: PathBuf,
    /// Change a field of the scene, such as `run.duration=2`; may be repeated.
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub overrides: Vec<String>,
    /// Where kernels run: auto, cpu or gpu.
    #[arg(long, default_value_t = DeviceChoice::Auto)]
    pub device: DeviceChoice,
}

/// `run`.
#[derive(Args, Debug)]
pub struct RunArguments {
    /// The scene.
    #[command(flatten)]
    pub scene: SceneArguments,
    /// Folder for the results [default: `out/` and the name of the scene].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Stop after this many steps, whatever the scene says.
    #[arg(long, value_name = "N")]
    pub steps: Option<u64>,
    /// Threads of the CPU [default: all cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Write nothing to disk.
    #[arg(long, conflicts_with = "out")]
    pub no_output: bool,
    /// Say which interface of a coupling is worst and what helps: its worst step is taken again with other
    /// settings. Written to `report.json` too.
    #[arg(long)]
    pub explain: bool,
    /// Fail also when a coupling did not converge or a singular block was left out.
    #[arg(long)]
    pub strict: bool,
}

/// `check`.
#[derive(Args, Debug)]
pub struct CheckArguments {
    /// The scene.
    #[command(flatten)]
    pub scene: SceneArguments,
}

/// `validate`.
#[derive(Args, Debug)]
pub struct ValidateArguments {
    /// Run the cases whose name holds this text; `*` stands for anything.
    #[arg(long, value_name = "PATTERN")]
    pub only: Option<String>,
    /// Run the long cases too.
    #[arg(long)]
    pub long: bool,
    /// Write the results to a file.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Only list the names.
    #[arg(long, conflicts_with = "json")]
    pub list: bool,
}

/// `compare`.
#[derive(Args, Debug)]
pub struct CompareArguments {
    /// A run folder, a folder of columns, or a `.npz` file.
    pub a: PathBuf,
    /// The other one.
    pub b: PathBuf,
    /// Largest difference that counts as equal, in the unit of each column.
    #[arg(long, default_value_t = 0.0, value_name = "X")]
    pub tolerance: f64,
}

/// `export`.
#[derive(Args, Debug)]
pub struct ExportArguments {
    /// A run folder.
    pub run: PathBuf,
    /// The kind of files.
    #[arg(long, value_enum)]
    pub format: Format,
    /// Folder for the files [default: the name of the format, in the run folder].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Write every N-th frame.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub every: u32,
}

/// Kinds of export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A series of `.vtu` with a `.pvd` for ParaView.
    Vtk,
    /// A sequence of Wavefront OBJ files.
    Obj,
    /// One animated `.glb`.
    Gltf,
}
