//! Hulls and triangle surfaces: seams are not felt, sides are kept.

use coact_model::HeightField;
use coact_model::mesh::{self, Diagonal};

use super::*;

fn mesh_solid(mesh: TriMesh) -> Solid {
    solid(&Geometry::Mesh(Arc::new(mesh)))
}

/// A floor of 20 × 20 cells of 0.1 m at z = 0, about the origin.
fn floor() -> Solid {
    let grid = mesh::cloth_grid([20, 20], [2.0, 2.0], Diagonal::Alternating);
    let (lower, upper) =
        grid.vertices.iter().fold((grid.vertices[0], grid.vertices[0]), |(l, u), x| (l.inf(x), u.sup(x)));
    let middle = (lower + upper) * 0.5;
    mesh_solid(TriMesh { vertices: grid.vertices.iter().map(|x| x - middle).collect(), ..grid })
}

fn least(touches: &[Touch]) -> f64 {
    touches.iter().map(Touch::distance).fold(f64::INFINITY, f64::min)
}

#[test]
fn a_hull_of_eight_corners_is_the_box() {
    let e = Vec3::new(0.1, 0.15, 0.2);
    let hull = solid(&Geometry::ConvexHull(Arc::new(mesh::box_surface(e))));
    let same = block(e.x, e.y, e.z);
    let floor = block(1.0, 1.0, 0.1);
    let base = placed(&floor, &Pose::identity());
    for lift in [0.001, 0.0, -1e-12, -0.002] {
        let x = Pose::new(Vec3::new(0.1, 0.2, 0.3 + lift), yaw(0.3));
        let (one, two) = (touches(&base, &placed(&hull, &x), 0.01), touches(&base, &placed(&same, &x), 0.01));
        assert_eq!((one.len(), two.len()), (4, 4), "{lift}");
        for t in &one {
            let twin = two.iter().map(|s| (s.x[1] - t.x[1]).norm()).fold(f64::INFINITY, f64::min);
            assert!(
                twin < 1e-12 && (t.normal - Vec3::z()).norm() < 1e-12 && (t.distance() - lift).abs() < 1e-12
            );
        }
    }
    for_each_pair(31, 20, |_, _, a, b| {
        let (p, q) = (Side { solid: &hull, ..*a }, Side { solid: &same, ..*a });
        let (one, two) = (touches(&p, b, 0.05), touches(&q, b, 0.05));
        assert!(one.is_empty() == two.is_empty());
        if !one.is_empty() {
            assert!((least(&one) - least(&two)).abs() < 2e-5, "{} {}", least(&one), least(&two));
        }
    });
}

#[test]
fn a_hull_at_rest_keeps_its_points_under_nudges() {
    let hull = solid(&Geometry::ConvexHull(Arc::new(mesh::cylinder(0.1, 0.1, 12))));
    let e = block(1.0, 1.0, 0.1);
    let base = placed(&e, &Pose::identity());
    let rest = touches(&base, &placed(&hull, &Pose::translation(Vec3::new(0.0, 0.0, 0.2))), 0.01);
    assert_eq!(rest.len(), 4);
    let mut v = vectors(6, 1e-9);
    for _ in 0..200 {
        let x = Pose::new(Vec3::new(0.0, 0.0, 0.2) + v(), exp_so3(&v()));
        let nudged = touches(&base, &placed(&hull, &x), 0.01);
        assert_eq!(nudged.len(), 4);
        for (p, q) in rest.iter().zip(&nudged) {
            assert!(p.feature == q.feature && (p.x[1] - q.x[1]).norm() < 1e-8);
        }
    }
}

