//! The proxy coupler against the unified run of the same scene.
//!
//! A box of 0.2 m is dropped 0.15 m on a cloth pinned at its corners (11 × 11 particles,
//! 0.3 kg), dt 1/120. Once everything is one `SolverVbd`; once the box belongs to
//! `SolverArticulated` and reaches the cloth as a proxy.

use coact_articulated::{ArticulatedConfig, SolverArticulated};
use coact_coupled::{Convergence, EntryDef, Proxy, ProxyConfig, ProxyMode, SolverCoupledProxy};
use coact_math::{Pose, Vec3};
use coact_model::mesh::{Diagonal, cloth_grid};
use coact_model::{
    BodyDef, BodyId, ClothDef, Geometry, Material, Model, ModelBuilder, ModelError, ModelView, ParticleId,
    ShapeDef,
};
use coact_solver::Solver;
use coact_vbd::{Precision, SolverVbd, VbdConfig};

use super::bench::Bench;
use super::{Case, CaseError, Measure};

/// The cases of this area.
pub const CASES: [Case; 7] = [
    Case { name: "coupling/box-on-cloth-predicted", long: false, run: predicted },
    Case { name: "coupling/box-on-cloth-lagged", long: false, run: lagged },
    Case { name: "coupling/box-on-cloth-staggered", long: false, run: staggered },
    Case { name: "coupling/box-on-cloth-mass-ratios", long: false, run: mass_ratios },
    Case { name: "coupling/box-on-cloth-step-sizes", long: false, run: step_sizes },
    Case { name: "coupling/box-on-cloth-table", long: true, run: table },
    Case { name: "coupling/box-on-cloth-all-masses-and-steps", long: true, run: all_masses_and_steps },
];

const START: f64 = 1.25;
const CELLS: usize = 10;

/// The scene of [`CASES`], with a box of `mass` kg.
///
/// # Errors
/// Never, unless the builder refuses the scene.
pub fn box_on_cloth(mass: f64) -> Result<Model, ModelError> {
    let mut b = ModelBuilder::new();
    let cloth = b.add_material("cloth", Material { ke: 1.0e4, kd: 1.0e-2, mu: 0.5, ..Material::default() });
    let wood = b.add_material("box", Material { ke: 2.0e4, kd: 0.0, mu: 0.5, ..Material::default() });
    let pose = Pose::translation(Vec3::new(0.0, 0.0, START));
    let body = b.add_body(BodyDef { name: "box".into(), pose, ..Default::default() });
    b.add_shape(ShapeDef {
        name: "box".into(),
        body: Some(body),
        geometry: Geometry::Box { half_extents: Vec3::repeat(0.1) },
        density: mass / 0.008,
        material: wood,
        ..Default::default()
    });
    let def = ClothDef {
        pose: Pose::translation(Vec3::new(-0.5, -0.5, 1.0)),
        density: 0.3,
        mu: 1.0e4,
        lambda: 1.0e4,
        kd: 0.1,
        bend_ke: 0.01,
        radius: 0.01,
        material: cloth,
        ..Default::default()
    };
    let group = b.add_cloth("cloth", &cloth_grid([CELLS, CELLS], [1.0, 1.0], Diagonal::Alternating), &def);
    let particles: Vec<_> = b.group_particles(group).collect();
    let side = CELLS + 1;
    for corner in [0, CELLS, CELLS * side, side * side - 1] {
        b.pin_particle(particles[corner]);
    }
    b.finalize()
}

fn vbd_config(precision: Precision) -> VbdConfig {
    VbdConfig { iterations: 8, precision, ..VbdConfig::default() }
}

fn unified(model: &Model, precision: Precision) -> Result<Box<dyn Solver>, CaseError> {
    Ok(Box::new(SolverVbd::new(&ModelView::whole(model), vbd_config(precision))?))
}

