//! What friction remembers between steps: the anchor and the multiplier of each pair.
//! Theory: `docs/theory/vbd.md` section 6, eq. (27)–(29).
//!
//! Kept in the axes of the body, so that both ride on the surface. Keyed by slot and shape;
//! rows and what is kept are both in that order, so matching is one pass over both. A pair
//! that does not press at the end of a step, or whose closest point is elsewhere by more
//! than its reach (something was put elsewhere between two steps), begins anew.

use coact_math::{Quat, Scalar, V3, Vec3};

use super::grip::{Grip, eval_hold, eval_rest};
use super::law::{ContactRow, SlipLaw, eval_penetration, eval_press};
use super::rows::RowPlace;
use super::start::Past;

/// A pair between two steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    slot: u32,
    shape: u32,
    /// Closest point relative to the centre of mass, body axes \[m\].
    point: Vec3,
    /// Offset of the particle from its anchor, body axes \[m\].
    offset: Vec3,
    /// Multiplier, body axes \[N\].
    lambda: Vec3,
    /// mu N after the last sweep \[N\].
    limit: f64,
    /// What else holds the particle \[N/m\]; found when the pair met.
    stiffness: f64,
    /// What the step did, body axes.
    past: Past,
    /// Depth that its next row leaves to later steps, eq. (31a) \[m\].
    allowed: f64,
}

impl Anchor {
    fn key(&self) -> (u32, u32) {
        (self.slot, self.shape)
    }
}

/// What a row is measured by, all in N/m.
#[derive(Clone, Copy, Debug)]
pub struct Support {
    /// Of what else holds the particle.
    pub stiffness: f64,
    /// Metric ρ.
    pub rho: f64,
    /// Inertia of the pair.
    pub inertia: f64,
}

/// The grips of the rows of a step, and what is kept between steps.
#[derive(Clone, Debug, Default)]
pub struct Anchors<R> {
    /// Parallel to the rows.
    grips: Vec<Grip<R>>,
    /// The last step, parallel to the rows.
    pasts: Vec<Past>,
    /// What else holds the particle of a row, parallel to the rows \[N/m\].
    stiffness: Vec<f64>,
    /// eq. (31a): depth that a row leaves to later steps, parallel to the rows \[m\].
    allowed: Vec<f64>,
    kept: Vec<Anchor>,
    /// Whether `grips` are newer than `kept`.
    open: bool,
}

impl<R: Scalar> Anchors<R> {
    /// The grip of a row.
    #[inline(always)]
    pub fn grip(&self, row: usize) -> &Grip<R> {
        &self.grips[row]
    }

    /// eq. (31a): how much less deep than it is a row counts \[m\].
    #[inline(always)]
    pub fn allowed(&self, row: usize) -> f64 {
        self.allowed[row]
    }

    /// The last step of a row.
    pub fn past(&self, row: usize) -> &Past {
        &self.pasts[row]
    }

    /// What a fresh row is expected to press with \[N\].
    pub fn expect(&mut self, row: usize, mu: R, normal: f64) {
        self.pasts[row].normal = normal;
        self.grips[row].limit = mu * R::from_f64(normal);
    }

    /// eq. (31): a multiplier follows the start of its particle, inside the `limit` \[N\] of
    /// the last step.
    pub fn follow(&mut self, row: usize, change: &Vec3, limit: f64) {
        let lambda = self.grips[row].lambda.to_host(0) + change * limit;
        self.grips[row].lambda =
            V3::from_host(&(lambda * f64::min(1.0, limit / lambda.norm().max(f64::MIN_POSITIVE))));
    }

    /// Capacity of all lists, to notice growth.
    pub fn capacity(&self) -> usize {
        let by_row = [self.grips.capacity(), self.pasts.capacity(), self.stiffness.capacity()];
        by_row.iter().sum::<usize>() + self.allowed.capacity() + self.kept.capacity()
    }

    /// What is kept between two steps; room grows with the list's own.
    pub fn save(&self, to: &mut Vec<Anchor>) {
        to.clear();
        to.reserve(self.kept.capacity());
        to.extend_from_slice(&self.kept);
    }

    /// Goes back to what was kept; `None` = nothing.
    pub fn keep(&mut self, kept: Option<&Vec<Anchor>>) {
        self.open = false;
        match kept {
            Some(kept) => self.kept.clone_from(kept),
            None => self.kept.clear(),
        }
    }

    /// Forgets some pairs of a slot and a shape.
    pub fn forget(&mut self, is_chosen: impl Fn(u32, u32) -> bool) {
        self.kept.retain(|a| !is_chosen(a.slot, a.shape));
    }

    /// eq. (27), (31a): a grip for each of `rows`: what is kept of its pair, else a fresh one. `support` is
    /// that of a row, given the stiffness if it is known; `pushed`: how far what begins inside comes out
    /// in a step \[m\].
    pub fn match_rows(
        &mut self,
        rows: &[ContactRow<R>],
        pushed: f64,
        place: impl Fn(usize) -> RowPlace,
        law: &SlipLaw<R>,
        support: impl Fn(&ContactRow<R>, Option<f64>) -> Support,
    ) {
        self.grips.clear();
        self.pasts.clear();
        self.stiffness.clear();
        self.allowed.clear();
        let mut k = 0;
        for (i, row) in rows.iter().enumerate() {
            let key = (row.slot, row.shape);
            while self.kept.get(k).is_some_and(|a| a.key() < key) {
                k += 1;
            }
            let known = self.kept.get(k).filter(|a| a.key() == key);
            k += usize::from(known.is_some());
            let at = place(i);
            let known = known.filter(|a| (a.point - at.point).norm() <= row.reach.to_f64());
            let allowed = known.map_or_else(|| left_over(depth_at_begin(row), pushed), |a| a.allowed);
            self.allowed.push(allowed);
            let row = &row.raised(allowed);
            let s = support(row, known.map(|a| a.stiffness));
            let grip = known.map_or_else(|| fresh(row, law, s.inertia), |a| carried(a, row, &at.rotation));
            self.stiffness.push(s.stiffness);
            self.pasts.push(known.map_or_else(Past::default, |a| a.past.turned(&at.rotation)));
            self.grips.push(Grip { rho: R::from_f64(s.rho), ..grip });
        }
        // what the end of the step may keep, so that it grows where growth is counted
        self.kept.reserve(rows.len().saturating_sub(self.kept.len()));
        self.open = true;
    }

