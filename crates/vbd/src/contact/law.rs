//! Force and Hessian of one particle-shape row. Theory: `docs/theory/vbd.md` eq. (8)–(11).
//!
//! A row holds, for the particle at its target y, the offset e = y − p from the closest
//! point p and the slip w of y against the surface over the step; the particle adds its
//! displacement d. So no difference of large coordinates enters in a low precision:
//!
//! ```text
//! gap   g = n·(e + d)          pen = reach − g,  reach = radius + margin
//! slip  u = w + d              u_n = n·u,  u_t = u − u_n n
//! N = ke pen                   f_n = N + kd min(−u_n, λ pen)/h   if u_n < 0
//! s(|u_t|) = 1/|u_t|, or (2 − |u_t|/ε)/ε below ε = friction_epsilon h
//! f = f_n n − mu N s u_t       H = (ke + kd/h [u_n < 0]) n nᵀ + mu N s (I − n nᵀ)
//! ```
//! The barrier replaces N and ke by −E'(reach − pen) and E'' of `docs/theory/self-contact.md`
//! eq. (10). Anchored friction is in `grip.rs`.
//!
//! λ = 1: only what was travelled inside is damped, so that the force vanishes where the contact
//! opens. The derivatives of N and s in the friction term are dropped: H is positive semi-definite.

use coact_math::{Real, S3, Scalar, V3};

use super::barrier::{eval_barrier, eval_barrier_energy};
#[cfg(doc)]
use crate::config::ContactDamping;
use crate::config::ContactLaw;

/// A particle pressed against a shape, as a block sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct ContactRow<R> {
    /// Outward unit normal of the surface.
    pub n: V3<R>,
    /// Particle radius plus shape margin \[m\].
    pub reach: R,
    /// Offset of the particle's target from the closest point \[m\].
    pub e: V3<R>,
    /// Stiffness \[N/m\].
    pub ke: R,
    /// Slip of the particle's target against the surface over the step \[m\].
    pub w: V3<R>,
    /// Damping \[N·s/m\].
    pub kd: R,
    /// Friction coefficient.
    pub mu: R,
    /// Slot of the particle.
    pub slot: u32,
    /// Body; `u32::MAX` = static world.
    pub body: u32,
    /// The shape.
    pub shape: u32,
}

impl<R: Real> ContactRow<R> {
    /// The row that counts as less deep by `way` \[m\].
    pub fn raised(&self, way: f64) -> Self {
        Self { e: self.e + self.n * R::from_f64(way), ..*self }
    }
}

/// What all rows of a step share.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SlipLaw<R> {
    /// 1/h \[1/s\].
    pub inv_h: R,
    /// Slip below which friction is smoothed \[m\].
    pub epsilon: R,
    /// λ: over how many penetrations the approach is damped, see [`ContactDamping`].
    pub damped_depth: R,
    /// How a row presses.
    pub normal: ContactLaw,
}

/// eq. (8): penetration \[m\], positive when pressing.
#[inline(always)]
pub fn eval_penetration<R: Real>(row: &ContactRow<R>, d: V3<R>) -> R {
    row.reach - row.n.dot(row.e + d)
}

/// The penetration at which a row presses with `force` N \[m\], the inverse of [`eval_press`].
#[inline(always)]
pub fn eval_depth<R: Real>(row: &ContactRow<R>, law: &SlipLaw<R>, force: R) -> R {
    let spring = force / row.ke;
    match law.normal {
        ContactLaw::Quadratic => spring,
        ContactLaw::Barrier => {
            let tau = row.reach * R::from_f64(0.5);
            let is_quadratic = spring.cmp_lt(tau);
            R::select(is_quadratic, spring, row.reach - tau * tau / spring.max(tau))
        }
    }
}

/// How a row presses, before friction.
#[derive(Clone, Copy, Debug)]
pub struct Press<R: Real> {
    /// Whether it presses; the rest means nothing where it does not.
    pub pressing: R::Mask,
    /// Elastic normal force N, which friction is measured by \[N\].
    pub force: R,
    /// Normal force with damping \[N\].
    pub damped: R,
    /// Its stiffness \[N/m\].
    pub stiffness: R,
    /// Tangential slip over the step \[m\].
    pub slip: V3<R>,
}

