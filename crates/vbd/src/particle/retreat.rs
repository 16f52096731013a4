//! The end of a step that would gain energy: eq. (47), (48) of `docs/theory/vbd.md`.
//!
//! Left out on purpose: components that nothing holds, which would lose momentum, and those with rows.

use coact_math::{Scalar, V3};

use super::columns::convert;
use super::cpu::CpuParticles;

/// Evaluations of the residual in search of an end; each halves what is left at least.
const ROUNDS: usize = 6;
/// First share of the motion that is tried.
const FIRST: f64 = 0.98;
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
    /// Bound of the gain at the present share, and the kinetic energy \[J\].
    gain: f64,
    kinetic: f64,
}

impl Retreat {
    /// Whether the present end is neither a gain nor a needless loss.
    fn is_done(&self) -> bool {
        self.s == 0.0 || (self.gain <= 0.0 && (self.s == 1.0 || self.gain >= -LOSS * self.kinetic))
    }

    /// The next share, from what the present one showed.
    fn advance(&mut self) {
        let now = (self.s, self.gain);
        let before = if self.gain > 0.0 { std::mem::replace(&mut self.high, now) } else { self.high };
        if self.gain <= 0.0 {
            self.low = Some(now);
        }
        let (s, gain) = self.high;
        // a gain a little below zero is aimed at
        let aim = -0.5 * LOSS * self.kinetic;
        self.s = match self.low {
            Some((low, loss)) => s + (low - s) * (gain - aim) / (gain - loss),
            None if before.0 > s && before.1 > gain => {
                (s - (before.0 - s) * (gain - aim) / (before.1 - gain)).clamp(0.5 * s, FIRST * s)
            }
            None => FIRST * s,
        };
    }
}

impl<P: Scalar, R: Scalar> CpuParticles<P, R> {
    /// Ends the step nearer to its begin, in components that could gain energy; whether any did.
    /// The residual must be that of the iterate, and is afterwards.
    pub(super) fn retreat(&mut self) -> bool {
        let mut search = std::mem::take(&mut self.directions.search);
        let mut whole = std::mem::take(&mut self.directions.motion);
        whole.clear();
        whole.extend((0..self.layout.block_count).map(|s| self.columns.motion(s)));
        let may =
            |held: bool, rows: bool| Retreat { s: f64::from(u8::from(held && !rows)), ..Retreat::default() };
        search.clear();
        search.extend(self.directions.free_of_rows().map(|(held, rows)| may(held, rows)));
        let mut moved = false;
        for _ in 0..ROUNDS {
            self.bound_gain(&mut search);
            if search.iter().all(Retreat::is_done) {
                break;
            }
            search.iter_mut().filter(|r| !r.is_done()).for_each(Retreat::advance);
            self.scale_motion(&whole, &search);
            self.read_residual(false);
            moved = true;
        }
        self.bound_gain(&mut search);
        if moved && search.iter().any(|r| r.gain > 0.0 && r.low.is_some()) {
            search.iter_mut().filter(|r| r.gain > 0.0).for_each(|r| r.s = r.low.map_or(r.s, |low| low.0));
            self.scale_motion(&whole, &search);
            self.read_residual(false);
        }
        (self.directions.search, self.directions.motion) = (search, whole);
        moved
    }

    /// eq. (48): what each component could gain at most.
    fn bound_gain(&self, search: &mut [Retreat]) {
        search.iter_mut().for_each(|r| (r.gain, r.kinetic) = (0.0, 0.0));
        for (s, &r) in self.directions.residual().iter().enumerate() {
            let (u, d) = (self.columns.motion(s), self.columns.exact[s]);
            let half = 0.5 * self.columns.inertia_exact[s];
            let of = &mut search[self.directions.component_of(s)];
            of.gain -= convert::<R, f64>(r).dot(u) + half * d.norm_sq();
            of.kinetic += half * u.norm_sq();
        }
    }

    /// Ends each component that searches at its share of its motion.
    fn scale_motion(&mut self, whole: &[V3<f64>], search: &[Retreat]) {
        for (slot, &u) in whole.iter().enumerate() {
            let share = search[self.directions.component_of(slot)].s;
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
        let mut r = Retreat { s: 1.0, gain: gain(1.0), kinetic: 1.0, ..Retreat::default() };
        let mut rounds = 0;
        while !r.is_done() {
            r.advance();
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
