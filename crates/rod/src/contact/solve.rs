//! A Newton step with the contacts of its linear problem solved.
//!
//! Theory: `docs/theory/rod-contact.md` section 3. The rod is taken as linear in the step, contacts as
//! what they are: they open, press, stick and slide within it.

use coact_math::Vec6;

use super::along::Along;
use super::touch::{Rate, Segments, Touch};
use crate::element::Hessian;
use crate::newton::Problem;
use crate::rod::Rod;

/// Steps of the contact problem at most; each one is an elimination.
const PIECES: usize = 40;

/// What a further step of it may gain, over what the first one did: its error in places is the root.
const INNER: f64 = 1e-4;

/// Steps with the whole secant of what slides, and the share of it along the slip that is left out after
/// these: the secant finds what sticks, the tangent brings the rest to its end.
const SECANTS: usize = 4;
const SLACK: f64 = 0.9;

/// Newton steps in which friction follows all the way, and half the way: where it goes to and fro between
/// two states halves bring it to rest. After these it stays, and the next step takes it up.
const AT_ONCE: usize = 8;
const BY_HALVES: usize = 30;

/// Relative way of a contact in a step, over the radius of what is round, from which on the end of a step is
/// looked at again.
const FAR: f64 = 0.2;

impl Rod {
    /// eq. (10): the step with its contacts, and what its first piece gains \[J\], or nothing where the
    /// matrix is singular. `solved`: energy that counts as none.
    pub(crate) fn solve_touching(&mut self, p: &Problem, kind: Hessian, solved: f64) -> Option<f64> {
        let gain = self.solve_pieces(p, kind, solved);
        if gain.is_some() || kind == Hessian::Positive {
            return gain;
        }
        self.solve_pieces(p, Hessian::Positive, solved)
    }

    /// The same with one kind of matrix; nothing where it is not positive.
    fn solve_pieces(&mut self, p: &Problem, kind: Hessian, solved: f64) -> Option<f64> {
        self.touches.iter_mut().for_each(|t| t.ahead = t.here);
        self.step.fill(Vec6::zeros());
        self.rest.copy_from_slice(&self.smooth);
        self.left.copy_from_slice(&self.gradient);
        let mut first = None;
        let mut converged = false;
        for k in 0..PIECES {
            self.slack = if k < SECANTS { 0.0 } else { SLACK };
            self.assemble(p.config.law, p.h, kind);
            if self.system.factor().is_err() || !self.system.is_positive() {
                return None;
            }
            let gain = self.solve_left();
            let first = *first.get_or_insert(gain);
            if !gain.is_finite() || first <= 0.0 {
                break;
            }
            let t = self.go_ahead(gain, gain <= solved);
            if t >= 1.0 && (self.touches_are_as_taken() || self.solve_left() <= solved.max(INNER * first)) {
                converged = true;
                break;
            }
        }
        if converged {
            self.touches.iter_mut().for_each(|t| t.foreseen = t.law.push(&t.ahead));
        }
        first
    }

    /// Δ of eq. (11), and −r·Δ.
    fn solve_left(&mut self) -> f64 {
        for (turn, r) in self.piece.iter_mut().zip(&self.left) {
            *turn = -r;
        }
        self.system.solve(&mut self.piece);
        -self.piece.iter().zip(&self.left).map(|(d, r)| d.dot(r)).sum::<f64>()
    }

    /// eq. (12): goes on by a share of Δ, which gains `gain` by its slope; all of it where that `is_last`.
    fn go_ahead(&mut self, gain: f64, is_last: bool) -> f64 {
        let touches = std::mem::take(&mut self.touches);
        let mut rates = std::mem::take(&mut self.rates);
        rates.clear();
        rates.extend(touches.iter().map(|t| if t.on { t.rate(&self.piece) } else { Rate::default() }));
        self.touches = touches;
        self.rates = rates;
        let t = if is_last { 1.0 } else { self.share_of_piece(gain) };
        let mut touches = std::mem::take(&mut self.touches);
        for (rest, r) in self.rest.iter_mut().zip(&self.left) {
            *rest -= r * t;
        }
        for (touch, rate) in touches.iter_mut().zip(&self.rates).filter(|(touch, _)| touch.on) {
            touch.add_forces(&touch.stiff(rate, self.slack), -t, &mut self.rest);
            touch.ahead = touch.ahead_by(rate, t);
        }
        for (step, d) in self.step.iter_mut().zip(&self.piece) {
            *step += d * t;
        }
        self.left.copy_from_slice(&self.rest);
        for touch in touches.iter().filter(|touch| touch.on) {
            touch.add_forces(&touch.law.push(&touch.ahead), 1.0, &mut self.left);
        }
        self.touches = touches;
        t
    }

