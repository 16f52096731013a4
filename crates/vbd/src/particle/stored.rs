//! Energy that elements store: `docs/theory/elasticity.md`, without what damping takes.
//!
//! In `f64`, with the rounded elements that forces come from: a step gains the small difference of two
//! large energies.

#![allow(non_snake_case)]

use std::ops::Range;

use coact_math::{Scalar, V3};

use super::columns::convert;
use super::cpu::CpuParticles;
use crate::energy::{
    edges, eval_hinge_angle, membrane_F, membrane_psi, spring_energy, tetrahedron_F, tetrahedron_psi,
};
use crate::prepared::{Corner, Elements, HingeRecord, Incidence, SpringRecord, TetRecord, TriangleRecord};

fn spring<R: Scalar>(s: &SpringRecord<R>, x: &[V3<f64>; 2]) -> f64 {
    spring_energy(&s.e.wide(), x[0] - x[1])
}

fn triangle<R: Scalar>(t: &TriangleRecord<R>, x: &[V3<f64>; 3]) -> f64 {
    let e = t.e.wide();
    e.A * membrane_psi(&e, &membrane_F(&edges(x), &e.Dm_inv))
}

fn hinge<R: Scalar>(h: &HingeRecord<R>, x: &[V3<f64>; 4]) -> f64 {
    let e = h.e.wide();
    let bend = eval_hinge_angle(x).theta - e.theta0;
    0.5 * e.ke * e.L0 * bend * bend
}

fn tet<R: Scalar>(t: &TetRecord<R>, x: &[V3<f64>; 4]) -> f64 {
    let e = t.e.wide();
    e.V * tetrahedron_psi(&e, &tetrahedron_F(&edges(x), &e.Dm_inv))
}

/// Sum over all records with vertices at `x(slot)` \[J\].
pub fn element_energy<R: Scalar>(e: &Elements<R>, x: impl Fn(u32) -> V3<f64>) -> f64 {
    let springs = e.springs.iter().map(|s| spring(s, &s.v.map(&x)));
    let triangles = e.triangles.iter().map(|t| triangle(t, &t.v.map(&x)));
    let hinges = e.hinges.iter().map(|h| hinge(h, &h.v.map(&x)));
    let tets = e.tets.iter().map(|t| tet(t, &t.v.map(&x)));
    springs.sum::<f64>() + triangles.sum::<f64>() + hinges.sum::<f64>() + tets.sum::<f64>()
}

impl<P: Scalar, R: Scalar> CpuParticles<P, R> {
    /// What elements whose first block is in `run` store more at the iterate than at the begin of the step
    /// \[J\].
    pub(super) fn stored_gain(&self, run: Range<usize>) -> f64 {
        let (e, l) = (&self.elements, &self.layout);
        let springs =
            self.gain_of(run.clone(), &l.springs, |i| e.springs[i].v, |i, x| spring(&e.springs[i], x));
        let triangles = self.gain_of(
            run.clone(),
            &l.triangles,
            |i| e.triangles[i].v,
            |i, x| triangle(&e.triangles[i], x),
        );
        let hinges = self.gain_of(run.clone(), &l.hinges, |i| e.hinges[i].v, |i, x| hinge(&e.hinges[i], x));
        springs + triangles + hinges + self.gain_of(run, &l.tets, |i| e.tets[i].v, |i, x| tet(&e.tets[i], x))
    }

    /// The same of one kind of elements.
    fn gain_of<const N: usize>(
        &self,
        run: Range<usize>,
        incidence: &Incidence,
        vertices: impl Fn(usize) -> [u32; N],
        energy: impl Fn(usize, &[V3<f64>; N]) -> f64,
    ) -> f64 {
        let blocks = self.layout.block_count;
        let is_first =
            |c: &&Corner| vertices(c.element())[..c.corner()].iter().all(|&s| s as usize >= blocks);
        let gain = |c: &Corner| {
            let (i, v) = (c.element(), vertices(c.element()));
            energy(i, &self.edges_at(&v, true)) - energy(i, &self.edges_at(&v, false))
        };
        run.flat_map(|slot| incidence.of(slot)).filter(is_first).map(gain).sum()
    }

    /// Places of slots from the first of them, at the end of the step or at its begin.
    pub(super) fn edges_at<const N: usize>(&self, slots: &[u32; N], end: bool) -> [V3<f64>; N] {
        let x = slots.map(|s| {
            let begin = convert::<P, f64>(self.columns.x0[s as usize]);
            if end { begin + self.columns.motion(s as usize) } else { begin }
        });
        x.map(|p| p - x[0])
    }
}
