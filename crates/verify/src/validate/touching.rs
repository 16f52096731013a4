//! Convergence of `SolverVbd` at default settings where something touches: the energy of scenes that nothing
//! drives, the depth at which blocks of any stiffness rest, the slip of what is pinched, and the momentum that
//! bodies and cloth exchange. `docs/tuning.md` section 5 reads these tables.

use coact_math::{Mat3, Pose, Spatial, Vec3, exp_so3};
use coact_model::mesh::{CellSplit, Diagonal, cloth_grid, tet_box};
use coact_model::{
    AttachmentDef, BodyDef, BodyMass, ClothDef, Geometry, Material, MaterialId, Model, ModelBuilder,
    ModelView, ParticleId, ShapeDef, SoftDef, TetMesh,
};
use coact_vbd::{SelfContactConfig, SolverVbd, VbdConfig};

use super::{Bench, Case, CaseError, Measure};

const G: f64 = 9.81;

/// The cases of this area.
pub const CASES: [Case; 6] = [
    Case {
        name: "touching/energy-attached-cloth",
        long: false,
        run: || energies(&attached()?, None, &STEPS, true),
    },
    Case {
        name: "touching/energy-cloth-on-ball",
        long: false,
        run: || energies(&on_ball()?, None, &STEPS, false),
    },
    Case {
        name: "touching/energy-stack",
        long: false,
        run: || energies(&stack()?, Some(0.01), &STEPS[1..], false),
    },
    Case { name: "touching/depth-of-blocks", long: false, run: depths },
    Case { name: "touching/pinched-strip", long: false, run: slips },
    Case { name: "touching/momentum-ball-on-cloth", long: false, run: momenta },
];

const STEPS: [f64; 2] = [1.0 / 60.0, 1.0 / 240.0];

fn bench(model: &Model, margin: Option<f64>) -> Result<Bench, CaseError> {
    let self_contact = margin.map(|margin| SelfContactConfig { margin, ..SelfContactConfig::default() });
    let config = VbdConfig { self_contact, ..VbdConfig::default() };
    let solver = SolverVbd::new(&ModelView::whole(model), config)?;
    Ok(Bench::new(model.clone(), Box::new(solver)))
}

/// A square metre of the default cloth, 25² vertices, its corner at a point.
fn add_cloth(b: &mut ModelBuilder, at: Vec3) -> Vec<Vec3> {
    let mesh = cloth_grid([24, 24], [1.0, 1.0], Diagonal::Alternating);
    b.add_cloth("cloth", &mesh, &ClothDef { pose: Pose::translation(at), ..ClothDef::default() });
    mesh.vertices
}

/// Hung by two hard attachments to a body that rests.
fn attached() -> Result<Model, CaseError> {
    let mut b = ModelBuilder::new();
    let vertices = add_cloth(&mut b, Vec3::zeros());
    let body = b.add_body(BodyDef { kinematic: true, ..BodyDef::default() });
    for p in [0, 24] {
        b.add_attachment(AttachmentDef::hard(ParticleId::new(p), body, vertices[p]));
    }
    Ok(b.finalize()?)
}

/// Falling onto a ball.
fn on_ball() -> Result<Model, CaseError> {
    let mut b = ModelBuilder::new();
    add_cloth(&mut b, Vec3::new(-0.5, -0.5, 0.2));
    b.add_shape(ShapeDef { geometry: Geometry::Sphere { radius: 0.15 }, ..ShapeDef::default() });
    Ok(b.finalize()?)
}

/// A cube 0.2 m wide around the origin.
fn cube(n: usize) -> TetMesh {
    let mut mesh = tet_box([n; 3], Vec3::repeat(0.2), CellSplit::default());
    mesh.vertices.iter_mut().for_each(|x| *x -= Vec3::repeat(0.1));
    mesh
}

