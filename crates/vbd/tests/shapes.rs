//! A particle against each shape, at default settings: it rests, is carried and bounces as
//! the law of the contact says.

mod support;

use std::sync::Arc;

use coact_collide::ShapeDistance;
use coact_math::{Pose, Spatial, Vec3, exp_so3};
use coact_model::{
    BodyDef, BodyMass, Geometry, Material, MaterialId, Model, ModelBuilder, ShapeDef, TriMesh, mesh,
};
use coact_vbd::VbdConfig;
use support::scenes::{Run, add_particle};

const DT: f64 = 1.0 / 600.0;
const MASS: f64 = 0.01;
const RADIUS: f64 = 0.01;
const KE: f64 = 1e3;

/// Each shape with the pose that puts its top at the origin.
fn shapes() -> Vec<(Geometry, Pose)> {
    let down = |z: f64| Pose::translation(Vec3::new(0.0, 0.0, -z));
    let block = |resolution| Geometry::Box { half_extents: Vec3::repeat(0.4) }.surface_mesh(resolution);
    let points = TriMesh { triangles: Vec::new(), ..block(1) };
    let mut sheet = mesh::cloth_grid([7, 5], [1.0, 0.8], mesh::Diagonal::Alternating);
    sheet.vertices.iter_mut().for_each(|v| *v -= Vec3::new(0.5, 0.4, 0.0));
    // the cone stands on its tip, its base up
    let turned = Pose::new(Vec3::new(0.0, 0.0, -0.3), exp_so3(&Vec3::new(std::f64::consts::PI, 0.0, 0.0)));
    vec![
        (Geometry::Plane, down(0.0)),
        (Geometry::Sphere { radius: 0.5 }, down(0.5)),
        (Geometry::Box { half_extents: Vec3::repeat(0.3) }, down(0.3)),
        (Geometry::Capsule { radius: 0.5, half_height: 0.1 }, down(0.6)),
        (Geometry::Cylinder { radius: 0.5, half_height: 0.2 }, down(0.2)),
        (Geometry::Cone { radius: 0.5, half_height: 0.3 }, turned),
        (Geometry::Ellipsoid { radii: Vec3::new(0.8, 0.6, 0.2) }, down(0.2)),
        (Geometry::ConvexHull(Arc::new(points)), down(0.4)),
        (Geometry::Mesh(Arc::new(block(8))), down(0.4)),
        (Geometry::Mesh(Arc::new(sheet)), down(0.0)),
    ]
}

fn builder(mu: f64) -> ModelBuilder {
    let mut b = ModelBuilder::new();
    b.set_material(MaterialId(0), Material { ke: KE, kd: 1.0, mu, ..Material::default() });
    b
}

/// Depth of particle 0 in shape 0, by the distance of the shape where it is now.
fn depth(run: &mut Run) -> f64 {
    let (state, m) = (run.state(), &run.model);
    let body = m.shape_body[0].map_or(Pose::identity(), |b| state.body_q[b.index()]);
    let frame = body * m.shape_x[0];
    let distance = ShapeDistance::of(&m.shape_geometry[0], std::iter::empty()).unwrap();
    let at = distance.eval(&frame.inverse().point(&state.particle_q[0]), f64::INFINITY).unwrap();
    RADIUS - at.distance
}

fn expect_depth(run: &mut Run, what: &str) {
    let (found, law) = (depth(run), MASS * 9.81 / KE);
    assert!((found / law - 1.0).abs() < 1e-3, "{what}: {found} is not m g / k = {law}");
}

#[test]
fn a_particle_that_falls_on_a_static_shape_rests_m_g_over_k_deep() {
    for (geometry, pose) in shapes() {
        let (mut b, kind) = (builder(0.5), geometry.kind());
        b.add_shape(ShapeDef { geometry, pose, density: 0.0, ..ShapeDef::default() });
        add_particle(&mut b, Vec3::new(0.0, 0.0, RADIUS + 0.02), Vec3::zeros(), MASS, RADIUS);
        let mut run = Run::new(b.finalize().unwrap(), VbdConfig::default());
        run.steps(900, DT);
        expect_depth(&mut run, kind);
        let speed = run.state().particle_qd[0].norm();
        assert!(speed < 1e-6, "{kind}: it still moves at {speed} m/s");
    }
}

#[test]
fn a_kinematic_shape_carries_the_particle_on_it() {
    let velocity = Spatial::new(Vec3::new(0.1, 0.05, 0.02), Vec3::zeros());
    for (geometry, pose) in shapes() {
        let (mut b, kind) = (builder(0.8), geometry.kind());
        let body = Some(b.add_body(BodyDef { kinematic: true, velocity, ..BodyDef::default() }));
        b.add_shape(ShapeDef { geometry, pose, body, density: 0.0, ..ShapeDef::default() });
        add_particle(&mut b, Vec3::new(0.0, 0.0, RADIUS), Vec3::zeros(), MASS, RADIUS);
        let mut run = Run::new(b.finalize().unwrap(), VbdConfig::default());
        run.steps(400, DT);
        let slip = run.state().particle_qd[0] - velocity.lin;
        assert!(slip.norm() < 2e-3, "{kind}: it slips at {slip}");
        expect_depth(&mut run, kind);
    }
}

