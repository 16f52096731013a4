//! The rows of a step, sorted by slot, and the lists of rows by body.
//!
//! Built once per step from the records of detection (own or the caller's, in any order):
//! a counting sort by slot, then by body, both stable, so the order of every sum is fixed
//! by the records alone. Rows of a body that moves are refreshed after it moved.
//! Theory: `docs/theory/vbd.md` eq. (8), (9).

use std::ops::Range;

use coact_collide::ParticleShapeContact;
use coact_math::{Quat, S3, Scalar, V3, Vec3};

use super::anchors::{Anchor, Anchors, Support};
use super::grip::{eval_anchored, eval_anchored_exactly, eval_hold_energy};
use super::law::{
    ContactRow, SlipLaw, eval_contact, eval_press, eval_press_energy, eval_slip_way, eval_stored,
};
use super::start::{eval_landing, eval_start};
use crate::body::{Bodies, SurfacePoint};
use crate::config::FrictionLaw;

/// Marks the static world in place of a body.
pub const WORLD: u32 = u32::MAX;

/// What building rows needs to know of particles and materials.
pub trait RowSource<R> {
    /// The particle's slot, if it takes part.
    fn slot(&self, contact: &ParticleShapeContact) -> Option<usize>;
    /// m/h² \[N/m\]; 0 = moved by no force.
    fn inertia(&self, slot: usize) -> f64;
    /// Stiffness of what else holds the particle \[N/m\].
    fn stiffness(&self, slot: usize) -> f64;
    /// Target and displacement from begin to target \[m\] of a slot.
    fn target(&self, slot: usize) -> (Vec3, Vec3);
    /// Way of a shape's surface against its body in the step, body axes \[m\].
    fn carried(&self, contact: &ParticleShapeContact) -> Vec3;
    /// Fills reach and material.
    fn surface(&self, contact: &ParticleShapeContact) -> ContactRow<R>;
}

/// Where a row touches its body.
#[derive(Clone, Copy, Debug)]
pub struct RowPlace {
    /// Closest point relative to the centre of mass, body axes \[m\] (static world: the
    /// world point).
    pub point: Vec3,
    /// Rotation of the body.
    pub rotation: Quat,
    /// Way of the surface against its body in the step, body axes \[m\].
    pub carried: Vec3,
}

/// All rows of a step. Memory is used again; growth is counted by the owner of the lists.
#[derive(Clone, Debug, Default)]
pub struct ContactRows<R> {
    /// Rows by slot.
    rows: Vec<ContactRow<R>>,
    /// Closest point of each row relative to the body's centre of mass, body axes \[m\]
    /// (static world: the world point).
    points: Vec<Vec3>,
    /// Way of the surface of each row against its body in the step, body axes \[m\].
    carried: Vec<Vec3>,
    /// Shape: \[slot_count + 1\].
    slot_start: Vec<u32>,
    /// Shape: \[body_count + 1\].
    body_start: Vec<u32>,
    /// Rows by body.
    body_rows: Vec<u32>,
    /// Fill positions of the counting sorts.
    next: Vec<u32>,
    friction: FrictionLaw,
    /// Speed at which what begins inside comes out \[m/s\].
    depenetration_speed: f64,
    anchors: Anchors<R>,
}

impl<R: Scalar> ContactRows<R> {
    /// Reserves what does not depend on contacts.
    pub fn new(slots: usize, bodies: usize, friction: FrictionLaw, depenetration_speed: f64) -> Self {
        Self {
            friction,
            depenetration_speed,
            slot_start: vec![0; slots + 1],
            body_start: vec![0; bodies + 1],
            next: Vec::with_capacity(slots.max(bodies) + 1),
            ..Self::default()
        }
    }

    /// All rows, by slot.
    pub fn all(&self) -> &[ContactRow<R>] {
        &self.rows
    }

    /// Force and Hessian of a row at the displacement `d` of its particle.
    #[inline(always)]
    pub fn eval(&self, row: usize, law: &SlipLaw<R>, d: V3<R>) -> (V3<R>, S3<R>) {
        match self.friction {
            FrictionLaw::Anchored => eval_anchored(&self.rows[row], self.anchors.grip(row), law, d),
            FrictionLaw::Smoothed => eval_contact(&self.rows[row], law, d),
        }
    }

