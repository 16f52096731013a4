//! Grids and boxes fill what they claim to fill, without gaps.

use coact_math::Vec3;

use super::*;
use crate::inertia::MassProperties;
use crate::shape::{Geometry, TriMesh};

fn area(m: &TriMesh) -> f64 {
    let x = |i: u32| m.vertices[i as usize];
    m.triangles.iter().map(|t| 0.5 * (x(t[1]) - x(t[0])).cross(&(x(t[2]) - x(t[0]))).norm()).sum()
}

#[test]
fn a_cloth_grid_covers_its_area_facing_up_in_both_triangulations() {
    for diagonal in [Diagonal::Alternating, Diagonal::Uniform] {
        let m = cloth_grid([5, 3], [2.0, 0.9], diagonal);
        assert_eq!((m.vertices.len(), m.triangles.len()), (24, 30));
        assert!((area(&m) - 1.8).abs() < 1e-14);
        for t in &m.triangles {
            let [a, b, c] = t.map(|v| m.vertices[v as usize]);
            assert!((b - a).cross(&(c - a)).z > 0.0);
        }
        // Interior edges of a grid: one per cell, and those between cells.
        assert_eq!(interior_edges(&m).unwrap().len(), 15 + 4 * 3 + 5 * 2);
        assert_eq!(m.vertices[4 * 6 - 1], Vec3::new(2.0, 0.9, 0.0));
    }
}

#[test]
fn the_two_triangulations_differ_where_diagonals_alternate() {
    let uniform = cloth_grid([2, 1], [1.0, 1.0], Diagonal::Uniform);
    let alternating = cloth_grid([2, 1], [1.0, 1.0], Diagonal::Alternating);
    assert_eq!(uniform.triangles[..2], alternating.triangles[..2]);
    assert_ne!(uniform.triangles[2..], alternating.triangles[2..]);
}

#[test]
fn boxes_of_tetrahedra_fill_the_box_with_matching_faces() {
    let size = Vec3::new(1.0, 2.0, 0.5);
    for (split, per_cell) in [(CellSplit::Five, 5), (CellSplit::Six, 6)] {
        let m = tet_box([3, 2, 2], size, split);
        assert_eq!((m.vertices.len(), m.tets.len()), (4 * 3 * 3, 12 * per_cell));
        assert!((m.volume() - 1.0).abs() < 1e-14, "volume {}", m.volume());
        for t in &m.tets {
            let one = TetMesh { vertices: m.vertices.clone(), tets: vec![*t] };
            assert!(one.volume() > 1e-3, "inverted {t:?}");
        }
        // Unmatched inner faces would add to the surface.
        let surface = m.surface();
        assert_eq!(surface.triangles.len(), 2 * 2 * (3 * 2 + 3 * 2 + 2 * 2));
        let solid = MassProperties::of_mesh(&surface, 1.0).unwrap();
        assert!((solid.mass - 1.0).abs() < 1e-14 && (solid.com - size / 2.0).norm() < 1e-14);
    }
}

#[test]
fn a_surface_drops_inner_vertices() {
    let m = tet_box([4, 4, 4], Vec3::repeat(1.0), CellSplit::Five);
    assert_eq!(m.surface().vertices.len(), 125 - 27);
    assert_eq!(m.surface_triangles().len(), m.surface().triangles.len());
}

#[test]
fn a_tube_is_open_at_both_ends_and_faces_outward() {
    let m = tube(0.5, 2.0, 64, 4);
    assert_eq!((m.vertices.len(), m.triangles.len()), (64 * 5, 64 * 8));
    assert!(MassProperties::of_mesh(&m, 1.0).is_err());
    assert!((area(&m) / (std::f64::consts::TAU * 0.5 * 2.0) - 1.0).abs() < 1e-3);
    for t in &m.triangles {
        let [a, b, c] = t.map(|v| m.vertices[v as usize]);
        let mid = (a + b + c) / 3.0;
        assert!((b - a).cross(&(c - a)).dot(&Vec3::new(mid.x, mid.y, 0.0)) > 0.0);
    }
}

#[test]
fn surfaces_of_solids_converge_to_the_exact_mass_and_inertia() {
    let solids = [
        Geometry::Sphere { radius: 0.7 },
        Geometry::Box { half_extents: Vec3::new(0.2, 0.5, 0.9) },
        Geometry::Capsule { radius: 0.3, half_height: 0.6 },
        Geometry::Cylinder { radius: 0.4, half_height: 0.25 },
        Geometry::Cone { radius: 0.4, half_height: 0.5 },
        Geometry::Ellipsoid { radii: Vec3::new(0.2, 0.5, 0.9) },
    ];
    for g in solids {
        let exact = g.mass_properties(3.0).unwrap();
        let error = |n: usize| {
            let m = MassProperties::of_mesh(&g.surface_mesh(n), 3.0).unwrap();
            let inertia = (m.inertia - exact.inertia).norm() / exact.inertia.norm();
            (m.mass / exact.mass - 1.0).abs() + (m.com - exact.com).norm() + inertia
        };
        let (coarse, fine) = (error(20), error(160));
        assert!(fine < 2e-3, "{}: {fine}", g.kind());
        // Second order in the edge length: eight times finer, about 64 times better.
        assert!(fine < 1e-13 || coarse / fine > 40.0, "{}: {coarse} -> {fine}", g.kind());
    }
}

#[test]
fn an_icosphere_has_all_vertices_at_its_radius() {
    let m = sphere(2.5, 3);
    assert_eq!((m.triangles.len(), m.vertices.len()), (20 * 64, 10 * 64 + 2));
    assert!(m.vertices.iter().all(|v| (v.norm() - 2.5).abs() < 1e-14));
}

#[test]
fn edges_with_three_triangles_or_opposite_winding_are_found() {
    let v = |x: f64, y: f64, z: f64| Vec3::new(x, y, z);
    let vertices = vec![v(0., 0., 0.), v(1., 0., 0.), v(0., 1., 0.), v(1., -1., 0.), v(0., 0., 1.)];
    let fan = TriMesh { vertices: vertices.clone(), triangles: vec![[0, 1, 2], [1, 0, 3], [0, 1, 4]] };
    assert_eq!(interior_edges(&fan).unwrap_err().triangles, 3);
    let flipped = TriMesh { vertices: vertices.clone(), triangles: vec![[0, 1, 2], [0, 1, 3]] };
    assert_eq!(interior_edges(&flipped).unwrap_err().ends, [0, 1]);
    let good = TriMesh { vertices, triangles: vec![[0, 1, 2], [1, 0, 3]] };
    assert_eq!(interior_edges(&good).unwrap(), vec![[2, 3, 0, 1]]);
}
