//! `coact run --explain`: which interface of a coupling is worst, and what would help.
//!
//! The state before the worst step of the run is kept. At the end that step is taken again,
//! once with each knob that the scene has, turned by a factor of two: more passes, more
//! sweeps, substeps, half the step. What the interface then misses is measured, so the advice
//! is that of this scene and not a general one. A step is worst by how far a thing ended from
//! its proxy.

use coact_compute::DeviceChoice;
use coact_model::{Control, Forces};
use coact_scene::file::{Coupling, Entry, ProxyMode};
use coact_scene::{Scene, Simulation};
use coact_solver::{InterfaceReport, Snapshot, StepInput, StepReport};
use coact_trace::RunStatistics;
use serde::Serialize;

use crate::figures::six;

/// Distances \[m\] below this are rounding.
const EXACT: f64 = 1e-12;
/// Shares of what was missed above this are no help.
const HELPS: f64 = 0.9;

/// Watches a run.
#[derive(Default)]
pub struct Explainer {
    /// The state before the present step.
    before: Snapshot,
    worst: Option<Worst>,
    /// The state before the worst step.
    kept: Snapshot,
}

/// The worst step so far.
struct Worst {
    step: u64,
    time: f64,
    dt: f64,
    interface: usize,
    report: InterfaceReport,
    control: Control,
    forces: Forces,
}

/// One knob, and what the interface missed when the step was taken again with it.
#[derive(Clone, Debug, Serialize)]
pub struct Trial {
    /// The setting, as it is written in the scene.
    pub setting: String,
    /// Distance between the worst thing and its proxy \[m\].
    pub distance: f64,
    /// That, over what it was in the run.
    pub share: f64,
}

/// What there is to say.
#[derive(Clone, Debug, Serialize)]
pub struct Explanation {
    /// The interface, as "rigid -> soft".
    pub interface: String,
    /// The step, from 1.
    pub step: u64,
    /// Time at its end \[s\].
    pub time: f64,
    /// The thing that is farthest from its proxy.
    pub worst: String,
    /// How far \[m\].
    pub distance: f64,
    /// Largest exchanged force \[N\].
    pub force: f64,
    /// What was tried on that step.
    pub trials: Vec<Trial>,
    /// All of it in words.
    pub words: Vec<String>,
}

impl Explainer {
    /// Before a step is taken.
    pub fn before(&mut self, sim: &Simulation) {
        sim.solver.save_into(&mut self.before);
    }

    /// After it was taken.
    pub fn after(&mut self, sim: &Simulation, report: &StepReport) {
        let missed = |i: &InterfaceReport| if i.primal.is_finite() { i.primal } else { f64::INFINITY };
        let so_far = self.worst.as_ref().map_or(EXACT, |w| missed(&w.report));
        let all = report.interfaces.iter().enumerate();
        let worse =
            all.filter(|(_, i)| missed(i) > so_far).max_by(|a, b| missed(a.1).total_cmp(&missed(b.1)));
        if let Some((interface, report)) = worse {
            std::mem::swap(&mut self.before, &mut self.kept);
            let (control, forces) = (sim.control.clone(), sim.forces.clone());
            let (step, time, dt) = (sim.steps_done(), sim.time(), sim.plan.dt);
            self.worst = Some(Worst { step, time, dt, interface, report: report.clone(), control, forces });
        }
    }

    /// Takes the worst step again with each knob. `name` = names of things.
    pub fn explain(
        &self,
        scene: &Scene,
        device: DeviceChoice,
        name: impl Fn(coact_model::EntityId) -> String,
    ) -> Option<Explanation> {
        let w = self.worst.as_ref()?;
        let tried = |k: &Knob| {
            let distance = self.distance_with(k, w, device)?;
            Some(Trial { setting: k.setting.clone(), distance, share: distance / w.report.primal })
        };
        let trials = knobs(scene, w).iter().filter_map(tried).collect();
        let mut e = Explanation {
            interface: w.report.name.clone(),
            step: w.step,
            time: w.time,
            worst: w.report.worst.map_or_else(|| "a thing".to_owned(), name),
            distance: w.report.primal,
            force: w.report.force,
            trials,
            words: Vec::new(),
        };
        e.words = words(&e);
        Some(e)
    }

