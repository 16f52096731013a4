//! How bounds of motion act on iterates: `docs/theory/self-contact.md` sections 4 to 6.
//!
//! Between any two stages every particle is in its set: what leaves it is taken back to where it was
//! and from there goes as far as its set lets it.

use std::ops::Range;

use coact_math::{Scalar, V3, Vec3};
use rayon::prelude::*;

use super::columns::Columns;
use super::cpu::CpuParticles;
use crate::config::VelocityRule;
use crate::self_contact::{Bounds, Budgets, Cuts, Guard, Hold, SelfContact, Truncated, Way};

/// Enough to outweigh a task.
const SLOTS_PER_TASK: usize = 1024;
/// Quarters of the detections of a step that the prediction leaves to the sweeps: what it brought far while
/// its neighbours were held stays stretched, and gains energy, where sweeps find their bounds used up.
const FOR_SWEEPS: usize = 3;
/// How often a prediction that leaves its set is taken up again while planes give way.
const PREDICTION_PASSES: usize = 3;

impl<P: Scalar, R: Scalar> Columns<P, R> {
    /// Whether the step moves a particle.
    pub(super) fn moves(&self, slot: usize) -> bool {
        self.inertia[slot].cmp_gt(R::zero())
    }

    /// Where the step would end now, with all digits \[m\].
    pub(super) fn end(&self, slot: usize, rule: VelocityRule) -> Vec3 {
        self.target_by(slot, rule) + self.exact[slot].to_host(0)
    }

    /// Its target \[m\].
    pub(super) fn target_by(&self, slot: usize, rule: VelocityRule) -> Vec3 {
        match rule {
            VelocityRule::Correction => self.y[slot].to_host(0),
            VelocityRule::PositionDifference => self.x0[slot].to_host(0) + self.u_target[slot].to_host(0),
        }
    }

    /// Whether all iterates are within their bounds.
    pub(super) fn are_within(&self, bounds: &Bounds, rule: VelocityRule) -> bool {
        let holds = |s: usize| bounds.holds(s, &self.end(s, rule));
        (0..self.d.len()).into_par_iter().with_min_len(SLOTS_PER_TASK).all(holds)
    }

    /// Puts the iterate at `x` \[m\].
    pub(super) fn put_end(&mut self, slot: usize, x: &Vec3, rule: VelocityRule) {
        let d = V3::from_host(&(x - self.target_by(slot, rule)));
        self.put(slot, d, rule);
    }

    /// eq. (25): what is outside its set among `slots` goes back to `from`, which is in it, and from
    /// there as far towards where it was as its set lets it, as often as `way`
    /// says. Prescribed particles only where `way` has them.
    fn keep_inside<R2>(
        &mut self,
        sc: &mut SelfContact<R2>,
        rule: VelocityRule,
        slots: Range<usize>,
        way: &Back<impl Fn(&Bounds, &Self, usize) -> Vec3>,
    ) {
        let Guard::PerParticle(bounds) = &mut sc.guard else { return };
        let outside = &mut sc.outside[slots.clone()];
        let (columns, sets, first, with_prescribed) = (&*self, &**bounds, slots.start, way.with_prescribed);
        let is_outside = |(i, o): (usize, &mut bool)| {
            let s = first + i;
            *o = (with_prescribed || columns.moves(s)) && !sets.holds(s, &columns.end(s, rule));
        };
        outside.par_iter_mut().with_min_len(SLOTS_PER_TASK).enumerate().for_each(is_outside);
        let list = (first..).zip(&*outside).filter(|(_, o)| **o).map(|(s, _)| s);
        let room = sc.goal.capacity();
        sc.goal.clear();
        sc.goal.extend(list.map(|s| (s, columns.end(s, rule))));
        sc.growth += usize::from(sc.goal.capacity() > room);
        for &(slot, _) in &sc.goal {
            let from = (way.from)(bounds, self, slot);
            self.put_end(slot, &from, rule);
        }
        self.go_on(sc, rule, way.passes);
    }

    /// eq. (25): all that are to go somewhere, in order, as far as their sets let them, `passes` times over.
    fn go_on<R2>(&mut self, sc: &mut SelfContact<R2>, rule: VelocityRule, passes: usize) {
        let (lags, margin) = (&sc.lags, sc.config.margin);
        let Guard::PerParticle(bounds) = &mut sc.guard else { return };
        for pass in 1..=passes {
            for &(slot, goal) in &sc.goal {
                let apart = if self.moves(slot) { 0.0 } else { lags.apart(slot, margin) };
                let to = Way { from: self.end(slot, rule), to: goal, apart };
                let cut = bounds.limit(slot, &to, |s| self.end(s, rule));
                self.put_end(slot, &cut.map_or(goal, |c| c.x), rule);
                if let Some(cut) = cut.filter(|_| pass == passes) {
                    let mass = self.moves(slot).then_some(self.mass[slot]);
                    sc.cuts.note(&cut, &goal, mass, bounds.is_alone(slot));
                }
            }
        }
    }
}

/// How particles go back into their sets.
struct Back<F> {
    /// Where each was when it was in its set \[m\].
    from: F,
    passes: usize,
    with_prescribed: bool,
}

