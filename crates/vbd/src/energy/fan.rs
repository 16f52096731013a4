//! Membranes and bending around one vertex, walked as a fan of triangles.
//!
//! `docs/theory/elasticity.md` eq. (28)–(33). The vertex x has a ring r₀, r₁, … ; with a = r_k - x,
//! b = r_{k+1} - x, e = b - a, n = a × b the triangle of sector k is (x, r_k, r_{k+1}), and M =
//! Dm⁻¹Dm⁻ᵀ, a 2×2 matrix, is all that it needs of its rest shape:
//!
//! ```text
//! q = -M (1, 1)ᵀ,   F m = [a b] q,   |m|² = 1ᵀM 1,   area ratio = √det M |n|
//! F ΔC m = [a b] M ΔG q,   G = [a b]ᵀ[a b]
//! ∂a/∂x = -(det M / area ratio) e × n
//! ```
//! The hinge on the edge r_k r_{k+1} pulls x along n alone; the hinge on the spoke a has the
//! normals of both its sectors. For every hinge (n₁×n₂)·ê = -|e| n₁·(x₁-x₂). So positions are read
//! once, and normals and lengths serve several elements.
//!
//! The same energies as `membrane.rs` and `hinge.rs`, corner by corner, up to rounding; a triangle
//! squeezed to the floor of the area there has smaller hinge gradients here. Left out on purpose:
//! open fans and triangles of mixed orientation, which are evaluated element by element.

use super::membrane::{AREA_SQ_FLOOR, MembraneHessian, NORMAL_SHARE};
use super::{Block, hinge::DEGENERATE};
use super::{Hinge, Membrane};
use coact_math::{M2, Real, S3, Scalar, V3};

/// A hinge, its numbers multiplied out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fold<R> {
    /// Stiffness ke L₀ \[J/rad²\].
    pub ke: R,
    /// Rest angle \[rad\].
    pub theta0: R,
}

/// Its damping.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FoldDamping<R> {
    /// kd L₀ \[J s/rad²\].
    pub kd: R,
    /// Angle at the begin of the step \[rad\]; not a number where it had none.
    pub start: R,
}

/// What is damped, and 1/dt \[1/s\].
pub type Damped<'a, D, R> = Option<(&'a D, R)>;

impl<R: Real> Fold<R> {
    /// From the record of a hinge.
    pub fn new(h: &Hinge<R>) -> (Self, FoldDamping<R>) {
        let damping = FoldDamping { kd: h.kd * h.L0, start: R::zero() };
        (Self { ke: h.ke * h.L0, theta0: h.theta0 }, damping)
    }

    /// Moment -∂E/∂θ \[N m\] and stiffness of the angle, damping included: eq. (21), (23).
    #[inline(always)]
    fn moment(&self, theta: R, damped: Damped<FoldDamping<R>, R>) -> (R, R) {
        let elastic = self.ke * (theta - self.theta0);
        let Some((damping, inv_dt)) = damped else { return (-elastic, self.ke) };
        let start = damping.start;
        let k = R::select(start.cmp_eq(start), damping.kd * inv_dt, R::zero());
        let (pi, turn) = (R::from_f64(std::f64::consts::PI), R::from_f64(std::f64::consts::TAU));
        let delta = R::select(start.cmp_eq(start), theta - start, R::zero());
        let delta = R::select(delta.cmp_gt(pi), delta - turn, delta);
        let delta = R::select(delta.cmp_lt(-pi), delta + turn, delta);
        (-(elastic + k * delta), self.ke + k)
    }
}

/// The triangle of a sector, its numbers multiplied out. A q is minus the weight of an edge, the
/// same for both ends, and rounded once: forces of a triangle add up to zero to rounding of forces,
/// not of rest shapes, which would push one way for ever.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sector<R> {
    /// q \[1/m²\].
    pub q: [R; 2],
    /// det M \[1/m⁴\].
    pub det: R,
    /// A μ \[N m\].
    pub mu: R,
    /// A (λ + μ) \[N m\].
    pub lambda: R,
}

/// Its damping.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SectorDamping<R> {
    /// Entry 12 of M \[1/m²\].
    pub m12: R,
    /// 2 A kd \[N m s\].
    pub kd: R,
}

