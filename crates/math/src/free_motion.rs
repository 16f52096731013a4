//! The torque-free rotation of a rigid body, by symmetric splitting.
//!
//! Theory: docs/theory/rotations.md eq. (9)–(13). With body momentum L in principal
//! axes, H = |L|²/2I₂ + Σ_{i=1,3} (1/Iᵢ - 1/I₂) Lᵢ²/2, where I₂ is the middle moment.
//!
//! The first term turns the body about the *space* momentum and leaves L alone: its
//! flow is exact and commutes with the rest, so it is applied once. Each other term
//! turns the body about one principal axis: `R ← R E, L ← Eᵀ L`; the two are composed
//! as outer half, inner, outer half. Every factor keeps ℓ = R L, so momentum is exact
//! in size and in direction; energy stays within a bound. Spheres, rods, discs and
//! all other symmetric tops have at most one such term: for them nothing is split
//! and the motion is exact for any step.

use crate::so3::{exp_so3, skew};
use crate::types::{Mat3, Quat, Vec3};

/// Largest turn \[rad\] of a sub-step. The energy error grows with its square.
const SUBSTEP_ANGLE: f64 = 0.25;
/// Bound on sub-steps, so that an absurd velocity costs time but not for ever.
const MAX_SUBSTEPS: f64 = 4096.0;

/// An inertia tensor about the centre of mass, diagonalised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrincipalInertia {
    /// Principal moments \[kg m²\].
    pub moments: Vec3,
    /// Rotation from the principal frame to the body frame.
    pub axes: Quat,
}

impl PrincipalInertia {
    /// From the tensor in the body frame \[kg m²\], of which the symmetric part
    /// counts. A tensor that is diagonal keeps its axes and their order.
    pub fn from_tensor(inertia: &Mat3) -> Self {
        let s = (inertia + inertia.transpose()) * 0.5;
        if s.m12 == 0.0 && s.m13 == 0.0 && s.m23 == 0.0 {
            return Self { moments: s.diagonal(), axes: Quat::identity() };
        }
        let eigen = s.symmetric_eigen();
        let mut axes = eigen.eigenvectors;
        if axes.determinant() < 0.0 {
            axes.set_column(2, &-axes.column(2));
        }
        let rotation = nalgebra::Rotation3::from_matrix_unchecked(axes);
        Self { moments: eigen.eigenvalues, axes: Quat::from_rotation_matrix(&rotation) }
    }

    /// The tensor in the body frame \[kg m²\].
    pub fn tensor(&self) -> Mat3 {
        let a = self.axes.to_rotation_matrix();
        a.matrix() * Mat3::from_diagonal(&self.moments) * a.matrix().transpose()
    }

    /// Whether all moments are positive.
    pub fn has_dynamics(&self) -> bool {
        self.moments.min() > 0.0
    }

    /// Angular momentum \[kg m²/s\] of a body with pose `q` and velocity `omega`
    /// \[rad/s\], both vectors in the world frame.
    pub fn momentum(&self, q: &Quat, omega: &Vec3) -> Vec3 {
        let rotation = orthogonal(&(q * self.axes));
        rotation * rotation.tr_mul(omega).component_mul(&self.moments)
    }

    /// The inverse of [`momentum`](Self::momentum); all moments must be positive. One
    /// correction makes the two agree to the rounding of `omega`.
    pub fn velocity(&self, q: &Quat, l: &Vec3) -> Vec3 {
        let rotation = orthogonal(&(q * self.axes));
        let divide = |l: &Vec3| rotation * rotation.tr_mul(l).component_div(&self.moments);
        let omega = divide(l);
        omega + divide(&(l - self.momentum(q, &omega)))
    }
}

/// The rotation matrix of `q`, free of the rounding of its norm: without the
/// division a bias of ε per step adds up.
fn orthogonal(q: &Quat) -> Mat3 {
    let v = skew(&q.imag());
    let s = 2.0 / q.coords.norm_squared();
    Mat3::identity() + (v * q.w + v * v) * s
}

/// Pose and angular velocity after time `h` \[s\] without torque: eq. (13).
///
/// `q` turns the body frame to the world, `omega` \[rad/s\] is in the world frame.
/// A moment that is not positive means that the body has no rotational dynamics:
/// then it keeps `omega`. Momentum is kept to the rounding of `omega`, a few
/// ε |ω| I_max per call; to keep it to the bit, see [`free_rotation_of_momentum`].
pub fn free_rotation(q: &Quat, omega: &Vec3, inertia: &PrincipalInertia, h: f64) -> (Quat, Vec3) {
    if !inertia.has_dynamics() {
        return (renormalised(exp_so3(&(omega * h)) * q), *omega);
    }
    let l = inertia.momentum(q, omega);
    let q_end = free_rotation_of_momentum(q, &l, inertia, h);
    (q_end, inertia.velocity(&q_end, &l))
}

