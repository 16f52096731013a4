//! Segments that are too near to each other along a rod to meet.
//!
//! Theory: `docs/theory/rod-contact.md` section 4: nearer than half the circumference, and next to what
//! holds an end.

use std::collections::VecDeque;
use std::f64::consts::PI;

use coact_collide::ShapeContact;
use coact_math::Vec3;
use coact_model::{BodyId, Geometry, ModelView, ShapeId};

use crate::element::Side;
use crate::layout::{Layout, Role};
use crate::rod::Rod;

/// Stands for the world in a pair.
const WORLD: u32 = u32::MAX;

/// Pairs of bodies that do not meet, the lower first, ascending; the world comes last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Near {
    pairs: Vec<[u32; 2]>,
}

/// An element as one of its sides sees it.
#[derive(Clone, Copy)]
struct Link {
    other: Side,
    /// Where it is on this side and on the other one, in the body frames \[m\].
    here: Vec3,
    there: Vec3,
}

impl Near {
    pub fn build(view: &ModelView, layout: &Layout, rods: &[Rod]) -> Self {
        let radii = radii(view);
        let mut pairs = Vec::new();
        for rod in rods {
            let around = links(view, rod);
            let mut seen = vec![usize::MAX; rod.nodes.len()];
            for n in 0..rod.nodes.len() {
                let body = rod.nodes[n].body.index();
                walk(rod, &around, &radii, n, &mut seen, |side| {
                    let other = match side {
                        Side::Node(m) => rod.nodes[m as usize].body.0,
                        Side::Base(k) => layout.bases[k as usize].body.0,
                        Side::World => WORLD,
                    };
                    pairs.push(ordered(body as u32, other));
                });
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        Self { pairs }
    }

    /// Whether a contact may act: it has a segment, and its bodies are not too near along a rod.
    pub fn lets_meet(&self, c: &ShapeContact, layout: &Layout) -> bool {
        let moves = |b: BodyId| matches!(layout.roles[b.index()], Role::Segment(..));
        let bodies = [c.body0, c.body1];
        let [a, b] = bodies.map(|b| b.map_or(WORLD, |b| b.0));
        bodies.into_iter().flatten().any(moves) && self.pairs.binary_search(&ordered(a, b)).is_err()
    }
}

fn ordered(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

/// Radius of the first capsule of each body \[m\]; what has none is a line.
fn radii(view: &ModelView) -> Vec<f64> {
    let mut found = vec![None; view.body_count()];
    for s in (0..view.shape_count()).map(ShapeId::new) {
        let Some(b) = view.shape_body[s.index()] else { continue };
        if let (Geometry::Capsule { radius, .. }, None) = (&view.shape_geometry[s.index()], found[b.index()])
        {
            found[b.index()] = Some(*radius);
        }
    }
    found.into_iter().map(Option::unwrap_or_default).collect()
}

/// What elements connect each segment with.
fn links(view: &ModelView, rod: &Rod) -> Vec<Vec<Link>> {
    let mut around = vec![Vec::new(); rod.nodes.len()];
    for e in &rod.elements {
        let at = [view.joint_x_p[e.joint.index()].p, view.joint_x_c[e.joint.index()].p];
        for (k, other) in [(0, 1), (1, 0)] {
            if let Side::Node(n) = e.sides[k] {
                around[n as usize].push(Link { other: e.sides[other], here: at[k], there: at[other] });
            }
        }
    }
    around
}

/// Calls `found` with all that is next to a segment, nearest first. The way across a segment is that between
/// the elements by which it is entered and left.
fn walk(
    rod: &Rod,
    around: &[Vec<Link>],
    radii: &[f64],
    from: usize,
    seen: &mut [usize],
    mut found: impl FnMut(Side),
) {
    let radius = |n: usize| radii[rod.nodes[n].body.index()];
    let mut queue = VecDeque::from([(from, 0.0, None)]);
    seen[from] = from;
    while let Some((n, way, entered)) = queue.pop_front() {
        for link in &around[n] {
            let Side::Node(m) = link.other else {
                found(link.other);
                continue;
            };
            let m = m as usize;
            let way = way + entered.map_or(0.0, |at: Vec3| (link.here - at).norm());
            let reach = PI * 0.5 * (radius(from) + radius(m));
            if seen[m] == from || (n != from && way >= reach) {
                continue;
            }
            seen[m] = from;
            found(link.other);
            queue.push_back((m, way, Some(link.there)));
        }
    }
}
