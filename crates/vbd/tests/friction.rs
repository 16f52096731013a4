//! Friction that holds: nothing creeps inside its cone, and what slides feels Coulomb's force.
//! With anchored friction, all else at the default settings of the solver.

mod support;

use coact_math::{Mat3, Pose, Spatial, Vec3, exp_so3};
use coact_model::mesh::{CellSplit, tet_box};
use coact_model::{
    BodyDef, BodyId, BodyMass, ClothDef, EntityId, Geometry, Material, MaterialId, Model, ModelBuilder,
    ParticleId, ShapeDef, SoftDef,
};
use coact_solver::{CouplingInterface, Endpoint, EndpointState, Snapshot, Solver};
use coact_vbd::{FrictionLaw, Precision, VbdConfig};
use support::scenes::{Run, bits, grid};

const G: f64 = 9.81;
const STEPS: [f64; 3] = [1.0 / 60.0, 1.0 / 120.0, 1.0 / 240.0];

fn seconds(count: f64, dt: f64) -> usize {
    (count / dt).round() as usize
}

fn set_friction(b: &mut ModelBuilder, mu: f64) {
    b.set_material(MaterialId(0), Material { mu, ..Material::default() });
}

/// A sheet of `n` × `n` vertices, 0.1 m wide, 10 g.
fn sheet(b: &mut ModelBuilder, n: usize, bend_ke: f64, pose: Pose, velocity: Vec3) {
    let def = ClothDef { density: 1.0, bend_ke, pose, velocity, ..ClothDef::default() };
    b.add_cloth("patch", &grid(n, 0.1 / (n - 1) as f64), &def);
}

/// A sheet of 10 × 10 vertices lying on a plane inclined by `angle` \[rad\] about y, moving
/// down the slope at `speed`.
fn patch_on_slope(angle: f64, mu: f64, speed: f64) -> Model {
    let mut b = ModelBuilder::new();
    set_friction(&mut b, mu);
    let turn = exp_so3(&Vec3::new(0.0, angle, 0.0));
    let pose = Pose::new(Vec3::zeros(), turn);
    b.add_shape(ShapeDef { geometry: Geometry::Plane, pose, ..ShapeDef::default() });
    let lying = Pose::new(turn * Vec3::z() * ClothDef::default().radius, turn);
    sheet(&mut b, 10, 1e-4, lying, turn * Vec3::x() * speed);
    b.finalize().unwrap()
}

/// Mean velocity of all particles.
fn velocity(run: &mut Run) -> Vec3 {
    run.momentum() / run.model.particle_mass.iter().sum::<f64>()
}

fn positions(run: &mut Run) -> Vec<Vec3> {
    run.state().particle_q
}

/// Largest distance between two sets of positions.
fn farthest(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}

/// Friction that holds.
fn held() -> VbdConfig {
    VbdConfig { friction: FrictionLaw::Anchored, ..VbdConfig::default() }
}

/// Creep over the last second of five \[m/s\].
fn creep_on_slope(dt: f64, config: VbdConfig) -> f64 {
    let mut run = Run::new(patch_on_slope(15_f64.to_radians(), 0.5, 0.0), config);
    run.steps(seconds(4.0, dt), dt);
    let before = positions(&mut run);
    run.steps(seconds(1.0, dt), dt);
    farthest(&before, &positions(&mut run))
}

#[test]
fn a_patch_inside_its_cone_does_not_creep() {
    for dt in STEPS {
        for precision in [Precision::Double, Precision::Mixed] {
            let creep = creep_on_slope(dt, VbdConfig { precision, ..held() });
            println!("dt 1/{:.0}, {precision:?}: {creep:e} m/s", 1.0 / dt);
            assert!(creep < 1e-6, "dt {dt}, {precision:?}: {creep:e} m/s");
        }
    }
    let smoothed = VbdConfig { friction: FrictionLaw::Smoothed, ..held() };
    let smoothed = creep_on_slope(STEPS[1], smoothed);
    println!("smoothed: {smoothed:e} m/s");
    assert!(smoothed > 5e-5, "the patch has a reason to creep: {smoothed:e}");
}

