//! A flat contact needs no more than four points: `docs/theory/contact-detection.md` eq. (7).

use super::{MOST_POINTS, Touch};

/// A later point replaces an earlier one only if it is better by this part: what is equal to
/// rounding is decided by order, so that a contact at rest keeps its points.
const BETTER: f64 = 1.0 + 1e-4;

/// Leaves at most four of the points from `first` on: the deepest, the farthest from it, the
/// one that makes the largest triangle with both, and the one that adds most to it. Points
/// that coincide to `near` \[m\] count once. The order stays.
pub(crate) fn thin(touches: &mut Vec<Touch>, first: usize, near: f64) {
    if touches.len() - first > MOST_POINTS {
        thin_all(touches, first, near);
    }
}

/// As [`thin`]; fewer points are looked at as well, and what adds nothing is left out.
pub(crate) fn thin_all(touches: &mut Vec<Touch>, first: usize, near: f64) {
    let all = &touches[first..];
    let mut chosen = [usize::MAX; MOST_POINTS];
    let mut count = 0;
    for step in 0..MOST_POINTS {
        let Some(next) = pick(all, &chosen[..step], near) else { break };
        chosen[step] = next;
        count += 1;
    }
    let chosen = &mut chosen[..count];
    chosen.sort_unstable();
    for (k, &i) in chosen.iter().enumerate() {
        touches[first + k] = touches[first + i];
    }
    touches.truncate(first + count);
}

/// The next point beside those chosen, if one adds anything.
fn pick(all: &[Touch], chosen: &[usize], near: f64) -> Option<usize> {
    let mut best = None;
    let mut most = 0.0;
    let least = all.iter().map(Touch::distance).fold(f64::INFINITY, f64::min);
    for (i, t) in all.iter().enumerate() {
        let value = value(all, chosen, t, least, near);
        let first = best.is_none() && value > 0.0;
        if first || value > most * BETTER {
            (best, most) = (Some(i), value);
        }
    }
    best
}

/// What a point adds, in measures that are zero for one that adds nothing.
fn value(all: &[Touch], chosen: &[usize], t: &Touch, least: f64, near: f64) -> f64 {
    let x = |i: usize| all[chosen[i]].x[1];
    let (p, n) = (t.x[1], all[0].normal);
    match chosen.len() {
        // nearly as deep as the deepest one is as good
        0 => f64::from(u8::from(t.distance() <= least + near)),
        1 => {
            let d = (p - x(0)).norm_squared();
            if d > near * near { d } else { 0.0 }
        }
        2 => {
            let area = (x(1) - x(0)).cross(&(p - x(0))).dot(&n).abs();
            if area > near * (x(1) - x(0)).norm() { area } else { 0.0 }
        }
        _ => {
            let turn = if (x(1) - x(0)).cross(&(x(2) - x(0))).dot(&n) < 0.0 { -1.0 } else { 1.0 };
            let outside = |a: usize, b: usize| -turn * (x(b) - x(a)).cross(&(p - x(a))).dot(&n);
            let out = outside(0, 1).max(outside(1, 2)).max(outside(2, 0));
            let size = (x(1) - x(0)).norm();
            if out > near * size { out } else { 0.0 }
        }
    }
}
