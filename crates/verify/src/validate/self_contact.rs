//! Scenes that start without an intersection and must never have one, judged after every step by
//! the exact test of [`crate::intersect`], which shares nothing with the solver.
//!
//! All run at default settings; margin and gap are a fifth of an edge or less.

use std::f64::consts::TAU;

use coact_math::{Pose, Quat, Vec3};
use coact_model::mesh::{Diagonal, cloth_grid};
use coact_model::{
    ClothDef, Geometry, Material, MaterialId, Model, ModelBuilder, ModelView, Motion, MotionPlan, ParticleId,
    ShapeDef, TimedMotion, TriMesh,
};
use coact_vbd::{SelfContactConfig, SolverVbd, VbdConfig};

use super::bench::Bench;
use super::{Case, CaseError, Measure};
use crate::intersect::intersecting_pairs;

/// The cases of this area.
pub const CASES: [Case; 4] = [
    Case { name: "self-contact/twist", long: false, run: || twist([41, 23], 240) },
    Case { name: "self-contact/twist-10k", long: true, run: || twist([130, 76], 480) },
    Case { name: "self-contact/crossing-sheets", long: false, run: crossing_sheets },
    Case { name: "self-contact/layers-on-sphere", long: false, run: layers_on_sphere },
];

/// A bench whose steps are judged.
struct Judged {
    bench: Bench,
    triangles: Vec<[u32; 3]>,
    /// Most intersecting pairs after a step.
    intersecting: usize,
    /// Most pairs that pressed.
    active: usize,
    /// Pairs that nothing separated, entries that were no number.
    faults: usize,
}

impl Judged {
    fn new(model: Model, margin: f64) -> Result<Self, CaseError> {
        let self_contact = Some(SelfContactConfig { margin, gap: margin, ..SelfContactConfig::default() });
        let config = VbdConfig { self_contact, ..VbdConfig::default() };
        let solver = SolverVbd::new(&ModelView::whole(&model), config)?;
        let triangles = model.names.groups.iter().flat_map(|g| g.surface.clone()).collect();
        let bench = Bench::new(model, Box::new(solver));
        Ok(Self { bench, triangles, intersecting: 0, active: 0, faults: 0 })
    }

    fn step(&mut self, dt: f64) -> Result<(), CaseError> {
        let points = &self.bench.step(dt)?.particle_q;
        self.intersecting = self.intersecting.max(intersecting_pairs(points, &self.triangles)?.len());
        let r = &self.bench.report;
        self.active = self.active.max(r.self_contact.active);
        self.faults += r.self_contact.exempt + r.nonfinite_count;
        Ok(())
    }

    /// What every case asks for; `touching`: pairs that must have pressed at some time.
    fn verdict(&self, touching: usize) -> Vec<Measure> {
        vec![
            Measure::absolute("most intersecting triangle pairs", self.intersecting as f64, 0.0, 0.0),
            Measure::absolute("pairs without separator, no numbers", self.faults as f64, 0.0, 0.0),
            at_least("most pairs that press", self.active as f64, touching as f64),
        ]
    }

    fn kinetic_energy(&self) -> f64 {
        let (m, s) = (&self.bench.model, &self.bench.state);
        m.particle_mass.iter().zip(s.particle_qd.iter()).map(|(m, v)| 0.5 * m * v.norm_squared()).sum()
    }

    fn top_speed(&self) -> f64 {
        self.bench.state.particle_qd.iter().map(|v| v.norm()).fold(0.0, f64::max)
    }
}

/// What must reach a value counts by what it lacks.
fn at_least(what: &str, measured: f64, least: f64) -> Measure {
    Measure::absolute(format!("{what} (at least)"), measured.min(least), least, 0.0)
}

/// What must stay below a value counts by its excess.
fn at_most(what: &str, measured: f64, most: f64) -> Measure {
    Measure::absolute(what, measured, 0.0, most)
}

/// A builder whose surfaces all have one stiffness.
fn builder(gravity: f64, ke: f64) -> ModelBuilder {
    let mut b = ModelBuilder::new();
    b.gravity = Vec3::z() * -gravity;
    b.set_material(MaterialId(0), Material { ke, kd: 1e-4 * ke, mu: 0.3, ..Material::default() });
    b
}

/// A rectangle of cloth about its own middle.
fn rectangle(cells: [usize; 2], size: [f64; 2]) -> TriMesh {
    let mut mesh = cloth_grid(cells, size, Diagonal::default());
    let middle = Vec3::new(size[0], size[1], 0.0) * 0.5;
    mesh.vertices.iter_mut().for_each(|x| *x -= middle);
    mesh
}

fn cloth(pose: Pose, velocity: Vec3) -> ClothDef {
    let (mu, lambda, kd, bend_ke) = (5e2, 5e2, 0.1, 1e-3);
    ClothDef { pose, velocity, density: 0.3, mu, lambda, kd, bend_ke, ..ClothDef::default() }
}