    /// The same with the exact Hessian of friction.
    pub fn eval_exactly(&self, row: usize, law: &SlipLaw<R>, d: V3<R>) -> (V3<R>, S3<R>) {
        match self.friction {
            FrictionLaw::Anchored => eval_anchored_exactly(&self.rows[row], self.anchors.grip(row), law, d),
            FrictionLaw::Smoothed => eval_contact(&self.rows[row], law, d),
        }
    }

    /// Whether a row presses at the displacement `d` of its particle.
    pub fn presses(&self, row: usize, law: &SlipLaw<R>, d: V3<R>) -> bool {
        eval_press(&self.rows[row], law, d).pressing
    }

    /// Potential of a row at the displacement `d` of its particle, its multiplier and its limit held
    /// \[J\]; with smoothed friction, whose limit follows `d`, as if it did not.
    pub fn energy(&self, row: usize, law: &SlipLaw<R>, d: V3<R>) -> f64 {
        let normal = eval_press_energy(&self.rows[row], law, d);
        match self.friction {
            FrictionLaw::Anchored => {
                let slip = eval_press(&self.rows[row], law, d).slip;
                normal + eval_hold_energy(self.anchors.grip(row), slip)
            }
            FrictionLaw::Smoothed => {
                let p = eval_press(&self.rows[row], law, d);
                let limit = (self.rows[row].mu * p.force).to_f64().max(0.0);
                normal + limit * eval_slip_way(p.slip.norm().to_f64(), law.epsilon.to_f64())
            }
        }
    }

    /// Energy that a row stores at the begin of the step and at the displacement `d` of its particle \[J\].
    pub fn stored(&self, row: usize, law: &SlipLaw<R>, d: V3<R>) -> [f64; 2] {
        let row = &self.rows[row];
        [-row.w, d].map(|d| eval_stored(row, law, d))
    }

    /// Whether the surface of a row moves against its body.
    pub fn is_belt(&self, row: usize) -> bool {
        self.carried[row] != Vec3::zeros()
    }

    /// The rows of a particle.
    #[inline(always)]
    pub fn of_slot(&self, slot: usize) -> Range<usize> {
        self.slot_start[slot] as usize..self.slot_start[slot + 1] as usize
    }

    /// Whether any of `slots` has a row.
    pub fn any(&self, slots: &std::ops::Range<usize>) -> bool {
        self.slot_start[slots.start] < self.slot_start[slots.end]
    }

    /// Whether a row acts on a body of the model.
    pub fn act_on_bodies(&self) -> bool {
        !self.body_rows.is_empty()
    }

    /// The body of a row, and its closest point relative to the centre of mass.
    pub fn anchor(&self, row: usize) -> (u32, &Vec3) {
        (self.rows[row].body, &self.points[row])
    }

    /// The rows of a body, each with its closest point relative to the centre of mass.
    pub fn of_body(&self, body: usize) -> impl Iterator<Item = (usize, &ContactRow<R>, &Vec3)> {
        let list = &self.body_rows[self.body_start[body] as usize..self.body_start[body + 1] as usize];
        list.iter().map(|&r| (r as usize, &self.rows[r as usize], &self.points[r as usize]))
    }

    /// Capacity of the lists that depend on contacts, to notice growth.
    pub fn capacity(&self) -> usize {
        let by_row = self.rows.capacity() + self.points.capacity() + self.carried.capacity();
        by_row + self.body_rows.capacity() + self.anchors.capacity()
    }

    /// Sorts the records into rows.
    pub fn build(
        &mut self,
        contacts: &[ParticleShapeContact],
        source: &impl RowSource<R>,
        bodies: &Bodies,
        law: &SlipLaw<R>,
    ) {
        if self.friction == FrictionLaw::Anchored {
            let places = places(&self.rows, &self.points, &self.carried, bodies);
            self.anchors.stash(&self.rows, places);
        }
        self.sort_by_slot(contacts, source);
        self.fill(contacts, source, bodies);
        if self.friction == FrictionLaw::Anchored {
            self.sort_by_shape();
            let pushed = self.pushed(law);
            let support = |row: &ContactRow<R>, known: Option<f64>| {
                let slot = row.slot as usize;
                let k = source.inertia(slot);
                let stiffness = known.unwrap_or_else(|| if k > 0.0 { source.stiffness(slot) } else { 0.0 });
                let body = bodies.mass(row.body) * law.inv_h.to_f64().powi(2);
                Support { stiffness, rho: in_series(k + stiffness, body), inertia: in_series(k, body) }
            };
            let places = places(&self.rows, &self.points, &self.carried, bodies);
            self.anchors.match_rows(&self.rows, pushed, places, law, support);
            let allowed = |i| self.anchors.allowed(i);
            self.rows.iter_mut().enumerate().for_each(|(i, row)| *row = row.raised(allowed(i)));
        }
        self.list_by_body();
    }