#[test]
fn a_patch_beyond_its_cone_slides_with_the_coulomb_acceleration() {
    let angle = 15_f64.to_radians();
    let exact = G * (angle.sin() - 0.25 * angle.cos());
    for dt in STEPS {
        for precision in [Precision::Double, Precision::Mixed] {
            let config = VbdConfig { precision, ..held() };
            let mut run = Run::new(patch_on_slope(angle, 0.25, 0.0), config);
            run.steps(seconds(0.5, dt), dt);
            let early = velocity(&mut run).norm();
            run.steps(seconds(0.5, dt), dt);
            let a = (velocity(&mut run).norm() - early) / 0.5;
            println!("dt 1/{:.0}, {precision:?}: {:.5} of Coulomb", 1.0 / dt, a / exact);
            assert!((a / exact - 1.0).abs() < 0.02, "dt {dt}, {precision:?}: {a} for {exact}");
        }
    }
}

/// A cube 0.1 m wide that lies on a slope of 15°.
fn block_on_slope(mass: f64, young: f64, mu: f64) -> Model {
    let turn = exp_so3(&Vec3::new(0.0, 15_f64.to_radians(), 0.0));
    let mut b = ModelBuilder::new();
    set_friction(&mut b, mu);
    let pose = Pose::new(Vec3::zeros(), turn);
    b.add_shape(ShapeDef { geometry: Geometry::Plane, pose, ..ShapeDef::default() });
    let mut mesh = tet_box([3; 3], Vec3::repeat(0.1), CellSplit::default());
    mesh.vertices.iter_mut().for_each(|x| *x -= Vec3::new(0.05, 0.05, 0.0));
    let (shear, lambda) = (young / 2.6, young * 0.3 / (1.3 * 0.4));
    let pose = Pose::new(turn * Vec3::z() * 0.005, turn);
    let def = SoftDef { density: mass / 1e-3, mu: shear, lambda, radius: 0.005, pose, ..SoftDef::default() };
    b.add_soft("cube", &mesh, &def);
    b.finalize().unwrap()
}

/// Light blocks slid with 0.2 to 4 times it: friction acted with what pressed a sweep before.
#[test]
fn soft_blocks_of_any_mass_slide_with_the_coulomb_acceleration_and_hold() {
    let angle = 15_f64.to_radians();
    let exact = G * (angle.sin() - 0.2 * angle.cos());
    for (mass, young) in [(0.1, 1e5), (0.1, 1e6), (0.02, 1e6), (1.0, 1e6)] {
        for dt in [1.0 / 60.0, 1.0 / 240.0] {
            let mut run = Run::new(block_on_slope(mass, young, 0.2), VbdConfig::default());
            run.steps(seconds(0.4, dt), dt);
            let early = velocity(&mut run).norm();
            run.steps(seconds(0.4, dt), dt);
            let ratio = (velocity(&mut run).norm() - early) / (0.4 * exact);
            println!("{mass} kg, {young:e} Pa, dt 1/{:.0}: {ratio:.5} of Coulomb", 1.0 / dt);
            assert!((ratio - 1.0).abs() < 0.02, "{mass} kg, {young} Pa, dt {dt}: {ratio} of Coulomb");
            let mut run = Run::new(block_on_slope(mass, young, 0.5), VbdConfig::default());
            run.steps(seconds(0.8, dt), dt);
            let before = positions(&mut run);
            run.steps(seconds(0.4, dt), dt);
            let creep = farthest(&before, &positions(&mut run)) / 0.4;
            println!("{mass} kg, {young:e} Pa, dt 1/{:.0}: creeps at {creep:e} m/s", 1.0 / dt);
            assert!(creep < 1e-6, "{mass} kg, {young} Pa, dt {dt}: creeps at {creep} m/s");
        }
    }
}

/// The sheet speeds up by mu g, then lies still on a belt that runs.
#[test]
fn a_patch_on_a_conveyor_speeds_up_by_friction_to_the_speed_of_the_belt() {
    for dt in STEPS {
        for precision in [Precision::Double, Precision::Mixed] {
            let mut model = patch_on_slope(0.0, 0.5, 0.0);
            model.shape_surface_velocity.make_mut()[0] = Vec3::x();
            let mut run = Run::new(model, VbdConfig { precision, ..held() });
            run.steps(seconds(0.1, dt), dt);
            let ratio = velocity(&mut run).x / (0.05 * G);
            println!("dt 1/{:.0}, {precision:?}: {ratio:.5} of Coulomb", 1.0 / dt);
            assert!((ratio - 1.0).abs() < 0.02, "dt {dt}, {precision:?}: {ratio}");
            run.steps(seconds(2.4, dt), dt);
            let off = run.state().particle_qd.iter().map(|v| (v - Vec3::x()).norm()).fold(0.0, f64::max);
            println!("dt 1/{:.0}, {precision:?}: {off:e} m/s off the belt", 1.0 / dt);
            assert!(off < 1e-6, "dt {dt}, {precision:?}: {off:e} m/s off the belt");
        }
    }
}

