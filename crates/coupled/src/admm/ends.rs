//! The endpoints that rows of this step touch, entry by entry, and what each entry says of them.
//!
//! Compact: only what couples is read, written and moved. `docs/theory/admm-coupling.md` eq. (1), (6).

use std::ops::Range;

use coact_math::{Spatial, Vec3};
use coact_model::Forces;
use coact_solver::{Endpoint, EndpointState, Response, StepInput};

use crate::Entries;

/// Response of an endpoint that another one of its entry moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cross {
    /// The one that moves and the one that is pushed.
    pub places: [usize; 2],
    pub response: Response,
}

/// Endpoints, sorted by entry. Arrays without a comment: one value per endpoint.
#[derive(Clone, Debug, Default)]
pub(super) struct Ends {
    /// (entry, endpoint), ascending.
    pub keys: Vec<(usize, Endpoint)>,
    pub set: Vec<Endpoint>,
    /// Centres of mass in body axes.
    pub com: Vec<Vec3>,
    /// Per entry: its endpoints.
    pub of_entry: Vec<Range<usize>>,
    pub begin: Vec<EndpointState>,
    pub end: Vec<EndpointState>,
    pub response: Vec<Response>,
    /// Where in the step a constant force acts, as a share of it: eq. (6).
    pub share: Vec<f64>,
    /// The state at that moment, coasting from the begin.
    pub middle: Vec<EndpointState>,
    /// Wrench of all rows.
    pub force: Vec<Spatial>,
    /// Between different endpoints of one entry.
    pub cross: Vec<Cross>,
}

impl Ends {
    /// Starts a list of endpoints.
    pub fn clear(&mut self) {
        self.keys.clear();
    }

    /// Adds one; any order, repeats allowed.
    pub fn add(&mut self, entry: usize, endpoint: Endpoint) {
        self.keys.push((entry, endpoint));
    }

    /// The place of an endpoint that was added.
    pub fn place(&self, entry: usize, endpoint: Endpoint) -> usize {
        self.keys.binary_search(&(entry, endpoint)).expect("every end of an active row was added")
    }

    /// Ends the list; reads begin states and responses.
    pub fn begin_step(&mut self, entries: &mut Entries, dt: f64) {
        self.keys.sort_unstable();
        self.keys.dedup();
        self.set.clear();
        self.set.extend(self.keys.iter().map(|k| k.1));
        let n = self.set.len();
        self.com.clear();
        self.com.extend(self.keys.iter().map(|(e, x)| x.com(&entries.list[*e].view)));
        self.begin.resize(n, EndpointState::default());
        self.end.resize(n, EndpointState::default());
        self.middle.resize(n, EndpointState::default());
        self.response.resize(n, Response::default());
        self.share.resize(n, 0.0);
        self.force.resize(n, Spatial::zeros());
        self.find_entries(entries.list.len());
        for (entry, places) in entries.list.iter_mut().zip(&self.of_entry).filter(|(_, p)| !p.is_empty()) {
            entry.solver.read_interface(&self.set[places.clone()], &mut self.begin[places.clone()]);
        }
        self.read_responses(entries, dt);
        for i in 0..n {
            self.share[i] = eval_share(&self.response[i], dt);
            self.middle[i] = self.begin[i].coasted(&self.com[i], self.share[i] * dt);
        }
    }

    fn find_entries(&mut self, entries: usize) {
        self.of_entry.clear();
        let mut start = 0;
        for e in 0..entries {
            let end = start + self.keys[start..].iter().take_while(|k| k.0 == e).count();
            self.of_entry.push(start..end);
            start = end;
        }
    }

    /// Responses where everything is now, over `dt`.
    pub fn read_responses(&mut self, entries: &mut Entries, dt: f64) {
        for (entry, places) in entries.list.iter_mut().zip(&self.of_entry).filter(|(_, p)| !p.is_empty()) {
            entry.response(&self.set[places.clone()], dt, &mut self.response[places.clone()]);
        }
        self.find_cross(entries, dt);
    }

    fn find_cross(&mut self, entries: &mut Entries, dt: f64) {
        self.cross.clear();
        for (entry, places) in entries.list.iter_mut().zip(&self.of_entry) {
            if !entry.capabilities.impulses {
                continue;
            }
            for a in places.clone() {
                for b in places.clone().filter(|&b| b != a) {
                    if let Some(response) = entry.cross_response(&self.set[a], &self.set[b], dt) {
                        self.cross.push(Cross { places: [a, b], response });
                    }
                }
            }
        }
    }

    /// Reads where the endpoints of an entry are now, as the end of the step.
    pub fn read_end(&mut self, entries: &mut Entries, entry: usize) {
        let places = self.of_entry[entry].clone();
        entries.list[entry].solver.read_interface(&self.set[places.clone()], &mut self.end[places]);
    }

    /// The rows' wrenches beside the user's, in the forces of an entry.
    pub fn apply_forces(&self, entries: &mut Entries, entry: usize, input: &StepInput) {
        let own: &mut Forces = &mut entries.list[entry].forces;
        for i in self.of_entry[entry].clone() {
            match self.set[i] {
                Endpoint::Body(b) => own.body_f[b.index()] = input.forces.body_f[b.index()] + self.force[i],
                Endpoint::Particle(p) => {
                    own.particle_f[p.index()] = input.forces.particle_f[p.index()] + self.force[i].lin;
                }
            }
        }
    }
}

/// Eq. (6): X = (1 − s) dt V in the mean over all directions; the begin of the step for what does not move.
fn eval_share(r: &Response, dt: f64) -> f64 {
    let (pose, velocity) = (r.pose.trace(), r.velocity.trace());
    if velocity > 0.0 { (1.0 - pose / (dt * velocity)).clamp(0.0, 1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use coact_math::Mat6;

    use super::*;

    #[test]
    fn a_force_acts_where_its_response_says() {
        let dt = 0.1;
        let of =
            |x: f64| Response { pose: Mat6::identity() * (x * dt * dt), velocity: Mat6::identity() * dt };
        assert_eq!(eval_share(&of(1.0), dt), 0.0);
        assert!((eval_share(&of(0.5), dt) - 0.5).abs() < 1e-15);
        // four substeps of a semi-implicit step: (n + 1)/(2 n)
        assert!((eval_share(&of(0.625), dt) - 0.375).abs() < 1e-15);
        assert_eq!(eval_share(&Response::default(), dt), 0.0);
    }
}
