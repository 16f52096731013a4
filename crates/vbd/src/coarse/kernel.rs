//! What elements give to a coarse block: eq. (39), (40) of `docs/theory/vbd.md`.
//!
//! F is linear in the vertices, so a displacement δ spread by weights w changes it by δ ⊗ m_c: the
//! kernels of `energy` take m_c in place of the weights of a vertex, and give force and Hessian of δ.

#![allow(non_snake_case)]

use coact_math::{Lanes, Real, S3, V3};

use super::tables::{Entry, Tables, WIDTH, Wide};
use crate::energy::{
    Block, Hinge, Membrane, Spring, Tetrahedron, eval_hinge_angle, eval_hinge_damping, eval_hinge_elastic,
    eval_membrane_damping, eval_membrane_elastic, eval_spring_damping, eval_spring_elastic,
    eval_tetrahedron_damping, eval_tetrahedron_elastic, membrane_F, tetrahedron_F,
};
use crate::lanes::{StepTerms, Transpose, gather, gather_u};

impl<R: Transpose> Tables<R>
where
    Wide<R>: Real<Scalar = R>,
{
    /// Force and Hessian of a block from the elements of one part, sixteen sums side by side.
    #[inline(always)]
    pub fn eval(&self, block: (usize, usize), step: &StepTerms<R>) -> Block<R> {
        let mut sum = Block::zero();
        for e in self.springs.of(block) {
            sum += spring(e, step, self.damped);
        }
        for e in self.triangles.of(block) {
            sum += triangle(e, step, self.damped);
        }
        for e in self.hinges.of(block) {
            sum += hinge(e, step, self.damped);
        }
        for e in self.tets.of(block) {
            sum += tet(e, step, self.damped);
        }
        add_up(&sum)
    }
}

/// Sum over lanes, in their order.
#[inline(always)]
fn add_up<R: Transpose>(b: &Block<Wide<R>>) -> Block<R> {
    let s = |w: Wide<R>| w.0.into_iter().fold(R::default(), |a, x| a + x);
    let H = &b.H;
    let H = S3 { xx: s(H.xx), xy: s(H.xy), xz: s(H.xz), yy: s(H.yy), yz: s(H.yz), zz: s(H.zz) };
    Block { f: V3::new(s(b.f.x), s(b.f.y), s(b.f.z)), H }
}

/// Positions from the first vertex, without it.
#[inline(always)]
fn edges<R: Transpose, const V: usize, const E: usize>(
    v: &[[u32; WIDTH]; V],
    step: &StepTerms<R>,
) -> [V3<Wide<R>>; E]
where
    Wide<R>: Real<Scalar = R>,
{
    let (first, mut x) = (gather(step.at, &v[0]), [V3::zero(); E]);
    for i in 0..E {
        x[i] = gather(step.at, &v[i + 1]).minus(&first);
    }
    x
}

/// How these changed since the begin of the step.
#[inline(always)]
fn edges_u<R: Transpose, const V: usize, const E: usize>(
    v: &[[u32; WIDTH]; V],
    step: &StepTerms<R>,
) -> [V3<Wide<R>>; E]
where
    Wide<R>: Real<Scalar = R>,
{
    let (first, mut u) = (gather_u(step.u, &v[0]), [V3::zero(); E]);
    for i in 0..E {
        u[i] = gather_u(step.u, &v[i + 1]) - first;
    }
    u
}

#[inline(always)]
fn spring<R: Transpose>(
    s: &Entry<Spring<Wide<R>>, Wide<R>, 2>,
    step: &StepTerms<R>,
    damped: bool,
) -> Block<Wide<R>>
where
    Wide<R>: Real<Scalar = R>,
{
    let [edge] = edges(&s.v, step);
    let d = -edge;
    let mut b = eval_spring_elastic(&s.e, d, step.spring_hessian);
    if damped {
        let [du] = edges_u(&s.v, step);
        b += eval_spring_damping(&s.e, d, -du, Lanes::splat(step.inv_h));
    }
    Block { f: b.f * s.m, H: b.H * (s.m * s.m) }
}

#[inline(always)]
fn triangle<R: Transpose>(
    t: &Entry<Membrane<Wide<R>>, [Wide<R>; 2], 3>,
    step: &StepTerms<R>,
    damped: bool,
) -> Block<Wide<R>>
where
    Wide<R>: Real<Scalar = R>,
{
    let F = membrane_F(&edges(&t.v, step), &t.e.Dm_inv);
    let mut b = eval_membrane_elastic(&t.e, &F, &t.m, step.membrane_hessian);
    if damped {
        let dF = membrane_F(&edges_u(&t.v, step), &t.e.Dm_inv);
        b += eval_membrane_damping(&t.e, &F, &dF, &t.m, Lanes::splat(step.inv_h));
    }
    b
}

#[inline(always)]
fn tet<R: Transpose>(
    t: &Entry<Tetrahedron<Wide<R>>, [Wide<R>; 3], 4>,
    step: &StepTerms<R>,
    damped: bool,
) -> Block<Wide<R>>
where
    Wide<R>: Real<Scalar = R>,
{
    let F = tetrahedron_F(&edges(&t.v, step), &t.e.Dm_inv);
    let mut b = eval_tetrahedron_elastic(&t.e, &F, &t.m);
    if damped {
        let dF = tetrahedron_F(&edges_u(&t.v, step), &t.e.Dm_inv);
        b += eval_tetrahedron_damping(&t.e, &F, &dF, &t.m, Lanes::splat(step.inv_h));
    }
    b
}

#[inline(always)]
fn hinge<R: Transpose>(
    h: &Entry<Hinge<Wide<R>>, [Wide<R>; 4], 4>,
    step: &StepTerms<R>,
    damped: bool,
) -> Block<Wide<R>>
where
    Wide<R>: Real<Scalar = R>,
{
    let o = V3::zero();
    let [p, q, r] = edges(&h.v, step);
    let angle = eval_hinge_angle(&[o, p, q, r]);
    let g = angle.gradient_of(&h.m);
    let mut b = eval_hinge_elastic(&h.e, angle.theta, g);
    if damped {
        let [dp, dq, dr] = edges_u(&h.v, step);
        let start = eval_hinge_angle(&[o, p - dp, q - dq, r - dr]);
        let inv_h = Lanes::splat(step.inv_h);
        b += eval_hinge_damping(&h.e, angle.theta, (start.theta, start.regular), g, inv_h);
    }
    b
}