impl<R: Scalar> Sector<R> {
    /// From a membrane whose vertex 0 is x; products are rounded once.
    pub fn new(m: &Membrane<f64>) -> (Self, SectorDamping<R>) {
        let M2 { xx: a, xy: b, yx: c, yy: d } = m.Dm_inv;
        let (m11, m12, m22) = (a * a + b * b, a * c + b * d, c * c + d * d);
        let (det, r) = (a * d - b * c, R::from_f64);
        let sector = Self {
            q: [r(-(m11 + m12)), r(-(m12 + m22))],
            det: r(det * det),
            mu: r(m.A * m.mu),
            lambda: r(m.A * (m.lambda + m.mu)),
        };
        (sector, SectorDamping { m12: r(m12), kd: r(2.0 * m.A * m.kd) })
    }
}

/// A vertex of the ring, seen from x.
#[derive(Clone, Copy)]
pub struct Ray<R> {
    /// r - x \[m\].
    pub a: V3<R>,
    /// Its change since the begin of the step \[m\].
    pub da: V3<R>,
    sq: R,
}

impl<R: Real> Ray<R> {
    /// From the difference and its change.
    #[inline(always)]
    pub fn new(a: V3<R>, da: V3<R>) -> Self {
        Self { a, da, sq: a.norm_sq() }
    }
}

/// The geometry of a sector.
#[derive(Clone, Copy)]
pub struct Face<R: Real> {
    n: V3<R>,
    e: V3<R>,
    e_sq: R,
    /// a · b.
    ab: R,
    /// Area ratio and its inverse.
    area: R,
    inv_area: R,
    /// 1/|n|²; zero where degenerate.
    inv_sq: R,
    regular: R::Mask,
}

impl<R: Real> Face<R> {
    /// Between two rays, with det M of the rest shape: eq. (28).
    #[inline(always)]
    pub fn new(a: &Ray<R>, b: &Ray<R>, det: R) -> Self {
        let (n, e) = (a.a.cross(b.a), b.a - a.a);
        let n_sq = n.norm_sq();
        let area = (n_sq * det).max(R::from_f64(AREA_SQ_FLOOR)).sqrt();
        let inv_area = area.recip();
        let regular = n_sq.cmp_gt(R::from_f64(DEGENERATE * DEGENERATE) * (a.sq * b.sq));
        let inv_sq = R::select(regular, det * (inv_area * inv_area), R::zero());
        Self { n, e, e_sq: e.norm_sq(), ab: a.a.dot(b.a), area, inv_area, inv_sq, regular }
    }
}

/// Force and block of the triangle of a sector: eq. (29)–(31); `damped`: with its damping.
#[inline(always)]
pub fn eval_sector<R: Real>(
    s: &Sector<R>,
    rays: [&Ray<R>; 2],
    face: &Face<R>,
    hessian: MembraneHessian,
    damped: Damped<SectorDamping<R>, R>,
) -> Block<R> {
    let [a, b] = rays;
    let [q1, q2] = s.q;
    let m_sq = -(q1 + q2);
    // elastic
    let pull = s.lambda * (face.area - R::one()) - s.mu;
    let slope = s.det * face.inv_area;
    let t = face.e.cross(face.n);
    let mut H = S3::outer(s.lambda * (slope * slope), t);
    let shear = s.mu * m_sq;
    let bulge = face.inv_area * (slope * slope) * face.e_sq;
    let bulge = match hessian {
        // 1/|n|² = det/area²: n is no unit vector
        MembraneHessian::Bounded => {
            (pull * bulge).max(shear * (slope * face.inv_area) * R::from_f64(-NORMAL_SHARE))
        }
        MembraneHessian::Clamped => pull.max(R::zero()) * bulge,
    };
    H.add_outer(bulge, face.n);
    H.add_diagonal(shear);
    let (mut fa, mut fb) = (s.mu * q1, s.mu * q2);
    // damping: ΔG, u = ΔG q, M u, and the form [a b] (|m|² M + q qᵀ) [a b]ᵀ
    if let Some((damping, inv_dt)) = damped {
        let (k, m12) = (damping.kd * inv_dt, damping.m12);
        let (m11, m22) = (-(q1 + m12), -(q2 + m12));
        let g11 = a.da.dot(a.a + (a.a - a.da));
        let g12 = a.a.dot(b.da) + a.da.dot(b.a - b.da);
        let g22 = b.da.dot(b.a + (b.a - b.da));
        let (u1, u2) = (g11 * q1 + g12 * q2, g12 * q1 + g22 * q2);
        fa += k * (m11 * u1 + m12 * u2);
        fb += k * (m12 * u1 + m22 * u2);
        let p12 = k * (m_sq * m12 + q1 * q2);
        let p = a.a * (k * (m_sq * m11 + q1 * q1)) + b.a * p12;
        let r = a.a * p12 + b.a * (k * (m_sq * m22 + q2 * q2));
        H.xx += a.a.x * p.x + b.a.x * r.x;
        H.xy += a.a.x * p.y + b.a.x * r.y;
        H.xz += a.a.x * p.z + b.a.x * r.z;
        H.yy += a.a.y * p.y + b.a.y * r.y;
        H.yz += a.a.y * p.z + b.a.y * r.z;
        H.zz += a.a.z * p.z + b.a.z * r.z;
    }
    Block { f: t * (pull * slope) - (a.a * fa + b.a * fb), H }
}

