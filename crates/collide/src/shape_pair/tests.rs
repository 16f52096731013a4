//! Who meets whom, in which order, and in what form.

use std::sync::Arc;

use coact_math::{Quat, Vec3, exp_so3};
use coact_model::mesh::{self, Diagonal};
use coact_model::{
    BodyDef, Geometry, JointDef, JointKind, Model, ModelBuilder, Ownership, ShapeDef, ShapeFlags,
};

use super::*;
use crate::sample::vectors;
use crate::sdf::MeshFault;

fn ball(radius: f64) -> Geometry {
    Geometry::Sphere { radius }
}

fn block(x: f64, y: f64, z: f64) -> Geometry {
    Geometry::Box { half_extents: Vec3::new(x, y, z) }
}

fn at(z: f64) -> Pose {
    Pose::translation(Vec3::new(0.0, 0.0, z))
}

fn shape(geometry: Geometry) -> ShapeDef {
    ShapeDef { geometry, gap: 0.01, ..ShapeDef::default() }
}

fn body(b: &mut ModelBuilder, pose: Pose, geometry: Geometry) -> BodyId {
    let body = b.add_body(BodyDef { pose, ..BodyDef::default() });
    b.add_shape(ShapeDef { body: Some(body), ..shape(geometry) });
    body
}

fn detect_in(view: &ModelView) -> Vec<ShapeContact> {
    let mut d = ShapePairDetector::new(view, ShapePairOptions::default()).unwrap();
    d.place(|b| view.body_q[b.index()], |_, _| 0.0);
    let mut out = Vec::new();
    d.detect(&mut out);
    out
}

fn detect(model: &Model) -> Vec<ShapeContact> {
    detect_in(&ModelView::whole(model))
}

fn pairs(contacts: &[ShapeContact]) -> Vec<(u32, u32)> {
    let mut pairs: Vec<_> = contacts.iter().map(|c| (c.shape0.0, c.shape1.0)).collect();
    pairs.dedup();
    pairs
}

fn gap_of(view: &Model, c: &ShapeContact) -> f64 {
    let pose = |b: Option<BodyId>| b.map_or(Pose::identity(), |b| view.body_q[b.index()]);
    c.gap(&pose(c.body0), &pose(c.body1))
}

#[test]
fn a_record_has_skeletons_in_body_frames_and_margins_that_add_up() {
    let mut b = ModelBuilder::new();
    b.add_shape(ShapeDef { margin: 0.003, ..shape(Geometry::Plane) });
    let x_body = Pose::new(Vec3::new(1.0, 2.0, 0.505), exp_so3(&Vec3::new(0.3, -0.2, 0.9)));
    let carrier = b.add_body(BodyDef { pose: x_body, ..BodyDef::default() });
    let pose = Pose::translation(Vec3::new(0.1, 0.0, 0.0));
    b.add_shape(ShapeDef { body: Some(carrier), pose, margin: 0.002, gap: 0.5, ..shape(ball(0.5)) });
    let model = b.finalize().unwrap();
    let [c] = detect(&model)[..] else { panic!("one contact") };
    assert_eq!((c.shape0, c.shape1, c.body0, c.body1), (ShapeId(0), ShapeId(1), None, Some(carrier)));
    assert_eq!((c.point1, c.normal), (pose.p, Vec3::z()));
    assert!((c.margin1 - 0.502).abs() < 1e-15 && c.margin0 == 0.003);
    let centre = x_body.point(&pose.p);
    assert!((gap_of(&model, &c) - (centre.z - 0.505)).abs() < 1e-15);
    let surfaces = [c.point0 + c.offset0, x_body.point(&(c.point1 + c.offset1))];
    assert!((surfaces[0] - Vec3::new(centre.x, centre.y, 0.003)).norm() < 1e-15, "{surfaces:?}");
    assert!((surfaces[1] - (centre - Vec3::z() * 0.502)).norm() < 1e-15, "{surfaces:?}");
}

