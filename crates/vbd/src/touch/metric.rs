//! Metrics of a contact. Theory: `docs/theory/rigid-rows.md` eq. (30)–(33).
//!
//! Solved together, a hard contact has ρ = 10³ m/h² of the heaviest body of its cluster. Solved one by
//! one, ρ is what the inertia at the contact can answer, in series over the two bodies.
//! Friction is measured by inertia either way, D_t = 1/(h² w) with the larger mobility w of the
//! plane, but not less than what its load shows to lean on it, N/(g h²): then the disk of radius
//! mu N is about as wide as what slides in a step, and sweeps find stick and slip equally fast.

use coact_math::{Mat3, Vec3};

use crate::body::Plane;

/// eq. (31): inertial stiffness of each body plus its structural one, in series; what no force
/// moves is left out.
pub fn series(mobility: [f64; 2], structure: [f64; 2], h2: f64) -> f64 {
    let side = |i: usize| if mobility[i] > 0.0 { 1.0 / (h2 * mobility[i]) + structure[i] } else { 0.0 };
    in_series(side(0), side(1))
}

/// a b/(a + b); the other one where one is absent.
pub fn in_series(a: f64, b: f64) -> f64 {
    if a > 0.0 && b > 0.0 { a.min(b) / (1.0 + a.min(b) / a.max(b)) } else { a.max(b) }
}

/// eq. (32): 1/(h² w) with the larger eigenvalue w of the sum of two mobilities in the plane.
pub fn tangent_support(a: Plane, b: Plane, h2: f64) -> f64 {
    let (w00, w01, w11) = (a[0] + b[0], a[1] + b[1], a[2] + b[2]);
    let largest = 0.5 * (w00 + w11 + ((w00 - w11).powi(2) + 4.0 * w01 * w01).sqrt());
    if largest > 0.0 { 1.0 / (h2 * largest) } else { 0.0 }
}

/// The same for turns: about `n`, and in its plane, where what rolls also moves: `moved` is that of
/// its way times the square of its arm \[N·m\].
pub fn spin_support(turn: &Mat3, n: &Vec3, moved: f64, h2: f64) -> [f64; 2] {
    let about = n.dot(&(turn * n));
    let [across, about] = [turn.trace() - about, about].map(|w| if w > 0.0 { 1.0 / (h2 * w) } else { 0.0 });
    [across + moved, about]
}
