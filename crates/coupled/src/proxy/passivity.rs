//! Feedback that comes a step late may not feed energy: a ledger per row, and the share of
//! the force that it allows. `docs/theory/proxy-coupling.md` section 6, eq. (17)–(21).
//!
//! A force found in one step and applied in the next is a spring with a delay: while it is
//! compressed the source pays too little, while it opens the source gets too much. The
//! ledger E of a row adds up what the interface made,
//!   E ← E + F_applied · Δx_source − F' · Δx_proxy,
//! with Δx_proxy from one proxy end to the next, so that both sums cover the same way. The
//! work that θF would do is known before the source steps, from where it would come to
//! without it, d₀ = dt v + dt² g, and its mobility M⁻¹:
//!   W(θ) = θ a + θ² b,   a = F·d₀,   b = dt² F·M⁻¹F.
//! θ = 1 where W(1) is no more than what the row has lost so far, −E; else the largest θ
//! that is, or that which leaves the source σ times the fastest speed at which it came in,
//! whichever is more. The first keeps the books, the second keeps what owes energy from
//! being stuck, and gives back σ² of the energy of the impact at most.

use coact_math::Spatial;
use coact_solver::MassBlock;

/// σ: speed that is given back while energy is owed. Larger throws, smaller creeps out of
/// what is compressed for longer.
const RESTITUTION: f64 = 0.1;

/// Work that differs by less than this part of it is the same work.
const ROUNDING: f64 = 1e-9;

/// What one row made so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Ledger {
    /// E \[J\]; positive is owed.
    pub energy: f64,
    /// w: fastest speed against the force in this contact, as the root of twice an energy \[√J\].
    pub inward: f64,
    /// 1 − θ of the last source step.
    pub withheld: f64,
}

/// A force on a source that is about to step.
#[derive(Clone, Copy)]
pub(super) struct LateForce {
    pub force: Spatial,
    /// M⁻¹F.
    pub answer: Spatial,
    /// Velocity at the begin.
    pub velocity: Spatial,
    /// Displacement without the force.
    pub free: Spatial,
    pub dt: f64,
}

impl LateForce {
    /// From the force on an endpoint of `mass` at orientation `q`.
    pub fn new(
        force: Spatial,
        mass: &MassBlock,
        q: &coact_math::Quat,
        velocity: Spatial,
        gravity: Spatial,
        dt: f64,
    ) -> Self {
        let free = velocity * dt + gravity * (dt * dt);
        Self { force, answer: mass.acceleration(q, &force), velocity, free, dt }
    }
}

impl Ledger {
    /// eq. (18)–(21): the share θ of a late force that the source gets.
    pub fn eval_share(&mut self, late: &LateForce) -> f64 {
        let size = late.force.dot(&late.answer).max(0.0).sqrt();
        self.withheld = 0.0;
        if size == 0.0 {
            return 1.0;
        }
        self.inward = self.inward.max(-late.force.dot(&late.velocity) / size);
        let (a, root_b) = (late.force.dot(&late.free), late.dt * size);
        let b = root_b * root_b;
        let allowed = (-self.energy).max(0.0);
        if a + b <= allowed + ROUNDING * (a.abs() + b) {
            return 1.0;
        }
        let by_energy = (-a + (a * a + 4.0 * b * allowed).sqrt()) / (2.0 * b);
        let by_speed = (RESTITUTION * self.inward * root_b - a) / b;
        let share = by_energy.max(by_speed).clamp(0.0, 1.0);
        self.withheld = 1.0 - share;
        share
    }

    /// eq. (17): the work of a step on both sides.
    pub fn add(&mut self, on_source: f64, by_proxy: f64, touches: bool) {
        let made = on_source + by_proxy;
        if made.is_finite() {
            self.energy += made;
        }
        if !touches {
            // what was lost in a contact that has opened is no credit for the next one
            self.energy = self.energy.max(0.0);
            self.inward = 0.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use coact_math::{Mat3, Quat, Vec3};

    use super::*;

    fn late(f: f64, v: f64, dt: f64) -> LateForce {
        let up = |x: f64| Spatial::new(Vec3::z() * x, Vec3::zeros());
        let mass = MassBlock { mass: 2.0, inertia: Mat3::identity() };
        LateForce::new(up(f), &mass, &Quat::identity(), up(v), Spatial::zeros(), dt)
    }

    #[test]
    fn what_stops_the_source_is_never_held_back_and_what_throws_it_is() {
        let (mut ledger, dt) = (Ledger::default(), 0.01);
        // 2 kg at −1 m/s: 200 N stop it within the step, 100 N do half of it
        for f in [1.0, 100.0, 200.0] {
            assert_eq!(ledger.eval_share(&late(f, -1.0, dt)), 1.0, "{f}");
        }
        // without credit 1000 N may turn it to σ of its speed, and no more
        let share = ledger.eval_share(&late(1000.0, -1.0, dt));
        let end = -1.0 + share * 1000.0 * dt / 2.0;
        assert!((end - RESTITUTION).abs() < 1e-12, "{end}");
        assert!((ledger.withheld - (1.0 - share)).abs() < 1e-15);
    }

    #[test]
    fn credit_is_given_back_to_the_last_joule() {
        let mut ledger = Ledger { energy: -0.3, ..Ledger::default() };
        let push = late(500.0, 0.2, 0.01);
        let share = ledger.eval_share(&push);
        let work = share * push.force.dot(&(push.free + push.answer * (share * push.dt * push.dt)));
        assert!((work - 0.3).abs() < 1e-12 && share < 1.0, "{work} {share}");
        ledger.energy = -100.0;
        assert_eq!(ledger.eval_share(&push), 1.0);
    }

    #[test]
    fn credit_ends_with_the_contact_and_debt_does_not() {
        let mut ledger = Ledger { inward: 1.0, ..Ledger::default() };
        ledger.add(-2.0, 1.5, true);
        assert_eq!((ledger.energy, ledger.inward), (-0.5, 1.0));
        ledger.add(0.0, 0.0, false);
        assert_eq!((ledger.energy, ledger.inward), (0.0, 0.0));
        ledger.add(-1.0, 1.5, true);
        ledger.add(0.0, 0.0, false);
        assert_eq!(ledger.energy, 0.5);
    }
}
