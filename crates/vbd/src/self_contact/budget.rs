//! Truncation by one budget for all particles, as the reference has it:
//! `docs/theory/self-contact.md` eq. (16)–(18). Kept to be compared with.
//!
//! After the prediction and after every color, all displacements since the last detection
//! are scaled: by the least factor that keeps the particle on its side of the planes of its
//! pairs, whose places follow the present motion, and then to the budget.

use coact_math::{Real, Vec3};

use super::pair::PairKind;
use super::pairs::Pairs;
use super::separator::{Separator, find_separator, place_plane};

/// Smallest rounding of a position that planes stay away from \[m\].
const LEAST_EPSILON: f64 = 1e-6;
/// Spacing of `f32` just above 1, as far as positions are kept in it.
const EPSILON_F32: f64 = 1.19e-7;

/// State since the last detection.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// γ: the part of a gap and of the budget that may be used up.
    pub relaxation: f64,
    /// Largest displacement since the last detection \[m\].
    pub cap: f64,
    /// Positions at the last detection \[m\]. Shape: \[slot_count\].
    pub x_ref: Vec<Vec3>,
    /// Separator of each pressing pair with its distance from rounding; `None`: exempt.
    planes: Vec<(Option<Separator>, f64)>,
    /// Factor of each slot.
    factor: Vec<f64>,
}

impl Budget {
    /// A budget of half of γ times `reach` (margin + gap).
    pub fn new(slots: usize, relaxation: f64, reach: f64) -> Self {
        Self {
            relaxation,
            cap: 0.5 * relaxation * reach,
            x_ref: vec![Vec3::zeros(); slots],
            factor: vec![1.0; slots],
            ..Self::default()
        }
    }

    /// Takes over the pairs of a detection at `self.x_ref`. Returns the number of exempt pairs.
    pub fn place<R: Real>(&mut self, pairs: &Pairs<R>) -> usize {
        let x_ref = &self.x_ref;
        self.planes.clear();
        self.planes.extend(pairs.pressing().iter().map(|row| {
            let x = row.v.map(|s| x_ref[s as usize]);
            let eps = rounding(&x);
            (find_separator(row.kind, &x, 2.0 * eps, 0.0), eps)
        }));
        self.planes.iter().filter(|(s, _)| s.is_none()).count()
    }

    /// Capacity of the lists that depend on contacts.
    pub fn capacity(&self) -> usize {
        self.planes.capacity()
    }

    /// eq. (18): the factor by which every slot may keep its way from `self.x_ref` to `x`.
    pub fn eval_factors<R: Real>(&mut self, pairs: &Pairs<R>, x: impl Fn(usize) -> Vec3) {
        self.factor.fill(1.0);
        let u = |slot: usize| x(slot) - self.x_ref[slot];
        for (row, (separator, eps)) in pairs.pressing().iter().zip(&self.planes) {
            let Some(s) = separator else { continue };
            let begin = row.v.map(|v| self.x_ref[v as usize]);
            let motion = row.v.map(|v| u(v as usize));
            let t = eval_pair_factors(row.kind, s, &begin, &motion, *eps, self.relaxation);
            for (t, &slot) in t.into_iter().zip(&row.v) {
                let at = &mut self.factor[slot as usize];
                *at = at.min(t);
            }
        }
        for (slot, t) in self.factor.iter_mut().enumerate() {
            let length = *t * (x(slot) - self.x_ref[slot]).norm();
            if length > self.cap {
                *t *= self.cap / length;
            }
        }
    }

    /// Where a slot at `x` \[m\] may be by the last factors; `None` = where it is.
    pub fn limit(&self, slot: usize, x: &Vec3) -> Option<Vec3> {
        let t = self.factor[slot];
        (t < 1.0).then(|| self.x_ref[slot] + (x - self.x_ref[slot]) * t)
    }
}

fn rounding(x: &[Vec3; 4]) -> f64 {
    let largest = x.iter().fold(1.0_f64, |m, v| m.max(v.amax()));
    (4.0 * EPSILON_F32 * largest).max(LEAST_EPSILON)
}

