//! Force and Hessian block of one vertex of a vertex–triangle or edge–edge pair.
//! Theory: `docs/theory/self-contact.md` eq. (10)–(14).
//!
//! ```text
//! w = Σ b x,  a = |w|,  n = w/a                 closest points of the present positions
//! u = Σ b u_v,  u_n = n·u,  u_t = u − u_n n     relative motion since the begin of the step
//! N = −E'(a)
//! f = b (N + kd [u_n < 0] min(−u_n, λ (r − a))/h) n − b mu N s(|u_t|) u_t
//! H = b² ((E'' + kd/h [u_n < 0]) n nᵀ + mu N s(|u_t|) (I − n nᵀ))
//! ```
//! b and n are held constant in H, as are N and s in the friction: H is positive semi-definite. Corners that
//! move at once share the pair: for them |b| Σ |b_j| stands for b².

#![allow(non_snake_case)]

use coact_collide::self_contact::{closest_edge_edge, closest_vertex_triangle};
use coact_math::{S3, Scalar, V3};

use crate::contact::{SlipLaw, eval_barrier, eval_barrier_energy, eval_slip_factor};
use crate::energy::Block;

/// Which features meet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PairKind {
    /// Vertex 0 and triangle 1 2 3.
    #[default]
    VertexTriangle,
    /// Edges 0 1 and 2 3.
    EdgeEdge,
}

impl PairKind {
    /// How many vertices are on the first side.
    pub fn first_side(self) -> usize {
        match self {
            Self::VertexTriangle => 1,
            Self::EdgeEdge => 2,
        }
    }
}

/// A pair that presses when it is closer than the margin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairRow<R> {
    /// Vertices (slots).
    pub v: [u32; 4],
    /// Which features.
    pub kind: PairKind,
    /// For each corner the others that move at once with it: a bit each, four per corner.
    pub at_once: u16,
    /// From the second side to the first at the last detection: the normal while the two
    /// sides coincide.
    pub n: V3<R>,
    /// Stiffness \[N/m\].
    pub ke: R,
    /// Damping \[N·s/m\].
    pub kd: R,
    /// Friction coefficient.
    pub mu: R,
}

impl<R: Scalar> PairRow<R> {
    /// eq. (14a): k b² of a corner, or what stands for it where others move at once with it.
    #[inline(always)]
    fn weigh(&self, k: R, corner: usize, b: &[R; 4]) -> R {
        let others = self.at_once >> (4 * corner) & 15;
        if others == 0 {
            return k * b[corner] * b[corner];
        }
        let mut sum = b[corner].abs();
        for (j, b) in b.iter().enumerate() {
            sum += if others >> j & 1 == 1 { b.abs() } else { R::zero() };
        }
        k * b[corner].abs() * sum
    }
}

/// Which other corners have the color of each: see [`PairRow::at_once`].
pub fn corners_at_once(color: [usize; 4]) -> u16 {
    let together = |i: usize, j: usize| i != j && color[i] == color[j];
    let bits = (0..16).filter(|bit| together(bit / 4, bit % 4));
    bits.fold(0, |all, bit| all | 1 << bit)
}

/// What all pairs of a step share.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairLaw<R> {
    /// Distance r below which a pair presses \[m\].
    pub margin: R,
    /// Approach of a step below which nothing is damped \[m\].
    pub approach_floor: R,
    /// Pairs without a distance make no force, instead of one along `PairRow::n`.
    pub skip_coincident: bool,
    /// 1/h, smoothing of friction, damped depth.
    pub slip: SlipLaw<R>,
}

/// Closest points of a pair: weights, distance and normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest<R> {
    /// Signed weights.
    pub b: [R; 4],
    /// Distance \[m\].
    pub a: R,
    /// From the second side to the first; zero when the direction is only rounding.
    pub n: V3<R>,
}

