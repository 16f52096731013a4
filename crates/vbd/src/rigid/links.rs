//! Which connections a cluster has, and where their ends are in it.

use super::cluster::{Cluster, Link, Outer};
use super::edges::EdgeCounts;

/// Connections of a cluster; until all are known, their ends are bodies by number.
impl Cluster {
    /// Finds the pattern of what couples its bodies; false where that takes more than `most` products
    /// per body.
    pub(super) fn connect(&mut self, couplings: Vec<(u32, u32)>, most: [usize; 2]) -> bool {
        let (n, known) = (self.bodies.len(), self.system.len() == self.bodies.len());
        let most = most[0].saturating_mul(n).max(most[1]);
        if known && self.couplings == couplings {
            return self.system.work() <= most;
        }
        self.couplings = couplings;
        self.system.set_pattern(n, &self.couplings, most)
    }

    pub(super) fn unlink(&mut self) {
        self.links.clear();
        self.outer.clear();
        self.beyond.clear();
        self.counts = EdgeCounts::default();
    }

    pub(super) fn own(&mut self, part: usize, ends: [u32; 2]) {
        *[&mut self.counts.joints, &mut self.counts.pairs][part] += 1;
        self.links.push(Link { ends, coupling: None });
    }

    pub(super) fn reach(&mut self, outer: Outer, ends: [u32; 2]) {
        self.outer.push((outer, Link { ends, coupling: None }));
    }

    /// Ends become places in the cluster.
    pub(super) fn resolve(&mut self) {
        let own = &self.bodies;
        let ends = self.links.iter().chain(self.outer.iter().map(|(_, l)| l)).flat_map(|l| l.ends);
        self.beyond.extend(ends.filter(|b| own.binary_search(b).is_err()));
        self.beyond.sort_unstable();
        self.beyond.dedup();
        let place = |b: u32| match own.binary_search(&b) {
            Ok(i) => i as u32,
            Err(_) => (own.len() + self.beyond.binary_search(&b).unwrap_or(0)) as u32,
        };
        let mut couplings = 0;
        for l in self.links.iter_mut().chain(self.outer.iter_mut().map(|(_, l)| l)) {
            l.ends = l.ends.map(place);
            if l.ends.iter().all(|&i| (i as usize) < own.len()) {
                l.coupling = Some(couplings);
                couplings += 1;
            }
        }
    }
}
