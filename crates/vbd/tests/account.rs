//! What touches gains no energy, also where few sweeps are left alone with stiff layers and light bodies.

mod support;

use coact_math::{Mat3, Pose, Quat, Spatial, Vec3, exp_so3};
use coact_model::mesh::{CellSplit, Diagonal, cloth_grid, tet_box};
use coact_model::{
    AttachmentDef, BodyDef, BodyMass, ClothDef, Geometry, JointDef, JointKind, Material, MaterialId, Model,
    ModelBuilder, ParticleId, ShapeDef, SoftDef,
};
use coact_solver::Solver;
use coact_vbd::{SelfContactConfig, VbdConfig};
use support::scenes::Run;

const G: f64 = 9.81;

/// Kinetic energy, and that with height and what elements store \[J\].
fn energy(run: &mut Run) -> (f64, f64) {
    let s = run.state();
    let m = &run.model;
    let point = |(m, v): (&f64, &Vec3)| 0.5 * m * v.norm_squared();
    let particles: f64 = m.particle_mass.iter().zip(&s.particle_qd).map(point).sum();
    let body = |i: usize| {
        let w = s.body_q[i].q.inverse() * s.body_qd[i].ang;
        0.5 * (m.body_mass[i] * s.body_qd[i].lin.norm_squared() + w.dot(&(m.body_inertia[i] * w)))
    };
    let kinetic = particles + (0..m.body_count()).map(body).sum::<f64>();
    let height = |(m, x): (&f64, &Vec3)| m * x.z;
    let of_bodies: f64 =
        (0..m.body_count()).map(|i| m.body_mass[i] * s.body_q[i].point(&m.body_com[i]).z).sum();
    let height = m.particle_mass.iter().zip(&s.particle_q).map(height).sum::<f64>() + of_bodies;
    (kinetic, kinetic + G * height + run.solver.stored_energy())
}

/// Largest kinetic energy over `time`, and largest energy above the start \[J\].
fn highest(run: &mut Run, time: f64, dt: f64) -> (f64, f64) {
    let first = energy(run).1;
    let (mut kinetic, mut above) = (0.0_f64, 0.0_f64);
    for _ in 0..(time / dt).round() as usize {
        run.step(dt);
        let (k, now) = energy(run);
        (kinetic, above) = (kinetic.max(k), above.max(now - first));
    }
    (kinetic, above)
}

fn with_pairs(margin: f64) -> VbdConfig {
    VbdConfig {
        self_contact: Some(SelfContactConfig { margin, ..Default::default() }),
        ..VbdConfig::default()
    }
}

/// `n` sheets above each other, each turned a little, above a ball.
fn layers_on_a_ball(n: usize) -> Model {
    let mut b = ModelBuilder::new();
    b.set_material(MaterialId(0), Material { ke: 1e4, kd: 1.0, mu: 0.4, ..Material::default() });
    let mut mesh = cloth_grid([10, 10], [0.4, 0.4], Diagonal::Alternating);
    mesh.vertices.iter_mut().for_each(|x| *x -= Vec3::new(0.2, 0.2, 0.0));
    for i in 0..n {
        let turn = exp_so3(&(Vec3::z() * (0.3 * i as f64)));
        let pose = Pose::new(Vec3::z() * (0.18 + 0.015 * i as f64), turn);
        let def = ClothDef { pose, density: 0.15, radius: 0.004, ..ClothDef::default() };
        b.add_cloth(format!("sheet {i}"), &mesh, &def);
    }
    b.add_shape(ShapeDef { geometry: Geometry::Sphere { radius: 0.15 }, ..ShapeDef::default() });
    b.finalize().unwrap()
}

/// Three soft cubes of 4 kg and the given modulus that fall askew on each other and on a floor.
fn cubes(young: f64) -> Model {
    let mut b = ModelBuilder::new();
    b.set_material(MaterialId(0), Material { ke: 1e4, kd: 5.0, mu: 0.4, ..Material::default() });
    b.add_shape(ShapeDef::default());
    let mut mesh = tet_box([3; 3], Vec3::repeat(0.2), CellSplit::default());
    mesh.vertices.iter_mut().for_each(|x| *x -= Vec3::repeat(0.1));
    for i in 0..3 {
        let turn = exp_so3(&(Vec3::new(0.3, 0.1, 0.2) * f64::from(i)));
        let pose = Pose::new(Vec3::new(0.06 * f64::from(i), 0.0, 0.2 + 0.3 * f64::from(i)), turn);
        let (mu, lambda) = (young / 2.6, young * 0.3 / (1.3 * 0.4));
        let def = SoftDef { density: 500.0, mu, lambda, radius: 0.005, pose, ..SoftDef::default() };
        b.add_soft(format!("cube {i}"), &mesh, &def);
    }
    b.finalize().unwrap()
}

