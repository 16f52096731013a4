//! Contacts between bodies: rows that press and rub, with memory. Theory:
//! `docs/theory/rigid-rows.md` section 3.
//!
//! Map: `law.rs` is one contact, `bounce.rs` what impacts do to velocities, `load.rs` what a contact carried,
//! `metric.rs` its metrics, `begin.rs` makes rows of what was detected and of what is remembered. This file holds the rows of a step, by pair of bodies.

mod begin;
mod bounce;
mod bounded;
mod law;
mod load;
mod meeting;
mod metric;
mod push_out;
mod spin;

use coact_math::Vec3;
use coact_model::ShapeId;

use crate::body::{Bodies, Iterate, SurfacePoint};
use crate::config::RotationUpdate;
use crate::rigid::{Bond, Change, EdgeTerms, Follow};
use law::{Applied, TouchPlace, TouchRow};
use push_out::PushOut;

pub use law::TouchLaw;

pub use begin::{ContactMemory, TouchInput, TouchSettings};

/// A contact in a step.
#[derive(Clone, Debug)]
pub struct Touch {
    /// As detected, and its multipliers in use.
    memory: ContactMemory,
    /// Bodies; out of range = world.
    bodies: [u32; 2],
    /// Skeleton points from the centres of mass, body axes \[m\].
    points: [Vec3; 2],
    /// Whether the surface is apart from the skeleton.
    is_round: bool,
    /// Whether it is met for the first time.
    fresh: bool,
    /// Where its forces act.
    at: ActsAt,
    /// From skeletons to surfaces at the begin of the step, world frame \[m\].
    offset: [Vec3; 2],
    row: TouchRow,
    /// Where it was last looked at.
    place: TouchPlace,
    /// What it applied there, before its multipliers followed.
    applied: Applied,
    /// What impacts added to its normal force and to its friction over the step \[N\].
    struck: (f64, Vec3),
    restitution: f64,
    /// A bound of the speed at which its surfaces may come closer in free motion \[m/s\].
    fastest: f64,
    /// Distance of its surfaces at the begin of the step; whether they overlapped \[m\].
    gap: f64,
    overlapped: bool,
    /// How deep a hard one was then \[m\].
    overlap: f64,
    push_out: PushOut,
}

/// Where the forces of a contact act on its bodies. At one point, if both move: then what one gets
/// the other loses in angular momentum too. That of the round one, under which the contact moves on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ActsAt {
    /// At each body's own points.
    Own,
    /// At the surface of one of them.
    Surface(usize),
    /// Between both surfaces.
    Middle,
}

/// The contacts of two bodies, next to each other in a list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The bodies.
    pub bodies: [u32; 2],
    /// Place of the first contact.
    pub first: u32,
    /// How many there are.
    pub count: u32,
}

/// All contacts of a step, by pair of bodies.
#[derive(Clone, Debug)]
pub struct Touches {
    list: Vec<Touch>,
    pairs: Vec<Pair>,
    /// Pairs as found, by bodies; and the places of their contacts in what was detected.
    found: Vec<Pair>,
    order: Vec<u32>,
    /// What each contact is made of, and what all contacts of a pair share.
    places: Vec<begin::Origin>,
    meetings: Vec<meeting::Meeting>,
    law: TouchLaw,
    settings: TouchSettings,
    /// Contacts of the last detection.
    kept: Vec<Touch>,
    h: f64,
    /// Memory for impacts.
    strikes: Vec<bounce::Strike>,
    hot: Vec<bool>,
    bounds: bounded::Bounds,
}

impl Touches {
    /// How all contacts are computed.
    pub fn law(&self) -> TouchLaw {
        self.law
    }

    /// All contacts, and their pairs, in the order of the last `build`.
    pub fn split(&mut self) -> (&mut [Touch], &[Pair]) {
        (&mut self.list, &self.pairs)
    }

    /// Bodies of the contacts that press.
    pub fn pressing(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        self.list.iter().filter(|t| t.presses()).map(|t| t.bodies)
    }

    /// What contacts are between their bodies.
    pub fn bonds<'a>(&'a self, bodies: &'a Bodies) -> impl Iterator<Item = Bond> + 'a {
        self.list.iter().map(|t| t.bond(bodies, self.h))
    }

    /// Speed at which bodies that overlap are moved apart \[m/s\].
    pub fn depenetration_speed(&self) -> f64 {
        self.settings.depenetration_speed
    }

    /// Contacts of bodies that were drawn back begin anew from where these are now.
    pub fn give_up(&mut self, bodies: &Bodies, mut is_back: impl FnMut(u32) -> bool) {
        let law = self.law;
        for t in &mut self.list {
            if t.bodies.iter().any(|&b| bodies.moves(b) && is_back(b)) {
                t.look([&bodies.seen(t.bodies[0]), &bodies.seen(t.bodies[1])], &law);
                t.let_go();
            }
        }
    }

    /// How many there are, and how many press.
    pub fn count(&self) -> (usize, usize) {
        (self.list.len(), self.list.iter().filter(|t| t.presses()).count())
    }

    /// Whether a contact is met for the first time that is about to press.
    pub fn has_fresh(&self) -> bool {
        self.list.iter().any(|t| t.fresh)
    }

