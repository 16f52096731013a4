//! Gradients, declared Hessians and invariances of one pair.

use super::*;
use coact_math::{Quat, Vec3};
use coact_testkit::{Random, gradient, relative_error};

const R0: f64 = 0.02;
const H: f64 = 1.0 / 300.0;

fn law(depth: f64) -> PairLaw<f64> {
    let slip = SlipLaw { inv_h: 1.0 / H, epsilon: 1e-2 * H, damped_depth: depth, ..SlipLaw::default() };
    PairLaw { margin: R0, approach_floor: 0.0, skip_coincident: false, slip }
}

fn row(kind: PairKind) -> PairRow<f64> {
    PairRow { kind, n: V3::new(0.0, 0.0, 1.0), ke: 1e3, kd: 3.0, mu: 0.4, ..PairRow::default() }
}

const KINDS: [PairKind; 2] = [PairKind::VertexTriangle, PairKind::EdgeEdge];

/// Random features with a gap inside the margin, closest in the interior.
fn stencil(kind: PairKind, rng: &mut Random) -> [V3<f64>; 4] {
    let gap = rng.range(2e-3, 0.9 * R0);
    let x = match kind {
        PairKind::VertexTriangle => [
            Vec3::new(0.01, 0.02, gap),
            Vec3::new(-0.1, -0.1, 0.0),
            Vec3::new(0.12, -0.05, 0.0),
            Vec3::new(-0.02, 0.15, 0.0),
        ],
        PairKind::EdgeEdge => [
            Vec3::new(-0.1, 0.01, gap),
            Vec3::new(0.1, -0.02, gap),
            Vec3::new(0.03, -0.1, 0.0),
            Vec3::new(-0.02, 0.12, 0.0),
        ],
    };
    let (q, p) = (rng.rotation(), rng.vector(1.0));
    x.map(|x| V3::from_host(&(q * x + p)))
}

fn energy(kind: PairKind, x: &[V3<f64>; 4], k: f64) -> f64 {
    let (a, tau) = (eval_closest(kind, x).a, R0 / 2.0);
    match a {
        a if a >= R0 => 0.0,
        a if a >= tau => 0.5 * k * (R0 - a) * (R0 - a),
        a => k * tau * tau * (0.5 - (a / tau).ln()),
    }
}

fn unpack(flat: &[f64]) -> [V3<f64>; 4] {
    std::array::from_fn(|i| V3::new(flat[3 * i], flat[3 * i + 1], flat[3 * i + 2]))
}

fn pack(x: &[V3<f64>; 4]) -> Vec<f64> {
    x.iter().flat_map(|v| [v.x, v.y, v.z]).collect()
}

const STILL: [V3<f64>; 4] = [V3 { x: 0.0, y: 0.0, z: 0.0 }; 4];

#[test]
fn the_force_is_minus_the_gradient_of_the_energy() {
    let mut rng = Random::new(1);
    for k in 0..200 {
        let kind = KINDS[k % 2];
        let x = stencil(kind, &mut rng);
        let forces: [V3<f64>; 4] = std::array::from_fn(|i| eval_pair(&row(kind), i, &x, &STILL, &law(1.0)).f);
        let exact: Vec<f64> = gradient(|x| -energy(kind, &unpack(x), 1e3), &pack(&x));
        let error = relative_error(&pack(&forces), &exact, 1.0);
        assert!(error < 1e-5, "{kind:?}: {error}");
        assert!(forces[0].norm() > 0.1, "nothing was tested");
    }
}

/// With b and n held, the energy is E(n·Σ b x): its second derivative is the block.
#[test]
fn the_hessian_is_that_of_the_energy_with_weights_and_normal_held() {
    let mut rng = Random::new(2);
    for k in 0..100 {
        let kind = KINDS[k % 2];
        let x = stencil(kind, &mut rng);
        let c = eval_closest(kind, &x);
        let (s, curvature) = eval_barrier(c.a, R0, 1e3);
        for i in 0..4 {
            let block = eval_pair(&row(kind), i, &x, &STILL, &PairLaw { ..law(1.0) });
            let friction = row(kind).mu * -s * eval_slip_factor(0.0, law(1.0).slip.epsilon);
            let n = c.n.to_host(0);
            let nn = n * n.transpose();
            let held = (nn * curvature + (coact_math::Mat3::identity() - nn) * friction) * (c.b[i] * c.b[i]);
            assert!((block.H.to_host(0) - held).norm() < 1e-9 * (1.0 + held.norm()), "{kind:?} {i}");
            assert!(block.H.to_host(0).symmetric_eigenvalues().min() >= -1e-9 * held.norm());
        }
    }
}

#[test]
fn the_four_forces_sum_to_zero_and_make_no_torque_without_friction() {
    let mut rng = Random::new(5);
    for k in 0..100 {
        let kind = KINDS[k % 2];
        let x = stencil(kind, &mut rng);
        let u: [V3<f64>; 4] = std::array::from_fn(|_| V3::from_host(&rng.vector(1e-3)));
        let r = PairRow { mu: 0.0, ..row(kind) };
        let f: [V3<f64>; 4] = std::array::from_fn(|i| eval_pair(&r, i, &x, &u, &law(1e30)).f);
        let sum = f[0] + f[1] + f[2] + f[3];
        let torque = (0..4).map(|i| x[i].cross(f[i])).fold(V3::zero(), |a, b| a + b);
        let size = f[0].norm();
        assert!(sum.norm() < 1e-12 * size && torque.norm() < 1e-12 * size, "{kind:?}");
    }
}