/// The same scene as two entries.
///
/// # Errors
/// When the coupler refuses it.
pub fn coupled(model: &Model, mode: ProxyMode) -> Result<Box<dyn Solver>, CaseError> {
    coupled_in(model, mode, Precision::default())
}

fn coupled_in(model: &Model, mode: ProxyMode, precision: Precision) -> Result<Box<dyn Solver>, CaseError> {
    coupled_by(model, mode, None, precision)
}

fn coupled_by(
    model: &Model,
    mode: ProxyMode,
    passes: Option<usize>,
    precision: Precision,
) -> Result<Box<dyn Solver>, CaseError> {
    let rigid = EntryDef::new("rigid", |view| SolverArticulated::new(view, ArticulatedConfig::default()))
        .bodies([BodyId(0)]);
    let soft = EntryDef::new("soft", move |view| SolverVbd::new(view, vbd_config(precision)))
        .particles((0..model.particle_count()).map(ParticleId::new));
    let proxy = Proxy::new("rigid", "soft").bodies([BodyId(0)]).mode(mode);
    let convergence = passes.map(Convergence::FixedCount);
    let config = ProxyConfig { proxies: vec![proxy], convergence, ..ProxyConfig::default() };
    Ok(Box::new(SolverCoupledProxy::new(model, vec![rigid, soft], config)?))
}

/// Heights of the box in a drop of 1.5 s.
struct Drop {
    z: Vec<f64>,
}

impl Drop {
    fn run(model: &Model, solver: Box<dyn Solver>, dt: f64) -> Result<Self, CaseError> {
        let mut bench = Bench::new(model.clone(), solver);
        let steps = (1.5 / dt).round() as usize;
        let z = (0..steps).map(|_| bench.step(dt).map(|s| s.body_q[0].p.z)).collect::<Result<_, _>>()?;
        Ok(Self { z })
    }

    /// Step of the lowest point.
    fn lowest(&self) -> usize {
        (0..self.z.len()).fold(0, |best, i| if self.z[i] < self.z[best] { i } else { best })
    }

    /// Highest point after the lowest one.
    fn rebound(&self) -> f64 {
        self.z[self.lowest()..].iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }

    /// Step of the first maximum after the lowest point.
    fn first_rebound(&self) -> usize {
        let from = self.lowest();
        (from..self.z.len() - 1).find(|&i| self.z[i + 1] < self.z[i]).unwrap_or(self.z.len() - 1)
    }

    /// Mean height over the last quarter of a second.
    fn rest(&self, dt: f64) -> f64 {
        let n = (0.25 / dt).round() as usize;
        self.z[self.z.len() - n..].iter().sum::<f64>() / n as f64
    }

    /// Largest distance to `other` up to its first rebound.
    fn distance_to(&self, other: &Self) -> f64 {
        let upto = other.first_rebound();
        (0..=upto)
            .map(|i| (self.z[i] - other.z[i]).abs())
            .fold(0.0, |a, b| if b > a || b.is_nan() { b } else { a })
    }
}

fn against_unified(mass: f64, dt: f64) -> Result<Vec<Measure>, CaseError> {
    let model = box_on_cloth(mass)?;
    let both = |precision| -> Result<_, CaseError> {
        let one = Drop::run(&model, unified(&model, precision)?, dt)?;
        let two = Drop::run(&model, coupled_in(&model, ProxyMode::Predicted, precision)?, dt)?;
        Ok((two.distance_to(&one), one, two))
    };
    let ((exact, ..), (rounded, one, two)) = (both(Precision::Double)?, both(Precision::default())?);
    let of = |what: &str| format!("{what}, {mass} kg, dt 1/{:.0}", 1.0 / dt);
    let distance = |how: &str| of(&format!("distance to unified up to the first rebound, {how} [m]"));
    Ok(vec![
        Measure::absolute(distance("all in double"), exact, 0.0, 1e-9),
        // a bit of an element in f32 is a micrometre of the soft modes of the sheet
        Measure::absolute(distance("elements in single"), rounded, 0.0, 1e-5),
        Measure::absolute(of("rebound [m]"), two.rebound(), one.rebound(), 3e-3),
        Measure::absolute(of("rest height [m]"), two.rest(dt), one.rest(dt), 3e-3),
    ])
}