/// The velocity of every step falls by mu g h, so the way is v²/(2 mu g) − v h/2.
#[test]
fn a_sliding_patch_stops_where_coulomb_stops_it_and_stays() {
    for dt in STEPS {
        let mut run = Run::new(patch_on_slope(0.0, 0.5, 1.0), held());
        let start = positions(&mut run);
        run.steps(seconds(1.0, dt), dt);
        let (way, exact) = (farthest(&start, &positions(&mut run)), 1.0 / (2.0 * 0.5 * G) - 0.5 * dt);
        let speed = velocity(&mut run).norm();
        println!("dt 1/{:.0}: {way:.5} m for {exact:.5} m, then {speed:e} m/s", 1.0 / dt);
        assert!((way / exact - 1.0).abs() < 0.03 && speed < 1e-6, "dt {dt}: {way} for {exact}, {speed:e}");
    }
}

#[test]
fn without_friction_no_damping_slows_what_slides() {
    for kd in [0.0, 10.0, 100.0] {
        let mut model = patch_on_slope(0.0, 0.0, 1.0);
        model.materials.make_mut()[0].kd = kd;
        let mut run = Run::new(model, held());
        run.steps(seconds(2.0, STEPS[1]), STEPS[1]);
        let v = velocity(&mut run);
        assert!((v.x - 1.0).abs() < 1e-3, "kd {kd}: {v:?}");
    }
}

