//! Distances, normals and points of pairs, against what support functions say.

use std::sync::{Arc, OnceLock};

use coact_math::{Mat3, Pose, Vec3, exp_so3};
use coact_model::{Geometry, TriMesh};

use super::normal::separation;
use super::*;
use crate::sample::{numbers, vectors};
use crate::sdf::{ShapeDistance, from_parry, hull_of};

/// One of each kind of shape with a convex solid.
pub(crate) fn samples() -> Vec<Geometry> {
    let (radius, half_height) = (0.2, 0.3);
    vec![
        Geometry::Sphere { radius },
        Geometry::Box { half_extents: Vec3::new(0.1, 0.2, 0.3) },
        Geometry::Capsule { radius, half_height },
        Geometry::Cylinder { radius, half_height },
        Geometry::Cone { radius, half_height },
        Geometry::Ellipsoid { radii: Vec3::new(0.1, 0.2, 0.3) },
        Geometry::ConvexHull(pebble()),
    ]
}

/// The hull of points without any order, not about its origin.
fn pebble() -> Arc<TriMesh> {
    static MADE: OnceLock<Arc<TriMesh>> = OnceLock::new();
    let make = || {
        let mut v = vectors(21, 0.2);
        let points: Vec<Vec3> = (0..30).map(|_| v() + Vec3::new(0.05, 0.0, 0.1)).collect();
        let (vertices, triangles) = hull_of(&points).unwrap();
        Arc::new(TriMesh { vertices: vertices.iter().map(from_parry).collect(), triangles })
    };
    Arc::clone(MADE.get_or_init(make))
}

fn solid(geometry: &Geometry) -> Solid {
    Solid::of(geometry, [].into_iter()).unwrap()
}

fn placed<'a>(solid: &'a Solid, x: &Pose) -> Side<'a> {
    Side { solid, turn: x.q.to_rotation_matrix().into_inner(), at: x.p }
}

fn touches(a: &Side, b: &Side, reach: f64) -> Vec<Touch> {
    let mut scratch = Scratch::default();
    meet(a, b, reach, &mut scratch);
    scratch.touches
}

fn size(side: &Side) -> f64 {
    side.solid.size()
}

/// eq. (4) less the radii: along any direction a bound of the signed distance from below.
fn bound(a: &Side, b: &Side, m: &Vec3) -> f64 {
    separation(a, b, m) - a.solid.radius() - b.solid.radius()
}

/// The best bound of many directions, the best ones refined.
fn signed_distance(a: &Side, b: &Side) -> f64 {
    let along = |m: &Vec3| bound(a, b, m);
    let mut starts: Vec<Vec3> = Vec::new();
    let mut next = vectors(3, 1.0);
    while starts.len() < 400 {
        starts.extend(next().try_normalize(0.1));
    }
    starts.sort_by(|p, q| along(q).total_cmp(&along(p)));
    let refine = |mut m: Vec3| {
        let (mut best, mut step, mut tries) = (along(&m), 0.3, vectors(11, 1.0));
        while step > 1e-9 {
            let better = (0..24).find_map(|_| {
                let n = (m + tries() * step).normalize();
                (along(&n) > best).then_some(n)
            });
            match better {
                Some(n) => (m, best) = (n, along(&n)),
                None => step *= 0.5,
            }
        }
        best
    };
    starts[..6].iter().map(|m| refine(*m)).fold(f64::NEG_INFINITY, f64::max)
}

/// Poses at which two samples are near or deep, with what they are.
fn for_each_pair(seed: u64, count: usize, mut f: impl FnMut(&Geometry, &Geometry, &Side, &Side)) {
    let (mut v, mut s) = (vectors(seed, 1.0), numbers(seed + 1));
    let all = samples();
    for (i, g) in all.iter().enumerate() {
        for h in &all[i..] {
            let (p, q) = (solid(g), solid(h));
            for _ in 0..count {
                let a = placed(&p, &Pose::new(Vec3::zeros(), exp_so3(&(v() * 3.0))));
                let apart = v().try_normalize(0.05).unwrap_or_else(Vec3::x) * (0.35 + 0.25 * s());
                let b = placed(&q, &Pose::new(apart, exp_so3(&(v() * 3.0))));
                f(g, h, &a, &b);
            }
        }
    }
}