/// eq. (18): how much of its motion `u` each vertex of a separated pair at `x` may keep.
pub fn eval_pair_factors(
    kind: PairKind,
    s: &Separator,
    x: &[Vec3; 4],
    u: &[Vec3; 4],
    eps: f64,
    relaxation: f64,
) -> [f64; 4] {
    let plane = place_plane(kind, s, u, eps);
    std::array::from_fn(|i| {
        let sign = if i < kind.first_side() { 1.0 } else { -1.0 };
        let begin = sign * (s.n.dot(&x[i]) - plane) - eps;
        let outward = sign * s.n.dot(&u[i]);
        match (begin < 0.0, begin + outward >= 0.0) {
            (true, _) => f64::from(u8::from(outward >= 0.0)),
            (false, true) => 1.0,
            (false, false) => relaxation * begin / -outward,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIANGLE: [Vec3; 3] =
        [Vec3::new(-1.0, -1.0, 0.0), Vec3::new(1.0, -1.0, 0.0), Vec3::new(0.0, 1.0, 0.0)];

    fn vertex_at(z: f64) -> [Vec3; 4] {
        [Vec3::new(0.0, 0.0, z), TRIANGLE[0], TRIANGLE[1], TRIANGLE[2]]
    }

    fn edges_at(z: f64) -> [Vec3; 4] {
        [Vec3::new(-1.0, 0.0, z), Vec3::new(1.0, 0.0, z), Vec3::new(0.0, -1.0, 0.0), Vec3::new(0.0, 1.0, 0.0)]
    }

    fn factors(kind: PairKind, x: [Vec3; 4], u: [f64; 4]) -> Option<[f64; 4]> {
        let eps = rounding(&x);
        let s = find_separator(kind, &x, 2.0 * eps, 0.0)?;
        Some(eval_pair_factors(kind, &s, &x, &u.map(|u| Vec3::z() * u), eps, 0.85))
    }

    /// Row 30: gap 1, both sides approach by 1.
    #[test]
    fn a_symmetric_approach_keeps_gamma_of_half_the_gap() {
        let expected = 0.85 * (0.5 - 1e-6);
        let vt = factors(PairKind::VertexTriangle, vertex_at(1.0), [-1.0, 1.0, 1.0, 1.0]).unwrap();
        let ee = factors(PairKind::EdgeEdge, edges_at(1.0), [-1.0, -1.0, 1.0, 1.0]).unwrap();
        for t in vt.iter().chain(&ee) {
            assert!((t - expected).abs() < 1e-6, "{vt:?} {ee:?}");
        }
    }

    /// Row 30: nothing separates what touches.
    #[test]
    fn a_touching_pair_is_left_alone() {
        assert_eq!(factors(PairKind::VertexTriangle, vertex_at(0.0), [-1.0, 1.0, 1.0, 1.0]), None);
        assert_eq!(factors(PairKind::EdgeEdge, edges_at(0.0), [-1.0, -1.0, 1.0, 1.0]), None);
    }

    #[test]
    fn motion_away_and_along_passes() {
        let away = factors(PairKind::VertexTriangle, vertex_at(1.0), [2.0, -1.0, -1.0, -1.0]).unwrap();
        assert_eq!(away, [1.0; 4]);
        let s = Separator { n: Vec3::z(), low: 0.0, high: 1.0 };
        let slide =
            eval_pair_factors(PairKind::VertexTriangle, &s, &vertex_at(1.0), &[Vec3::x(); 4], 1e-6, 0.85);
        assert_eq!(slide, [1.0; 4]);
    }

    #[test]
    fn the_budget_caps_what_no_plane_limits() {
        let mut budget = Budget::new(2, 0.85, 0.02);
        let pairs = Pairs::<f64>::new(2);
        assert_eq!(budget.place(&pairs), 0);
        let u = [Vec3::x() * 0.017, Vec3::x() * 0.004];
        budget.eval_factors(&pairs, |s| u[s]);
        let kept = [0, 1].map(|s| budget.limit(s, &u[s]));
        assert!((kept[0].unwrap() - u[0] * 0.5).norm() < 1e-12 && kept[1].is_none(), "{kept:?}");
    }
}
