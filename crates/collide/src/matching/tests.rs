//! Who is recognised, by what, and what stays.

use coact_math::exp_so3;
use coact_model::{BodyDef, Geometry, Model, ModelBuilder, ModelView, ShapeDef};

use super::*;
use crate::sample::{numbers, vectors};
use crate::shape_pair::{ShapePairDetector, ShapePairOptions};

/// A contact at `x` on shape 0, on a body at the origin.
fn contact(pair: (u32, u32), feature: u32, x: Vec3) -> ShapeContact {
    ShapeContact {
        shape0: ShapeId(pair.0),
        shape1: ShapeId(pair.1),
        body0: None,
        body1: Some(BodyId(0)),
        point0: x,
        point1: x,
        offset0: Vec3::zeros(),
        offset1: Vec3::zeros(),
        margin0: 0.0,
        margin1: 0.0,
        normal: Vec3::z(),
        feature,
    }
}

fn found(before: &[ShapeContact], after: &[ShapeContact]) -> Vec<Option<u32>> {
    ContactMatcher::default().find(before, after, |_, _| 0.01).to_vec()
}

fn x(x: f64) -> Vec3 {
    Vec3::new(x, 0.0, 0.0)
}

#[test]
fn a_key_that_names_one_contact_is_enough() {
    let before = [contact((0, 1), 7, x(0.0)), contact((0, 1), 8, x(1.0))];
    let after = [contact((0, 1), 8, x(0.0)), contact((0, 1), 7, x(1.0))];
    assert_eq!(found(&before, &after), [Some(1), Some(0)]);
    // but not of another pair, nor from the other side
    assert_eq!(found(&before, &[contact((0, 2), 7, x(0.0))]), [None]);
    let turned = ShapeContact { normal: -Vec3::z(), ..contact((0, 1), 7, x(0.0)) };
    assert_eq!(found(&before, &[turned]), [None]);
}

#[test]
fn without_a_key_the_nearest_within_the_distance_is_it_and_only_once() {
    let before = [contact((0, 1), 0, x(0.0)), contact((0, 1), 0, x(0.1))];
    let after = [contact((0, 1), 0, x(0.103)), contact((0, 1), 0, x(0.108)), contact((0, 1), 0, x(0.02))];
    assert_eq!(found(&before, &after), [Some(1), None, None]);
    // over one of the shapes it may have moved far: a ball keeps its centre
    let rolled = ShapeContact { point1: x(0.0), ..contact((0, 1), 5, x(0.5)) };
    assert_eq!(found(&before[..1], &[rolled]), [Some(0)]);
    assert_eq!(found(&[], &after), [None; 3]);
    assert!(found(&before, &[]).is_empty());
}

#[test]
fn the_order_of_the_lists_does_not_matter() {
    let (mut v, mut n) = (vectors(1, 0.02), numbers(2));
    let mut random = |count: usize| -> Vec<ShapeContact> {
        let mut pick = |of: f64| ((n() + 1.0) * 0.5 * of) as u32;
        (0..count).map(|_| contact((pick(3.0), 3 + pick(3.0)), pick(6.0), v())).collect()
    };
    let (before, after) = (random(150), random(170));
    let straight = found(&before, &after);
    assert!(straight.iter().flatten().count() > 50);
    let mut once = vec![false; before.len()];
    for &i in straight.iter().flatten() {
        assert!(!std::mem::replace(&mut once[i as usize], true), "one to one");
    }
    // 89 and 91 have no factor in common with the lengths
    let (p, q) = (|i: usize| i * 89 % 150, |j: usize| j * 91 % 170);
    let shuffled_before: Vec<_> = (0..150).map(|i| before[p(i)]).collect();
    let shuffled_after: Vec<_> = (0..170).map(|j| after[q(j)]).collect();
    for (j, m) in found(&shuffled_before, &shuffled_after).into_iter().enumerate() {
        assert_eq!(m.map(|i| p(i as usize)), straight[q(j)].map(|i| i as usize));
    }
}

/// A box of 0.2 m on a plane.
fn scene() -> Model {
    let mut b = ModelBuilder::new();
    b.add_shape(ShapeDef::default());
    let body = b.add_body(BodyDef { pose: Pose::translation(Vec3::z() * 0.1), ..BodyDef::default() });
    let geometry = Geometry::Box { half_extents: Vec3::repeat(0.1) };
    b.add_shape(ShapeDef { geometry, body: Some(body), ..ShapeDef::default() });
    b.finalize().unwrap()
}

#[test]
fn a_box_that_slides_and_turns_keeps_its_corners() {
    let view = ModelView::whole(&scene());
    let mut d = ShapePairDetector::new(&view, ShapePairOptions::default()).unwrap();
    let mut detect = |pose: Pose| {
        let mut out = Vec::new();
        d.place(|_| pose, |_, _| 0.0);
        d.detect(&mut out);
        out
    };
    let before = detect(Pose::translation(Vec3::z() * 0.1));
    let after = detect(Pose::new(Vec3::new(0.3, 0.0, 0.1), exp_so3(&Vec3::new(0.0, 0.0, 0.4))));
    assert_eq!(before.len(), 4);
    for (new, i) in after.iter().zip(found(&before, &after)) {
        assert!((new.point1 - before[i.unwrap() as usize].point1).norm() < 1e-12);
    }
}

#[test]
fn sticky_contacts_keep_their_points_while_these_touch() {
    let view = ModelView::whole(&scene());
    let mut d = ShapePairDetector::new(&view, ShapePairOptions::default()).unwrap();
    let distance = d.matching_distance(ShapeId(0), ShapeId(1));
    assert!((distance - 0.1 * 0.1 * 3.0_f64.sqrt()).abs() < 1e-15, "a tenth of the box's radius");
    let mut detect = |pose: &Pose| {
        let mut out = Vec::new();
        d.place(|_| *pose, |_, _| 0.0);
        d.detect(&mut out);
        out
    };
    let at = |x: f64, z: f64| Pose::translation(Vec3::new(x, 0.0, z));
    let before = detect(&at(0.0, 0.1));
    for (pose, kept) in [(at(0.001, 0.1), 4), (at(0.002, 0.1), 0), (at(0.0, 0.0999), 4)] {
        let mut after = detect(&pose);
        let latest = after.clone();
        let mut m = ContactMatcher::default();
        m.find(&before, &after, |_, _| distance);
        assert_eq!(m.stick(&before, &mut after, |_| pose, |_, _| distance), kept, "{pose:?}");
        for ((new, late), i) in after.iter().zip(&latest).zip(m.matches()) {
            let old = &before[i.unwrap() as usize];
            assert_eq!(new.point0, if kept > 0 { old.point0 } else { late.point0 });
            assert!((new.gap(&Pose::identity(), &pose) - (pose.p.z - 0.1)).abs() < 1e-15);
        }
    }
}
