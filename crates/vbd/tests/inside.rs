//! Particles that begin inside a shape come out of it at `depenetration_speed`, and are not shot out.

mod support;

use coact_math::{Pose, Spatial, Vec3};
use coact_model::{BodyDef, Geometry, Material, MaterialId, Model, ModelBuilder, ShapeDef};
use coact_vbd::VbdConfig;
use support::scenes::{Run, add_block, add_cloth, add_particle};

/// Default speed of coming out \[m/s\].
const OUT: f64 = 1.0;

fn fastest(run: &mut Run) -> f64 {
    run.state().particle_qd.iter().map(|v| v.norm()).fold(0.0, f64::max)
}

/// The largest speed of any particle in `time` \[m/s\].
fn fastest_in(run: &mut Run, time: f64, dt: f64) -> f64 {
    let mut most = 0.0_f64;
    for _ in 0..(time / dt).round() as usize {
        run.step(dt);
        most = most.max(fastest(run));
    }
    most
}

fn without_gravity(ke: f64) -> ModelBuilder {
    let mut b = ModelBuilder::new();
    b.gravity = Vec3::zeros();
    b.set_material(MaterialId(0), Material { ke, kd: 1.0, mu: 0.5, ..Material::default() });
    b
}

/// A ball of 0.2 m about the origin, with one particle inside at `x`.
fn inside(ke: f64, x: Vec3) -> Model {
    let mut b = without_gravity(ke);
    b.add_shape(ShapeDef { geometry: Geometry::Sphere { radius: 0.2 }, ..ShapeDef::default() });
    add_particle(&mut b, x, Vec3::zeros(), 0.01, 0.01);
    b.finalize().unwrap()
}

#[test]
fn a_particle_inside_a_ball_comes_out_of_any_depth_at_that_speed() {
    for dt in [1.0 / 60.0, 1.0 / 240.0, 1.0 / 1000.0] {
        for ke in [1e3, 1e5, 1e7] {
            for x in [Vec3::new(0.0, 0.0, 0.19), Vec3::new(0.05, 0.0, 0.02), Vec3::zeros()] {
                let mut run = Run::new(inside(ke, x), VbdConfig::default());
                let most = fastest_in(&mut run, 0.5, dt);
                assert!(most < 2.0 * OUT, "{most} m/s at {dt} s, {ke} N/m from {x:?}");
                let distance = run.state().particle_q[0].norm();
                assert!(
                    distance > 0.2,
                    "{distance} m from the middle after half a second at {dt} s, {ke} N/m"
                );
            }
        }
    }
}

/// The way out takes as long as the depth asks for: 0.2 m at 0.4 m/s.
#[test]
fn the_speed_is_that_of_the_settings() {
    let config = VbdConfig { depenetration_speed: 0.4, ..VbdConfig::default() };
    let mut run = Run::new(inside(1e5, Vec3::new(0.0, 0.0, 1e-3)), config);
    let steps = |run: &mut Run| {
        (1..400).find(|_| {
            run.step(1.0 / 240.0);
            run.state().particle_q[0].z > 0.209
        })
    };
    let time = steps(&mut run).expect("it never came out") as f64 / 240.0;
    assert!((time - 0.52).abs() < 0.03, "{time} s");
}

/// A body that overlaps a cloth: both move apart slowly, with the momentum they had.
#[test]
fn a_free_ball_inside_a_cloth_throws_neither() {
    let mut b = without_gravity(1e4);
    add_cloth(&mut b, 9, 0.0);
    let middle = b.particle_count() as u32 / 2;
    let pose = Pose::translation(Vec3::new(0.0, 0.0, 0.02));
    let body = b.add_body(BodyDef { pose, velocity: Spatial::zeros(), ..BodyDef::default() });
    let shape = Geometry::Sphere { radius: 0.1 };
    b.add_shape(ShapeDef { geometry: shape, body: Some(body), density: 100.0, ..ShapeDef::default() });
    let mut run = Run::new(b.finalize().unwrap(), VbdConfig::default());
    let most = fastest_in(&mut run, 1.0, 1.0 / 120.0);
    let thrown = run.state().body_qd[body.index()].lin.norm();
    assert!(most < 4.0 * OUT && thrown < 2.0 * OUT, "{most} and {thrown} m/s, {middle}");
    assert!(run.momentum().norm() < 1e-6, "momentum {:?}", run.momentum());
}

/// A soft block that begins half in the floor rises out of it and lies there.
#[test]
fn a_block_that_begins_in_the_floor_rises_and_rests() {
    let mut b = ModelBuilder::new();
    add_block(&mut b, 4, 0.05);
    b.add_shape(ShapeDef {
        geometry: Geometry::Plane,
        pose: Pose::translation(Vec3::new(0.0, 0.0, 0.1)),
        ..ShapeDef::default()
    });
    let mut run = Run::new(b.finalize().unwrap(), VbdConfig::default());
    let lowest = |run: &mut Run| run.state().particle_q.iter().map(|x| x.z).fold(f64::INFINITY, f64::min);
    let before = lowest(&mut run);
    assert!(before < 0.05, "it begins at {before} m, outside");
    let most = fastest_in(&mut run, 2.0, 1.0 / 120.0);
    assert!(most < 3.0 * OUT, "{most} m/s");
    let (after, speed) = (lowest(&mut run), fastest(&mut run));
    assert!(after > 0.095 && speed < 0.01, "lowest point {after} m, {speed} m/s");
}
