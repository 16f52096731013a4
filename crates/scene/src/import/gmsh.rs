//! gmsh 4.1, text or binary: the nodes and the 4-node tetrahedra.

use std::collections::HashMap;

use coact_math::Vec3;
use coact_model::TetMesh;
use mshio::{ElementType, MshFile};

use super::MeshFault;

const CONVERT: &str = "convert it with `gmsh FILE -save -format msh41 -o NEW.msh`";

pub(super) fn read(bytes: &[u8]) -> Result<TetMesh, MeshFault> {
    check_version(bytes)?;
    check_whole(bytes)?;
    let file = mshio::parse_msh_bytes(bytes).map_err(|_| {
        MeshFault::new("it is no readable gmsh 4.1 file", format!("export the mesh anew, or {CONVERT}"))
    })?;
    let mut mesh = TetMesh::default();
    let number_of = nodes(&file, &mut mesh);
    let blocks = file.data.elements.iter().flat_map(|e| &e.element_blocks);
    for element in blocks.filter(|b| b.element_type == ElementType::Tet4).flat_map(|b| &b.elements) {
        mesh.tets.push(tet(&element.nodes, element.element_tag, &number_of)?);
    }
    if mesh.tets.is_empty() {
        return Err(MeshFault::new(
            "it has no 4-node tetrahedra",
            "mesh the volume in first order, e.g. `gmsh -3 -order 1`",
        ));
    }
    Ok(keep_used(mesh))
}

/// The parser's words for another version help nobody.
fn check_version(bytes: &[u8]) -> Result<(), MeshFault> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(64)]).into_owned();
    let mut lines = head.lines().map(str::trim);
    if lines.next() != Some("$MeshFormat") {
        return Err(MeshFault::new(
            "it does not begin with `$MeshFormat`",
            "use a file that gmsh has written",
        ));
    }
    let version = lines.next().and_then(|l| l.split_whitespace().next()).unwrap_or("?");
    if version == "4.1" {
        return Ok(());
    }
    Err(MeshFault::new(format!("it is of gmsh format {version}, only 4.1 is read"), CONVERT))
}

/// The parser takes a section that ends with the file as whole; it may have been cut off.
fn check_whole(bytes: &[u8]) -> Result<(), MeshFault> {
    let has = |word: &str| bytes.windows(word.len()).any(|w| w == word.as_bytes());
    for section in ["Nodes", "Elements"] {
        if !has(&format!("$End{section}")) {
            let message = format!("it is cut off: `$End{section}` is missing");
            return Err(MeshFault::new(message, format!("export the mesh anew, or {CONVERT}")));
        }
    }
    Ok(())
}

/// Takes the nodes over; tags need not be consecutive. Returns the number of each tag.
fn nodes(file: &MshFile<u64, i32, f64>, mesh: &mut TetMesh) -> HashMap<u64, u32> {
    let mut number_of = HashMap::new();
    let blocks = file.data.nodes.iter().flat_map(|n| &n.node_blocks);
    let mut next_tag = file.data.nodes.as_ref().map_or(1, |n| n.min_node_tag);
    for block in blocks {
        let base = mesh.vertices.len() as u32;
        mesh.vertices.extend(block.nodes.iter().map(|n| Vec3::new(n.x, n.y, n.z)));
        match &block.node_tags {
            Some(tags) => number_of.extend(tags.iter().map(|(&tag, &i)| (tag, base + i as u32))),
            None => {
                let count = block.nodes.len() as u64;
                number_of.extend((0..count).map(|i| (next_tag + i, base + i as u32)));
                next_tag += count;
            }
        }
    }
    number_of
}

fn tet(nodes: &[u64], tag: u64, number_of: &HashMap<u64, u32>) -> Result<[u32; 4], MeshFault> {
    let mut t = [0; 4];
    for (slot, node) in t.iter_mut().zip(nodes) {
        *slot = *number_of.get(node).ok_or_else(|| {
            MeshFault::new(
                format!("element {tag} names node {node}, which is not there"),
                "export the mesh anew",
            )
        })?;
    }
    Ok(t)
}

/// Drops nodes of points, curves and surfaces that no tetrahedron uses; the order stays.
fn keep_used(mesh: TetMesh) -> TetMesh {
    let mut kept = vec![u32::MAX; mesh.vertices.len()];
    mesh.tets.iter().flatten().for_each(|&v| kept[v as usize] = 0);
    let mut vertices = Vec::new();
    for (slot, v) in kept.iter_mut().zip(&mesh.vertices).filter(|(s, _)| **s == 0) {
        *slot = vertices.len() as u32;
        vertices.push(*v);
    }
    let tets = mesh.tets.iter().map(|t| t.map(|v| kept[v as usize])).collect();
    TetMesh { vertices, tets }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TET: &str = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n2 5 1 9\n3 0 0 2\n1\n2\n0 0 0\n1 0 0\n\
                       3 1 0 3\n7\n8\n9\n0 1 0\n0 0 1\n5 5 5\n$EndNodes\n$Elements\n2 2 1 2\n2 0 2 1\n1 1 2 7\n\
                       3 0 4 1\n2 1 2 7 8\n$EndElements\n";

    #[test]
    fn sparse_tags_are_numbered_and_unused_nodes_dropped() {
        let mesh = read(TET.as_bytes()).unwrap();
        assert_eq!(mesh.tets, [[0, 1, 2, 3]]);
        assert_eq!(mesh.vertices.len(), 4);
        assert_eq!(mesh.vertices[3], Vec3::new(0.0, 0.0, 1.0));
    }

    #[test]
    fn other_versions_and_flat_meshes_name_the_command() {
        let old = read(b"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n").unwrap_err();
        assert!(old.message.contains("2.2") && old.remedy.contains("-format msh41"), "{old:?}");
        let cut = read(&TET.as_bytes()[..TET.len() - 14]).unwrap_err();
        assert!(cut.message.contains("`$EndElements` is missing"), "{cut:?}");
        assert!(read(b"solid x").unwrap_err().message.contains("$MeshFormat"));
        assert!(read(TET.replace("3 0 4 1", "2 0 2 1").as_bytes()).is_err());
        assert!(read(TET.replace("1 2 7 8", "1 2 7 3").as_bytes()).unwrap_err().message.contains("node 3"));
    }
}