/// eq. (8), (11), (24): the normal part of a row.
#[inline(always)]
pub fn eval_press<R: Real>(row: &ContactRow<R>, law: &SlipLaw<R>, d: V3<R>) -> Press<R> {
    let o = R::zero();
    let (pen, n) = (eval_penetration(row, d), row.n);
    let u = row.w + d;
    let u_n = n.dot(u);
    let k_d = R::select(u_n.cmp_lt(o), row.kd * law.inv_h, o);
    let (force, ke) = match law.normal {
        ContactLaw::Quadratic => (row.ke * pen, row.ke),
        ContactLaw::Barrier => {
            let (slope, curvature) = eval_barrier(row.reach - pen, row.reach, row.ke);
            (-slope, curvature)
        }
    };
    let damped = (-u_n).min(law.damped_depth * pen);
    Press {
        pressing: pen.cmp_gt(o),
        force,
        damped: force + k_d * damped,
        stiffness: ke + k_d,
        slip: u - n * u_n,
    }
}

/// Potential of the normal part of a row, damping of the approach included \[J\]: its slope along −n is
/// the damped force of [`eval_press`], where that does not jump.
pub fn eval_press_energy<R: Scalar>(row: &ContactRow<R>, law: &SlipLaw<R>, d: V3<R>) -> f64 {
    let pen = eval_penetration(row, d).to_f64().max(0.0);
    let damped = (-row.n.dot(row.w + d)).to_f64().min(pen).max(0.0);
    eval_stored(row, law, d) + 0.5 * (row.kd * law.inv_h).to_f64() * damped * damped
}

/// The same without damping: what the row stores \[J\].
pub fn eval_stored<R: Scalar>(row: &ContactRow<R>, law: &SlipLaw<R>, d: V3<R>) -> f64 {
    let pen = eval_penetration(row, d).to_f64().max(0.0);
    let (ke, reach) = (row.ke.to_f64(), row.reach.to_f64());
    match law.normal {
        ContactLaw::Quadratic => 0.5 * ke * pen * pen,
        ContactLaw::Barrier => eval_barrier_energy(reach - pen, reach, ke),
    }
}

/// Force on the particle \[N\] and its Hessian \[N/m\], with smoothed friction; zero when
/// not pressing.
#[inline(always)]
pub fn eval_contact<R: Real>(row: &ContactRow<R>, law: &SlipLaw<R>, d: V3<R>) -> (V3<R>, S3<R>) {
    let p = eval_press(row, law, d);
    // friction, smoothed below epsilon
    let f_s = row.mu * p.force * eval_slip_factor(p.slip.norm(), law.epsilon);
    let f = row.n * p.damped - p.slip * f_s;
    let mut h = S3::outer(p.stiffness - f_s, row.n);
    h.add_diagonal(f_s);
    (V3::select(p.pressing, f, V3::zero()), S3::select(p.pressing, h, S3::zero()))
}

/// eq. (10): friction force per normal force and slip \[1/m\].
#[inline(always)]
pub fn eval_slip_factor<R: Real>(slip: R, epsilon: R) -> R {
    let sliding = slip.cmp_gt(epsilon);
    let inv_e = epsilon.recip();
    R::select(sliding, R::select(sliding, slip, R::one()).recip(), (R::from_f64(2.0) - slip * inv_e) * inv_e)
}

