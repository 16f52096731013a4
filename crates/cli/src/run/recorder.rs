//! What is kept of each step: sums, history for the checks, frames, pictures.
//!
//! The state is downloaded only for frames, unless a check has to see every step.

use std::path::Path;

use coact_model::{EntityId, State, StateFields};
use coact_scene::file::{Column, Expectation};
use coact_scene::{History, Simulation, Verdict as CheckVerdict};
use coact_solver::{EntryReport, Loads, StepReport};
use coact_trace::{Energy, LoadCells, Recording, RunFolder, RunRecord, RunStatistics, Sink, Stage, Verdict};
use miette::{IntoDiagnostic, Result};
use serde_json::json;

use super::pictures::Shots;
use super::summary::lag_text;
use crate::figures::six;

/// Everything that is kept of a run.
pub struct Recorder {
    folder: Option<RunFolder>,
    record: RunRecord,
    stage: Stage,
    statistics: RunStatistics,
    history: History,
    shots: Shots,
    watch_every_step: bool,
    energies: bool,
    /// The report of a lone solver, as that of an entry; without entries when there is a coupler.
    alone: StepReport,
    /// Loads of the present frame, where they are asked for.
    loads: Option<Loads>,
    frames: u64,
    /// The last recorded state: finite, whatever came after.
    last: State,
}

impl Recorder {
    /// For a simulation at its start; `out` = where to write, if at all.
    pub fn new(sim: &Simulation, out: Option<&Path>, record: RunRecord) -> Result<Self> {
        let stage = Stage::of(&sim.model);
        let recording = Recording { fields: fields(&sim.output.columns), ..Recording::default() };
        let mut folder = out
            .map(|path| RunFolder::create(path, record.clone(), &stage, recording))
            .transpose()
            .into_diagnostic()?;
        let m = &sim.measured;
        let cells = LoadCells::new(&sim.model, &m.joints, &m.shapes, &m.groups);
        let measures = cells.has_joints() || cells.has_contacts();
        if let Some(folder) = &mut folder {
            folder.measure(cells).into_diagnostic()?;
        }
        let gain = sim.checks.iter().any(|c| matches!(c.expectation, Expectation::EnergyGain(_)));
        Ok(Self {
            folder,
            record,
            stage,
            statistics: RunStatistics::default(),
            history: History::new(&sim.model, &sim.state, &sim.checks),
            shots: Shots::new(&sim.output.pictures, sim.plan.dt, sim.plan.dt * sim.plan.steps as f64),
            watch_every_step: !sim.checks.is_empty(),
            energies: sim.output.energy || gain,
            alone: StepReport {
                entries: sim.lone_solver.iter().map(|name| entry(name)).collect(),
                ..StepReport::default()
            },
            loads: measures.then(Loads::default),
            frames: 0,
            last: sim.state.clone(),
        })
    }

    /// Records the initial state.
    pub fn begin(&mut self, sim: &mut Simulation) -> Result<()> {
        sim.store(StateFields::all());
        self.frame(sim, None)
    }

    /// Records a step; `Some` is the first entity that is not finite, and nothing of such a
    /// state is written.
    pub fn step(
        &mut self,
        sim: &mut Simulation,
        report: &StepReport,
        seconds: f64,
    ) -> Result<Option<EntityId>> {
        let mut alone = std::mem::take(&mut self.alone);
        let outcome = self.record_step(sim, named(&mut alone, report, seconds), seconds);
        self.alone = alone;
        outcome
    }

    fn record_step(
        &mut self,
        sim: &mut Simulation,
        report: &StepReport,
        seconds: f64,
    ) -> Result<Option<EntityId>> {
        self.statistics.add_step(report, seconds);
        let framed = sim.frame_due() || self.shots.due(sim.time());
        let bad = first_bad(report);
        if framed || self.watch_every_step || bad.is_some() {
            sim.store(StateFields::all());
            self.history.record(sim.time(), &sim.state, report);
            if let Some(entity) = bad.or_else(|| sim.state.first_nonfinite()) {
                return Ok(Some(entity));
            }
        }
        if framed {
            self.frame(sim, Some(report))?;
        } else if let Some(folder) = &mut self.folder {
            folder.begin_frame(sim.steps_done(), sim.time()).into_diagnostic()?;
            folder.report(report).into_diagnostic()?;
        }
        Ok(None)
    }

    fn frame(&mut self, sim: &mut Simulation, report: Option<&StepReport>) -> Result<()> {
        self.last.clone_from(&sim.state);
        self.shots.take(sim.time(), &sim.state);
        self.frames += 1;
        let energy = self.energies.then(|| {
            let stored = sim.solver.stored_energy();
            Energy::of(&sim.model, &sim.state, stored)
        });
        if let Some(energy) = &energy {
            self.statistics.add_energy(energy);
            self.history.record_energy(energy.total());
        }
        let Some(folder) = &mut self.folder else { return Ok(()) };
        let loads = self.loads.as_mut().filter(|_| report.is_some());
        let loads = loads.map(|loads| {
            loads.clear();
            sim.solver.append_loads(loads);
            &*loads
        });
        write_frame(folder, sim, report, (energy.as_ref(), loads)).into_diagnostic()
    }