/// Three soft cubes that fall on each other and on a floor.
fn stack() -> Result<Model, CaseError> {
    let mut b = ModelBuilder::new();
    b.set_material(MaterialId(0), Material { ke: 1e4, kd: 5.0, ..Material::default() });
    b.add_shape(ShapeDef::default());
    for i in 0..3 {
        let k = f64::from(i);
        let pose = Pose::new(Vec3::new(3e-3 * k, 0.0, 0.12 + 0.225 * k), exp_so3(&(Vec3::z() * (0.2 * k))));
        let def = SoftDef { density: 500.0, mu: 4e4, lambda: 6e4, radius: 0.005, pose, ..SoftDef::default() };
        b.add_soft(format!("cube {i}"), &cube(4), &def);
    }
    Ok(b.finalize()?)
}

/// Kinetic, and all energy of particles \[J\].
fn energy(b: &mut Bench) -> (f64, f64) {
    let (m, s) = (&b.model, &b.state);
    let sum =
        |of: &dyn Fn(usize) -> f64| (0..m.particle_count()).map(|p| m.particle_mass[p] * of(p)).sum::<f64>();
    let kinetic = sum(&|p| 0.5 * s.particle_qd[p].norm_squared());
    let height = sum(&|p| G * s.particle_q[p].z);
    (kinetic, kinetic + height + b.solver.stored_energy())
}

/// 2 s of a scene at each of `steps`: the largest rise of energy above the start, and `in_step`, as shares of
/// the largest kinetic energy. What contacts store is not seen, and comes back: where they bear, steps say
/// nothing. Blocks that lie on each other by self-contact are swept alone, and gain at 1/60 s.
fn energies(
    model: &Model,
    margin: Option<f64>,
    steps: &[f64],
    in_step: bool,
) -> Result<Vec<Measure>, CaseError> {
    let mut measures = Vec::new();
    for &dt in steps {
        let mut b = bench(model, margin)?;
        let first = energy(&mut b).1;
        let (mut last, mut kinetic, mut rise, mut step_rise) = (first, 0.0_f64, 0.0_f64, 0.0_f64);
        for _ in 0..(2.0 / dt) as usize {
            b.step(dt)?;
            let (k, now) = energy(&mut b);
            (kinetic, rise, step_rise) = (kinetic.max(k), rise.max(now - first), step_rise.max(now - last));
            last = now;
        }
        let rate = 1.0 / dt;
        let above = format!("rise above the start, share, 1/{rate:.0} s");
        measures.push(Measure::absolute(above, rise / kinetic, 0.0, 1e-3));
        if in_step && dt < 0.01 {
            let what = format!("rise in a step, share, 1/{rate:.0} s");
            measures.push(Measure::absolute(what, step_rise / kinetic, 0.0, 1e-3));
        }
    }
    Ok(measures)
}

/// A cube of 8 kg rests as deep as the springs under its 25 vertices let it; a soft one deeper at the rim.
fn depths() -> Result<Vec<Measure>, CaseError> {
    let mut measures = Vec::new();
    for dt in STEPS {
        for young in [1e5, 1e6, 1e7, 1e8] {
            let mut b = ModelBuilder::new();
            b.add_shape(ShapeDef::default());
            let (mu, lambda) = (young / 2.6, young * 0.3 / (1.3 * 0.4));
            let pose = Pose::translation(Vec3::z() * 0.115);
            b.add_soft("cube", &cube(4), &SoftDef { mu, lambda, pose, ..SoftDef::default() });
            let mut b = bench(&b.finalize()?, None)?;
            b.run((2.0 / dt) as usize, dt)?;
            let mass: f64 = b.model.particle_mass.iter().sum();
            let exact = mass * G / (25.0 * Material::default().ke);
            let what = format!("depth at E {young:.0e}, 1/{:.0} s [m]", 1.0 / dt);
            let share = if young < 5e5 { 0.7 } else { 0.2 };
            measures.push(Measure::relative(what, b.report.penetration.depth, exact, share));
        }
    }
    Ok(measures)
}