/// Force and block of the hinge across from x, with `o` = its other tip from x: eq. (32).
#[inline(always)]
pub fn eval_tip<R: Real>(
    fold: &Fold<R>,
    damped: Damped<FoldDamping<R>, R>,
    rays: [&Ray<R>; 2],
    face: &Face<R>,
    o: V3<R>,
) -> Block<R> {
    let (a, b) = (rays[0].a - o, rays[1].a - o);
    let n2 = b.cross(a);
    let t = R::from_f64(DEGENERATE * DEGENERATE);
    let regular = face.regular
        & n2.norm_sq().cmp_gt(t * (a.norm_sq() * b.norm_sq()))
        & face.e_sq.cmp_gt(t * (rays[0].sq + rays[1].sq));
    let length = face.e_sq.sqrt();
    let theta = (-(length * face.n.dot(o))).atan2(face.n.dot(n2));
    let (moment, k) = fold.moment(R::select(regular, theta, R::zero()), damped);
    let factor = R::select(regular, -(length * face.inv_sq), R::zero());
    Block { f: face.n * (moment * factor), H: S3::outer(k * (factor * factor), face.n) }
}

/// Force and block of the hinge on the spoke `a`, between the sectors before and after it; `b` is
/// the ray that follows: eq. (33).
#[inline(always)]
pub fn eval_spoke<R: Real>(
    fold: &Fold<R>,
    damped: Damped<FoldDamping<R>, R>,
    [a, b]: [&Ray<R>; 2],
    before: &Face<R>,
    after: &Face<R>,
) -> Block<R> {
    let t = R::from_f64(DEGENERATE * DEGENERATE);
    let regular = before.regular & after.regular & a.sq.cmp_gt(t * (b.sq + after.e_sq));
    let length = a.sq.sqrt();
    let theta = (-(length * before.n.dot(b.a))).atan2(after.n.dot(before.n));
    let (moment, k) = fold.moment(R::select(regular, theta, R::zero()), damped);
    let inv = length.recip_where(regular);
    let p = (a.sq - after.ab) * after.inv_sq * inv;
    let q = (a.sq - before.ab) * before.inv_sq * inv;
    let g = after.n * p + before.n * q;
    Block { f: g * moment, H: S3::outer(k, g) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::tests::Lcg;
    use crate::energy::{
        edges, eval_hinge_angle, eval_hinge_damping, eval_hinge_elastic, eval_membrane_damping,
        eval_membrane_elastic, membrane_F, membrane_weights,
    };
    use coact_math::Vec3;

    const RING: usize = 5;
    const INV_DT: f64 = 300.0;

    struct Scene {
        x: [V3<f64>; 2 * RING + 1],
        u: [V3<f64>; 2 * RING + 1],
        membranes: [Membrane<f64>; RING],
        hinge: Hinge<f64>,
    }

    /// A crumpled ring (1..=RING) about vertex 0 with outer tips; rest shape flat.
    fn scene(r: &mut Lcg) -> Scene {
        let flat = |k: usize, far: f64| {
            let phi = std::f64::consts::TAU * k as f64 / RING as f64;
            Vec3::new(far * phi.cos(), far * phi.sin(), 0.0)
        };
        let mut rest = vec![Vec3::zeros()];
        rest.extend((0..RING).map(|k| flat(k, 1.0)));
        rest.extend((0..RING).map(|k| (flat(k, 1.0) + flat(k + 1, 1.0)) * 1.1));
        let membranes = std::array::from_fn(|k| {
            let X = [rest[0], rest[1 + k], rest[1 + (k + 1) % RING]];
            Membrane::from_rest(&X, 3.0, 7.0, 0.02).expect("has an area")
        });
        Scene {
            x: std::array::from_fn(|i| V3::from_host(&(rest[i] + r.vec() * 0.3))),
            u: std::array::from_fn(|_| V3::from_host(&(r.vec() * 0.1))),
            membranes,
            hinge: Hinge { L0: 0.9, theta0: 0.2, ke: 1.5, kd: 0.01 },
        }
    }

    fn hinge(s: &Scene, v: [usize; 4], corner: usize) -> Block<f64> {
        let start = eval_hinge_angle(&v.map(|i| s.x[i] - s.u[i]));
        let angle = eval_hinge_angle(&v.map(|i| s.x[i]));
        let g = angle.gradient(corner);
        eval_hinge_elastic(&s.hinge, angle.theta, g)
            + eval_hinge_damping(&s.hinge, angle.theta, (start.theta, start.regular), g, INV_DT)
    }

    fn one_by_one(s: &Scene, hessian: MembraneHessian) -> Block<f64> {
        let mut sum = Block::zero();
        for k in 0..RING {
            let (a, b, c) = (1 + k, 1 + (k + 1) % RING, 1 + (k + RING - 1) % RING);
            let (e, v) = (&s.membranes[k], [0, a, b]);
            let (F, dF) = (
                membrane_F(&edges(&v.map(|i| s.x[i])), &e.Dm_inv),
                membrane_F(&edges(&v.map(|i| s.u[i])), &e.Dm_inv),
            );
            let m = membrane_weights(&e.Dm_inv, 0);
            sum += eval_membrane_elastic(e, &F, &m, hessian);
            sum += eval_membrane_damping(e, &F, &dF, &m, INV_DT);
            sum += hinge(s, [0, 1 + RING + k, a, b], 0) + hinge(s, [b, c, 0, a], 2);
        }
        sum
    }

    fn as_fan(s: &Scene, hessian: MembraneHessian) -> Block<f64> {
        let ray = |i: usize| Ray::new(s.x[i] - s.x[0], s.u[i] - s.u[0]);
        let start = |v: [usize; 4]| eval_hinge_angle(&v.map(|i| s.x[i] - s.u[i])).theta;
        let (fold, damping) = Fold::new(&s.hinge);
        let mut sum = Block::zero();
        for k in 0..RING {
            let (i, j, l) = (1 + k, 1 + (k + 1) % RING, 1 + (k + RING - 1) % RING);
            let (sector, damped) = Sector::new(&s.membranes[k]);
            let (a, b, c) = (ray(i), ray(j), ray(l));
            let (before, after) = (Face::new(&c, &a, sector.det), Face::new(&a, &b, sector.det));
            sum += eval_sector(&sector, [&a, &b], &after, hessian, Some((&damped, INV_DT)));
            let o = 1 + RING + k;
            let tip = FoldDamping { start: start([0, o, i, j]), ..damping };
            let spoke = FoldDamping { start: start([j, l, 0, i]), ..damping };
            sum += eval_tip(&fold, Some((&tip, INV_DT)), [&a, &b], &after, s.x[o] - s.x[0]);
            sum += eval_spoke(&fold, Some((&spoke, INV_DT)), [&a, &b], &before, &after);
        }
        sum
    }

    #[test]
    fn a_fan_equals_the_sum_of_its_elements() {
        let mut r = Lcg::new(71);
        for _ in 0..500 {
            let s = scene(&mut r);
            for hessian in [MembraneHessian::Bounded, MembraneHessian::Clamped] {
                let (one, fan) = (one_by_one(&s, hessian), as_fan(&s, hessian));
                let (f, H) = ((one.f - fan.f).norm(), (one.H - fan.H).max_row_sum());
                assert!(one.f.norm() > 0.1 && one.H.max_row_sum() > 1.0, "nothing happened");
                assert!(f < 1e-10 * one.f.norm().max(1.0) && H < 1e-10 * one.H.max_row_sum(), "{f:e} {H:e}");
            }
        }
    }
}