fn add_ball(b: &mut ModelBuilder, radius: f64, mass: f64, pose: Pose, velocity: Spatial) {
    let inertia = Mat3::identity() * (0.4 * mass * radius * radius);
    let mass = BodyMass::Given { mass, com: Vec3::zeros(), inertia };
    let body = Some(b.add_body(BodyDef { pose, velocity, mass, ..BodyDef::default() }));
    b.add_shape(ShapeDef { body, geometry: Geometry::Sphere { radius }, ..ShapeDef::default() });
}

/// A ball of 1.3 kg that lands on a sheet of 0.3 kg, pinned at its corners.
fn on_a_pinned_sheet() -> Model {
    let mut b = ModelBuilder::new();
    let mesh = cloth_grid([16, 16], [1.0, 1.0], Diagonal::Alternating);
    let pose = Pose::translation(Vec3::new(-0.5, -0.5, 0.0));
    b.add_cloth("sheet", &mesh, &ClothDef { pose, density: 0.3, ..ClothDef::default() });
    for p in [0, 16, 272, 288] {
        b.pin_particle(ParticleId::new(p));
    }
    let pose = Pose::translation(Vec3::new(0.03, 0.01, 0.35));
    add_ball(&mut b, 0.1, 1.3, pose, Spatial::zeros());
    b.finalize().unwrap()
}

/// A capsule that lies on a floor, free to roll, with a cloth that falls onto it.
fn on_a_loose_capsule(mass: f64) -> Model {
    let mut b = ModelBuilder::new();
    let mesh = cloth_grid([12, 12], [0.5, 0.5], Diagonal::Alternating);
    let pose = Pose::translation(Vec3::new(-0.237, -0.243, 0.225));
    b.add_cloth("cloth", &mesh, &ClothDef { pose, ..ClothDef::default() });
    b.add_shape(ShapeDef { geometry: Geometry::Plane, ..ShapeDef::default() });
    let volume = std::f64::consts::PI * (0.01 * 0.2 + 4.0 / 3.0 * 1e-3);
    let lying = Quat::from_axis_angle(&Vec3::y_axis(), std::f64::consts::FRAC_PI_2);
    let pose = Pose::new(Vec3::z() * 0.1, lying);
    let body = Some(b.add_body(BodyDef { pose, ..BodyDef::default() }));
    let geometry = Geometry::Capsule { radius: 0.1, half_height: 0.1 };
    b.add_shape(ShapeDef { body, geometry, density: mass / volume, ..ShapeDef::default() });
    b.finalize().unwrap()
}

/// A gram at a corner of a cloth of eight.
fn with_a_gram() -> Model {
    let mut b = ModelBuilder::new();
    let mesh = cloth_grid([8, 8], [0.2, 0.2], Diagonal::Alternating);
    b.add_cloth("cloth", &mesh, &ClothDef { density: 0.2, ..ClothDef::default() });
    b.pin_particle(ParticleId::new(0));
    let mass = BodyMass::Given { mass: 1e-3, com: Vec3::zeros(), inertia: Mat3::identity() * 1e-7 };
    let at = mesh.vertices[80];
    let body = b.add_body(BodyDef { pose: Pose::translation(at), mass, ..BodyDef::default() });
    b.add_attachment(AttachmentDef::hard(ParticleId::new(80), body, Vec3::zeros()));
    b.finalize().unwrap()
}

#[test]
fn what_touches_gains_no_energy() {
    let scenes = [
        ("five sheets on a ball", layers_on_a_ball(5), with_pairs(0.008)),
        ("cubes of 1e5 Pa", cubes(1e5), with_pairs(0.01)),
        ("cubes of 1e6 Pa", cubes(1e6), with_pairs(0.01)),
        ("ball on a pinned sheet", on_a_pinned_sheet(), VbdConfig::default()),
        ("loose capsule of 0.02 kg", on_a_loose_capsule(0.02), VbdConfig::default()),
        ("loose capsule of 0.05 kg", on_a_loose_capsule(0.05), VbdConfig::default()),
        ("loose capsule of 0.1 kg", on_a_loose_capsule(0.1), VbdConfig::default()),
        ("loose capsule of 0.2 kg", on_a_loose_capsule(0.2), VbdConfig::default()),
        ("loose capsule of 0.3 kg", on_a_loose_capsule(0.3), VbdConfig::default()),
        ("loose capsule of 1 kg", on_a_loose_capsule(1.0), VbdConfig::default()),
        ("a gram on cloth", with_a_gram(), VbdConfig::default()),
    ];
    let mut worst = Vec::new();
    for (name, model, config) in scenes {
        for (dt, time) in [(1.0 / 60.0, 1.5), (1.0 / 240.0, 0.5)] {
            let mut run = Run::new(model.clone(), config.clone());
            let (kinetic, above) = highest(&mut run, time, dt);
            println!("{name}, {dt:.4} s: {above:e} J above the start, of {kinetic:.3} J");
            worst.push((above / kinetic, name, dt));
        }
    }
    for (rise, name, dt) in worst {
        assert!(rise < 1e-3, "{name}, {dt} s: {rise:e} of its energy gained");
    }
}

