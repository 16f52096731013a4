//! What touches converges at default settings: bodies and shapes under cloth, blocks on a floor.

mod support;

use coact_math::{Mat3, Pose, Quat, Spatial, Vec3};
use coact_model::mesh::{CellSplit, Diagonal, cloth_grid, tet_box};
use coact_model::{
    AttachmentDef, BodyDef, BodyMass, ClothDef, Geometry, Material, MaterialId, Model, ModelBuilder,
    ParticleId, ShapeDef, SoftDef, TetMesh,
};
use coact_solver::{Snapshot, Solver};
use coact_vbd::{SelfContactConfig, VbdConfig};
use support::scenes::{Run, add_block, bits};

const G: f64 = 9.81;

/// A square metre of the default cloth, 17² vertices.
fn cloth(b: &mut ModelBuilder, at: Vec3) {
    let mesh = cloth_grid([16, 16], [1.0, 1.0], Diagonal::Alternating);
    let pose = Pose::translation(at);
    b.add_cloth("cloth", &mesh, &ClothDef { pose, ..ClothDef::default() });
}

fn attached(ke: f64) -> Model {
    let mut b = ModelBuilder::new();
    cloth(&mut b, Vec3::zeros());
    let body = b.add_body(BodyDef { kinematic: true, ..BodyDef::default() });
    let corners = cloth_grid([16, 16], [1.0, 1.0], Diagonal::Alternating).vertices;
    for p in [0, 16] {
        b.add_attachment(AttachmentDef { ke, ..AttachmentDef::hard(ParticleId::new(p), body, corners[p]) });
    }
    b.finalize().unwrap()
}

fn on_a_ball() -> Model {
    let mut b = ModelBuilder::new();
    cloth(&mut b, Vec3::new(-0.5, -0.5, 0.2));
    b.add_shape(ShapeDef { geometry: Geometry::Sphere { radius: 0.15 }, ..ShapeDef::default() });
    b.finalize().unwrap()
}

/// Kinetic, and all energy of particles \[J\].
fn energy(run: &mut Run) -> (f64, f64) {
    let s = run.state();
    let mass = &run.model.particle_mass;
    let kinetic: f64 = mass.iter().zip(&s.particle_qd).map(|(m, v)| 0.5 * m * v.norm_squared()).sum();
    let height: f64 = mass.iter().zip(&s.particle_q).map(|(m, x)| m * G * x.z).sum();
    (kinetic, kinetic + height + run.solver.stored_energy())
}

#[test]
fn the_energy_of_cloth_that_touches_does_not_rise() {
    let scenes = [("hard", attached(f64::INFINITY)), ("springs", attached(1e4)), ("ball", on_a_ball())];
    for (name, model) in scenes {
        for dt in [1.0 / 60.0, 1.0 / 240.0] {
            let mut run = Run::new(model.clone(), VbdConfig::default());
            let first = energy(&mut run).1;
            let (mut last, mut kinetic, mut rise, mut above) = (first, 0.0_f64, 0.0_f64, 0.0_f64);
            for _ in 0..(1.5 / dt) as usize {
                run.step(dt);
                let (k, now) = energy(&mut run);
                (kinetic, rise, above) = (kinetic.max(k), rise.max(now - last), above.max(now - first));
                last = now;
            }
            println!("{name} {dt:.4}: {rise:e} J in a step, {above:e} J above the start, of {kinetic} J");
            assert!(kinetic > 0.05 && above < 1e-3 * kinetic, "{name} {dt}: {above:e} J of {kinetic} J");
            // what contacts and springs store is not seen, and comes back
            let may_rise = if name == "hard" { 1e-3 } else { f64::INFINITY };
            assert!(rise < may_rise * kinetic, "{name} {dt}: a step gained {rise:e} J of {kinetic} J");
        }
    }
}

/// A cube 0.2 m wide around the origin.
fn cube(n: usize) -> TetMesh {
    let mut mesh = tet_box([n; 3], Vec3::repeat(0.2), CellSplit::default());
    mesh.vertices.iter_mut().for_each(|x| *x -= Vec3::repeat(0.1));
    mesh
}