#[test]
fn no_direction_separates_better_than_the_normal_and_the_deepest_point_is_that_far() {
    let mut seen = [0; 2];
    for_each_pair(1, 40, |g, h, a, b| {
        let names = format!("{} and {}", g.kind(), h.kind());
        let best = signed_distance(a, b);
        seen[usize::from(best < 0.0)] += 1;
        let found = touches(a, b, 10.0);
        let deepest = found.iter().min_by(|s, t| s.distance().total_cmp(&t.distance())).unwrap();
        let of_normal = bound(a, b, &deepest.normal);
        assert!((deepest.distance() - of_normal).abs() < 2e-6, "{names}: {} {of_normal}", deepest.distance());
        assert!(of_normal > best - 2e-6, "{names}: {of_normal}, better is {best}");
    });
    assert!(seen.iter().all(|n| *n > 100), "apart and deep: {seen:?}");
}

#[test]
fn points_lie_on_the_surfaces_and_the_normal_separates() {
    for_each_pair(2, 60, |g, h, a, b| {
        let names = format!("{} and {}", g.kind(), h.kind());
        let found = touches(a, b, 0.05);
        let least = found.iter().map(Touch::distance).fold(f64::INFINITY, f64::min);
        for t in found {
            assert!((t.normal.norm() - 1.0).abs() < 1e-12, "{names}");
            assert!(t.distance() < 0.05);
            for (side, of, x, n) in [(a, g, t.x[0], t.normal), (b, h, t.x[1], -t.normal)] {
                let local = side.turn.tr_mul(&(x - side.at));
                let distance = ShapeDistance::of(of, std::iter::empty()).unwrap();
                let d = distance.eval(&local, f64::INFINITY).unwrap().distance;
                // points beside the deepest one of a leaning capsule are inside of its side
                let inside = if t.distance() > least { 0.2 } else { 1e-3 };
                assert!(d < 2e-5 && d > -inside, "{names}: {d} off the surface");
                // no point of the solid is farther out along the normal than its radius says
                let farthest = n.dot(&side.support(&n)) + side.solid.radius();
                assert!(n.dot(&x) < farthest + 1e-9, "{names}");
            }
        }
    });
}

#[test]
fn the_other_order_gives_the_same_contact_turned_round() {
    for_each_pair(3, 30, |g, h, a, b| {
        let (there, back) = (touches(a, b, 0.1), touches(b, a, 0.1));
        let least = |all: &[Touch]| all.iter().map(Touch::distance).fold(f64::INFINITY, f64::min);
        assert_eq!(there.is_empty(), back.is_empty());
        if !there.is_empty() {
            assert!((least(&there) - least(&back)).abs() < 3e-6, "{} {}", g.kind(), h.kind());
        }
    });
}

fn block(x: f64, y: f64, z: f64) -> Solid {
    solid(&Geometry::Box { half_extents: Vec3::new(x, y, z) })
}

fn yaw(angle: f64) -> coact_math::Quat {
    exp_so3(&Vec3::new(0.0, 0.0, angle))
}

#[test]
fn a_box_on_a_box_has_four_points_and_keeps_them_under_nudges() {
    let e = block(0.1, 0.1, 0.1);
    let mut v = vectors(4, 1e-9);
    for angle in [0.0, 0.1, std::f64::consts::FRAC_PI_4, 1.0, std::f64::consts::FRAC_PI_2] {
        for offset in [0.0, 0.03] {
            let x = Pose::new(Vec3::new(offset, 0.0, 0.2), yaw(angle));
            let base = placed(&e, &Pose::identity());
            let rest = touches(&base, &placed(&e, &x), 0.01);
            assert_eq!(rest.len(), 4, "{angle} {offset}");
            for _ in 0..200 {
                let y = Pose::new(x.p + v(), exp_so3(&v()) * x.q);
                let nudged = touches(&base, &placed(&e, &y), 0.01);
                assert_eq!(nudged.len(), 4);
                for (p, q) in rest.iter().zip(&nudged) {
                    assert_eq!(p.feature, q.feature, "{angle} {offset}");
                    assert!((p.x[0] - q.x[0]).norm() < 1e-7 && (p.normal - q.normal).norm() < 1e-8);
                    assert!(q.distance().abs() < 1e-8);
                }
            }
        }
    }
}