/// Row 9: a motion of the whole stencil that keeps its shape is not damped.
#[test]
fn rigid_motion_of_a_pair_is_not_damped() {
    let mut rng = Random::new(6);
    for k in 0..100 {
        let kind = KINDS[k % 2];
        let x = stencil(kind, &mut rng);
        // a small turn: the chord of a larger one does change the distance
        let (turn, shift) = (Quat::from_scaled_axis(rng.vector(1e-5)), rng.vector(0.5));
        let u = x.map(|x| V3::from_host(&(x.to_host(0) - (turn * x.to_host(0) + shift))));
        for i in 0..4 {
            let r = PairRow { mu: 0.0, ..row(kind) };
            let with = eval_pair(&r, i, &x, &u, &law(1e30)).f;
            let without = eval_pair(&PairRow { kd: 0.0, ..r }, i, &x, &u, &law(1e30)).f;
            assert!((with - without).norm() <= 1e-4, "{kind:?} {i}: {:?}", with - without);
        }
    }
}

/// Row 10.
#[test]
fn a_translation_of_all_four_vertices_is_the_same_with_and_without_damping() {
    let mut rng = Random::new(7);
    for kind in KINDS {
        let x = stencil(kind, &mut rng);
        let u = [V3::new(0.02, -0.03, -0.05); 4];
        for i in 0..4 {
            let with = eval_pair(&row(kind), i, &x, &u, &law(1e30)).f;
            let without = eval_pair(&PairRow { kd: 0.0, ..row(kind) }, i, &x, &u, &law(1e30)).f;
            assert!((with - without).norm() < 1e-6);
        }
    }
}

#[test]
fn only_an_approach_is_damped_and_only_by_what_lies_inside() {
    let mut rng = Random::new(8);
    for kind in KINDS {
        let x = stencil(kind, &mut rng);
        let c = eval_closest(kind, &x);
        let along = |s: f64| [c.n * s, V3::zero(), V3::zero(), V3::zero()];
        let b = c.b[0];
        let n_force = |u, kd, depth| {
            eval_pair(&PairRow { kd, mu: 0.0, ..row(kind) }, 0, &x, &u, &law(depth)).f.dot(c.n) / b
        };
        let free = n_force(STILL, 3.0, 1.0);
        assert_eq!(n_force(along(0.01), 3.0, 1.0), free, "separation");
        let whole = n_force(along(-0.05), 3.0, 1e30) - free;
        assert!((whole - 3.0 / H * 0.05 * b).abs() < 1e-9 * whole);
        let inside = n_force(along(-0.05), 3.0, 1.0) - free;
        assert!((inside - 3.0 / H * (0.05 * b).min(R0 - c.a)).abs() < 1e-9 * whole);
    }
}

#[test]
fn friction_opposes_the_slip_with_mu_times_the_normal_force() {
    let mut rng = Random::new(9);
    for kind in KINDS {
        let x = stencil(kind, &mut rng);
        let c = eval_closest(kind, &x);
        let t = c.n.cross(V3::new(0.3, 0.2, 0.9));
        let u = [t * (0.01 / t.norm()), V3::zero(), V3::zero(), V3::zero()];
        let r = PairRow { kd: 0.0, ..row(kind) };
        let normal = eval_pair(&PairRow { mu: 0.0, ..r }, 0, &x, &u, &law(1.0)).f;
        let friction = eval_pair(&r, 0, &x, &u, &law(1.0)).f - normal;
        assert!((friction.norm() - 0.4 * normal.norm()).abs() < 1e-9 * normal.norm());
        assert!(friction.dot(t) < 0.0 && friction.dot(c.n).abs() < 1e-9);
    }
}

#[test]
fn sides_that_coincide_are_pushed_apart_along_the_last_normal() {
    let flat =
        [Vec3::zeros(), Vec3::new(-1.0, -1.0, 0.0), Vec3::new(1.0, -1.0, 0.0), Vec3::new(0.0, 1.0, 0.0)];
    let crossed = [
        Vec3::new(-1.0, 0.0, 0.0),
        Vec3::new(1.0, 0.0, 0.0),
        Vec3::new(0.0, -1.0, 0.0),
        Vec3::new(0.0, 1.0, 0.0),
    ];
    for (kind, x) in KINDS.into_iter().zip([flat, crossed]) {
        let x = x.map(|x| V3::from_host(&x));
        let first = eval_pair(&row(kind), 0, &x, &STILL, &law(1.0)).f;
        let second = eval_pair(&row(kind), 2, &x, &STILL, &law(1.0)).f;
        assert!(first.z > 1.0 && first.z.is_finite() && second.z < -0.1, "{kind:?}: {first:?} {second:?}");
        let skip = PairLaw { skip_coincident: true, ..law(1.0) };
        assert_eq!(eval_pair(&row(kind), 0, &x, &STILL, &skip), Block::zero());
    }
}
