//! When self-contact runs within a step of the host's particles, and what it does to blocks.
//! Theory: `docs/theory/self-contact.md` section 4.

use coact_math::{Scalar, V3, Vec3};
use coact_model::{Model, ParticleId};
use coact_solver::DetectionSchedule;

use super::columns::{Columns, convert};
use super::cpu::CpuParticles;
use crate::config::VelocityRule;
use crate::contact::SlipLaw;
use crate::energy::Block;
use crate::self_contact::{
    GivenPairs, Guard, Hold, Lagging, PairLaw, Place, SelfContact, Truncated, eval_closest, eval_pair,
};

/// Approach velocity below which the whole-approach law damps nothing \[m/s\].
const APPROACH_FLOOR: f64 = 1e-6;

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
    /// Prescribed particles that are behind, and the one farthest behind with its lag \[m\].
    pub lagging: (usize, Option<(f64, ParticleId)>),
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
        if self.begin { self.columns.dy[slot].to_host(0) } else { -self.columns.exact[slot].to_host(0) }
    }

    fn moves(&self, slot: usize) -> bool {
        self.columns.moves(slot)
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
        sc.begin_step(&model.materials, given.is_none());
        self.pair_law = self.law_of_pairs(&sc);
        if sc.config.start_held {
            self.start_held(&sc.held);
        }
        sc.wanted.copy_from_slice(&self.columns.exact);
        let schedule = self.options.self_schedule;
        let again = matches!(schedule, DetectionSchedule::Auto | DetectionSchedule::PrePostInit);
        let within = given.is_none() && again && self.is_prediction_within(&mut sc);
        let here = |begin| Here { columns: &self.columns, rule: self.options.velocity, begin };
        match given {
            _ if within => {}
            Some(pairs) => sc.take(pairs, &here(true), &self.layout),
            None if schedule == DetectionSchedule::Off => sc.clear(),
            None => sc.detect(&here(true), &self.layout),
        }
        if !within {
            self.limit_prediction(&mut sc);
        }
        if given.is_none() && again {
            self.detect_here(&mut sc);
        }
        self.self_contact = Some(sc);
    }

    /// eq. (27): what pairs held against gravity in the last step begins where that would have it now,
    /// unless rows did it already.
    fn start_held(&mut self, held: &[Vec3]) {
        let (g, h2) = (self.gravity.norm(), self.h * self.h);
        let Some(down) = self.gravity.try_normalize(0.0) else { return };
        for (slot, a) in held.iter().enumerate() {
            let up = (-a.dot(&down)).clamp(0.0, g);
            if up > 0.0 && self.columns.moves(slot) && self.columns.exact[slot] == V3::zero() {
                self.columns.put(slot, V3::from_host(&(down * (-up * h2))), self.options.velocity);
            }
        }
    }

    /// Notes what pairs did to their particles.
    pub(super) fn keep_held(&mut self) {
        let Some(sc) = &mut self.self_contact else { return };
        let per_h2 = 1.0 / (self.h * self.h);
        for (slot, held) in sc.held.iter_mut().enumerate() {
            let meets = sc.pairs.any_presses(&(slot..slot + 1));
            *held = if meets { self.columns.exact[slot].to_host(0) * per_h2 } else { Vec3::zeros() };
        }
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
        let hold = |s: usize| if self.columns.moves(s) { Hold::Free } else { Hold::Fixed };
        bounds.fit_frames(|s| self.columns.end(s, rule), hold);
        self.columns.are_within(bounds, rule)
    }

    pub(super) fn detect_here(&self, sc: &mut SelfContact<R>) {
        let here = Here { columns: &self.columns, rule: self.options.velocity, begin: false };
        sc.detect(&here, &self.layout);
    }

    /// Detection before a sweep, by the schedule.
    pub(super) fn detect_pairs_again(&mut self) {
        let Some(mut sc) = self.self_contact.take() else { return };
        self.detect_here(&mut sc);
        self.self_contact = Some(sc);
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
        let Lagging { count, most } = sc.lags.lagging();
        let particle = |slot: usize| ParticleId(self.layout.particle_of[slot]);
        SelfContactSummary {
            pairs: rows.len(),
            active,
            least_distance: least,
            exempt: sc.exempt,
            detections: sc.detections,
            truncated: sc.truncated.at_least(sc.truncated_start),
            lagging: (count, most.map(|(lag, slot)| (lag, particle(slot)))),
            growth: sc.growth,
        }
    }
}