fn predicted() -> Result<Vec<Measure>, CaseError> {
    against_unified(1.0, 1.0 / 120.0)
}

fn mass_ratios() -> Result<Vec<Measure>, CaseError> {
    let runs = [0.05, 10.0].map(|mass| against_unified(mass, 1.0 / 120.0));
    Ok(runs.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
}

fn step_sizes() -> Result<Vec<Measure>, CaseError> {
    let runs = [60.0, 240.0].map(|rate| against_unified(1.0, 1.0 / rate));
    Ok(runs.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
}

/// Four decades of mass, a factor of 33 in step size.
fn all_masses_and_steps() -> Result<Vec<Measure>, CaseError> {
    let masses = [0.02, 0.2, 2.0, 20.0, 100.0];
    let rates = [30.0, 60.0, 120.0, 480.0, 1000.0];
    let runs = masses.into_iter().flat_map(|m| rates.map(|r| against_unified(m, 1.0 / r)));
    Ok(runs.collect::<Result<Vec<_>, _>>()?.concat())
}

/// Share of the fall by which late feedback may throw higher than one solver does.
const LATE: f64 = 0.02;

/// A schedule with its count of passes; `None` = the default one.
type Schedule = (ProxyMode, Option<usize>);

/// How high schedules throw the box, against one solver and against the start.
fn throws(mass: f64, dt: f64, schedules: &[Schedule]) -> Result<Vec<Measure>, CaseError> {
    let model = box_on_cloth(mass)?;
    let one = Drop::run(&model, unified(&model, Precision::default())?, dt)?;
    let bound = LATE * (START - one.z[one.lowest()]);
    let mut measures = Vec::new();
    for &(mode, passes) in schedules {
        let solver = coupled_by(&model, mode, passes, Precision::default())?;
        let rebound = Drop::run(&model, solver, dt)?.rebound();
        let passes = passes.map_or_else(|| "default".into(), |n| format!("{n} pass"));
        let of = |what: &str| format!("{mode:?}, {passes}: {what}, {mass} kg, dt 1/{:.0}", 1.0 / dt);
        let above = |x: f64| if rebound.is_nan() { rebound } else { (rebound - x).max(0.0) };
        measures.push(Measure::absolute(
            of("rebound above one solver [m]"),
            above(one.rebound()),
            0.0,
            bound,
        ));
        measures.push(Measure::absolute(of("rebound above the start [m]"), above(START), 0.0, 0.0));
    }
    Ok(measures)
}

fn lagged() -> Result<Vec<Measure>, CaseError> {
    let schedules = [(ProxyMode::Lagged, None), (ProxyMode::Lagged, Some(1))];
    Ok([throws(1.0, 1.0 / 120.0, &schedules)?, throws(0.05, 1.0 / 60.0, &schedules)?].concat())
}

fn staggered() -> Result<Vec<Measure>, CaseError> {
    let schedules = [(ProxyMode::Staggered, None)];
    Ok([throws(1.0, 1.0 / 120.0, &schedules)?, throws(0.05, 1.0 / 60.0, &schedules)?].concat())
}

/// Every mass and step of the table in `docs/coupling-guide.md`.
fn table() -> Result<Vec<Measure>, CaseError> {
    let schedules = [(ProxyMode::Lagged, None), (ProxyMode::Lagged, Some(1)), (ProxyMode::Staggered, None)];
    let mut measures = Vec::new();
    for mass in [0.05, 1.0, 10.0] {
        for rate in [60.0, 120.0, 240.0, 480.0] {
            measures.extend(against_unified(mass, 1.0 / rate)?);
            measures.extend(throws(mass, 1.0 / rate, &schedules)?);
        }
    }
    Ok(measures)
}
