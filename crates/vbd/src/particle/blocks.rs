//! Force and Hessian of one block: rows, springs, membrane, hinges, tetrahedra, in this
//! order, each in order of its list. Theory: `docs/theory/vbd.md` eq. (3), (4);
//! the elements are those of `docs/theory/elasticity.md`.

#![allow(non_snake_case)]

use coact_math::Scalar;

use super::cpu::CpuParticles;
use crate::config::SingularRule;
use crate::energy::{
    Block, HingeAngle, eval_hinge_angle, eval_hinge_damping, eval_hinge_elastic, eval_membrane_damping,
    eval_membrane_elastic, eval_spring_damping, eval_spring_elastic, eval_tetrahedron_damping,
    eval_tetrahedron_elastic, membrane_F, membrane_weights, tetrahedron_F, tetrahedron_weights,
};
use crate::prepared::{Corner, HingeRecord};
use coact_math::V3;

/// |det H| at which the absolute rule skips a block; in units of (N/m)³.
const SINGULAR_DETERMINANT: f64 = 1e-8;

impl<P: Scalar, R: Scalar> CpuParticles<P, R> {
    /// eq. (4): the descent step of a block, and whether its system was regular.
    #[inline]
    pub(super) fn solve_block(&self, slot: usize) -> (V3<R>, bool) {
        let k = self.columns.inertia[slot];
        if k.cmp_le(R::zero()) {
            return (V3::zero(), true);
        }
        let Block { f, mut H } = self.eval_block(slot);
        H.add_diagonal(k);
        let (step, regular) = H.solve(f - self.columns.offset(slot, self.options.velocity) * k);
        let keep = match self.options.singular {
            SingularRule::Relative => regular,
            SingularRule::AbsoluteDeterminant => H.det().abs().cmp_gt(R::from_f64(SINGULAR_DETERMINANT)),
        };
        (if keep { step } else { V3::zero() }, keep)
    }

    /// eq. (3) without inertia: what elements and rows give to a block.
    #[inline]
    pub(super) fn eval_block(&self, slot: usize) -> Block<R> {
        let mut sum = self.eval_rows(slot);
        sum += self.eval_self_contact(slot);
        sum += self.eval_elements(slot);
        sum
    }

    /// Largest absolute row sum of the elements' Hessian at the iterate \[N/m\].
    pub(super) fn element_stiffness(&self, slot: usize) -> f64 {
        self.eval_elements(slot).H.max_row_sum().to_f64()
    }

    #[inline]
    fn eval_elements(&self, slot: usize) -> Block<R> {
        let mut sum = Block::zero();
        let layout = &*self.layout;
        layout.springs.of(slot).iter().for_each(|&c| sum += self.eval_spring(c));
        layout.triangles.of(slot).iter().for_each(|&c| sum += self.eval_triangle(c));
        layout.hinges.of(slot).iter().for_each(|&c| sum += self.eval_hinge(c));
        layout.tets.of(slot).iter().for_each(|&c| sum += self.eval_tet(c));
        sum
    }

    #[inline(always)]
    fn eval_rows(&self, slot: usize) -> Block<R> {
        let mut sum = Block::zero();
        for row in self.rows.of_slot(slot) {
            let (f, H) = self.rows.eval(row, &self.law, self.columns.d[slot]);
            sum += Block { f, H };
        }
        sum
    }

    #[inline(always)]
    fn eval_spring(&self, c: Corner) -> Block<R> {
        let s = &self.elements.springs[c.element()];
        let (a, b) = (s.v[c.corner()] as usize, s.v[1 - c.corner()] as usize);
        let d = self.columns.x[a] - self.columns.x[b];
        let mut block = eval_spring_elastic(&s.e, d, self.options.spring_hessian);
        if s.e.kd.cmp_gt(R::zero()) {
            let dd = self.columns.u(a) - self.columns.u(b);
            block += eval_spring_damping(&s.e, d, dd, self.law.inv_h);
        }
        block
    }

    #[inline(always)]
    fn eval_triangle(&self, c: Corner) -> Block<R> {
        let t = &self.elements.triangles[c.element()];
        let F = membrane_F(&self.gather(&t.v), &t.e.Dm_inv);
        let m = membrane_weights(&t.e.Dm_inv, c.corner());
        let mut block = eval_membrane_elastic(&t.e, &F, &m);
        if t.e.kd.cmp_gt(R::zero()) {
            let dF = membrane_F(&self.gather_u(&t.v), &t.e.Dm_inv);
            block += eval_membrane_damping(&t.e, &F, &dF, &m, self.law.inv_h);
        }
        block
    }

    #[inline(always)]
    fn eval_hinge(&self, c: Corner) -> Block<R> {
        let h = &self.elements.hinges[c.element()];
        let angle = eval_hinge_angle(&self.gather(&h.v));
        let g = angle.gradient(c.corner());
        let mut block = eval_hinge_elastic(&h.e, angle.theta, g);
        if h.e.kd.cmp_gt(R::zero()) {
            let start = self.hinge_start[c.element()];
            block += eval_hinge_damping(&h.e, angle.theta, start, g, self.law.inv_h);
        }
        block
    }

    #[inline(always)]
    fn eval_tet(&self, c: Corner) -> Block<R> {
        let t = &self.elements.tets[c.element()];
        let F = tetrahedron_F(&self.gather(&t.v), &t.e.Dm_inv);
        let m = tetrahedron_weights(&t.e.Dm_inv, c.corner());
        let mut block = eval_tetrahedron_elastic(&t.e, &F, &m);
        if t.e.kd.cmp_gt(R::zero()) {
            let dF = tetrahedron_F(&self.gather_u(&t.v), &t.e.Dm_inv);
            block += eval_tetrahedron_damping(&t.e, &F, &dF, &m, self.law.inv_h);
        }
        block
    }

    /// Angle of a damped hinge at the begin of the step.
    pub(super) fn start_angle(&self, h: &HingeRecord<R>) -> (R, bool) {
        if h.e.kd.cmp_le(R::zero()) {
            return (R::zero(), false);
        }
        let x = h.v.map(|s| super::columns::convert(self.columns.x0[s as usize]));
        let HingeAngle { theta, regular, .. } = eval_hinge_angle(&x);
        (theta, regular)
    }

    #[inline(always)]
    pub(super) fn gather<const N: usize>(&self, v: &[u32; N]) -> [V3<R>; N] {
        v.map(|s| self.columns.x[s as usize])
    }

    #[inline(always)]
    pub(super) fn gather_u<const N: usize>(&self, v: &[u32; N]) -> [V3<R>; N] {
        v.map(|s| self.columns.u(s as usize))
    }
}