#[test]
fn a_ball_on_a_flat_triangulated_floor_has_one_point_with_the_normal_of_the_floor() {
    let (floor, ball) = (floor(), solid(&Geometry::Sphere { radius: 0.07 }));
    let base = placed(&floor, &Pose::identity());
    let mut v = vectors(8, 0.8);
    let mut places: Vec<Vec3> = (0..300).map(|_| v()).collect();
    // right over corners, edges and diagonals
    places.extend((0..20).flat_map(|i| {
        [Vec3::new(0.1 * f64::from(i) - 0.9, 0.2, 0.0), Vec3::new(0.05, 0.1 * f64::from(i) - 0.9, 0.0)]
    }));
    for p in places {
        for height in [0.075, 0.07, 0.03, 1e-9] {
            let x = Pose::translation(Vec3::new(p.x, p.y, height));
            let [t] = touches(&base, &placed(&ball, &x), 0.01)[..] else { panic!("{p} {height}") };
            assert!((t.normal - Vec3::z()).norm() < 1e-7, "{} at {p}", t.normal);
            assert!((t.distance() - (height - 0.07)).abs() < 1e-12);
        }
    }
}

#[test]
fn what_lies_on_a_flat_triangulated_floor_feels_no_seams() {
    let floor = floor();
    let base = placed(&floor, &Pose::identity());
    let mut v = vectors(12, 0.5);
    let lying = exp_so3(&Vec3::new(0.0, std::f64::consts::FRAC_PI_2, 0.0));
    let cases = [
        (1, Vec3::zeros(), 0.3),
        (2, lying.scaled_axis(), 0.2),
        (3, Vec3::zeros(), 0.3),
        (3, lying.scaled_axis(), 0.2),
        (4, Vec3::zeros(), 0.3),
    ];
    for (k, turn, height) in cases {
        let s = solid(&samples()[k]);
        for lift in [0.002, 0.0, -0.002] {
            for _ in 0..40 {
                let p = v();
                let x = Pose::new(Vec3::new(p.x, p.y, height + lift), yaw(6.0 * p.z) * exp_so3(&turn));
                let found = touches(&base, &placed(&s, &x), 0.01);
                let name = samples()[k].kind();
                assert!(found.len() >= 2 && found.len() <= 4, "{name}: {}", found.len());
                assert!(
                    found.iter().all(|t| (t.normal - Vec3::z()).norm() < 1e-9),
                    "{name} {lift} {found:?}"
                );
                assert!((least(&found) - lift).abs() < 1e-9, "{name}: {} for {lift}", least(&found));
            }
        }
    }
}

#[test]
fn a_sheet_holds_what_is_on_either_side() {
    let (floor, e) = (floor(), block(0.1, 0.1, 0.1));
    let base = placed(&floor, &Pose::identity());
    for side in [1.0, -1.0] {
        let x = Pose::translation(Vec3::new(0.03, 0.04, side * 0.099));
        let found = touches(&base, &placed(&e, &x), 0.01);
        assert_eq!(found.len(), 4);
        assert!(found.iter().all(|t| (t.normal - Vec3::z() * side).norm() < 1e-12 && (t.distance() + 0.001).abs() < 1e-12));
    }
}

/// A box over the rim of a block of triangles: the side of the block must not throw it out.
#[test]
fn a_box_over_the_rim_of_a_closed_mesh_rests_on_the_top_alone() {
    let e = Vec3::new(0.3, 0.3, 0.1);
    let (block_mesh, block_box) = (mesh_solid(mesh::box_surface(e)), block(e.x, e.y, e.z));
    let small = block(0.1, 0.1, 0.1);
    for lift in [0.001, 0.0, -1e-9, -1e-4, -0.002] {
        for over in [0.0, 0.25, 0.3, 0.35] {
            let x = placed(&small, &Pose::new(Vec3::new(over, 0.05, 0.2 + lift), yaw(0.2)));
            let found = touches(&placed(&block_mesh, &Pose::identity()), &x, 0.01);
            let boxes = touches(&placed(&block_box, &Pose::identity()), &x, 0.01);
            assert!((least(&found) - lift).abs() < 1e-9, "{over} {lift}: {}", least(&found));
            assert!((least(&boxes) - lift).abs() < 1e-9);
            assert!(found.iter().all(|t| (t.normal - Vec3::z()).norm() < 1e-6), "{over} {lift} {found:?}");
            assert!(found.len() <= 4, "{over} {lift}: {}", found.len());
            let extent = |all: &[Touch]| {
                let x = |t: &Touch| t.x[1].x;
                all.iter().map(x).fold(f64::NEG_INFINITY, f64::max)
                    - all.iter().map(x).fold(f64::INFINITY, f64::min)
            };
            assert!((extent(&found) - extent(&boxes)).abs() < 1e-3, "{over} {lift}");
        }
    }
}

