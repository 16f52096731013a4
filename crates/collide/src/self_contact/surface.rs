//! What a self-colliding surface is made of, and which pairs are filtered:
//! docs/theory/self-contact.md eq. (3), (4), (5).

use super::closest::{closest_edge_edge, closest_vertex_triangle};
use coact_math::{V3, Vec3};

/// Which pairs make no force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filter {
    /// Pairs with fewer edges than this between them are filtered; 0 and 1 filter none.
    pub rings: u32,
    /// Pairs that are closer than this at rest are filtered \[m\].
    pub rest_exclusion: f64,
}

impl Default for Filter {
    /// 2 rings, no exclusion by the rest shape.
    fn default() -> Self {
        Self { rings: 2, rest_exclusion: 0.0 }
    }
}

/// Triangles and edges over points, by plain indices.
#[derive(Clone, Debug)]
pub struct Surface {
    triangles: Vec<[u32; 3]>,
    edges: Vec<[u32; 2]>,
    component: Vec<u32>,
    /// Points within `rings - 1` edges of point i, itself left out, ascending.
    near: Csr,
    rest: Vec<V3<f64>>,
    filter: Filter,
}

/// Rows of different lengths, one after the other.
#[derive(Clone, Debug, Default)]
struct Csr {
    start: Vec<u32>,
    values: Vec<u32>,
}

impl Csr {
    #[inline(always)]
    fn row(&self, i: u32) -> &[u32] {
        &self.values[self.start[i as usize] as usize..self.start[i as usize + 1] as usize]
    }
}

impl Surface {
    /// Triangles, and edges that belong to none, over the points of `rest`
    /// (positions at rest \[m\]; shape: \[point_count\]). Edges are unique and sorted; one
    /// between a point and itself is left out.
    ///
    /// # Panics
    /// If an index is not below `rest.len()`.
    pub fn new(triangles: &[[u32; 3]], extra_edges: &[[u32; 2]], rest: &[Vec3], filter: Filter) -> Self {
        let count = rest.len();
        let mut edges: Vec<[u32; 2]> = triangles
            .iter()
            .flat_map(edges_of)
            .chain(extra_edges.iter().copied())
            .filter(|e| e[0] != e[1])
            .map(|e| [e[0].min(e[1]), e[0].max(e[1])])
            .collect();
        edges.sort_unstable();
        edges.dedup();
        edges.shrink_to_fit();
        Self {
            component: components(&edges, count),
            near: neighbourhoods(&edges, count, filter.rings.saturating_sub(1)),
            triangles: triangles.to_vec(),
            edges,
            rest: rest.iter().map(V3::from_host).collect(),
            filter,
        }
    }

    /// Triangles, as given.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Edges: all of triangles and the extra ones, each once, smaller point first, ascending.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// The component of each point: the smallest point in it. Shape: \[point_count\].
    pub fn component(&self) -> &[u32] {
        &self.component
    }

    /// Number of points.
    pub fn point_count(&self) -> usize {
        self.component.len()
    }

    /// What is filtered.
    pub fn filter(&self) -> Filter {
        self.filter
    }

    /// Whether the sets of points `a` and `b`, without a common one, are filtered;
    /// `rest_distance` is asked only where the rest shape decides.
    #[inline]
    pub fn is_filtered(&self, a: &[u32], b: &[u32], rest_distance: impl FnOnce() -> f64) -> bool {
        a.iter().any(|&i| {
            let near = self.near.row(i);
            b.iter().any(|j| near.contains(j))
        }) || (self.filter.rest_exclusion > 0.0 && rest_distance() < self.filter.rest_exclusion)
    }

    /// Distance of vertex `v` and triangle `t` at rest \[m\].
    pub fn rest_vertex_triangle(&self, v: u32, t: u32) -> f64 {
        let corners = self.triangles[t as usize].map(|i| self.rest[i as usize]);
        closest_vertex_triangle(self.rest[v as usize], corners).1.norm()
    }

    /// Distance of the edges `e` and `f` at rest \[m\].
    pub fn rest_edge_edge(&self, e: u32, f: u32) -> f64 {
        let ends = |e: u32| self.edges[e as usize].map(|i| self.rest[i as usize]);
        closest_edge_edge(ends(e), ends(f)).2.norm()
    }

