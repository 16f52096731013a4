//! What goes wrong with recorded files, always with the path.

use std::io;
use std::path::{Path, PathBuf};

/// A failure to write, read or compare what runs leave on disk.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The file system refused.
    #[error("{path}: {error}")]
    Io {
        /// File or folder.
        path: PathBuf,
        /// What the system said; part of the message, so that no chain repeats it.
        error: io::Error,
    },
    /// The output folder cannot be made.
    #[error("cannot make the output folder {path}: {error}; choose another one with --out")]
    NoFolder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// A file stands where the output folder is to be.
    #[error("{path} is a file, and the results need a folder; choose another name with --out")]
    NotAFolder {
        /// The file.
        path: PathBuf,
    },
    /// A file is not what its name promises.
    #[error("{path}: {what}")]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong in it.
        what: String,
    },
    /// The output folder holds something else.
    #[error(
        "{path} exists and is no earlier run (it has no run.json); \
         choose another folder with --out, or remove it"
    )]
    Occupied {
        /// The folder.
        path: PathBuf,
    },
    /// A state does not have the counts that the recording began with.
    #[error("column `{column}` has {found} numbers in this frame, {expected} in the first")]
    Shape {
        /// The column.
        column: &'static str,
        /// Numbers of the first frame.
        expected: usize,
        /// Numbers of this frame.
        found: usize,
    },
}

impl TraceError {
    /// Attaches the path to a file system error.
    pub fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |error| Self::Io { path: path.to_owned(), error }
    }

    /// A malformed file.
    pub fn format(path: &Path, what: impl Into<String>) -> Self {
        Self::Format { path: path.to_owned(), what: what.into() }
    }
}

/// Shorthand of this crate.
pub type Result<T, E = TraceError> = std::result::Result<T, E>;
