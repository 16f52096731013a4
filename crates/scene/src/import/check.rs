//! What a mesh must be to be simulated: finite, indexed, without doubles or slivers.

use std::collections::HashMap;

use coact_math::Vec3;
use coact_model::{TetMesh, TriMesh};

use super::MeshFault;

/// Area of a triangle relative to its longest edge squared, below which it has no normal.
/// Raising it refuses thin but usable triangles; lowering it lets rounding decide.
const FLAT: f64 = 1e-9;

/// Refuses a surface that cannot be simulated; `all_used`: every vertex needs a triangle
/// (a cloth's does, or it would have no mass).
///
/// # Errors
/// The first fault: finite numbers, indices, doubled vertices, flat triangles, loose vertices.
pub fn check_surface(mesh: &TriMesh, all_used: bool) -> Result<(), MeshFault> {
    check_vertices(&mesh.vertices, mesh.triangles.is_empty(), "triangles")?;
    check_indices(&mesh.vertices, &mesh.triangles, "triangle")?;
    check_doubles(&mesh.vertices)?;
    for (i, t) in mesh.triangles.iter().enumerate() {
        let [a, b, c] = t.map(|v| mesh.vertices[v as usize]);
        let longest2 = [b - a, c - b, a - c].iter().map(|e| e.norm_squared()).fold(0.0, f64::max);
        if (b - a).cross(&(c - a)).norm() <= FLAT * longest2 {
            return Err(flat_triangle(i, t));
        }
    }
    if all_used { check_used(mesh.vertices.len(), &mesh.triangles, "triangle") } else { Ok(()) }
}

/// Refuses tetrahedra that cannot be simulated; with `orient`, turns inverted ones.
///
/// # Errors
/// The first fault: finite numbers, indices, doubled vertices, flat or inverted elements,
/// loose vertices.
pub fn check_tets(mesh: &mut TetMesh, orient: bool) -> Result<(), MeshFault> {
    check_vertices(&mesh.vertices, mesh.tets.is_empty(), "tetrahedra")?;
    check_indices(&mesh.vertices, &mesh.tets, "tetrahedron")?;
    check_doubles(&mesh.vertices)?;
    for i in 0..mesh.tets.len() {
        let t = mesh.tets[i];
        let (volume, size) = tet_measure(mesh, &t);
        if volume.abs() <= FLAT * size {
            return Err(flat_tet(i, &t));
        }
        if volume < 0.0 && !orient {
            return Err(inverted_tet(i, &t, volume));
        }
        if volume < 0.0 {
            mesh.tets[i].swap(2, 3);
        }
    }
    check_used(mesh.vertices.len(), &mesh.tets, "tetrahedron")
}

/// Signed volume, and the cube of the longest edge.
fn tet_measure(mesh: &TetMesh, t: &[u32; 4]) -> (f64, f64) {
    let x = t.map(|v| mesh.vertices[v as usize]);
    let volume = (x[1] - x[0]).cross(&(x[2] - x[0])).dot(&(x[3] - x[0])) / 6.0;
    let pairs = (0..4).flat_map(|a| (0..a).map(move |b| (a, b)));
    let longest = pairs.map(|(a, b)| (x[a] - x[b]).norm()).fold(0.0, f64::max);
    (volume, longest.powi(3))
}

fn check_vertices(vertices: &[Vec3], empty: bool, elements: &str) -> Result<(), MeshFault> {
    if vertices.is_empty() || empty {
        return Err(MeshFault::new(
            format!("it has no {elements}"),
            format!("use a mesh that has {elements}"),
        ));
    }
    match vertices.iter().position(|v| v.iter().any(|x| !x.is_finite())) {
        Some(i) => Err(MeshFault::new(
            format!("vertex {i} (counted from 0) is not finite: {:?}", vertices[i].as_slice()),
            "export the mesh anew; it holds a number that is infinite or not a number",
        )),
        None => Ok(()),
    }
}

fn check_indices<const N: usize>(v: &[Vec3], elements: &[[u32; N]], word: &str) -> Result<(), MeshFault> {
    for (i, e) in elements.iter().enumerate() {
        if let Some(bad) = e.iter().find(|&&k| k as usize >= v.len()) {
            let message =
                format!("{word} {i} (counted from 0) names vertex {bad}, but there are {} vertices", v.len());
            return Err(MeshFault::new(
                message,
                format!("write numbers from 0 to {}", v.len().saturating_sub(1)),
            ));
        }
    }
    Ok(())
}