/// eq. (11): the closest points of a pair at `x`.
#[inline(always)]
pub fn eval_closest<R: Scalar>(kind: PairKind, x: &[V3<R>; 4]) -> Closest<R> {
    let one = R::one();
    let (b, w) = match kind {
        PairKind::VertexTriangle => {
            let (c, w) = closest_vertex_triangle(x[0], [x[1], x[2], x[3]]);
            ([one, -c[0], -c[1], -c[2]], w)
        }
        PairKind::EdgeEdge => {
            let (s, t, w) = closest_edge_edge([x[0], x[1]], [x[2], x[3]]);
            ([one - s, s, t - one, -t], w)
        }
    };
    let a = w.norm();
    // below the rounding of the positions themselves a direction says nothing
    let largest = |v: &V3<R>| v.x.abs().max(v.y.abs()).max(v.z.abs());
    let scale = x.iter().fold(R::zero(), |m, v| m.max(largest(v)));
    let known = a.cmp_gt(R::epsilon() * scale + R::tiny());
    Closest { b, a, n: if known { w * a.recip() } else { V3::zero() } }
}

/// Σ b u: motion of the first closest point against the second.
#[inline(always)]
fn weighted<R: Scalar>(b: &[R; 4], u: &[V3<R>; 4]) -> V3<R> {
    u[0] * b[0] + u[1] * b[1] + u[2] * b[2] + u[3] * b[3]
}

/// Whether the sides are certainly farther apart than `margin`: along the normal of the detection
/// already. Most pairs are, and this costs a fraction of their closest points.
#[inline(always)]
fn is_apart<R: Scalar>(row: &PairRow<R>, x: &[V3<R>; 4], margin: R) -> bool {
    let [a, b, c, d] = x.map(|v| row.n.dot(v));
    let (high, low) = match row.kind {
        PairKind::VertexTriangle => (a, b.max(c).max(d)),
        PairKind::EdgeEdge => (a.min(b), c.max(d)),
    };
    (high - low).cmp_ge(margin)
}

/// Whether a pair presses at positions `x`.
pub fn presses<R: Scalar>(row: &PairRow<R>, x: &[V3<R>; 4], law: &PairLaw<R>) -> bool {
    !is_apart(row, x, law.margin) && eval_closest(row.kind, x).a.cmp_lt(law.margin)
}

/// Energy that a pair stores at positions `x`, without what damping takes \[J\]. In `f64`: a step gains the small
/// difference of two large energies.
pub fn eval_stored<R: Scalar>(row: &PairRow<R>, x: &[V3<f64>; 4], law: &PairLaw<R>) -> f64 {
    let (margin, ke) = (law.margin.to_f64(), row.ke.to_f64());
    eval_barrier_energy(eval_closest(row.kind, x).a, margin, ke)
}

/// eq. (12)–(14): force and Hessian of vertex `corner` at positions `x`, moved by `u` since
/// the begin of the step.
#[inline(always)]
pub fn eval_pair<R: Scalar>(
    row: &PairRow<R>,
    corner: usize,
    x: &[V3<R>; 4],
    u: &[V3<R>; 4],
    law: &PairLaw<R>,
) -> Block<R> {
    if is_apart(row, x, law.margin) {
        return Block::zero();
    }
    let c = eval_closest(row.kind, x);
    if c.a.cmp_ge(law.margin) {
        return Block::zero();
    }
    let coincident = c.n == V3::zero();
    if coincident && law.skip_coincident {
        return Block::zero();
    }
    let n = if coincident { row.n } else { c.n };
    let (slope, curvature) = eval_barrier(c.a, law.margin, row.ke);
    let motion = weighted(&c.b, u);
    let u_n = n.dot(motion);
    let approach = -u_n;
    let k_d = if approach.cmp_gt(law.approach_floor) { row.kd * law.slip.inv_h } else { R::zero() };
    let damped = approach.min(law.slip.damped_depth * (law.margin - c.a));
    let u_t = motion - n * u_n;
    let f_s = -(row.mu * slope) * eval_slip_factor(u_t.norm(), law.slip.epsilon);
    let b = c.b[corner];
    let f = (n * (k_d * damped - slope) - u_t * f_s) * b;
    let mut H = S3::outer(row.weigh(curvature + k_d - f_s, corner, &c.b), n);
    H.add_diagonal(row.weigh(f_s, corner, &c.b));
    Block { f, H }
}

#[cfg(test)]
#[path = "pair_tests.rs"]
mod tests;
