//! The rows of a step, sorted by slot, and the lists of rows by body.
//!
//! Built once per step from the records of detection (own or the caller's, in any order):
//! a counting sort by slot, then by body, both stable, so the order of every sum is fixed
//! by the records alone. Rows of a body that moves are refreshed after it moved.
//! Theory: `docs/theory/vbd.md` eq. (8), (9).

use coact_collide::ParticleShapeContact;
use coact_math::{Real, V3, Vec3};

use super::law::ContactRow;
use crate::body::{Bodies, SurfacePoint};

/// Marks the static world in place of a body.
pub const WORLD: u32 = u32::MAX;

/// What building rows needs to know of particles and materials.
pub trait RowSource<R> {
    /// The particle's slot, if it takes part.
    fn slot(&self, contact: &ParticleShapeContact) -> Option<usize>;
    /// Target and displacement from begin to target \[m\] of a slot.
    fn target(&self, slot: usize) -> (Vec3, Vec3);
    /// Fills reach and material.
    fn surface(&self, contact: &ParticleShapeContact) -> ContactRow<R>;
}

/// All rows of a step. Memory is used again; growth is counted by the owner of the lists.
#[derive(Clone, Debug, Default)]
pub struct ContactRows<R> {
    /// Rows by slot.
    rows: Vec<ContactRow<R>>,
    /// Closest point of each row relative to the body's centre of mass, body axes \[m\]
    /// (static world: the world point).
    points: Vec<Vec3>,
    /// Shape: \[slot_count + 1\].
    slot_start: Vec<u32>,
    /// Shape: \[body_count + 1\].
    body_start: Vec<u32>,
    /// Rows by body.
    body_rows: Vec<u32>,
    /// Fill positions of the counting sorts.
    next: Vec<u32>,
}

impl<R: Real> ContactRows<R> {
    /// Reserves what does not depend on contacts.
    pub fn new(slots: usize, bodies: usize) -> Self {
        Self {
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

    /// The rows of a particle.
    #[inline(always)]
    pub fn of_slot(&self, slot: usize) -> &[ContactRow<R>] {
        &self.rows[self.slot_start[slot] as usize..self.slot_start[slot + 1] as usize]
    }

    /// Whether any of `slots` has a row.
    pub fn any(&self, slots: &std::ops::Range<usize>) -> bool {
        self.slot_start[slots.start] < self.slot_start[slots.end]
    }

    /// The rows of a body, each with its closest point relative to the centre of mass.
    pub fn of_body(&self, body: usize) -> impl Iterator<Item = (&ContactRow<R>, &Vec3)> {
        let list = &self.body_rows[self.body_start[body] as usize..self.body_start[body + 1] as usize];
        list.iter().map(|&r| (&self.rows[r as usize], &self.points[r as usize]))
    }

    /// Capacity of the lists that depend on contacts, to notice growth.
    pub fn capacity(&self) -> usize {
        self.rows.capacity() + self.points.capacity() + self.body_rows.capacity()
    }

    /// Sorts the records into rows.
    pub fn build(&mut self, contacts: &[ParticleShapeContact], source: &impl RowSource<R>, bodies: &Bodies) {
        self.sort_by_slot(contacts, source);
        self.fill(contacts, source, bodies);
        self.list_by_body();
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
        self.next.clone_from(&self.slot_start);
        for c in contacts {
            let Some(slot) = source.slot(c) else { continue };
            let at = self.next[slot] as usize;
            self.next[slot] += 1;
            let point = c.body.map_or(c.point, |b| c.point - bodies.com(b.index()));
            let body = c.body.map_or(WORLD, |b| b.0);
            let fixed = ContactRow { slot: slot as u32, body, shape: c.shape.0, ..source.surface(c) };
            let row = ContactRow { n: V3::from_host(&c.normal), ..fixed };
            self.rows[at] = moved(row, source.target(slot), bodies.surface_point(body, &point));
            self.points[at] = point;
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
            let surface = bodies.surface_point(row.body, &self.points[i]);
            self.rows[i] = moved(row, target(row.slot as usize), surface);
        }
    }
}

/// eq. (9): e = y − p and w = (y − x₀) − (surface displacement), subtracted in `f64`.
fn moved<R: Real>(row: ContactRow<R>, target: (Vec3, Vec3), surface: SurfacePoint) -> ContactRow<R> {
    let (y, dy) = target;
    ContactRow {
        e: V3::from_host(&(y - surface.position)),
        w: V3::from_host(&(dy - surface.displacement)),
        ..row
    }
}

fn running_sum(counts: &mut [u32]) {
    for i in 1..counts.len() {
        counts[i] += counts[i - 1];
    }
}