    /// Before rows are detected again within a step: begin offsets and present multipliers.
    pub fn stash(&mut self, rows: &[ContactRow<R>], place: impl Fn(usize) -> RowPlace) {
        if !self.open {
            return;
        }
        self.kept.clear();
        for (i, (row, g)) in rows.iter().zip(&self.grips).enumerate() {
            let at = place(i);
            let past = self.pasts[i].turned(&at.rotation.inverse());
            let (stiffness, limit, allowed) = (self.stiffness[i], g.limit.to_f64(), self.allowed[i]);
            self.kept.push(Anchor { past, stiffness, limit, allowed, ..seen(row, &at, g.offset, g.lambda) });
        }
    }

    /// mu N of every row follows displacements `d`; multipliers stay.
    pub fn follow_press(&mut self, rows: &[ContactRow<R>], law: &SlipLaw<R>, d: &[V3<R>]) {
        for (row, g) in rows.iter().zip(&mut self.grips) {
            let p = eval_press(row, law, d[row.slot as usize]);
            g.limit = R::select(p.pressing, row.mu * p.force, R::zero());
        }
    }

    /// eq. (28): the dual update of every row, at displacements `d`.
    pub fn update(&mut self, rows: &[ContactRow<R>], law: &SlipLaw<R>, d: &[V3<R>]) {
        for (row, g) in rows.iter().zip(&mut self.grips) {
            let p = eval_press(row, law, d[row.slot as usize]);
            g.limit = R::select(p.pressing, row.mu * p.force, R::zero());
            g.lambda = eval_hold(g, g.limit, p.slip).force;
        }
    }

    /// eq. (28), (29), (31a): what presses at the end of a step is kept. Grips stay as blocks felt
    /// them.
    pub fn commit(
        &mut self,
        rows: &[ContactRow<R>],
        pushed: f64,
        place: impl Fn(usize) -> RowPlace,
        law: &SlipLaw<R>,
        d: &[V3<R>],
        inertia: &[R],
    ) {
        self.kept.clear();
        for (i, (row, g)) in rows.iter().zip(&self.grips).enumerate() {
            let slot = row.slot as usize;
            let p = eval_press(row, law, d[slot]);
            if !p.pressing {
                continue;
            }
            let (hold, mut at) = (eval_hold(g, row.mu * p.force, p.slip), place(i));
            at.point += at.rotation.inverse() * p.slip.to_host(0) + at.carried;
            let offset = eval_rest(g, &hold);
            let past =
                Past { known: true, normal: p.force.to_f64(), force: (d[slot] * inertia[slot]).to_host(0) };
            let past = past.turned(&at.rotation.inverse());
            let (stiffness, limit) = (self.stiffness[i], (row.mu * p.force).to_f64());
            let depth = eval_penetration(row, d[slot]).to_f64() + self.allowed[i];
            let allowed = left_over(depth.min(self.allowed[i]), pushed);
            self.kept.push(Anchor { past, stiffness, limit, allowed, ..seen(row, &at, offset, hold.force) });
        }
        self.open = false;
    }
}

fn seen<R: Scalar>(row: &ContactRow<R>, at: &RowPlace, offset: V3<R>, lambda: V3<R>) -> Anchor {
    let to_body = at.rotation.inverse();
    Anchor {
        slot: row.slot,
        shape: row.shape,
        point: at.point,
        offset: to_body * offset.to_host(0),
        lambda: to_body * lambda.to_host(0),
        limit: 0.0,
        stiffness: 0.0,
        past: Past::default(),
        allowed: 0.0,
    }
}

/// eq. (31a) of a depth \[m\].
fn left_over(depth: f64, pushed: f64) -> f64 {
    (depth - pushed).max(0.0)
}

/// How deep a particle was at the begin of the step \[m\].
fn depth_at_begin<R: Scalar>(row: &ContactRow<R>) -> f64 {
    eval_penetration(row, -row.w).to_f64()
}

/// The limit of a fresh row: the normal force in series with the inertia.
fn fresh<R: Scalar>(row: &ContactRow<R>, law: &SlipLaw<R>, rho: f64) -> Grip<R> {
    let (p, rho) = (eval_press(row, law, V3::zero()), R::from_f64(rho));
    let n = if p.pressing { p.force * rho / (p.stiffness + rho) } else { R::zero() };
    Grip { limit: row.mu * n, ..Grip::default() }
}

/// What is kept, turned with the body and into the tangent plane of the row.
fn carried<R: Scalar>(a: &Anchor, row: &ContactRow<R>, rotation: &Quat) -> Grip<R> {
    let n = row.n.to_host(0);
    let tangent = |x: Vec3| V3::from_host(&(x - n * n.dot(&x)));
    let limit = R::from_f64(a.limit);
    Grip {
        offset: tangent(rotation * a.offset),
        lambda: tangent(rotation * a.lambda),
        limit,
        ..Grip::default()
    }
}