/// Pose after time `h` \[s\] of a body with the constant angular momentum `l`
/// \[kg m²/s\] (world frame). All moments must be positive.
pub fn free_rotation_of_momentum(q: &Quat, l: &Vec3, inertia: &PrincipalInertia, h: f64) -> Quat {
    let principal = q * inertia.axes;
    let mut l_body = principal.inverse_transform_vector(l);
    let split = Splitting::new(&inertia.moments);
    // turn of the principal frame by the split terms alone
    let mut turn = Quat::identity();
    let n = split.substeps(l_body.norm(), h);
    let k = h / n;
    for _ in 0..n as usize {
        split.turn_outer(0.5 * k, &mut l_body, &mut turn);
        split.turn_inner(k, &mut l_body, &mut turn);
        split.turn_outer(0.5 * k, &mut l_body, &mut turn);
    }
    let q_end = exp_so3(&(l * (h * split.common))) * principal * turn;
    renormalised(q_end * inertia.axes.inverse())
}

/// The energy `|L|² common/2 + inner L_inner²/2 + outer L_outer²/2`.
struct Splitting {
    common: f64,
    inner: (usize, f64),
    outer: (usize, f64),
}

impl Splitting {
    /// The middle moment is common; of the other two the larger coefficient is
    /// applied in halves, whose commutator has the smaller factor (1/24, not 1/12).
    fn new(moments: &Vec3) -> Self {
        let mid = middle_axis(moments);
        let common = 1.0 / moments[mid];
        let (a, b) = ((mid + 1) % 3, (mid + 2) % 3);
        // difference of reciprocals without cancellation
        let c = |i: usize| (moments[mid] - moments[i]) / (moments[mid] * moments[i]);
        let (a, b) = ((a, c(a)), (b, c(b)));
        let (inner, outer) = if a.1.abs() < b.1.abs() { (a, b) } else { (b, a) };
        Self { common, inner, outer }
    }

    /// The splitting error per step is the commutator c_outer² c_inner |L|³ h³.
    fn substeps(&self, momentum: f64, h: f64) -> f64 {
        let (i, o) = (self.inner.1.abs(), self.outer.1.abs());
        let rate = momentum * libm::cbrt(o * o * i);
        let n = libm::ceil(h.abs() * rate / SUBSTEP_ANGLE);
        if n > 1.0 { n.min(MAX_SUBSTEPS) } else { 1.0 }
    }

    fn turn_outer(&self, k: f64, l: &mut Vec3, turn: &mut Quat) {
        turn_about(self.outer, k, l, turn);
    }

    fn turn_inner(&self, k: f64, l: &mut Vec3, turn: &mut Quat) {
        turn_about(self.inner, k, l, turn);
    }
}

/// `R ← R E, L ← Eᵀ L` with E the turn by `k c Lᵢ` about axis i.
fn turn_about((i, c): (usize, f64), k: f64, l: &mut Vec3, turn: &mut Quat) {
    let half = 0.5 * k * c * l[i];
    let (s, w) = (libm::sin(half), libm::cos(half));
    let (sin, cos) = (2.0 * s * w, 1.0 - 2.0 * s * s);
    let (a, b) = ((i + 1) % 3, (i + 2) % 3);
    (l[a], l[b]) = (cos * l[a] + sin * l[b], cos * l[b] - sin * l[a]);
    let mut v = Vec3::zeros();
    v[i] = s;
    let e = nalgebra::Quaternion::from_parts(w, v);
    *turn = Quat::new_unchecked(turn.into_inner() * e);
}

fn middle_axis(m: &Vec3) -> usize {
    let between = |i: usize, j: usize, k: usize| (m[j] <= m[i]) == (m[i] <= m[k]);
    (0..2).find(|&i| between(i, (i + 1) % 3, (i + 2) % 3)).unwrap_or(2)
}

