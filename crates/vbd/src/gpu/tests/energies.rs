//! Elements: `shaders/vbd/{spring,membrane,metric_damping,hinge,tetrahedron}.wgsl`, and the
//! blocks that they make.

#![allow(non_snake_case)]

use coact_compute::parity::{Expected, word};
use coact_math::{M2, M3, Mask, Real, S3, V3};

use super::terms::Terms;
use super::{Lcg, Words, check, push, push_s3, push_v3, put};
use crate::energy::*;

fn push_block(e: &mut Expected, b: Block<Terms>) {
    push_v3(e, b.f);
    push_s3(e, b.H);
}

/// Rest shapes near the unit element of size `s`, and deformed ones.
fn vectors(r: &mut Lcg, to: &mut Vec<f32>, n: usize) {
    (0..n).for_each(|_| put(to, r.vec().iter().copied()));
}

fn dm_inv2(w: &mut Words) -> M2<Terms> {
    let [xx, xy, yx, yy] = w.reals();
    M2::new(xx, xy, yx, yy)
}

fn dm_inv3(w: &mut Words) -> M3<Terms> {
    let [x, y, z] = w.v3s();
    M3::from_columns(x, y, z)
}

fn membrane(w: &mut Words) -> Membrane<Terms> {
    let Dm_inv = dm_inv2(w);
    let [A, mu, lambda, kd] = w.reals();
    Membrane { Dm_inv, A, mu, lambda, kd }
}

fn tetrahedron(w: &mut Words) -> Tetrahedron<Terms> {
    let Dm_inv = dm_inv3(w);
    let [V, mu, lambda, kd] = w.reals();
    Tetrahedron { Dm_inv, V, mu, lambda, kd }
}

/// (size, stiffness, stiffness, damping)
fn material(r: &mut Lcg, to: &mut Vec<f32>) {
    put(to, [r.size(1e-4, 1.0), r.size(1.0, 1e5), r.size(1.0, 1e5), r.size(1e-3, 10.0)]);
}

fn numbers(r: &mut Lcg, to: &mut Vec<f32>, n: usize) {
    (0..n).for_each(|_| put(to, [r.range(-3.0, 3.0)]));
}

#[test]
fn deformation_gradients_and_weights_agree() {
    let file = "vbd/membrane.wgsl";
    check(
        file,
        "membrane_F",
        2.0,
        |r, to| (vectors(r, to, 3), numbers(r, to, 4)).1,
        |w, e| {
            let x = w.v3s();
            membrane_F(&edges::<_, 3, 2>(&x), &dm_inv2(w)).into_iter().for_each(|f| push_v3(e, f));
        },
    );
    let corner = |n: f64| move |r: &mut Lcg| word(r.range(0.0, n) as u32);
    let corner3 = corner(3.0);
    check(
        file,
        "membrane_weights",
        1.0,
        |r, to| (numbers(r, to, 4), to.push(corner3(r))).1,
        |w, e| {
            let m = dm_inv2(w);
            membrane_weights(&m, w.word() as usize).into_iter().for_each(|m| push(e, m));
        },
    );
    let file = "vbd/tetrahedron.wgsl";
    check(
        file,
        "tetrahedron_F",
        2.0,
        |r, to| (vectors(r, to, 4), numbers(r, to, 9)).1,
        |w, e| {
            let x = w.v3s();
            tetrahedron_F(&edges::<_, 4, 3>(&x), &dm_inv3(w)).into_iter().for_each(|f| push_v3(e, f));
        },
    );
    let corner4 = corner(4.0);
    check(
        file,
        "tetrahedron_weights",
        1.0,
        |r, to| (numbers(r, to, 9), to.push(corner4(r))).1,
        |w, e| {
            let m = dm_inv3(w);
            tetrahedron_weights(&m, w.word() as usize).into_iter().for_each(|m| push(e, m));
        },
    );
}

