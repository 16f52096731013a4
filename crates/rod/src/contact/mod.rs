//! Contact of rods with shapes, with each other and with themselves.
//!
//! Theory: `docs/theory/rod-contact.md`. Map: `law.rs` is what a contact answers, `touch.rs` one contact
//! of a step, `begin.rs` makes them of what is detected and remembered, `near.rs` says which segments
//! never meet, `solve.rs` and `along.rs` solve the contact problem of a Newton step, `load.rs` tells what
//! contacts carried. This file detects and remembers.

mod along;
mod begin;
mod law;
mod load;
mod near;
mod solve;
#[cfg(test)]
mod tests;
mod touch;

use coact_collide::{ContactMatcher, ShapeContact, ShapePairDetector, ShapePairOptions, UnsupportedShape};
use coact_math::{Pose, Spatial, rotation_between};
use coact_model::{BodyId, ModelView};
use coact_solver::{ContactLoad, StepReport};

pub(crate) use begin::{Maker, Memory};
pub(crate) use touch::{Rate, Touch};

use crate::layout::{Layout, Role};
use crate::rod::Rod;
use near::Near;

/// Steps that are looked ahead for what only passes.
const AHEAD: f64 = 1.5;

/// Depth at the end of a solve that is seen, over the matching distance: a hundredth of the smaller shape.
const OVERLAP: f64 = 0.1;

/// Detection, and what is remembered from step to step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Touching {
    detector: ShapePairDetector,
    matcher: ContactMatcher,
    near: Near,
    /// Contacts of this step.
    pub found: Vec<ShapeContact>,
    /// What pressed in the last step.
    pub kept: Vec<Memory>,
    /// The same as loads.
    pub loads: Vec<ContactLoad>,
    /// What overlaps at the end of a solve.
    pub again: Vec<ShapeContact>,
}

/// Where bodies are and come to.
pub(crate) struct Scene<'a> {
    pub layout: &'a Layout,
    pub rods: &'a [Rod],
    /// Body frames of what is prescribed, at the begin and at the end.
    pub bases: [&'a [Pose]; 2],
    pub h: f64,
}

impl Scene<'_> {
    fn frame(&self, b: BodyId) -> Pose {
        match self.layout.roles[b.index()] {
            Role::Segment(r, n) => self.rods[r as usize].pose[n as usize],
            Role::Base(k) => self.bases[0][k as usize],
        }
    }

    /// How far a point at the distance `far` from the origin of a body may move in the step \[m\]: by
    /// its free motion and by what the last step corrected.
    fn motion(&self, b: BodyId, far: f64) -> f64 {
        let (way, turn, com) = match self.layout.roles[b.index()] {
            Role::Segment(r, n) => {
                let (rod, n) = (&self.rods[r as usize], n as usize);
                let (node, target) = (&rod.nodes[n], &rod.target[n]);
                let corrected = rod.correction[n] * (self.h * self.h);
                let way = (target.com - rod.pose[n].point(&node.com)).norm() + corrected.lin.norm();
                let turn = rotation_between(&rod.pose[n].q, &target.q).norm() + corrected.ang.norm();
                (way, turn, node.com.norm())
            }
            Role::Base(k) => {
                let [begin, end] = self.bases.map(|b| &b[k as usize]);
                ((end.p - begin.p).norm(), rotation_between(&begin.q, &end.q).norm(), 0.0)
            }
        };
        way + turn * (far + com)
    }

    /// The frame that a body comes to, a little beyond the step.
    fn ahead(&self, b: BodyId) -> Pose {
        let (frame, velocity, com) = match self.layout.roles[b.index()] {
            Role::Segment(r, n) => {
                let (rod, n) = (&self.rods[r as usize], n as usize);
                (rod.pose[n], rod.velocity[n], rod.nodes[n].com)
            }
            Role::Base(k) => {
                let [begin, end] = self.bases.map(|b| &b[k as usize]);
                let turn = rotation_between(&begin.q, &end.q);
                let way = Spatial::new(end.p - begin.p, turn) * (1.0 / self.h);
                (*begin, way, coact_math::Vec3::zeros())
            }
        };
        frame.displaced(&com, &(velocity * (AHEAD * self.h)))
    }
}

