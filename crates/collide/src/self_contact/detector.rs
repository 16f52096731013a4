//! Finds pairs and clearances of a [`Surface`]: docs/theory/self-contact.md eq. (3), (5), (6), (7).
//!
//! Left out on purpose: when to detect, which is the schedule of the solver.

use super::clearance::Clearance;
use super::frame::Frame;
use super::narrow::{Chunk, EdgeEdge, Narrow, VertexTriangle, round_down};
use super::search::{GROUP, Reach, search_edges, search_points};
use super::surface::Surface;
use crate::bvh::{Bvh, LEAF};
use coact_math::Vec3;
use rayon::prelude::*;
use std::sync::atomic::Ordering::Relaxed;

/// Groups of points, or leaves of edges, in one chunk: enough to outweigh a task.
const CHUNK: usize = 64;
/// Lists that are longer are sorted in parallel.
const SERIAL_SORT: usize = 1 << 14;
/// Larger radii are cut to this \[m\].
const LARGEST: f64 = 1e12;

/// What to look for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Query {
    /// Pairs closer than this are stored, margin + gap \[m\].
    pub radius: f64,
    /// Clearances are searched and capped here \[m\]; what is below `radius` counts as `radius`.
    /// Every pair of different components within it is measured: a few radii are sensible.
    pub clearance_radius: f64,
}

/// A surface with its trees and what the last detection found.
#[derive(Debug)]
pub struct SelfContactDetector {
    surface: Surface,
    frame: Frame,
    triangle_tree: Bvh,
    edge_tree: Bvh,
    /// Points of triangles and edges in the order of leaves.
    points: Vec<u32>,
    /// Each interior edge's vertex on the one side and triangle on the other.
    across: Vec<[u32; 2]>,
    own: Clearance,
    cross: Clearance,
    point_chunks: Vec<Chunk>,
    edge_chunks: Vec<Chunk>,
    vertex_triangle: Vec<[u32; 2]>,
    edge_edge: Vec<[u32; 2]>,
    close_vertex_triangle: Vec<[u32; 2]>,
    close_edge_edge: Vec<[u32; 2]>,
    growth: usize,
    rebuilds: usize,
}

impl SelfContactDetector {
    /// With trees for the positions `x` \[m\].
    ///
    /// # Panics
    /// If `x` is not as long as the surface has points.
    pub fn new(surface: Surface, x: &[Vec3]) -> Self {
        assert_eq!(x.len(), surface.point_count(), "one position per point");
        let mut frame = Frame::default();
        frame.load(x);
        let (triangles, edges) = (surface.triangles(), surface.edges());
        let component = surface.component();
        let triangle_tree = Bvh::new(
            triangles.len(),
            |i| frame.bounds(triangles[i as usize]),
            |i| component[triangles[i as usize][0] as usize],
        );
        let edge_tree = Bvh::new(
            edges.len(),
            |i| frame.bounds(edges[i as usize]),
            |i| component[edges[i as usize][0] as usize],
        );
        let mut detector = Self {
            own: Clearance::new(x.len()),
            cross: Clearance::new(x.len()),
            edge_chunks: vec![Chunk::default(); edges.len().div_ceil(LEAF * CHUNK)],
            across: surface.across_edges(),
            point_chunks: Vec::new(),
            points: Vec::new(),
            surface,
            frame,
            triangle_tree,
            edge_tree,
            vertex_triangle: Vec::new(),
            edge_edge: Vec::new(),
            close_vertex_triangle: Vec::new(),
            close_edge_edge: Vec::new(),
            growth: 0,
            rebuilds: 0,
        };
        detector.order_points();
        let chunks = detector.points.len().div_ceil(GROUP * CHUNK);
        detector.point_chunks.resize(chunks, Chunk::default());
        detector
    }