/// Against the surface of a convex solid everything is as near as against the solid.
#[test]
fn shapes_near_a_closed_convex_mesh_are_as_near_as_its_hull_says() {
    let ball = mesh::sphere(0.3, 2);
    let (surface, hull) = (mesh_solid(ball.clone()), solid(&Geometry::ConvexHull(Arc::new(ball))));
    let mut v = vectors(14, 1.0);
    let mut met = 0;
    for g in samples() {
        let s = solid(&g);
        for _ in 0..60 {
            let d = v().try_normalize(0.1).unwrap_or_else(Vec3::z);
            let x = Pose::new(d * 0.62, exp_so3(&(v() * 3.0)));
            let side = placed(&s, &x);
            // bring it to a small gap
            let gap = least(&touches(&placed(&hull, &Pose::identity()), &side, 10.0));
            for wanted in [0.005, -0.002] {
                let normal = touches(&placed(&hull, &Pose::identity()), &side, 10.0)[0].normal;
                let side = Side { at: side.at + normal * (wanted - gap), ..side };
                let solid_gap = least(&touches(&placed(&hull, &Pose::identity()), &side, 0.01));
                let found = touches(&placed(&surface, &Pose::identity()), &side, 0.01);
                assert!((solid_gap - wanted).abs() < 1e-3, "{}: {solid_gap}", g.kind());
                // deep, a triangle answers with its own normal: within a tenth of the shortest way
                let tolerance = if wanted > 0.0 { 1e-6 } else { 0.1 * -wanted };
                assert!(
                    (least(&found) - solid_gap).abs() < tolerance,
                    "{}: {} {solid_gap}",
                    g.kind(),
                    least(&found)
                );
                met += 1;
            }
        }
    }
    assert!(met > 500);
}

#[test]
fn what_is_deep_in_a_closed_mesh_comes_out_by_the_nearest_way() {
    let surface = mesh_solid(mesh::box_surface(Vec3::new(1.0, 1.0, 0.5)));
    for g in [&samples()[0], &samples()[3]] {
        let s = solid(g);
        let x = placed(&s, &Pose::translation(Vec3::new(0.1, 0.2, 0.1)));
        let [t] = touches(&placed(&surface, &Pose::identity()), &x, 0.01)[..] else { panic!("{}", g.kind()) };
        let low = if s.radius() > 0.0 { 0.2 } else { 0.3 };
        assert!((t.normal - Vec3::z()).norm() < 1e-12 && (t.distance() - (0.1 - low - 0.5)).abs() < 1e-12);
    }
    // an open mesh has no inside
    let x = placed(&surface, &Pose::translation(Vec3::new(5.0, 0.0, 0.0)));
    assert!(touches(&placed(&surface, &Pose::identity()), &x, 0.01).is_empty());
}

#[test]
fn a_mesh_lies_on_a_plane_and_on_a_mesh_with_four_of_its_vertices() {
    let (e, plane) = (mesh_solid(mesh::box_surface(Vec3::repeat(0.1))), solid(&Geometry::Plane));
    let table = mesh_solid(mesh::box_surface(Vec3::new(1.0, 1.0, 0.1)));
    for (base, top) in [(&plane, 0.0), (&table, 0.1)] {
        let x = Pose::new(Vec3::new(0.2, 0.0, top + 0.099), yaw(0.4));
        let found = touches(&placed(base, &Pose::identity()), &placed(&e, &x), 0.01);
        assert_eq!(found.len(), 4);
        for t in &found {
            assert!((t.normal - Vec3::z()).norm() < 1e-12 && (t.distance() + 0.001).abs() < 1e-12);
            assert!((t.x[0].z - top).abs() < 1e-12);
        }
        let back = touches(&placed(&e, &x), &placed(base, &Pose::identity()), 0.01);
        assert!(back.len() == 4 && back.iter().all(|t| (t.normal + Vec3::z()).norm() < 1e-12));
    }
}

