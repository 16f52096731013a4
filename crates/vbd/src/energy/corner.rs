//! A tetrahedron as one of its vertices sees it.
//!
//! `docs/theory/elasticity.md` eq. (34)–(37). With the edges a, b, c from the vertex x to the
//! others, Ds = \[a b c\], all that force and block need of the rest shape is M = Dm⁻¹Dm⁻ᵀ and V:
//!
//! ```text
//! q = -M (1, 1, 1)ᵀ,   F m = Ds q,   |m|² = -(q₁ + q₂ + q₃)
//! n = (b - a) × (c - a),   cof F m = -n/(6 V),   J = a·n/(6 V)
//! f = -V μ Ds q + (κ a·n - τ) n,   H = V μ |m|² I + κ n nᵀ;     κ = λ'/(36 V),   τ = (λ' + μ)/6
//! ```
//! with λ' = λ + μ: a third of the work of `tetrahedron.rs`, and six numbers in place of thirteen.
//! Damping adds the other three of M:
//!
//! ```text
//! y = M ΔG q,   P = |m|² M + q qᵀ,   f = -k Ds y,   H = k Ds P Dsᵀ,   k = 2 V kd/dt
//! ```
//! The same energies as `tetrahedron.rs`, up to rounding.

use super::{Block, Tetrahedron};
use coact_math::{Real, S3, Scalar, V3};

/// What a vertex needs of an undamped tetrahedron. All zero: no tetrahedron. A q times μ V is minus
/// the weight of an edge, the same for both its ends and rounded once, as in `fan.rs`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TetCorner<R> {
    /// q \[1/m²\].
    pub q: [R; 3],
    /// V μ \[N m\].
    pub mu: R,
    /// κ \[N/m⁵\].
    pub kappa: R,
    /// τ \[Pa\].
    pub tau: R,
}

/// What it needs besides for damping.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TetCornerDamping<R> {
    /// Entries 12, 13, 23 of M \[1/m²\].
    pub m: [R; 3],
    /// 2 V kd \[N m s\].
    pub k: R,
}

/// The change of its edges since the begin of the step, and 1/dt.
pub type Motion<R> = ([V3<R>; 3], R);

impl<R: Scalar> TetCorner<R> {
    /// From a tetrahedron whose vertex 0 is x; products are rounded once.
    pub fn new(t: &Tetrahedron<f64>) -> (Self, TetCornerDamping<R>) {
        let Tetrahedron { Dm_inv, V, mu, lambda, kd } = *t;
        let M = Dm_inv * Dm_inv.transpose();
        let q = M * V3::new(-1.0, -1.0, -1.0);
        let r = R::from_f64;
        let stretch = lambda + mu;
        let corner = Self {
            q: [r(q.x), r(q.y), r(q.z)],
            mu: r(V * mu),
            kappa: r(stretch / (36.0 * V)),
            tau: r((stretch + mu) / 6.0),
        };
        (corner, TetCornerDamping { m: [r(M.y.x), r(M.z.x), r(M.z.y)], k: r(2.0 * V * kd) })
    }
}

/// Elastic force and exact block of the vertex, from its edges: eq. (35).
#[inline(always)]
pub fn eval_tet_corner<R: Real>(e: &TetCorner<R>, [a, b, c]: [V3<R>; 3]) -> Block<R> {
    let n = (b - a).cross(c - a);
    let [qa, qb, qc] = e.q;
    let mut H = S3::outer(e.kappa, n);
    H.add_diagonal(-(e.mu * (qa + qb + qc)));
    let pull = a * (e.mu * qa) + b * (e.mu * qb) + c * (e.mu * qc);
    Block { f: n * (e.kappa * a.dot(n) - e.tau) - pull, H }
}