    /// Finds all pairs and clearances at the positions `x` \[m\]; a point that is not finite
    /// is in no pair. Allocates only where a list grows or a tree is built anew.
    ///
    /// # Panics
    /// If `x` is not as long as the surface has points.
    pub fn detect(&mut self, x: &[Vec3], query: Query) {
        assert_eq!(x.len(), self.surface.point_count(), "one position per point");
        let radius = query.radius.clamp(0.0, LARGEST);
        let cap = query.clearance_radius.clamp(radius, LARGEST);
        self.frame.load(x);
        self.refit();
        self.own.fill(round_down(cap));
        self.cross.fill(round_down(cap));
        let own = if cap > radius { self.own_reach(x, radius).max(radius) } else { cap };
        // A little more than the numbers in f64, so that rounding loses no pair.
        let wide = |r: f64| (r * (1.0 + 1e-6)) as f32;
        self.search(x, radius, Reach { own: wide(own), any: wide(cap) });
        self.collect();
        self.own.publish();
        self.cross.publish();
    }

    /// The surface.
    pub fn surface(&self) -> &Surface {
        &self.surface
    }

    /// (vertex, triangle) pairs for the force, ascending.
    pub fn vertex_triangle(&self) -> &[[u32; 2]] {
        &self.vertex_triangle
    }

    /// (edge, edge) pairs for the force, each once, smaller edge first, ascending.
    pub fn edge_edge(&self) -> &[[u32; 2]] {
        &self.edge_edge
    }

    /// (vertex, triangle) pairs that make no force but must be kept apart, eq. (5); ascending.
    pub fn close_vertex_triangle(&self) -> &[[u32; 2]] {
        &self.close_vertex_triangle
    }

    /// (edge, edge) pairs that make no force but must be kept apart, eq. (5); ascending.
    pub fn close_edge_edge(&self) -> &[[u32; 2]] {
        &self.close_edge_edge
    }

    /// Eq. (6), capped \[m\]. Shape: \[point_count\].
    pub fn own_clearance(&self) -> &[f32] {
        &self.own.values
    }

    /// Eq. (7), capped \[m\]. Shape: \[point_count\].
    pub fn cross_clearance(&self) -> &[f32] {
        &self.cross.values
    }

    /// How often a list had to grow, since the detector was made.
    pub fn growth(&self) -> usize {
        self.growth
    }

    /// How often a tree was built anew, since the detector was made.
    pub fn rebuilds(&self) -> usize {
        self.rebuilds
    }

    /// Memory held by the two trees \[bytes\].
    pub fn tree_bytes(&self) -> usize {
        self.triangle_tree.bytes() + self.edge_tree.bytes()
    }

    /// Moves the trees to the positions; builds one anew that has worn.
    fn refit(&mut self) {
        let (surface, frame) = (&self.surface, &self.frame);
        let (triangles, edges) = (surface.triangles(), surface.edges());
        let component = |i: u32| surface.component()[i as usize];
        let triangle_box = |i: u32| frame.bounds(triangles[i as usize]);
        let edge_box = |i: u32| frame.bounds(edges[i as usize]);
        let (a, b) = (&mut self.triangle_tree, &mut self.edge_tree);
        rayon::join(|| a.refit(triangle_box), || b.refit(edge_box));
        if self.edge_tree.is_worn() {
            self.edge_tree.rebuild(edge_box, |i| component(edges[i as usize][0]));
            self.rebuilds += 1;
        }
        if self.triangle_tree.is_worn() {
            self.triangle_tree.rebuild(triangle_box, |i| component(triangles[i as usize][0]));
            self.rebuilds += 1;
            self.order_points();
        }
    }

    /// Points as the triangles meet them in the order of leaves: neighbours side by side.
    fn order_points(&mut self) {
        let mut is_new = vec![true; self.surface.point_count()];
        self.points.clear();
        let of_triangles =
            self.triangle_tree.order().iter().flat_map(|&t| self.surface.triangles()[t as usize]);
        let of_edges = self.edge_tree.order().iter().flat_map(|&e| self.surface.edges()[e as usize]);
        for i in of_triangles.chain(of_edges) {
            if std::mem::take(&mut is_new[i as usize]) {
                self.points.push(i);
            }
        }
    }