/// Two blocks, one almost flat on the other and over its border: the way apart is across two edges there, but
/// the one lies on the other with all that is over it.
#[test]
fn what_lies_almost_flat_over_a_border_has_all_its_points() {
    let half = Vec3::new(0.1, 0.05, 0.03);
    let corners: Vec<Vec3> = (0..8)
        .map(|k| {
            Vec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2)) * 2.0 - Vec3::repeat(1.0)
        })
        .map(|c| c.component_mul(&half))
        .collect();
    let (vertices, triangles) = hull_of(&corners).unwrap();
    let hull = TriMesh { vertices: vertices.iter().map(from_parry).collect(), triangles };
    let kinds = [block(0.1, 0.05, 0.03), solid(&Geometry::ConvexHull(Arc::new(hull)))];
    let mut number = numbers(7);
    for (lower, upper) in [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(i, j)| (&kinds[i], &kinds[j])) {
        for _ in 0..500 {
            let mut any = |size: f64| size * number();
            let turn = Vec3::new(any(2e-3), any(2e-3), any(0.02));
            let at = Vec3::new(0.05, 0.025, 0.06 + any(1e-4));
            let below = placed(lower, &Pose::identity());
            let found = touches(&below, &placed(upper, &Pose::new(at, exp_so3(&turn))), 0.01);
            assert!(found.len() >= 4, "{turn} {at} has {} points", found.len());
            let leans = found.iter().all(|t| t.normal.z > 1.0 - 1e-5);
            assert!(leans && found.iter().all(|t| t.distance().abs() < 1e-3), "{turn} {at} {found:?}");
        }
    }
}

#[test]
fn the_corners_of_a_small_box_stand_on_a_large_one() {
    let (floor, e) = (block(1.0, 1.0, 0.1), block(0.1, 0.2, 0.3));
    let x = Pose::translation(Vec3::new(0.2, 0.1, 0.395));
    let found = touches(&placed(&floor, &Pose::identity()), &placed(&e, &x), 0.01);
    let mut corners: Vec<_> = found.iter().map(|t| (t.x[1].x, t.x[1].y)).collect();
    corners.sort_by(|p, q| p.partial_cmp(q).unwrap());
    let exact = [(0.1, -0.1), (0.1, 0.3), (0.3, -0.1), (0.3, 0.3)];
    for (c, e) in corners.iter().zip(exact) {
        assert!((c.0 - e.0).abs() < 1e-15 && (c.1 - e.1).abs() < 1e-15, "{corners:?}");
    }
    for t in found {
        assert_eq!(t.normal, Vec3::z());
        assert!((t.distance() + 0.005).abs() < 1e-15 && (t.x[0].z - 0.1).abs() < 1e-15);
    }
}

#[test]
fn crossed_edges_touch_in_one_point() {
    let e = block(0.1, 0.1, 0.1);
    let quarter = std::f64::consts::FRAC_PI_4;
    let r = 0.1 * std::f64::consts::SQRT_2;
    let below = Pose::new(Vec3::zeros(), exp_so3(&Vec3::new(quarter, 0.0, 0.0)));
    let above = Pose::new(Vec3::new(0.0, 0.0, 2.0 * r - 0.002), exp_so3(&Vec3::new(0.0, quarter, 0.0)));
    let [t] = touches(&placed(&e, &below), &placed(&e, &above), 0.01)[..] else { panic!() };
    assert!((t.normal - Vec3::z()).norm() < 1e-14);
    assert!((t.distance() + 0.002).abs() < 1e-15);
    assert!((t.x[0] - Vec3::new(0.0, 0.0, r)).norm() < 1e-14);
}

#[test]
fn a_box_on_a_plane_has_its_four_lower_corners_and_no_others() {
    let (plane, e) = (solid(&Geometry::Plane), block(0.1, 0.2, 0.0005));
    let floor = placed(&plane, &Pose::identity());
    let x = Pose::new(Vec3::new(0.0, 0.0, 0.001), yaw(0.7));
    let found = touches(&floor, &placed(&e, &x), 0.02);
    assert_eq!(found.len(), 4, "the upper corners are in reach, too");
    assert!(found.iter().all(|t| (t.distance() - 0.0005).abs() < 1e-15 && t.x[0].z.abs() < 1e-17));
    // tilted by 0.1 about y: two corners are out of reach
    let tilted = Pose::new(x.p, exp_so3(&Vec3::new(0.0, 0.1, 0.0)));
    assert_eq!(touches(&floor, &placed(&e, &tilted), 0.005).len(), 2);
}

