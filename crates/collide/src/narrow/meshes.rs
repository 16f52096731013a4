//! Vertices of surfaces against planes and other surfaces: `docs/theory/contact-detection.md`
//! section 4.
//!
//! Left out on purpose: edges of one surface across edges of another.

use coact_math::Vec3;

use super::surface::Surface;
use super::triangles::thin_groups;
use super::{Side, Touch, thin};
use crate::world_box::WorldBox;

/// A half space `a` against the vertices of a surface `b`.
pub(super) fn meet_points(a: &Side, b: &Side, surface: &Surface, reach: f64, out: &mut Vec<Touch>) {
    let first = out.len();
    let normal = a.turn.column(2).into_owned();
    for (k, x) in surface.points.iter().enumerate() {
        let x = b.turn * x + b.at;
        let height = normal.dot(&(x - a.at));
        if height < reach {
            out.push(Touch { normal, x: [x - normal * height, x], feature: k as u32 });
        }
    }
    thin(out, first, 1e-6 * b.solid.size());
}

/// Two surfaces: the vertices of each against the distance of the other.
pub(super) fn meet_surfaces(sides: [&Side; 2], surfaces: [&Surface; 2], reach: f64, out: &mut Vec<Touch>) {
    for (i, sign) in [(0, 1.0), (1, -1.0)] {
        let (from, to, base) = (sides[i], sides[1 - i], surfaces[1 - i]);
        let turn = to.turn.tr_mul(&from.turn);
        let at = to.turn.tr_mul(&(from.at - to.at));
        let [lower, upper] = base.bounds();
        let room = WorldBox { lower, upper }.inflated(reach);
        for (k, x) in surfaces[i].points.iter().enumerate() {
            let x = turn * x + at;
            if !room.is_near(&x, 0.0) {
                continue;
            }
            let Some(s) = base.distance.eval(&x, reach).filter(|s| s.distance < reach) else { continue };
            let n = to.turn * s.normal.to_host(0);
            let world = |x: Vec3| to.turn * x + to.at;
            let (mine, other) = (world(x), world(s.point.to_host(0)));
            let x = if i == 0 { [mine, other] } else { [other, mine] };
            out.push(Touch { normal: n * -sign, x, feature: (k as u32) << 1 | i as u32 });
        }
    }
    thin_groups(out, 1e-6 * sides[0].solid.size().min(sides[1].solid.size()));
}
