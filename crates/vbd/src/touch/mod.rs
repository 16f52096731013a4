//! Contacts between bodies: rows that press and rub, with memory. Theory:
//! `docs/theory/rigid-rows.md` section 3.
//!
//! Map: `law.rs` is one contact, `metric.rs` its metrics, `begin.rs` makes rows of what was
//! detected and of what is remembered. This file holds the rows of a step, by pair of bodies.

mod begin;
mod law;
mod metric;

use coact_collide::ShapeContact;
use coact_math::Vec3;
use coact_model::ShapeId;

use crate::body::{Bodies, SurfacePoint};
use crate::config::RotationUpdate;
use crate::rigid::{Change, EdgeTerms};
use law::{Grasp, TouchLaw, TouchPlace, TouchRow};

pub use begin::{ContactMemory, TouchInput, TouchSettings};

/// A contact in a step.
#[derive(Clone, Debug)]
pub struct Touch {
    /// As detected.
    contact: ShapeContact,
    /// Bodies; out of range = world.
    bodies: [u32; 2],
    /// Skeleton and surface points from the centres of mass, body axes \[m\].
    points: [[Vec3; 2]; 2],
    /// From skeletons to surfaces at the begin of the step, world frame \[m\].
    offset: [Vec3; 2],
    row: TouchRow,
    grasp: Grasp,
}

/// The contacts of two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The bodies.
    pub bodies: [u32; 2],
    first: u32,
    last: u32,
}

/// What a contact does at the end of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactState {
    /// The shapes.
    pub shapes: [ShapeId; 2],
    /// Where: between the two surface points \[m\].
    pub point: Vec3,
    /// Unit normal, from the first shape to the second.
    pub normal: Vec3,
    /// Force on the second shape: normal and friction, without damping \[N\].
    pub force: Vec3,
    /// Penetration \[m\]; negative: a gap.
    pub depth: f64,
}

/// All contacts of a step, by pair of bodies.
#[derive(Clone, Debug)]
pub struct Touches {
    list: Vec<Touch>,
    pairs: Vec<Pair>,
    law: TouchLaw,
    settings: TouchSettings,
    kept: Vec<ContactMemory>,
    h: f64,
}

impl Touches {
    /// In order of bodies.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// Adds what the contacts of a pair put on its bodies.
    pub fn add(&self, pair: usize, bodies: &Bodies, terms: &mut EdgeTerms) {
        for t in self.of(pair) {
            let at = t.place(bodies, &self.law);
            let push = t.row.eval(&t.grasp, &self.law, &at);
            t.row.add(&push, &self.law, &at, terms);
        }
    }

    /// The dual update of the contacts of a pair; `last`: the step ends, and anchors follow.
    pub fn advance(&mut self, pair: usize, bodies: &Bodies, last: bool) -> Change {
        let (p, law) = (self.pairs[pair], self.law);
        let list = &mut self.list[p.first as usize..p.last as usize];
        let mut change = Change::default();
        for t in list {
            let (at, before) = (t.place(bodies, &law), t.grasp);
            match last {
                true => t.row.commit(&mut t.grasp, &law, &at),
                false => t.row.update(&mut t.grasp, &law, &at),
            };
            let by = (t.grasp.normal - before.normal).abs().max((t.grasp.tangent - before.tangent).norm());
            change = change.and(Change { by, of: t.grasp.normal });
        }
        change
    }

    /// The end of a step without a dual update: anchors follow.
    pub fn rest(&mut self, pair: usize, bodies: &Bodies) {
        let (p, law) = (self.pairs[pair], self.law);
        for t in &mut self.list[p.first as usize..p.last as usize] {
            let at = t.place(bodies, &law);
            t.row.rest(&mut t.grasp, &law, &at);
        }
    }

    /// What every contact does at the end of the last step.
    pub fn states<'a>(&'a self, bodies: &'a Bodies) -> impl Iterator<Item = ContactState> + 'a {
        self.list.iter().map(|t| {
            let at = t.place(bodies, &self.law);
            let depth = t.row.margin - t.row.normal.dot(&(at.skeleton[1].position - at.skeleton[0].position));
            ContactState {
                shapes: [t.contact.shape0, t.contact.shape1],
                point: (at.surface[0].position + at.surface[1].position) * 0.5,
                normal: t.row.normal,
                force: t.row.normal * t.grasp.normal - t.grasp.tangent,
                depth,
            }
        })
    }

    /// How many there are, and how many press.
    pub fn count(&self) -> (usize, usize) {
        (self.list.len(), self.list.iter().filter(|t| t.grasp.normal > 0.0).count())
    }

    fn of(&self, pair: usize) -> &[Touch] {
        let p = self.pairs[pair];
        &self.list[p.first as usize..p.last as usize]
    }
}

impl Touch {
    /// What is round rolls: in the exact law its surface stays along the normal of its skeleton,
    /// in that of the reference it turns with the body.
    fn place(&self, bodies: &Bodies, law: &TouchLaw) -> TouchPlace {
        let from = |s: [SurfacePoint; 2]| [0, 1].map(|i| s[i].position - bodies.centre(self.bodies[i]));
        let skeleton = [0, 1].map(|i| bodies.surface_point(self.bodies[i], &self.points[0][i]));
        let surface = match law.rotation {
            _ if self.points[0] == self.points[1] => skeleton,
            RotationUpdate::Exponential => {
                [0, 1].map(|i| bodies.beside(self.bodies[i], &skeleton[i], &self.offset[i]))
            }
            RotationUpdate::FirstOrder => {
                [0, 1].map(|i| bodies.surface_point(self.bodies[i], &self.points[1][i]))
            }
        };
        TouchPlace { skeleton, surface, arms: [from(skeleton), from(surface)] }
    }
}
