//! `coact run`: builds a scene, steps it, and leaves a run folder.
//!
//! Nothing is written before the scene is built, so that a failed start leaves nothing
//! behind. However a run ends after that (all steps, Ctrl-C, a state that is not finite, a
//! device that is lost), the frames so far are kept and the record says how it ended.

mod explain;
mod interrupt;
mod pictures;
mod progress;
mod recorder;
mod summary;

use std::path::{Path, PathBuf};
use std::time::Instant;

use coact_compute::DeviceChoice;
use coact_model::EntityId;
use coact_scene::{Scene, Simulation, Verdict as CheckVerdict};
use coact_solver::StepReport;
use coact_trace::{Outcome, RunFolder, RunRecord, Verdict};
use miette::{IntoDiagnostic, Result, WrapErr};

use crate::args::RunArguments;
use crate::ending::Ending;
use crate::figures::six;
use crate::say::{self, Loudness};
use explain::Explainer;
use interrupt::Interrupt;
use progress::Progress;
use recorder::Recorder;

/// Runs a scene.
pub fn run(a: &RunArguments, loudness: Loudness) -> Result<Ending> {
    let started = Instant::now();
    set_threads(a.threads)?;
    let scene = coact_scene::load(&a.scene.file, &a.scene.overrides)?;
    let out = out_folder(a);
    if let Some(folder) = &out {
        RunFolder::check(folder).into_diagnostic()?;
    }
    let mut sim = scene.build(a.scene.device)?;
    if loudness > Loudness::Quiet {
        scene.explain()?.warnings.iter().for_each(|w| say::note(format!("warning: {w}")));
    }
    cut_short(&mut sim, a.steps);
    let settings = serde_json::to_value(&scene.file).into_diagnostic()?;
    let record = RunRecord::begin(
        &a.scene.file.display().to_string(),
        &sim.device,
        rayon::current_num_threads(),
        settings,
    );
    let mut recorder = Recorder::new(&sim, out.as_deref(), record)?;
    let progress = Progress::new(sim.plan.steps, loudness);
    let mut explainer = a.explain.then(Explainer::default);
    let stopped = advance(&mut sim, &mut recorder, &progress, (&Interrupt::listen(), explainer.as_mut()));
    progress.clear();
    recorder.record().wall = started.elapsed().as_secs_f64();
    let (verdict, error) = judge(stopped, &sim, &mut recorder, a.strict);
    let finished = recorder.finish(&sim, &verdict);
    if let Some(error) = error {
        return Err(error);
    }
    finished?;
    report(&recorder, &sim, &verdict, a, loudness);
    if let Some(explainer) = &explainer {
        explain(explainer, &scene, &recorder, a.scene.device)?;
    }
    Ok(if verdict.is_good() { Ending::Good } else { Ending::Failed })
}

fn set_threads(threads: Option<u16>) -> Result<()> {
    let Some(count) = threads else { return Ok(()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(usize::from(count));
    pool.build_global().into_diagnostic().wrap_err("cannot start the threads")
}

fn out_folder(a: &RunArguments) -> Option<PathBuf> {
    if a.no_output {
        return None;
    }
    let named = || Path::new("out").join(a.scene.file.file_stem().unwrap_or("run".as_ref()));
    Some(a.out.clone().unwrap_or_else(named))
}

/// Applies `--steps`. Checks speak of the scene's own end, so that a run of another length
/// is not judged by them.
fn cut_short(sim: &mut Simulation, steps: Option<u64>) {
    if let Some(steps) = steps.filter(|&n| n != sim.plan.steps) {
        sim.plan.steps = steps;
        sim.checks.clear();
    }
}

/// Takes the steps. `Some` tells why the run stopped before its end.
fn advance(
    sim: &mut Simulation,
    recorder: &mut Recorder,
    progress: &Progress,
    (interrupt, mut explainer): (&Interrupt, Option<&mut Explainer>),
) -> Result<Option<Verdict>> {
    let mut report = StepReport::default();
    recorder.begin(sim)?;
    while !sim.finished() {
        if interrupt.asked() {
            let reason = format!("by the user after step {}, t = {} s", sim.steps_done(), six(sim.time()));
            return Ok(Some(Verdict::because(Outcome::Interrupted, reason)));
        }
        if let Some(e) = &mut explainer {
            e.before(sim);
        }
        let start = Instant::now();
        sim.step(&mut report).into_diagnostic()?;
        let seconds = start.elapsed().as_secs_f64();
        if let Some(e) = &mut explainer {
            e.after(sim, &report);
        }
        progress.step(sim.time());
        if let Some(entity) = recorder.step(sim, &report, seconds)? {
            return Ok(Some(not_finite(sim, recorder, entity)));
        }
    }
    Ok(None)
}

/// Says what the coupling missed most, and leaves it beside the run.
fn explain(explainer: &Explainer, scene: &Scene, recorder: &Recorder, device: DeviceChoice) -> Result<()> {
    let found = explainer.explain(scene, device, |e| recorder.stage().name_of(e));
    match &found {
        Some(e) => e.words.iter().for_each(say::line),
        None => say::line(explain::nothing(recorder.statistics())),
    }
    let Some(folder) = recorder.folder() else { return Ok(()) };
    let report = serde_json::json!({
        "coupling": found,
        "interfaces": recorder.statistics().interfaces,
    });
    let text = serde_json::to_string_pretty(&report).into_diagnostic()?;
    std::fs::write(folder.join("report.json"), text + "\n").into_diagnostic()
}

fn not_finite(sim: &Simulation, recorder: &Recorder, entity: EntityId) -> Verdict {
    let name = recorder.stage().name_of(entity);
    let reason = format!("{name} is not finite after step {}, t = {} s", sim.steps_done(), six(sim.time()));
    Verdict::because(Outcome::NotFinite, reason)
}

/// The verdict over a run, and the error that ended it.
fn judge(
    stopped: Result<Option<Verdict>>,
    sim: &Simulation,
    recorder: &mut Recorder,
    strict: bool,
) -> (Verdict, Option<miette::Report>) {
    match stopped {
        Err(error) => (Verdict::because(Outcome::Broken, error.to_string()), Some(error)),
        Ok(Some(verdict)) => (verdict, None),
        Ok(None) => {
            let mut reasons = recorder.failed_checks(sim);
            if strict {
                reasons.extend(recorder.blemishes());
            }
            let outcome = if reasons.is_empty() { Outcome::Ran } else { Outcome::ChecksFailed };
            (Verdict { outcome, reasons }, None)
        }
    }
}

fn report(recorder: &Recorder, sim: &Simulation, verdict: &Verdict, a: &RunArguments, loudness: Loudness) {
    let shown = |c: &CheckVerdict| match loudness {
        Loudness::Verbose => true,
        _ => !c.passed && verdict.outcome == Outcome::ChecksFailed,
    };
    recorder.checks(sim).iter().filter(|c| shown(c)).for_each(|c| say::line(recorder::check_line(c)));
    if loudness == Loudness::Quiet && verdict.is_good() {
        return;
    }
    if let Some(folder) = recorder.folder() {
        say::line(format!("{} frames, tables and picture in {}", recorder.frame_count(), folder.display()));
    }
    if verdict.outcome == Outcome::NotFinite {
        say::note("try a smaller step (--set run.dt=...), more iterations, or softer contacts");
    }
    let checks = a.steps.is_none().then_some(sim.checks.len());
    say::line(summary::last_line(recorder.statistics(), sim.time(), verdict, checks));
}
