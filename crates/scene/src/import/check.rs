//! What a mesh must be to be simulated: finite, indexed, without doubles or slivers.

use std::collections::HashMap;

use coact_math::Vec3;
use coact_model::{TetMesh, TriMesh};

use super::MeshFault;

/// Area of a triangle relative to its longest edge squared, below which it has no normal.
/// Raising it refuses thin but usable triangles; lowering it lets rounding decide.
const FLAT: f64 = 1e-9;

/// Two vertices this close, relative to the extent of the mesh, are one: it is the rounding
/// of a file in single precision. Raising it refuses fine meshes.
const SAME: f64 = 1e-7;

/// Largest coordinate \[m\]: beyond it squares of lengths lose all meaning.
const FARTHEST: f64 = 1e15;

/// Refuses a surface that cannot be simulated; `all_used`: every vertex needs a triangle
/// (a cloth's does, or it would have no mass).
///
/// # Errors
/// The first fault: finite numbers, indices, doubled vertices, flat triangles, loose vertices.
pub fn check_surface(mesh: &TriMesh, all_used: bool) -> Result<(), MeshFault> {
    check_vertices(&mesh.vertices, mesh.triangles.is_empty(), "triangles")?;
    check_indices(&mesh.vertices, &mesh.triangles, "triangle")?;
    check_doubles(&mesh.vertices)?;
    check_repeats(&mesh.triangles, "triangle")?;
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
    check_repeats(&mesh.tets, "tetrahedron")?;
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
    if let Some(i) = vertices.iter().position(|v| v.iter().any(|x| !x.is_finite())) {
        return Err(MeshFault::new(
            format!("vertex {i} (counted from 0) is not finite: {:?}", vertices[i].as_slice()),
            "export the mesh anew; it holds a number that is infinite or not a number",
        ));
    }
    match vertices.iter().position(|v| v.amax() > FARTHEST) {
        Some(i) => Err(MeshFault::new(
            format!("vertex {i} (counted from 0) is {:e} m away from the origin", vertices[i].amax()),
            "export the mesh anew, in metres, or set `scale`",
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

/// Two vertices at one place are a crack: what looks joined would fall apart. Found in a
/// grid of cells as large as the tolerance, each vertex against the 27 cells around it.
fn check_doubles(vertices: &[Vec3]) -> Result<(), MeshFault> {
    let extent = vertices.iter().map(|v| (v - vertices[0]).amax()).fold(0.0, f64::max);
    let near = (SAME * extent).max(f64::MIN_POSITIVE);
    let cell = |x: f64, d: i64| (x / near).floor() as i64 + d;
    let mut seen: HashMap<[i64; 3], usize> = HashMap::with_capacity(vertices.len());
    for (i, v) in vertices.iter().enumerate() {
        let p = v - vertices[0];
        let around = (0..27).map(|n| [cell(p.x, n % 3 - 1), cell(p.y, n / 3 % 3 - 1), cell(p.z, n / 9 - 1)]);
        let is_double = |&k: &usize| (vertices[k] - v).amax() <= near;
        if let Some(first) = around.filter_map(|key| seen.get(&key).copied()).find(is_double) {
            return Err(doubled(first, i, v));
        }
        seen.insert([cell(p.x, 0), cell(p.y, 0), cell(p.z, 0)], i);
    }
    Ok(())
}

fn doubled(first: usize, i: usize, v: &Vec3) -> MeshFault {
    let place = format!("({}, {}, {})", v.x, v.y, v.z);
    MeshFault::new(
        format!("vertices {first} and {i} (counted from 0) are both at {place}: the mesh has a crack"),
        "merge doubled vertices, e.g. in Blender: Mesh > Merge > By Distance",
    )
}

/// The same vertices twice, in whatever order, are one element too many.
fn check_repeats<const N: usize>(elements: &[[u32; N]], word: &str) -> Result<(), MeshFault> {
    let mut seen: HashMap<[u32; N], usize> = HashMap::with_capacity(elements.len());
    for (i, e) in elements.iter().enumerate() {
        let mut key = *e;
        key.sort_unstable();
        if let Some(first) = seen.insert(key, i) {
            let message = format!("{word} {i} has the same vertices as {word} {first} (both counted from 0)");
            return Err(MeshFault::new(message, "remove one of the two"));
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
        let close = [corner.clone(), v(&[[1e-9, 0.0, 0.0]])].concat();
        assert!(fault(mesh(close, [0, 1, 2])).contains("vertices 0 and 3"));
        let far = v(&[[0.0; 3], [1e200, 0.0, 0.0], [0.0, 1e200, 0.0]]);
        assert!(fault(mesh(far, [0, 1, 2])).contains("1e200 m away"));
        let twice = TriMesh { vertices: corner.clone(), triangles: vec![[0, 1, 2], [2, 0, 1]] };
        assert!(fault(twice).contains("triangle 1 has the same vertices as triangle 0"));
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
        let mut twice = tet([0, 1, 2, 3]);
        twice.tets.push([1, 0, 3, 2]);
        assert!(check_tets(&mut twice, true).unwrap_err().message.contains("tetrahedron 1 has the same"));
        assert!(fault.message.contains("tetrahedron 0") && fault.remedy.contains("orient: true"));
        let mut turned = tet([0, 2, 1, 3]);
        assert!(check_tets(&mut turned, true).is_ok());
        assert!(tet_measure(&turned, &turned.tets[0]).0 > 0.0);
    }
}
