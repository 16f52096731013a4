//! Segments that are too near to each other along a rod to meet.
//!
//! Theory: `docs/theory/rod-contact.md` section 4: nearer than half the circumference, and next to what
//! holds an end.

use std::collections::VecDeque;
use std::f64::consts::PI;

use coact_collide::ShapeContact;
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

/// A segment as a capsule \[m\].
#[derive(Clone, Copy, Default)]
struct Capsule {
    radius: f64,
    length: f64,
}

impl Near {
    pub fn build(view: &ModelView, layout: &Layout, rods: &[Rod]) -> Self {
        let capsules = capsules(view);
        let mut pairs = Vec::new();
        for rod in rods {
            let around = neighbors(rod);
            let mut seen = vec![usize::MAX; rod.nodes.len()];
            for n in 0..rod.nodes.len() {
                let body = rod.nodes[n].body.index();
                walk(rod, &around, &capsules, n, &mut seen, |side| {
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

/// The first capsule of each body; what has none is a point.
fn capsules(view: &ModelView) -> Vec<Capsule> {
    let mut found = vec![None; view.body_count()];
    for s in (0..view.shape_count()).map(ShapeId::new) {
        let Some(b) = view.shape_body[s.index()] else { continue };
        if let (Geometry::Capsule { radius, half_height }, None) =
            (&view.shape_geometry[s.index()], found[b.index()])
        {
            found[b.index()] = Some(Capsule { radius: *radius, length: 2.0 * half_height });
        }
    }
    found.into_iter().map(Option::unwrap_or_default).collect()
}

/// What elements connect each segment with.
fn neighbors(rod: &Rod) -> Vec<Vec<Side>> {
    let mut around = vec![Vec::new(); rod.nodes.len()];
    for e in &rod.elements {
        for (side, other) in [(e.sides[0], e.sides[1]), (e.sides[1], e.sides[0])] {
            if let Side::Node(n) = side {
                around[n as usize].push(other);
            }
        }
    }
    around
}

/// Calls `found` with all that is next to a segment, nearest first.
fn walk(
    rod: &Rod,
    around: &[Vec<Side>],
    capsules: &[Capsule],
    from: usize,
    seen: &mut [usize],
    mut found: impl FnMut(Side),
) {
    let capsule = |n: usize| capsules[rod.nodes[n].body.index()];
    let mut queue = VecDeque::from([(from, 0.0)]);
    seen[from] = from;
    while let Some((n, way)) = queue.pop_front() {
        for &side in &around[n] {
            let Side::Node(m) = side else {
                found(side);
                continue;
            };
            let m = m as usize;
            let reach = PI * 0.5 * (capsule(from).radius + capsule(m).radius);
            if seen[m] == from || (n != from && way >= reach) {
                continue;
            }
            seen[m] = from;
            found(side);
            queue.push_back((m, way + capsule(m).length));
        }
    }
}
