//! Meshes and hulls.

use super::*;

fn eval(m: &MeshDistance, x: V3<f64>) -> SurfacePoint<f64> {
    m.eval(&x.to_host(0), f64::INFINITY).unwrap()
}

/// A closed box of 12 triangles.
fn cube(e: [f64; 3]) -> TriMesh {
    let corner = |i: u32| [0, 1, 2].map(|k| if i >> k & 1 == 1 { e[k] } else { -e[k] });
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriMesh { vertices: (0..8).map(|i| Vec3::from(corner(i))).collect(), triangles }
}

/// A closed L: two faces meet in a concave edge along y.
fn ell() -> TriMesh {
    let profile = [[0.0, 0.0], [1.0, 0.0], [1.0, 0.4], [0.4, 0.4], [0.4, 1.0], [0.0, 1.0]];
    let at = |y: f64| profile.map(|[x, z]| Vec3::new(x - 0.5, y, z - 0.5));
    let vertices = [at(-0.3), at(0.3)].concat();
    // front is seen from -y: x to the right, z up, counter-clockwise
    let front = [[0, 1, 2], [0, 2, 3], [0, 3, 5], [3, 4, 5]];
    let mut triangles: Vec<[u32; 3]> = front.to_vec();
    triangles.extend(front.map(|[a, b, c]| [a + 6, c + 6, b + 6]));
    for i in 0..6 {
        let j = (i + 1) % 6;
        triangles.extend([[i, i + 6, j + 6], [i, j + 6, j]]);
    }
    TriMesh { vertices, triangles }
}

/// Distance to the nearest of the triangles, by an independent route: the plane foot if it
/// lies inside, else the nearest edge.
fn brute(mesh: &TriMesh, x: Vec3) -> f64 {
    let to_edge = |a: Vec3, b: Vec3| {
        let s = ((x - a).dot(&(b - a)) / (b - a).norm_squared()).clamp(0.0, 1.0);
        (x - a - (b - a) * s).norm()
    };
    let to_triangle = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| mesh.vertices[v as usize]);
        let n = (b - a).cross(&(c - a)).normalize();
        let foot = x - n * n.dot(&(x - a));
        let within = |p: Vec3, q: Vec3| n.dot(&(q - p).cross(&(foot - p))) >= 0.0;
        let edges = to_edge(a, b).min(to_edge(b, c)).min(to_edge(c, a));
        if within(a, b) && within(b, c) && within(c, a) { n.dot(&(x - a)).abs() } else { edges }
    };
    mesh.triangles.iter().map(to_triangle).fold(f64::INFINITY, f64::min)
}

/// Sum of solid angles over 4π: 1 inside, 0 outside.
fn winding(mesh: &TriMesh, x: Vec3) -> f64 {
    let angle = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| mesh.vertices[v as usize] - x);
        let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
        let below = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
        2.0 * a.dot(&b.cross(&c)).atan2(below)
    };
    mesh.triangles.iter().map(angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
}

#[test]
fn a_mesh_agrees_with_all_its_triangles_and_with_its_winding_number() {
    for surface in [cube([0.3, 0.5, 0.2]), ell(), mesh::sphere(0.6, 2), mesh::cone(0.4, 0.5, 9)] {
        let m = MeshDistance::new(&surface).unwrap();
        assert!(m.is_closed());
        let mut inside = 0;
        for x in samples() {
            let (at, host) = (eval(&m, x), x.to_host(0));
            assert!((at.distance.abs() - brute(&surface, host)).abs() < 1e-13, "{x:?}: {at:?}");
            let w = winding(&surface, host);
            assert_eq!(at.distance < 0.0, w > 0.5, "{x:?}: {at:?}, winding {w}");
            assert!((x - at.point - at.normal * at.distance).norm() < 1e-12, "{x:?}: {at:?}");
            assert!((at.normal.norm() - 1.0).abs() < 1e-14);
            inside += usize::from(w > 0.5);
        }
        assert!(inside > 20, "{inside} samples inside");
    }
}

#[test]
fn the_normal_of_a_mesh_is_the_gradient_of_its_distance() {
    let m = MeshDistance::new(&ell()).unwrap();
    let mut checked = 0;
    for x in samples() {
        let (at, g) = (eval(&m, x), gradient(|x| eval(&m, x).distance, x));
        if (g.norm() - 1.0).abs() < 1e-6 {
            assert!((g - at.normal).norm() < 1e-5, "{x:?}: {g:?} {at:?}");
            checked += 1;
        }
    }
    assert!(checked > 1900, "{checked}");
}

#[test]
fn what_is_within_reach_is_found_and_what_is_beyond_may_not_be() {
    for surface in [ell(), mesh::sphere(0.6, 3)] {
        let m = MeshDistance::new(&surface).unwrap();
        for x in samples() {
            let at = eval(&m, x);
            for reach in [0.0, 0.01, 0.1, 0.5] {
                let found = m.eval(&x.to_host(0), reach);
                assert!(found.is_some() || at.distance >= reach, "{x:?}: {at:?} within {reach}");
                assert!(found.is_none_or(|f| f == at), "{x:?}");
            }
        }
    }
    let m = MeshDistance::new(&ell()).unwrap();
    assert!(m.eval(&Vec3::new(f64::NAN, 0.0, 0.0), 1.0).is_none());
}

