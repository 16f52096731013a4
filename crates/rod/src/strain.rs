//! Strain of an element between two segments and its derivative.
//!
//! Theory: `docs/theory/rod.md` eq. (1)–(6). With Q₀, Q₁ the joint frames and d the gap between the
//! two anchors, in world axes,
//!
//! ```text
//! φ = log(Q₀ᵀQ₁),   κ = φ − φ_rest,       δφ = J⁻¹(φ) Q₀ᵀ(δθ₁ − δθ₀)
//! Q_m = Q₀ exp(φ/2),  Γ = Q_mᵀ d,         δΓ = Q_mᵀ(δd + d × δθ_m)
//! δθ_m = (1 − A) δθ₀ + A δθ₁,             A = Q₀ (1 + exp(φ/2))⁻¹ Q₀ᵀ
//! ```

use coact_math::{Mat3, Mat6, Quat, Vec3, Vec6, exp_so3, left_jacobian_inverse, skew};

use crate::branch::log_near;
use crate::config::RodLaw;
use crate::shared;

/// Least size of cos(|φ|/4): there an element is bent by a whole turn, and has no mean frame.
const WHOLE_TURN: f64 = 1e-9;

/// Both sides of an element.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ends {
    /// Anchors \[m\].
    pub x: [Vec3; 2],
    /// Rotations of the joint frames.
    pub q: [Quat; 2],
    /// Anchors from their centres of mass \[m\].
    pub r: [Vec3; 2],
}

/// Strain of an element: order (shear x, shear y, stretch; bend x, bend y, twist).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strain {
    /// Γ \[m\] and κ \[rad\].
    pub epsilon: Vec6,
    /// Rotation vector from one frame to the other, or bend and twist of the shared law \[rad\].
    pub phi: Vec3,
    /// δε = `jacobian[0]` δ₀ + `jacobian[1]` δ₁ with δ = (δc, δθ) of the bodies.
    pub jacobian: [Mat6; 2],
    /// Rotation of the frame that the gap is measured in.
    pub frame: Quat,
    /// A: how far that frame turns with the second body, the rest with the first.
    pub share: Mat3,
}

impl Default for Strain {
    fn default() -> Self {
        let jacobian = [Mat6::zeros(); 2];
        let (epsilon, frame) = (Vec6::zeros(), Quat::identity());
        Self { epsilon, phi: Vec3::zeros(), jacobian, frame, share: Mat3::zeros() }
    }
}

/// Strain by `law`; `near`: the φ that this one continues.
pub(crate) fn eval_strain(law: RodLaw, ends: &Ends, rest: &Vec3, near: &Vec3) -> Strain {
    match law {
        RodLaw::RotationVector => eval_rotation_vector(ends, rest, near),
        RodLaw::Shared => shared::eval_strain(ends, rest),
    }
}

fn eval_rotation_vector(ends: &Ends, rest: &Vec3, near: &Vec3) -> Strain {
    let phi = log_near(&(ends.q[0].inverse() * ends.q[1]), near);
    let half = exp_so3(&(phi * 0.5));
    let frame = ends.q[0] * half;
    let r0 = ends.q[0].to_rotation_matrix();
    let turn = left_jacobian_inverse(&phi) * r0.matrix().transpose();
    let d = ends.x[1] - ends.x[0];
    let to_frame = frame.to_rotation_matrix().matrix().transpose();
    let a = mean_share(&ends.q[0], &half);
    let with_frame = to_frame * skew(&d);
    let turns = [
        to_frame * skew(&ends.r[0]) + with_frame * (Mat3::identity() - a),
        with_frame * a - to_frame * skew(&ends.r[1]),
    ];
    let jacobian = [rows(&-to_frame, &turns[0], &-turn), rows(&to_frame, &turns[1], &turn)];
    Strain { epsilon: stack(&(to_frame * d), &(phi - rest)), phi, jacobian, frame, share: a }
}

/// eq. (5): A. The quaternion of exp(φ/2) has cos(|φ|/4) and sin(|φ|/4) n.
fn mean_share(q0: &Quat, half: &Quat) -> Mat3 {
    let w = if half.w.abs() < WHOLE_TURN { WHOLE_TURN } else { half.w };
    let tangent = half.imag() / w;
    (Mat3::identity() - skew(&(q0 * tangent))) * 0.5
}

/// The derivative by one body: of Γ by its place and turn, of κ by its turn.
pub(crate) fn rows(place: &Mat3, turn: &Mat3, bend: &Mat3) -> Mat6 {
    let mut j = Mat6::zeros();
    j.fixed_view_mut::<3, 3>(0, 0).copy_from(place);
    j.fixed_view_mut::<3, 3>(0, 3).copy_from(turn);
    j.fixed_view_mut::<3, 3>(3, 3).copy_from(bend);
    j
}

/// Two halves as one.
pub(crate) fn stack(a: &Vec3, b: &Vec3) -> Vec6 {
    Vec6::new(a.x, a.y, a.z, b.x, b.y, b.z)
}

/// The first half.
pub(crate) fn linear(v: &Vec6) -> Vec3 {
    Vec3::new(v[0], v[1], v[2])
}

/// The second half.
pub(crate) fn angular(v: &Vec6) -> Vec3 {
    Vec3::new(v[3], v[4], v[5])
}
