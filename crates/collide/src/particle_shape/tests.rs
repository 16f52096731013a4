//! Who is found, in which order, and at what cost of memory.

use std::sync::Arc;

use super::*;
use crate::sample::vectors;
use crate::sdf::Sdf;
use coact_math::exp_so3;
use coact_model::{BodyDef, Geometry, Model, ModelBuilder, ShapeDef, TriMesh, mesh};

#[test]
fn pairs_that_can_do_nothing_or_belong_to_the_source_are_left_out() {
    use Mobility::{Dynamic, Prescribed, Proxy, Static};
    for shape in [Static, Prescribed, Dynamic, Proxy] {
        assert!(is_pair(Dynamic, shape));
    }
    assert!(!is_pair(Prescribed, Static) && !is_pair(Prescribed, Prescribed));
    assert!(is_pair(Prescribed, Dynamic) && is_pair(Prescribed, Proxy));
    assert!(!is_pair(Proxy, Static) && !is_pair(Proxy, Proxy));
    assert!(is_pair(Proxy, Dynamic) && is_pair(Proxy, Prescribed));
}

fn target(gap: f64, motion: f64) -> Target {
    let x_local = Pose::translation(Vec3::new(0.0, 0.0, 0.5));
    let mut target = Target {
        shape: ShapeId(3),
        distance: Some(ShapeDistance::Sdf(Sdf::Sphere { radius: 0.5 })),
        body: Some(BodyId(1)),
        x_local,
        x_world: Pose::translation(Vec3::new(1.0, 0.0, 0.0)) * x_local,
        mobility: Mobility::Dynamic,
        margin: 0.02,
        gap,
        motion,
        visible: true,
        bounds: WorldBox::ALL,
    };
    target.bound();
    target
}

fn query(z: f64) -> ParticleQuery {
    at(0, Vec3::new(1.0, 0.0, z))
}

fn at(i: usize, x: Vec3) -> ParticleQuery {
    ParticleQuery { particle: ParticleId::new(i), x, radius: 0.05, motion: 0.0, mobility: Mobility::Dynamic }
}

#[test]
fn a_record_is_kept_below_gap_margin_radius_and_motion() {
    // the surface is at z = 1, so the limit is 1 + 0.01 + 0.02 + 0.05
    assert!(target(0.01, 0.0).meet(&query(1.0799)).is_some());
    assert!(target(0.01, 0.0).meet(&query(1.0801)).is_none());
    assert!(target(0.01, 0.1).meet(&query(1.1799)).is_some());
    assert!(target(0.01, 0.0).meet(&query(f64::NAN)).is_none());
}

#[test]
fn the_point_is_in_the_body_frame_and_the_normal_in_the_world() {
    let c = target(0.01, 0.0).meet(&query(1.05)).unwrap();
    assert!((c.point - Vec3::new(0.0, 0.0, 1.0)).norm() < 1e-15);
    assert_eq!(c.normal, Vec3::z());
    assert_eq!((c.shape, c.body, c.margin), (ShapeId(3), Some(BodyId(1)), 0.02));
}

fn geometries() -> Vec<Geometry> {
    let (radius, half_height) = (0.3, 0.4);
    let surface = Arc::new(mesh::sphere(0.3, 2));
    vec![
        Geometry::Plane,
        Geometry::Sphere { radius },
        Geometry::Box { half_extents: Vec3::new(0.1, 0.2, 0.3) },
        Geometry::Capsule { radius, half_height },
        Geometry::Cylinder { radius, half_height },
        Geometry::Cone { radius, half_height },
        Geometry::Ellipsoid { radii: Vec3::new(0.1, 0.3, 0.5) },
        Geometry::ConvexHull(Arc::clone(&surface)),
        Geometry::Mesh(surface),
        Geometry::Mesh(Arc::new(mesh::cloth_grid([4, 4], [0.5, 0.5], mesh::Diagonal::Alternating))),
    ]
}

/// Each geometry three times at random poses, every other one on a kinematic body.
fn crowd() -> Model {
    let (mut b, mut next) = (ModelBuilder::new(), vectors(5, 0.8));
    for (i, geometry) in geometries().into_iter().cycle().take(30).enumerate() {
        let pose = Pose::new(next(), exp_so3(&next()));
        let body = (i % 2 == 1).then(|| {
            b.add_body(BodyDef {
                kinematic: true,
                pose: Pose::new(next(), exp_so3(&next())),
                ..BodyDef::default()
            })
        });
        b.add_shape(ShapeDef { geometry, pose, body, density: 0.0, ..ShapeDef::default() });
    }
    b.finalize().unwrap()
}

fn detector(model: &Model) -> ParticleShapeDetector {
    let view = ModelView::whole(model);
    let mut detector = ParticleShapeDetector::new(&view, None).unwrap();
    detector.place(|b| view.body_q[b.index()], |_, far| 0.01 * far);
    detector
}

fn cloud(n: usize) -> Vec<ParticleQuery> {
    let mut next = vectors(9, 1.5);
    (0..n).map(|i| at(i, next())).collect()
}

