//! Planes that are certain to lie between the two sides of a pair.
//! Theory: `docs/theory/self-contact.md` eq. (15)–(17).
//!
//! A candidate axis is taken only if all vertices of one side are beyond all vertices of the
//! other along it: that is a proof, whatever the candidate came from.

use coact_math::{V3, Vec3};

use super::pair::{PairKind, eval_closest};

/// An axis along which the sides of a pair do not overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separator {
    /// Unit axis, from the second side to the first.
    pub n: Vec3,
    /// Farthest point of the second side along n \[m\].
    pub low: f64,
    /// Nearest point of the first side along n \[m\].
    pub high: f64,
}

impl Separator {
    /// Width of the slab between the sides \[m\].
    pub fn gap(&self) -> f64 {
        self.high - self.low
    }
}

/// eq. (15): the axis of the closest points if its slab is as wide as `enough`, else the
/// candidate with the widest slab of more than `least`; `None` = nothing separates.
pub fn find_separator(kind: PairKind, x: &[Vec3; 4], enough: f64, least: f64) -> Option<Separator> {
    let closest = closest_axis(kind, x);
    let mut best = closest.map(|n| slab(kind, x, n));
    if best.is_some_and(|s| s.gap() >= enough) {
        return best;
    }
    for axis in feature_axes(kind, x).into_iter().filter_map(|a| a.try_normalize(0.0)) {
        for n in [axis, -axis] {
            let s = slab(kind, x, n);
            if best.is_none_or(|b| s.gap() > b.gap()) {
                best = Some(s);
            }
        }
    }
    best.filter(|s| s.gap() > least)
}

/// A normal for a pair whose sides may touch: that of the closest points, else of the widest
/// candidate slab, else z.
pub fn eval_contact_normal(kind: PairKind, x: &[Vec3; 4]) -> Vec3 {
    closest_axis(kind, x)
        .or_else(|| find_separator(kind, x, f64::INFINITY, f64::NEG_INFINITY).map(|s| s.n))
        .unwrap_or_else(Vec3::z)
}

fn closest_axis(kind: PairKind, x: &[Vec3; 4]) -> Option<Vec3> {
    let n = eval_closest(kind, &x.map(|v| V3::<f64>::from_host(&v))).n.to_host(0);
    (n != Vec3::zeros()).then_some(n)
}

/// Normals of the faces of the difference of the two sides, without length.
fn feature_axes(kind: PairKind, x: &[Vec3; 4]) -> [Vec3; 4] {
    match kind {
        PairKind::VertexTriangle => {
            let (a, b, c) = (x[2] - x[1], x[3] - x[2], x[1] - x[3]);
            let n = a.cross(&b);
            [n, a.cross(&n), b.cross(&n), c.cross(&n)]
        }
        PairKind::EdgeEdge => {
            let (a, b) = (x[1] - x[0], x[3] - x[2]);
            let n = a.cross(&b);
            [n, a.cross(&n), b.cross(&n), x[0] - x[2]]
        }
    }
}

fn slab(kind: PairKind, x: &[Vec3; 4], n: Vec3) -> Separator {
    let along = x.map(|v| n.dot(&v));
    let (first, second) = along.split_at(kind.first_side());
    let high = first.iter().copied().fold(f64::INFINITY, f64::min);
    let low = second.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Separator { n, low, high }
}

/// eq. (16), (17): where the plane stands along n \[m\]: each side gets of the gap what it
/// asks for by its own approach (largest motion `u` of its vertices towards the other side),
/// and at least 5 %, and at least `eps`.
pub fn place_plane(kind: PairKind, s: &Separator, u: &[Vec3; 4], eps: f64) -> f64 {
    let gap = s.gap();
    if gap < 2.0 * eps {
        return s.low + 0.5 * gap;
    }
    let along = u.map(|v| s.n.dot(&v));
    let (first, second) = along.split_at(kind.first_side());
    let first = first.iter().fold(0.0_f64, |m, u| m.max(-u));
    let second = second.iter().fold(0.0_f64, |m, u| m.max(*u));
    let asked = if first + second > 0.0 { second / (first + second) } else { 0.5 };
    let least = (eps / gap).max(LEAST_SHARE);
    s.low + gap * asked.clamp(least, 1.0 - least)
}

