//! A tetrahedral volume mesh and its boundary.

use coact_math::Vec3;

use crate::shape::TriMesh;

/// A tetrahedral mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TetMesh {
    /// Vertex positions \[m\].
    pub vertices: Vec<Vec3>,
    /// Vertex indices, positively oriented: det(x1−x0, x2−x0, x3−x0) > 0.
    pub tets: Vec<[u32; 4]>,
}

impl TetMesh {
    /// The triangles that belong to one tetrahedron only, wound outward, with the indices
    /// of this mesh, in order of the tetrahedra.
    pub fn surface_triangles(&self) -> Vec<[u32; 3]> {
        boundary_triangles(&self.tets)
    }

    /// The boundary as a triangle mesh of its own, without inner vertices.
    pub fn surface(&self) -> TriMesh {
        let mut triangles = self.surface_triangles();
        let mut place = vec![u32::MAX; self.vertices.len()];
        let mut vertices = Vec::new();
        for v in triangles.iter_mut().flatten() {
            let slot = &mut place[*v as usize];
            if *slot == u32::MAX {
                *slot = vertices.len() as u32;
                vertices.push(self.vertices[*v as usize]);
            }
            *v = *slot;
        }
        TriMesh { vertices, triangles }
    }

    /// Volume \[m³\]; inverted tetrahedra count negative.
    pub fn volume(&self) -> f64 {
        let x = |i: u32| self.vertices[i as usize];
        let one = |t: &[u32; 4]| {
            let o = x(t[0]);
            (x(t[1]) - o).cross(&(x(t[2]) - o)).dot(&(x(t[3]) - o)) / 6.0
        };
        self.tets.iter().map(one).sum()
    }
}

/// The faces that appear once among `tets`, wound outward.
pub(crate) fn boundary_triangles(tets: &[[u32; 4]]) -> Vec<[u32; 3]> {
    // Faces of (a, b, c, d) with det > 0, each seen counter-clockwise from outside.
    const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
    let faces = || tets.iter().flat_map(|t| FACES.map(|f| f.map(|k| t[k])));
    let key = |mut f: [u32; 3]| {
        f.sort_unstable();
        f
    };
    let mut sorted: Vec<([u32; 3], usize)> = faces().map(key).zip(0..).collect();
    sorted.sort_unstable();
    let mut single = vec![false; sorted.len()];
    for run in sorted.chunk_by(|a, b| a.0 == b.0) {
        single[run[0].1] = run.len() == 1;
    }
    faces().zip(single).filter(|(_, s)| *s).map(|(f, _)| f).collect()
}
