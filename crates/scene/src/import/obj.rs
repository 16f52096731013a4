//! Wavefront OBJ: the `v` and `f` lines.
//!
//! Read here and not by a crate because the numbers of vertices and of lines must be the
//! file's own: a scene pins vertices by number, and a fault names its line. (`tobj`, which
//! was tried, renumbers vertices by first use and keeps no lines.) Texture coordinates,
//! normals, groups and materials are passed over.

use coact_math::Vec3;
use coact_model::TriMesh;

use super::MeshFault;

/// Reads a triangle mesh.
pub(super) fn read(text: &str) -> Result<TriMesh, MeshFault> {
    let mut mesh = TriMesh::default();
    let vertex_count = text.lines().filter(|l| l.starts_with("v ") || l.starts_with("v\t")).count();
    for (i, line) in text.lines().enumerate() {
        let line_number = i + 1;
        let mut words = line.split('#').next().unwrap_or("").split_whitespace();
        match words.next() {
            Some("v") => mesh.vertices.push(vertex(words, line_number)?),
            Some("f") => {
                let so_far = mesh.vertices.len();
                let face: Vec<&str> = words.collect();
                let number = mesh.triangles.len() + 1;
                mesh.triangles.push(triangle(&face, number, so_far, vertex_count, line_number)?);
            }
            Some("l" | "p" | "curv" | "surf") => return Err(not_a_surface(line_number)),
            _ => {}
        }
    }
    Ok(mesh)
}

fn vertex<'a>(words: impl Iterator<Item = &'a str>, line: usize) -> Result<Vec3, MeshFault> {
    let numbers: Option<Vec<f64>> = words.take(3).map(|w| w.parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[x, y, z]) => Ok(Vec3::new(x, y, z)),
        _ => Err(MeshFault::on_line(line, "a vertex needs three numbers", "write `v x y z`")),
    }
}

fn triangle(
    face: &[&str],
    number: usize,
    so_far: usize,
    count: usize,
    line: usize,
) -> Result<[u32; 3], MeshFault> {
    let &[a, b, c] = face else {
        let message = format!("face {number} has {} vertices, but only triangles are taken", face.len());
        let remedy = "triangulate the mesh, e.g. in Blender: select all faces, Ctrl+T; or on export tick \
                      \"Triangulated Mesh\"";
        return Err(MeshFault::on_line(line, message, remedy));
    };
    let mut v = [0; 3];
    for (slot, word) in v.iter_mut().zip([a, b, c]) {
        *slot = index(word, so_far, count).ok_or_else(|| {
            let message = format!("face {number} names vertex `{word}`, but the file has {count} vertices");
            MeshFault::on_line(
                line,
                message,
                format!("write numbers from 1 to {count}, or export the mesh anew"),
            )
        })?;
    }
    Ok(v)
}

/// `7`, `7/1/3` or `-1` (the last vertex so far), from 0.
fn index(word: &str, so_far: usize, count: usize) -> Option<u32> {
    let n: i64 = word.split('/').next()?.parse().ok()?;
    let zero_based = if n < 0 { so_far as i64 + n } else { n - 1 };
    (0..count as i64).contains(&zero_based).then_some(zero_based as u32)
}

fn not_a_surface(line: usize) -> MeshFault {
    MeshFault::on_line(line, "lines, points and curves are not a surface", "keep only vertices and faces")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: &str = "v 0 0 0\nv 1 0 0 # corner\nv 1 1 0\nv 0 1 0\n";

    #[test]
    fn all_three_forms_of_an_index_are_read() {
        let m = read(&format!("o x\n{SQUARE}vn 0 0 1\nf 1/5/1 2//1 3\nf -4 -2 -1\n")).unwrap();
        assert_eq!(m.triangles, [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(m.vertices[2], Vec3::new(1.0, 1.0, 0.0));
    }

    #[test]
    fn quads_are_refused_with_line_face_and_remedy() {
        let fault = read(&format!("{SQUARE}f 1 2 3\nf 1 2 3 4\n")).unwrap_err();
        assert_eq!(fault.message, "line 6: face 2 has 4 vertices, but only triangles are taken");
        assert!(fault.remedy.contains("triangulate"));
    }

    #[test]
    fn indices_out_of_range_are_refused() {
        for word in ["5", "0", "-5", "x"] {
            let fault = read(&format!("{SQUARE}f 1 2 {word}\n")).unwrap_err();
            assert!(fault.message.contains(&format!("vertex `{word}`")), "{fault:?}");
            assert!(fault.message.starts_with("line 5:") && fault.remedy.contains("1 to 4"));
        }
    }
}
