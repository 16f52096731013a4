//! Friction that holds: the tangential row of a contact. Theory: `docs/theory/vbd.md`
//! section 6, eq. (25)–(29).
//!
//! A grip holds the surface at an anchor. With the tangential offset o of the particle from
//! its anchor at the begin of the step, the slip u_t of the step, a multiplier λ and a
//! metric ρ:
//!
//! ```text
//! p = λ + ρ (o + u_t)          s = min(1, mu N/|p|)
//! f_t = −s p                   H_t = s ρ (I − n nᵀ)
//! dual: λ ← s p                end of step: o ← (s p − λ)/ρ: o + u_t if s = 1; else the anchor is dragged
//! ```
//! H_t is the curvature of the quadratic that touches the energy of f_t from above, so
//! descent converges whether the grip holds or slides. N is that after the sweep before, the
//! one normal of a fresh row that its own inertia would meet: before a block is solved, N at
//! the iterate is off by (ke h²/m) times the error of the gap, always to more friction.

use coact_math::{Real, S3, Scalar, V3};

use super::law::{ContactRow, SlipLaw, eval_press};

/// The tangential state of a row; world axes, tangential to the row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Grip<R> {
    /// Offset of the particle from its anchor at the begin of the step \[m\].
    pub offset: V3<R>,
    /// Multiplier \[N\].
    pub lambda: V3<R>,
    /// Metric ρ \[N/m\].
    pub rho: R,
    /// mu N after the last sweep: what friction is held by in this one \[N\].
    pub limit: R,
}

/// What a grip does at an iterate.
#[derive(Clone, Copy, Debug)]
pub struct Hold<R> {
    /// Friction, opposite to what acts on the particle: s p \[N\].
    pub force: V3<R>,
    /// s: 1 while it holds.
    pub share: R,
    /// Offset from the anchor, o + u_t \[m\].
    pub offset: V3<R>,
}

/// eq. (25), (26): the hold inside `limit` = mu N \[N\] at the slip `slip` of the step.
#[inline(always)]
pub fn eval_hold<R: Real>(grip: &Grip<R>, limit: R, slip: V3<R>) -> Hold<R> {
    let offset = grip.offset + slip;
    let p = grip.lambda + offset * grip.rho;
    let size = p.norm();
    let holds = size.cmp_lt(limit);
    let share = R::select(holds, R::one(), limit / R::select(size.cmp_gt(R::zero()), size, R::one()));
    Hold { force: p * share, share, offset }
}

/// Potential of the hold, a parabola inside the disk and a cone outside \[J\]: minus its gradient is the
/// friction of [`eval_hold`] inside the limit of the grip.
pub fn eval_hold_energy<R: Scalar>(grip: &Grip<R>, slip: V3<R>) -> f64 {
    let p = (grip.lambda + (grip.offset + slip) * grip.rho).norm().to_f64();
    let (rho, limit) = (grip.rho.to_f64(), grip.limit.to_f64());
    match rho > 0.0 {
        true if p < limit => 0.5 * p * p / rho,
        true => limit * (p - 0.5 * limit) / rho,
        false => 0.0,
    }
}

/// eq. (29): the offset that is left when the anchor was dragged by what p has too much: the part
/// of the hold that the multiplier did not have \[m\].
#[inline(always)]
pub fn eval_rest<R: Real>(grip: &Grip<R>, hold: &Hold<R>) -> V3<R> {
    let dragged = hold.share.cmp_lt(R::one()) & grip.rho.cmp_gt(R::zero());
    let rho = R::select(dragged, grip.rho, R::one());
    V3::select(dragged, (hold.force - grip.lambda) * rho.recip(), hold.offset)
}

/// Force on the particle \[N\] and its Hessian \[N/m\], with anchored friction.
#[inline(always)]
pub fn eval_anchored<R: Real>(
    row: &ContactRow<R>,
    grip: &Grip<R>,
    law: &SlipLaw<R>,
    d: V3<R>,
) -> (V3<R>, S3<R>) {
    let p = eval_press(row, law, d);
    let (f_n, k_n) =
        (R::select(p.pressing, p.damped, R::zero()), R::select(p.pressing, p.stiffness, R::zero()));
    let hold = eval_hold(grip, grip.limit, p.slip);
    let k = grip.rho * hold.share;
    let mut h = S3::outer(k_n - k, row.n);
    h.add_diagonal(k);
    (row.n * f_n - hold.force, h)
}

/// The same with the exact Hessian, in which what slides does not resist along its way: for a search that sees
/// where it leads.
pub fn eval_anchored_exactly<R: Real>(
    row: &ContactRow<R>,
    grip: &Grip<R>,
    law: &SlipLaw<R>,
    d: V3<R>,
) -> (V3<R>, S3<R>) {
    let (f, mut h) = eval_anchored(row, grip, law, d);
    let hold = eval_hold(grip, grip.limit, eval_press(row, law, d).slip);
    let size = hold.force.norm();
    let slides = hold.share.cmp_lt(R::one()) & size.cmp_gt(R::zero());
    let along = hold.force * R::select(slides, size, R::one()).recip();
    h.add_outer(R::select(slides, -(grip.rho * hold.share), R::zero()), along);
    (f, h)
}
