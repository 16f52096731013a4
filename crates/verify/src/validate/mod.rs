//! The analytic suite: each case compares what a solver does with an exact or independent
//! answer, at default settings unless the case says otherwise.
//!
//! `coact validate` prints what [`cases`] returns. A case that takes more than a few
//! seconds is marked long and has a short form under another name where that makes sense.

mod admm_attachments;
mod admm_contacts;
pub mod admm_joint;
mod bench;
mod bodies;
mod convergence;
pub mod coupling;
mod coupling_joints;
mod particles;
mod rigid;
mod rods;
mod rods_buckling;
mod rods_contact;
mod rods_motion;
mod self_contact;
mod touching;

use std::fmt;

pub use bench::Bench;

/// One number against its exact value.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// What is measured, with its unit.
    pub what: String,
    /// What the solver gave.
    pub measured: f64,
    /// The exact or independent answer.
    pub exact: f64,
    /// Largest allowed `|measured − exact|`, in the same unit.
    pub bound: f64,
}

impl Measure {
    /// A measure with an absolute bound.
    pub fn absolute(what: impl Into<String>, measured: f64, exact: f64, bound: f64) -> Self {
        Self { what: what.into(), measured, exact, bound }
    }

    /// A measure with a bound relative to the exact value.
    pub fn relative(what: impl Into<String>, measured: f64, exact: f64, fraction: f64) -> Self {
        Self { what: what.into(), measured, exact, bound: exact.abs() * fraction }
    }

    /// `|measured − exact|`.
    pub fn error(&self) -> f64 {
        (self.measured - self.exact).abs()
    }

    /// Whether the bound is met; what is no number does not meet it.
    pub fn ok(&self) -> bool {
        self.error() <= self.bound
    }
}

/// A case of the suite.
#[derive(Clone, Copy)]
pub struct Case {
    /// Its name, as `area/claim`.
    pub name: &'static str,
    /// Whether it runs only when long cases are asked for.
    pub long: bool,
    /// Runs it. An error is a case that could not be built.
    pub run: fn() -> Result<Vec<Measure>, CaseError>,
}

/// Why a case could not run.
#[derive(Debug)]
pub struct CaseError(pub String);

impl fmt::Display for CaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<E: std::error::Error> From<E> for CaseError {
    fn from(e: E) -> Self {
        Self(e.to_string())
    }
}

/// All cases, in the order of their areas.
pub fn cases() -> Vec<Case> {
    [
        &particles::CASES[..],
        &self_contact::CASES,
        &convergence::CASES,
        &touching::CASES,
        &bodies::CASES,
        &rigid::CASES,
        &rods::CASES,
        &rods_buckling::CASES,
        &rods_motion::CASES,
        &rods_contact::CASES,
        &coupling::CASES,
        &admm_joint::CASES,
        &admm_attachments::CASES,
        &admm_contacts::CASES,
        &coupling_joints::CASES,
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_fails() {
        assert!(!Measure::absolute("x", f64::NAN, 0.0, 1.0).ok());
        assert!(Measure::relative("x", 1.01, 1.0, 0.02).ok());
        assert!(!Measure::relative("x", 1.03, 1.0, 0.02).ok());
    }
}
