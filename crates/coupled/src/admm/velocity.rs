//! Velocities at the end of a step: `docs/theory/admm-coupling.md` eq. (11), (12).
//!
//! Rows hold positions; what that leaves of their rates is taken out by impulses where all ends take
//! some, without a solve of any entry. The next step's multipliers are less by them.

use coact_math::Spatial;
use coact_solver::{Endpoint, EndpointState};

use super::AdmmExchange;
use super::ends::Ends;
use super::mobility::{Mobility, Of};
use super::project::{Bound, Projection};
use super::rows::{Measure, Measured, Row, sum_forces};
use crate::Entries;

/// Looks at velocities at most: the first solve is exact where responses are.
const ROUNDS: usize = 3;
/// Share of the step over which the response to an impulse is asked for.
const INSTANT: f64 = 1e-6;

/// Memory of the velocity stage.
#[derive(Clone, Debug, Default)]
pub(super) struct VelocityStage {
    rows: Vec<Row>,
    /// Their places among all rows.
    of: Vec<usize>,
    mobility: Mobility,
    rates: Vec<f64>,
    bounds: Vec<Bound>,
    projection: Projection,
    impulse: Vec<f64>,
}

impl AdmmExchange {
    /// Takes out the rates of hard rows between ends that take impulses.
    pub(super) fn correct_velocities(&mut self, entries: &mut Entries, dt: f64) {
        let mut stage = std::mem::take(&mut self.velocity);
        stage.find(self, entries, dt);
        if !stage.rows.is_empty() {
            stage.assemble(self, entries, dt);
            for _ in 0..ROUNDS {
                let rest = stage.eval_rates(&self.ends);
                if rest * dt <= stage.rows.iter().fold(f64::INFINITY, |t, r| t.min(r.tolerance)) {
                    break;
                }
                stage.solve();
                stage.apply(self, entries);
            }
        }
        self.velocity = stage;
    }
}

impl VelocityStage {
    /// Hard rows that hold both ways, and contacts that press; what presses may press less, not pull.
    fn find(&mut self, x: &AdmmExchange, entries: &Entries, dt: f64) {
        self.rows.clear();
        self.of.clear();
        self.bounds.clear();
        for (i, row) in x.rows.iter().enumerate() {
            let takes = |p: &usize| entries.list[x.ends.keys[*p].0].capabilities.impulses;
            let bound = match (row.measure, row.bound) {
                (Measure::Depth { .. }, _) if x.lambda[i] > 0.0 => {
                    Bound::Range(-x.lambda[i] * dt, f64::INFINITY)
                }
                (Measure::Link { .. }, Bound::Free) if row.compliance == 0.0 => Bound::Free,
                _ => continue,
            };
            if row.places.iter().all(takes) {
                self.rows.push(*row);
                self.of.push(i);
                self.bounds.push(bound);
            }
        }
    }

    /// Directions and mobility where the step ended.
    fn assemble(&mut self, x: &mut AdmmExchange, entries: &mut Entries, dt: f64) {
        x.ends.read_responses(entries, dt * INSTANT);
        let contacts = x.detection.as_ref().map_or(&[][..], |d| &d.contacts);
        let measured = Measured { links: &x.links, contacts, ends: &x.ends };
        for row in &mut self.rows {
            row.place(measured, &x.ends.end);
        }
        self.mobility.assemble(&self.rows, &x.ends, Of::Velocity);
        self.mobility.scale(1.0 / (dt * INSTANT));
        self.mobility.factor(|_| 0.0, 0.0);
        self.projection.prepare(self.mobility.matrix(), &self.bounds);
        self.impulse.clear();
        self.impulse.resize(self.rows.len(), 0.0);
    }

    /// J v of all rows, less what it should be, into `rates`; the largest that an impulse may change.
    fn eval_rates(&mut self, ends: &Ends) -> f64 {
        self.rates.clear();
        let velocity = |p: usize| &ends.end[p].velocity;
        self.rates.extend(self.rows.iter().map(|r| r.rate(r.places.map(velocity)) - r.rate));
        self.rates.iter().fold(0.0, |m, r| if r.is_nan() { *r } else { f64::max(m, r.abs()) })
    }

    /// Impulses for these rates, into `rates`, within what was given so far.
    fn solve(&mut self) {
        self.impulse.fill(0.0);
        self.projection.solve(self.mobility.matrix(), &self.rates, &self.bounds, &mut self.impulse);
        self.rates.copy_from_slice(&self.impulse);
        for (bound, p) in self.bounds.iter_mut().zip(&self.impulse) {
            if let Bound::Range(least, _) = bound {
                *least -= p;
            }
        }
    }

    /// Gives the ends the impulses in `rates`, and reads what they did.
    fn apply(&mut self, x: &mut AdmmExchange, entries: &mut Entries) {
        if !self.rates.iter().all(|p| p.is_finite()) {
            return;
        }
        sum_forces(&self.rows, &self.rates, &mut x.ends.force);
        for e in 0..entries.list.len() {
            let places = x.ends.of_entry[e].clone();
            let (set, force): (&[Endpoint], &[Spatial]) =
                (&x.ends.set[places.clone()], &x.ends.force[places.clone()]);
            let pushed = force.iter().any(|f| *f != Spatial::zeros());
            if pushed && entries.list[e].capabilities.impulses {
                entries.list[e].solver.apply_impulses(set, force);
                let end: &mut [EndpointState] = &mut x.ends.end[places];
                entries.list[e].solver.read_interface(set, end);
            }
        }
        self.of.iter().zip(&self.rates).for_each(|(&i, p)| x.impulse[i] += p);
    }
}