/// Takes rounding out of the norm.
fn renormalised(q: Quat) -> Quat {
    Quat::from_quaternion(q.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Lcg;

    /// Energy [J] and momentum [kg m²/s] in the world.
    fn invariants(q: &Quat, w: &Vec3, inertia: &PrincipalInertia) -> (f64, Vec3) {
        let r = q.to_rotation_matrix();
        let l = r.matrix() * inertia.tensor() * r.matrix().transpose() * w;
        (0.5 * l.dot(w), l)
    }

    /// Largest relative energy error, relative momentum error at the end.
    fn run(inertia: &PrincipalInertia, w0: Vec3, dt: f64, steps: usize) -> (f64, f64) {
        let (mut q, mut w) = (Quat::identity(), w0);
        let (e0, l0) = invariants(&q, &w, inertia);
        let mut energy: f64 = 0.0;
        for _ in 0..steps {
            (q, w) = free_rotation(&q, &w, inertia, dt);
            energy = energy.max((invariants(&q, &w, inertia).0 / e0 - 1.0).abs());
        }
        (energy, (invariants(&q, &w, inertia).1 - l0).norm() / l0.norm())
    }

    fn tumbling() -> (PrincipalInertia, Vec3) {
        let i = Mat3::from_diagonal(&Vec3::new(0.001, 0.02, 0.0205));
        (PrincipalInertia::from_tensor(&i), Vec3::new(100.0, 20.0, 50.0))
    }

    #[test]
    fn tumbling_body_keeps_momentum_and_energy_for_ten_seconds() {
        let (inertia, w) = tumbling();
        for dt in [1.0 / 60.0, 1.0 / 240.0, 1.0 / 1000.0] {
            let (energy, momentum) = run(&inertia, w, dt, (10.0 / dt) as usize);
            println!("dt {dt:.5}: energy {energy:.1e}, momentum {momentum:.1e}");
            assert!(energy < 2e-4, "energy {energy}");
            assert!(momentum < 3e-14, "momentum {momentum}");
        }
    }

    #[test]
    fn skew_tensors_keep_momentum_too() {
        let mut r = Lcg::new(7);
        for _ in 0..20 {
            let a = r.mat3();
            let inertia = PrincipalInertia::from_tensor(&(a * a.transpose() + Mat3::identity() * 0.1));
            let (energy, momentum) = run(&inertia, r.unit() * r.range(1.0, 80.0), 1.0 / 60.0, 600);
            assert!(energy < 5e-3, "energy {energy}");
            assert!(momentum < 3e-14, "momentum {momentum}");
        }
    }

    #[test]
    fn principal_frame_gives_the_tensor_back() {
        let mut r = Lcg::new(8);
        for _ in 0..50 {
            let a = r.mat3();
            let i = a * a.transpose();
            assert!((PrincipalInertia::from_tensor(&i).tensor() - i).norm() < 1e-14);
        }
    }

    /// Steady precession: with ℓ along z the figure axis turns about ℓ at |ℓ|/I_a,
    /// the body about its axis at ω_c - |ℓ| cos(nutation)/I_a; both for any step.
    #[test]
    fn symmetric_top_is_exact_for_any_step() {
        let (ia, ic) = (0.02, 0.005);
        let inertia = PrincipalInertia::from_tensor(&Mat3::from_diagonal(&Vec3::new(ia, ia, ic)));
        let w = Vec3::new(3.0, 0.0, 40.0);
        let l = Vec3::new(ia * w.x, 0.0, ic * w.z);
        for h in [0.01, 0.3, 2.0] {
            let exact = exp_so3(&(l / ia * h)) * exp_so3(&Vec3::new(0.0, 0.0, w.z * (1.0 - ic / ia) * h));
            let (q, _) = free_rotation(&Quat::identity(), &w, &inertia, h);
            assert!(q.angle_to(&exact) < 1e-13, "h {h}");
        }
    }

    #[test]
    fn splitting_is_second_order() {
        let (inertia, w) = tumbling();
        let advance = |steps: usize| {
            let mut s = (Quat::identity(), w);
            for _ in 0..steps {
                s = free_rotation(&s.0, &s.1, &inertia, 0.02 / steps as f64);
            }
            s.0
        };
        let exact = advance(65_536);
        let (coarse, fine) = (advance(32).angle_to(&exact), advance(64).angle_to(&exact));
        println!("error {coarse:.1e} -> {fine:.1e}");
        assert!(coarse > 1e-9, "nothing to measure");
        assert!((coarse / fine - 4.0).abs() < 0.2, "ratio {}", coarse / fine);
    }

    #[test]
    fn bodies_without_inertia_keep_their_velocity() {
        let none = PrincipalInertia { moments: Vec3::zeros(), axes: Quat::identity() };
        let w = Vec3::new(1.0, 2.0, 3.0);
        let (q, end) = free_rotation(&Quat::identity(), &w, &none, 0.1);
        assert_eq!(end, w);
        assert!((crate::so3::log_so3(&q) - w * 0.1).norm() < 1e-15);
    }
}
