//! One visit of a cluster in a sweep, and what its multipliers follow. Theory:
//! `docs/theory/rigid-rows.md` section 4, eq. (36), (38).
//!
//! A cluster takes Newton steps until its bodies are where its multipliers want them; then these
//! follow. A small one that nothing connects to others goes through several such rounds at once.
//! One whose multipliers no longer change rests for the remainder of the step.

use super::cluster::{Cluster, How};
use super::edges::{Between, Change, EdgesMut, Follow};
use crate::touch::TouchLaw;

/// Newton steps of a cluster in a round, at most.
const NEWTON: usize = 6;

/// Share of the largest multiplier that an update may change where the cluster counts as settled.
const SETTLED: f64 = 1e-6;

/// When multipliers follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Between two sweeps, or two rounds of one.
    Sweep,
    /// At the end of the step.
    End,
}

impl Cluster {
    /// Rounds of steps and dual updates; before each step but the first, `feel` asks anew for what
    /// acts from outside.
    pub(super) fn visit(
        &mut self,
        mine: &mut EdgesMut,
        between: &Between,
        how: &How,
        feel: &mut dyn FnMut(&mut Self),
    ) {
        self.settled &= how.search && !self.is_free() && self.alone;
        for round in 1..=how.rounds {
            (self.solved, self.ready, self.idle) = (self.settled, self.settled, false);
            for k in 0..if how.search { NEWTON } else { 1 } {
                if !self.is_due() {
                    break;
                }
                if k > 0 || round > 1 {
                    feel(self);
                }
                self.descend(mine, between, how);
                self.solved |= self.is_free();
                self.ready |= self.solved;
                // its neighbours have to move before it is worth another step
                self.idle |= self.is_swept();
            }
            if !how.search || !self.goes_on() || self.is_free() || self.settled || round == how.rounds {
                return;
            }
            self.follow(mine, between, how, When::Sweep);
        }
    }

    /// Multipliers of its own connections follow, if it is where they want it.
    pub(super) fn follow(&mut self, mine: &mut EdgesMut, between: &Between, how: &How, when: When) {
        let follow = match when {
            When::End if !how.search || !self.settled && self.ready => Follow::End,
            When::End if self.settled => Follow::Settled,
            When::End => Follow::Unsolved,
            When::Sweep if how.search && (self.settled || !self.ready) => return,
            When::Sweep => Follow::Sweep,
        };
        self.look(mine, between);
        let change = follow_all(mine, &between.law, follow);
        let rests = self.solved && !self.is_swept() && !self.is_free() && self.alone;
        self.settled |= rests && change.by <= SETTLED * change.of;
    }
}

fn follow_all(edges: &mut EdgesMut, law: &TouchLaw, follow: Follow) -> Change {
    let joints = edges.joints.iter_mut().map(|j| j.follow(follow));
    let touches = edges.touches.iter_mut().map(|t| t.follow(law, follow));
    joints.chain(touches).fold(Change::default(), Change::and)
}