    /// Draws the pictures, packs the trajectory, writes the record.
    pub fn finish(&mut self, sim: &Simulation, verdict: &Verdict) -> Result<()> {
        let checks: Vec<_> = self.checks(sim).iter().map(check_json).collect();
        let Some(folder) = &mut self.folder else { return Ok(()) };
        let time = folder.record.time;
        folder.record = self.record.clone();
        folder.record.time = time;
        folder.record.statistics = self.statistics.clone();
        folder.record.checks = checks.into();
        folder.finish(verdict).into_diagnostic()?;
        self.shots.write(&self.stage, &self.last, folder).into_diagnostic()
    }

    /// The checks of the scene and what came out.
    pub fn checks(&self, sim: &Simulation) -> Vec<CheckVerdict> {
        self.history.verdicts(&sim.checks)
    }

    /// The checks that do not hold, one line each.
    pub fn failed_checks(&self, sim: &Simulation) -> Vec<String> {
        self.checks(sim).iter().filter(|c| !c.passed).map(check_text).collect()
    }

    /// What `--strict` does not forgive.
    pub fn blemishes(&self) -> Vec<String> {
        let s = &self.statistics;
        let unconverged = s.interfaces.iter().filter(|i| i.unconverged > 0);
        let mut lines: Vec<String> =
            unconverged.map(|i| format!("{} did not converge in {} steps", i.name, i.unconverged)).collect();
        if s.skipped_blocks > 0 {
            let first = s
                .first_skipped
                .map_or_else(String::new, |(step, p)| format!(", the first at particle {p} in step {step}"));
            lines.push(format!("{} singular blocks were left out{first}", s.skipped_blocks));
        }
        lines.extend(lag_text(s));
        lines
    }

    /// The record, to be completed.
    pub fn record(&mut self) -> &mut RunRecord {
        &mut self.record
    }

    /// Sums over the run.
    pub fn statistics(&self) -> &RunStatistics {
        &self.statistics
    }

    /// What there is to see, with names.
    pub fn stage(&self) -> &Stage {
        &self.stage
    }

    /// Frames recorded.
    pub fn frame_count(&self) -> u64 {
        self.frames
    }

    /// The run folder.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_ref().map(RunFolder::path)
    }
}

fn entry(name: &str) -> EntryReport {
    EntryReport { name: name.to_owned(), solves: 1, ..EntryReport::default() }
}

/// The report of a step; that of a lone solver gets its name and time, as a coupler's
/// entries have theirs.
fn named<'a>(alone: &'a mut StepReport, report: &'a StepReport, seconds: f64) -> &'a StepReport {
    match alone.entries.first_mut() {
        Some(entry) if report.entries.is_empty() => {
            entry.seconds = seconds;
            entry.report.clone_from(report);
            alone.bytes_moved = report.bytes_moved;
            alone
        }
        _ => report,
    }
}

fn write_frame(
    folder: &mut RunFolder,
    sim: &Simulation,
    report: Option<&StepReport>,
    (energy, loads): (Option<&Energy>, Option<&Loads>),
) -> coact_trace::Result<()> {
    folder.begin_frame(sim.steps_done(), sim.time())?;
    if let Some(report) = report {
        folder.report(report)?;
    }
    folder.state(&sim.state)?;
    if let Some(energy) = energy {
        folder.energy(energy)?;
    }
    if let Some(loads) = loads {
        folder.loads(loads)?;
    }
    folder.end_frame()
}

/// The first entity that a report names as not finite, entries included.
fn first_bad(report: &StepReport) -> Option<EntityId> {
    report.nonfinite.first().copied().or_else(|| report.entries.iter().find_map(|e| first_bad(&e.report)))
}

fn fields(columns: &[Column]) -> StateFields {
    columns.iter().fold(StateFields::empty(), |all, c| {
        all | match c {
            Column::ParticleQ => StateFields::PARTICLE_Q,
            Column::ParticleQd => StateFields::PARTICLE_QD,
            Column::BodyQ => StateFields::BODY_Q,
            Column::BodyQd => StateFields::BODY_QD,
            Column::JointQ => StateFields::JOINT_Q,
            Column::JointQd => StateFields::JOINT_QD,
        }
    })
}

/// `fails: height of the lid: 0.31, wanted at least 0.4 m`.
pub fn check_line(c: &CheckVerdict) -> String {
    format!("{}: {}", if c.passed { "holds" } else { "fails" }, check_text(c))
}

fn check_text(c: &CheckVerdict) -> String {
    format!("{}: {}, wanted {}", c.what, six(c.measured), c.bound)
}

fn check_json(c: &CheckVerdict) -> serde_json::Value {
    json!({"what": c.what, "measured": c.measured, "bound": c.bound, "passed": c.passed})
}
