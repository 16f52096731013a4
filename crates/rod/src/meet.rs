//! Who meets whom in a step: contacts are found, islands made of them, and contacts handed to these.
//!
//! Theory: `docs/theory/rod-contact.md` section 4.

use coact_solver::{StepInput, StepReport};

use crate::contact::{Maker, Scene};
use crate::rod::Rod;
use crate::solver::SolverRod;

impl SolverRod {
    pub(crate) fn meet(&mut self, input: &StepInput, h: f64, report: &mut StepReport) {
        let bases = [&self.base_q[..], &self.base_end[..]];
        let scene = Scene { layout: &self.layout, rods: &self.rods, bases, h };
        let given = input.contacts.map(|c| &c.shapes[..]);
        report.growth += usize::from(self.touching.detect(&scene, given));
        report.growth += usize::from(self.islands.update(&self.touching.found, &self.layout, &self.rods));
        self.hand_out(h);
    }

    /// Makes the contacts of the step and gives each to what it is solved with.
    fn hand_out(&mut self, h: f64) {
        self.masses.clear();
        self.masses.extend(self.rods.iter().map(|r| r.nodes.iter().map(|n| n.mass).sum::<f64>()));
        let mut lists: Vec<_> = self.islands.wholes(&mut self.rods).map(take_touches).collect();
        let maker = Maker {
            view: &self.view,
            layout: &self.layout,
            rods: &self.rods,
            masses: &self.masses,
            bases: [&self.base_q, &self.base_end],
            base_qd: &self.base_qd,
            h,
        };
        for (i, contact) in self.touching.found.iter().enumerate() {
            let Some(list) = self.islands.list_of(contact, &self.layout) else { continue };
            let offset = |rod: usize| self.islands.place[rod].map_or(0, |(_, offset)| offset);
            lists[list].push(maker.make(contact, self.touching.remembered(i), offset));
        }
        for (rod, list) in self.islands.wholes(&mut self.rods).zip(lists) {
            rod.touches = list;
        }
    }

    /// Remembers what presses at the end of the step.
    pub(crate) fn remember(&mut self, report: &mut StepReport) {
        let Self { rods, islands, touching, .. } = self;
        touching.remember(islands.wholes(rods).map(|r| &*r), report);
        report.growth += islands.wholes(rods).map(|r| r.grew).sum::<usize>();
    }
}

/// The emptied list of a rod, for its memory.
fn take_touches(rod: &mut Rod) -> Vec<crate::contact::Touch> {
    rod.grew = 0;
    let mut list = std::mem::take(&mut rod.touches);
    list.clear();
    list
}
