//! A plane against anything with a lowest face: `docs/theory/contact-detection.md` section 2.

use super::{Side, Touch, thin};

/// The corners of the face that looks down, as far as they are near.
pub(super) fn meet_plane(a: &Side, b: &Side, reach: f64, out: &mut Vec<Touch>) {
    let normal = a.turn.column(2).into_owned();
    let radius = b.solid.radius();
    let face = b.face(&-normal);
    let first = out.len();
    for (k, x) in face.points().iter().enumerate() {
        let height = normal.dot(&(x - a.at));
        if height - radius < reach {
            let feature = u32::from(face.id) << 8 | k as u32;
            out.push(Touch { normal, x: [x - normal * height, x - normal * radius], feature });
        }
    }
    thin(out, first, 1e-6 * b.solid.size());
}
