//! A coupler as an entry of another coupler: hooks go to the entry that owns the endpoint,
//! capabilities are what holds for all entries.
//!
//! A coupler can be a source, not a destination: which of its entries should see a
//! foreign proxy is not decided by ownership.

use std::ops::Range;

use coact_solver::{CouplingCapabilities, Endpoint, Response};

use crate::{Entries, Entry};

impl Entries {
    /// Calls `f` for every run of rows that one entry owns. Endpoints without an owner
    /// are skipped: a coupler is asked only for what its entries own.
    pub(crate) fn for_owners(&mut self, set: &[Endpoint], mut f: impl FnMut(&mut Entry, Range<usize>)) {
        let mut start = 0;
        while start < set.len() {
            let owner = self.owners.of(&set[start]);
            let same = |e: &&Endpoint| self.owners.of(e) == owner;
            let end = start + set[start..].iter().take_while(same).count();
            if let Some(owner) = owner {
                f(&mut self.list[owner], start..end);
            }
            start = end;
        }
    }

    /// What every entry can do (roles only of entries that own such endpoints).
    pub(crate) fn common_capabilities(&self) -> CouplingCapabilities {
        let all = |f: &dyn Fn(&Entry) -> bool| self.list.iter().all(f);
        CouplingCapabilities {
            body_source: all(&|e| e.view.ownership().bodies.is_empty() || e.capabilities.body_source),
            particle_source: all(&|e| {
                e.view.ownership().particles.is_empty() || e.capabilities.particle_source
            }),
            effective_mass: all(&|e| e.capabilities.effective_mass),
            response: all(&|e| e.capabilities.response),
            impulses: all(&|e| e.capabilities.impulses),
            rewind: all(&|e| e.capabilities.rewind),
            ..CouplingCapabilities::default()
        }
    }
}

impl Entry {
    /// Response of the entry in its n substeps of h to a constant force: each substep adds
    /// (X, V) of its own, and the velocity of the earlier ones moves on,
    /// V_n = n V, X_n = n X + n(n−1)/2 h V.
    pub(crate) fn response(&mut self, set: &[Endpoint], dt: f64, out: &mut [Response]) {
        let n = self.substeps as f64;
        let h = dt / n;
        self.solver.response(set, h, out);
        out.iter_mut().for_each(|r| *r = over_substeps(r, n, h));
    }

    /// The same of a wrench on another endpoint.
    pub(crate) fn cross_response(&mut self, a: &Endpoint, b: &Endpoint, dt: f64) -> Option<Response> {
        let n = self.substeps as f64;
        let h = dt / n;
        self.solver.cross_response(a, b, h).map(|r| over_substeps(&r, n, h))
    }
}

fn over_substeps(r: &Response, n: f64, h: f64) -> Response {
    Response { pose: r.pose * n + r.velocity * (0.5 * n * (n - 1.0) * h), velocity: r.velocity * n }
}
