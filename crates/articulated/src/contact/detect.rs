//! Detection: from candidates or from the caller's contacts to contact records.
//!
//! Theory: `docs/theory/articulated.md` eq. (23). A point is taken up when its distance is
//! within the gap or when it could close it in this step, so that nothing is passed by.

use coact_collide::{Contacts, ShapeContact};
use coact_math::{Pose, Vec3};
use coact_model::{BodyId, ShapeId};

use super::candidates::{Pair, Point};
use super::rows::{Contact, ContactSet, End, RowContext};
use crate::layout::Role;

impl ContactSet {
    /// Fills the records for the begin of the step.
    pub fn detect(&mut self, cx: &RowContext, contacts: Option<&Contacts>) {
        self.contacts.clear();
        match contacts {
            Some(given) => self.take_over(cx, given),
            None => self.detect_planes(cx),
        }
    }

    fn detect_planes(&mut self, cx: &RowContext) {
        for pair in &cx.candidates.pairs {
            let plane = cx.end_pose(&End { link: None, base: pair.base, local: Vec3::zeros() }) * pair.x;
            for point in &cx.candidates.points[pair.points.clone()] {
                self.contacts.extend(plane_contact(cx, pair, point, &plane));
            }
        }
    }

    fn take_over(&mut self, cx: &RowContext, given: &Contacts) {
        self.add(cx, &given.shapes);
    }

    /// Adds contacts that were found elsewhere, ordered by pair.
    pub fn add(&mut self, cx: &RowContext, found: &[ShapeContact]) {
        let mut last = None;
        let mut ordinal = 0;
        for c in found {
            ordinal = if last == Some((c.shape0, c.shape1)) { ordinal + 1 } else { 0 };
            last = Some((c.shape0, c.shape1));
            self.contacts.extend(given_contact(cx, c, ordinal));
        }
    }
}

fn plane_contact(cx: &RowContext, pair: &Pair, point: &Point, plane: &Pose) -> Option<Contact> {
    let own = End { link: Some(pair.link), base: None, local: point.local };
    let normal = plane.vector(&Vec3::z());
    let x = cx.end_pose(&own).point(&point.local);
    let distance = normal.dot(&(x - plane.p));
    let margin = pair.margin + point.radius;
    let foot = x - normal * distance;
    let base = End { link: None, base: pair.base, local: cx.world_to_base(pair.base, &foot) };
    let contact = Contact {
        key: (pair.shape.0, pair.plane.0, point.ordinal),
        ends: [base, own],
        normal,
        margin,
        carried: cx.carried(&[base, own], [pair.plane, pair.shape]),
        gap: distance - margin,
        mu: pair.mu,
        restitution: pair.restitution,
        // where the surfaces meet, halfway between foot and surface of the sphere
        at: x - normal * (0.5 * (distance + point.radius)),
        ..Contact::default()
    };
    let closing = -normal.dot(&cx.relative_velocity(&contact));
    (contact.gap <= pair.gap.max(cx.h * closing)).then_some(contact)
}

fn given_contact(cx: &RowContext, c: &ShapeContact, ordinal: u32) -> Option<Contact> {
    let ends = [end_of(cx, c.body0, c.point0), end_of(cx, c.body1, c.point1)];
    let surfaces = [end_of(cx, c.body0, c.point0 + c.offset0), end_of(cx, c.body1, c.point1 + c.offset1)];
    if ends.iter().all(|e| e.link.is_none()) {
        return None;
    }
    let world = |e: &End| cx.end_pose(e).point(&e.local);
    let margin = c.margin0 + c.margin1;
    let (mu, restitution) = material(cx, c.shape0, c.shape1);
    Some(Contact {
        key: (c.shape0.0, c.shape1.0, ordinal),
        ends,
        normal: c.normal,
        margin,
        carried: cx.carried(&ends, [c.shape0, c.shape1]),
        gap: c.normal.dot(&(world(&ends[1]) - world(&ends[0]))) - margin,
        mu,
        restitution,
        at: (world(&surfaces[0]) + world(&surfaces[1])) * 0.5,
        ..Contact::default()
    })
}

fn end_of(cx: &RowContext, body: Option<BodyId>, local: Vec3) -> End {
    match body.map(|b| cx.layout.roles[b.index()]) {
        None => End { link: None, base: None, local },
        Some(Role::Link(i)) => End { link: Some(i), base: None, local },
        Some(Role::Base(k)) => End { link: None, base: Some(k), local },
    }
}

fn material(cx: &RowContext, a: ShapeId, b: ShapeId) -> (f64, f64) {
    let m = coact_model::Material::mix(cx.view.material_of_shape(a), cx.view.material_of_shape(b));
    (m.mu, m.restitution)
}
