//! How a run ended.

use std::fmt;

use serde::Serialize;

/// The kind of an ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Has not ended yet, or was killed.
    Running,
    /// All steps were taken and all checks hold.
    Ran,
    /// All steps were taken; a check of the scene failed.
    ChecksFailed,
    /// A number of the state was not finite.
    NotFinite,
    /// The user stopped it.
    Interrupted,
    /// The machine failed: a device was lost, a disk was full.
    Broken,
}

/// How a run ended, with the reason in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// The kind.
    pub outcome: Outcome,
    /// What failed: one line each.
    pub reasons: Vec<String>,
}

impl Verdict {
    /// Everything went well.
    pub fn ran() -> Self {
        Self { outcome: Outcome::Ran, reasons: Vec::new() }
    }

    /// An ending with its reason.
    pub fn because(outcome: Outcome, reason: impl Into<String>) -> Self {
        Self { outcome, reasons: vec![reason.into()] }
    }

    /// Whether the run went well.
    pub fn is_good(&self) -> bool {
        self.outcome == Outcome::Ran
    }
}

/// The word, and the reason if there is one; several are only counted.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.outcome {
            Outcome::Running => "running",
            Outcome::Ran => "ok",
            Outcome::ChecksFailed => "CHECK FAILED",
            Outcome::NotFinite => "NOT FINITE",
            Outcome::Interrupted => "INTERRUPTED",
            Outcome::Broken => "BROKEN",
        };
        match &self.reasons[..] {
            [] => f.write_str(word),
            [one] => write!(f, "{word}: {one}"),
            several => write!(f, "{word}: {} reasons", several.len()),
        }
    }
}
