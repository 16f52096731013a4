//! Eight or sixteen elements at once give the bits of one, and a lane of zeros gives
//! zeros, beside lanes that work.

use super::*;
use coact_math::{F32x8, F32x16, F64x4, M2, M3, Scalar, wide_lanes_available};

/// One element of each kind with its state, scalar.
struct Case<S> {
    tet: Tetrahedron<S>,
    tri: Membrane<S>,
    hinge: Hinge<S>,
    spring: Spring<S>,
    x: [V3<S>; 4],
    u: [V3<S>; 4],
}

impl<S: Scalar> Case<S> {
    fn random(r: &mut Lcg) -> Self {
        let rest = r.near(&TET, 0.2);
        let s = |x: f64| S::round_from(x);
        Self {
            tet: Tetrahedron::from_rest(&rest, r.range(0.1, 9.0), r.range(0.1, 9.0), 0.4).unwrap(),
            tri: Membrane::from_rest(&[rest[0], rest[1], rest[2]], r.range(0.1, 9.0), 3.0, 0.3).unwrap(),
            hinge: Hinge { L0: s(r.range(0.5, 2.0)), theta0: s(r.range(-1.0, 1.0)), ke: s(2.0), kd: s(0.1) },
            spring: Spring { l0: s(r.range(0.5, 2.0)), ke: s(3.0), kd: s(0.2) },
            x: kernel(&r.near(&TET, 1.0)),
            u: kernel(&r.near(&[Vec3::zeros(); 4], 0.1)),
        }
    }

    fn padding() -> Self {
        Self {
            tet: Tetrahedron::default(),
            tri: Membrane::default(),
            hinge: Hinge::default(),
            spring: Spring::default(),
            x: [V3::zero(); 4],
            u: [V3::zero(); 4],
        }
    }
}

fn blocks<R: Real>(c: &Case<R>, i: usize) -> Vec<Block<R>> {
    let [x0, x1, x2, _] = c.x;
    let [u0, u1, u2, _] = c.u;
    let tri = membrane(&c.tri, &[x0, x1, x2], &[u0, u1, u2], i.min(2));
    let bar = |h| spring(&c.spring, x1 - x0, u1 - u0, h);
    let sum = [tetrahedron(&c.tet, &c.x, &c.u, i), tri, hinge(&c.hinge, &c.x, &c.u, i)];
    let pairs = sum.into_iter().chain([bar(SpringHessian::Clamped), bar(SpringHessian::Exact)]);
    pairs.flat_map(|(e, d)| [e, d]).collect()
}

type Get<'a, S, T> = &'a dyn Fn(&Case<S>) -> T;

fn gather<R: Real>(cases: &[Case<R::Scalar>]) -> Case<R> {
    let r = |f: Get<R::Scalar, R::Scalar>| R::from_fn(|i| f(&cases[i]));
    let v = |f: Get<R::Scalar, V3<R::Scalar>>| V3::from_fn(|i| f(&cases[i]));
    Case {
        tet: Tetrahedron {
            Dm_inv: M3::from_columns(v(&|c| c.tet.Dm_inv.x), v(&|c| c.tet.Dm_inv.y), v(&|c| c.tet.Dm_inv.z)),
            V: r(&|c| c.tet.V),
            mu: r(&|c| c.tet.mu),
            lambda: r(&|c| c.tet.lambda),
            kd: r(&|c| c.tet.kd),
        },
        tri: Membrane {
            Dm_inv: M2::new(
                r(&|c| c.tri.Dm_inv.xx),
                r(&|c| c.tri.Dm_inv.xy),
                r(&|c| c.tri.Dm_inv.yx),
                r(&|c| c.tri.Dm_inv.yy),
            ),
            A: r(&|c| c.tri.A),
            mu: r(&|c| c.tri.mu),
            lambda: r(&|c| c.tri.lambda),
            kd: r(&|c| c.tri.kd),
        },
        hinge: Hinge {
            L0: r(&|c| c.hinge.L0),
            theta0: r(&|c| c.hinge.theta0),
            ke: r(&|c| c.hinge.ke),
            kd: r(&|c| c.hinge.kd),
        },
        spring: Spring { l0: r(&|c| c.spring.l0), ke: r(&|c| c.spring.ke), kd: r(&|c| c.spring.kd) },
        x: std::array::from_fn(|k| v(&|c| c.x[k])),
        u: std::array::from_fn(|k| v(&|c| c.u[k])),
    }
}

fn bits<R: Real>(b: &Block<R>, lane: usize) -> Vec<<R::Scalar as Scalar>::Bits> {
    let (f, H) = (b.f, b.H);
    [f.x, f.y, f.z, H.xx, H.xy, H.xz, H.yy, H.yz, H.zz].iter().map(|v| v.lane(lane).to_bits()).collect()
}

fn lanes_equal_scalars<R: Real>(seed: u64) {
    let mut r = Lcg::new(seed);
    for _ in 0..200 {
        let mut cases: Vec<Case<R::Scalar>> = (0..R::LANES).map(|_| Case::random(&mut r)).collect();
        cases[2] = Case::padding();
        let wide = gather::<R>(&cases);
        for i in 0..4 {
            let wide = blocks(&wide, i);
            for (lane, case) in cases.iter().enumerate() {
                for (w, s) in wide.iter().zip(blocks(case, i)) {
                    assert_eq!(bits(w, lane), bits(&s, 0), "lane {lane}");
                    assert!((s == Block::zero()) == (lane == 2), "lane {lane}: {s:?}");
                }
            }
        }
    }
}

#[test]
fn lanes_equal_scalars_and_padding_is_zero() {
    lanes_equal_scalars::<F32x8>(21);
    if wide_lanes_available() {
        lanes_equal_scalars::<F32x16>(22);
    }
    lanes_equal_scalars::<F64x4>(23);
}

/// A vertex that is opposite in one lane and on the edge in the next.
#[test]
fn roles_may_differ_between_lanes() {
    let mut r = Lcg::new(24);
    for _ in 0..100 {
        let x = kernel::<F64x4, 4>(&r.near(&HINGE, 0.3));
        let now = eval_hinge_angle(&x);
        let role = std::array::from_fn(|i| F64x4::from_fn(|lane| f64::from(u8::from(lane == i))));
        let g = now.gradient_of(&role);
        for i in 0..4 {
            assert_eq!(g.lane(i), now.gradient(i).lane(i));
        }
    }
}