#[test]
fn membranes_agree() {
    let file = "vbd/membrane.wgsl";
    let element = |r: &mut Lcg, to: &mut Vec<f32>| {
        numbers(r, to, 4);
        material(r, to);
    };
    check(
        file,
        "membrane_area",
        2.0,
        |r, to| vectors(r, to, 2),
        |w, e| {
            let F: [V3<Terms>; 2] = w.v3s();
            let c = F[0].cross(F[1]);
            let a = c.norm_sq().max(Terms::from_f64(1e-20)).sqrt();
            push(e, a);
            push_v3(e, c * a.recip());
        },
    );
    check(
        file,
        "eval_membrane_elastic",
        2.0,
        |r, to| {
            element(r, to);
            vectors(r, to, 2);
            numbers(r, to, 2);
            to.push(word(r.range(0.0, 2.0) as u32));
        },
        |w, e| {
            let element = membrane(w);
            let (F, m) = (w.v3s(), w.reals());
            let hessian = if w.word() == 1 { MembraneHessian::Clamped } else { MembraneHessian::Bounded };
            push_block(e, eval_membrane_elastic(&element, &F, &m, hessian));
        },
    );
    let inputs = |r: &mut Lcg, to: &mut Vec<f32>| {
        element(r, to);
        vectors(r, to, 4);
        numbers(r, to, 2);
        put(to, [r.size(30.0, 1000.0)]);
    };
    check(file, "eval_membrane_damping", 2.0, inputs, |w, e| {
        let element = membrane(w);
        let (F, dF, m) = (w.v3s(), w.v3s(), w.reals());
        push_block(e, eval_membrane_damping(&element, &F, &dF, &m, w.real()));
    });
}

#[test]
fn metric_damping_agrees() {
    let file = "vbd/metric_damping.wgsl";
    check(
        file,
        "metric_change",
        2.0,
        |r, to| vectors(r, to, 4),
        |w, e| {
            let [Fa, Fb, dFa, dFb] = w.v3s();
            push(e, Fa.dot(dFb) + dFa.dot(Fb - dFb));
        },
    );
    check(
        file,
        "eval_metric_damping2",
        2.0,
        |r, to| (vectors(r, to, 4), numbers(r, to, 3)).1,
        |w, e| {
            let (F, dF, m) = (w.v3s::<2>(), w.v3s(), w.reals());
            push_block(e, eval_metric_damping(&F, &dF, &m, w.real()));
        },
    );
    check(
        file,
        "eval_metric_damping3",
        2.0,
        |r, to| (vectors(r, to, 6), numbers(r, to, 4)).1,
        |w, e| {
            let (F, dF, m) = (w.v3s::<3>(), w.v3s(), w.reals());
            push_block(e, eval_metric_damping(&F, &dF, &m, w.real()));
        },
    );
}

#[test]
fn tetrahedra_agree() {
    let file = "vbd/tetrahedron.wgsl";
    let element = |r: &mut Lcg, to: &mut Vec<f32>| {
        numbers(r, to, 9);
        material(r, to);
    };
    let inputs = |r: &mut Lcg, to: &mut Vec<f32>| (element(r, to), vectors(r, to, 3), numbers(r, to, 3)).2;
    check(file, "eval_tetrahedron_elastic", 2.0, inputs, |w, e| {
        let element = tetrahedron(w);
        let (F, m) = (w.v3s(), w.reals());
        push_block(e, eval_tetrahedron_elastic(&element, &F, &m));
    });
    let inputs = |r: &mut Lcg, to: &mut Vec<f32>| {
        element(r, to);
        vectors(r, to, 6);
        numbers(r, to, 3);
        put(to, [r.size(30.0, 1000.0)]);
    };
    check(file, "eval_tetrahedron_damping", 2.0, inputs, |w, e| {
        let element = tetrahedron(w);
        let (F, dF, m) = (w.v3s(), w.v3s(), w.reals());
        push_block(e, eval_tetrahedron_damping(&element, &F, &dF, &m, w.real()));
    });
}

fn spring(w: &mut Words) -> Spring<Terms> {
    let [l0, ke, kd] = w.reals();
    Spring { l0, ke, kd }
}

