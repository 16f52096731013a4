//! Runs a variant in reference mode and compares it with its record.

use std::sync::Arc;

use coact_collide::ContactMatching;
use coact_compute::{DeviceChoice, GpuContext};
use coact_math::{Spatial, Vec3};
use coact_model::{BodyId, Forces, Model, ModelView, ParticleId, State, StateFields};
use coact_solver::{CouplingInterface, Endpoint, EndpointState, Solver, SolverError, StepInput, StepReport};
use coact_vbd::{IntersectingStart, Precision, SelfContactConfig, SolverVbd, VbdConfig};
use serde_json::Value;

use super::ReferenceError;
use super::case::Variant;
use super::json::Object;
use super::measures::Measures;
use super::model;
use super::recorded::{self, Recorded};
use super::tolerance::{Kind, MEASURE_TOLERANCE, tolerance};

/// Whose settings a case runs with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// [`VbdConfig::reference`]: to be compared with its record.
    #[default]
    Reference,
    /// [`VbdConfig::default`], with the sweeps of the case.
    Product,
}

/// How a case is run.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Whose settings.
    pub mode: Mode,
    /// Arithmetic of the solver; a device has `Single` only.
    pub precision: Precision,
    /// Where it runs.
    pub device: DeviceChoice,
    /// Feed the recorded contact rows where they exist; a device detects its own.
    pub recorded_contacts: bool,
}

/// The difference at one record step.
#[derive(Clone, Copy, Debug)]
pub struct RecordDifference {
    /// Steps taken.
    pub step: usize,
    /// Largest absolute difference of a coordinate of any position \[m\].
    pub difference: f64,
    /// What is allowed; `None` = chaotic by then, not judged.
    pub allowed: Option<f64>,
    /// Of a chaotic record: the largest relative deviation of height, extent and least
    /// distance; `None` = not measured.
    pub measures: Option<f64>,
}

impl RecordDifference {
    /// Whether the record is met; a difference that is no number is not.
    pub fn ok(&self) -> bool {
        self.allowed.is_none_or(|a| self.difference <= a)
            && self.measures.is_none_or(|m| m <= MEASURE_TOLERANCE)
    }
}

/// A variant compared with its record.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// `case.variant`.
    pub title: String,
    /// Per record step.
    pub records: Vec<RecordDifference>,
    /// Name of the adapter, if it ran on a device.
    pub adapter: Option<String>,
    /// Contact rows were recorded and asked for, but the device detected its own.
    pub own_contacts: bool,
}

/// What became of a variant.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It was run.
    Compared(Comparison),
    /// It needs what a device does not do.
    Unsupported(Vec<String>),
}

pub(super) struct Run {
    pub(super) model: Model,
    pub(super) solver: SolverVbd,
    forces: Forces,
    motion: Vec<Rotation>,
    rows: Option<Value>,
    /// Rows were recorded and asked for, but not used.
    own_contacts: bool,
    pub(super) adapter: Option<String>,
    dt: f64,
}

/// Prescribed rotation of particles about an axis.
struct Rotation {
    particles: Vec<Endpoint>,
    start: Vec<Vec3>,
    center: Vec3,
    rate: Vec3,
}

/// Runs `variant` and compares it at every record step.
///
/// # Errors
/// When the case cannot be read or the solver refuses it.
pub fn compare(variant: &Variant, settings: &Settings) -> Result<Outcome, ReferenceError> {
    let mut run = match prepare(variant, settings) {
        Err(ReferenceError::Solver(e)) if refused_by_device(settings, &e) => {
            return Ok(Outcome::Unsupported(vec![format!("on a device: {e}")]));
        }
        prepared => prepared?,
    };
    let recorded = recorded::read(variant, &run.model)?;
    let (kind, at) = (Kind::of(variant), variant.record_steps());
    let (mut state, mut records) = (run.model.state(), Vec::new());
    for step in 1..=variant.steps() {
        run.step(step)?;
        if let Some(r) = at.iter().position(|&s| s == step) {
            run.solver.store(StateFields::all(), &mut state);
            let difference = difference(&state, &recorded, r);
            let allowed = tolerance(kind, step, settings.precision);
            let measures = (allowed.is_none() && kind.is_contact()).then(|| {
                Measures::deviation(
                    variant,
                    &run.model,
                    &state.particle_q,
                    &recorded.particles(r, state.particle_q.len()),
                )
            });
            records.push(RecordDifference { step, difference, allowed, measures });
        }
    }
    let (adapter, own_contacts) = (run.adapter, run.own_contacts);
    Ok(Outcome::Compared(Comparison { title: variant.title(), records, adapter, own_contacts }))
}

