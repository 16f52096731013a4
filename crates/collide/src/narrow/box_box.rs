//! Two boxes by separating axes: `docs/theory/contact-detection.md` section 3.
//!
//! The fifteen axes are the face normals and the cross products of edges. Faces win ties, the
//! first box before the second, so that a box at rest keeps its points. Left to the general
//! way: boxes that are apart and whose nearest features do not lie on the best axis.

use coact_math::{Mat3, Vec3};

use super::thin::choose;
use super::{MOST_POINTS, Side, Touch};

/// An edge pair, or the second box's face, must be better than a face of the first by this
/// part of the smallest half extent.
const KEEP: f64 = 1e-5;

/// Farther apart than this part of the smallest half extent the general way is taken, unless
/// two points are as near as the axis says.
const APART: f64 = 1e-2;

/// How far, as a part of the smallest half extent, a corner may overhang the face that it
/// stands on.
const SLACK: f64 = 1e-4;

/// Corners nearer than this part of the smallest half extent are one, as far as thinning goes.
const NEAR: f64 = 1e-6;

/// Cosine of the angle, 1°, by which the normal of a contact leans from that of a face at least.
pub(super) const LEAN: f64 = 0.99985;

/// Distance or depth, as a part of the smallest half extent, up to which what leans less lies on the face.
const TOUCHING: f64 = 0.02;

/// Edges whose cross product is shorter (squared) are parallel: a face axis stands for theirs.
const PARALLEL: f64 = 1e-8;

/// The second box in the axes of the first.
struct Pair<'a> {
    e: [&'a [f64; 3]; 2],
    /// Axes of the second as columns.
    c: Mat3,
    abs: Mat3,
    /// Centre of the second.
    t: Vec3,
}

#[derive(Clone, Copy)]
enum Axis {
    First(usize),
    Second(usize),
    Edges(usize, usize),
}

/// Appends the points of two boxes. `false`: they need the general way.
pub(super) fn meet_boxes(sides: [&Side; 2], e: [&[f64; 3]; 2], reach: f64, out: &mut Vec<Touch>) -> bool {
    let [a, b] = sides;
    let c = a.turn.tr_mul(&b.turn);
    let pair = Pair { e, c, abs: c.abs(), t: a.turn.tr_mul(&(b.at - a.at)) };
    let least = e[0].iter().chain(e[1]).fold(f64::INFINITY, |m: f64, x| m.min(*x));
    let Some((axis, separation)) = pair.best_axis(reach, KEEP * least) else { return true };
    let first = out.len();
    let mut over = |axis: Axis| pair.meet_along(axis, sides, least, reach, out);
    if let Axis::Edges(i, j) = axis {
        // what lies almost flat lies on its face: the two edges alone would let it tip
        let touching = separation.abs() < TOUCHING * least;
        let face = pair.leaning(i, j).filter(|&face| touching && over(face));
        if face.is_none() {
            out.push(pair.edges(i, j, a));
        }
    } else {
        over(axis);
    }
    // a point that is as near as the axis says is the nearest there is
    let apart = separation > APART * least;
    let attained = |t: &Touch| (t.x[1] - t.x[0]).norm() < separation + KEEP * least;
    if apart && !out[first..].iter().any(attained) {
        out.truncate(first);
    }
    out.len() > first
}