#[test]
fn a_meshed_box_is_the_box() {
    let e = [0.3, 0.5, 0.2];
    let exact = Sdf::Box { half_extents: e };
    let as_mesh = MeshDistance::new(&cube(e)).unwrap();
    let as_hull = MeshDistance::of_hull(&cube(e).vertices).unwrap();
    for x in samples() {
        let at = exact.eval(x);
        for m in [&as_mesh, &as_hull] {
            let found = eval(m, x);
            assert!((found.distance - at.distance).abs() < 1e-14, "{x:?}");
            assert!((found.normal - at.normal).norm() < 1e-9, "{x:?}: {found:?} {at:?}");
        }
    }
}

#[test]
fn a_hull_needs_no_triangles_and_ignores_what_is_inside() {
    let mut next = vectors(3, 0.4);
    let mut points: Vec<Vec3> = (0..300).map(|_| next()).collect();
    points.extend(cube([0.5; 3]).vertices);
    points.extend(cube([0.5; 3]).vertices);
    let m = MeshDistance::of_hull(&points).unwrap();
    let exact = Sdf::Box { half_extents: [0.5; 3] };
    for x in samples() {
        assert!((eval(&m, x).distance - exact.eval(x).distance).abs() < 1e-14, "{x:?}");
    }
}

#[test]
fn normals_on_a_round_mesh_are_nearly_radial() {
    let m = MeshDistance::new(&mesh::sphere(0.5, 2)).unwrap();
    for x in samples().filter(|x| x.norm() > 0.3) {
        let radial = x * (1.0 / x.norm());
        assert!(eval(&m, x).normal.dot(radial) > 0.95, "{x:?}: {:?}", eval(&m, x));
    }
    for v in &mesh::sphere(0.5, 2).vertices {
        let normal = eval(&m, V3::from_host(v)).normal.to_host(0);
        assert!(normal.dot(v) / v.norm() > 0.99, "on the surface: {v}");
    }
}

#[test]
fn a_flat_triangulated_floor_has_one_normal() {
    // jagged triangles in one tilted plane, whose vertices are rounded
    let tilt = coact_math::exp_so3(&Vec3::new(0.3, -0.2, 0.1));
    let mut floor = mesh::cloth_grid([12, 9], [1.2, 0.9], mesh::Diagonal::Alternating);
    floor.vertices.iter_mut().for_each(|v| *v = tilt * *v);
    let (m, up) = (MeshDistance::new(&floor).unwrap(), tilt * Vec3::z());
    let centre = floor.vertices.iter().sum::<Vec3>() / floor.vertices.len() as f64;
    let expect = |x: Vec3| {
        let at = m.eval(&x, 1.0).unwrap();
        let n = at.normal.to_host(0) * up.dot(&at.normal.to_host(0)).signum();
        assert!((n - up).norm() < 1e-13, "{x}: {at:?}");
    };
    let inner = |v: &&Vec3| (*v - centre).norm() < 0.3;
    for v in floor.vertices.iter().filter(inner) {
        for height in [0.0, 1e-17, 1e-14, 1e-9, 1e-3, 0.1] {
            for along in [0.0, 1e-9, 0.017, 0.05, 0.1] {
                expect(v + up * height + tilt * Vec3::new(along, 0.0, 0.0));
                expect(v + up * height + tilt * Vec3::new(along, along, 0.0));
            }
        }
    }
}

#[test]
fn an_open_sheet_has_two_sides() {
    let m = MeshDistance::new(&mesh::cloth_grid([4, 4], [1.0, 1.0], mesh::Diagonal::Alternating)).unwrap();
    assert!(!m.is_closed());
    let [low, high] = m.bounds();
    let middle = (low + high) * 0.5;
    for (z, up) in [(0.03, 1.0), (-0.03, -1.0)] {
        let at = m.eval(&(middle + Vec3::new(0.01, 0.02, z)), 1.0).unwrap();
        assert!((at.distance - 0.03).abs() < 1e-15, "{at:?}");
        assert_eq!(at.normal, V3::new(0.0, 0.0, up));
    }
    // beside its rim the way to it is the normal
    let at = m.eval(&(high + Vec3::new(0.1, 0.0, 0.1)), 1.0).unwrap();
    assert!((at.distance - 0.02_f64.sqrt()).abs() < 1e-15);
    assert!((at.normal - V3::new(0.5_f64.sqrt(), 0.0, 0.5_f64.sqrt())).norm() < 1e-14, "{at:?}");
}

#[test]
fn what_encloses_or_spans_nothing_is_refused() {
    let fault = |m: &TriMesh| MeshDistance::new(m).err();
    assert_eq!(fault(&TriMesh::default()), Some(MeshFault::Empty));
    let mut inward = cube([0.5; 3]);
    inward.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    assert_eq!(fault(&inward), Some(MeshFault::Inward));
    let mut bad = cube([0.5; 3]);
    bad.vertices[3].x = f64::NAN;
    assert_eq!(fault(&bad), Some(MeshFault::BadVertex));
    let flat: Vec<Vec3> = mesh::cloth_grid([3, 3], [0.3, 0.3], mesh::Diagonal::Alternating).vertices;
    assert_eq!(MeshDistance::of_hull(&flat).err(), Some(MeshFault::FlatHull));
    assert_eq!(MeshDistance::of_hull(&[]).err(), Some(MeshFault::FlatHull));
}