    /// The step with a knob turned; `None` where that cannot be built or stepped.
    fn distance_with(&self, knob: &Knob, w: &Worst, device: DeviceChoice) -> Option<f64> {
        let mut sim = knob.scene.build(device).ok()?;
        sim.solver.restore(&self.kept);
        let dt = sim.plan.dt / f64::from(knob.parts);
        let input = StepInput { control: &w.control, forces: &w.forces, contacts: None };
        let mut distance = 0.0_f64;
        for _ in 0..knob.parts {
            let mut report = StepReport::default();
            sim.solver.step(&input, dt, &mut report).ok()?;
            let missed = report.interfaces.get(w.interface)?.primal;
            distance = if missed > distance || missed.is_nan() { missed } else { distance };
        }
        Some(distance)
    }
}

/// A scene with one setting changed; the step is taken in `parts`.
struct Knob {
    setting: String,
    scene: Scene,
    parts: u32,
}

fn knobs(scene: &Scene, w: &Worst) -> Vec<Knob> {
    let mut all = Vec::new();
    let mut add = |setting: String, parts: u32, edit: &dyn Fn(&mut Scene)| {
        let mut scene = scene.clone();
        edit(&mut scene);
        all.push(Knob { setting, scene, parts });
    };
    if let Coupling::Proxy(p) = &scene.file.coupling {
        let passes = 2 * w.report.iterations.max(1) as u32;
        add(format!("coupling.iterations = {passes}"), 1, &|s| {
            let Coupling::Proxy(p) = &mut s.file.coupling else { return };
            (p.iterations, p.convergence) = (Some(passes), None);
        });
        if p.interfaces.iter().any(|i| i.mode != ProxyMode::Predicted) {
            add("mode: Predicted on every interface".to_owned(), 1, &|s| {
                let Coupling::Proxy(p) = &mut s.file.coupling else { return };
                p.interfaces.iter_mut().for_each(|i| i.mode = ProxyMode::Predicted);
            });
        }
    }
    for (i, entry) in scene.file.solvers.iter().enumerate() {
        let name = entry.name();
        if !w.report.name.split(" -> ").any(|end| end == name) {
            continue;
        }
        let substeps = 2 * entry.substeps();
        add(format!("substeps: {substeps} of solver `{name}`"), 1, &|s| {
            *substeps_of(&mut s.file.solvers[i]) = substeps;
        });
        if let Some(sweeps) = sweeps_of(scene, entry).map(|n| 2 * n) {
            add(format!("iterations: {sweeps} of solver `{name}`"), 1, &|s| {
                set_sweeps(&mut s.file.solvers[i], sweeps);
            });
        }
    }
    add(format!("run.rate = {}", six(2.0 / w.dt)), 2, &|_| {});
    all
}

fn substeps_of(entry: &mut Entry) -> &mut u32 {
    match entry {
        Entry::Vbd(v) => &mut v.substeps,
        Entry::Articulated(a) => &mut a.substeps,
        Entry::Rod(r) => &mut r.substeps,
    }
}

fn sweeps_of(scene: &Scene, entry: &Entry) -> Option<usize> {
    match entry {
        Entry::Vbd(v) => scene.vbd_config(&v.name).map(|c| c.iterations),
        Entry::Articulated(a) => Some(a.iterations as usize),
        Entry::Rod(_) => None,
    }
}

fn set_sweeps(entry: &mut Entry, sweeps: usize) {
    match entry {
        Entry::Vbd(v) => v.iterations = Some(sweeps as i64),
        Entry::Articulated(a) => a.iterations = sweeps as u32,
        Entry::Rod(_) => {}
    }
}

fn words(e: &Explanation) -> Vec<String> {
    let mut lines = vec![format!(
        "coupling: `{}` is worst in step {} (t = {} s): {} ends {} m from its proxy, the largest force is {} N",
        e.interface,
        e.step,
        six(e.time),
        e.worst,
        six(e.distance),
        six(e.force)
    )];
    let one = |t: &Trial| format!("{}: {} m ({:.0} %)", t.setting, six(t.distance), 100.0 * t.share);
    lines.push(format!("that step again: {}", e.trials.iter().map(one).collect::<Vec<_>>().join("; ")));
    let best = e.trials.iter().filter(|t| t.share < HELPS).min_by(|a, b| a.share.total_cmp(&b.share));
    lines.push(match best {
        Some(t) => format!("most helps: {}", t.setting),
        None => "none of these helps: the two solvers answer a force differently, or the step is too large"
            .to_owned(),
    });
    lines
}

/// When there is nothing to improve, or nothing coupled.
pub fn nothing(s: &RunStatistics) -> String {
    match s.interfaces.is_empty() {
        true => "coupling: none in this scene".to_owned(),
        false => "coupling: every thing ended each step within 1e-12 m of its proxy".to_owned(),
    }
}
