//! Contact pairs between two entries: boxes and particles on slopes, and hits.
//!
//! Settings are the defaults, dt 1/240 on slopes and 1/120 for hits. A slope is a body of `SolverArticulated`
//! welded to the world; what lies on it belongs to `SolverVbd`. What hits is in two entries of `SolverArticulated`.

use coact_articulated::{ArticulatedConfig, SolverArticulated};
use coact_coupled::{AdmmConfig, ContactPair, EntryDef, SolverCoupledAdmm};
use coact_math::{Mat3, Pose, Spatial, Vec3, exp_so3};
use coact_model::{
    BodyDef, BodyId, BodyMass, Geometry, JointDef, JointId, JointKind, Material, MaterialId, ModelBuilder,
    ModelView, ParticleDef, ShapeDef,
};
use coact_vbd::{SolverVbd, VbdConfig};

use super::bench::Bench;
use super::{Case, CaseError, Measure};

/// The cases of this area.
pub const CASES: [Case; 3] = [
    Case { name: "coupling/box-on-a-slope", long: false, run: boxes },
    Case { name: "coupling/particle-on-a-slope", long: false, run: particles },
    Case { name: "coupling/hits", long: false, run: hits },
];

const G: f64 = 9.81;
const MU: f64 = 0.5;
const ANGLES: [f64; 4] = [20.0, 26.0, 27.0, 28.0];
const STEPS: usize = 240;

fn config() -> AdmmConfig {
    AdmmConfig { contact_pairs: vec![ContactPair::new("first", "second")], ..AdmmConfig::default() }
}

fn articulated(view: &ModelView) -> Result<SolverArticulated, coact_solver::SolverError> {
    SolverArticulated::new(view, ArticulatedConfig::default())
}

fn add_body(b: &mut ModelBuilder, def: BodyDef, geometry: Geometry, material: MaterialId) -> BodyId {
    let name = def.name.clone();
    let body = b.add_body(def);
    b.add_shape(ShapeDef { name, body: Some(body), geometry, density: 0.0, material, ..ShapeDef::default() });
    body
}

/// A mass with the inertia of a box.
fn box_mass(half: Vec3, mass: f64) -> BodyMass {
    let i = half.component_mul(&half) * (mass / 3.0);
    let inertia = Mat3::from_diagonal(&Vec3::new(i.y + i.z, i.x + i.z, i.x + i.y));
    BodyMass::Given { mass, com: Vec3::zeros(), inertia }
}

/// A slope of `angle` rad and on it a box of 1 kg or a particle of 0.1 kg, each in its entry.
fn slope(angle: f64, of_particle: bool) -> Result<Bench, CaseError> {
    let mut b = ModelBuilder::new();
    b.gravity = Vec3::new(0.0, 0.0, -G);
    let material = b.add_material("m", Material { mu: MU, ..Material::default() });
    let q = exp_so3(&(Vec3::y() * angle));
    let at = |x: f64, z: f64| Pose::new(q * Vec3::new(x, 0.0, z), q);
    let half = Vec3::new(4.0, 0.5, 0.1);
    let def = BodyDef {
        name: "slope".into(),
        pose: at(1.0, -0.1),
        mass: box_mass(half, 10.0),
        ..BodyDef::default()
    };
    let slope = add_body(&mut b, def, Geometry::Box { half_extents: half }, material);
    let mut weld = JointDef::new(JointKind::Fixed, None, slope);
    weld.x_p = at(1.0, -0.1);
    b.add_joint(weld);
    let first = EntryDef::new("first", articulated).bodies([slope]).joints([JointId(0)]);
    let mut second = EntryDef::new("second", |v: &ModelView| SolverVbd::new(v, VbdConfig::default()));
    if of_particle {
        let (q, radius) = (at(0.0, 0.02).p, 0.02);
        let def = ParticleDef { q, mass: 0.1, radius, material, ..ParticleDef::default() };
        second = second.particles([b.add_particle(def)]);
    } else {
        let half = Vec3::repeat(0.1);
        let (pose, mass) = (at(0.0, 0.1), box_mass(half, 1.0));
        let def = BodyDef { name: "box".into(), pose, mass, ..BodyDef::default() };
        second = second.bodies([add_body(&mut b, def, Geometry::Box { half_extents: half }, material)]);
    }
    let model = b.finalize()?;
    let solver = SolverCoupledAdmm::new(&model, vec![first, second], config())?;
    Ok(Bench::new(model, Box::new(solver)))
}

