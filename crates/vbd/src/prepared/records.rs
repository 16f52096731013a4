//! Element records: vertices and plain numbers of one element, in the precision of the
//! blocks.
//!
//! `repr(C)`, `u32` vertices (slots) and reals only, so that the `f32` form is what a device
//! buffer holds.

#![allow(non_snake_case)]

use coact_math::{M2, M3, Real, Scalar};
use coact_model::{Model, ParticleId};

use super::layout::Layout;
use crate::energy::{Hinge, Membrane, Spring, Tetrahedron};

/// An element `E` on `N` vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Record<E, const N: usize> {
    /// Vertices (slots).
    pub v: [u32; N],
    /// Rest shape and material.
    pub e: E,
}

impl<R: Scalar> SpringRecord<R> {
    /// Whether it makes any force.
    pub fn acts(&self) -> bool {
        acts([self.e.ke, self.e.kd])
    }
}

impl<R: Scalar> TriangleRecord<R> {
    /// Whether it makes any force.
    pub fn acts(&self) -> bool {
        acts([self.e.mu, self.e.lambda, self.e.kd])
    }
}

impl<R: Scalar> HingeRecord<R> {
    /// Whether it makes any force.
    pub fn acts(&self) -> bool {
        acts([self.e.ke, self.e.kd])
    }
}

impl<R: Scalar> TetRecord<R> {
    /// Whether it makes any force.
    pub fn acts(&self) -> bool {
        acts([self.e.mu, self.e.lambda, self.e.kd])
    }
}

/// Whether any stiffness or damping is not zero.
fn acts<R: Scalar, const K: usize>(stiffness: [R; K]) -> bool {
    stiffness.iter().any(|&k| k != R::zero())
}

/// A spring.
pub type SpringRecord<R> = Record<Spring<R>, 2>;
/// A membrane triangle.
pub type TriangleRecord<R> = Record<Membrane<R>, 3>;
/// A bending element: opposite 0, opposite 1, edge start, edge end.
pub type HingeRecord<R> = Record<Hinge<R>, 4>;
/// A tetrahedron.
pub type TetRecord<R> = Record<Tetrahedron<R>, 4>;

/// All element records.
#[derive(Clone, Debug, Default)]
pub struct Elements<R> {
    /// Springs, in order of `Layout::spring_ids`.
    pub springs: Vec<SpringRecord<R>>,
    /// Triangles, in order of `Layout::triangle_ids`.
    pub triangles: Vec<TriangleRecord<R>>,
    /// Hinges, in order of `Layout::hinge_ids`.
    pub hinges: Vec<HingeRecord<R>>,
    /// Tetrahedra, in order of `Layout::tet_ids`.
    pub tets: Vec<TetRecord<R>>,
}

impl<R: Scalar> Elements<R> {
    /// Whether all vertices are below `slots`.
    pub fn are_within(&self, slots: usize) -> bool {
        let inside = |v: &[u32]| v.iter().all(|&s| (s as usize) < slots);
        self.springs.iter().all(|e| inside(&e.v))
            && self.triangles.iter().all(|e| inside(&e.v))
            && self.hinges.iter().all(|e| inside(&e.v))
            && self.tets.iter().all(|e| inside(&e.v))
    }

    /// Reads every record anew, in the memory that is there. `damping_needs_stiffness`:
    /// triangles, hinges and tetrahedra without stiffness get no damping.
    pub fn read(&mut self, m: &Model, layout: &Layout, damping_needs_stiffness: bool) {
        let damping = |kd: f64, stiff: bool| if stiff || !damping_needs_stiffness { kd } else { 0.0 };
        let slots = &layout.slot_of;
        fill(&mut self.springs, &layout.spring_ids, slots, &m.spring_indices, |e| spring(m, e));
        fill(&mut self.triangles, &layout.triangle_ids, slots, &m.tri_indices, |e| {
            membrane(m, e, damping(m.tri_kd[e], m.tri_mu[e] > 0.0 || m.tri_lambda[e] > 0.0))
        });
        fill(&mut self.hinges, &layout.hinge_ids, slots, &m.hinge_indices, |e| {
            hinge(m, e, damping(m.hinge_kd[e], m.hinge_ke[e] > 0.0))
        });
        fill(&mut self.tets, &layout.tet_ids, slots, &m.tet_indices, |e| {
            tetrahedron(m, e, damping(m.tet_kd[e], m.tet_mu[e] > 0.0 || m.tet_lambda[e] > 0.0))
        });
    }
}

fn fill<E, const N: usize>(
    out: &mut Vec<Record<E, N>>,
    ids: &[u32],
    slot_of: &[u32],
    vertices: &[[ParticleId; N]],
    element: impl Fn(usize) -> E,
) {
    out.clear();
    out.extend(ids.iter().map(|&e| {
        let e = e as usize;
        Record { v: vertices[e].map(|p| slot_of[p.index()]), e: element(e) }
    }));
}

fn spring<R: Real>(m: &Model, e: usize) -> Spring<R> {
    let r = R::from_f64;
    Spring { l0: r(m.spring_rest_length[e]), ke: r(m.spring_ke[e]), kd: r(m.spring_kd[e]) }
}

fn membrane<R: Real>(m: &Model, e: usize, kd: f64) -> Membrane<R> {
    let (b, r) = (&m.tri_rest_inv[e], R::from_f64);
    let Dm_inv = M2::new(r(b.m11), r(b.m12), r(b.m21), r(b.m22));
    let (mu, lambda) = (r(m.tri_mu[e]), r(m.tri_lambda[e]));
    Membrane { Dm_inv, A: r(m.tri_rest_area[e]), mu, lambda, kd: r(kd) }
}

fn hinge<R: Real>(m: &Model, e: usize, kd: f64) -> Hinge<R> {
    let r = R::from_f64;
    let (L0, theta0) = (r(m.hinge_rest_length[e]), r(m.hinge_rest_angle[e]));
    Hinge { L0, theta0, ke: r(m.hinge_ke[e]), kd: r(kd) }
}

/// The rest volume is that of Dm: 1 / (6 det Dm⁻¹).
fn tetrahedron<R: Real>(m: &Model, e: usize, kd: f64) -> Tetrahedron<R> {
    let (b, r) = (&m.tet_rest_inv[e], R::from_f64);
    let V = r(1.0 / (6.0 * b.determinant()));
    Tetrahedron { Dm_inv: M3::from_host(b), V, mu: r(m.tet_mu[e]), lambda: r(m.tet_lambda[e]), kd: r(kd) }
}