impl Pair<'_> {
    /// The points over the face of an axis; whether there are any.
    fn meet_along(
        &self,
        axis: Axis,
        [a, b]: [&Side; 2],
        least: f64,
        reach: f64,
        out: &mut Vec<Touch>,
    ) -> bool {
        let (first, [e, f]) = (out.len(), self.e);
        let (slack, near) = (SLACK * least, NEAR * least);
        match axis {
            Axis::First(i) => {
                let base = Base { turn: &a.turn, at: a.at, e, axis: i, slack, near };
                base.meet(&self.c, &self.t, f, reach, |t| out.push(t));
            }
            Axis::Second(j) => {
                let base = Base { turn: &b.turn, at: b.at, e: f, axis: j, slack, near };
                let t = -self.c.tr_mul(&self.t);
                let flip = |t: Touch| Touch { feature: t.feature | 1 << 24, ..t.flipped() };
                base.meet(&self.c.transpose(), &t, e, reach, |t| out.push(flip(t)));
            }
            Axis::Edges(..) => {}
        }
        out.len() > first
    }

    /// The face that the normal of two edges leans from by less than [`LEAN`], the first box's before the
    /// second's.
    fn leaning(&self, i: usize, j: usize) -> Option<Axis> {
        let n = self.edge_normal(i, j);
        let m = self.c.tr_mul(&n);
        let most = |n: &Vec3| (0..3).find(|&k| n[k].abs() > LEAN);
        most(&n).map(Axis::First).or(most(&m).map(Axis::Second))
    }

    /// Across two edges, towards the second box.
    fn edge_normal(&self, i: usize, j: usize) -> Vec3 {
        let n = Vec3::ith(i, 1.0).cross(&self.c.column(j)).normalize();
        if n.dot(&self.t) < 0.0 { -n } else { n }
    }

    /// The axis of the largest separation; `None` beyond `reach`.
    fn best_axis(&self, reach: f64, keep: f64) -> Option<(Axis, f64)> {
        let ([a, b], c, q, t) = (self.e, &self.c, &self.abs, &self.t);
        let mut best = (Axis::First(0), f64::NEG_INFINITY);
        for i in 0..3 {
            let s = t[i].abs() - a[i] - (q[(i, 0)] * b[0] + q[(i, 1)] * b[1] + q[(i, 2)] * b[2]);
            if s > best.1 + if i > 0 { keep } else { 0.0 } {
                best = (Axis::First(i), s);
            }
        }
        for j in 0..3 {
            let along = t[0] * c[(0, j)] + t[1] * c[(1, j)] + t[2] * c[(2, j)];
            let s = along.abs() - b[j] - (q[(0, j)] * a[0] + q[(1, j)] * a[1] + q[(2, j)] * a[2]);
            if s > best.1 + keep {
                best = (Axis::Second(j), s);
            }
        }
        if best.1 >= reach {
            return None;
        }
        for i in 0..3 {
            let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
            for j in 0..3 {
                let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
                let along = t[i2] * c[(i1, j)] - t[i1] * c[(i2, j)];
                let ra = a[i1] * q[(i2, j)] + a[i2] * q[(i1, j)];
                let rb = b[j1] * q[(i, j2)] + b[j2] * q[(i, j1)];
                let s = along.abs() - ra - rb;
                let squared = 1.0 - c[(i, j)] * c[(i, j)];
                // dividing by a length below 1 makes what is negative only more so
                if squared < PARALLEL || (s <= 0.0 && s <= best.1 + keep) {
                    continue;
                }
                let s = s / squared.sqrt();
                if s > best.1 + keep {
                    best = (Axis::Edges(i, j), s);
                }
            }
        }
        (best.1 < reach).then_some(best)
    }

    /// The one point of two edges.
    fn edges(&self, i: usize, j: usize, a: &Side) -> Touch {
        let ([ea, eb], c, t) = (self.e, &self.c, &self.t);
        let v = c.column(j).into_owned();
        let (u, n) = (Vec3::ith(i, 1.0), self.edge_normal(i, j));
        let m = c.tr_mul(&n);
        let signed = |x: f64, e: f64| if x < 0.0 { -e } else { e };
        let (mut p, mut q) = (Vec3::zeros(), Vec3::zeros());
        for k in 0..3 {
            p[k] = if k == i { 0.0 } else { signed(n[k], ea[k]) };
            q[k] = if k == j { 0.0 } else { -signed(m[k], eb[k]) };
        }
        let q = c * q + t;
        let (w, b) = (q - p, v[i]);
        let det = 1.0 - b * b;
        let s = ((w[i] - b * w.dot(&v)) / det).clamp(-ea[i], ea[i]);
        let r = ((b * w[i] - w.dot(&v)) / det).clamp(-eb[j], eb[j]);
        let world = |x: Vec3| a.turn * x + a.at;
        let feature = 1 << 25 | (i * 3 + j) as u32;
        Touch { normal: a.turn * n, x: [world(p + u * s), world(q + v * r)], feature }
    }
}

/// A face of one box that the other one lies on.
struct Base<'a> {
    turn: &'a Mat3,
    at: Vec3,
    e: &'a [f64; 3],
    axis: usize,
    slack: f64,
    near: f64,
}

/// A corner over the face: along its two axes, above it, and the edges beside the corner.
#[derive(Clone, Copy, Default)]
struct Corner {
    x: [f64; 2],
    height: f64,
    edges: [u8; 2],
}

