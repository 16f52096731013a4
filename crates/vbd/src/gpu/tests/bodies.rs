//! Rotations and the body block: `shaders/common/{so3,ldlt6}.wgsl`, `shaders/vbd/body_*`.
//! The host computes bodies in `f64`; bounds are against that.

use coact_compute::parity::Expected;
use coact_math::{Ldlt6, Mat3, Mat6, Pose, Quat, Vec3, Vec6, exp_so3, log_so3, trig};
use coact_model::{BodyDef, ModelBuilder, ModelView, ShapeDef};

use super::{Lcg, Words, check, push_vec, put};
use crate::body::{Bodies, BodyLoad};
use crate::config::{RotationUpdate, VelocityRule};

const SO3: &str = "common/so3.wgsl";
const LOAD: &str = "vbd/body_load.wgsl";

fn put_quat(to: &mut Vec<f32>, q: &Quat) {
    put(to, [q.i, q.j, q.k, q.w]);
}

fn put_vec(to: &mut Vec<f32>, v: &Vec3) {
    put(to, v.iter().copied());
}

fn push_quat(e: &mut Expected, q: &nalgebra::Quaternion<f64>, magnitude: f64) {
    e.extend([q.i, q.j, q.k, q.w], magnitude);
}

#[test]
fn quaternions_agree() {
    let two = |r: &mut Lcg, to: &mut Vec<f32>| (0..2).for_each(|_| put_quat(to, &r.rotation()));
    check(SO3, "quat_mul", 2.0, two, |w, e| {
        let (a, b) = (w.quat(), w.quat());
        push_quat(e, &(a * b), 1.0);
    });
    check(
        SO3,
        "quat_inverse",
        1.0,
        |r, to| put_quat(to, &r.rotation()),
        |w, e| {
            push_quat(e, &w.quat().conjugate(), 0.0);
        },
    );
    let rotated = |r: &mut Lcg, to: &mut Vec<f32>| (put_quat(to, &r.rotation()), put_vec(to, &r.vec())).1;
    check(SO3, "quat_rotate", 3.0, rotated, |w, e| {
        let (q, v) = (Quat::new_unchecked(w.quat()), w.vec());
        push_vec(e, &(q * v), v.norm());
    });
}

/// Arguments of every size that a step may meet.
fn angle(r: &mut Lcg, to: &mut Vec<f32>) {
    let size = r.size(1e-6, 30.0);
    put(to, [r.range(-size, size)]);
}

#[test]
fn trigonometry_agrees() {
    let file = "common/trig.wgsl";
    check(file, "coact_reduce", 2.0, angle, |w, e| {
        let (r, m) = trig::coact_reduce(w.f32());
        e.extend([r, m], 1.0);
    });
    let small = |r: &mut Lcg, to: &mut Vec<f32>| put(to, [r.range(-0.785, 0.785)]);
    check(file, "coact_sin_core", 2.0, small, |w, e| e.extend([trig::coact_sin_core(w.f32())], 1.0));
    check(file, "coact_cos_core", 2.0, small, |w, e| e.extend([trig::coact_cos_core(w.f32())], 1.0));
    check(file, "coact_sin", 2.0, angle, |w, e| e.extend([trig::coact_sin(w.f32())], 1.0));
    check(file, "coact_cos", 2.0, angle, |w, e| e.extend([trig::coact_cos(w.f32())], 1.0));
    let two = |r: &mut Lcg, to: &mut Vec<f32>| (angle(r, to), angle(r, to)).1;
    check(file, "coact_atan2", 2.0, two, |w, e| {
        let (y, x) = (w.f32(), w.f32());
        let angle = trig::coact_atan2(y, x);
        e.extend([angle], f64::from(angle).abs());
    });
    let cosine = |r: &mut Lcg, to: &mut Vec<f32>| put(to, [r.range(-1.1, 1.1)]);
    check(file, "coact_acos", 2.0, cosine, |w, e| e.extend([trig::coact_acos(w.f32())], 1.0));
}