    /// Lowers the own clearances to those across edges, and returns the largest \[m\]: what is
    /// farther away in the same component bounds no point.
    fn own_reach(&mut self, x: &[Vec3], radius: f64) -> f64 {
        let narrow = Narrow {
            surface: &self.surface,
            frame: &self.frame,
            x,
            radius,
            own: &self.own.cells,
            cross: &self.cross.cells,
        };
        let across = &self.across;
        let size = across.len().div_ceil(self.point_chunks.len().max(1));
        self.point_chunks.par_iter_mut().enumerate().for_each(|(k, out)| {
            out.clear();
            for &pair in part(across, k, size) {
                out.push::<VertexTriangle>(&narrow, pair);
            }
            out.flush::<VertexTriangle>(&narrow);
        });
        let largest = self.points.iter().map(|&i| self.own.cells[i as usize].load(Relaxed)).max();
        f64::from(f32::from_bits(largest.unwrap_or(0)))
    }

    /// All searches, in chunks.
    fn search(&mut self, x: &[Vec3], radius: f64, reach: Reach) {
        let narrow = Narrow {
            surface: &self.surface,
            frame: &self.frame,
            x,
            radius,
            own: &self.own.cells,
            cross: &self.cross.cells,
        };
        let (points, triangle_tree, edge_tree) = (&self.points, &self.triangle_tree, &self.edge_tree);
        let of_points = |(k, out): (usize, &mut Chunk)| {
            out.clear();
            for group in part(points, k, CHUNK * GROUP).chunks(GROUP) {
                search_points(&narrow, triangle_tree, group, reach, out);
            }
            out.flush::<VertexTriangle>(&narrow);
        };
        let of_edges = |(k, out): (usize, &mut Chunk)| {
            out.clear();
            for leaf in k * CHUNK..edge_tree.leaf_count().min((k + 1) * CHUNK) {
                search_edges(&narrow, edge_tree, leaf, reach, out);
            }
            out.flush::<EdgeEdge>(&narrow);
        };
        self.point_chunks.par_iter_mut().enumerate().for_each(of_points);
        self.edge_chunks.par_iter_mut().enumerate().for_each(of_edges);
    }

    /// One sorted list of each kind.
    fn collect(&mut self) {
        let g = &mut self.growth;
        gather(&self.point_chunks, |c| &c.pairs, &mut self.vertex_triangle, g);
        gather(&self.point_chunks, |c| &c.close, &mut self.close_vertex_triangle, g);
        gather(&self.edge_chunks, |c| &c.pairs, &mut self.edge_edge, g);
        gather(&self.edge_chunks, |c| &c.close, &mut self.close_edge_edge, g);
    }
}

/// Part `k` of `x`, cut into pieces of `size`.
fn part<T>(x: &[T], k: usize, size: usize) -> &[T] {
    &x[x.len().min(k * size)..x.len().min((k + 1) * size)]
}

/// Joins what the chunks found, sorted; counts when the list has to grow.
fn gather(
    chunks: &[Chunk],
    of: impl Fn(&Chunk) -> &Vec<[u32; 2]>,
    list: &mut Vec<[u32; 2]>,
    growth: &mut usize,
) {
    list.clear();
    let count: usize = chunks.iter().map(|c| of(c).len()).sum();
    if count > list.capacity() {
        list.reserve(count + count / 4);
        *growth += 1;
    }
    for c in chunks {
        list.extend_from_slice(of(c));
    }
    // One comparison of 64 bits instead of two of 32.
    let key = |p: &[u32; 2]| u64::from(p[0]) << 32 | u64::from(p[1]);
    if list.len() > SERIAL_SORT && rayon::current_num_threads() > 1 {
        list.par_sort_unstable_by_key(key);
    } else {
        list.sort_unstable_by_key(key);
    }
}