/// The ends of a sheet of 1 m turn against each other, four full turns in all, in `steps` steps of
/// 1/120 s, and come nearer to each other. Its middle is wrung to a rope; how far that has spread along
/// the sheet is a matter of sweeps, the more so the finer the mesh, and is not judged.
fn twist(cells: [usize; 2], steps: usize) -> Result<Vec<Measure>, CaseError> {
    let (dt, edge) = (1.0 / 120.0, 1.0 / cells[0] as f64);
    let mut b = builder(0.0, 2e2);
    let mesh = rectangle(cells, [1.0, edge * cells[1] as f64]);
    b.add_cloth("sheet", &mesh, &cloth(Pose::identity(), Vec3::zeros()));
    let ends = [-0.5, 0.5].map(|x| {
        let at = |(_, q): &(usize, &Vec3)| (q.x - x).abs() < 0.5 * edge;
        mesh.vertices.iter().enumerate().filter(at).map(|(p, _)| ParticleId::new(p)).collect::<Vec<_>>()
    });
    ends.iter().flatten().for_each(|&p| b.pin_particle(p));
    let model = b.finalize()?;
    let (mut plan, time) = (MotionPlan::default(), dt * steps as f64);
    for (end, sign) in ends.into_iter().zip([1.0, -1.0]) {
        plan.carry(&model, wring(sign, time), end, []);
    }
    let mut run = Judged::new(model, 0.2 * edge)?;
    for step in 0..steps {
        let t = step as f64 * dt;
        plan.apply(t, t + dt, &mut run.bench.control);
        run.step(dt)?;
    }
    let width = run.bench.state.particle_q.iter().map(|x| x.y.hypot(x.z));
    let middle = width.zip(run.bench.model.particle_q.iter()).filter(|(_, x)| x.x.abs() < 0.1);
    let mut all = run.verdict(500);
    all.push(at_most("half width of the rope, of 0.28 [m]", middle.map(|(w, _)| w).fold(0.0, f64::max), 0.1));
    all.push(at_most("top speed at the end [m/s]", run.top_speed(), 10.0));
    Ok(all)
}

/// Two turns in `time`, and 0.1 m along.
fn wring(sign: f64, time: f64) -> Vec<TimedMotion> {
    let turn = Motion::Rotate { center: Vec3::zeros(), axis: Vec3::x(), rate: sign * 2.0 * TAU / time };
    let along = Motion::Translate(Vec3::x() * (sign * 0.1 / time));
    [turn, along].map(TimedMotion::always).into()
}

/// Two sheets of 0.75 m fly through each other's place at 20 m/s, 333 mm per step.
fn crossing_sheets() -> Result<Vec<Measure>, CaseError> {
    let (dt, speed) = (1.0 / 60.0, 20.0);
    let mut b = builder(0.0, 1e3);
    let mesh = rectangle([24, 24], [0.75, 0.75]);
    let tilt = Quat::from_scaled_axis(Vec3::new(0.05, 0.03, 0.4));
    let poses = [Pose::identity(), Pose::new(Vec3::new(0.02, 0.05, 0.4), tilt)];
    for (k, pose) in poses.into_iter().enumerate() {
        let velocity = Vec3::z() * (speed * (0.5 - k as f64));
        b.add_cloth(format!("sheet {k}"), &mesh, &cloth(pose, velocity));
    }
    let mut run = Judged::new(b.finalize()?, 0.006)?;
    let before = run.kinetic_energy();
    for _ in 0..60 {
        run.step(dt)?;
    }
    let masses = run.bench.model.particle_mass.iter();
    let momentum: Vec3 = masses.clone().zip(run.bench.state.particle_qd.iter()).map(|(m, v)| v * *m).sum();
    let carried = masses.sum::<f64>() * 0.5 * speed;
    let mut all = run.verdict(200);
    all.push(at_most("momentum that was made, share", momentum.norm() / carried, 0.05));
    all.push(at_most("energy left, share", run.kinetic_energy() / before, 1.0));
    Ok(all)
}

/// Ten sheets of 0.6 m fall on a ball of radius 0.2 m and come to rest on it, all vertices outside: they
/// press it in by less than the contact radius of a vertex.
fn layers_on_sphere() -> Result<Vec<Measure>, CaseError> {
    let (dt, radius, layers) = (1.0 / 120.0, 0.2, 10);
    let mut b = builder(9.81, 1e3);
    let mesh = rectangle([12, 12], [0.6, 0.6]);
    for k in 0..layers {
        let turn = Quat::from_scaled_axis(Vec3::z() * (0.3 * f64::from(k)));
        let pose = Pose::new(Vec3::z() * (radius + 0.05 + 0.025 * f64::from(k)), turn);
        b.add_cloth(format!("layer {k}"), &mesh, &cloth(pose, Vec3::zeros()));
    }
    let hard = Material { ke: 1e4, kd: 10.0, mu: 0.3, ..Material::default() };
    let material = b.add_material("ball", hard);
    b.add_shape(ShapeDef { geometry: Geometry::Sphere { radius }, material, ..ShapeDef::default() });
    let mut run = Judged::new(b.finalize()?, 0.01)?;
    let (steps, last) = (150, 30);
    let mut depth = 0.0;
    for step in 0..steps {
        run.step(dt)?;
        depth += if step + last < steps { 0.0 } else { run.bench.report.penetration.depth / last as f64 };
    }
    let mut all = run.verdict(500);
    all.push(at_most("deepest in the ball, mean of 0.25 s [m]", depth, ClothDef::default().radius));
    all.push(at_most("top speed at the end [m/s]", run.top_speed(), 2.0));
    Ok(all)
}
