//! What an interface keeps between two steps, saved and restored to the bit.

use coact_math::{Pose, Spatial};
use coact_solver::Snapshot;

use super::collision::SavedContacts;
use super::interface::Interface;
use super::passivity::Ledger;

/// The memory of an interface.
#[derive(Default)]
pub(super) struct Memory {
    force: Vec<Spatial>,
    ledger: Vec<Ledger>,
    /// Where each proxy ended.
    proxy_end: Vec<Pose>,
    /// Coordinates of proxy joints.
    angles: Vec<f64>,
    contacts: Vec<SavedContacts>,
    /// What accelerations have seen, by stage.
    accelerations: Vec<Snapshot>,
}

impl Interface {
    pub(super) fn save_into(&self, to: &mut Memory) {
        to.force.clone_from(&self.force);
        to.ledger.clone_from(&self.ledger);
        to.proxy_end.clear();
        to.proxy_end.extend(self.last_end.iter().copied());
        to.angles.clear();
        self.destinations.iter().for_each(|d| d.joints.save(&mut to.angles));
        let contacts = self.destinations.iter().filter_map(|d| d.contacts.as_ref());
        to.contacts.resize_with(contacts.clone().count(), SavedContacts::default);
        contacts.zip(&mut to.contacts).for_each(|(c, saved)| c.save(saved));
        let stages = || self.islands.iter().flat_map(|i| &i.stages);
        to.accelerations.resize_with(stages().count(), Snapshot::default);
        stages().zip(&mut to.accelerations).for_each(|(s, saved)| s.acceleration.save_into(saved));
    }

    pub(super) fn restore(&mut self, from: &Memory) {
        self.force.clone_from(&from.force);
        self.ledger.clone_from(&from.ledger);
        self.last_end.clone_from(&from.proxy_end);
        let mut angles = &from.angles[..];
        for d in &mut self.destinations {
            angles = d.joints.restore(angles);
        }
        let contacts = self.destinations.iter_mut().filter_map(|d| d.contacts.as_mut());
        contacts.zip(&from.contacts).for_each(|(c, saved)| c.restore(saved));
        let stages = self.islands.iter_mut().flat_map(|i| &mut i.stages);
        stages.zip(&from.accelerations).for_each(|(s, saved)| s.acceleration.restore(saved));
    }
}
