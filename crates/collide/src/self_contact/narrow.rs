//! Decides about single pairs: stored, close, or a bound of the clearance;
//! docs/theory/self-contact.md eq. (3), (4), (5), (6), (7), (9).

use super::closest::{closest_edge_edge, closest_vertex_triangle};
use super::frame::Frame;
use super::surface::Surface;
use coact_math::{F32x8, Lanes, Real, V3, Vec3};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Pairs that are measured together.
pub const WIDTH: usize = 8;

/// The first factor of eq. (9): every coordinate of two features is rounded once, and the distance too.
const ROUNDING: f32 = 8.0 * f32::EPSILON;
/// The second, 4 √ε.
const PARALLEL: f32 = 4.0 * 3.453e-4;

/// What all searches of one detection share.
pub struct Narrow<'a> {
    pub surface: &'a Surface,
    pub frame: &'a Frame,
    /// Positions \[m\]. Shape: \[point_count\].
    pub x: &'a [Vec3],
    /// Pairs below it are stored \[m\].
    pub radius: f64,
    /// Bits of clearances \[m\], which are ordered as the numbers are since none is negative.
    pub own: &'a [AtomicU32],
    pub cross: &'a [AtomicU32],
}

/// The points of a pair: those of the first feature, then those of the second.
pub struct PairPoints {
    points: [u32; 4],
    first: usize,
}

impl PairPoints {
    fn sides(&self) -> (&[u32], &[u32]) {
        self.points.split_at(self.first)
    }
}

/// The two kinds of pairs.
pub trait Kind {
    /// Points of the pair.
    fn points(surface: &Surface, pair: [u32; 2]) -> PairPoints;
    /// Distance at rest \[m\].
    fn at_rest(surface: &Surface, pair: [u32; 2]) -> f64;
    /// The offset between closest points, and the larger squared length of an edge.
    fn offset<R: Real>(x: [V3<R>; 4]) -> (V3<R>, R);
}

/// Vertex and triangle.
pub struct VertexTriangle;
/// Two edges.
pub struct EdgeEdge;

impl Kind for VertexTriangle {
    #[inline(always)]
    fn points(surface: &Surface, [v, t]: [u32; 2]) -> PairPoints {
        let [a, b, c] = surface.triangles()[t as usize];
        PairPoints { points: [v, a, b, c], first: 1 }
    }
    fn at_rest(surface: &Surface, [v, t]: [u32; 2]) -> f64 {
        surface.rest_vertex_triangle(v, t)
    }
    #[inline(always)]
    fn offset<R: Real>([p, a, b, c]: [V3<R>; 4]) -> (V3<R>, R) {
        let longest = (b - a).norm_sq().max((c - a).norm_sq()).max((c - b).norm_sq());
        (closest_vertex_triangle(p, [a, b, c]).1, longest)
    }
}

impl Kind for EdgeEdge {
    #[inline(always)]
    fn points(surface: &Surface, [e, f]: [u32; 2]) -> PairPoints {
        let ([a, b], [c, d]) = (surface.edges()[e as usize], surface.edges()[f as usize]);
        PairPoints { points: [a, b, c, d], first: 2 }
    }
    fn at_rest(surface: &Surface, [e, f]: [u32; 2]) -> f64 {
        surface.rest_edge_edge(e, f)
    }
    #[inline(always)]
    fn offset<R: Real>([a, b, c, d]: [V3<R>; 4]) -> (V3<R>, R) {
        (closest_edge_edge([a, b], [c, d]).2, (b - a).norm_sq().max((d - c).norm_sq()))
    }
}

/// What a chunk of searches has found, and the pairs that wait to be measured.
#[derive(Clone, Debug, Default)]
pub struct Chunk {
    waiting: [[u32; 2]; WIDTH],
    count: usize,
    /// Pairs for the force, unsorted.
    pub pairs: Vec<[u32; 2]>,
    /// Close filtered pairs, unsorted.
    pub close: Vec<[u32; 2]>,
}

impl Chunk {
    /// Forgets what was found.
    pub fn clear(&mut self) {
        self.count = 0;
        self.pairs.clear();
        self.close.clear();
    }

    /// Notes a pair that is not incident.
    #[inline(always)]
    pub fn push<K: Kind>(&mut self, narrow: &Narrow, pair: [u32; 2]) {
        self.waiting[self.count] = pair;
        self.count += 1;
        if self.count == WIDTH {
            self.flush::<K>(narrow);
        }
    }