    /// eq. (30): where the iterate of a particle starts, from its target \[m\].
    pub fn start(&mut self, slot: usize, inertia: f64, law: &SlipLaw<R>) -> Vec3 {
        self.expect_landing(slot, inertia, law);
        let last = |i: usize| (&self.rows[i], self.anchors.grip(i), self.anchors.past(i));
        let start = eval_start(self.of_slot(slot).map(last), law, inertia);
        for row in self.of_slot(slot) {
            let limit = self.rows[row].mu.to_f64() * self.anchors.past(row).normal;
            self.anchors.follow(row, &start.change, limit);
        }
        start.d
    }

    /// Normal forces of fresh rows.
    fn expect_landing(&mut self, slot: usize, inertia: f64, law: &SlipLaw<R>) {
        if self.of_slot(slot).all(|i| self.anchors.past(i).known) {
            return;
        }
        let d = eval_landing(&self.rows[self.of_slot(slot)], law, inertia);
        for i in self.of_slot(slot) {
            if self.anchors.past(i).known {
                continue;
            }
            let p = eval_press(&self.rows[i], law, d);
            let normal = if p.pressing { p.force.to_f64() } else { 0.0 };
            self.anchors.expect(i, self.rows[i].mu, normal);
        }
    }

    /// eq. (28): multipliers follow the sweep.
    pub fn update_duals(&mut self, law: &SlipLaw<R>, d: &[V3<R>]) {
        if self.friction == FrictionLaw::Anchored {
            self.anchors.update(&self.rows, law, d);
        }
    }

    /// Limits of friction follow displacements `d`.
    pub fn follow_press(&mut self, law: &SlipLaw<R>, d: &[V3<R>]) {
        if self.friction == FrictionLaw::Anchored {
            self.anchors.follow_press(&self.rows, law, d);
        }
    }

    /// eq. (28), (29): the end of a step.
    pub fn commit(&mut self, law: &SlipLaw<R>, d: &[V3<R>], inertia: &[R], bodies: &Bodies) {
        if self.friction == FrictionLaw::Anchored {
            let places = places(&self.rows, &self.points, &self.carried, bodies);
            self.anchors.commit(&self.rows, self.pushed(law), places, law, d, inertia);
        }
    }

    /// Way out of a shape in a step \[m\].
    fn pushed(&self, law: &SlipLaw<R>) -> f64 {
        self.depenetration_speed / law.inv_h.to_f64()
    }

    /// What friction remembers between steps.
    pub fn save(&self, to: &mut Vec<Anchor>) {
        self.anchors.save(to);
    }

    /// Goes back to what friction remembered; `None` = nothing.
    pub fn keep(&mut self, kept: Option<&Vec<Anchor>>) {
        self.anchors.keep(kept);
    }

    /// Forgets what friction remembers of some pairs of a slot and a shape.
    pub fn forget(&mut self, is_chosen: impl Fn(u32, u32) -> bool) {
        self.anchors.forget(is_chosen);
    }

    fn sort_by_slot(&mut self, contacts: &[ParticleShapeContact], source: &impl RowSource<R>) {
        self.slot_start.fill(0);
        for slot in contacts.iter().filter_map(|c| source.slot(c)) {
            self.slot_start[slot + 1] += 1;
        }
        running_sum(&mut self.slot_start);
    }