/// A strip of the default cloth, 10 g, its upper row between two pads of 5 N each, mu 1.
fn strip() -> Result<Model, CaseError> {
    let mut b = ModelBuilder::new();
    b.set_material(MaterialId(0), Material { mu: 1.0, ..Material::default() });
    let upright = exp_so3(&Vec3::new(0.0, std::f64::consts::FRAC_PI_2, 0.0));
    let pose = Pose::new(Vec3::new(0.0, -0.05, 0.05), upright);
    let def = ClothDef { density: 1.0, pose, ..ClothDef::default() };
    let mesh = cloth_grid([4, 4], [0.1, 0.1], Diagonal::Alternating);
    b.add_cloth("strip", &mesh, &def);
    let x = ClothDef::default().radius - 5.0 / (5.0 * Material::default().ke) + 0.01;
    for x in [x, -x] {
        let mass = BodyMass::Given { mass: 1.0, com: Vec3::zeros(), inertia: Mat3::identity() };
        let pose = Pose::translation(Vec3::new(x, 0.0, 0.05));
        let body = b.add_body(BodyDef { pose, mass, kinematic: true, ..BodyDef::default() });
        let geometry = Geometry::Box { half_extents: Vec3::new(0.01, 0.06, 0.01) };
        b.add_shape(ShapeDef { body: Some(body), geometry, ..ShapeDef::default() });
    }
    Ok(b.finalize()?)
}

fn slips() -> Result<Vec<Measure>, CaseError> {
    let mut measures = Vec::new();
    for dt in STEPS {
        let mut b = bench(&strip()?, None)?;
        let start = b.model.particle_q.to_vec();
        b.run((5.0 / dt) as usize, dt)?;
        let held = (0..start.len()).filter(|&p| start[p].z > 0.04);
        let slip = held.map(|p| (b.state.particle_q[p] - start[p]).norm()).fold(0.0, f64::max);
        measures.push(Measure::absolute(format!("slip after 5 s, 1/{:.0} s [m]", 1.0 / dt), slip, 0.0, 1e-4));
    }
    Ok(measures)
}

/// A ball of 0.21 kg meets a free cloth of 0.05 kg at 2 m/s; nothing else acts.
fn ball_and_cloth() -> Result<Model, CaseError> {
    let mut b = ModelBuilder::new();
    b.gravity = Vec3::zeros();
    let mesh = cloth_grid([12, 12], [0.5, 0.5], Diagonal::Alternating);
    let pose = Pose::translation(Vec3::new(-0.25, -0.25, 0.0));
    b.add_cloth("cloth", &mesh, &ClothDef { pose, ..ClothDef::default() });
    let inertia = Mat3::identity() * (0.4 * 0.21 * 0.01);
    let mass = BodyMass::Given { mass: 0.21, com: Vec3::zeros(), inertia };
    let pose = Pose::translation(Vec3::new(0.02, 0.01, 0.12));
    let velocity = Spatial::new(Vec3::z() * -2.0, Vec3::zeros());
    let body = b.add_body(BodyDef { pose, velocity, mass, ..BodyDef::default() });
    let geometry = Geometry::Sphere { radius: 0.1 };
    b.add_shape(ShapeDef { body: Some(body), geometry, ..ShapeDef::default() });
    Ok(b.finalize()?)
}

fn momentum(b: &Bench) -> Vec3 {
    let cloth = b.state.particle_qd.iter().zip(&b.model.particle_mass[..]).map(|(v, m)| v * *m);
    cloth.sum::<Vec3>() + b.state.body_qd[0].lin * b.model.body_mass[0]
}

fn momenta() -> Result<Vec<Measure>, CaseError> {
    let mut measures = Vec::new();
    for dt in STEPS {
        let mut b = bench(&ball_and_cloth()?, None)?;
        let (before, mut lost) = (momentum(&b), 0.0_f64);
        for _ in 0..(0.3 / dt) as usize {
            b.step(dt)?;
            lost = lost.max((momentum(&b) - before).norm() / before.norm());
        }
        measures.push(Measure::absolute(
            format!("momentum lost, share, 1/{:.0} s", 1.0 / dt),
            lost,
            0.0,
            1e-6,
        ));
    }
    Ok(measures)
}