    /// Triangles whose smallest altitude at rest is below `margin` \[m\]: contact would push
    /// their own corners apart.
    pub fn triangles_below(&self, margin: f64) -> Vec<u32> {
        let is_below = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|i| self.rest[i as usize]);
            let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
            // Twice the area over the longest edge; written so that no area is below too.
            let altitude = (b - a).cross(c - a).norm() / longest;
            altitude.is_nan() || altitude < margin
        };
        ids(self.triangles.iter().map(is_below))
    }

    /// Edges that are shorter than `margin` at rest \[m\].
    pub fn edges_below(&self, margin: f64) -> Vec<u32> {
        let length = |e: &[u32; 2]| (self.rest[e[1] as usize] - self.rest[e[0] as usize]).norm();
        ids(self.edges.iter().map(|e| length(e) < margin))
    }

    /// For each edge with two triangles the vertex of the first that is not on it, and the
    /// second.
    pub(super) fn across_edges(&self) -> Vec<[u32; 2]> {
        let mut sides: Vec<([u32; 2], u32)> = (0..self.triangles.len() as u32)
            .flat_map(|t| edges_of(&self.triangles[t as usize]).map(|e| (e, t)))
            .collect();
        sides.sort_unstable();
        let opposite = |e: [u32; 2], t: u32| self.triangles[t as usize].into_iter().find(|v| !e.contains(v));
        sides
            .windows(2)
            .filter(|w| w[0].0 == w[1].0)
            .filter_map(|w| Some([opposite(w[0].0, w[0].1)?, w[1].1]))
            .filter(|&[v, t]| !self.triangles[t as usize].contains(&v))
            .collect()
    }
}

/// The edges of a triangle, smaller point first.
fn edges_of(t: &[u32; 3]) -> [[u32; 2]; 3] {
    [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]].map(|e| [e[0].min(e[1]), e[0].max(e[1])])
}

/// Where `is` is true.
fn ids(is: impl Iterator<Item = bool>) -> Vec<u32> {
    is.enumerate().filter(|(_, x)| *x).map(|(i, _)| i as u32).collect()
}

/// The smallest point that each point is connected with.
fn components(edges: &[[u32; 2]], count: usize) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..count as u32).collect();
    let root = |parent: &mut Vec<u32>, mut i: u32| {
        while parent[i as usize] != i {
            parent[i as usize] = parent[parent[i as usize] as usize];
            i = parent[i as usize];
        }
        i
    };
    for e in edges {
        let (a, b) = (root(&mut parent, e[0]), root(&mut parent, e[1]));
        parent[a.max(b) as usize] = a.min(b);
    }
    (0..count as u32).map(|i| root(&mut parent, i)).collect()
}

/// For each point the points within `rings` edges of it.
fn neighbourhoods(edges: &[[u32; 2]], count: usize, rings: u32) -> Csr {
    let mut start = vec![0; count + 1];
    if rings == 0 {
        return Csr { start, values: Vec::new() };
    }
    for e in edges.iter().flatten() {
        start[*e as usize + 1] += 1;
    }
    for i in 0..count {
        start[i + 1] += start[i];
    }
    let mut cursor = start.clone();
    let mut values = vec![0; 2 * edges.len()];
    for e in edges {
        for [i, j] in [[e[0], e[1]], [e[1], e[0]]] {
            values[cursor[i as usize] as usize] = j;
            cursor[i as usize] += 1;
        }
    }
    let one = Csr { start, values };
    if rings == 1 { one } else { widened(&one, count, rings) }
}

/// Neighbourhoods of `rings` edges from those of one.
fn widened(one: &Csr, count: usize, rings: u32) -> Csr {
    let mut wide = Csr { start: vec![0], values: Vec::new() };
    let mut row = Vec::new();
    for i in 0..count as u32 {
        row.clear();
        row.push(i);
        let mut begin = 0;
        for _ in 0..rings {
            let end = row.len();
            for k in begin..end {
                for &j in one.row(row[k]) {
                    if !row.contains(&j) {
                        row.push(j);
                    }
                }
            }
            begin = end;
        }
        wide.values.extend_from_slice(&row[1..]);
        wide.start.push(wide.values.len() as u32);
    }
    wide
}
