//! Hard contacts that begin in an overlap: how far they are asked to come out of it, and what ends
//! that where others hold them in. Theory: `docs/theory/rigid-rows.md` eq. (34)–(34b).
//!
//! A body in a gap too narrow for it is pressed from two sides by rows that no motion satisfies: the
//! multipliers of both would grow by k times what is left over at every dual update, until the body
//! buckles out. Where a row can come out, an update leaves a small share of what it was asked; one that
//! keeps more is *stuck*: it rests where it is, as a plain spring of its metric, for the remainder of the
//! step, and is asked for less in the next one.

use super::Touch;
use super::law::{Applied, Grasp, TouchLaw};
use crate::rigid::Follow;

/// Share of what was left over that a row which comes out may keep at a dual update; at the first one, of
/// what it was asked for.
const KEPT: f64 = 0.5;
const KEPT_FIRST: f64 = 0.1;

/// Share of what was asked for that counts as nothing.
const REACHED: f64 = 1e-3;

/// What the pace of a row is multiplied by after a step in which it was stuck, or came out; its least.
const SLOWER: f64 = 0.25;
const FASTER: f64 = 2.0;
const SLOWEST: f64 = 1e-4;

/// Share of the depth at the begin of a step, and of the way to the anchor, that rows which are swept one by
/// one leave to later steps: multipliers that sweeps do not bring to an end would integrate it, and a pile
/// would never come to rest.
pub(super) const LEFT_TO_COME: f64 = 0.9;

/// Share of the speed of pushing out that bodies may take along: 5 mm/s at 1 m/s.
const SLOW: f64 = 0.005;
/// The same where rows are swept: there much moves apart all the time.
const SLOW_SWEPT: f64 = 0.05;

/// How far a row comes out of its overlap in a step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PushOut {
    /// What it is asked for \[m\]; 0 = nothing, or it is stuck.
    asked: f64,
    /// What was left of that at the last dual update \[m\].
    left: f64,
}

impl Touch {
    /// eq. (34): out of the depth at the `begin` by no more than its pace of `pushed` \[m\]; `together`:
    /// whether its bodies are solved together, so that one update tells whether they can.
    pub(super) fn ask_out(&mut self, begin: f64, pushed: f64, together: bool) {
        let (watched, grasp) = (together && self.overlapped, &mut self.memory.grasp);
        grasp.rest = if watched { grasp.rest } else { f64::INFINITY };
        // what a spring gives way by under its load is not given up
        let begin = begin.min(grasp.rest);
        let pace = if watched { self.memory.grasp.pace } else { 1.0 };
        let least = if together { 0.0 } else { LEFT_TO_COME * begin };
        self.row.allowed = (begin - pushed * pace).max(least).max(0.0);
        let way = begin - self.row.allowed;
        let asked = if watched { way } else { 0.0 };
        self.push_out = PushOut { asked, left: asked * (KEPT_FIRST / KEPT) };
        self.overlapped &= way > if together { SLOW } else { SLOW_SWEPT } * pushed;
    }

    /// Its bodies were drawn back, eq. (38c): it carried nothing, and asks for less from where it is now.
    pub(super) fn let_go(&mut self) {
        let (pace, rest) = (self.memory.grasp.pace * SLOWER, self.place.depth.max(0.0));
        self.memory.grasp = Grasp { pace: pace.max(SLOWEST), rest, ..Grasp::default() };
        (self.applied, self.overlapped, self.fastest) = (Applied::default(), false, 0.0);
    }

    /// The dual update, eq. (28), (29); a row that cannot come out is no longer asked to.
    pub(super) fn learn(&mut self, law: &TouchLaw, when: Follow) {
        let watched = self.push_out.asked > 0.0;
        let solved = watched.then(|| self.row.eval_applied(&self.memory.grasp, law, &self.place));
        if watched {
            self.watch(when);
        }
        let followed = self.row.update(&mut self.memory.grasp, law, &self.place);
        // a row that is let go applied what it was solved with
        self.applied = solved.unwrap_or(followed);
        if when == Follow::End {
            self.memory.grasp.settle();
        }
    }

    /// eq. (34a), (34b).
    fn watch(&mut self, when: Follow) {
        let (PushOut { asked, left: before }, pace) = (self.push_out, &mut self.memory.grasp.pace);
        let left = (self.place.depth - self.row.allowed).max(0.0);
        self.push_out.left = left;
        if left > KEPT * before && left > REACHED * asked {
            *pace = (*pace * SLOWER).max(SLOWEST);
            // never deeper than it began
            let allowed = self.place.depth.min(self.row.allowed + asked);
            (self.row.allowed, self.row.row.s, self.row.row.a) = (allowed, 0.0, 1.0);
            self.memory.grasp.rest = allowed;
            self.push_out.asked = 0.0;
        } else if when == Follow::End {
            *pace = (*pace * FASTER).min(1.0);
            self.memory.grasp.rest = f64::INFINITY;
        }
    }
}