#[test]
fn all_at_once_finds_what_one_by_one_does_at_any_number_of_threads() {
    let model = crowd();
    let (mut d, particles) = (detector(&model), cloud(5000));
    let mut one_by_one = Vec::new();
    particles.iter().for_each(|q| d.detect_particle(q, &mut one_by_one));
    assert!(one_by_one.len() > 5000, "{}", one_by_one.len());
    let shapes: std::collections::BTreeSet<_> = one_by_one.iter().map(|c| c.shape).collect();
    assert_eq!(shapes.len(), 30, "every shape is met");
    let query = |i: usize| Some(particles[i]);
    let mut out = Vec::new();
    d.detect_all(query, particles.len(), &mut out);
    assert_eq!(out, one_by_one);
    for threads in [1, 2, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        out.clear();
        pool.install(|| d.detect_all(query, particles.len(), &mut out));
        assert_eq!(out, one_by_one, "{threads} threads");
    }
}

/// The boxes reject nothing that the distance would keep.
#[test]
fn every_shape_is_met_wherever_its_distance_says_so() {
    let model = crowd();
    let d = detector(&model);
    for q in cloud(3000) {
        for t in &d.targets {
            let reach = t.reach() + q.radius;
            let local = t.x_world.q.inverse_transform_vector(&(q.x - t.x_world.p));
            let exact = t.distance.as_ref().unwrap().eval(&local, f64::INFINITY).unwrap().distance;
            assert_eq!(t.meet(&q).is_some(), exact < reach, "{:?} at {}: {exact} {reach}", t.shape, q.x);
        }
    }
}

#[test]
fn the_second_detection_takes_no_memory() {
    let model = crowd();
    let (mut d, particles, mut out) = (detector(&model), cloud(1000), Vec::new());
    assert!(d.detect_all(|i| Some(particles[i]), 1000, &mut out));
    out.clear();
    assert!(!d.detect_all(|i| Some(particles[i]), 1000, &mut out));
}

#[test]
fn what_is_not_a_number_meets_nothing() {
    let model = crowd();
    let mut d = detector(&model);
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    let bad = [
        at(0, Vec3::new(nan, 0.0, -9.0)),
        at(1, Vec3::new(0.0, inf, -9.0)),
        ParticleQuery { motion: nan, ..at(2, Vec3::zeros()) },
        ParticleQuery { motion: inf, ..at(3, Vec3::zeros()) },
        at(4, Vec3::new(0.0, 0.0, -9.0)),
    ];
    let mut out = Vec::new();
    d.detect_all(|i| Some(bad[i]), bad.len(), &mut out);
    assert!(!out.is_empty() && out.iter().all(|c| c.particle == ParticleId(4)), "{out:?}");
    bad[..4].iter().for_each(|q| d.detect_particle(q, &mut out));
    assert!(out.iter().all(|c| c.particle == ParticleId(4)));
    // nor do they draw in shapes that are far from the rest of their chunk
    d.place(|_| Pose::translation(Vec3::repeat(nan)), |_, _| 0.0);
    out.clear();
    cloud(200).iter().for_each(|q| d.detect_particle(q, &mut out));
    let bodiless = |c: &ParticleShapeContact| c.body.is_none();
    // a plane has no box, and its distance is then none
    assert!(out.iter().all(bodiless), "{out:?}");
}

fn tree(d: &ParticleShapeDetector, i: usize) -> Arc<crate::sdf::MeshDistance> {
    match d.targets[i].distance.as_ref() {
        Some(ShapeDistance::Surface { mesh, .. }) => Arc::clone(mesh),
        other => panic!("shape {i} has no tree: {other:?}"),
    }
}

#[test]
fn a_tree_is_built_once_per_geometry_and_kept_by_an_update() {
    let mut b = ModelBuilder::new();
    let surface = Arc::new(mesh::sphere(0.3, 1));
    let mut add = |geometry| b.add_shape(ShapeDef { geometry, ..ShapeDef::default() });
    add(Geometry::Mesh(Arc::clone(&surface)));
    add(Geometry::Mesh(Arc::clone(&surface)));
    add(Geometry::ConvexHull(surface));
    let model = b.finalize().unwrap();
    let mut view = ModelView::whole(&model);
    let mut d = ParticleShapeDetector::new(&view, None).unwrap();
    let first = tree(&d, 0);
    assert!(Arc::ptr_eq(&first, &tree(&d, 1)), "two shapes of one mesh share its tree");
    assert!(!Arc::ptr_eq(&first, &tree(&d, 2)), "its hull is another surface");
    d.update(&view);
    assert!(Arc::ptr_eq(&first, &tree(&d, 0)));
    view.hide_shape(ShapeId(2));
    let hidden = ParticleShapeDetector::new(&view, None).unwrap();
    assert!(hidden.targets[2].distance.is_none(), "what particles do not meet needs no tree");
}

#[test]
fn a_surface_without_a_distance_is_named() {
    let mut b = ModelBuilder::new();
    b.add_shape(ShapeDef::default());
    let mut model = b.finalize().unwrap();
    let broken = Geometry::Mesh(Arc::new(TriMesh::default()));
    model.shape_geometry.make_mut()[0] = broken;
    let bad = ParticleShapeDetector::new(&ModelView::whole(&model), None).err().unwrap();
    assert_eq!((bad.shape, bad.kind, bad.fault), (ShapeId(0), "mesh", MeshFault::Empty));
}