/// A cube of 8 kg, 0.2 m wide, dropped by 10 mm: it rests as deep as the springs under its 25 vertices let
/// it, give or take what its own strain moves at the rim.
#[test]
fn a_block_of_any_stiffness_rests_where_its_weight_lets_it() {
    for dt in [1.0 / 60.0, 1.0 / 240.0] {
        for young in [1e5, 1e6, 1e7, 1e8] {
            let mut b = ModelBuilder::new();
            b.add_shape(ShapeDef::default());
            let (mu, lambda) = (young / 2.6, young * 0.3 / (1.3 * 0.4));
            let pose = Pose::translation(Vec3::z() * 0.115);
            let def = SoftDef { mu, lambda, pose, ..SoftDef::default() };
            b.add_soft("cube", &cube(4), &def);
            let mut run = Run::new(b.finalize().unwrap(), VbdConfig::default());
            run.steps((2.0 / dt) as usize, dt);
            let mass: f64 = run.model.particle_mass.iter().sum();
            let exact = mass * G / (25.0 * Material::default().ke);
            let (depth, fastest) = (run.report.penetration.depth, fastest(&mut run));
            println!("dt {dt:.4}, E {young:e}: {depth:e} m for {exact:e} m, {fastest:e} m/s");
            assert!(depth > 0.9 * exact && depth < 1.7 * exact, "dt {dt}, E {young}: {depth} for {exact}");
            assert!(fastest < 1e-3, "dt {dt}, E {young}: {fastest} m/s");
        }
    }
}

fn fastest(run: &mut Run) -> f64 {
    run.state().particle_qd.iter().map(|v| v.norm()).fold(0.0, f64::max)
}

/// A ball of 0.21 kg meets a free cloth of 0.05 kg at 2 m/s; nothing else acts.
fn ball_and_cloth() -> Model {
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
    b.add_shape(ShapeDef {
        body: Some(body),
        geometry: Geometry::Sphere { radius: 0.1 },
        ..ShapeDef::default()
    });
    b.finalize().unwrap()
}

#[test]
fn a_ball_and_a_free_cloth_keep_their_momentum() {
    for dt in [1.0 / 60.0, 1.0 / 240.0] {
        let mut run = Run::new(ball_and_cloth(), VbdConfig::default());
        let (before, mut lost) = (run.momentum(), 0.0_f64);
        for _ in 0..(0.3 / dt) as usize {
            run.step(dt);
            lost = lost.max((run.momentum() - before).norm() / before.norm());
        }
        println!("dt {dt:.4}: {lost:e}");
        assert!(run.state().particle_qd[84].z < -0.5, "nothing touched");
        assert!(lost < 1e-6, "dt {dt}: {lost:e} lost");
    }
}

/// Three cubes of 4 kg that fall on each other and on a floor.
fn stack() -> Model {
    let mut b = ModelBuilder::new();
    b.set_material(MaterialId(0), Material { ke: 1e4, kd: 5.0, ..Material::default() });
    b.add_shape(ShapeDef::default());
    for i in 0..3 {
        let turn = coact_math::exp_so3(&(Vec3::z() * (0.2 * f64::from(i))));
        let pose = Pose::new(Vec3::new(0.003 * f64::from(i), 0.0, 0.12 + 0.225 * f64::from(i)), turn);
        let def = SoftDef { density: 500.0, mu: 4e4, lambda: 6e4, radius: 0.005, pose, ..SoftDef::default() };
        b.add_soft(format!("cube {i}"), &cube(3), &def);
    }
    b.finalize().unwrap()
}

fn with_pairs() -> VbdConfig {
    VbdConfig {
        self_contact: Some(SelfContactConfig { margin: 0.01, ..Default::default() }),
        ..VbdConfig::default()
    }
}

