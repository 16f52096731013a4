//! How a command ended, and the one place where that becomes an exit code.

use std::process::ExitCode;

/// A command that ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Everything asked for was done and holds.
    Good,
    /// It was done, but the physics went bad, a check failed, or the user stopped it.
    Failed,
}

/// Exit code of [`Ending::Failed`], also for a second Ctrl-C.
pub const FAILED: u8 = 1;
/// Exit code when nothing could be done; clap uses the same for bad arguments.
const COULD_NOT_RUN: u8 = 2;

/// 0 = ran, 1 = ran but failed, 2 = could not run.
pub fn exit_code(result: &miette::Result<Ending>) -> ExitCode {
    match result {
        Ok(Ending::Good) => ExitCode::SUCCESS,
        Ok(Ending::Failed) => ExitCode::from(FAILED),
        Err(_) => ExitCode::from(COULD_NOT_RUN),
    }
}
