//! The end of a step that would gain energy: eq. (47), (48), (48a) of `docs/theory/vbd.md`.
//!
//! Left out on purpose: components that nothing immovable holds, which would lose momentum, and those with
//! pairs of self-contact that press.

use std::ops::{AddAssign, Range};

use coact_collide::Mobility;
use coact_math::{Scalar, V3};

use super::columns::convert;
use super::cpu::CpuParticles;

/// Trials in search of an end.
const ROUNDS: usize = 12;
/// Trials near the end of the step, before one between that and its begin.
const NEAR: usize = 6;
/// First share of the motion that is tried.
const FIRST: f64 = 0.98;
/// Mean of h² k/m from which on what is compressed buckles within a step, and (48) is no bound: the gain
/// is measured at every step.
const BUCKLES: f64 = 1e4;
/// Blocks above which that takes too long: energies cost as much as several sweeps.
const MEASURED: usize = 1 << 16;
/// Share of the kinetic energy that the search may give away.
const LOSS: f64 = 1e-4;

/// The search of one component: shares s of the motion, and what the energy could gain there.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Retreat {
    /// The present share; 0 = no search.
    s: f64,
    /// The least share that may gain.
    high: (f64, f64),
    /// The largest that cannot.
    low: Option<(f64, f64)>,
    /// The gain at the present share, or its bound, and the kinetic energy \[J\].
    gain: f64,
    kinetic: f64,
    /// Kinetic energy at the begin of the step \[J\].
    begin: f64,
    /// Whether its gain is bounded by (48), and not measured.
    bounded: bool,
}

impl Retreat {
    /// Whether the present end is neither a gain nor a needless loss.
    fn is_done(&self) -> bool {
        self.s == 0.0 || (self.gain <= 0.0 && (self.s == 1.0 || self.gain >= -LOSS * self.kinetic))
    }

    /// The next share, from what the present one showed; `far`: the begin of the step, where nothing is
    /// gained, counts as a trial.
    fn advance(&mut self, far: bool) {
        let now = (self.s, self.gain);
        let before = if self.gain > 0.0 { std::mem::replace(&mut self.high, now) } else { self.high };
        if self.gain <= 0.0 {
            self.low = Some(now);
        } else if far && self.low.is_none() {
            self.low = Some((0.0, -self.begin));
        }
        let (s, gain) = self.high;
        // a gain a little below zero is aimed at
        let aim = -0.5 * LOSS * self.kinetic;
        self.s = match self.low {
            // not beyond the middle: the gain is steepest near the end
            Some((low, loss)) => (s + (low - s) * (gain - aim) / (gain - loss)).max(0.5 * (low + s)),
            None if before.0 > s && before.1 > gain => {
                (s - (before.0 - s) * (gain - aim) / (before.1 - gain)).clamp(0.5 * s, FIRST * s)
            }
            None => FIRST * s,
        };
    }
}

/// What a component gains, at most or exactly, and its kinetic energy \[J\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gain {
    gain: f64,
    kinetic: f64,
    /// At the begin of the step, or what stands for it in the bound.
    begin: f64,
}

impl AddAssign for Gain {
    fn add_assign(&mut self, o: Self) {
        (self.gain, self.kinetic) = (self.gain + o.gain, self.kinetic + o.kinetic);
        self.begin += o.begin;
    }
}

impl<P: Scalar, R: Scalar> CpuParticles<P, R> {
    /// Ends the step nearer to its begin, in components that would gain energy.
    /// The residual must be that of the iterate without rows, and is afterwards.
    pub(super) fn retreat(&mut self) {
        let mut search = std::mem::take(&mut self.directions.search);
        let share = |c: usize| f64::from(u8::from(self.directions.is_bounded(c)));
        search.clear();
        search.extend(
            (0..self.directions.parts.count()).map(|c| Retreat { s: share(c), ..Retreat::default() }),
        );
        self.choose_measure(&mut search);
        self.measure(&mut search);
        if !search.iter().all(Retreat::is_done) {
            self.search_ends(&mut search);
        }
        self.directions.search = search;
    }

    /// Where what is compressed buckles, or rows act, the gain is measured.
    fn choose_measure(&self, search: &mut [Retreat]) {
        let few = self.layout.block_count <= MEASURED;
        let buckles = self.stiffness * self.h * self.h > BUCKLES;
        let rows = |c: usize| self.directions.has_rows(c);
        search.iter_mut().enumerate().for_each(|(c, r)| r.bounded = !few || !(buckles || rows(c)));
        if search.iter().any(|r| !r.bounded) {
            self.mark_driven(search);
        }
        // (48) knows of no rows
        search.iter_mut().enumerate().filter(|(c, r)| r.bounded && rows(*c)).for_each(|(_, r)| r.s = 0.0);
    }