/// Share of a gap that a side keeps although it stands still; smaller lets a fast side come
/// so near that the next detection finds hardly a gap.
const LEAST_SHARE: f64 = 0.05;

#[cfg(test)]
mod tests {
    use super::*;
    use coact_testkit::Random;

    const KINDS: [PairKind; 2] = [PairKind::VertexTriangle, PairKind::EdgeEdge];

    #[test]
    fn a_separator_has_all_of_each_side_on_its_side() {
        let mut rng = Random::new(11);
        let mut separated = 0;
        for k in 0..500 {
            let kind = KINDS[k % 2];
            let x: [Vec3; 4] = std::array::from_fn(|_| rng.vector(1.0));
            let Some(s) = find_separator(kind, &x, 1e-9, 1e-12) else { continue };
            separated += 1;
            let along = x.map(|v| s.n.dot(&v));
            assert!(along[..kind.first_side()].iter().all(|&a| a >= s.high - 1e-12));
            assert!(along[kind.first_side()..].iter().all(|&a| a <= s.low + 1e-12) && s.gap() > 1e-12);
        }
        assert!(separated > 490, "only {separated}");
    }

    /// Also pairs that nearly touch, far from the origin: the closest points' axis may be noise.
    #[test]
    fn a_gap_of_a_micrometre_is_still_certified() {
        let mut rng = Random::new(12);
        for k in 0..200 {
            let (kind, far) = (KINDS[k % 2], Vec3::new(3.0, -2.0, 1.0));
            let (q, p) = (rng.rotation(), rng.vector(0.1));
            let x = match kind {
                PairKind::VertexTriangle => {
                    [[0.0, 0.0, 1e-6], [-0.1, -0.1, 0.0], [0.1, -0.1, 0.0], [0.0, 0.1, 0.0]]
                }
                PairKind::EdgeEdge => {
                    [[-0.1, 0.0, 1e-6], [0.1, 0.0, 1e-6], [0.0, -0.1, 0.0], [0.0, 0.1, 0.0]]
                }
            };
            let x = x.map(|v| q * Vec3::from(v) + p + far);
            let gap = find_separator(kind, &x, 1e-9, 1e-12).map_or(0.0, |s| s.gap());
            assert!((gap - 1e-6).abs() < 1e-8, "{kind:?}: {gap}");
        }
    }

    #[test]
    fn what_crosses_has_no_separator() {
        let x =
            [Vec3::zeros(), Vec3::new(-1.0, -1.0, 0.0), Vec3::new(1.0, -1.0, 0.0), Vec3::new(0.0, 1.0, 0.0)];
        assert_eq!(find_separator(PairKind::VertexTriangle, &x, 1e-9, 1e-12), None);
        assert!((eval_contact_normal(PairKind::VertexTriangle, &x).z.abs() - 1.0).abs() < 1e-12);
        let x = [Vec3::x(), -Vec3::x(), Vec3::y(), -Vec3::y()];
        assert_eq!(find_separator(PairKind::EdgeEdge, &x, 1e-9, 1e-12), None);
        assert!((eval_contact_normal(PairKind::EdgeEdge, &x).z.abs() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_plane_leaves_each_side_what_it_asks_for_and_at_least_a_twentieth() {
        let s = Separator { n: Vec3::z(), low: 1.0, high: 2.0 };
        let kind = PairKind::VertexTriangle;
        let at = |first: f64, second: f64| {
            let u = [Vec3::z() * -first, Vec3::z() * second, Vec3::zeros(), Vec3::zeros()];
            place_plane(kind, &s, &u, 1e-6)
        };
        assert_eq!((at(0.0, 0.0), at(3.0, 3.0), at(-1.0, -2.0)), (1.5, 1.5, 1.5));
        assert!((at(1.0, 3.0) - 1.75).abs() < 1e-12);
        assert!((at(1.0, 0.0) - 1.05).abs() < 1e-12 && (at(0.0, 1.0) - 1.95).abs() < 1e-12);
    }
}
