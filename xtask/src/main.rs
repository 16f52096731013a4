//! What CI runs, by name: `cargo xtask tidy | reference | time | race`.

mod peak;
mod race;
mod reference;
mod tidy;
mod time;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "xtask", about = "House rules, reference cases, timings and races")]
struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Checks the house rules: dependency edges, sizes, names, cited paths and equations.
    Tidy,
    /// Runs every reference case of a folder and compares with its recorded positions.
    Reference(reference::Args),
    /// Times one reference case and prints one line of JSON.
    Time(time::Args),
    /// Hanging cloth against a converged run, at equal time.
    Race(race::Args),
}

/// The root of the workspace.
fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.parent().map(PathBuf::from).unwrap_or(here)
}

fn main() -> ExitCode {
    let ok = match Args::parse().task {
        Task::Tidy => tidy::run(&root()),
        Task::Reference(args) => reference::run(&args),
        Task::Time(args) => time::run(&args),
        Task::Race(args) => race::run(&args),
    };
    if ok { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
