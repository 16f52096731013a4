//! When self-contact runs within a step of the host's particles, and what it does to blocks.
//! Theory: `docs/theory/self-contact.md` section 4.

use coact_math::{Scalar, V3, Vec3};
use coact_model::Model;
use coact_solver::DetectionSchedule;
use rayon::prelude::*;

use super::columns::{Columns, convert};
use super::cpu::CpuParticles;
use crate::config::VelocityRule;
use crate::contact::SlipLaw;
use crate::energy::Block;
use crate::self_contact::{
    Bounds, GivenPairs, Guard, Hold, PairLaw, Place, SelfContact, Truncated, eval_closest, eval_pair,
};

/// Part of the particles that may use up their bounds before detection runs again.
const USED_UP_SHARE: f64 = 0.01;
/// A single particle that loses more than this part of its way asks for detection.
const FAST_CUT: f64 = 0.1;
/// Approach velocity below which the whole-approach law damps nothing \[m/s\].
const APPROACH_FLOOR: f64 = 1e-6;

/// Enough to outweigh a task.
const SLOTS_PER_TASK: usize = 1024;

/// What self-contact did in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SelfContactSummary {
    /// Pairs of the last detection that may press.
    pub pairs: usize,
    /// Pairs that press at the end of the step.
    pub active: usize,
    /// Smallest distance of those \[m\]; infinite without.
    pub least_distance: f64,
    /// Most pairs of a detection that nothing separated.
    pub exempt: usize,
    /// Detections.
    pub detections: usize,
    /// What truncation took at the end.
    pub truncated: Truncated,
    /// Lists that grew.
    pub growth: usize,
}

/// The columns as self-contact sees them.
struct Here<'a, P, R> {
    columns: &'a Columns<P, R>,
    rule: VelocityRule,
    /// At the begin of the step, else at the iterate.
    begin: bool,
}

impl<P: Scalar, R: Scalar> Place for Here<'_, P, R> {
    fn position(&self, slot: usize) -> Vec3 {
        if self.begin { self.columns.x0[slot].to_host(0) } else { self.columns.end(slot, self.rule) }
    }

    fn planned(&self, slot: usize) -> Vec3 {
        if self.begin { self.columns.dy[slot].to_host(0) } else { -self.columns.d[slot].to_host(0) }
    }

    fn moves(&self, slot: usize) -> bool {
        self.columns.inertia[slot].cmp_gt(R::zero())
    }
}

impl<P: Scalar, R: Scalar> Columns<P, R> {
    /// Where the step would end now, with all digits \[m\].
    fn end(&self, slot: usize, rule: VelocityRule) -> Vec3 {
        match rule {
            VelocityRule::Correction => self.y[slot].to_host(0) + self.exact[slot].to_host(0),
            VelocityRule::PositionDifference => {
                self.x0[slot].to_host(0) + self.u_target[slot].to_host(0) + self.d[slot].to_host(0)
            }
        }
    }

    /// Whether all iterates are within their bounds.
    fn are_within(&self, bounds: &Bounds, rule: VelocityRule) -> bool {
        let holds = |s: usize| bounds.holds(s, &self.end(s, rule));
        (0..self.d.len()).into_par_iter().with_min_len(SLOTS_PER_TASK).all(holds)
    }

    /// Puts all iterates at their targets.
    fn restart(&mut self, rule: VelocityRule) {
        for slot in 0..self.d.len() {
            self.put(slot, V3::zero(), rule);
        }
    }

    /// Puts the iterate at `x` \[m\].
    fn put_end(&mut self, slot: usize, x: &Vec3, rule: VelocityRule) {
        let d = match rule {
            VelocityRule::Correction => x - self.y[slot].to_host(0),
            VelocityRule::PositionDifference => x - self.x0[slot].to_host(0) - self.u_target[slot].to_host(0),
        };
        self.put(slot, V3::from_host(&d), rule);
    }
}

impl<P: Scalar, R: Scalar> CpuParticles<P, R> {
    /// Force and Hessian of all pairs at a block.
    #[inline]
    pub(super) fn eval_self_contact(&self, slot: usize) -> Block<R> {
        let mut sum = Block::zero();
        let Some(sc) = &self.self_contact else { return sum };
        let rows = sc.pairs.pressing();
        for c in &sc.pairs.corners()[sc.pairs.range(slot)] {
            // those that press come first
            let Some(row) = rows.get(c.element()) else { break };
            sum += eval_pair(
                row,
                c.corner(),
                &self.columns.x_of(&row.v),
                &self.columns.u_of(&row.v),
                &self.pair_law,
            );
        }
        sum
    }