/// A free body of 0.1 kg that carries the shape, hit by the particle at 2 m/s beside its top.
fn thrown(geometry: Geometry, pose: Pose) -> Model {
    let mut b = builder(0.3);
    b.gravity = Vec3::zeros();
    let mass = BodyMass::Given {
        mass: 0.1,
        com: Vec3::new(0.0, 0.0, -0.2),
        inertia: coact_math::Mat3::identity() * 4e-3,
    };
    let body = Some(b.add_body(BodyDef { mass, ..BodyDef::default() }));
    b.add_shape(ShapeDef { geometry, pose, body, density: 0.0, ..ShapeDef::default() });
    let (x, v) = (Vec3::new(0.04, 0.03, RADIUS + 0.03), Vec3::new(0.3, 0.0, -2.0));
    add_particle(&mut b, x, v, MASS, RADIUS);
    b.finalize().unwrap()
}

#[test]
fn a_dynamic_shape_takes_the_momentum_that_the_particle_gives() {
    for (geometry, pose) in shapes() {
        let kind = geometry.kind();
        // momentum is as good as the balance between the blocks: solve it well
        let config = VbdConfig { iterations: 200, ..VbdConfig::default() };
        let mut run = Run::new(thrown(geometry, pose), config);
        let (before, mut deepest, mut lost) = (run.momentum(), 0.0_f64, 0.0_f64);
        for _ in 0..60 {
            run.step(DT);
            deepest = deepest.max(depth(&mut run));
            lost = lost.max((run.momentum() - before).norm());
        }
        assert!(deepest > 1e-4, "{kind}: never touched");
        // all of the energy in the spring: v √(m/k), less what damping takes
        assert!(deepest < 2.0 * (MASS / KE).sqrt(), "{kind}: {deepest} m deep");
        assert!(lost < 1e-6 * before.norm(), "{kind}: {lost} N·s lost");
        let rest = run.state();
        assert!(rest.body_qd[0].lin.z < -0.02, "{kind}: the body moves on: {:?}", rest.body_qd[0]);
        assert!(depth(&mut run) < 1e-3, "{kind}: it went through");
    }
}

/// At 30 m/s a step covers five radii; the surface is only known to be there if detection
/// looks as far as the particle moves.
#[test]
fn a_fast_particle_does_not_pass_a_thin_sheet_or_a_flat_ellipsoid() {
    let sheet = shapes().pop().unwrap();
    let lens =
        (Geometry::Ellipsoid { radii: Vec3::new(0.8, 0.6, 1e-3) }, Pose::translation(Vec3::z() * -1e-3));
    for (geometry, pose) in [sheet, lens] {
        let (mut b, kind) = (builder(0.5), geometry.kind());
        b.set_material(MaterialId(0), Material { ke: 1e6, kd: 0.0, mu: 0.5, ..Material::default() });
        b.add_shape(ShapeDef { geometry, pose, density: 0.0, ..ShapeDef::default() });
        add_particle(&mut b, Vec3::new(0.01, 0.0, 0.3), Vec3::new(0.0, 0.0, -30.0), MASS, RADIUS);
        let mut run = Run::new(b.finalize().unwrap(), VbdConfig::default());
        for k in 0..60 {
            run.step(DT);
            let z = run.state().particle_q[0].z;
            assert!(z > 0.0, "{kind}, step {k}: it is at {z}");
        }
    }
}

/// A puck that slides over a triangulated floor feels no seams: its height stays.
#[test]
fn a_particle_that_slides_on_a_triangulated_floor_keeps_its_height() {
    let mut b = builder(0.0);
    let mut floor = mesh::cloth_grid([60, 7], [6.0, 0.7], mesh::Diagonal::Alternating);
    floor.vertices.iter_mut().for_each(|v| *v -= Vec3::new(0.5, 0.33, 0.0));
    let geometry = Geometry::Mesh(Arc::new(floor));
    b.add_shape(ShapeDef { geometry, density: 0.0, ..ShapeDef::default() });
    let rest = RADIUS - MASS * 9.81 / KE;
    add_particle(&mut b, Vec3::new(0.0, 0.0, rest), Vec3::new(5.0, 0.1, 0.0), MASS, RADIUS);
    let mut run = Run::new(b.finalize().unwrap(), VbdConfig::default());
    for k in 0..600 {
        run.step(DT);
        let s = run.state();
        let (z, v) = (s.particle_q[0].z, s.particle_qd[0]);
        assert!((z - rest).abs() < 1e-9 && v.z.abs() < 1e-6, "step {k}: height {z}, velocity {v}");
        assert!((v.x - 5.0).abs() < 1e-6, "step {k}: {v}");
    }
}