#[test]
fn springs_agree() {
    let file = "vbd/spring.wgsl";
    let element = |r: &mut Lcg, to: &mut Vec<f32>| {
        put(to, [r.size(0.01, 2.0), r.size(1.0, 1e5), r.size(1e-3, 10.0)]);
        vectors(r, to, 1);
    };
    check(file, "spring_axis", 2.0, element, |w, e| {
        let (s, d) = (spring(w), w.v3());
        let l = d.norm().max((s.l0 * Terms::from_f64(1e-8)).max(Terms::tiny()));
        push(e, l);
        push_v3(e, d * l.recip());
    });
    let inputs = |r: &mut Lcg, to: &mut Vec<f32>| (element(r, to), to.push(word(r.range(0.0, 2.0) as u32))).1;
    check(file, "eval_spring_elastic", 2.0, inputs, |w, e| {
        let (s, d) = (spring(w), w.v3());
        let hessian = if w.word() == 1 { SpringHessian::Exact } else { SpringHessian::Clamped };
        push_block(e, eval_spring_elastic(&s, d, hessian));
    });
    let inputs = |r: &mut Lcg, to: &mut Vec<f32>| {
        element(r, to);
        put(to, (r.vec() * 0.01).iter().copied());
        put(to, [r.size(30.0, 1000.0)]);
    };
    check(file, "eval_spring_damping", 2.0, inputs, |w, e| {
        let (s, d, dd) = (spring(w), w.v3(), w.v3());
        push_block(e, eval_spring_damping(&s, d, dd, w.real()));
    });
}

fn hinge(w: &mut Words) -> Hinge<Terms> {
    let [L0, theta0, ke, kd] = w.reals();
    Hinge { L0, theta0, ke, kd }
}

#[test]
fn hinges_agree() {
    let file = "vbd/hinge.wgsl";
    let flag = |r: &mut Lcg| word(r.range(0.0, 8.0).min(1.0) as u32);
    check(
        file,
        "hinge_inv",
        1.0,
        |r, to| (numbers(r, to, 1), to.push(flag(r))).1,
        |w, e| {
            let (v, regular) = (w.real(), w.word() == 1);
            push(e, if regular { v.recip() } else { Terms::zero() });
        },
    );
    check(
        file,
        "eval_hinge_angle",
        2.0,
        |r, to| vectors(r, to, 4),
        |w, e| {
            let a = eval_hinge_angle(&w.v3s());
            push(e, a.theta);
            e.push_word(u32::from(a.regular.lane(0)));
            let (d, length, start) = a.parts();
            push_v3(e, d[0]);
            push_v3(e, d[1]);
            push(e, length);
            start.into_iter().for_each(|s| push(e, s));
        },
    );
    let element = |r: &mut Lcg, to: &mut Vec<f32>| {
        put(to, [r.size(0.01, 1.0), r.range(-1.0, 1.0), r.size(1e-4, 10.0), r.size(1e-6, 0.1)]);
        put(to, [r.range(-3.1, 3.1)]);
    };
    check(
        file,
        "eval_hinge_elastic",
        2.0,
        |r, to| (element(r, to), vectors(r, to, 1)).1,
        |w, e| {
            let (h, theta) = (hinge(w), w.real());
            push_block(e, eval_hinge_elastic(&h, theta, w.v3()));
        },
    );
    let inputs = |r: &mut Lcg, to: &mut Vec<f32>| {
        element(r, to);
        put(to, [r.range(-3.1, 3.1)]);
        to.push(flag(r));
        vectors(r, to, 1);
        put(to, [r.size(30.0, 1000.0)]);
    };
    check(file, "eval_hinge_damping", 2.0, inputs, |w, e| {
        let (h, theta, start) = (hinge(w), w.real(), (w.real(), w.word() == 1));
        let g = w.v3();
        push_block(e, eval_hinge_damping(&h, theta, start, g, w.real()));
    });
}

/// The gradient's parameters are the parts of an angle: taken from random hinges.
#[test]
fn gradients_of_hinges_agree() {
    let inputs = |r: &mut Lcg, to: &mut Vec<f32>| {
        put(to, [r.range(-3.0, 3.0)]);
        to.push(word(1));
        vectors(r, to, 2);
        put(to, [r.size(0.01, 2.0), r.range(-1.0, 1.0), r.range(-1.0, 1.0)]);
        to.push(word(r.range(0.0, 4.0) as u32));
    };
    check("vbd/hinge.wgsl", "hinge_gradient", 2.0, inputs, |w, e| {
        let (theta, regular) = (w.real(), w.word() == 1);
        let a = HingeAngle::from_parts(theta, regular, w.v3s(), w.real(), w.reals());
        push_v3(e, a.gradient(w.word() as usize));
    });
}