#[test]
fn contacts_are_kept_below_both_gaps_margins_and_motions() {
    let mut b = ModelBuilder::new();
    b.add_shape(ShapeDef { margin: 0.001, ..shape(Geometry::Plane) });
    let falling = body(&mut b, at(0.5), ball(0.1));
    let model = b.finalize().unwrap();
    let view = ModelView::whole(&model);
    let mut d = ShapePairDetector::new(&view, ShapePairOptions::default()).unwrap();
    let mut count = |z: f64, motion: f64| {
        d.place(|_| at(z), |id, far| if id == falling && far == 0.1 { motion } else { f64::NAN });
        let mut out = Vec::new();
        d.detect(&mut out);
        out.len()
    };
    // the surface is 0.1 below the centre; gaps 2 x 0.01, margin 0.001
    assert_eq!((count(0.1209, 0.0), count(0.1211, 0.0)), (1, 0));
    assert_eq!((count(0.3209, 0.2), count(0.3211, 0.2)), (1, 0));
    assert_eq!(count(f64::NAN, 0.0), 0);
}

#[test]
fn a_small_fast_ball_meets_a_thin_plate_with_speculative_motion() {
    let mut b = ModelBuilder::new();
    b.add_shape(shape(block(0.5, 0.5, 0.0005)));
    body(&mut b, at(0.6), ball(0.005));
    let view = ModelView::whole(&b.finalize().unwrap());
    let gap = Some(0.001);
    let options = ShapePairOptions { gap, ..ShapePairOptions::default() };
    let mut d = ShapePairDetector::new(&view, options).unwrap();
    let (dt, speed) = (1.0 / 120.0, 100.0);
    let mut out = Vec::new();
    d.place(|_| at(0.6), |_, _| 0.0);
    d.detect(&mut out);
    assert!(out.is_empty());
    d.place(|_| at(0.6), |_, _| speed * dt);
    d.detect(&mut out);
    assert_eq!(out.len(), 1, "it travels {} m in the step", speed * dt);
    assert!((out[0].normal - Vec3::z()).norm() < 1e-15);
    assert!((gap_of(&view, &out[0]) - 0.5945).abs() < 1e-12);
}

/// Bodies: 0 dynamic, 1 dynamic, 2 kinematic; each a ball at one place, and a static ball there.
fn heap(group: impl Fn(usize) -> i32) -> ModelBuilder {
    let mut b = ModelBuilder::new();
    for i in 0..4 {
        let body = (i < 3).then(|| b.add_body(BodyDef { kinematic: i == 2, ..BodyDef::default() }));
        b.add_shape(ShapeDef { body, group: group(i), ..shape(ball(0.1)) });
    }
    b
}

#[test]
fn pairs_that_no_force_moves_are_left_out() {
    let model = heap(|_| 1).finalize().unwrap();
    assert_eq!(pairs(&detect(&model)), [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3)]);
}

#[test]
fn a_proxy_meets_own_bodies_and_kinematic_ones_and_leaves_the_rest_to_its_source() {
    let model = heap(|_| 1).finalize().unwrap();
    let ownership =
        Ownership { bodies: vec![BodyId(0)], proxy_bodies: vec![BodyId(1)], ..Ownership::default() };
    let view = ModelView::new(&model, ownership);
    assert_eq!(pairs(&detect_in(&view)), [(0, 1), (0, 2), (0, 3), (1, 2)]);
}

#[test]
fn shapes_of_one_body_and_hidden_shapes_do_not_meet() {
    let mut b = ModelBuilder::new();
    let one = body(&mut b, at(0.0), ball(0.1));
    b.add_shape(ShapeDef { body: Some(one), ..shape(ball(0.1)) });
    let flags = ShapeFlags::VISIBLE | ShapeFlags::COLLIDE_PARTICLES;
    b.add_shape(ShapeDef { flags, ..shape(ball(0.1)) });
    assert!(detect(&b.finalize().unwrap()).is_empty());
}

#[test]
fn groups_follow_their_rule() {
    use super::filter::groups_meet;
    assert!(groups_meet(1, 1) && !groups_meet(1, 2) && groups_meet(1, -1) && groups_meet(2, -1));
    assert!(!groups_meet(-1, -1) && groups_meet(-1, -2));
    assert!(!groups_meet(0, 0) && !groups_meet(0, 1) && !groups_meet(0, -1));
    let model = heap(|i| [1, 2, -1, 2][i]).finalize().unwrap();
    assert_eq!(pairs(&detect(&model)), [(0, 2), (1, 2), (1, 3)]);
}