#[test]
fn a_stack_of_blocks_gains_no_energy() {
    let (mut run, dt) = (Run::new(stack(), with_pairs()), 1.0 / 120.0);
    let first = energy(&mut run).1;
    let (mut kinetic, mut above) = (0.0_f64, 0.0_f64);
    for _ in 0..(1.0 / dt) as usize {
        run.step(dt);
        let (k, now) = energy(&mut run);
        (kinetic, above) = (kinetic.max(k), above.max(now - first));
    }
    println!("{above:e} J above the start, of {kinetic} J");
    assert!(kinetic > 1.0 && above < 1e-3 * kinetic, "{above:e} J of {kinetic} J");
    assert!(run.report.penetration.depth < 0.01, "{}", run.report.penetration.depth);
}

#[test]
fn results_do_not_depend_on_threads() {
    for model in [on_a_ball(), attached(f64::INFINITY), stack(), ball_and_cloth()] {
        let end = |threads| {
            let config = VbdConfig { threads: Some(threads), parallel_threshold: 8, ..with_pairs() };
            let mut run = Run::new(model.clone(), config);
            run.steps(30, 1.0 / 120.0);
            bits(&run.state())
        };
        assert_eq!(end(1), end(3));
    }
}

#[test]
fn a_restored_solver_repeats_its_steps_to_the_bit() {
    for model in [on_a_ball(), attached(f64::INFINITY), ball_and_cloth()] {
        let (mut run, dt) = (Run::new(model, VbdConfig::default()), 1.0 / 120.0);
        run.steps(25, dt);
        let mut snapshot = Snapshot::default();
        run.solver.save_into(&mut snapshot);
        let mut ends = Vec::new();
        for _ in 0..2 {
            run.solver.restore(&snapshot);
            run.steps(5, dt);
            ends.push(bits(&run.state()));
        }
        assert_eq!(ends[0], ends[1]);
    }
}

/// A block that nothing touches any more goes on as one that never touched anything.
#[test]
fn what_leaves_a_floor_keeps_its_momentum() {
    let mut b = ModelBuilder::new();
    b.gravity = Vec3::zeros();
    b.add_shape(ShapeDef::default());
    add_block(&mut b, 3, 0.05);
    let mut run = Run::new(b.finalize().unwrap(), VbdConfig::default());
    let mut start = run.state();
    for (x, v) in start.particle_q.iter_mut().zip(&mut start.particle_qd) {
        x.z += 0.2;
        *v = Vec3::new(0.5, 0.0, -2.0);
    }
    run.solver.load(&start);
    run.steps(120, 1.0 / 120.0);
    assert!(run.momentum().z > 0.0, "it did not bounce");
    let before = run.momentum();
    run.steps(30, 1.0 / 120.0);
    let lost = (run.momentum() - before).norm() / before.norm();
    assert!(lost < 1e-5, "{lost:e}");
}

/// Cubes on a free plate, more than one dense system takes: each moves as a whole, in balance with all.
#[test]
fn a_crowd_on_a_free_plate_keeps_its_momentum() {
    let mut b = ModelBuilder::new();
    b.gravity = Vec3::zeros();
    let half = Vec3::new(0.5, 0.5, 0.02);
    let inertia = Mat3::from_diagonal(&Vec3::new(0.17, 0.17, 0.34));
    let mass = BodyMass::Given { mass: 2.0, com: Vec3::zeros(), inertia };
    let plate = b.add_body(BodyDef { mass, ..BodyDef::default() });
    let geometry = Geometry::Box { half_extents: half };
    b.add_shape(ShapeDef { body: Some(plate), geometry, density: 0.0, ..ShapeDef::default() });
    let mesh = tet_box([1; 3], Vec3::repeat(0.1), CellSplit::default());
    for (i, j) in (0..25).map(|k| (k % 5, k / 5)) {
        let pose = Pose::translation(Vec3::new(0.18 * i as f64 - 0.41, 0.18 * j as f64 - 0.41, 0.06));
        b.add_soft(format!("cube {i} {j}"), &mesh, &SoftDef { pose, density: 100.0, ..SoftDef::default() });
    }
    let mut run = Run::new(b.finalize().unwrap(), VbdConfig::default());
    let mut start = run.state();
    start.particle_qd.fill(Vec3::new(0.3, 0.0, -1.0));
    run.solver.load(&start);
    let before = run.momentum();
    run.steps(60, 1.0 / 60.0);
    assert!(run.state().body_qd[0].lin.z < -0.1, "they did not meet");
    let lost = (run.momentum() - before).norm() / before.norm();
    assert!(lost < 1e-6, "{lost:e}");
}