#[test]
fn exponential_and_logarithm_agree() {
    let theta = |r: &mut Lcg, to: &mut Vec<f32>| {
        let size = r.size(1e-8, 3.0);
        put_vec(to, &(r.vec() * size));
    };
    check(SO3, "exp_so3", 2.0, theta, |w, e| {
        let theta = w.vec();
        let q = exp_so3(&theta);
        push_vec(e, &q.imag(), theta.norm());
        e.push(q.w, 1.0);
    });
    let rotation = |r: &mut Lcg, to: &mut Vec<f32>| {
        let size = r.size(1e-8, 3.0);
        put_quat(to, &exp_so3(&(r.vec() * size)));
    };
    check(SO3, "log_so3", 2.0, rotation, |w, e| {
        let theta = log_so3(&Quat::new_unchecked(w.quat()));
        push_vec(e, &theta, theta.norm());
    });
    let turn = |r: &mut Lcg, to: &mut Vec<f32>| {
        put_quat(to, &r.rotation());
        let size = r.size(1e-8, 1.0);
        put_vec(to, &(r.vec() * size));
    };
    check("vbd/body_motion.wgsl", "turned", 2.0, turn, |w, e| {
        let (q, theta) = (w.quat(), w.vec());
        let out = Quat::from_quaternion(exp_so3(&theta).into_inner() * q);
        push_quat(e, &out, 1.0);
    });
}

#[test]
fn first_order_turns_agree() {
    let turn = |r: &mut Lcg, to: &mut Vec<f32>| {
        put_quat(to, &r.rotation());
        let size = r.size(1e-8, 1.0);
        put_vec(to, &(r.vec() * size));
    };
    check("vbd/body_motion.wgsl", "half_turned", 2.0, turn, |w, e| {
        let (q, v) = (w.quat(), w.vec());
        let half = nalgebra::Quaternion::from_parts(1.0, v * 0.5) * q;
        push_quat(e, &Quat::from_quaternion(half), 1.0);
    });
}

/// A positive definite matrix and its right-hand side. The bound of a solution is that of
/// perturbing both: |A⁻¹| (|A| |x| + |b|).
#[test]
fn solves_of_six_agree() {
    let inputs = |r: &mut Lcg, to: &mut Vec<f32>| {
        let a = Mat6::from_fn(|_, _| r.range(-1.0, 1.0));
        let m = a * a.transpose() + Mat6::identity() * 0.5;
        put(to, (0..36).map(|k| m[(k / 6, k % 6)]));
        (0..6).for_each(|_| put(to, [r.range(-1.0, 1.0)]));
    };
    check("common/ldlt6.wgsl", "ldlt6_solve", 2.0, inputs, |w, e| {
        let lower: [f64; 36] = std::array::from_fn(|_| w.f64());
        let a = Mat6::from_fn(|i, j| lower[6 * i.max(j) + i.min(j)]);
        let b = Vec6::from_fn(|_, _| w.f64());
        let x = Ldlt6::new(&a).unwrap().solve(&b);
        let inverse = a.try_inverse().unwrap().abs();
        let terms = inverse * (a.abs() * x.abs() + b.abs());
        (0..6).for_each(|i| e.push(x[i], terms[i]));
        e.push_word(1);
    });
}

fn symmetric(w: &mut Words) -> Mat3 {
    let [xx, xy, xz, yy, yz, zz] = std::array::from_fn(|_| w.f64());
    Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
}

fn push_symmetric(e: &mut Expected, m: &Mat3, magnitude: f64) {
    e.extend([m.m11, m.m12, m.m13, m.m22, m.m23, m.m33], magnitude);
}

fn push_load(e: &mut Expected, l: &BodyLoad, [lin, ang, ll, al, aa]: [f64; 5]) {
    push_vec(e, &l.wrench.lin, lin);
    push_vec(e, &l.wrench.ang, ang);
    push_symmetric(e, &l.ll, ll);
    (0..3).for_each(|j| push_vec(e, &l.al.column(j).into_owned(), al));
    push_symmetric(e, &l.aa, aa);
}

fn put_symmetric(r: &mut Lcg, to: &mut Vec<f32>) {
    let (v, k) = (r.vec(), r.size(1.0, 1e4));
    let m = v * v.transpose() * k + Mat3::identity() * (0.1 * k);
    put(to, [m.m11, m.m12, m.m13, m.m22, m.m23, m.m33]);
}

#[test]
fn reactions_agree() {
    let inputs = |r: &mut Lcg, to: &mut Vec<f32>| {
        put_vec(to, &(r.vec() * 100.0));
        put_symmetric(r, to);
        put_vec(to, &r.vec());
    };
    check(LOAD, "react", 2.0, inputs, |w, e| {
        let (f, h, r) = (w.vec(), symmetric(w), w.vec());
        let mut load = BodyLoad::default();
        load.react(&f, &h, &r);
        let (fs, hs, rs) = (f.norm(), h.norm(), r.norm());
        push_load(e, &load, [fs, rs * fs, hs, rs * hs, rs * rs * hs]);
    });
}