/// The way whose slope is s(a) a, s of [`eval_slip_factor`] \[m\].
pub fn eval_slip_way(slip: f64, epsilon: f64) -> f64 {
    if slip > epsilon { slip - epsilon / 3.0 } else { slip * slip * (1.0 - slip / (3.0 * epsilon)) / epsilon }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> ContactRow<f64> {
        ContactRow {
            n: V3::new(0.0, 0.6, 0.8),
            reach: 0.05,
            e: V3::new(0.01, 0.02, 0.03),
            ke: 3e3,
            w: V3::new(0.004, -0.001, -0.003),
            kd: 5.0,
            mu: 0.4,
            ..ContactRow::default()
        }
    }

    const LAW: SlipLaw<f64> =
        SlipLaw { inv_h: 600.0, epsilon: 1e-2 / 600.0, damped_depth: 1.0, normal: ContactLaw::Quadratic };

    #[test]
    fn friction_is_mu_times_the_normal_force_against_the_slip() {
        let r = ContactRow { kd: 0.0, ..row() };
        let (f, _) = eval_contact(&r, &LAW, V3::zero());
        let normal = f.dot(r.n);
        let tangent = f - r.n * normal;
        assert!((normal - r.ke * eval_penetration(&r, V3::zero())).abs() < 1e-10 && normal > 1.0);
        assert!((tangent.norm() - r.mu * normal).abs() < 1e-10);
        assert!(tangent.dot(r.w) < 0.0);
    }

    #[test]
    fn the_smoothed_law_is_continuous_at_epsilon() {
        let (below, above) = (eval_slip_factor(LAW.epsilon, LAW.epsilon), LAW.epsilon.recip());
        assert!((below - above).abs() < 1e-9 * above);
    }

    #[test]
    fn only_the_approach_is_damped_and_nothing_pulls() {
        let apart = ContactRow { w: V3::new(0.0, 0.0, 0.002), ..row() };
        let undamped = ContactRow { kd: 0.0, ..apart };
        assert_eq!(eval_contact(&apart, &LAW, V3::zero()), eval_contact(&undamped, &LAW, V3::zero()));
        let (damped, free) = (row(), ContactRow { kd: 0.0, ..row() });
        let normal = |r| eval_contact(r, &LAW, V3::zero()).0.dot(row().n);
        assert!(normal(&damped) > normal(&free));
        let all = SlipLaw { damped_depth: 1e30, ..LAW };
        let full = eval_contact(&row(), &all, V3::zero()).0.dot(row().n);
        let u_n = row().n.dot(row().w);
        assert!((full - normal(&free) + row().kd * u_n * LAW.inv_h).abs() < 1e-10);
        let far = V3::new(0.0, 0.6, 0.8) * 0.1;
        assert_eq!(eval_contact(&row(), &LAW, far), (V3::zero(), S3::zero()));
    }

    /// A damped contact closes and opens without a jump, or sweeps have nothing to converge to.
    #[test]
    fn the_damping_vanishes_where_the_contact_opens() {
        let at = |gap: f64, depth: f64| {
            let n = row().n;
            let r = ContactRow { e: n * (row().reach + gap), w: n * -0.01, kd: 500.0, mu: 0.0, ..row() };
            eval_contact(&r, &SlipLaw { damped_depth: depth, ..LAW }, V3::zero()).0.norm()
        };
        assert!(at(1e-12, 1.0) == 0.0 && at(-1e-12, 1.0) < 1e-6 && at(-1e-3, 1.0) > 100.0);
        assert!(at(-1e-12, 1e30) > 1000.0, "the record's law jumps");
    }

    /// Acceptance: both laws agree down to half the reach, below it the barrier is that of
    /// self-contact at the distance from the surface.
    #[test]
    fn the_barrier_of_a_row_is_that_of_self_contact() {
        let barrier = SlipLaw { normal: ContactLaw::Barrier, ..LAW };
        for share in [0.9, 0.6, 0.3, 1e-3] {
            let r = ContactRow { e: row().n * (share * row().reach), kd: 0.0, mu: 0.0, ..row() };
            let (f, h) = eval_contact(&r, &barrier, V3::zero());
            let (slope, curvature) = eval_barrier(share * r.reach, r.reach, r.ke);
            assert!((f + r.n * slope).norm() < 1e-9 * -slope, "{share}");
            assert!((h.trace() - curvature).abs() < 1e-9 * curvature, "{share}");
            let same = eval_contact(&r, &LAW, V3::zero()).0 == f;
            assert!(same == (share > 0.5) || (eval_contact(&r, &LAW, V3::zero()).0 - f).norm() < 1e-9);
        }
        assert_eq!(eval_contact(&row(), &barrier, row().n * 0.1), (V3::zero(), S3::zero()));
    }

    #[test]
    fn the_depth_of_a_force_is_where_the_row_presses_with_it() {
        for normal in [ContactLaw::Quadratic, ContactLaw::Barrier] {
            let law = SlipLaw { normal, ..LAW };
            for force in [1e-6, 1.0, 70.0, 80.0, 1e3] {
                let pen = eval_depth(&row(), &law, force);
                let r = ContactRow { e: row().n * (row().reach - pen), ..row() };
                let p = eval_press(&r, &law, V3::zero());
                assert!(p.pressing && (p.force - force).abs() < 1e-6 * force, "{normal:?} {force}: {p:?}");
            }
        }
    }

    #[test]
    fn the_hessian_is_the_derivative_without_friction_and_semidefinite_with() {
        let r = ContactRow { mu: 0.0, ..row() };
        let (_, h) = eval_contact(&r, &LAW, V3::zero());
        let step = V3::new(1e-6, -2e-6, 1.5e-6);
        let df = eval_contact(&r, &LAW, step).0 - eval_contact(&r, &LAW, -step).0;
        assert!((df * 0.5 + h * step).norm() < 1e-9 * (h * step).norm().max(1e-3));
        let (_, h) = eval_contact(&row(), &LAW, V3::zero());
        let eigen = h.to_host(0).symmetric_eigenvalues();
        assert!(eigen.min() >= -1e-9 && eigen.max() > 1e3);
    }
}