impl<P: Scalar, R: Scalar> CpuParticles<P, R> {
    /// Block descent does not bring back a motion that many particles share: what bounds took
    /// from the prediction is therefore made up by further detections on the way, as long as
    /// enough are left for the sweeps. Prescribed particles go the same way.
    pub(super) fn limit_prediction(&mut self, sc: &mut SelfContact<R>) {
        loop {
            let cuts = match &sc.guard {
                Guard::Off(_) => Cuts::default(),
                Guard::Budget(_) => {
                    self.limit_by_budget(sc);
                    Cuts::default()
                }
                Guard::PerParticle(_) => self.limit_leg(sc),
            };
            sc.truncated_start = sc.truncated;
            let spare = FOR_SWEEPS * sc.config.max_detections / 4;
            if !sc.asks_for_detection(&cuts, Budgets { spare, ..Budgets::default() }) {
                return;
            }
            self.detect_here(sc);
            for (slot, &d) in sc.wanted.iter().enumerate() {
                self.columns.put(slot, d, self.options.velocity);
            }
        }
    }

    /// From where detection found all particles towards where they want to start, and what bounds did.
    fn limit_leg(&mut self, sc: &mut SelfContact<R>) -> Cuts {
        let rule = self.options.velocity;
        let Guard::PerParticle(bounds) = &mut sc.guard else { return Cuts::default() };
        let columns = &mut self.columns;
        if columns.are_within(bounds, rule) {
            return self.take_cuts(sc);
        }
        let (rows, attachments, pairs) = (&self.rows, &self.attachments, &sc.pairs);
        let hold = |s: usize| {
            let one = s..s + 1;
            match columns.moves(s) {
                false => Hold::Fixed,
                true if rows.any(&one) || attachments.any(&one) || pairs.any(&one) => Hold::Held,
                true => Hold::Free,
            }
        };
        bounds.fit_frames(|s| columns.end(s, rule), hold);
        let from = |b: &Bounds, _: &Columns<P, R>, s: usize| b.base(s);
        let way = Back { from, passes: PREDICTION_PASSES, with_prescribed: true };
        let all = 0..columns.d.len();
        columns.keep_inside(sc, rule, all, &way);
        self.take_cuts(sc)
    }

    /// Notes what bounds did.
    fn take_cuts(&mut self, sc: &mut SelfContact<R>) -> Cuts {
        let cuts: Cuts = std::mem::take(&mut sc.cuts);
        sc.truncated = cuts.truncated;
        cuts
    }

    /// The bounds of a color whose blocks have just moved, from displacements `before`.
    pub(super) fn limit_color(&mut self, blocks: Range<usize>, before: &[V3<f64>]) {
        let Some(mut sc) = self.self_contact.take() else { return };
        match &sc.guard {
            Guard::Off(_) => {}
            Guard::Budget(_) => self.limit_by_budget(&mut sc),
            Guard::PerParticle(_) => self.limit_from(&mut sc, blocks, before),
        }
        self.self_contact = Some(sc);
    }

    fn limit_from(&mut self, sc: &mut SelfContact<R>, blocks: Range<usize>, before: &[V3<f64>]) {
        let rule = self.options.velocity;
        let from = |_: &Bounds, c: &Columns<P, R>, s: usize| c.target_by(s, rule) + before[s].to_host(0);
        let way = Back { from, passes: 1, with_prescribed: false };
        let earlier = std::mem::take(&mut sc.cuts);
        self.columns.keep_inside(sc, rule, blocks, &way);
        // what nothing is near of gets where it wants to be
        while sc.cuts.alone && sc.asks_for_detection(&sc.cuts, Budgets::default()) {
            sc.cuts = Cuts::default();
            self.detect_here(sc);
            self.columns.go_on(sc, rule, 1);
        }
        sc.cuts.join(&earlier);
    }

    /// `work` that moves iterates; then those are brought back into their bounds.
    pub(super) fn limited(&mut self, work: impl FnOnce(&mut Self)) {
        let Some(sc) = &mut self.self_contact else { return work(self) };
        let mut before = std::mem::take(&mut sc.wanted);
        before.copy_from_slice(&self.columns.exact);
        work(self);
        self.keep_prescribed(&before);
        self.limit_color(0..self.columns.d.len(), &before);
        if let Some(sc) = &mut self.self_contact {
            sc.wanted = before;
        }
    }

    /// Between two sweeps: prescribed particles go on, and detection runs again where bounds are used up.
    /// After the last one neither.
    pub(super) fn limit_after_sweep(&mut self, more_follow: bool) {
        let Some(mut sc) = self.self_contact.take() else { return };
        if matches!(sc.guard, Guard::PerParticle(_)) {
            let behind = more_follow && self.advance_prescribed(&mut sc);
            let cuts = self.take_cuts(&mut sc);
            if more_follow && sc.asks_for_detection(&cuts, Budgets { behind, ..Budgets::default() }) {
                self.detect_here(&mut sc);
            }
        }
        self.self_contact = Some(sc);
    }

    fn limit_by_budget(&mut self, sc: &mut SelfContact<R>) {
        let (Guard::Budget(budget), rule) = (&mut sc.guard, self.options.velocity) else { return };
        let columns = &mut self.columns;
        budget.eval_factors(&sc.pairs, |s| columns.end(s, rule));
        sc.truncated = Truncated::default();
        for slot in 0..columns.d.len() {
            let x = columns.end(slot, rule);
            let moves = columns.moves(slot);
            let Some(kept) = budget.limit(slot, &x).filter(|_| moves) else { continue };
            columns.put_end(slot, &kept, rule);
            sc.truncated.note(&(x - kept), columns.mass[slot]);
        }
    }
}
