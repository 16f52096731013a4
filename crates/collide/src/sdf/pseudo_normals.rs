//! Angle-weighted normals of the features of a surface. Theory: `docs/theory/distance.md`
//! eq. (9), after Bærentzen and Aanæs (2005).

use coact_math::Vec3;
use coact_model::TriMesh;

/// Features whose faces differ by less than this in their unit normals are flat: a seam in
/// a plane, not an edge. Larger, and gentle edges would show the wrong face's normal.
const FLAT: f64 = 1e-9;

/// The unit normals of a triangle and its features.
#[derive(Clone, Copy, Debug)]
pub struct FeatureNormals {
    /// Of the face.
    pub face: Vec3,
    /// Of the edges ab, bc, ca.
    pub edges: [FeatureNormal; 3],
    /// Of the vertices a, b, c.
    pub vertices: [FeatureNormal; 3],
}

/// The normal of an edge or a vertex.
#[derive(Clone, Copy, Debug)]
pub struct FeatureNormal {
    /// Sum (9) over the faces that meet here, made a unit; that of the face if they cancel.
    pub normal: Vec3,
    /// Whether all these faces lie in one plane, around the feature: it is no feature then.
    pub flat: bool,
}

/// What meets in a feature.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    sum: Vec3,
    /// Largest difference to the normal of the first face.
    spread: f64,
    first: Vec3,
    boundary: bool,
}

impl Meeting {
    fn of(first: Vec3) -> Self {
        Self { sum: Vec3::zeros(), spread: 0.0, first, boundary: false }
    }

    fn add(&mut self, normal: &Vec3, weight: f64) {
        self.sum += normal * weight;
        self.spread = self.spread.max((normal - self.first).norm());
    }

    fn seen_from(&self, face: &Vec3) -> FeatureNormal {
        let flat = self.spread < FLAT && !self.boundary;
        let normal = if flat { *face } else { self.sum.try_normalize(FLAT).unwrap_or(*face) };
        FeatureNormal { normal, flat }
    }
}

/// Normals of the `triangles` of a mesh, which have area; `place` welds equal vertices.
pub fn eval_feature_normals(mesh: &TriMesh, place: &[u32], triangles: &[[u32; 3]]) -> Vec<FeatureNormals> {
    let faces: Vec<Vec3> = triangles.iter().map(|t| face_normal(mesh, t)).collect();
    let welded = |t: &[u32; 3]| t.map(|v| place[v as usize] as usize);
    // edges, sorted so that those of one edge lie together
    let edge = |t: [usize; 3], k: usize| [t[k].min(t[(k + 1) % 3]), t[k].max(t[(k + 1) % 3])];
    let mut edges: Vec<([usize; 2], usize, usize)> =
        (0..3 * triangles.len()).map(|i| (edge(welded(&triangles[i / 3]), i % 3), i / 3, i % 3)).collect();
    edges.sort_unstable();
    let mut at_edge = vec![[Meeting::of(Vec3::zeros()); 3]; triangles.len()];
    let mut at_vertex: Vec<Option<Meeting>> = vec![None; mesh.vertices.len()];
    for run in edges.chunk_by(|a, b| a.0 == b.0) {
        let mut meeting = Meeting::of(faces[run[0].1]);
        run.iter().for_each(|e| meeting.add(&faces[e.1], 1.0));
        meeting.boundary = run.len() == 1;
        run.iter().for_each(|e| at_edge[e.1][e.2] = meeting);
    }
    for (i, t) in triangles.iter().enumerate() {
        let (w, angle) = (welded(t), corner_angles(mesh, t));
        for k in 0..3 {
            let meeting = at_vertex[w[k]].get_or_insert_with(|| Meeting::of(faces[i]));
            meeting.add(&faces[i], angle[k]);
            meeting.boundary |= at_edge[i][k].boundary || at_edge[i][(k + 2) % 3].boundary;
        }
    }
    let all = triangles.iter().enumerate().map(|(i, t)| {
        let face = faces[i];
        let vertex = |w: usize| at_vertex[w].unwrap_or(Meeting::of(face)).seen_from(&face);
        let edges = at_edge[i].map(|m| m.seen_from(&face));
        FeatureNormals { face, edges, vertices: welded(t).map(vertex) }
    });
    all.collect()
}

fn face_normal(mesh: &TriMesh, t: &[u32; 3]) -> Vec3 {
    let [a, b, c] = t.map(|v| mesh.vertices[v as usize]);
    (b - a).cross(&(c - a)).normalize()
}

fn corner_angles(mesh: &TriMesh, t: &[u32; 3]) -> [f64; 3] {
    let x = t.map(|v| mesh.vertices[v as usize]);
    [0, 1, 2].map(|k| {
        let (u, v) = (x[(k + 1) % 3] - x[k], x[(k + 2) % 3] - x[k]);
        libm::atan2(u.cross(&v).norm(), u.dot(&v))
    })
}
