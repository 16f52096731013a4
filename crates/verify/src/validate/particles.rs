//! Particles of `SolverVbd` against closed forms.

use coact_math::Vec3;
use coact_model::{
    Material, Model, ModelBuilder, ModelError, ModelView, ParticleDef, ParticleId, ShapeDef, SpringDef,
};
use coact_vbd::{Precision, SolverVbd, VbdConfig};

use super::bench::Bench;
use super::{Case, CaseError, Measure};

const G: f64 = 9.81;

/// The cases of this area.
pub const CASES: [Case; 4] = [
    Case { name: "particles/free-fall", long: false, run: free_fall },
    Case { name: "particles/rest-on-plane", long: false, run: rest_on_plane },
    Case { name: "particles/hanging-chain", long: false, run: hanging_chain },
    Case { name: "particles/slide-down-incline", long: false, run: slide_down_incline },
];

fn vbd(model: Model, config: VbdConfig) -> Result<Bench, CaseError> {
    let solver = SolverVbd::new(&ModelView::whole(&model), config)?;
    Ok(Bench::new(model, Box::new(solver)))
}

/// Semi-implicit fall from rest: after n steps the drop is g t (t + h) / 2, to rounding.
fn free_fall() -> Result<Vec<Measure>, CaseError> {
    let mut b = ModelBuilder::new();
    b.add_particle(ParticleDef {
        q: Vec3::new(0.0, 0.0, 5.0),
        mass: 0.01,
        radius: 0.01,
        ..Default::default()
    });
    let h = 1.0 / 120.0;
    let mut bench = vbd(b.finalize()?, VbdConfig::default())?;
    bench.run(120, h)?;
    let exact = 0.5 * G * (1.0 + h);
    Ok(vec![Measure::absolute("drop after 1 s [m]", 5.0 - bench.particle_z(0), exact, 1e-12)])
}

/// A particle rests at the penetration m g / k of the contact spring.
fn rest_on_plane() -> Result<Vec<Measure>, CaseError> {
    let (mass, radius) = (0.02, 0.01);
    let material = Material { ke: 2.0e3, kd: 1.0, ..Material::default() };
    let mut b = ModelBuilder::new();
    let m = b.add_material("ground", material);
    b.add_shape(ShapeDef { name: "ground".into(), material: m, ..Default::default() });
    let q = Vec3::new(0.0, 0.0, radius);
    b.add_particle(ParticleDef { q, mass, radius, material: m, ..Default::default() });
    let mut bench = vbd(b.finalize()?, VbdConfig::default())?;
    bench.run(1200, 1.0 / 600.0)?;
    let sag = radius - bench.particle_z(0);
    Ok(vec![Measure::relative("penetration at rest [m]", sag, mass * G / material.ke, 1e-3)])
}

/// A chain of n springs hung at one end: each spring carries the weight below it, so the
/// total extension is (m g / k) n (n + 1) / 2. A fixed number of sweeps leaves an error of its
/// own (1.3e-4 at 20 sweeps), so this case converges. Elements in `f32` round rest lengths of 0.1 m, which
/// are 37 times the mean extension of a spring.
fn hanging_chain() -> Result<Vec<Measure>, CaseError> {
    let model = chain(10)?;
    let exact = model.particle_mass[1] * G / model.spring_ke[0] * 55.0;
    let extension = |precision| {
        let config = VbdConfig { iterations: 300, precision, ..VbdConfig::default() };
        let mut bench = vbd(model.clone(), config)?;
        bench.run(2400, 1.0 / 120.0)?;
        Ok::<_, CaseError>(-bench.particle_z(10))
    };
    let rounded = 37.0 * f64::from(f32::EPSILON);
    Ok(vec![
        Measure::relative("extension at rest in f64 [m]", extension(Precision::Double)?, exact, 1e-6),
        Measure::relative("extension at rest [m]", extension(Precision::Mixed)?, exact, rounded),
    ])
}

fn chain(links: usize) -> Result<Model, ModelError> {
    let mut b = ModelBuilder::new();
    let at = |i: usize| Vec3::new(0.0, 0.0, 1.0 - i as f64 / links as f64);
    let ids: Vec<ParticleId> = (0..=links)
        .map(|i| b.add_particle(ParticleDef { q: at(i), mass: 0.01, ..Default::default() }))
        .collect();
    b.pin_particle(ids[0]);
    for pair in ids.windows(2) {
        b.add_spring(SpringDef { particles: [pair[0], pair[1]], ke: 200.0, kd: 1.0, rest_length: None });
    }
    b.finalize()
}

/// A particle on an incline of 35°, mu = 0.4: v = g (sin a − mu cos a) t. Gravity is tilted
/// instead of the plane.
fn slide_down_incline() -> Result<Vec<Measure>, CaseError> {
    let (angle, mu, radius) = (35.0f64.to_radians(), 0.4, 0.01);
    let material = Material { ke: 2.0e3, kd: 1.0, mu, ..Material::default() };
    let mut b = ModelBuilder::new();
    b.gravity = Vec3::new(angle.sin(), 0.0, -angle.cos()) * G;
    let m = b.add_material("surface", material);
    b.add_shape(ShapeDef { name: "incline".into(), material: m, ..Default::default() });
    let (mass, sag) = (0.02, 0.02 * G * angle.cos() / material.ke);
    let q = Vec3::new(0.0, 0.0, radius - sag);
    b.add_particle(ParticleDef { q, mass, radius, material: m, ..Default::default() });
    let mut bench = vbd(b.finalize()?, VbdConfig::default())?;
    bench.run(300, 1.0 / 600.0)?;
    let exact = G * (angle.sin() - mu * angle.cos()) * 0.5;
    Ok(vec![Measure::relative("speed after 0.5 s [m/s]", bench.state.particle_qd[0].x, exact, 0.01)])
}
