//! Text to the user: results to standard output, the rest to standard error.
//!
//! A reader that closes the pipe early (`coact info | head -1`) is no error.

use std::fmt;
use std::io::{self, Write};

/// How much is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Loudness {
    /// Errors only.
    Quiet,
    /// Progress and results.
    Normal,
    /// Details too.
    Verbose,
}

impl Loudness {
    /// From the flags.
    pub fn new(verbose: u8, quiet: bool) -> Self {
        match (quiet, verbose) {
            (true, _) => Self::Quiet,
            (_, 0) => Self::Normal,
            _ => Self::Verbose,
        }
    }
}

/// A line of results.
pub fn line(text: impl fmt::Display) {
    // Nobody is left to be told when standard output is closed.
    let _ = writeln!(io::stdout().lock(), "{text}");
}

/// A remark beside the results.
pub fn note(text: impl fmt::Display) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// An error, drawn with its piece of the file.
pub fn error(report: &miette::Report) {
    let _ = writeln!(io::stderr().lock(), "{report:?}");
}
