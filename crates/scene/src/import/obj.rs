//! Wavefront OBJ: the `v` and `f` lines.
//!
//! Read here and not by a crate because the numbers of vertices and of lines must be the
//! file's own: a scene pins vertices by number, and a fault names its line. (`tobj`, which
//! was tried, renumbers vertices by first use and keeps no lines.) Texture coordinates,
//! normals, groups and materials are passed over.

use std::borrow::Cow;

use coact_math::Vec3;
use coact_model::TriMesh;

use super::MeshFault;

/// Reads a triangle mesh.
pub(super) fn read(text: &str) -> Result<TriMesh, MeshFault> {
    let mut mesh = TriMesh::default();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let is_vertex = |l: &&str| l.split_whitespace().next() == Some("v");
    let vertex_count = text.lines().filter(is_vertex).count();
    for (line_number, line) in joined_lines(text) {
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

/// Lines with their numbers from 1; one that ends in `\` goes on in the next one.
fn joined_lines(text: &str) -> impl Iterator<Item = (usize, Cow<'_, str>)> {
    let mut lines = text.lines().enumerate();
    std::iter::from_fn(move || {
        let (i, first) = lines.next()?;
        let mut line = Cow::Borrowed(first);
        while let Some(head) = line.strip_suffix('\\') {
            let tail = lines.next().map_or("", |(_, l)| l);
            line = Cow::Owned(format!("{head} {tail}"));
        }
        Some((i + 1, line))
    })
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
        if face.len() < 3 {
            return Err(MeshFault::on_line(line, message, "remove the face, or export the mesh anew"));
        }
        let remedy = "triangulate the mesh, e.g. in Blender: select all faces, Ctrl+T; or on export tick \
                      \"Triangulated Mesh\"";
        return Err(MeshFault::on_line(line, message, remedy));
    };
    let mut v = [0; 3];
    for (slot, word) in v.iter_mut().zip([a, b, c]) {
        *slot = index(word, so_far, count).ok_or_else(|| {
            let message = format!("face {number} names vertex `{word}`, but the file has {count} vertices");
            let remedy = match count {
                0 => "write `v x y z` lines before the faces, or export the mesh anew".to_owned(),
                _ => format!("write numbers from 1 to {count}, or export the mesh anew"),
            };
            MeshFault::on_line(line, message, remedy)
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
    fn indents_marks_and_lines_that_go_on_are_read() {
        let indented: String = format!("{SQUARE}f 1 2 \\\n 3\nf 1 3 4\n").replace("v ", "  v ");
        let m = read(&format!("\u{feff}{indented}")).unwrap();
        assert_eq!((m.vertices.len(), m.triangles), (4, vec![[0, 1, 2], [0, 2, 3]]));
        let fault = read(&indented.replace("f 1 3 4", "f 1 3 9")).unwrap_err();
        assert!(fault.message.starts_with("line 7:"), "{fault:?}");
    }

    #[test]
    fn faces_that_cannot_be_triangulated_are_not_told_to() {
        assert!(!read(&format!("{SQUARE}f 1 2\n")).unwrap_err().remedy.contains("triangulate"));
        assert!(read("f 1 2 3\n").unwrap_err().remedy.contains("`v x y z`"));
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