    fn law_of_pairs(&self, sc: &SelfContact<R>) -> PairLaw<R> {
        let whole = self.options.damped_depth > 1.0;
        PairLaw {
            margin: R::from_f64(sc.config.margin),
            approach_floor: if whole { R::from_f64(APPROACH_FLOOR / self.law.inv_h) } else { R::zero() },
            skip_coincident: sc.config.skip_coincident,
            slip: SlipLaw {
                inv_h: R::from_f64(self.law.inv_h),
                epsilon: R::from_f64(self.law.epsilon),
                damped_depth: R::from_f64(self.law.damped_depth),
                normal: self.law.normal,
            },
        }
    }

    /// Pairs and bounds for the step: by the schedule before the prediction, then at the
    /// prediction, which is bounded by the first.
    pub(super) fn begin_pairs(&mut self, given: Option<GivenPairs>, model: &Model) {
        let Some(mut sc) = self.self_contact.take() else { return };
        sc.begin_step();
        self.pair_law = self.law_of_pairs(&sc);
        let schedule = self.options.self_schedule;
        let again = matches!(schedule, DetectionSchedule::Auto | DetectionSchedule::PrePostInit);
        let within = given.is_none() && again && self.is_prediction_within(&mut sc);
        let here = |begin| Here { columns: &self.columns, rule: self.options.velocity, begin };
        match given {
            _ if within => {}
            Some(pairs) => sc.take(pairs, &here(true), &self.layout, model),
            None if schedule == DetectionSchedule::Off => sc.clear(),
            None => sc.detect(&here(true), &self.layout, model),
        }
        if !within {
            self.limit_prediction(&mut sc, given.is_none().then_some(model));
        }
        if given.is_none() && again {
            self.detect_here(&mut sc, model);
        }
        self.self_contact = Some(sc);
    }

    /// Whether the bounds of the last step still hold and have room for the whole prediction:
    /// then detection at the begin of this step would find nothing that matters.
    fn is_prediction_within(&self, sc: &mut SelfContact<R>) -> bool {
        let (Guard::PerParticle(bounds), rule) = (&mut sc.guard, self.options.velocity) else { return false };
        if !bounds.is_valid() {
            return false;
        }
        if self.columns.are_within(bounds, rule) {
            return true;
        }
        let hold = |s: usize| match self.columns.inertia[s].cmp_gt(R::zero()) {
            true => Hold::Free,
            false => Hold::Fixed,
        };
        bounds.fit_frames(|s| self.columns.end(s, rule), hold);
        self.columns.are_within(bounds, rule)
    }

    /// Block descent does not bring back a motion that many particles share: what bounds took
    /// from the prediction is therefore made up by further detections on the way, as long as
    /// one is left for the sweeps.
    fn limit_prediction(&mut self, sc: &mut SelfContact<R>, model: Option<&Model>) {
        while self.limit_all(sc) && sc.detections + 1 < sc.config.max_detections {
            let Some(model) = model.filter(|_| matches!(sc.guard, Guard::PerParticle(_))) else { break };
            self.detect_here(sc, model);
            self.columns.restart(self.options.velocity);
        }
        sc.truncated_start = sc.truncated;
    }

    fn detect_here(&self, sc: &mut SelfContact<R>, model: &Model) {
        let here = Here { columns: &self.columns, rule: self.options.velocity, begin: false };
        sc.detect(&here, &self.layout, model);
    }

    /// Detection before a sweep, by the schedule.
    pub(super) fn detect_pairs_again(&mut self, model: &Model) {
        let Some(mut sc) = self.self_contact.take() else { return };
        self.detect_here(&mut sc, model);
        self.self_contact = Some(sc);
    }

    /// The bounds of a color whose blocks have just moved.
    pub(super) fn limit_color(&mut self, blocks: std::ops::Range<usize>) {
        let Some(mut sc) = self.self_contact.take() else { return };
        match &sc.guard {
            Guard::Off => {}
            Guard::Budget(_) => self.limit_by_budget(&mut sc),
            Guard::PerParticle(b) => {
                let rule = self.options.velocity;
                for slot in blocks.filter(|&s| b.has_planes(s)) {
                    let x = self.columns.end(slot, rule);
                    let kept = b.project(slot, x);
                    if kept != x && self.columns.inertia[slot].cmp_gt(R::zero()) {
                        self.columns.put_end(slot, &kept, rule);
                    }
                }
            }
        }
        self.self_contact = Some(sc);
    }