/// A cloth that turns in free flight, with a body attached to its middle by four hard attachments, and another
/// welded to that.
fn turning(bodies: usize) -> Model {
    let mut b = ModelBuilder::new();
    let mesh = cloth_grid([10, 10], [0.5, 0.5], Diagonal::Alternating);
    let pose = Pose::translation(Vec3::new(-0.25, -0.25, 0.0));
    b.add_cloth("cloth", &mesh, &ClothDef { pose, density: 0.3, ..ClothDef::default() });
    let spin = Vec3::new(0.5, 0.3, 4.0);
    let mut last = None;
    for i in 0..bodies {
        let mass = BodyMass::Given { mass: 0.1, com: Vec3::zeros(), inertia: Mat3::identity() * 1e-4 };
        let at = Vec3::z() * (0.03 * i as f64);
        let velocity = Spatial::new(spin.cross(&at), spin);
        let body = b.add_body(BodyDef { pose: Pose::translation(at), velocity, mass, ..BodyDef::default() });
        if let Some(parent) = last {
            let x_p = Pose::translation(Vec3::z() * 0.03);
            b.add_joint(JointDef { x_p, ..JointDef::new(JointKind::Fixed, Some(parent), body) });
        }
        last = last.or(Some(body));
    }
    for p in [48, 50, 70, 72] {
        b.add_attachment(AttachmentDef::hard(
            ParticleId::new(p),
            last.unwrap(),
            mesh.vertices[p] - Vec3::new(0.25, 0.25, 0.0),
        ));
    }
    let mut model = b.finalize().unwrap();
    let velocities: Vec<Vec3> = model.particle_q.iter().map(|x| spin.cross(x)).collect();
    model.particle_qd.make_mut().copy_from_slice(&velocities);
    model
}

/// Momentum, and angular momentum about the centre of mass.
fn momenta(run: &mut Run) -> (Vec3, Vec3) {
    let (s, m) = (run.state(), &run.model);
    let mut points: Vec<(f64, Vec3, Vec3)> = Vec::new();
    points.extend((0..m.particle_count()).map(|i| (m.particle_mass[i], s.particle_q[i], s.particle_qd[i])));
    let mut own = Vec3::zeros();
    for i in 0..m.body_count() {
        points.push((m.body_mass[i], s.body_q[i].point(&m.body_com[i]), s.body_qd[i].lin));
        let q = s.body_q[i].q;
        own += q * (m.body_inertia[i] * (q.inverse() * s.body_qd[i].ang));
    }
    let mass: f64 = points.iter().map(|p| p.0).sum();
    let centre: Vec3 = points.iter().map(|(m, x, _)| x * *m).sum::<Vec3>() / mass;
    let momentum: Vec3 = points.iter().map(|(m, _, v)| v * *m).sum();
    let angular = points.iter().map(|(m, x, v)| (x - centre).cross(v) * *m).sum::<Vec3>() + own;
    (momentum, angular)
}

#[test]
fn cloth_with_bodies_on_it_keeps_its_momenta_in_free_flight() {
    for bodies in [1, 2] {
        for dt in [1.0 / 60.0, 1.0 / 240.0] {
            let mut run = Run::new(turning(bodies), VbdConfig::default());
            let (p, l) = momenta(&mut run);
            let steps = (1.0_f64 / dt).round() as usize;
            run.steps(steps, dt);
            let (p1, l1) = momenta(&mut run);
            let fell = run.model.particle_mass.iter().chain(run.model.body_mass.iter()).sum::<f64>() * G;
            let (lost, turned) = ((p1 - p + Vec3::z() * fell).norm(), (l1 - l).norm() / l.norm());
            println!("{bodies} bodies, {dt:.4} s: {lost:e} N s lost, {turned:e} of angular momentum");
            assert!(lost < 1e-9 && turned < 1e-9, "{bodies} bodies, {dt} s: {lost:e} N s, {turned:e}");
        }
    }
}