/// Damping force and Gauss–Newton block of the vertex: eq. (36), (37).
#[inline(always)]
pub fn eval_tet_corner_damping<R: Real>(
    e: &TetCorner<R>,
    damping: &TetCornerDamping<R>,
    [a, b, c]: [V3<R>; 3],
    ([da, db, dc], inv_dt): Motion<R>,
) -> Block<R> {
    let (k, [qa, qb, qc], [m12, m13, m23]) = (damping.k * inv_dt, e.q, damping.m);
    // ΔG = DsᵀdDs + dDsᵀ(Ds - dDs)
    let (oa, ob, oc) = (a - da, b - db, c - dc);
    let (g11, g22, g33) = (da.dot(a + oa), db.dot(b + ob), dc.dot(c + oc));
    let g12 = a.dot(db) + da.dot(ob);
    let g13 = a.dot(dc) + da.dot(oc);
    let g23 = b.dot(dc) + db.dot(oc);
    let va = g11 * qa + g12 * qb + g13 * qc;
    let vb = g12 * qa + g22 * qb + g23 * qc;
    let vc = g13 * qa + g23 * qb + g33 * qc;
    // the rows of M add up to -q
    let (m11, m22, m33) = (-(qa + m12 + m13), -(qb + m12 + m23), -(qc + m13 + m23));
    let ya = m11 * va + m12 * vb + m13 * vc;
    let yb = m12 * va + m22 * vb + m23 * vc;
    let yc = m13 * va + m23 * vb + m33 * vc;
    let f = (a * ya + b * yb + c * yc) * -k;
    // k P
    let m_sq = -(qa + qb + qc) * k;
    let (ka, kb, kc) = (k * qa, k * qb, k * qc);
    let (p12, p13, p23) = (m_sq * m12 + ka * qb, m_sq * m13 + ka * qc, m_sq * m23 + kb * qc);
    let ta = a * (m_sq * m11 + ka * qa) + b * p12 + c * p13;
    let tb = a * p12 + b * (m_sq * m22 + kb * qb) + c * p23;
    let tc = a * p13 + b * p23 + c * (m_sq * m33 + kc * qc);
    let H = S3 {
        xx: a.x * ta.x + b.x * tb.x + c.x * tc.x,
        xy: a.x * ta.y + b.x * tb.y + c.x * tc.y,
        xz: a.x * ta.z + b.x * tb.z + c.x * tc.z,
        yy: a.y * ta.y + b.y * tb.y + c.y * tc.y,
        yz: a.y * ta.z + b.y * tb.z + c.y * tc.z,
        zz: a.z * ta.z + b.z * tb.z + c.z * tc.z,
    };
    Block { f, H }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::tests::{INV_DT, Lcg, TET, kernel, tetrahedron};
    use crate::energy::{edges, tetrahedron_weights};
    use coact_math::{M3, Vec3};

    /// The tetrahedron renumbered so that vertex `i` is the first.
    const ORDER: [[usize; 4]; 4] = [[0, 1, 2, 3], [1, 0, 3, 2], [2, 0, 1, 3], [3, 0, 2, 1]];

    fn seen_from(t: &Tetrahedron<f64>, order: [usize; 4]) -> Tetrahedron<f64> {
        let [p, q, r] = [order[1], order[2], order[3]].map(|i| tetrahedron_weights(&t.Dm_inv, i));
        let column = |k: usize| V3::new(p[k], q[k], r[k]);
        Tetrahedron { Dm_inv: M3::from_columns(column(0), column(1), column(2)), ..*t }
    }

    #[test]
    fn a_corner_feels_what_the_whole_tetrahedron_gives_it() {
        let mut r = Lcg::new(17);
        for _ in 0..500 {
            let t = Tetrahedron::<f64>::from_rest(&r.near(&TET, 0.2), 3.0, 7.0, 0.05).expect("has a volume");
            let (x, u) = (kernel(&r.near(&TET, 0.5)), kernel(&r.near(&[Vec3::zeros(); 4], 0.1)));
            for (i, order) in ORDER.into_iter().enumerate() {
                let (elastic, damping) = tetrahedron(&t, &x, &u, i);
                let (corner, damped) = TetCorner::new(&seen_from(&t, order));
                let [e, de] = [x, u].map(|v| edges::<f64, 4, 3>(&order.map(|i| v[i])));
                for (whole, seen) in [
                    (elastic, eval_tet_corner(&corner, e)),
                    (damping, eval_tet_corner_damping(&corner, &damped, e, (de, INV_DT))),
                ] {
                    let (f, H) = ((whole.f - seen.f).norm(), (whole.H - seen.H).max_row_sum());
                    let size = whole.H.max_row_sum();
                    assert!(size > 1e-3, "nothing happened");
                    assert!(
                        f < 1e-12 * size.max(whole.f.norm()) && H < 1e-12 * size,
                        "{f:e} {H:e} of {size}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_corner_of_zeros_is_a_finite_zero() {
        let (e, d) = (TetCorner::<f32>::default(), TetCornerDamping::default());
        let o = [V3::zero(); 3];
        assert_eq!(eval_tet_corner(&e, o), Block::zero());
        assert_eq!(eval_tet_corner_damping(&e, &d, o, (o, 1.0)), Block::zero());
    }
}