    /// The bounds of all particles after a sweep; detects again where they are used up, as
    /// long as sweeps follow.
    pub(super) fn limit_after_sweep(&mut self, may_detect: bool, model: &Model) {
        let Some(mut sc) = self.self_contact.take() else { return };
        let used_up = matches!(sc.guard, Guard::PerParticle(_)) && self.limit_all(&mut sc);
        if used_up && may_detect && sc.detections < sc.config.max_detections {
            self.detect_here(&mut sc, model);
        }
        self.self_contact = Some(sc);
    }

    /// Whether so many bounds are used up that detection should run again.
    fn limit_all(&mut self, sc: &mut SelfContact<R>) -> bool {
        sc.truncated = Truncated::default();
        match &sc.guard {
            Guard::Off => false,
            Guard::Budget(_) => {
                self.limit_by_budget(sc);
                false
            }
            Guard::PerParticle(_) => self.limit_by_bounds(sc),
        }
    }

    fn limit_by_budget(&mut self, sc: &mut SelfContact<R>) {
        let (Guard::Budget(budget), rule) = (&mut sc.guard, self.options.velocity) else { return };
        let columns = &mut self.columns;
        budget.eval_factors(&sc.pairs, |s| columns.end(s, rule));
        sc.truncated = Truncated::default();
        for slot in 0..columns.d.len() {
            let x = columns.end(slot, rule);
            let moves = columns.inertia[slot].cmp_gt(R::zero());
            let Some(kept) = budget.limit(slot, &x).filter(|_| moves) else { continue };
            columns.put_end(slot, &kept, rule);
            sc.truncated.note((x - kept).norm());
        }
    }

    fn limit_by_bounds(&mut self, sc: &mut SelfContact<R>) -> bool {
        let (Guard::PerParticle(bounds), rule) = (&mut sc.guard, self.options.velocity) else { return false };
        let columns = &mut self.columns;
        let moves = |c: &Columns<P, R>, s: usize| c.inertia[s].cmp_gt(R::zero());
        if columns.are_within(bounds, rule) {
            return false;
        }
        let (rows, attachments, pairs) = (&self.rows, &self.attachments, &sc.pairs);
        let hold = |s: usize| {
            let one = s..s + 1;
            match moves(columns, s) {
                false => Hold::Fixed,
                true if rows.any(&one) || attachments.any(&one) || pairs.any(&one) => Hold::Held,
                true => Hold::Free,
            }
        };
        bounds.fit_frames(|s| columns.end(s, rule), hold);
        let (mut used_up, mut fast) = (0, false);
        for slot in 0..columns.d.len() {
            if !moves(columns, slot) {
                continue;
            }
            let Some(cut) = bounds.limit(slot, columns.end(slot, rule)) else { continue };
            columns.put_end(slot, &cut.x, rule);
            used_up += usize::from(cut.by_ball > 0.0);
            fast |= cut.by_ball > FAST_CUT;
            sc.truncated.note(cut.length);
        }
        fast || used_up as f64 > USED_UP_SHARE * bounds.bound_count() as f64
    }

    /// What pairs and bounds are like at the end of the step.
    pub(super) fn summarise_pairs(&self) -> SelfContactSummary {
        let Some(sc) = &self.self_contact else { return SelfContactSummary::default() };
        let rows = sc.pairs.pressing();
        let distance =
            |v: &[u32; 4], kind| eval_closest(kind, &v.map(|s| convert(self.columns.x0[s as usize]))).a;
        let (mut active, mut least) = (0, f64::INFINITY);
        for a in rows.iter().map(|r| distance(&r.v, r.kind)) {
            let a: f64 = a;
            active += usize::from(a < sc.config.margin);
            least = least.min(a);
        }
        SelfContactSummary {
            pairs: rows.len(),
            active,
            least_distance: least,
            exempt: sc.exempt,
            detections: sc.detections,
            truncated: sc.truncated.max(sc.truncated_start),
            growth: sc.growth,
        }
    }
}