/// One body, to be given any pose.
fn bodies() -> Bodies {
    let mut b = ModelBuilder::new();
    let body = b.add_body(BodyDef { name: "body".into(), ..BodyDef::default() });
    let half_extents = Vec3::new(0.1, 0.2, 0.3);
    let geometry = coact_model::Geometry::Box { half_extents };
    b.add_shape(ShapeDef { body: Some(body), geometry, ..ShapeDef::default() });
    Bodies::new(
        &ModelView::whole(&b.finalize().unwrap()),
        RotationUpdate::Exponential,
        VelocityRule::Correction,
    )
}

fn read_load(w: &mut Words) -> BodyLoad {
    let (lin, ang, ll) = (w.vec(), w.vec(), symmetric(w));
    let al = Mat3::from_columns(&[w.vec(), w.vec(), w.vec()]);
    let wrench = coact_math::Spatial::new(lin, ang);
    BodyLoad { wrench, ll, al, aa: symmetric(w) }
}

fn put_load(r: &mut Lcg, to: &mut Vec<f32>) {
    put_vec(to, &r.vec());
    put_vec(to, &r.vec());
    put_symmetric(r, to);
    (0..3).for_each(|_| put_vec(to, &r.vec()));
    put_symmetric(r, to);
}

#[test]
fn inertia_agrees() {
    let mut all = bodies();
    let inputs = |r: &mut Lcg, to: &mut Vec<f32>| {
        put_quat(to, &r.rotation());
        put(to, [r.range(1.0, 2.0), r.range(1.0, 2.0), r.range(1.0, 2.0)]);
        put_vec(to, &(r.vec() * 0.3));
    };
    check(LOAD, "world_inertia", 3.0, inputs, |w, e| {
        let (q, d, o) = (w.quat(), w.vec(), w.vec());
        let b = all.get_mut(0);
        b.now.q = Quat::new_unchecked(q);
        b.inertia = Mat3::new(d.x, o.x, o.y, o.x, d.y, o.z, o.y, o.z, d.z);
        push_symmetric(e, &b.world_inertia(), b.inertia.norm());
    });
    let inputs = |r: &mut Lcg, to: &mut Vec<f32>| {
        put_load(r, to);
        put(to, [r.size(1.0, 1e4)]);
        put_symmetric(r, to);
        (0..3).for_each(|_| put_vec(to, &(r.vec() * 0.1)));
    };
    // h = 1 and no rotation: J/h² is the inertia itself, θ comes from a turned target
    check(LOAD, "add_inertia", 3.0, inputs, |w, e| {
        let mut load = read_load(w);
        let b = all.get_mut(0);
        (b.mass, b.inertia) = (w.f64(), symmetric(w));
        (b.now, b.dx) = (Pose::identity(), w.vec());
        b.target = Pose::new(Vec3::zeros(), exp_so3(&-w.vec()));
        b.torque = w.vec();
        let held = load;
        b.add_inertia(&mut load, 1.0);
        let (m, j) = (b.mass, b.inertia.norm());
        let turned = held.wrench.ang.norm() + b.torque.norm() + j * b.theta().norm();
        let moved = held.wrench.lin.norm() + m * b.dx.norm();
        push_load(e, &load, [moved, turned, held.ll.norm() + m, held.al.norm(), held.aa.norm() + j]);
    });
}

#[test]
fn loads_add_up() {
    let inputs = |r: &mut Lcg, to: &mut Vec<f32>| (put_load(r, to), put_load(r, to)).1;
    check(LOAD, "load_add", 1.0, inputs, |w, e| {
        let (a, b) = (read_load(w), read_load(w));
        let wrench = a.wrench + b.wrench;
        let sum = BodyLoad { wrench, ll: a.ll + b.ll, al: a.al + b.al, aa: a.aa + b.aa };
        push_load(e, &sum, [2.0, 2.0, 1e4, 2.0, 1e4]);
    });
    check(
        LOAD,
        "s3_apply",
        2.0,
        |r, to| (put_symmetric(r, to), put_vec(to, &r.vec())).1,
        |w, e| {
            let (m, v) = (symmetric(w), w.vec());
            push_vec(e, &(m * v), (m.abs() * v.abs()).max());
        },
    );
}

