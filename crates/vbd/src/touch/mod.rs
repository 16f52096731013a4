//! Contacts between bodies: rows that press and rub, with memory. Theory:
//! `docs/theory/rigid-rows.md` section 3.
//!
//! Map: `law.rs` is one contact, `bounce.rs` what impacts do to velocities, `metric.rs` its metrics, `begin.rs` makes rows of what was
//! detected and of what is remembered. This file holds the rows of a step, by pair of bodies.

mod begin;
mod bounce;
mod law;
mod metric;

use coact_collide::ShapeContact;
use coact_math::Vec3;
use coact_model::ShapeId;

use crate::body::{Bodies, Place, SurfacePoint};
use crate::config::RotationUpdate;
use crate::rigid::{Change, EdgeTerms, Follow};
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
    /// Whether the surface is apart from the skeleton.
    is_round: bool,
    /// Whether it is met for the first time.
    fresh: bool,
    /// Where its forces act.
    at: ActsAt,
    /// From skeletons to surfaces at the begin of the step, world frame \[m\].
    offset: [Vec3; 2],
    row: TouchRow,
    grasp: Grasp,
    restitution: f64,
    /// Distance of its surfaces at the begin of the step; whether they overlapped \[m\].
    gap: f64,
    overlapped: bool,
    /// Step \[s\].
    h: f64,
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
    /// Memory for impacts.
    strikes: Vec<bounce::Strike>,
    hot: Vec<bool>,
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

    /// Multipliers and anchors of the contacts of a pair follow.
    pub fn follow(&mut self, pair: usize, bodies: &Bodies, when: Follow) -> Change {
        let (p, law) = (self.pairs[pair], self.law);
        let mut change = Change::default();
        for t in &mut self.list[p.first as usize..p.last as usize] {
            if when == Follow::Settled {
                t.grasp.offset = t.grasp.next;
                continue;
            }
            let (at, before) = (t.place(bodies, &law), t.grasp);
            match when {
                Follow::Sweep => _ = t.row.update(&mut t.grasp, &law, &at),
                Follow::Unsolved => t.row.rest(&mut t.grasp, &law, &at),
                Follow::End | Follow::Settled => _ = t.row.commit(&mut t.grasp, &law, &at),
            }
            let by = (t.grasp.normal - before.normal).abs().max((t.grasp.tangent - before.tangent).norm());
            change = change.and(Change { by, of: t.grasp.normal });
        }
        change
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

    /// Whether a contact is met for the first time that is about to press.
    pub fn has_fresh(&self) -> bool {
        self.list.iter().any(|t| t.fresh)
    }

    /// The deepest contact that presses \[m\], and its shapes.
    pub fn deepest(&self, bodies: &Bodies) -> Option<(f64, [ShapeId; 2])> {
        let pressing = self.list.iter().filter(|t| t.grasp.normal > 0.0);
        let depth = |t: &Touch| {
            let x = |i: usize| bodies.placed(t.bodies[i], Place::Now).point(&t.points[0][i]);
            t.row.margin - t.row.normal.dot(&(x(1) - x(0)))
        };
        let deepest = pressing.map(|t| (depth(t), t)).max_by(|a, b| a.0.total_cmp(&b.0))?;
        Some((deepest.0, [deepest.1.contact.shape0, deepest.1.contact.shape1]))
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
        let [a, b] = self.bodies;
        let (c0, c1) = (bodies.centre(a), bodies.centre(b));
        let from = |s: &[SurfacePoint; 2]| [s[0].position - c0, s[1].position - c1];
        let [s0, s1] = &self.points[0];
        let skeleton = [bodies.surface_point(a, s0), bodies.surface_point(b, s1)];
        let arms = from(&skeleton);
        if !self.is_round {
            let arms = self.arms(&skeleton, arms, [c0, c1]);
            return TouchPlace { skeleton, surface: skeleton, arms: [arms; 2] };
        }
        let surface = match law.rotation {
            RotationUpdate::Exponential => [
                bodies.beside(a, &skeleton[0], &self.offset[0]),
                bodies.beside(b, &skeleton[1], &self.offset[1]),
            ],
            RotationUpdate::FirstOrder => {
                let [f0, f1] = &self.points[1];
                [bodies.surface_point(a, f0), bodies.surface_point(b, f1)]
            }
        };
        let normal = self.arms(&surface, arms, [c0, c1]);
        TouchPlace { skeleton, surface, arms: [normal, self.arms(&surface, from(&surface), [c0, c1])] }
    }

    /// Arms to where forces act; `own`: those to each body's own points.
    fn arms(&self, surface: &[SurfacePoint; 2], own: [Vec3; 2], centre: [Vec3; 2]) -> [Vec3; 2] {
        let at = match self.at {
            ActsAt::Own => return own,
            ActsAt::Surface(i) => surface[i].position,
            ActsAt::Middle => (surface[0].position + surface[1].position) * 0.5,
        };
        [at - centre[0], at - centre[1]]
    }
}
