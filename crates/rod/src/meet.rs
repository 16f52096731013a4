//! Who meets whom in a step: contacts are found, islands made of them, and contacts handed to these.
//!
//! Theory: `docs/theory/rod-contact.md` section 4.

use coact_model::BodyId;
use coact_solver::{StepInput, StepReport};

use crate::contact::{Maker, Scene};
use crate::layout::Role;
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
        let mut made = std::mem::take(&mut self.made);
        let maker = self.maker(h);
        made.clear();
        for (i, contact) in self.touching.found.iter().enumerate() {
            let Some(place) = self.islands.place_of(contact, &self.layout) else { continue };
            let offset = |rod: usize| self.islands.place[rod].map_or(0, |(_, offset)| offset);
            made.push((place, maker.make(contact, self.touching.remembered(i), offset)));
        }
        for rod in self.islands.wholes(&mut self.rods) {
            rod.grew = 0;
            rod.touches.clear();
        }
        for (place, touch) in &made {
            self.islands.whole(*place, &mut self.rods).touches.push(touch.clone());
        }
        self.made = made;
    }

    fn maker(&self, h: f64) -> Maker<'_> {
        Maker {
            view: &self.view,
            layout: &self.layout,
            rods: &self.rods,
            masses: &self.masses,
            bases: [&self.base_q, &self.base_end],
            base_qd: &self.base_qd,
            h,
        }
    }

    /// Where the rod of a segment is solved.
    fn place_of_body(&self, b: BodyId) -> Option<usize> {
        let Role::Segment(r, _) = self.layout.roles[b.index()] else { return None };
        Some(self.islands.place_of_rod(r as usize))
    }

    /// eq. (16): looks where the solve came to, and adds what overlaps there; false: nothing does. What is
    /// slow against its thickness is not looked at.
    pub(crate) fn meet_again(&mut self, h: f64) -> bool {
        let fast = self.islands.wholes(&mut self.rods).any(|rod| rod.moved_far());
        if !fast {
            return false;
        }
        let (islands, rods, roles, bases) = (&self.islands, &self.rods, &self.layout.roles, &self.base_end);
        self.touching.detect_overlaps(&self.layout, |b| match roles[b.index()] {
            Role::Segment(r, n) => islands.end_pose(rods, r, n),
            Role::Base(k) => bases[k as usize],
        });
        let maker = self.maker(h);
        let mut late = Vec::new();
        for c in &self.touching.again {
            let places = [c.body0, c.body1].map(|b| b.and_then(|b| self.place_of_body(b)));
            // two islands that nothing brought near each other stay apart for this step
            let (Some(place), true) = (places[0].or(places[1]), is_one(places)) else { continue };
            let known = &self.made;
            // what began deep comes out in its own time
            if known.iter().any(|(_, t)| t.contact.shapes() == c.shapes() && t.began_deep()) {
                continue;
            }
            let offset = |rod: usize| self.islands.place[rod].map_or(0, |(_, offset)| offset);
            late.push((place, maker.make_late(c, offset)));
        }
        let any = !late.is_empty();
        for (place, touch) in late {
            let rod = self.islands.whole(place, &mut self.rods);
            rod.touches.push(touch);
            rod.again = true;
        }
        any
    }

    /// Remembers what presses at the end of the step.
    pub(crate) fn remember(&mut self, report: &mut StepReport) {
        let Self { rods, islands, touching, .. } = self;
        touching.remember(islands.wholes(rods).map(|r| &*r), report);
        report.growth += islands.wholes(rods).map(|r| r.grew).sum::<usize>();
    }
}

/// Whether all that moves is solved in one place.
fn is_one(places: [Option<usize>; 2]) -> bool {
    matches!(places, [Some(a), Some(b)] if a == b) || places.contains(&None)
}