/// A capsule that lies on a floor, free to roll, with a cloth that falls onto it.
fn on_a_loose_capsule(mass: f64) -> Model {
    let mut b = ModelBuilder::new();
    let mesh = cloth_grid([12, 12], [0.5, 0.5], Diagonal::Alternating);
    let pose = Pose::translation(Vec3::new(-0.237, -0.243, 0.225));
    b.add_cloth("cloth", &mesh, &ClothDef { pose, ..ClothDef::default() });
    b.add_shape(ShapeDef { geometry: Geometry::Plane, ..ShapeDef::default() });
    let geometry = Geometry::Capsule { radius: 0.1, half_height: 0.1 };
    let volume = std::f64::consts::PI * (0.01 * 0.2 + 4.0 / 3.0 * 1e-3);
    let lying =
        Pose::new(Vec3::z() * 0.1, Quat::from_axis_angle(&Vec3::y_axis(), std::f64::consts::FRAC_PI_2));
    let body = b.add_body(BodyDef { pose: lying, ..BodyDef::default() });
    b.add_shape(ShapeDef { body: Some(body), geometry, density: mass / volume, ..ShapeDef::default() });
    b.finalize().unwrap()
}

/// A search over ways along which a buckled cloth curves downwards found no end where contacts opened: the
/// cloth was thrown at a kilometre per second.
#[test]
fn cloth_on_a_loose_body_is_not_thrown() {
    for mass in [0.05, 0.3, 1.0] {
        for iterations in [10, 20, 40] {
            let config = VbdConfig { iterations, ..VbdConfig::default() };
            let mut run = Run::new(on_a_loose_capsule(mass), config);
            for step in 0..90 {
                run.step(1.0 / 60.0);
                let (kinetic, _) = energy(&mut run);
                assert!(kinetic < 0.5, "{mass} kg, {iterations} sweeps, step {step}: {kinetic} J");
            }
        }
    }
}

/// A body of a gram at a corner of a cloth of eight.
#[test]
fn a_light_body_that_hangs_on_cloth_is_not_thrown() {
    for ke in [1e4, f64::INFINITY] {
        let mut b = ModelBuilder::new();
        let mesh = cloth_grid([8, 8], [0.2, 0.2], Diagonal::Alternating);
        b.add_cloth("cloth", &mesh, &ClothDef { density: 0.2, ..ClothDef::default() });
        let (mass, inertia) = (1e-3, Mat3::identity() * 1e-7);
        let mass = BodyMass::Given { mass, com: Vec3::zeros(), inertia };
        let body = b.add_body(BodyDef { mass, ..BodyDef::default() });
        for (p, point) in mesh.vertices.iter().enumerate().filter(|(_, x)| x.norm() < 0.04) {
            b.add_attachment(AttachmentDef { ke, ..AttachmentDef::hard(ParticleId::new(p), body, *point) });
        }
        b.gravity = Vec3::zeros();
        let mut run = Run::new(b.finalize().unwrap(), VbdConfig::default());
        let mut state = run.state();
        state.particle_qd.iter_mut().enumerate().for_each(|(i, v)| v.z = (i as f64).sin() * 0.5);
        run.solver.load(&state);
        let begin = energy(&mut run).1;
        for step in 0..90 {
            run.step(1.0 / 60.0);
            let (_, now) = energy(&mut run);
            assert!(now < 4.0 * begin, "{ke}, step {step}: {now} J of {begin} J");
        }
    }
}
