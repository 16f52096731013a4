//! A flat contact needs no more than four points: `docs/theory/contact-detection.md` eq. (7).

use coact_math::Vec3;

use super::{MOST_POINTS, Touch};

/// A later point replaces an earlier one only if it is better by this part: what is equal to
/// rounding is decided by order, so that a contact at rest keeps its points.
const BETTER: f64 = 1.0 + 1e-4;

/// Up to four indices, ascending.
#[derive(Clone, Copy)]
pub(crate) struct Chosen {
    indices: [usize; MOST_POINTS],
    len: usize,
}

impl Chosen {
    pub fn indices(&self) -> &[usize] {
        &self.indices[..self.len]
    }

    fn push(&mut self, i: usize) {
        self.indices[self.len] = i;
        self.len += 1;
    }
}

/// Leaves at most four of the points from `first` on. Points that coincide to `near` \[m\]
/// count once. The order stays.
pub(crate) fn thin(touches: &mut Vec<Touch>, first: usize, near: f64) {
    if touches.len() - first > MOST_POINTS {
        thin_all(touches, first, near);
    }
}

/// As [`thin`]; fewer points are looked at as well, and what adds nothing is left out.
pub(crate) fn thin_all(touches: &mut Vec<Touch>, first: usize, near: f64) {
    let Some(t) = touches.get(first) else { return };
    let (u, v) = basis(&t.normal);
    let all = &touches[first..];
    let flat = |i: usize| {
        let x = &all[i].x[1];
        [u.dot(x), v.dot(x), all[i].distance()]
    };
    let chosen = choose(all.len(), flat, near);
    for (k, &i) in chosen.indices().iter().enumerate() {
        touches[first + k] = touches[first + i];
    }
    touches.truncate(first + chosen.len);
}

/// Two unit vectors across `n` and each other.
fn basis(n: &Vec3) -> (Vec3, Vec3) {
    let least = n.map(f64::abs).imin();
    let mut e = Vec3::zeros();
    e[least] = 1.0;
    let u = n.cross(&e).normalize();
    (u, n.cross(&u))
}

/// eq. (7), for `count` points (two coordinates along the contact, one of depth, less is
/// deeper): the deepest (of equals the outermost), the farthest from it, the one that makes the largest triangle with
/// both, and the one that adds most to it.
pub(crate) fn choose(count: usize, point: impl Fn(usize) -> [f64; 3], near: f64) -> Chosen {
    let mut chosen = Chosen { indices: [0; MOST_POINTS], len: 0 };
    let least = (0..count).map(|i| point(i)[2]).fold(f64::INFINITY, f64::min);
    // nearly as deep as the deepest one is as good, and then the outermost is better
    let middle = [0, 1].map(|k| (0..count).map(|i| point(i)[k]).sum::<f64>() / count as f64);
    let from_middle = |i: usize| {
        let x = point(i);
        let far = (x[0] - middle[0]).powi(2) + (x[1] - middle[1]).powi(2);
        if x[2] <= least + near { far + f64::MIN_POSITIVE } else { 0.0 }
    };
    let Some((a, _)) = best(count, from_middle) else { return chosen };
    chosen.push(a);
    let a = point(a);
    let from_a = |i: usize| {
        let x = point(i);
        [x[0] - a[0], x[1] - a[1]]
    };
    let squared = |i: usize| from_a(i)[0].powi(2) + from_a(i)[1].powi(2);
    let Some((b, far)) = best(count, squared) else { return chosen };
    if far <= near * near {
        return chosen;
    }
    chosen.push(b);
    // twice the area is a distance from the line times the length of the base
    let (b, least_area) = (from_a(b), near * far.sqrt());
    let area = |i: usize| cross(&b, &from_a(i));
    if let Some((c, most)) = best(count, |i| area(i).abs())
        && most > least_area
    {
        chosen.push(c);
        let turn = if area(c) < 0.0 { 1.0 } else { -1.0 };
        let c = from_a(c);
        let outside = |i: usize| {
            let x = from_a(i);
            let (bc, bx) = ([c[0] - b[0], c[1] - b[1]], [x[0] - b[0], x[1] - b[1]]);
            (turn * cross(&b, &x)).max(turn * cross(&bc, &bx)).max(-turn * cross(&c, &x))
        };
        if let Some((d, most)) = best(count, outside)
            && most > least_area
        {
            chosen.push(d);
        }
    }
    chosen.indices[..chosen.len].sort_unstable();
    chosen
}

fn cross(x: &[f64; 2], y: &[f64; 2]) -> f64 {
    x[0] * y[1] - x[1] * y[0]
}

/// The index of the largest value above zero, the first of those that are equal to rounding.
fn best(count: usize, value: impl Fn(usize) -> f64) -> Option<(usize, f64)> {
    let mut best = None;
    let mut most = 0.0;
    for i in 0..count {
        let v = value(i);
        if v > most * BETTER {
            (best, most) = (Some((i, v)), v);
        }
    }
    best
}
