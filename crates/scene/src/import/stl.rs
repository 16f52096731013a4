//! STL, text or binary. Corners at the same place become one vertex: STL has no topology.

use std::io::Cursor;

use coact_math::Vec3;
use coact_model::TriMesh;

use super::MeshFault;

pub(super) fn read(bytes: &[u8]) -> Result<TriMesh, MeshFault> {
    let mesh = stl_io::read_stl(&mut Cursor::new(bytes)).map_err(|e| {
        MeshFault::new(format!("it is no STL file: {e}"), "export the mesh anew as STL or OBJ")
    })?;
    let vertices = mesh.vertices.iter().map(|v| {
        let [x, y, z]: [f32; 3] = (*v).into();
        Vec3::new(x.into(), y.into(), z.into())
    });
    let triangles = mesh.faces.iter().map(|f| f.vertices.map(|i| i as u32));
    Ok(TriMesh { vertices: vertices.collect(), triangles: triangles.collect() })
}

#[cfg(test)]
mod tests {
    #[test]
    fn corners_at_one_place_become_one_vertex() {
        let facet = |a, b, c| {
            format!("facet normal 0 0 1\nouter loop\nvertex {a}\nvertex {b}\nvertex {c}\nendloop\nendfacet\n")
        };
        let (one, two) = (facet("0 0 0", "1 0 0", "1 1 0"), facet("0 0 0", "1 1 0", "0 1 0"));
        let mesh = super::read(format!("solid s\n{one}{two}endsolid s\n").as_bytes()).unwrap();
        assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (4, 2));
        assert!(super::read(b"solid s\nfacet nonsense").is_err());
    }
}