/// Hills over a grid of 0.1 m.
fn hills() -> Geometry {
    let height = |k: usize| {
        let (i, j) = ((k % 21) as f64, (k / 21) as f64);
        0.1 * (0.6 * i).sin() * (0.5 * j).cos()
    };
    let heights = (0..441).map(height).collect();
    Geometry::Heightfield(Arc::new(HeightField::new([21, 21], [0.1, 0.1], heights).unwrap()))
}

#[test]
fn a_height_field_holds_what_is_above_it_and_lifts_what_is_below() {
    let geometry = hills();
    let (field, ball) = (solid(&geometry), solid(&Geometry::Sphere { radius: 0.05 }));
    let distance = ShapeDistance::of(&geometry, std::iter::empty()).unwrap();
    let base = placed(&field, &Pose::identity());
    let mut v = vectors(16, 0.7);
    let (mut above, mut below) = (0, 0);
    for _ in 0..500 {
        let x = v();
        let x = Vec3::new(x.x, x.y, 0.3 * x.z);
        let d = distance.eval(&x, f64::INFINITY).unwrap().distance;
        let found = touches(&base, &placed(&ball, &Pose::translation(x)), 0.02);
        if d > 0.0 {
            assert_eq!(found.is_empty(), d - 0.05 >= 0.02, "{d}");
            assert!(found.is_empty() || (least(&found) - (d - 0.05)).abs() < 1e-12, "{d} {}", least(&found));
            above += usize::from(!found.is_empty());
        } else {
            assert!((least(&found) - (d - 0.05)).abs() < 1e-12 && found[0].normal.z > 0.0, "{d} {found:?}");
            below += 1;
        }
    }
    assert!(above > 50 && below > 100, "{above} {below}");
}

#[test]
fn a_flat_height_field_is_a_floor_without_seams() {
    let flat = HeightField::new([9, 9], [0.1, 0.1], vec![0.25; 81]).unwrap();
    let (field, e) = (solid(&Geometry::Heightfield(Arc::new(flat))), block(0.1, 0.1, 0.1));
    let mut v = vectors(18, 0.2);
    for _ in 0..50 {
        let p = v();
        let x = Pose::new(Vec3::new(p.x, p.y, 0.349), yaw(10.0 * p.z));
        let found = touches(&placed(&field, &Pose::identity()), &placed(&e, &x), 0.01);
        assert_eq!(found.len(), 4);
        assert!(
            found.iter().all(|t| (t.normal - Vec3::z()).norm() < 1e-9 && (t.distance() + 0.001).abs() < 1e-9)
        );
        // the points are the corners of the box, not some of the many cuts between them
        for t in &found {
            let local = x.q.inverse_transform_vector(&(t.x[1] - x.p));
            assert!((local.abs() - Vec3::repeat(0.1)).norm() < 1e-9, "{local}");
        }
    }
}

/// Whatever the angle, a round shape that rolls is as far from the floor, on the same points.
#[test]
fn rolling_feels_neither_the_angle_nor_the_kind_of_floor() {
    let (plane, slab, grid) = (solid(&Geometry::Plane), block(2.0, 2.0, 0.1), floor());
    let lying = exp_so3(&Vec3::new(0.0, std::f64::consts::FRAC_PI_2, 0.0));
    for (base, top) in [(&plane, 0.0), (&slab, 0.1), (&grid, 0.0)] {
        let base = placed(base, &Pose::identity());
        for (k, points) in [(0, 1), (2, 2), (3, 2)] {
            let s = solid(&samples()[k]);
            for step in 0..100 {
                let angle = 0.07 * f64::from(step);
                let roll = exp_so3(&Vec3::new(angle, 0.0, 0.0));
                let x = Pose::new(Vec3::new(0.013, -0.2 * angle + 0.4, top + 0.2 - 1e-4), roll * lying);
                let found = touches(&base, &placed(&s, &x), 0.01);
                assert_eq!(found.len(), points, "{} at {angle}", samples()[k].kind());
                for t in &found {
                    assert!((t.distance() + 1e-4).abs() < 1e-12 && (t.normal - Vec3::z()).norm() < 1e-9);
                    let [local, n] = [t.x[1] - x.p, -t.normal].map(|v| x.q.inverse_transform_vector(&v));
                    let axis = s.skeleton(&n, &local);
                    assert!(axis.xy().norm() < 1e-12 && ((local - axis).norm() - 0.2).abs() < 1e-12);
                    assert!(points == 1 || (axis.z.abs() - 0.3).abs() < 1e-9, "both ends: {}", axis.z);
                }
            }
        }
    }
}

