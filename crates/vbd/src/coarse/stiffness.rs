//! How stiff the elements hold each particle: what tells whether sweeps get through a mesh.

use coact_math::Scalar;

use crate::energy::{membrane_weights, tetrahedron_weights};
use crate::prepared::Elements;

/// Stiffness of the elements of each of `n` slots \[N/m\], at rest: a bound of the diagonal of the
/// Hessian. Hinges are left out: what is bent is soft.
pub fn stiffness<R: Scalar>(n: usize, e: &Elements<R>, k: &mut Vec<f64>) {
    k.clear();
    k.resize(n, 0.0);
    for s in &e.springs {
        s.v.iter().for_each(|&v| k[v as usize] += s.e.ke.to_f64());
    }
    for t in &e.triangles {
        for (i, &v) in t.v.iter().enumerate() {
            let m2: f64 = membrane_weights(&t.e.Dm_inv, i).iter().map(|m| m.to_f64() * m.to_f64()).sum();
            k[v as usize] += t.e.A.to_f64() * (t.e.mu.to_f64() + t.e.lambda.to_f64()) * m2;
        }
    }
    for t in &e.tets {
        for (i, &v) in t.v.iter().enumerate() {
            let m2: f64 = tetrahedron_weights(&t.e.Dm_inv, i).iter().map(|m| m.to_f64() * m.to_f64()).sum();
            k[v as usize] += t.e.V.to_f64() * (t.e.mu.to_f64() + t.e.lambda.to_f64()) * m2;
        }
    }
}