/// What a solver refuses by name on a device; a device that fails is no such refusal.
fn refused_by_device(settings: &Settings, e: &SolverError) -> bool {
    settings.device != DeviceChoice::Cpu && !matches!(e, SolverError::Device(_))
}

pub(super) fn prepare(variant: &Variant, settings: &Settings) -> Result<Run, ReferenceError> {
    let model = model::build(variant)?;
    let config = config(variant, settings);
    let device = open(settings)?;
    let adapter = device.as_ref().map(|d| d.info().to_string());
    let mut solver = SolverVbd::with_device(&ModelView::whole(&model), config, device)?;
    let mut state = model.state();
    state.body_q = model::begin_poses(variant)?;
    solver.load(&state);
    let recorded = if settings.recorded_contacts { recorded::read_contacts(variant)? } else { None };
    let own_contacts = adapter.is_some() && recorded.is_some();
    let rows = recorded.filter(|_| !own_contacts);
    let forces = forces(variant, &model)?;
    let motion = rotations(variant, &model)?;
    Ok(Run { model, solver, forces, motion, rows, own_contacts, adapter, dt: variant.dt() })
}

/// The device of a choice; `auto` yields to the CPU in a precision that no device has.
fn open(settings: &Settings) -> Result<Option<Arc<GpuContext>>, ReferenceError> {
    match (settings.device, settings.precision) {
        (DeviceChoice::Gpu, Precision::Double | Precision::Mixed) => Err(ReferenceError::Format(
            "a device computes in f32: write --precision f32, or --device cpu".into(),
        )),
        (DeviceChoice::Auto, Precision::Double | Precision::Mixed) => Ok(None),
        (choice, _) => Ok(GpuContext::open(choice)?),
    }
}

fn config(variant: &Variant, settings: &Settings) -> VbdConfig {
    let o = variant.object();
    let solver = o.get("solver");
    let number = |key: &str| solver.and_then(|s| s.number(key));
    let base = match settings.mode {
        Mode::Reference => VbdConfig::reference(),
        Mode::Product => VbdConfig::default(),
    };
    let mut config = VbdConfig { precision: settings.precision, ..base };
    if let Some(n) = number("iterations") {
        config.iterations = n as usize;
    }
    if let Some(e) = number("friction_epsilon") {
        config.friction_epsilon = e;
    }
    for (key, value) in [
        ("rigid_joint_linear_ke", &mut config.joint_linear_ke),
        ("rigid_joint_angular_ke", &mut config.joint_angular_ke),
        ("rigid_joint_linear_kd", &mut config.joint_linear_kd),
        ("rigid_joint_angular_kd", &mut config.joint_angular_kd),
    ] {
        if let Some(given) = number(key) {
            *value = given;
        }
    }
    let history = solver.is_some_and(|s| s.raw()["rigid_contact_history"] == true);
    let matching = variant.value["collide"]["pipeline"]["contact_matching"].as_str();
    config.body_contact_matching = match matching {
        Some("latest") => ContactMatching::Latest,
        Some("sticky") => ContactMatching::Sticky,
        _ => config.body_contact_matching,
    };
    config.body_contact_history |= history;
    config.self_contact = solver.and_then(|s| self_contact(s, settings.mode));
    config
}

