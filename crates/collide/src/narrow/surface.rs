//! A triangle surface as shapes meet it: its triangles in a tree, and what lies across their
//! edges. Theory: `docs/theory/contact-detection.md` eq. (8), (9).

use std::sync::Arc;

use coact_math::Vec3;
use coact_model::TriMesh;

use crate::bvh::{Aabb, Bvh};
use crate::sdf::{MeshDistance, MeshFault};
use crate::world_box::WorldBox;

/// A direction leans over an edge if it does so by more than this (sine); less is rounding.
pub(super) const LEAN: f64 = 1e-5;

/// One triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facet {
    pub corners: [Vec3; 3],
    pub normal: Vec3,
    /// Out of the triangle over its edges, in its plane; edge k is from corner k to k + 1.
    pub out: [Vec3; 3],
    /// For each edge: the direction in the plane of the triangle across it
    /// that leads out of that triangle over the edge. `None` at a border.
    pub across: [Option<Vec3>; 3],
}

/// A neighbour that bends away by less than this (sine) is no edge to touch.
const FLAT: f64 = 1e-6;

impl Facet {
    /// Whether what lies wholly beyond edge k, above the triangle on `side`, is nearer to the
    /// neighbour: the surface is flat or hollow there.
    pub fn is_seam(&self, k: usize, side: f64) -> bool {
        self.across[k].is_some_and(|out| side * out.dot(&self.normal) <= FLAT)
    }

    /// eq. (9): whether the surface is nearest on these edges (bit k: edge k) to what is along
    /// `d` from it.
    pub fn owns(&self, edges: u8, d: &Vec3) -> bool {
        let touched = (0..3).filter(|k| edges & 1 << k != 0);
        touched.filter_map(|k| self.across[k]).all(|out| d.dot(&out) >= -LEAN)
    }
}

/// A surface.
#[derive(Clone, Debug)]
pub(crate) struct Surface {
    source: Arc<TriMesh>,
    pub(super) distance: MeshDistance,
    pub(super) facets: Vec<Facet>,
    /// The vertices that triangles use.
    pub(super) points: Vec<Vec3>,
    tree: Bvh,
    boxes: Vec<Aabb>,
}

impl Surface {
    /// Of a mesh.
    ///
    /// # Errors
    /// See [`MeshFault`].
    pub fn new(source: &Arc<TriMesh>) -> Result<Self, MeshFault> {
        let distance = MeshDistance::new(source)?;
        let facets = facets(source);
        let boxes: Vec<Aabb> = facets.iter().map(|f| of_points(&f.corners)).collect();
        let tree = Bvh::new(boxes.len(), |i| boxes[i as usize], |_| 0);
        let place = source.welded();
        let mut used: Vec<u32> = source.triangles.iter().flatten().map(|&v| place[v as usize]).collect();
        used.sort_unstable();
        used.dedup();
        let points = used.iter().map(|&v| source.vertices[v as usize]).collect();
        Ok(Self { source: Arc::clone(source), distance, facets, points, tree, boxes })
    }

    pub fn is_made_from(&self, mesh: &Arc<TriMesh>) -> bool {
        Arc::ptr_eq(&self.source, mesh)
    }

    /// Lower and upper corner \[m\].
    pub fn bounds(&self) -> [Vec3; 2] {
        self.distance.bounds()
    }

    /// Radius about the origin \[m\].
    pub fn radius(&self) -> f64 {
        self.distance.bounding_radius()
    }

    /// Whether only its outside can be touched.
    pub fn is_closed(&self) -> bool {
        self.distance.is_closed()
    }

    /// Calls `f` with the triangles whose boxes meet `around`, in the order of the tree.
    pub fn near(&self, around: &WorldBox, mut f: impl FnMut(u32, &Facet)) {
        let (boxes, facets) = (&self.boxes, &self.facets);
        let query = around.single();
        let enter = |n: &crate::bvh::Node| n.bounds.overlaps(&query);
        self.tree.visit(0, enter, |k, _| {
            for &i in self.tree.leaf(k) {
                if boxes[i as usize].overlaps(&query) {
                    f(i, &facets[i as usize]);
                }
            }
        });
    }
}

fn of_points(corners: &[Vec3; 3]) -> Aabb {
    let [a, b, c] = corners;
    WorldBox { lower: a.inf(b).inf(c), upper: a.sup(b).sup(c) }.single()
}

fn facets(mesh: &TriMesh) -> Vec<Facet> {
    let place = mesh.welded();
    let kept: Vec<[u32; 3]> = mesh.triangles.iter().copied().filter(|t| mesh.has_area(t)).collect();
    let at = |v: u32| mesh.vertices[v as usize];
    let mut all: Vec<Facet> = kept
        .iter()
        .map(|t| {
            let corners = t.map(at);
            let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0])).normalize();
            let out = [0, 1, 2].map(|k| (corners[(k + 1) % 3] - corners[k]).cross(&normal).normalize());
            Facet { corners, normal, out, across: [None; 3] }
        })
        .collect();
    for [p, q] in shared_edges(&kept, &place) {
        let out = [p, q].map(|(f, k)| all[f].out[k]);
        all[p.0].across[p.1] = Some(out[1]);
        all[q.0].across[q.1] = Some(out[0]);
    }
    all
}

/// Edges, as (triangle, edge), that exactly two triangles share.
fn shared_edges(triangles: &[[u32; 3]], place: &[u32]) -> Vec<[(usize, usize); 2]> {
    let mut edges: Vec<([u32; 2], (usize, usize))> = Vec::with_capacity(3 * triangles.len());
    for (f, t) in triangles.iter().enumerate() {
        let v = t.map(|v| place[v as usize]);
        for k in 0..3 {
            let (a, b) = (v[k], v[(k + 1) % 3]);
            edges.push(([a.min(b), a.max(b)], (f, k)));
        }
    }
    edges.sort_unstable();
    let runs = edges.chunk_by(|p, q| p.0 == q.0);
    runs.filter(|r| r.len() == 2).map(|r| [r[0].1, r[1].1]).collect()
}