/// A patch on a disc that turns at w, w² r = 0.55 mu g, beside the axis: it stays where it is on it.
#[test]
fn a_patch_on_a_turntable_does_not_creep() {
    for dt in [STEPS[0], STEPS[2]] {
        let (mut b, w, r) = (ModelBuilder::new(), 3.0, 0.3);
        set_friction(&mut b, 0.5);
        let velocity = Spatial::new(Vec3::zeros(), Vec3::z() * w);
        let mass = BodyMass::Given { mass: 1.0, com: Vec3::zeros(), inertia: Mat3::identity() };
        let disc = b.add_body(BodyDef { kinematic: true, velocity, mass, ..BodyDef::default() });
        let geometry = Geometry::Cylinder { radius: 1.0, half_height: 0.1 };
        let pose = Pose::translation(Vec3::z() * -0.1);
        b.add_shape(ShapeDef { body: Some(disc), geometry, pose, ..ShapeDef::default() });
        let at = Pose::translation(Vec3::new(r, 0.0, ClothDef::default().radius));
        sheet(&mut b, 4, 1e3, at, Vec3::y() * (w * r));
        let mut run = Run::new(b.finalize().unwrap(), held());
        run.steps(seconds(1.0, dt), dt);
        let radii = |run: &mut Run| positions(run).iter().map(|x| x.xy().norm()).collect::<Vec<_>>();
        let begin = radii(&mut run);
        run.steps(seconds(3.0, dt), dt);
        let crept = begin.iter().zip(radii(&mut run)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(crept < 1e-6, "dt {dt}: {crept} m");
    }
}

/// A kinematic box, its faces normal to x, moving with `velocity`.
fn add_pad(b: &mut ModelBuilder, x: f64, z: f64, velocity: Vec3) -> BodyId {
    let body = b.add_body(BodyDef {
        pose: Pose::translation(Vec3::new(x, 0.0, z)),
        velocity: Spatial::new(velocity, Vec3::zeros()),
        kinematic: true,
        mass: BodyMass::Given { mass: 1.0, com: Vec3::zeros(), inertia: Mat3::identity() },
        ..BodyDef::default()
    });
    let half_extents = Vec3::new(0.01, 0.06, 0.01);
    b.add_shape(ShapeDef {
        body: Some(body),
        geometry: Geometry::Box { half_extents },
        ..ShapeDef::default()
    });
    body
}

/// A strip of 5 × 5 vertices, its upper row between two pads that press with 5 N each and
/// move with `velocity`.
fn pinched_strip(velocity: Vec3) -> Model {
    let mut b = ModelBuilder::new();
    set_friction(&mut b, 1.0);
    let upright = exp_so3(&Vec3::new(0.0, std::f64::consts::FRAC_PI_2, 0.0));
    sheet(&mut b, 5, ClothDef::default().bend_ke, Pose::new(Vec3::zeros(), upright), velocity);
    let pen = 5.0 / (5.0 * Material::default().ke);
    let x = ClothDef::default().radius - pen + 0.01;
    add_pad(&mut b, x, 0.05, velocity);
    add_pad(&mut b, -x, 0.05, velocity);
    b.finalize().unwrap()
}

#[test]
fn a_pinched_strip_is_held() {
    for dt in STEPS {
        for precision in [Precision::Double, Precision::Mixed] {
            let mut run = Run::new(pinched_strip(Vec3::zeros()), VbdConfig { precision, ..held() });
            let held = |run: &mut Run| -> Vec<Vec3> {
                positions(run)
                    .into_iter()
                    .zip(run.model.particle_q.iter())
                    .filter(|(_, q)| q.z > 0.04)
                    .map(|(x, _)| x)
                    .collect()
            };
            let start = held(&mut run);
            assert_eq!(start.len(), 5);
            run.steps(seconds(5.0, dt), dt);
            let slip = farthest(&start, &held(&mut run));
            println!("dt 1/{:.0}, {precision:?}: {slip:e} m", 1.0 / dt);
            assert!(slip < 1e-4, "dt {dt}, {precision:?}: {slip:e} m");
        }
    }
}

#[test]
fn a_rewind_brings_anchors_and_multipliers_back_to_the_bit() {
    let (mut run, dt) = (Run::new(pinched_strip(Vec3::zeros()), held()), STEPS[1]);
    run.steps(5, dt);
    let mut snapshot = Snapshot::new();
    run.solver.save_into(&mut snapshot);
    run.steps(4, dt);
    let first = bits(&run.state());
    run.steps(3, dt);
    run.solver.restore(&snapshot);
    run.steps(4, dt);
    assert_eq!(first, bits(&run.state()));
}

/// Pads that are put elsewhere between two steps have no velocity: they pull nothing along.
#[test]
fn a_pad_that_is_put_elsewhere_pulls_nothing_along() {
    let (mut run, dt) = (Run::new(pinched_strip(Vec3::zeros()), held()), STEPS[1]);
    run.steps(60, dt);
    let set = [0, 1].map(|b| Endpoint::Body(BodyId(b)));
    let mut pads = [EndpointState::default(); 2];
    run.solver.read_interface(&set, &mut pads);
    pads.iter_mut().for_each(|p| p.pose.p.y += 0.03);
    run.solver.write_interface(&set, &pads);
    run.steps(2, dt);
    let sideways = run.state().particle_qd.iter().map(|v| v.y.abs()).fold(0.0, f64::max);
    assert!(sideways < 0.1, "{sideways}: a fake pad velocity would be {}", 0.03 / dt);
}

/// As a patch that has just been put there: its anchors stay where they were.
#[test]
fn a_patch_that_was_put_elsewhere_begins_anew() {
    let config = || VbdConfig { precision: Precision::Double, ..held() };
    let model = patch_on_slope(15_f64.to_radians(), 0.5, 0.0);
    let shift = |q: &Vec3| q + Vec3::y() * 0.002; // within the radius: a pair would be known again
    let (mut run, dt) = (Run::new(model.clone(), config()), STEPS[1]);
    run.steps(120, dt);
    let mut state = run.state();
    (state.particle_q, state.particle_qd) = (model.particle_q.iter().map(shift).collect(), Vec::new());
    state.particle_qd.resize(model.particle_count(), Vec3::zeros());
    let all: Vec<_> = (0..model.particle_count()).map(|i| EntityId::Particle(ParticleId::new(i))).collect();
    run.solver.reset(&state, &all);
    let mut fresh = Run::new(model, config());
    fresh.solver.load(&state);
    run.steps(10, dt);
    fresh.steps(10, dt);
    assert_eq!(bits(&run.state()), bits(&fresh.state()));
}