    /// Components whose energy is not theirs alone cannot be measured: something in them moves by
    /// prescription or stands in for others.
    fn mark_driven(&self, search: &mut [Retreat]) {
        for (slot, m) in self.columns.mobility.iter().enumerate() {
            let moved = !self.columns.moves(slot) && self.columns.dy[slot] != V3::zero();
            search[self.directions.parts.of(slot)].bounded |= moved || *m == Mobility::Proxy;
        }
    }

    /// Searches ends from the present one, whose gains are known.
    fn search_ends(&mut self, search: &mut [Retreat]) {
        let mut whole = std::mem::take(&mut self.before);
        whole.iter_mut().enumerate().for_each(|(s, u)| *u = self.columns.motion(s));
        for round in 0..ROUNDS {
            search.iter_mut().filter(|r| !r.is_done()).for_each(|r| r.advance(round >= NEAR));
            self.scale_motion(&whole, search);
            if search.iter().any(|r| r.bounded) {
                self.eval_smooth();
            }
            self.measure(search);
            if search.iter().all(Retreat::is_done) {
                break;
            }
        }
        if search.iter().any(|r| r.gain > 0.0 && r.low.is_some()) {
            search.iter_mut().filter(|r| r.gain > 0.0).for_each(|r| r.s = r.low.map_or(r.s, |low| low.0));
            self.scale_motion(&whole, search);
        }
        self.eval_smooth();
        self.before = whole;
    }

    /// What each component that searches gains at the iterate, at most or exactly.
    fn measure(&mut self, search: &mut [Retreat]) {
        let spread = self.is_spread(&(0..self.layout.block_count));
        let [mut partial, mut totals] = std::mem::take(&mut self.directions.gains);
        let (of, asked) = (&self.directions.parts, &*search);
        let eval = |run: Range<usize>| match asked[of.of(run.start)].bounded {
            true => self.bound_gain(run),
            false => self.gain(run),
        };
        of.sum((&mut partial, &mut totals), spread, |c| asked[c].s > 0.0, eval);
        for (r, of) in search.iter_mut().zip(&totals) {
            (r.gain, r.kinetic, r.begin) = (of.gain, of.kinetic, of.begin);
        }
        self.directions.gains = [partial, totals];
    }

    /// eq. (48): what a run of blocks adds to the largest gain.
    fn bound_gain(&self, run: Range<usize>) -> Gain {
        let mut sum = Gain::default();
        for s in run {
            let (u, d) = (self.columns.motion(s), self.columns.exact[s]);
            let half = 0.5 * self.columns.inertia_exact[s];
            sum.gain -= convert::<R, f64>(self.residual[s]).dot(u) + half * d.norm_sq();
            sum.kinetic += half * u.norm_sq();
            sum.begin += half * convert::<P, f64>(self.columns.dy[s]).norm_sq();
        }
        sum
    }

    /// eq. (48a): what it adds to the gain.
    fn gain(&self, run: Range<usize>) -> Gain {
        let (c, h) = (&self.columns, self.h);
        let rows = self.rows_gain(run.clone(), |s| -convert::<P, f64>(c.dy[s]));
        let mut sum = Gain { gain: self.stored_gain(run.clone()) + rows, ..Gain::default() };
        for s in run.filter(|&s| c.moves(s)) {
            let (begin, free) = (convert::<P, f64>(c.v[s]), convert::<P, f64>(c.v_free[s]));
            let (end, half) = (c.motion(s) * (1.0 / h), 0.5 * c.inertia_exact[s] * h * h);
            sum.gain += half * (end.norm_sq() - begin.norm_sq() - 2.0 * (free - begin).dot(end));
            sum.kinetic += half * end.norm_sq();
            sum.begin += half * begin.norm_sq();
        }
        sum
    }

    /// Ends each component that searches at its share of its motion.
    fn scale_motion(&mut self, whole: &[V3<f64>], search: &[Retreat]) {
        for (slot, &u) in whole.iter().enumerate() {
            let share = search[self.directions.parts.of(slot)].s;
            if share > 0.0 && share < 1.0 && self.columns.inertia[slot].cmp_gt(R::zero()) {
                let d = u * share - convert::<P, f64>(self.columns.dy[slot]);
                self.columns.put(slot, d, self.options.velocity);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The gain of a quadratic, which vanishes at 0.9.
    #[test]
    fn a_search_ends_just_below_no_gain() {
        let gain = |s: f64| 40.0 * (s - 0.9) + 30.0 * (s - 0.9) * (s - 0.9);
        let mut r =
            Retreat { s: 1.0, gain: gain(1.0), kinetic: 1.0, begin: -gain(0.0), ..Retreat::default() };
        let mut rounds = 0;
        while !r.is_done() {
            r.advance(rounds >= NEAR);
            r.gain = gain(r.s);
            rounds += 1;
        }
        assert!(rounds <= ROUNDS, "{rounds} rounds");
        assert!(r.s < 0.9 && r.s > 0.9 - LOSS, "{}", r.s);
    }

    #[test]
    fn what_gains_nothing_stays() {
        let r = Retreat { s: 1.0, gain: -3.0, kinetic: 1.0, ..Retreat::default() };
        assert!(r.is_done());
    }
}
