//! Where the iterate of a particle in contact starts: where it would come to if its rows
//! were all that acts on it. Theory: `docs/theory/vbd.md` section 6, eq. (30), (31).
//!
//! What acts on a sheet as a whole reaches it slowly by block descent: a sweep hands on a
//! share of about (m/h²)/stiffness. Started from Coulomb's answer for each particle alone,
//! a sheet at rest, in even motion or coming to rest needs no such handing on. With the
//! normal forces N of the last step, and n, o, w, pen of the strongest row at the target:
//!
//! ```text
//! d_n = min(n·f h²/m, pen − δ) n    d_t = −r min(1, Σ mu N h²/(m |r|)),   r = o + w_t
//! λ ← λ + (m/h²)(d_t' − d_t)        d': the last step's; the rest of the load is kept
//! ```
//! f is all that the particle received in the last step, the rest of the sheet among it; a fresh row has Σ N n
//! for it. δ is the depth at which the row presses with N: started at its surface, a row would press or
//! not by rounding.

use coact_math::{Quat, S3, Scalar, V3, Vec3};

use super::grip::Grip;
use super::law::{ContactRow, SlipLaw, eval_depth, eval_penetration, eval_press};

/// A row that opens or a barrier needs more than one; what is left is a worse start.
const LANDING_STEPS: usize = 4;

/// A row with its grip and what it keeps of the last step.
pub type Last<'a, R> = (&'a ContactRow<R>, &'a Grip<R>, &'a Past);

/// The last step of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Past {
    /// Whether there was one: the row is not fresh.
    pub known: bool,
    /// Normal force \[N\].
    pub normal: f64,
    /// Force that its particle received in all, m/h² d \[N\].
    pub force: Vec3,
}

impl Past {
    /// In other axes.
    pub fn turned(&self, q: &Quat) -> Self {
        Self { force: q * self.force, ..*self }
    }
}

/// Where a particle starts, and how multipliers follow.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Start {
    /// Displacement from the target \[m\].
    pub d: Vec3,
    /// Change of λ per limit mu N.
    pub change: Vec3,
}

/// Where fresh rows alone would push a particle with the inertia `k` \[N/m\] \[m\]: Newton
/// steps from the target, which a spring per row needs one or two of.
pub fn eval_landing<R: Scalar>(rows: &[ContactRow<R>], law: &SlipLaw<R>, k: f64) -> V3<R> {
    let (mut d, k) = (V3::zero(), R::from_f64(k));
    for _ in 0..LANDING_STEPS {
        let (mut f, mut h) = (-(d * k), S3::diagonal(k));
        for row in rows {
            let p = eval_press(row, law, d);
            if p.pressing {
                f += row.n * p.damped;
                h += S3::outer(p.stiffness, row.n);
            }
        }
        d += h.solve(f).0;
    }
    d
}

/// eq. (30), (31): for a particle with the inertia `k` = m/h² \[N/m\] and its rows.
pub fn eval_start<'a, R: Scalar>(rows: impl Iterator<Item = Last<'a, R>>, law: &SlipLaw<R>, k: f64) -> Start {
    let (mut push, mut limit, mut strongest) = (Vec3::zeros(), 0.0, None);
    let (mut most, mut held) = (0.0, None);
    for (row, grip, past) in rows {
        push += row.n.to_host(0) * past.normal;
        held = held.or(past.known.then_some(past.force));
        limit += row.mu.to_f64() * past.normal;
        if past.normal > most {
            (most, strongest) = (past.normal, Some((row, grip, past)));
        }
    }
    let Some((row, grip, past)) = strongest else { return Start::default() };
    let n = row.n.to_host(0);
    let tangent = |x: Vec3| x - n * n.dot(&x);
    let depth = eval_depth(row, law, R::from_f64(past.normal));
    let room = (eval_penetration(row, V3::zero()) - depth).to_f64();
    let normal = (held.unwrap_or(push).dot(&n) / k).min(room).max(0.0);
    let r = grip.offset.to_host(0) + tangent(row.w.to_host(0));
    let hold = r * -f64::min(1.0, limit / (k * r.norm()).max(f64::MIN_POSITIVE));
    let change = if limit > 0.0 { (tangent(past.force) - hold * k) / limit } else { Vec3::zeros() };
    Start { d: n * normal + hold, change }
}