impl Base<'_> {
    /// The corners of the other box's face that lie over this one. `c` are the axes of the other
    /// box, `t` is its centre, both in the axes of this one.
    fn meet(&self, c: &Mat3, t: &Vec3, e: &[f64; 3], reach: f64, mut out: impl FnMut(Touch)) {
        let i = self.axis;
        let (u, v) = ((i + 1) % 3, (i + 2) % 3);
        let sign = if t[i] < 0.0 { -1.0 } else { 1.0 };
        let (corners, id) = self.facing(c, t, e, sign);
        let (mut this, mut other) = ([Corner::default(); 8], [Corner::default(); 8]);
        this[..4].copy_from_slice(&corners);
        let (mut polygon, mut next, mut len) = (&mut this, &mut other, 4);
        for (axis, k) in [(0, u), (1, v)] {
            for (side, name) in [(1.0, 8), (-1.0, 9)] {
                let border = Border { axis, side, e: self.e[k], name: name + 2 * axis as u8 };
                if let Some(kept) = border.cut(&polygon[..len], self.slack, next) {
                    (polygon, next, len) = (next, polygon, kept);
                }
            }
        }
        let reached = polygon[..len].iter().filter(|p| p.height < reach).count();
        let all = reached <= MOST_POINTS;
        let corner = |k: usize| [polygon[k].x[0], polygon[k].x[1], polygon[k].height];
        let chosen = if all { None } else { Some(choose(len, corner, self.near)) };
        let chosen = chosen.as_ref().map_or(&[0, 1, 2, 3, 4, 5, 6, 7][..len], |c| c.indices());
        let (column, n) = (|k: usize| self.turn.column(k), self.turn.column(i) * sign);
        let base = self.at + n * self.e[i];
        let faces = (2 * i as u32 + u32::from(sign < 0.0)) << 20 | id << 16;
        for p in chosen.iter().map(|&k| &polygon[k]).filter(|p| p.height < reach) {
            let foot = base + column(u) * p.x[0] + column(v) * p.x[1];
            let feature = faces | u32::from(p.edges[0]) << 8 | u32::from(p.edges[1]);
            out(Touch { normal: n, x: [foot, foot + n * p.height], feature });
        }
    }

    /// The corners of the face of the other box that looks at this one, and which face it is.
    fn facing(&self, c: &Mat3, t: &Vec3, e: &[f64; 3], sign: f64) -> ([Corner; 4], u32) {
        let i = self.axis;
        let (u, v) = ((i + 1) % 3, (i + 2) % 3);
        let along = [c[(i, 0)].abs(), c[(i, 1)].abs(), c[(i, 2)].abs()];
        let j = if along[0] >= along[1] && along[0] >= along[2] {
            0
        } else if along[1] >= along[2] {
            1
        } else {
            2
        };
        let (k, l) = ((j + 1) % 3, (j + 2) % 3);
        let out = if sign * c[(i, j)] > 0.0 { -1.0 } else { 1.0 };
        let middle = t + c.column(j) * (out * e[j]);
        let (k, l) = (c.column(k) * e[k], c.column(l) * e[l]);
        let corner = |(n, (f, g)): (u8, (f64, f64))| {
            let x = middle + k * f + l * g;
            Corner { x: [x[u], x[v]], height: sign * x[i] - self.e[i], edges: [(n + 3) % 4, n] }
        };
        let turn = [(0, (1.0, 1.0)), (1, (-1.0, 1.0)), (2, (-1.0, -1.0)), (3, (1.0, -1.0))];
        (turn.map(corner), 2 * j as u32 + u32::from(out < 0.0))
    }
}

/// A side of a face: what is on it has `side x[axis] ≤ e`.
struct Border {
    axis: usize,
    side: f64,
    e: f64,
    name: u8,
}

impl Border {
    /// Puts into `to` what lies inside and answers how many corners that are; `None` if that is
    /// all. What overhangs by less than `slack` counts as on the border.
    fn cut(&self, from: &[Corner], slack: f64, to: &mut [Corner; 8]) -> Option<usize> {
        let out = |c: &Corner| self.side * c.x[self.axis] - self.e;
        if from.iter().all(|c| out(c) <= slack) {
            return None;
        }
        let mut kept = 0;
        let mut keep = |c: Corner| {
            if kept < 8 {
                to[kept] = c;
                kept += 1;
            }
        };
        let mut a = from.last()?;
        let mut da = out(a);
        for b in from {
            let db = out(b);
            if (da > slack && db < 0.0) || (db > slack && da < 0.0) {
                let t = (da / (da - db)).clamp(0.0, 1.0);
                let mix = |x: f64, y: f64| x + (y - x) * t;
                let x = [mix(a.x[0], b.x[0]), mix(a.x[1], b.x[1])];
                let edges = if da <= slack { [a.edges[1], self.name] } else { [self.name, a.edges[1]] };
                keep(Corner { x, height: mix(a.height, b.height), edges });
            }
            if db <= slack {
                keep(*b);
            }
            (a, da) = (b, db);
        }
        Some(kept)
    }
}