#[test]
fn steps_of_bodies_agree() {
    let inputs = |r: &mut Lcg, to: &mut Vec<f32>| {
        let (mut load, mut at) = (BodyLoad::default(), Vec::new());
        for _ in 0..4 {
            let n = r.vec();
            load.react(&(n * 10.0), &(n * n.transpose() * 100.0), &r.vec());
        }
        load.ll += Mat3::identity() * 50.0;
        load.aa += Mat3::identity() * 20.0;
        put_vec(&mut at, &load.wrench.lin);
        put_vec(&mut at, &load.wrench.ang);
        let s = |m: &Mat3| [m.m11, m.m12, m.m13, m.m22, m.m23, m.m33];
        put(&mut at, s(&load.ll));
        (0..3).for_each(|j| put(&mut at, load.al.column(j).iter().copied()));
        put(&mut at, s(&load.aa));
        to.extend(at);
    };
    check(LOAD, "solve_load", 2.0, inputs, |w, e| {
        let l = read_load(w);
        let mut a = Mat6::zeros();
        a.fixed_view_mut::<3, 3>(0, 0).copy_from(&l.ll);
        a.fixed_view_mut::<3, 3>(3, 0).copy_from(&l.al);
        a.fixed_view_mut::<3, 3>(0, 3).copy_from(&l.al.transpose());
        a.fixed_view_mut::<3, 3>(3, 3).copy_from(&l.aa);
        let b = l.wrench.to_vec6();
        let x = Ldlt6::new(&a).unwrap().solve(&b);
        let terms = a.try_inverse().unwrap().abs() * (a.abs() * x.abs() + b.abs());
        (0..6).for_each(|i| e.push(x[i], terms[i]));
        e.push_word(1);
    });
}

/// A body that moved in a step, and a point of its surface.
#[test]
fn surface_points_agree() {
    let mut all = bodies();
    let inputs = |r: &mut Lcg, to: &mut Vec<f32>| {
        put_quat(to, &r.rotation());
        put_vec(to, &(r.vec() * 0.2));
        put_vec(to, &r.vec());
        put_vec(to, &(r.vec() * 0.1));
        put_vec(to, &r.vec());
    };
    check("vbd/contact_row.wgsl", "surface_point", 2.0, inputs, |w, e| {
        let (q, phi, c, dc, point) = (w.quat(), w.vec(), w.vec(), w.vec(), w.vec());
        let b = all.get_mut(0);
        let now = Pose::new(c, Quat::new_unchecked(q));
        b.begin = Pose::new(c - dc, exp_so3(&phi).inverse() * now.q);
        b.go(now);
        let at = all.surface_point(0, &point);
        push_vec(e, &at.position, c.norm() + point.norm());
        push_vec(e, &at.displacement, dc.norm() + phi.norm() * point.norm());
    });
    check("vbd/body_motion.wgsl", "eval_surface", 2.0, put_surface, |w, e| {
        let [_, target, step] = [w.quat(), w.quat(), w.quat()].map(Quat::from_quaternion);
        let (_, _, c_target, _, c_step) = (w.vec(), w.word(), w.vec(), w.f32(), w.vec());
        let _skipped: [f32; 12] = std::array::from_fn(|_| w.f32());
        let (turn, dx) = (Quat::from_quaternion(w.quat()), w.vec());
        push_quat(e, &(turn * target), 1.0);
        let phi = log_so3(&(turn * step));
        push_vec(e, &phi, 1.0);
        push_vec(e, &(c_target + dx), c_target.norm() + dx.norm());
        push_vec(e, &(c_step + dx), c_step.norm() + dx.norm());
    });
}

/// A body record and the unknown of its block.
fn put_surface(r: &mut Lcg, to: &mut Vec<f32>) {
    let (begin, turn_step) = (r.rotation(), exp_so3(&(r.vec() * 0.2)));
    [begin, turn_step * begin, turn_step].iter().for_each(|q| put_quat(to, q));
    put_vec(to, &r.vec());
    to.push(f32::from_bits(2));
    put_vec(to, &r.vec());
    put(to, [1.0]);
    put_vec(to, &(r.vec() * 0.1));
    // reach, torque, reach_turn, inertia, list_start, inertia
    put(to, [0.0; 8]);
    to.push(f32::from_bits(0));
    put(to, [0.0; 3]);
    put_quat(to, &exp_so3(&(r.vec() * 0.1)));
    put_vec(to, &(r.vec() * 0.1));
}
