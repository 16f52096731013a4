//! PLY, text or binary: `vertex` with x, y, z and `face` with a list of indices.

use std::io::Cursor;

use coact_math::Vec3;
use coact_model::TriMesh;
use ply_rs_bw::parser::Parser;
use ply_rs_bw::ply::{DefaultElement, Property};

use super::MeshFault;

pub(super) fn read(bytes: &[u8]) -> Result<TriMesh, MeshFault> {
    let ply = Parser::<DefaultElement>::new().read_ply(&mut Cursor::new(bytes)).map_err(|e| {
        MeshFault::new(format!("it is no PLY file: {e}"), "export the mesh anew as PLY or OBJ")
    })?;
    let rows = |name: &str| ply.payload.get(name).map_or(&[] as &[DefaultElement], Vec::as_slice);
    let mut mesh = TriMesh::default();
    for (i, row) in rows("vertex").iter().enumerate() {
        let xyz = ["x", "y", "z"].map(|k| row.get(k).and_then(number));
        let [Some(x), Some(y), Some(z)] = xyz else {
            return Err(MeshFault::new(
                format!("vertex {i} (counted from 0) has no x, y, z"),
                "export the mesh anew",
            ));
        };
        mesh.vertices.push(Vec3::new(x, y, z));
    }
    for (i, row) in rows("face").iter().enumerate() {
        let list = ["vertex_indices", "vertex_index"].iter().find_map(|k| indices(row.get(*k)?));
        mesh.triangles.push(triangle(i, list.as_deref(), mesh.vertices.len())?);
    }
    Ok(mesh)
}

fn triangle(i: usize, list: Option<&[i64]>, count: usize) -> Result<[u32; 3], MeshFault> {
    match list {
        Some(&[a, b, c]) => {
            let index = |v: i64| u32::try_from(v).map_err(|_| below_zero(i, v, count));
            Ok([index(a)?, index(b)?, index(c)?])
        }
        Some(other) => Err(MeshFault::new(
            format!("face {i} (counted from 0) has {} vertices, but only triangles are taken", other.len()),
            "triangulate the mesh, e.g. in Blender: select all faces, Ctrl+T",
        )),
        None => Err(MeshFault::new(
            format!("face {i} (counted from 0) has no list of vertices"),
            "export it with the property `vertex_indices`",
        )),
    }
}

fn below_zero(face: usize, index: i64, count: usize) -> MeshFault {
    MeshFault::new(
        format!("face {face} (counted from 0) names vertex {index}, but there are {count} vertices"),
        format!("write numbers from 0 to {}", count.saturating_sub(1)),
    )
}

fn number(p: &Property) -> Option<f64> {
    match *p {
        Property::Float(x) => Some(x.into()),
        Property::Double(x) => Some(x),
        Property::Int(x) => Some(x.into()),
        Property::Short(x) => Some(x.into()),
        Property::Char(x) => Some(x.into()),
        Property::UInt(x) => Some(x.into()),
        Property::UShort(x) => Some(x.into()),
        Property::UChar(x) => Some(x.into()),
        _ => None,
    }
}

fn indices(p: &Property) -> Option<Vec<i64>> {
    match p {
        Property::ListInt(v) => Some(v.iter().map(|&x| x.into()).collect()),
        Property::ListUInt(v) => Some(v.iter().map(|&x| x.into()).collect()),
        Property::ListShort(v) => Some(v.iter().map(|&x| x.into()).collect()),
        Property::ListUShort(v) => Some(v.iter().map(|&x| x.into()).collect()),
        Property::ListChar(v) => Some(v.iter().map(|&x| x.into()).collect()),
        Property::ListUChar(v) => Some(v.iter().map(|&x| x.into()).collect()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    fn ply(faces: &str, count: usize) -> String {
        format!(
            "ply\nformat ascii 1.0\nelement vertex 4\nproperty double x\nproperty double y\nproperty double z\n\
             element face {count}\nproperty list uchar int vertex_indices\nend_header\n\
             0 0 0\n1 0 0\n1 1 0\n0 1 0\n{faces}"
        )
    }

    #[test]
    fn triangles_are_read_and_quads_refused() {
        let mesh = super::read(ply("3 0 1 2\n3 0 2 3\n", 2).as_bytes()).unwrap();
        assert_eq!((mesh.vertices.len(), mesh.triangles[1]), (4, [0, 2, 3]));
        let fault = super::read(ply("4 0 1 2 3\n", 1).as_bytes()).unwrap_err();
        assert!(fault.message.contains("face 0") && fault.remedy.contains("triangulate"));
        assert!(super::read(b"plx\n").is_err());
        let fault = super::read(ply("3 0 1 -1\n", 1).as_bytes()).unwrap_err();
        assert!(fault.message.contains("vertex -1"), "{fault:?}");
        let bytes = ply("3 0 1 2\n", 1).replace("double", "uchar");
        assert_eq!(super::read(bytes.as_bytes()).unwrap().vertices.len(), 4);
    }
}