#[test]
fn round_shapes_lie_on_a_plane_with_both_ends() {
    let plane = solid(&Geometry::Plane);
    let floor = placed(&plane, &Pose::identity());
    let lying = exp_so3(&Vec3::new(0.0, std::f64::consts::FRAC_PI_2, 0.0));
    for g in [&samples()[2], &samples()[3]] {
        let s = solid(g);
        let x = Pose::new(Vec3::new(1.0, 0.0, 0.199), lying);
        let found = touches(&floor, &placed(&s, &x), 0.01);
        let mut ends: Vec<f64> = found.iter().map(|t| t.x[1].x).collect();
        ends.sort_by(f64::total_cmp);
        assert!(ends.len() == 2 && (ends[0] - 0.7).abs() < 1e-14 && (ends[1] - 1.3).abs() < 1e-14);
        assert!(found.iter().all(|t| (t.distance() + 0.001).abs() < 1e-14), "{}", g.kind());
    }
}

#[test]
fn a_standing_cylinder_has_four_points_that_stay() {
    let (cylinder, floor) = (solid(&samples()[3]), block(1.0, 1.0, 0.1));
    let plane = solid(&Geometry::Plane);
    let mut v = vectors(9, 1e-9);
    for (base, z) in [(&floor, 0.4), (&plane, 0.3)] {
        let base = placed(base, &Pose::identity());
        let rest = touches(&base, &placed(&cylinder, &Pose::translation(Vec3::new(0.0, 0.0, z))), 0.01);
        assert_eq!(rest.len(), 4);
        for _ in 0..50 {
            let x = Pose::new(Vec3::new(0.0, 0.0, z) + v(), exp_so3(&v()));
            let nudged = touches(&base, &placed(&cylinder, &x), 0.01);
            assert_eq!(nudged.len(), 4);
            for (p, q) in rest.iter().zip(&nudged) {
                assert_eq!(p.feature, q.feature);
                assert!((p.x[1] - q.x[1]).norm() < 1e-8);
            }
        }
    }
}

/// eq. (1): rolling about the skeleton changes no gap, to second order.
#[test]
fn what_rolls_keeps_its_gap() {
    let plane = solid(&Geometry::Plane);
    let lying = exp_so3(&Vec3::new(0.0, std::f64::consts::FRAC_PI_2, 0.0));
    for g in [&samples()[0], &samples()[2], &samples()[3]] {
        let s = solid(g);
        let x = Pose::new(Vec3::new(0.0, 0.0, 0.2), lying);
        let side = placed(&s, &x);
        let floor = placed(&plane, &Pose::identity());
        for t in touches(&floor, &side, 0.01) {
            let local = side.turn.tr_mul(&(t.x[1] - side.at));
            let n = side.turn.tr_mul(&-t.normal);
            let point = s.skeleton(&n, &local);
            let margin = n.dot(&(local - point));
            assert!((margin - 0.2).abs() < 1e-14);
            let gap = |angle: f64| {
                let rolled = Pose::new(x.p, exp_so3(&Vec3::new(angle, 0.0, 0.0)) * x.q);
                rolled.point(&point).z - margin
            };
            for angle in [0.01, 0.5, 3.0] {
                assert!((gap(angle) - gap(0.0)).abs() < 1e-15, "{} rolled by {angle}", g.kind());
            }
        }
    }
}

#[test]
fn a_leaning_cylinder_touches_with_its_rim_under_the_axis() {
    let (cylinder, plane) = (solid(&samples()[3]), solid(&Geometry::Plane));
    let lean: f64 = 1.2;
    let x = Pose::new(Vec3::new(0.0, 0.0, 0.0), exp_so3(&Vec3::new(0.0, lean, 0.0)));
    let lowest = 0.3 * lean.cos() + 0.2 * lean.sin();
    let x = Pose::new(Vec3::new(0.0, 0.0, lowest), x.q);
    let side = placed(&cylinder, &x);
    let [t] = touches(&placed(&plane, &Pose::identity()), &side, 0.01)[..] else { panic!() };
    assert!(t.distance().abs() < 1e-15);
    let local = side.turn.tr_mul(&(t.x[1] - side.at));
    let n = side.turn.tr_mul(&-t.normal);
    let point = cylinder.skeleton(&n, &local);
    assert!(point.xy().norm() == 0.0 && (point.z.abs() - 0.3).abs() < 1e-15);
    assert!((n.dot(&(local - point)) - 0.2 * lean.sin()).abs() < 1e-15);
}

