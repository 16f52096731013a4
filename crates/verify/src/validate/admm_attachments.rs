//! A box hung under a cloth by four attachments between two entries, against one solver that owns both.
//!
//! Cloth of 9 × 9 particles (0.8 m, 0.2 kg, two edges fixed), box 0.2 × 0.2 × 0.1 m under its middle,
//! dt 1/120, 6 sweeps. Settings are the defaults. Long, since they do not hold: rows on so stiff
//! a sheet (h² k/m = 277) do not converge (`docs/theory/admm-coupling.md` section 9).

use std::time::Instant;

use coact_articulated::{ArticulatedConfig, SolverArticulated};
use coact_coupled::{AccelerationKind, AdmmConfig, AitkenOptions, EntryDef, SolverCoupledAdmm};
use coact_math::{Pose, Vec3};
use coact_model::mesh::{Diagonal, cloth_grid};
use coact_model::{
    AttachmentDef, BodyDef, BodyId, ClothDef, Geometry, Model, ModelBuilder, ModelView, ParticleId, ShapeDef,
    ShapeFlags,
};
use coact_solver::Solver;
use coact_vbd::{SolverVbd, VbdConfig};

use super::bench::Bench;
use super::{Case, CaseError, Measure};

/// The cases of this area.
pub const CASES: [Case; 3] = [
    Case { name: "coupling/box-under-cloth", long: true, run: hard },
    Case { name: "coupling/box-under-cloth-compliant", long: true, run: compliant },
    Case { name: "coupling/box-under-cloth-accelerations", long: true, run: accelerations },
];

const CELLS: usize = 8;
const DT: f64 = 1.0 / 120.0;

/// The scene, with a box of `mass` kg on attachments of `stiffness` N/m.
fn hung_box(mass: f64, stiffness: f64) -> Result<Model, CaseError> {
    let mut b = ModelBuilder::new();
    let pose = Pose::translation(Vec3::new(0.0, 0.0, 0.95));
    let body = b.add_body(BodyDef { name: "box".into(), pose, ..BodyDef::default() });
    b.add_shape(ShapeDef {
        name: "box".into(),
        body: Some(body),
        geometry: Geometry::Box { half_extents: Vec3::new(0.1, 0.1, 0.05) },
        density: mass / 0.004,
        flags: ShapeFlags::VISIBLE,
        ..ShapeDef::default()
    });
    let def = ClothDef {
        pose: Pose::translation(Vec3::new(-0.4, -0.4, 1.0)),
        density: 0.2 / 0.64,
        mu: 1.0e4,
        lambda: 1.0e4,
        kd: 0.1,
        bend_ke: 0.01,
        radius: 0.005,
        ..ClothDef::default()
    };
    let group = b.add_cloth("cloth", &cloth_grid([CELLS, CELLS], [0.8, 0.8], Diagonal::Alternating), &def);
    let particles: Vec<_> = b.group_particles(group).collect();
    let side = CELLS + 1;
    for j in 0..side {
        b.pin_particle(particles[j * side]);
        b.pin_particle(particles[j * side + CELLS]);
    }
    let middle = CELLS / 2;
    for (i, j) in [
        (middle - 1, middle - 1),
        (middle + 1, middle - 1),
        (middle - 1, middle + 1),
        (middle + 1, middle + 1),
    ] {
        let at = Vec3::new(0.1 * i as f64 - 0.4, 0.1 * j as f64 - 0.4, 0.05);
        b.add_attachment(AttachmentDef {
            ke: stiffness,
            ..AttachmentDef::hard(particles[j * side + i], body, at)
        });
    }
    Ok(b.finalize()?)
}

fn vbd(view: &ModelView) -> Result<SolverVbd, coact_solver::SolverError> {
    SolverVbd::new(view, VbdConfig { iterations: 6, ..VbdConfig::default() })
}

/// The box in one entry, the cloth in another.
///
/// # Errors
/// When the coupler refuses it.
pub fn coupled(model: &Model, config: AdmmConfig) -> Result<Box<dyn Solver>, CaseError> {
    let rigid = EntryDef::new("rigid", |v| SolverArticulated::new(v, ArticulatedConfig::default()));
    let soft = EntryDef::new("soft", vbd).particles((0..model.particle_count()).map(ParticleId::new));
    Ok(Box::new(SolverCoupledAdmm::new(model, vec![rigid.bodies([BodyId(0)]), soft], config)?))
}

