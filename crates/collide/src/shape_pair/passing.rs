//! Shapes that pass each other in the step. Theory: `docs/theory/contact-detection.md` section 5, eq. (12).
//!
//! The nearest features of two shapes that are about to slide over each other face each other across the
//! seam: a plane between them would stop what only passes. Where the motion of the step closes the distance,
//! the shapes are met once more where they come to; if they are apart along the direction found there, now
//! as well as then, they are apart along it all the way, and it is the normal.
//!
//! Left out on purpose: surfaces, whose triangles know their neighbours, and planes, which have no border.

use super::target::{Spot, Target};
use crate::narrow::{Scratch, Solid, Touch, meet, separation};

/// Depth that counts as none, as a part of the smaller shape: what lies on something may have sunk in.
const SHALLOW: f64 = 2e-3;

/// Motion that cannot be seen, as a part of the smaller shape.
const STILL: f64 = 1e-6;

/// Cosine between two normals that are told apart.
const SAME: f64 = 0.99;

/// Fills the scratch with the contacts of two shapes, about the origin of the first; returns where they
/// belong to.
pub(super) fn meet_moving<'a>(of: [&'a Target; 2], scratch: &mut Scratch) -> [&'a Spot; 2] {
    let here = of.map(|t| &t.here);
    meet_at(of, here, scratch);
    let ahead = of.map(|t| t.ahead.as_ref().unwrap_or(&t.here));
    let moves = of.iter().any(|t| t.ahead.is_some()) && of.iter().all(|t| is_convex(&t.solid));
    if !moves || !closes(of, ahead, &scratch.touches) {
        return here;
    }
    std::mem::swap(&mut scratch.touches, &mut scratch.set_aside);
    meet_at(of, ahead, scratch);
    if passes(of, &scratch.touches, &scratch.set_aside) {
        return ahead;
    }
    std::mem::swap(&mut scratch.touches, &mut scratch.set_aside);
    here
}

fn meet_at([a, b]: [&Target; 2], at: [&Spot; 2], scratch: &mut Scratch) {
    let origin = at[0].p;
    meet(&a.side(at[0], &origin), &b.side(at[1], &origin), a.reach() + b.reach(), scratch);
}

fn is_convex(solid: &Solid) -> bool {
    !matches!(solid, Solid::Surface(_)) && solid.bounds().is_some()
}

fn size([a, b]: [&Target; 2]) -> f64 {
    a.solid.size().min(b.solid.size())
}

/// Whether the way to `ahead` closes a contact that is not deep.
fn closes(of: [&Target; 2], ahead: [&Spot; 2], touches: &[Touch]) -> bool {
    let here = of.map(|t| &t.here);
    let (apart, still) = (here[1].p - here[0].p, STILL * size(of));
    let closed = |t: &Touch| {
        let ways = [here[0].way(ahead[0], &t.x[0]), here[1].way(ahead[1], &(t.x[1] - apart))];
        let gap = (t.distance() - margins(of)).max(0.0);
        t.normal.dot(&(ways[0] - ways[1])) > gap + still
    };
    touches.iter().all(|t| is_shallow(of, t)) && touches.iter().any(closed)
}

/// eq. (12): whether the shapes are apart along the normal of where they come to, there and here.
fn passes(of: [&Target; 2], there: &[Touch], here: &[Touch]) -> bool {
    let (Some(now), Some(then)) = (here.first(), there.first()) else { return false };
    if now.normal.dot(&then.normal) > SAME || !there.iter().all(|t| is_shallow(of, t)) {
        return false;
    }
    let [a, b] = of;
    let origin = a.here.p;
    let sides = [a.side(&a.here, &origin), b.side(&b.here, &origin)];
    let radii = a.solid.radius() + b.solid.radius();
    separation(&sides[0], &sides[1], &then.normal) - radii - margins(of) > -SHALLOW * size(of)
}

fn margins([a, b]: [&Target; 2]) -> f64 {
    a.margin + b.margin
}

fn is_shallow(of: [&Target; 2], t: &Touch) -> bool {
    t.distance() - margins(of) > -SHALLOW * size(of)
}