#[test]
fn filtered_and_joined_pairs_do_not_meet() {
    let mut b = heap(|_| 1);
    b.filter_shapes(ShapeId(3), ShapeId(0));
    b.add_joint(JointDef::new(JointKind::Fixed, Some(BodyId(1)), BodyId(0)));
    let model = b.finalize().unwrap();
    assert_eq!(pairs(&detect(&model)), [(0, 2), (1, 2), (1, 3)]);
    let mut off = model.clone();
    off.joint_enabled.make_mut()[0] = false;
    assert_eq!(pairs(&detect(&off)), [(0, 1), (0, 2), (1, 2), (1, 3)], "a joint that is off filters nothing");
    let view = ModelView::whole(&model);
    let options = ShapePairOptions { joined_bodies_meet: true, ..ShapePairOptions::default() };
    let mut out = Vec::new();
    ShapePairDetector::new(&view, options).unwrap().detect(&mut out);
    assert_eq!(pairs(&out), [(0, 1), (0, 2), (1, 2), (1, 3)]);
}

/// Bodies of all kinds in a small room over a floor, on a sheet and around a ball of triangles.
fn crowd(n: usize) -> Model {
    let (mut b, mut next) = (ModelBuilder::new(), vectors(5, 1.0));
    b.add_shape(shape(Geometry::Plane));
    b.add_shape(shape(Geometry::Mesh(Arc::new(mesh::cloth_grid([9, 9], [1.5, 1.5], Diagonal::Alternating)))));
    body(&mut b, at(0.2), Geometry::Mesh(Arc::new(mesh::sphere(0.4, 1))));
    for i in 0..n {
        let pose = Pose::new(next() * 1.5, exp_so3(&(next() * 3.0)));
        body(
            &mut b,
            pose,
            super::super::narrow::samples()[i % super::super::narrow::samples().len()].clone(),
        );
    }
    b.finalize().unwrap()
}

fn moved(model: &Model, k: usize) -> Vec<Pose> {
    let mut next = vectors(77 + k as u64, 0.02 * k as f64);
    model.body_q.iter().map(|q| Pose::new(q.p + next(), exp_so3(&next()) * q.q)).collect()
}

#[test]
fn contacts_are_the_same_at_any_number_of_threads_and_whatever_was_detected_before() {
    let model = crowd(200);
    let view = ModelView::whole(&model);
    let fresh = |poses: &[Pose], threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut d = ShapePairDetector::new(&view, ShapePairOptions::default()).unwrap();
        d.place(|b| poses[b.index()], |_, far| 0.01 * far);
        let mut out = Vec::new();
        pool.install(|| d.detect(&mut out));
        out
    };
    let mut kept = ShapePairDetector::new(&view, ShapePairOptions::default()).unwrap();
    for k in 0..6 {
        let poses = moved(&model, k);
        let one = fresh(&poses, 1);
        assert!(one.len() > 500, "{}", one.len());
        assert!(fresh(&poses, 3) == one);
        kept.place(|b| poses[b.index()], |_, far| 0.01 * far);
        let mut out = Vec::new();
        kept.detect(&mut out);
        assert!(out == one, "after {k} other detections");
        assert!(one.is_sorted_by_key(ShapeContact::shapes), "by pair");
    }
}

/// The broad phase leaves out nothing that the narrow phase would find.
#[test]
fn every_pair_is_found_that_all_pairs_find() {
    let model = crowd(60);
    let view = ModelView::whole(&model);
    let mut d = ShapePairDetector::new(&view, ShapePairOptions::default()).unwrap();
    d.place(|b| model.body_q[b.index()], |_, _| 0.0);
    let mut out = Vec::new();
    d.detect(&mut out);
    let mut all = Vec::new();
    let mut scratch = crate::narrow::Scratch::default();
    for (i, a) in d.targets.iter().enumerate() {
        for b in d.targets[i + 1..].iter().filter(|b| d.filter.lets(a, b)) {
            let origin = a.here.p;
            let spots = [&a.here, &b.here];
            let sides = [a.side(spots[0], &origin), b.side(spots[1], &origin)];
            crate::narrow::meet(&sides[0], &sides[1], a.reach() + b.reach(), &mut scratch);
            all.extend(scratch.touches.iter().map(|t| target::record([a, b], spots, t)));
        }
    }
    assert!(out == all, "{} of {}", out.len(), all.len());
}