#[derive(Default)]
struct Seen {
    /// Largest distance of an anchor.
    gap: f64,
    /// Mean elongation and height of the last quarter.
    rest_gap: f64,
    z: f64,
    passes: f64,
    unfinished: usize,
    seconds: f64,
}

fn watch(model: &Model, solver: Box<dyn Solver>, time: f64) -> Result<Seen, CaseError> {
    let mut bench = Bench::new(model.clone(), solver);
    let steps = (time / DT).round() as usize;
    let last = steps / 4;
    let mut seen = Seen::default();
    let start = Instant::now();
    for k in 0..steps {
        bench.step(DT)?;
        let s = &bench.state;
        let anchors = (0..model.attachment_particle.len()).map(|i| {
            let at = s.body_q[0].point(&model.attachment_point[i]);
            (s.particle_q[model.attachment_particle[i].index()] - at).norm()
        });
        let gaps: Vec<f64> = anchors.collect();
        seen.gap = gaps.iter().copied().fold(seen.gap, f64::max);
        if k >= steps - last {
            seen.rest_gap += gaps.iter().sum::<f64>() / (4 * last) as f64;
            seen.z += s.body_q[0].p.z / last as f64;
        }
        for i in &bench.report.interfaces {
            seen.passes += i.iterations as f64 / steps as f64;
            seen.unfinished += usize::from(!i.converged);
        }
    }
    seen.seconds = start.elapsed().as_secs_f64();
    Ok(seen)
}

fn hard() -> Result<Vec<Measure>, CaseError> {
    let mut out = Vec::new();
    for mass in [0.05, 0.5, 5.0] {
        let model = hung_box(mass, f64::INFINITY)?;
        let one = watch(&model, Box::new(vbd(&ModelView::whole(&model))?), 1.0)?;
        let two = watch(&model, coupled(&model, AdmmConfig::default())?, 1.0)?;
        let of = |what: &str| format!("{mass} kg, hard: {what}");
        out.push(Measure::absolute(of("largest gap [m]"), two.gap, 0.0, 1e-6));
        out.push(Measure::absolute(of("entry solves per step"), two.passes, 0.0, 4.0));
        out.push(Measure::absolute(of("steps that did not converge"), two.unfinished as f64, 0.0, 0.0));
        out.push(Measure::absolute(
            of("mean height of the last quarter [m], unified as exact"),
            two.z,
            one.z,
            5e-3,
        ));
        out.push(Measure::absolute(of("time over that of one solver"), two.seconds / one.seconds, 0.0, 5.0));
    }
    Ok(out)
}

/// At rest each attachment is as long as its share of the weight over its stiffness.
fn compliant() -> Result<Vec<Measure>, CaseError> {
    let mut out = Vec::new();
    for (mass, stiffness) in [(0.5, 1e3), (0.5, 1e4), (5.0, 1e4)] {
        let model = hung_box(mass, stiffness)?;
        let two = watch(&model, coupled(&model, AdmmConfig::default())?, 4.0)?;
        let exact = mass * 9.81 / (4.0 * stiffness);
        let of = |what: &str| format!("{mass} kg, {stiffness} N/m: {what}");
        out.push(Measure::relative(of("vertical elongation at rest [m]"), two.rest_gap, exact, 0.01));
        out.push(Measure::absolute(of("entry solves per step"), two.passes, 0.0, 4.0));
        out.push(Measure::absolute(of("steps that did not converge"), two.unfinished as f64, 0.0, 0.0));
    }
    Ok(out)
}

/// The same by other accelerations: what quasi-Newton gains.
fn accelerations() -> Result<Vec<Measure>, CaseError> {
    let mut out = Vec::new();
    for mass in [0.05, 0.5, 5.0] {
        let model = hung_box(mass, f64::INFINITY)?;
        let kinds = [
            ("none", AccelerationKind::None),
            ("Aitken", AccelerationKind::Aitken(AitkenOptions { initial: 1.0, least: 0.1, most: 4.0 })),
            ("quasi-Newton", AccelerationKind::Iqn(coact_coupled::IqnOptions::default())),
        ];
        for (name, acceleration) in kinds {
            let config = AdmmConfig { acceleration, ..AdmmConfig::default() };
            let two = watch(&model, coupled(&model, config)?, 0.5)?;
            let what =
                format!("{mass} kg, {name}: entry solves per step, {} steps unfinished", two.unfinished);
            out.push(Measure::absolute(what, two.passes, 0.0, 40.0));
        }
    }
    Ok(out)
}
