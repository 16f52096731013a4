//! Surfaces of revolution and spheres, closed unless said, wound outward.

use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};

use coact_math::Vec3;

use crate::shape::TriMesh;

/// An open tube about the z axis, from z = −`length`/2 to `length`/2, without end caps:
/// a cloth sleeve. `around` ≥ 3 vertices per ring, `along` ≥ 1 rows of cells. Vertex
/// (ring j, place i) has index `j around + i`.
pub fn tube(radius: f64, length: f64, around: usize, along: usize) -> TriMesh {
    let along = along.max(1);
    let rings = (0..=along).map(|j| (radius, length * (j as f64 / along as f64 - 0.5)));
    revolve(&rings.collect::<Vec<_>>(), around)
}

/// An icosahedron, refined `subdivisions` times: 20 · 4ⁿ triangles on the sphere.
pub fn sphere(radius: f64, subdivisions: u32) -> TriMesh {
    let mut mesh = icosahedron();
    for _ in 0..subdivisions {
        mesh = subdivided(&mesh);
    }
    mesh.vertices.iter_mut().for_each(|v| *v *= radius);
    mesh
}

/// A closed cylinder about z; `around` ≥ 3.
pub fn cylinder(radius: f64, half_height: f64, around: usize) -> TriMesh {
    closed(&[(0.0, -half_height), (radius, -half_height), (radius, half_height), (0.0, half_height)], around)
}

/// A closed cone about z with its tip at +z; `around` ≥ 3.
pub fn cone(radius: f64, half_height: f64, around: usize) -> TriMesh {
    closed(&[(0.0, -half_height), (radius, -half_height), (0.0, half_height)], around)
}

/// A closed capsule about z; `around` ≥ 3 vertices per ring, half as many rings per cap.
pub fn capsule(radius: f64, half_height: f64, around: usize) -> TriMesh {
    let rings = around.div_ceil(4).max(2);
    let at = |k: usize| radius_height(radius, 0.5 * PI * k as f64 / rings as f64);
    let lower = (0..=rings).map(at).map(|(r, z)| (r, -half_height - z));
    let upper = (0..=rings).rev().map(at).map(|(r, z)| (r, half_height + z));
    closed(&lower.chain(upper).collect::<Vec<_>>(), around)
}

/// Point of a quarter circle at `angle` from the pole.
fn radius_height(radius: f64, angle: f64) -> (f64, f64) {
    (radius * angle.sin(), radius * angle.cos())
}

/// Rings of (radius, z), upward, joined by triangles that face outward.
fn revolve(rings: &[(f64, f64)], around: usize) -> TriMesh {
    let n = around.max(3);
    let mut mesh = TriMesh::default();
    for &(r, z) in rings {
        let angle = |i: usize| TAU * i as f64 / n as f64;
        mesh.vertices.extend((0..n).map(|i| Vec3::new(r * angle(i).cos(), r * angle(i).sin(), z)));
    }
    for j in 0..rings.len() - 1 {
        for i in 0..n {
            let (a, b) = ((j * n + i) as u32, (j * n + (i + 1) % n) as u32);
            let (d, c) = (a + n as u32, b + n as u32);
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    mesh
}

/// A profile of (radius, z) from the lower pole to the upper one, both with radius 0.
fn closed(profile: &[(f64, f64)], around: usize) -> TriMesh {
    let (inner, last) = (&profile[1..profile.len() - 1], profile.len() - 1);
    let mut mesh = revolve(inner, around);
    let (n, top) = (around.max(3) as u32, mesh.vertices.len() as u32);
    let (south, north) = (top, top + 1);
    mesh.vertices.extend([Vec3::new(0.0, 0.0, profile[0].1), Vec3::new(0.0, 0.0, profile[last].1)]);
    for i in 0..n {
        let next = (i + 1) % n;
        mesh.triangles.push([south, next, i]);
        mesh.triangles.push([north, top - n + i, top - n + next]);
    }
    mesh
}

fn icosahedron() -> TriMesh {
    let g = 0.5 * (1.0 + 5.0_f64.sqrt());
    let corners = [
        (-1.0, g, 0.0),
        (1.0, g, 0.0),
        (-1.0, -g, 0.0),
        (1.0, -g, 0.0),
        (0.0, -1.0, g),
        (0.0, 1.0, g),
        (0.0, -1.0, -g),
        (0.0, 1.0, -g),
        (g, 0.0, -1.0),
        (g, 0.0, 1.0),
        (-g, 0.0, -1.0),
        (-g, 0.0, 1.0),
    ];
    let triangles = vec![
        [0, 11, 5],
        [0, 5, 1],
        [0, 1, 7],
        [0, 7, 10],
        [0, 10, 11],
        [1, 5, 9],
        [5, 11, 4],
        [11, 10, 2],
        [10, 7, 6],
        [7, 1, 8],
        [3, 9, 4],
        [3, 4, 2],
        [3, 2, 6],
        [3, 6, 8],
        [3, 8, 9],
        [4, 9, 5],
        [2, 4, 11],
        [6, 2, 10],
        [8, 6, 7],
        [9, 8, 1],
    ];
    TriMesh { vertices: corners.map(|(x, y, z)| Vec3::new(x, y, z).normalize()).to_vec(), triangles }
}

/// Each triangle in four, new vertices on the unit sphere.
fn subdivided(mesh: &TriMesh) -> TriMesh {
    let mut out = TriMesh { vertices: mesh.vertices.clone(), triangles: Vec::new() };
    let mut middle = BTreeMap::new();
    for &[a, b, c] in &mesh.triangles {
        let [ab, bc, ca] = [[a, b], [b, c], [c, a]].map(|[p, q]| {
            *middle.entry([p.min(q), p.max(q)]).or_insert_with(|| {
                let x = mesh.vertices[p as usize] + mesh.vertices[q as usize];
                out.vertices.push(x.normalize());
                out.vertices.len() as u32 - 1
            })
        });
        out.triangles.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    out
}