    fn share_of_piece(&self, gain: f64) -> f64 {
        let on = || self.touches.iter().zip(&self.rates).filter(|(touch, _)| touch.on);
        let force = |(touch, rate): (&Touch, &Rate)| {
            let push = touch.law.push(&touch.ahead);
            push.normal * rate.depth + push.friction.dot(&rate.slip)
        };
        let stiff = |(touch, rate): (&Touch, &Rate)| {
            let push = touch.stiff(rate, self.slack);
            push.normal * rate.depth + push.friction.dot(&rate.slip)
        };
        let slope = -gain - on().map(force).sum::<f64>();
        let curve = gain - on().map(stiff).sum::<f64>();
        Along { touches: &self.touches, rates: &self.rates, slope, curve }.share()
    }

    /// Whether no contact left the piece that it was taken in, and none slides: then nothing is left.
    fn touches_are_as_taken(&self) -> bool {
        let same = |(touch, rate): (&Touch, &Rate)| {
            let (law, before) = (&touch.law, touch.ahead_by(rate, -1.0));
            law.piece(&before) == law.piece(&touch.ahead) && !law.slides(&touch.ahead)
        };
        self.touches.iter().zip(&self.rates).filter(|(touch, _)| touch.on).all(same)
    }

    /// Adds what contacts put on segments to the gradient of all else.
    pub(crate) fn look_at_contacts(&mut self) {
        self.smooth.copy_from_slice(&self.gradient);
        let mut touches = std::mem::take(&mut self.touches);
        for touch in touches.iter_mut().filter(|t| t.on) {
            touch.look(&self.segments());
        }
        self.touches = touches;
        self.add_contact_forces();
    }

    fn add_contact_forces(&mut self) {
        for touch in self.touches.iter().filter(|t| t.on) {
            touch.add_forces(&touch.law.push(&touch.here), 1.0, &mut self.gradient);
        }
    }

    /// eq. (7): friction follows the normal forces that the last step foresaw.
    pub(crate) fn follow_friction(&mut self) {
        if self.touches.is_empty() {
            return;
        }
        let share = match self.outcome.iterations {
            n if n <= AT_ONCE => 1.0,
            n if n <= BY_HALVES => 0.5,
            _ => 0.0,
        };
        self.touches.iter_mut().for_each(|t| t.take_over(share));
        self.gradient.copy_from_slice(&self.smooth);
        self.add_contact_forces();
    }

    /// eq. (15): what is deep and was no row becomes one; false: there is nothing.
    pub(crate) fn add_missed(&mut self, p: &Problem) -> bool {
        let mut touches = std::mem::take(&mut self.touches);
        let mut missed = false;
        for touch in touches.iter_mut().filter(|t| !t.on) {
            touch.look(&self.segments());
            touch.on = touch.here.depth > 0.0;
            missed |= touch.on;
        }
        self.touches = touches;
        if missed {
            self.tie();
            self.evaluate(p.config.law, p.bases, p.h);
        }
        missed
    }

    /// Whether a contact moved by more than a part of the surface that it runs round: then its plane may
    /// not be that of the end any more.
    pub(crate) fn moved_far(&self) -> bool {
        let s = self.segments();
        self.touches.iter().any(|t| {
            let size = t.contact.margin0.max(t.contact.margin1);
            t.way(&s) > FAR * size
        })
    }

    /// Segments at the iterate.
    pub(crate) fn segments(&self) -> Segments<'_> {
        Segments { at: &self.at, target: &self.target, begin: &self.pose }
    }

    /// Whether contacts of an earlier step are in the graph of the linear system.
    pub(crate) fn is_tied(&self) -> bool {
        let elements = self.elements.iter().filter(|e| e.edge.is_some()).count();
        self.edges.len() > elements
    }

    /// The graph of the linear system: elements, and contacts of two segments.
    pub(crate) fn tie(&mut self) {
        let mut edges = std::mem::take(&mut self.spare);
        edges.clear();
        let element = |e: &crate::element::Element| match e.nodes() {
            [Some(a), Some(b)] => Some((a as u32, b as u32)),
            _ => None,
        };
        edges.extend(self.elements.iter().filter_map(element));
        for touch in &mut self.touches {
            touch.edge = None;
            if let ([Some(a), Some(b)], true) = (touch.nodes(), touch.on) {
                touch.edge = Some(edges.len() as u32);
                edges.push((a as u32, b as u32));
            }
        }
        if edges != self.edges {
            for system in [&mut self.system, &mut self.places] {
                let found = system.set_pattern(self.nodes.len(), &edges, usize::MAX);
                debug_assert!(found, "no bound was set");
            }
            self.grew += 1;
        }
        self.spare = std::mem::replace(&mut self.edges, edges);
    }
}