#[test]
fn the_second_detection_takes_no_memory() {
    let model = crowd(100);
    let view = ModelView::whole(&model);
    let mut d = ShapePairDetector::new(&view, ShapePairOptions::default()).unwrap();
    d.place(|b| model.body_q[b.index()], |_, _| 0.0);
    let mut out = Vec::new();
    assert!(d.detect(&mut out));
    out.clear();
    assert!(!d.detect(&mut out));
}

#[test]
fn a_hull_without_volume_is_named_and_a_hidden_one_is_not_asked() {
    let mut b = ModelBuilder::new();
    b.add_shape(ShapeDef::default());
    let mut model = b.finalize().unwrap();
    let flat = mesh::cloth_grid([2, 2], [1.0, 1.0], Diagonal::Alternating);
    model.shape_geometry.make_mut()[0] = Geometry::ConvexHull(Arc::new(flat));
    let bad = ShapePairDetector::new(&ModelView::whole(&model), ShapePairOptions::default()).err().unwrap();
    assert_eq!((bad.shape, bad.kind, bad.fault), (ShapeId(0), "convex hull", MeshFault::FlatHull));
    model.shape_flags.make_mut()[0] = ShapeFlags::VISIBLE;
    let hidden = ShapePairDetector::new(&ModelView::whole(&model), ShapePairOptions::default()).unwrap();
    assert!(hidden.is_empty());
}

#[test]
fn an_update_takes_over_what_changed_and_stays_in_place() {
    let mut b = ModelBuilder::new();
    b.add_shape(shape(Geometry::Plane));
    let one = body(&mut b, at(5.0), ball(0.1));
    let mut model = b.finalize().unwrap();
    let mut d = ShapePairDetector::new(&ModelView::whole(&model), ShapePairOptions::default()).unwrap();
    d.place(|_| at(0.105), |_, _| 0.0);
    let count = |d: &mut ShapePairDetector| {
        let mut out = Vec::new();
        d.detect(&mut out);
        out.len()
    };
    assert_eq!(count(&mut d), 1);
    model.shape_gap.make_mut().fill(0.001);
    d.update(&ModelView::whole(&model));
    assert_eq!(count(&mut d), 0, "5 mm above, 2 mm of gaps");
    model.shape_x.make_mut()[1] = at(-0.004);
    d.update(&ModelView::whole(&model));
    assert_eq!(count(&mut d), 1, "lowered on its body, which is where it was placed");
    model.body_kinematic.make_mut()[one.index()] = true;
    d.update(&ModelView::whole(&model));
    assert_eq!(count(&mut d), 0, "no force moves either");
}

#[test]
fn bodies_that_left_the_scene_meet_nothing_and_break_nothing() {
    let model = crowd(40);
    let view = ModelView::whole(&model);
    let mut d = ShapePairDetector::new(&view, ShapePairOptions::default()).unwrap();
    let mut detect = |bad: f64, motion: f64| {
        let place = |b: BodyId| {
            let x = model.body_q[b.index()];
            if b.0 % 4 == 1 { Pose::new(Vec3::repeat(bad) + x.p, x.q) } else { x }
        };
        d.place(place, |_, _| motion);
        let mut out = Vec::new();
        d.detect(&mut out);
        out
    };
    let there = |c: &ShapeContact| [c.body0, c.body1].into_iter().flatten().any(|b| b.0 % 4 == 1);
    for bad in [f64::NAN, f64::INFINITY, 1e160, -1e300] {
        let out = detect(bad, 0.0);
        let apart =
            |c: &ShapeContact| c.body0.is_some_and(|b| b.0 % 4 == 1) == c.body1.is_some_and(|b| b.0 % 4 == 1);
        assert!(!out.is_empty() && out.iter().all(|c| apart(c) || !there(c)), "{bad}");
        for motion in [1e170, f64::INFINITY, f64::NAN] {
            for c in detect(bad, motion) {
                assert!(c.normal.iter().chain(c.point0.iter()).all(|x| x.is_finite()), "{bad} {motion}");
            }
        }
    }
}