    /// Measures what waits.
    pub fn flush<K: Kind>(&mut self, narrow: &Narrow) {
        let waiting = self.waiting;
        let bounds = narrow.lower_bounds::<K>(&waiting);
        for i in 0..self.count {
            narrow.classify::<K>(self, waiting[i], bounds[i]);
        }
        self.count = 0;
    }
}

impl Narrow<'_> {
    /// d₃₂ − η of eq. (9).
    #[inline(always)]
    fn lower_bounds<K: Kind>(&self, pairs: &[[u32; 2]; WIDTH]) -> [f32; WIDTH] {
        let mut x = [[[0.0; WIDTH]; 3]; 4];
        for (i, &pair) in pairs.iter().enumerate() {
            let p = K::points(self.surface, pair);
            for (x, &point) in x.iter_mut().zip(&p.points) {
                for (x, y) in x.iter_mut().zip(self.frame.point(point)) {
                    x[i] = y;
                }
            }
        }
        let x = x.map(|[x, y, z]| V3 { x: Lanes(x), y: Lanes(y), z: Lanes(z) });
        let mut far = F32x8::default();
        for p in &x {
            far = p.x.abs().max(p.y.abs()).max(p.z.abs()).max(far);
        }
        let (offset, longest) = K::offset(x);
        let error = far * F32x8::splat(ROUNDING) + longest.sqrt() * F32x8::splat(PARALLEL);
        (offset.norm() - error).0
    }

    /// Distance \[m\] in `f64`.
    fn distance<K: Kind>(&self, p: &PairPoints) -> f64 {
        K::offset(p.points.map(|i| V3::<f64>::from_host(&self.x[i as usize]))).0.norm()
    }

    /// Stores the pair, or lowers the clearance of its points; `bound` is not above its
    /// distance. A pair that is not finite is dropped.
    #[inline(always)]
    fn classify<K: Kind>(&self, out: &mut Chunk, pair: [u32; 2], bound: f32) {
        if f64::from(bound) >= self.radius {
            if self.lowers(&K::points(self.surface, pair), bound) {
                self.lower_unless_exempt::<K>(pair, bound);
            }
        } else {
            self.classify_near::<K>(out, pair);
        }
    }

    /// The same for a pair that may be within the radius.
    fn classify_near<K: Kind>(&self, out: &mut Chunk, pair: [u32; 2]) {
        let p = K::points(self.surface, pair);
        if !p.points.iter().all(|&i| self.frame.is_finite(i)) {
            return;
        }
        let d = self.distance::<K>(&p);
        let (a, b) = p.sides();
        let filtered = self.surface.is_filtered(a, b, || K::at_rest(self.surface, pair));
        if d < self.radius && !filtered {
            out.pairs.push(pair);
        } else if d < self.radius && d < 0.5 * K::at_rest(self.surface, pair) {
            out.close.push(pair);
        } else {
            self.lower_unless_exempt::<K>(pair, round_down(d));
        }
    }

    /// Lowers clearances to `d`, unless the pair is filtered and touches at rest.
    fn lower_unless_exempt<K: Kind>(&self, pair: [u32; 2], d: f32) {
        let p = K::points(self.surface, pair);
        let (a, b) = p.sides();
        let rest = || K::at_rest(self.surface, pair);
        let finite = p.points.iter().all(|&i| self.frame.is_finite(i));
        if !finite || (self.surface.is_filtered(a, b, rest) && rest() == 0.0) {
            return;
        }
        let bits = d.max(0.0).to_bits();
        for cell in self.cells(&p) {
            if bits < cell.load(Relaxed) {
                cell.fetch_min(bits, Relaxed);
            }
        }
    }

    /// Whether some point of the pair has a larger clearance than `d`.
    #[inline(always)]
    fn lowers(&self, p: &PairPoints, d: f32) -> bool {
        let bits = d.max(0.0).to_bits();
        self.cells(p).iter().any(|cell| bits < cell.load(Relaxed))
    }

    /// The clearances that the pair bounds: own or cross ones of its points.
    #[inline(always)]
    fn cells(&self, p: &PairPoints) -> [&AtomicU32; 4] {
        let component = |i: usize| self.surface.component()[p.points[i] as usize];
        let column = if component(0) == component(3) { self.own } else { self.cross };
        p.points.map(|i| &column[i as usize])
    }
}

/// The largest `f32` not above `x ≥ 0`.
pub fn round_down(x: f64) -> f32 {
    let y = x as f32;
    if f64::from(y) > x { y.next_down() } else { y }
}