    fn fill(&mut self, contacts: &[ParticleShapeContact], source: &impl RowSource<R>, bodies: &Bodies) {
        let count = self.slot_start[self.slot_start.len() - 1] as usize;
        self.rows.resize(count, ContactRow::default());
        self.points.resize(count, Vec3::zeros());
        self.carried.resize(count, Vec3::zeros());
        self.next.clone_from(&self.slot_start);
        for c in contacts {
            let Some(slot) = source.slot(c) else { continue };
            let at = self.next[slot] as usize;
            self.next[slot] += 1;
            let point = c.body.map_or(c.point, |b| c.point - bodies.com(b.index()));
            let body = c.body.map_or(WORLD, |b| b.0);
            let fixed = ContactRow { slot: slot as u32, body, shape: c.shape.0, ..source.surface(c) };
            let row = ContactRow { n: V3::from_host(&c.normal), ..fixed };
            (self.points[at], self.carried[at]) = (point, source.carried(c));
            self.rows[at] = moved(row, source.target(slot), surface(body, &point, &self.carried[at], bodies));
        }
    }

    /// Rows of one particle in order of shapes; what detection leaves is in order already.
    fn sort_by_shape(&mut self) {
        for slot in 0..self.slot_start.len() - 1 {
            let range = self.of_slot(slot);
            for i in range.clone().skip(1) {
                let mut k = i;
                while k > range.start && self.rows[k - 1].shape > self.rows[k].shape {
                    self.rows.swap(k - 1, k);
                    self.points.swap(k - 1, k);
                    self.carried.swap(k - 1, k);
                    k -= 1;
                }
            }
        }
    }

    fn list_by_body(&mut self) {
        self.body_start.fill(0);
        let bodies = || self.rows.iter().enumerate().filter(|(_, r)| r.body != WORLD);
        for (_, r) in bodies() {
            self.body_start[r.body as usize + 1] += 1;
        }
        running_sum(&mut self.body_start);
        self.body_rows.resize(self.body_start[self.body_start.len() - 1] as usize, 0);
        self.next.clone_from(&self.body_start);
        for (i, r) in bodies() {
            let at = &mut self.next[r.body as usize];
            self.body_rows[*at as usize] = i as u32;
            *at += 1;
        }
    }

    /// Takes over where a body now is.
    pub fn refresh(&mut self, body: usize, target: impl Fn(usize) -> (Vec3, Vec3), bodies: &Bodies) {
        for k in self.body_start[body] as usize..self.body_start[body + 1] as usize {
            let i = self.body_rows[k] as usize;
            let row = self.rows[i];
            let surface = surface(row.body, &self.points[i], &self.carried[i], bodies);
            let now = moved(row, target(row.slot as usize), surface);
            self.rows[i] = match self.friction {
                FrictionLaw::Anchored => now.raised(self.anchors.allowed(i)),
                FrictionLaw::Smoothed => now,
            };
        }
    }
}

/// The surface of a row with its way in the step: that of the body, and in the plane of the
/// contact that of the surface against the body.
struct Surface {
    point: SurfacePoint,
    carried: Vec3,
}

fn surface(body: u32, point: &Vec3, carried: &Vec3, bodies: &Bodies) -> Surface {
    let carried = bodies.rotation_of(body) * carried;
    Surface { point: bodies.surface_point(body, point), carried }
}

/// eq. (9): e = y − p and w = (y − x₀) − (surface displacement), subtracted in `f64`.
fn moved<R: Scalar>(row: ContactRow<R>, target: (Vec3, Vec3), surface: Surface) -> ContactRow<R> {
    let ((y, dy), n) = (target, row.n.to_host(0));
    let carried = surface.carried - n * n.dot(&surface.carried);
    ContactRow {
        e: V3::from_host(&(y - surface.point.position)),
        w: V3::from_host(&(dy - surface.point.displacement - carried)),
        ..row
    }
}

fn places<R>(
    rows: &[ContactRow<R>],
    points: &[Vec3],
    carried: &[Vec3],
    bodies: &Bodies,
) -> impl Fn(usize) -> RowPlace {
    |i| {
        let rotation = bodies.rotation_of(rows[i].body);
        RowPlace { point: points[i], rotation, carried: carried[i] }
    }
}

/// eq. (25): what resists relative motion of two sides \[N/m\]; a side of 0 is held by what
/// prescribes it.
fn in_series(particle: f64, body: f64) -> f64 {
    match (particle > 0.0, body > 0.0) {
        (true, true) => particle * body / (particle + body),
        _ => particle + body,
    }
}

fn running_sum(counts: &mut [u32]) {
    for i in 1..counts.len() {
        counts[i] += counts[i - 1];
    }
}