    /// The deepest contact that presses \[m\], and its shapes.
    pub fn deepest(&self) -> Option<(f64, [ShapeId; 2])> {
        let pressing = self.list.iter().filter(|t| t.presses());
        let deepest = pressing.max_by(|a, b| a.place.depth.total_cmp(&b.place.depth))?;
        let contact = &deepest.memory.contact;
        Some((deepest.place.depth, [contact.shape0, contact.shape1]))
    }
}

impl Touch {
    /// Its bodies; out of range = world.
    pub fn bodies(&self) -> [u32; 2] {
        self.bodies
    }

    /// Looks where it is, with its bodies `at`.
    pub fn look(&mut self, at: [&Iterate; 2], law: &TouchLaw) {
        self.place = self.placed(at, law);
    }

    /// Adds what it puts on its bodies where it was last looked at.
    pub fn add(&self, law: &TouchLaw, terms: &mut EdgeTerms) {
        self.row.add(&self.memory.grasp, law, &self.place, terms);
    }

    /// Adds what it puts on its bodies `at` these places.
    pub fn add_seen(&self, at: [&Iterate; 2], law: &TouchLaw, terms: &mut EdgeTerms) {
        self.row.add(&self.memory.grasp, law, &self.placed(at, law), terms);
    }

    /// Its multipliers and its anchor follow, where it was last looked at.
    pub fn follow(&mut self, law: &TouchLaw, when: Follow) -> Change {
        let before = self.memory.grasp;
        let (grasp, at) = (&mut self.memory.grasp, &self.place);
        match when {
            Follow::Sweep | Follow::End => self.learn(law, when),
            Follow::Unsolved => self.applied = self.row.rest(grasp, law, at),
            Follow::Settled => grasp.settle(),
        }
        let grasp = &self.memory.grasp;
        let by = (grasp.normal - before.normal).abs().max((grasp.tangent - before.tangent).norm());
        Change { by, of: grasp.normal }
    }

    /// Surface points from the centres of mass, body axes \[m\].
    fn surface(&self) -> [Vec3; 2] {
        let c = &self.memory.contact;
        [self.points[0] + c.offset0, self.points[1] + c.offset1]
    }

    /// What it is between its bodies.
    fn bond(&self, bodies: &Bodies, h: f64) -> Bond {
        let speed = bodies.prescribed_speed(self.bodies, &self.points) + self.row.carried.norm() / h;
        // what is stuck is a spring for this step alone
        let stores = self.row.row.a > 0.0 && self.memory.grasp.rest == f64::INFINITY;
        let (overlaps, presses) = (self.overlapped || self.memory.grasp.pace < 1.0, self.presses());
        let work = self.memory.grasp.normal * self.overlap;
        Bond { bodies: self.bodies, speed, stores, overlaps, presses, work }
    }

    fn presses(&self) -> bool {
        self.memory.grasp.normal > 0.0
    }

    /// Where it is; of one that does nothing, no more than its depth.
    #[inline]
    fn placed(&self, at: [&Iterate; 2], law: &TouchLaw) -> TouchPlace {
        let from = |i: usize| at[i].now.p + at[i].axes * self.points[i];
        let depth = self.row.depth(&from(0), &from(1));
        match self.row.acts(&self.memory.grasp, law, depth) {
            true => self.placed_acting(at, law),
            false => TouchPlace { depth, ..TouchPlace::default() },
        }
    }

    fn placed_acting(&self, at: [&Iterate; 2], law: &TouchLaw) -> TouchPlace {
        let [skeleton, surface] = self.points(at, law);
        let from = |s: &[SurfacePoint; 2]| [s[0].position - at[0].now.p, s[1].position - at[1].now.p];
        let arms = |own: &[SurfacePoint; 2]| match self.at {
            ActsAt::Own => from(own),
            ActsAt::Surface(i) => from(&[surface[i]; 2]),
            ActsAt::Middle => {
                let middle = (surface[0].position + surface[1].position) * 0.5;
                [middle - at[0].now.p, middle - at[1].now.p]
            }
        };
        let turn = at[1].moved.ang - at[0].moved.ang;
        self.row.place(&skeleton, &surface, [arms(&skeleton), arms(&surface)], turn)
    }

    /// Skeleton and surface points. What is round rolls: in the exact law its surface stays along
    /// the normal of its skeleton, in that of the reference it turns with the body.
    #[inline]
    fn points(&self, at: [&Iterate; 2], law: &TouchLaw) -> [[SurfacePoint; 2]; 2] {
        let [a, b] = at;
        let [s0, s1] = &self.points;
        let skeleton = [a.surface_point(s0), b.surface_point(s1)];
        if !self.is_round {
            return [skeleton; 2];
        }
        let surface = match law.rotation {
            RotationUpdate::Exponential => {
                [a.beside(&skeleton[0], &self.offset[0]), b.beside(&skeleton[1], &self.offset[1])]
            }
            RotationUpdate::FirstOrder => {
                let [f0, f1] = self.surface();
                [a.surface_point(&f0), b.surface_point(&f1)]
            }
        };
        [skeleton, surface]
    }
}
