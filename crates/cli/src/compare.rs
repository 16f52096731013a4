//! `coact compare A B`: where two runs part.

use std::path::Path;

use coact_model::{BodyId, EntityId, ParticleId};
use coact_trace::{ColumnDifference, Comparison, Difference, RunFolder, Stage, Trajectory};
use miette::{IntoDiagnostic, Result, WrapErr};

use crate::args::CompareArguments;
use crate::ending::Ending;
use crate::figures::{exact, six};
use crate::say;

/// Prints the largest difference per column and the first one of all.
pub fn compare(a: &CompareArguments) -> Result<Ending> {
    if a.tolerance.is_nan() || a.tolerance < 0.0 {
        return Err(miette::miette!(
            help = "0 asks for equality; 1e-9 allows differences up to that",
            "--tolerance {} is no tolerance",
            a.tolerance
        ));
    }
    let (first, second) = (open(&a.a)?, open(&a.b)?);
    let comparison = coact_trace::compare(&first, &second, a.tolerance);
    let stage = RunFolder::stage(&a.a).ok();
    comparison.columns.iter().for_each(|c| say::line(column_line(c, stage.as_ref())));
    comparison.mismatches.iter().for_each(|m| say::line(format!("differs: {m}")));
    say::line(last_line(&comparison, &first, stage.as_ref()));
    Ok(if comparison.is_equal() { Ending::Good } else { Ending::Failed })
}

/// Opens a recording.
pub fn open(path: &Path) -> Result<Trajectory> {
    Trajectory::open(path).into_diagnostic().wrap_err_with(|| format!("cannot read `{}`", path.display()))
}

fn column_line(c: &ColumnDifference, stage: Option<&Stage>) -> String {
    let place = c.at.as_ref().map(|d| format!("  largest at {}", place(d, stage))).unwrap_or_default();
    format!("{:<12} {:>9} numbers, largest difference {:.3e}{place}", c.column, c.compared, c.max)
}

fn last_line(c: &Comparison, run: &Trajectory, stage: Option<&Stage>) -> String {
    let frames = c.frames.0.min(c.frames.1);
    match &c.first {
        Some(d) => {
            let (time, a, b) = (six(run.time(d.frame)), exact(d.a), exact(d.b));
            format!("first difference: {}, t = {time} s: {a} against {b}", place(d, stage))
        }
        None if c.mismatches.is_empty() => format!("equal: {frames} frames"),
        None => format!("equal in what both have: {frames} frames"),
    }
}

/// `step 12, body 3 "lid", body_q[1]`.
fn place(d: &Difference, stage: Option<&Stage>) -> String {
    let entity = match d.column.split('_').next() {
        Some("particle") => Some(EntityId::Particle(ParticleId::new(d.entity))),
        Some("body") => Some(EntityId::Body(BodyId::new(d.entity))),
        _ => None,
    };
    let name = match (entity, stage) {
        (Some(e), Some(stage)) => stage.name_of(e),
        (Some(e), None) => e.to_string(),
        (None, _) => format!("number {}", d.entity),
    };
    format!("step {}, {name}, {}[{}]", d.step, d.column, d.component)
}
