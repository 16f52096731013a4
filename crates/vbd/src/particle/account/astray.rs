//! Steps that go astray: eq. (49g) of `docs/theory/vbd.md`.
//!
//! Left out on purpose: islands with hard attachments, whose ends would be left apart. What bounds of self-contact
//! keep from going back stays where it is.

use coact_math::{Scalar, V3, Vec3};

use super::Account;
use super::island::Island;
use crate::body::Bodies;
use crate::particle::columns::convert;
use crate::particle::cpu::CpuParticles;
use crate::self_contact::Guard;

/// How often the way of a step is halved.
const HALVINGS: usize = 8;

/// How much of its motion an island keeps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Share {
    now: f64,
    goal: f64,
    /// Whether bounds are in the way.
    is_blocked: bool,
    /// The best share tried, and what the objective gains there \[J\].
    best: (f64, f64),
}

impl Default for Share {
    fn default() -> Self {
        Self { now: 1.0, goal: 1.0, is_blocked: false, best: (1.0, f64::INFINITY) }
    }
}

impl Share {
    fn moves(&self) -> bool {
        self.goal != self.now && !self.is_blocked
    }
}

impl Island {
    /// Notes what its present end gains, and goes back half the way if that is too much. Returns whether it does.
    fn goes_back(&mut self) -> bool {
        let (share, gain) = (&mut self.share, self.gain.objective);
        if gain < share.best.1 {
            share.best = (share.now, gain);
        }
        let goes = gain > 0.0 && !share.is_blocked;
        share.goal = if goes { 0.5 * share.now } else { share.now };
        goes
    }

    /// Where no trial was good enough, the best one is. Returns whether it was another than the last.
    fn takes_best(&mut self) -> bool {
        let (share, gain) = (&mut self.share, self.gain.objective);
        let takes = share.now < 1.0 && gain > share.best.1;
        share.goal = if takes { share.best.0 } else { share.now };
        takes
    }
}

impl Account {
    /// Tells islands that may end nearer to their begin to choose a goal; whether any moves.
    fn choose(&mut self, goal: impl Fn(&mut Island) -> bool) -> bool {
        let open = self.islands.iter_mut().zip(&self.nodes).filter(|(_, n)| n.is_kept() && !n.is_tied);
        open.fold(false, |any, (island, _)| goal(island) | any)
    }

    fn share(&mut self, component: usize) -> &mut Share {
        &mut self.islands[self.forest.find(component as u32)].share
    }
}

impl<P: Scalar, R: Scalar> CpuParticles<P, R> {
    /// Ends islands nearer to their begin where the objective is larger than there: eq. (49g).
    pub(super) fn go_back(&mut self, a: &mut Account, bodies: &Bodies) {
        if !a.choose(Island::goes_back) {
            return;
        }
        let mut whole = std::mem::take(&mut self.before);
        whole.iter_mut().enumerate().for_each(|(s, u)| *u = self.columns.motion(s));
        let mut trial = 0;
        loop {
            self.go_to_shares(a, &whole);
            self.eval_contacts_of(a);
            self.sum_gains(a, bodies);
            trial += 1;
            let goes_on = match trial {
                ..HALVINGS => a.choose(Island::goes_back),
                HALVINGS => a.choose(Island::takes_best),
                _ => false,
            };
            if !goes_on {
                break;
            }
        }
        self.before = whole;
    }

    /// Brings islands to their goals, all of their particles at the same share, where bounds allow.
    fn go_to_shares(&mut self, a: &mut Account, whole: &[V3<f64>]) {
        self.find_blocked(a, whole);
        for (slot, u) in whole.iter().enumerate() {
            let share = a.share(self.directions.parts.of(slot));
            if share.moves() && self.columns.moves(slot) {
                let d = *u * share.goal - convert::<P, f64>(self.columns.dy[slot]);
                self.columns.put(slot, d, self.options.velocity);
            }
        }
        a.islands.iter_mut().map(|i| &mut i.share).filter(|s| s.moves()).for_each(|s| s.now = s.goal);
    }

    /// Marks islands with a particle whose goal is not in its set.
    fn find_blocked(&self, a: &mut Account, whole: &[V3<f64>]) {
        let Some(Guard::PerParticle(bounds)) = self.self_contact.as_ref().map(|sc| &sc.guard) else { return };
        for (slot, u) in whole.iter().enumerate().filter(|(s, _)| self.columns.moves(*s)) {
            let share = a.share(self.directions.parts.of(slot));
            let goal: Vec3 = self.columns.x0[slot].to_host(0) + (*u * share.goal).to_host(0);
            share.is_blocked |= share.moves() && !bounds.holds(slot, &goal);
        }
    }
}