/// A cube of 0.2 m beside the middle of a plate 1 m wide and 0.1 m thick, `gap` from its side and `up` above
/// its top, that comes to `ahead` from there.
fn passing(gap: f64, up: f64, ahead: Vec3) -> Vec<ShapeContact> {
    let mut b = ModelBuilder::new();
    let plate = Geometry::Box { half_extents: Vec3::new(0.5, 0.5, 0.05) };
    b.add_shape(ShapeDef { geometry: plate, ..ShapeDef::default() });
    let at = Vec3::new(-0.6 - gap, 0.0, 0.15 + up);
    let body = b.add_body(BodyDef { pose: Pose::translation(at), ..BodyDef::default() });
    let geometry = Geometry::Box { half_extents: Vec3::repeat(0.1) };
    b.add_shape(ShapeDef { body: Some(body), geometry, ..ShapeDef::default() });
    let view = ModelView::whole(&b.finalize().unwrap());
    let mut d = ShapePairDetector::new(&view, ShapePairOptions::default()).unwrap();
    d.place(|b| view.body_q[b.index()], |_, _| ahead.norm());
    d.aim(|b| Pose::translation(view.body_q[b.index()].p + ahead));
    let mut out = Vec::new();
    d.detect(&mut out);
    out
}

#[test]
fn what_passes_over_a_seam_is_carried_and_what_runs_into_it_is_stopped() {
    let normal = |gap: f64, up: f64, ahead: Vec3| {
        let contacts = passing(gap, up, ahead);
        assert!(!contacts.is_empty() && contacts.iter().all(|c| c.normal == contacts[0].normal));
        contacts[0].normal
    };
    let slide = Vec3::x() * 0.01;
    for (gap, up) in [(1e-3, 0.0), (5e-3, 1e-9), (0.0, 1e-4), (9e-3, -1e-4)] {
        let n = normal(gap, up, slide);
        assert!((n - Vec3::z()).norm() < 1e-9, "gap {gap}, up {up}: {n:?} stops it");
    }
    // a step, a wall, and what flies through all of it
    for (up, ahead) in [(-5e-3, slide), (-0.15, slide), (-0.15, Vec3::x() * 3.0)] {
        let n = normal(1e-3, up, ahead);
        assert!((n + Vec3::x()).norm() < 1e-9, "up {up}, ahead {ahead:?}: {n:?} lets it in");
    }
    // from far above to below: the top is in the way
    let n = normal(-0.3, 0.2, Vec3::z() * -2.0);
    assert!((n - Vec3::z()).norm() < 1e-9, "{n:?}");
}

#[test]
fn lying_cylinders_that_touch_have_one_normal() {
    let mut b = ModelBuilder::new();
    let geometry = || Geometry::Cylinder { radius: 0.1, half_height: 0.25 };
    let lying = Quat::from_axis_angle(&Vec3::y_axis(), std::f64::consts::FRAC_PI_2);
    let low = b.add_body(BodyDef { pose: Pose::new(Vec3::zeros(), lying), ..BodyDef::default() });
    let high = b.add_body(BodyDef { pose: Pose::new(Vec3::z() * 0.2, lying), ..BodyDef::default() });
    for body in [low, high] {
        b.add_shape(ShapeDef { body: Some(body), geometry: geometry(), ..ShapeDef::default() });
    }
    let view = ModelView::whole(&b.finalize().unwrap());
    let mut d =
        ShapePairDetector::new(&view, ShapePairOptions { gap: Some(0.01), ..ShapePairOptions::default() })
            .unwrap();
    for k in 0..2000_u32 {
        let angle = 0.7 + 1e-3 * f64::from(k % 200);
        let off = [0.0, 1e-15, -1e-15, 1e-13, -1e-13, 1e-10, -1e-10, 1e-7, -1e-7, 1e-4][k as usize % 10];
        let n = Vec3::new(0.0, angle.cos(), angle.sin());
        let roll = Quat::from_axis_angle(&Vec3::x_axis(), 0.1 * f64::from(k)) * lying;
        d.place(
            |b| if b == high { Pose::new(n * (0.2 + off), roll) } else { Pose::new(Vec3::zeros(), lying) },
            |_, _| 0.0,
        );
        let mut out = Vec::new();
        d.detect(&mut out);
        assert!(!out.is_empty(), "{k}");
        for c in &out {
            assert!(c.normal.dot(&n) > 0.999, "{k}: {:?} instead of {n:?}", c.normal);
        }
    }
}