#[test]
fn parallel_capsules_touch_along_their_sides_and_crossed_ones_in_a_point() {
    let s = solid(&samples()[2]);
    let a = placed(&s, &Pose::identity());
    let beside = Pose::translation(Vec3::new(0.39, 0.0, 0.2));
    let found = touches(&a, &placed(&s, &beside), 0.01);
    let mut z: Vec<f64> = found.iter().map(|t| t.x[0].z).collect();
    z.sort_by(f64::total_cmp);
    assert!(z.len() == 2 && (z[0] + 0.1).abs() < 1e-14 && (z[1] - 0.3).abs() < 1e-14, "{z:?}");
    assert!(found.iter().all(|t| (t.distance() + 0.01).abs() < 1e-14));
    let crossed = Pose::new(beside.p, exp_so3(&Vec3::new(1.0, 0.0, 0.0)));
    let [t] = touches(&a, &placed(&s, &crossed), 0.01)[..] else { panic!() };
    assert!((t.normal - Vec3::x()).norm() < 1e-12 && (t.distance() + 0.01).abs() < 1e-12);
    // axes through each other: out along the common normal
    let through = Pose::new(Vec3::zeros(), exp_so3(&Vec3::new(1.0, 0.0, 0.0)));
    let [t] = touches(&a, &placed(&s, &through), 0.01)[..] else { panic!() };
    assert!((t.normal.x.abs() - 1.0).abs() < 1e-12 && (t.distance() + 0.4).abs() < 1e-12);
}

#[test]
fn a_capsule_lies_on_a_box_with_both_ends() {
    let (s, floor) = (solid(&samples()[2]), block(1.0, 1.0, 0.1));
    let lying = exp_so3(&Vec3::new(0.0, std::f64::consts::FRAC_PI_2, 0.0));
    for z in [0.301, 0.3, 0.299, 0.2, 0.05] {
        let x = Pose::new(Vec3::new(0.0, 0.0, z), lying);
        let found = touches(&placed(&floor, &Pose::identity()), &placed(&s, &x), 0.01);
        assert_eq!(found.len(), 2, "{z}");
        for t in found {
            assert!((t.normal - Vec3::z()).norm() < 1e-12 && (t.distance() - (z - 0.3)).abs() < 1e-12, "{z}");
        }
    }
}

#[test]
fn turning_the_pair_turns_the_contact() {
    let turn = exp_so3(&Vec3::new(0.4, -1.1, 0.7));
    let r: Mat3 = turn.to_rotation_matrix().into_inner();
    for_each_pair(5, 10, |g, h, a, b| {
        let rotated = |s: &Side| r * s.turn;
        let (c, d) =
            (Side { turn: rotated(a), at: r * a.at, ..*a }, Side { turn: rotated(b), at: r * b.at, ..*b });
        let (one, two) = (touches(a, b, 0.1), touches(&c, &d, 0.1));
        let least = |all: &[Touch]| all.iter().map(Touch::distance).fold(f64::INFINITY, f64::min);
        if !one.is_empty() && !two.is_empty() {
            assert!((least(&one) - least(&two)).abs() < 3e-6, "{} {}", g.kind(), h.kind());
        }
    });
}

mod surfaces;

/// Where the direction of GJK is rounding: exactly touching, a hair apart and a hair deep. At a
/// corner any normal in its cone separates; what has a radius has one normal.
#[test]
fn shapes_that_just_touch_are_found_with_a_normal_that_separates() {
    let mut worst = 0.0_f64;
    for_each_pair(41, 40, |g, h, a, b| {
        let found = touches(a, b, 10.0);
        let nearest =
            |all: &[Touch]| *all.iter().min_by(|s, t| s.distance().total_cmp(&t.distance())).unwrap();
        let t = nearest(&found);
        let apart = Side { at: b.at - t.normal * (t.distance() - 1e-3), ..*b };
        let clear = nearest(&touches(a, &apart, 0.01));
        for gap in [1e-6, 1e-9, 1e-12, 0.0, -1e-12, -1e-9, -1e-6] {
            let side = Side { at: apart.at + clear.normal * (gap - clear.distance()), ..apart };
            let near = touches(a, &side, 0.01);
            let names = format!("{} and {} {gap:e} apart", g.kind(), h.kind());
            assert!(!near.is_empty(), "{names}");
            let t = nearest(&near);
            assert!((t.distance() - gap).abs() < 1e-6, "{names}: {:e}", t.distance());
            // what leans by less than a degree from a face has its normal, and lies on it with several points
            let of_normal = bound(a, &side, &t.normal);
            let leans = near.len() > 1 && of_normal < gap && of_normal > gap - 0.035 * size(a).min(size(b));
            assert!(leans || (of_normal - gap).abs() < 1e-6, "{names}: {of_normal:e}");
            let turned = (t.normal - clear.normal).norm();
            if a.solid.radius() + b.solid.radius() > 0.0 {
                worst = worst.max(turned);
                assert!(turned < 1e-3, "{names}: {turned:e}");
            }
        }
    });
    assert!(worst > 0.0);
}

