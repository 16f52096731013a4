//! What an interface keeps between two steps, saved and restored to the bit.

use coact_math::{Pose, Spatial};

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
    }
}