#[test]
fn blocks_of_three_agree() {
    let file = "common/s3.wgsl";
    let two = |r: &mut Lcg, to: &mut Vec<f32>| numbers(r, to, 12);
    check(
        file,
        "s3_outer",
        1.0,
        |r, to| numbers(r, to, 4),
        |w, e| {
            let s = w.real();
            push_s3(e, S3::outer(s, w.v3()));
        },
    );
    check(file, "s3_diagonal", 1.0, |r, to| numbers(r, to, 1), |w, e| push_s3(e, S3::diagonal(w.real())));
    check(file, "s3_add", 1.0, two, |w, e| push_s3(e, w.s3() + w.s3()));
    check(
        file,
        "s3_scale",
        1.0,
        |r, to| numbers(r, to, 7),
        |w, e| {
            let h = w.s3();
            push_s3(e, h * w.real());
        },
    );
    check(
        file,
        "s3_add_outer",
        1.0,
        |r, to| numbers(r, to, 10),
        |w, e| {
            let mut h = w.s3();
            let s = w.real();
            h.add_outer(s, w.v3());
            push_s3(e, h);
        },
    );
    check(
        file,
        "s3_add_diagonal",
        1.0,
        |r, to| numbers(r, to, 7),
        |w, e| {
            let mut h = w.s3();
            h.add_diagonal(w.real());
            push_s3(e, h);
        },
    );
    check(file, "s3_trace", 1.0, |r, to| numbers(r, to, 6), |w, e| push(e, w.s3().trace()));
    check(file, "s3_det", 2.0, |r, to| numbers(r, to, 6), |w, e| push(e, w.s3().det()));
    check(
        "vbd/block.wgsl",
        "block_add",
        1.0,
        |r, to| numbers(r, to, 18),
        |w, e| {
            let (a, b) = (Block { f: w.v3(), H: w.s3() }, Block { f: w.v3(), H: w.s3() });
            push_block(e, a + b);
        },
    );
}

/// A block of the size of a membrane's: a stiff plane, mass along the normal.
fn stiff(r: &mut Lcg, to: &mut Vec<f32>) {
    let (n, k) = (r.vec(), r.size(1.0, 1e4));
    let m = coact_math::Mat3::identity() * r.size(0.1, 10.0) + n * n.transpose() * k;
    put(to, [m.m11, m.m12, m.m13, m.m22, m.m23, m.m33]);
    put(to, r.vec().iter().copied());
}

/// Pivots follow rounding to rounding, so the bound is that of the sums inside the solve.
#[test]
fn solves_of_three_agree() {
    check(
        "common/s3.wgsl",
        "s3_guard",
        1.0,
        |r, to| put(to, [r.range(-1.0, 1.0), r.size(1e-3, 1e8)]),
        |w, e| {
            let (d, scale) = (w.real(), w.f32());
            let ok = d.value.abs() > 4.0 * f32::EPSILON * scale;
            push(e, if ok { d.recip() } else { Terms::one() });
            e.push(f64::from(u8::from(ok)), 0.0);
        },
    );
    check("common/s3.wgsl", "s3_solve", 2.0, stiff, |w, e| {
        let (x, regular) = w.s3().solve(w.v3());
        push_v3(e, x);
        e.push_word(u32::from(regular));
    });
    let inputs = |r: &mut Lcg, to: &mut Vec<f32>| {
        let mut h = Vec::new();
        stiff(r, &mut h);
        to.extend([h[6], h[7], h[8]]);
        to.extend(&h[..6]);
        put(to, (r.vec() * 0.01).iter().copied());
        put(to, [r.size(0.1, 100.0)]);
        to.push(word(r.range(0.0, 2.0) as u32));
    };
    check("vbd/solve_particle.wgsl", "solve_block", 2.0, inputs, |w, e| {
        let (f, mut H, d, k) = (w.v3(), w.s3(), w.v3(), w.real());
        H.add_diagonal(k);
        let (x, regular) = H.solve(f - d * k);
        let keep = if w.word() == 1 { H.det().value.abs() > 1e-8 } else { regular };
        push_v3(e, if keep { x } else { V3::zero() });
        e.push_word(u32::from(keep));
    });
}