#[test]
fn shapes_about_one_centre_find_the_shortest_way_out() {
    let all = samples();
    let mut v = vectors(51, 2.0);
    for (i, g) in all.iter().enumerate() {
        for h in &all[i..] {
            let (p, q) = (solid(g), solid(h));
            for k in 0..6 {
                let turn = if k == 0 { exp_so3(&Vec3::zeros()) } else { exp_so3(&v()) };
                let (a, b) = (placed(&p, &Pose::identity()), placed(&q, &Pose::new(Vec3::zeros(), turn)));
                let (best, found) = (signed_distance(&a, &b), touches(&a, &b, 0.01));
                let least = found.iter().map(Touch::distance).fold(f64::INFINITY, f64::min);
                assert!(
                    least < 0.0 && least > best - 1e-4,
                    "{} in {}: {least}, best {best}",
                    g.kind(),
                    h.kind()
                );
            }
        }
    }
}

/// A kind of shape with sizes over five decades.
fn any_size(kind: usize, s: &mut impl FnMut() -> f64) -> Geometry {
    let mut size = || 10.0_f64.powf(-0.5 + 2.5 * s());
    match kind {
        0 => Geometry::Sphere { radius: size() },
        1 => Geometry::Box { half_extents: Vec3::new(size(), size(), size()) },
        2 => Geometry::Capsule { radius: size(), half_height: size() },
        3 => Geometry::Cylinder { radius: size(), half_height: size() },
        4 => Geometry::Cone { radius: size(), half_height: size() },
        5 => Geometry::Ellipsoid { radii: Vec3::new(size(), size(), size()) },
        6 => Geometry::Plane,
        7 => {
            // flatter ones than this are refused
            let e = Vec3::new(1.0, 0.1, 0.01) * size();
            Geometry::ConvexHull(Arc::new(coact_model::mesh::box_surface(e)))
        }
        _ => Geometry::Mesh(Arc::new(coact_model::mesh::cylinder(size(), size(), 7))),
    }
}

#[test]
fn any_sizes_at_any_distance_give_finite_contacts_within_reach() {
    let (mut v, mut s) = (vectors(61, 1.0), numbers(62));
    let mut met = 0;
    for i in 0..20_000 {
        let (g, h) = (any_size(i % 9, &mut s), any_size(i / 9 % 9, &mut s));
        let (p, q) = (solid(&g), solid(&h));
        let far = p.size().min(1.0) + q.size().min(1.0);
        let (x, y) =
            (exp_so3(&(v() * 3.0)), if i % 5 == 0 { exp_so3(&Vec3::zeros()) } else { exp_so3(&(v() * 3.0)) });
        let along = if i % 7 == 0 { Vec3::x() } else { v() };
        let a = placed(&p, &Pose::new(Vec3::zeros(), x));
        let b = placed(&q, &Pose::new(along * far * (1.0 + s()), y));
        let reach = if i % 11 == 0 { 1e3 } else { 0.05 * far };
        for t in touches(&a, &b, reach) {
            let names = format!("{g:?} and {h:?}");
            assert!((t.normal.norm() - 1.0).abs() < 1e-9, "{names}: {}", t.normal);
            assert!(t.x.iter().all(|x| x.iter().all(|x| x.is_finite())), "{names}");
            assert!(t.distance() < reach * (1.0 + 1e-9), "{names}: {} of {reach}", t.distance());
            met += 1;
        }
    }
    assert!(met > 10_000, "{met}");
}