/// Two vertices at one place are a crack: what looks joined would fall apart.
fn check_doubles(vertices: &[Vec3]) -> Result<(), MeshFault> {
    let mut seen: HashMap<[u64; 3], usize> = HashMap::with_capacity(vertices.len());
    for (i, v) in vertices.iter().enumerate() {
        // Adding zero turns -0 into +0, which is the same place.
        let key = [v.x, v.y, v.z].map(|x| (x + 0.0).to_bits());
        if let Some(first) = seen.insert(key, i) {
            let message = format!(
                "vertices {first} and {i} (counted from 0) are both at ({}, {}, {}): the surface has a crack",
                v.x, v.y, v.z
            );
            let remedy = "merge doubled vertices, e.g. in Blender: Mesh > Merge > By Distance";
            return Err(MeshFault::new(message, remedy));
        }
    }
    Ok(())
}

fn check_used<const N: usize>(count: usize, elements: &[[u32; N]], word: &str) -> Result<(), MeshFault> {
    let mut used = vec![false; count];
    elements.iter().flatten().for_each(|&v| used[v as usize] = true);
    match used.iter().position(|u| !u) {
        Some(i) => Err(MeshFault::new(
            format!("vertex {i} (counted from 0) belongs to no {word}: it would have no mass"),
            "delete loose vertices, e.g. in Blender: Mesh > Clean Up > Delete Loose",
        )),
        None => Ok(()),
    }
}

fn flat_triangle(i: usize, t: &[u32; 3]) -> MeshFault {
    MeshFault::new(
        format!("triangle {i} (vertices {}, {}, {}, all counted from 0) has no area", t[0], t[1], t[2]),
        "remove or repair it, e.g. in Blender: Mesh > Clean Up > Degenerate Dissolve",
    )
}

fn flat_tet(i: usize, t: &[u32; 4]) -> MeshFault {
    MeshFault::new(
        format!("tetrahedron {i} (vertices {t:?}, all counted from 0) has no volume"),
        "mesh the body anew with a quality bound, e.g. `gmsh -3 -optimize`",
    )
}

fn inverted_tet(i: usize, t: &[u32; 4], volume: f64) -> MeshFault {
    MeshFault::new(
        format!("tetrahedron {i} (vertices {t:?}, all counted from 0) is inside out: volume {volume:.3e} m³"),
        "write `orient: true` beside the path to turn such tetrahedra, or swap two of its vertices",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v(list: &[[f64; 3]]) -> Vec<Vec3> {
        list.iter().map(|&[x, y, z]| Vec3::new(x, y, z)).collect()
    }

    fn tet(indices: [u32; 4]) -> TetMesh {
        let vertices = v(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
        TetMesh { vertices, tets: vec![indices] }
    }

    #[test]
    fn a_sound_surface_passes_and_each_fault_is_named() {
        let corner = v(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
        let mesh = |vertices: Vec<Vec3>, t: [u32; 3]| TriMesh { vertices, triangles: vec![t] };
        assert!(check_surface(&mesh(corner.clone(), [0, 1, 2]), true).is_ok());
        let fault = |m: TriMesh| check_surface(&m, true).unwrap_err().message;
        assert!(fault(mesh(corner.clone(), [0, 1, 3])).contains("names vertex 3"));
        assert!(fault(mesh(corner.clone(), [0, 1, 1])).contains("triangle 0 (vertices 0, 1, 1"));
        let doubled = [corner.clone(), v(&[[0.0, -0.0, 0.0]])].concat();
        assert!(fault(mesh(doubled, [0, 1, 2])).contains("vertices 0 and 3"));
        let loose = [corner.clone(), v(&[[5.0, 5.0, 5.0]])].concat();
        assert!(fault(mesh(loose, [0, 1, 2])).contains("vertex 3"));
        let nan = [corner, v(&[[f64::NAN, 0.0, 0.0]])].concat();
        assert!(fault(mesh(nan, [0, 1, 2])).contains("not finite"));
        assert!(fault(TriMesh::default()).contains("no triangles"));
    }

    #[test]
    fn inverted_tets_are_refused_or_turned() {
        assert!(check_tets(&mut tet([0, 1, 2, 3]), false).is_ok());
        let fault = check_tets(&mut tet([0, 2, 1, 3]), false).unwrap_err();
        assert!(fault.message.contains("tetrahedron 0") && fault.remedy.contains("orient: true"));
        let mut turned = tet([0, 2, 1, 3]);
        assert!(check_tets(&mut turned, true).is_ok());
        assert!(tet_measure(&turned, &turned.tets[0]).0 > 0.0);
    }
}