impl Touching {
    /// The shapes of a view.
    ///
    /// # Errors
    /// A shape that cannot be met.
    pub fn new(view: &ModelView, layout: &Layout, rods: &[Rod]) -> Result<Self, UnsupportedShape> {
        let detector = ShapePairDetector::new(view, ShapePairOptions::default())?;
        Ok(Self { detector, near: Near::build(view, layout, rods), ..Self::default() })
    }

    /// Takes over shapes and what may meet.
    pub fn update(&mut self, view: &ModelView, layout: &Layout, rods: &[Rod]) {
        self.detector.update(view);
        self.near = Near::build(view, layout, rods);
    }

    /// Forgets the contacts of chosen bodies.
    pub fn forget(&mut self, takes: impl Fn(BodyId) -> bool) {
        let is_chosen = |c: &ShapeContact| [c.body0, c.body1].into_iter().flatten().any(&takes);
        self.kept.retain(|k| !is_chosen(&k.contact));
        self.loads.clear();
    }

    /// Finds the contacts of a step, or takes those that are `given`. Answers whether memory grew.
    pub fn detect(&mut self, scene: &Scene, given: Option<&[ShapeContact]>) -> bool {
        let before = self.found.capacity();
        self.found.clear();
        let mut grew = false;
        if let Some(given) = given {
            self.found.extend_from_slice(given);
        } else if !self.detector.is_empty() {
            self.detector.place(|b| scene.frame(b), |b, far| scene.motion(b, far));
            self.detector.aim(|b| scene.ahead(b));
            grew = self.detector.detect(&mut self.found);
        }
        let near = &self.near;
        self.found.retain(|c| near.lets_meet(c, scene.layout));
        let detector = &self.detector;
        self.matcher.find(&self.kept, &self.found, |a, b| detector.matching_distance(a, b));
        grew || self.found.capacity() > before
    }

    /// Finds what overlaps where bodies came to in the solve, by more than a part of the smaller shape.
    pub fn detect_overlaps(&mut self, layout: &Layout, frame: impl Fn(BodyId) -> Pose) {
        self.again.clear();
        self.detector.place(&frame, |_, _| 0.0);
        self.detector.detect(&mut self.again);
        let (near, detector) = (&self.near, &self.detector);
        let at = |b: Option<BodyId>| b.map_or_else(Pose::identity, &frame);
        self.again.retain(|c| {
            let allowed = OVERLAP * detector.matching_distance(c.shape0, c.shape1);
            near.lets_meet(c, layout) && c.gap(&at(c.body0), &at(c.body1)) < -allowed
        });
    }

    /// For a contact of this step, what is remembered of it.
    pub fn remembered(&self, contact: usize) -> Option<&Memory> {
        let k = self.matcher.matches().get(contact).copied().flatten()?;
        self.kept.get(k as usize)
    }

    /// Remembers what presses at the end of the step, and counts it.
    pub fn remember<'a>(&mut self, rods: impl Iterator<Item = &'a Rod>, report: &mut StepReport) {
        self.kept.clear();
        self.loads.clear();
        for rod in rods {
            for touch in rod.touches.iter().filter(|t| t.presses()) {
                self.kept.push(Memory { contact: touch.contact, push: touch.law.push(&touch.here) });
                self.loads.push(touch.load(rod));
                if touch.here.depth > report.penetration.depth {
                    report.penetration.depth = touch.here.depth;
                    let (a, b) = touch.contact.shapes();
                    (report.penetration.shape, report.penetration.other) = (Some(a), Some(b));
                }
            }
        }
        report.contacts.shapes = self.found.len();
        report.contacts.shapes_active = self.kept.len();
    }
}
