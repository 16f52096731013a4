//! Edges of a triangle mesh: the pairs of triangles that bend against each other.

use crate::error::ModelError;
use crate::shape::TriMesh;

/// Why a mesh has no well-defined hinges.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EdgeFault {
    /// Ends of the edge.
    pub ends: [u32; 2],
    /// Triangles that contain it.
    pub triangles: usize,
}

impl EdgeFault {
    /// The error for the entity that owns the mesh.
    pub fn into_error(self, entity: String) -> ModelError {
        let [a, b] = self.ends;
        let (reason, remedy) = if self.triangles > 2 {
            (format!("{} triangles meet there", self.triangles), "split the mesh along it")
        } else {
            (
                "its two triangles are wound in opposite ways".to_string(),
                "flip the vertex order of one of them",
            )
        };
        ModelError::NonManifoldEdge { entity, ends: format!("vertices {a} and {b}"), reason, remedy }
    }
}

/// The edges with two triangles, as `[opposite 0, opposite 1, start, end]`, in order of
/// first appearance. The first triangle runs `start → end`, so that the hinge normals
/// point to the front side of the triangles. `Err` if an edge is not manifold.
pub(crate) fn interior_edges(mesh: &TriMesh) -> Result<Vec<[u32; 4]>, EdgeFault> {
    let mut half: Vec<([u32; 2], usize)> = Vec::with_capacity(3 * mesh.triangles.len());
    for (t, v) in mesh.triangles.iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (v[k], v[(k + 1) % 3]);
            half.push(([a.min(b), a.max(b)], 3 * t + k));
        }
    }
    half.sort_unstable();
    let corner = |h: usize, k: usize| mesh.triangles[h / 3][(h % 3 + k) % 3];
    let mut hinges = Vec::new();
    for run in half.chunk_by(|a, b| a.0 == b.0) {
        let fault = EdgeFault { ends: run[0].0, triangles: run.len() };
        match *run {
            [_] => {}
            [(_, h), (_, g)] if corner(h, 0) == corner(g, 1) => {
                hinges.push((h, [corner(h, 2), corner(g, 2), corner(h, 0), corner(h, 1)]));
            }
            _ => return Err(fault),
        }
    }
    hinges.sort_unstable();
    Ok(hinges.into_iter().map(|(_, e)| e).collect())
}