/// Two long faces that meet at x = 0 and rise (or fall) by `slope` away from it.
fn fold(slope: f64) -> Solid {
    let v = |x: f64, y: f64| Vec3::new(x, y, slope * x.abs());
    let vertices = vec![v(0.0, -1.0), v(0.0, 1.0), v(1.0, -1.0), v(1.0, 1.0), v(-1.0, -1.0), v(-1.0, 1.0)];
    let triangles = vec![[0, 2, 3], [0, 3, 1], [0, 1, 5], [0, 5, 4]];
    mesh_solid(TriMesh { vertices, triangles })
}

#[test]
fn a_ball_in_a_trough_touches_both_sides_and_on_a_ridge_the_edge_once() {
    let ball = solid(&Geometry::Sphere { radius: 0.1 });
    let (trough, ridge) = (fold(1.0), fold(-1.0));
    let root = std::f64::consts::SQRT_2;
    let x = placed(&ball, &Pose::translation(Vec3::new(0.0, 0.3, 0.1 * root)));
    let mut normals: Vec<Vec3> = touches(&placed(&trough, &Pose::identity()), &x, 0.01)
        .iter()
        .map(|t| {
            assert!(t.distance().abs() < 1e-15);
            t.normal
        })
        .collect();
    normals.sort_by(|p, q| p.x.total_cmp(&q.x));
    assert_eq!(normals.len(), 2);
    for (n, side) in normals.iter().zip([-1.0, 1.0]) {
        assert!((n - Vec3::new(side, 0.0, 1.0) / root).norm() < 1e-14);
    }
    let x = placed(&ball, &Pose::translation(Vec3::new(0.03, 0.3, 0.09)));
    let [t] = touches(&placed(&ridge, &Pose::identity()), &x, 0.01)[..] else { panic!("one point") };
    let between = Vec3::new(0.03, 0.0, 0.09);
    assert!((t.normal - between.normalize()).norm() < 1e-14, "leaning, within the cone of the edge");
    assert!((t.distance() - (between.norm() - 0.1)).abs() < 1e-15);
    assert!((t.x[0] - Vec3::new(0.0, 0.3, 0.0)).norm() < 1e-15);
}

#[test]
fn a_box_on_a_ridge_touches_along_the_edge_and_a_capsule_across_it_in_one_point() {
    let ridge = fold(-0.5);
    let base = placed(&ridge, &Pose::identity());
    let e = block(0.1, 0.2, 0.1);
    for lift in [0.001, 0.0, -0.0005] {
        let found = touches(&base, &placed(&e, &Pose::translation(Vec3::new(0.02, 0.0, 0.1 + lift))), 0.01);
        let mut y: Vec<f64> = found.iter().map(|t| t.x[1].y).collect();
        y.sort_by(f64::total_cmp);
        assert!(found.iter().all(|t| (t.normal - Vec3::z()).norm() < 1e-6), "{lift} {found:?}");
        assert!((least(&found) - lift).abs() < 1e-9, "{lift} {found:?}");
        assert!((y[0] + 0.2).abs() < 1e-6 && (y[y.len() - 1] - 0.2).abs() < 1e-6, "{lift} {y:?}");
    }
    let capsule = solid(&samples()[2]);
    let across = exp_so3(&Vec3::new(0.0, std::f64::consts::FRAC_PI_2, 0.0));
    for lift in [0.001, 0.0, -0.001] {
        let x = Pose::new(Vec3::new(0.05, 0.3, 0.2 + lift), across);
        let found = touches(&base, &placed(&capsule, &x), 0.01);
        assert_eq!(found.len(), 1, "{lift}");
        assert!((found[0].normal - Vec3::z()).norm() < 1e-6 && (found[0].distance() - lift).abs() < 1e-9);
    }
}