/// Holds within 0.05 mm below the cone; above it slides by Coulomb's law, 5 % just past it, else 2 %.
fn slide(of_particle: bool) -> Result<Vec<Measure>, CaseError> {
    let (mut list, mut passes) = (Vec::new(), 0);
    let at = |bench: &Bench| match of_particle {
        true => bench.state.particle_q[0],
        false => bench.state.body_q[1].p,
    };
    for degrees in ANGLES {
        let angle = degrees.to_radians();
        let mut bench = slope(angle, of_particle)?;
        let q = exp_so3(&(Vec3::y() * angle));
        let (begin, mut depth) = (at(&bench), 0.0_f64);
        for _ in 0..STEPS {
            bench.step(1.0 / 240.0)?;
            depth = depth.max(-(at(&bench) - begin).dot(&(q * Vec3::z())));
            passes += bench.report.interfaces.iter().map(|i| i.iterations).sum::<usize>();
        }
        let way = (at(&bench) - begin).dot(&(q * Vec3::x()));
        // a step of first order goes (n + 1)/n as far
        let exact = 0.5 * G * (angle.sin() - MU * angle.cos()).max(0.0) * (STEPS + 1) as f64 / STEPS as f64;
        let what = format!("{degrees}°: way in 1 s [m]");
        list.push(match exact {
            0.0 => Measure::absolute(what, way, 0.0, 5e-5),
            _ => Measure::relative(what, way, exact, if degrees == 27.0 { 0.05 } else { 0.02 }),
        });
        list.push(Measure::absolute(format!("{degrees}°: depth [m]"), depth, 0.0, 5e-5));
    }
    let mean = passes as f64 / (STEPS * ANGLES.len()) as f64;
    list.push(Measure::absolute("passes per step", mean, 0.0, 10.0));
    Ok(list)
}

fn boxes() -> Result<Vec<Measure>, CaseError> {
    slide(false)
}

fn particles() -> Result<Vec<Measure>, CaseError> {
    slide(true)
}

/// A ball of 1 kg that hits one of `ratio` kg at rest.
fn hit(ratio: f64, speed: f64, restitution: f64) -> Result<Bench, CaseError> {
    let mut b = ModelBuilder::new();
    b.gravity = Vec3::zeros();
    let material = b.add_material("m", Material { mu: 0.0, restitution, ..Material::default() });
    for (i, mass) in [1.0, ratio].into_iter().enumerate() {
        let (x, v) = if i == 0 { (-0.2, speed) } else { (0.0, 0.0) };
        let inertia = Mat3::identity() * (0.4 * mass * 0.05 * 0.05);
        let def = BodyDef {
            name: format!("ball {i}"),
            pose: Pose::translation(Vec3::x() * x),
            velocity: Spatial::new(Vec3::x() * v, Vec3::zeros()),
            mass: BodyMass::Given { mass, com: Vec3::zeros(), inertia },
            ..BodyDef::default()
        };
        add_body(&mut b, def, Geometry::Sphere { radius: 0.05 }, material);
    }
    let model = b.finalize()?;
    let [first, second] =
        [("first", 0), ("second", 1)].map(|(name, i)| EntryDef::new(name, articulated).bodies([BodyId(i)]));
    let solver = SolverCoupledAdmm::new(&model, vec![first, second], config())?;
    Ok(Bench::new(model, Box::new(solver)))
}

/// Momentum to 1e-9, restitution as authored, nothing passes through.
fn hits() -> Result<Vec<Measure>, CaseError> {
    let mut list = Vec::new();
    for (ratio, speed, e) in [(1.0, 1.0, 0.5), (100.0, 1.0, 0.5), (1.0, 20.0, 0.5), (100.0, 20.0, 0.0)] {
        let mut bench = hit(ratio, speed, e)?;
        let (dt, mut nearest) = (1.0 / 120.0, f64::INFINITY);
        for _ in 0..(0.6 / (speed * dt)).ceil() as usize {
            bench.step(dt)?;
            nearest = nearest.min(bench.state.body_q[1].p.x - bench.state.body_q[0].p.x);
        }
        let [a, b] = [0, 1].map(|i| bench.state.body_qd[i].lin.x);
        let name = format!("1 kg on {ratio} kg at {speed} m/s, e {e}");
        let of = |what: &str| format!("{name}: {what}");
        list.push(Measure::relative(of("momentum [kg m/s]"), a + ratio * b, speed, 1e-9));
        list.push(Measure::absolute(of("speed of parting over that of meeting"), (b - a) / speed, e, 1e-3));
        list.push(Measure::absolute(of("depth [m]"), (0.1 - nearest).max(0.0), 0.0, 5e-5));
    }
    Ok(list)
}
