//! Where two shapes touch: normal, points and features of one pair.
//! Theory: `docs/theory/contact-detection.md` sections 2 and 3.
//!
//! Everything of a pair is in world axes about the origin of its first shape, so that places
//! far from the origin of the world cost no digits. Points lie on the surfaces, without the
//! margins of the shapes; [`Solid::skeleton`] turns them into what rolls.

mod box_box;
mod clip;
mod convex;
mod hull;
mod meshes;
mod normal;
mod plane;
mod polygon;
mod round;
mod solid;
mod surface;
mod thin;
mod triangles;

pub(crate) use normal::{Side, separation};
pub(crate) use solid::Solid;
pub(crate) use thin::thin;

use coact_math::Vec3;
use parry3d_f64::query::epa::EPA;

use crate::sdf::Sdf;

/// Most points of one flat contact.
pub(crate) const MOST_POINTS: usize = 4;

/// One point where two surfaces are near each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Touch {
    /// From the first surface to the second.
    pub normal: Vec3,
    /// The points of both surfaces.
    pub x: [Vec3; 2],
    /// Key of the features.
    pub feature: u32,
}

impl Touch {
    /// Distance along the normal \[m\].
    pub fn distance(&self) -> f64 {
        self.normal.dot(&(self.x[1] - self.x[0]))
    }

    /// The same, seen from the other shape.
    pub fn flipped(self) -> Self {
        Self { normal: -self.normal, x: [self.x[1], self.x[0]], ..self }
    }
}

/// Memory of the narrow phase, kept from pair to pair.
#[derive(Default)]
pub(crate) struct Scratch {
    epa: EPA,
    /// What the last [`meet`] found.
    pub touches: Vec<Touch>,
    /// What another one found before.
    pub set_aside: Vec<Touch>,
}

/// Fills `scratch.touches` with the points of two shapes that are nearer than `reach` \[m\].
/// `a` lies at the origin.
pub(crate) fn meet(a: &Side, b: &Side, reach: f64, scratch: &mut Scratch) {
    scratch.touches.clear();
    if rank(a.solid) <= rank(b.solid) {
        meet_ranked(a, b, reach, scratch);
        return;
    }
    meet_ranked(b, a, reach, scratch);
    scratch.touches.iter_mut().for_each(|t| *t = t.flipped());
}

/// The order in which the cases of [`meet_ranked`] expect the two shapes.
fn rank(solid: &Solid) -> u8 {
    match solid {
        Solid::Formula(Sdf::Sphere { .. }) => 0,
        Solid::Formula(Sdf::Plane) => 1,
        Solid::Formula(Sdf::Capsule { .. }) => 2,
        Solid::Formula(Sdf::Box { .. }) => 3,
        Solid::Surface(_) => 5,
        _ => 4,
    }
}

fn meet_ranked(a: &Side, b: &Side, reach: f64, scratch: &mut Scratch) {
    use Solid::{Formula, Surface};
    match (a.solid, b.solid) {
        (Formula(Sdf::Sphere { radius }), Formula(sdf)) => {
            scratch.touches.extend(round::meet_ball(a, *radius, b, sdf, reach));
        }
        (Formula(Sdf::Plane), Formula(Sdf::Plane)) => {}
        (Formula(Sdf::Plane), Surface(s)) => meshes::meet_points(a, b, s, reach, &mut scratch.touches),
        (Surface(s), Surface(t)) => meshes::meet_surfaces([a, b], [s, t], reach, &mut scratch.touches),
        (_, Surface(s)) => triangles::meet_surface(a, b, s, reach, scratch),
        (Formula(Sdf::Plane), _) => plane::meet_plane(a, b, reach, &mut scratch.touches),
        (Formula(Sdf::Capsule { half_height: h, .. }), Formula(Sdf::Capsule { half_height: k, .. })) => {
            round::meet_capsules(a, *h, b, *k, reach, &mut scratch.touches);
        }
        (Formula(Sdf::Box { half_extents: e }), Formula(Sdf::Box { half_extents: f })) => {
            if !box_box::meet_boxes([a, b], [e, f], reach, &mut scratch.touches) {
                convex::meet_convex(a, b, reach, scratch);
            }
        }
        _ => convex::meet_convex(a, b, reach, scratch),
    }
}

impl Clone for Scratch {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl std::fmt::Debug for Scratch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scratch").field("touches", &self.touches).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use tests::samples;