/// The settings of self-contact, if the case has it on. Its material is that of all particles.
fn self_contact(solver: Object, mode: Mode) -> Option<SelfContactConfig> {
    if solver.raw()["particle_enable_self_contact"] != true {
        return None;
    }
    let number = |key: &str, default: f64| solver.number(key).unwrap_or(default);
    let base = match mode {
        Mode::Reference => SelfContactConfig::reference(),
        // as a reference case may start
        Mode::Product => {
            SelfContactConfig { intersecting: IntersectingStart::Exempt, ..SelfContactConfig::default() }
        }
    };
    Some(SelfContactConfig {
        margin: number("particle_self_contact_margin", 0.2),
        gap: number("particle_self_contact_gap", 0.0),
        rings: number("particle_topological_contact_filter_threshold", 2.0) as u32,
        rest_exclusion: number("particle_rest_shape_contact_exclusion_radius", 0.0),
        relaxation: number("dat_conservative_bound_relaxation", base.relaxation),
        ..base
    })
}

pub(super) fn forces(variant: &Variant, model: &Model) -> Result<Forces, ReferenceError> {
    let mut forces = Forces::zeros(model.particle_count(), model.body_count());
    for w in variant.object().list("external_wrenches") {
        let body = w.raw()["body"].as_u64().unwrap_or(0) as usize;
        let part = |key: &str| -> Result<Vec3, ReferenceError> {
            Ok(w.rows::<3>(key)?.first().map_or_else(Vec3::zeros, |r| Vec3::new(r[0], r[1], r[2])))
        };
        forces.body_f[body] += Spatial::new(part("force")?, part("torque")?);
    }
    Ok(forces)
}

fn rotations(variant: &Variant, model: &Model) -> Result<Vec<Rotation>, ReferenceError> {
    variant.object().list("boundary_motion").iter().map(|o| rotation(o, model)).collect()
}

fn rotation(o: &Object, model: &Model) -> Result<Rotation, ReferenceError> {
    let vector = |key: &str| -> Result<Vec3, ReferenceError> {
        let v = o.numbers(key)?;
        Ok(Vec3::new(v[0], v[1], v[2]))
    };
    let ids: Vec<ParticleId> = o.numbers("particles")?.iter().map(|&i| ParticleId(i as u32)).collect();
    Ok(Rotation {
        start: ids.iter().map(|p| model.particle_q[p.index()]).collect(),
        particles: ids.into_iter().map(Endpoint::Particle).collect(),
        center: vector("center")?,
        rate: vector("axis")?.normalize() * o.number("angular_velocity").unwrap_or(0.0),
    })
}

impl Run {
    pub(super) fn step(&mut self, step: usize) -> Result<(), ReferenceError> {
        for r in &self.motion {
            let turn = coact_math::Quat::from_scaled_axis(r.rate * (step as f64 * self.dt));
            let at = |x: &Vec3| EndpointState::particle(r.center + turn * (x - r.center), Vec3::zeros());
            let states: Vec<_> = r.start.iter().map(at).collect();
            self.solver.write_interface(&r.particles, &states);
        }
        let contacts =
            self.rows.as_ref().and_then(|rows| recorded::contacts_of_step(rows, step, &self.model));
        let control = self.model.control();
        let input = StepInput { control: &control, forces: &self.forces, contacts: contacts.as_ref() };
        self.solver.step(&input, self.dt, &mut StepReport::default())?;
        Ok(())
    }
}

pub(super) fn difference(state: &State, recorded: &Recorded, record: usize) -> f64 {
    let n = state.particle_q.len();
    let particles = (0..n).map(|i| {
        let r = &recorded.particle_q[3 * (record * n + i)..][..3];
        (0..3).map(|k| (state.particle_q[i][k] - r[k]).abs()).fold(0.0, worse)
    });
    let b = state.body_q.len();
    let bodies = (0..b).map(|i| {
        let r = &recorded.body_q[7 * (record * b + i)..][..3];
        (0..3).map(|k| (state.body_q[BodyId::new(i).index()].p[k] - r[k]).abs()).fold(0.0, worse)
    });
    particles.chain(bodies).fold(0.0, worse)
}

/// The larger one; not a number wins.
fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}
