//! Distances, detection and the law of contact: `shaders/collide`, `shaders/vbd/contact_*`.

use coact_collide::sdf::{self, Sdf};
use coact_collide::{Mobility, ParticleQuery, ParticleShapeDetector, is_pair};
use coact_compute::parity::{Expected, word};
use coact_math::{Pose, Real, V3};
use coact_model::{BodyDef, BodyId, Geometry, Model, ModelBuilder, ModelView, ParticleId, ShapeDef};

use super::terms::Terms;
use super::{Lcg, Words, check, push, push_s3, push_v3, push_vec, put};
use crate::contact::{ContactRow, SlipLaw, eval_contact, eval_penetration, eval_slip_factor};

const FILE: &str = "collide/sdf.wgsl";

fn push_point(e: &mut Expected, at: sdf::SurfacePoint<Terms>) {
    push(e, at.distance);
    push_v3(e, at.point);
    push_v3(e, at.normal);
}

fn point(r: &mut Lcg, to: &mut Vec<f32>) {
    put(to, r.vec().iter().copied());
}

fn dims(r: &mut Lcg, to: &mut Vec<f32>, n: usize) {
    (0..n).for_each(|_| put(to, [r.range(0.1, 0.8)]));
}

#[test]
fn distances_of_shapes_agree() {
    check(FILE, "eval_plane", 1.0, point, |w, e| push_point(e, sdf::eval_plane(w.v3())));
    check(
        FILE,
        "eval_sphere",
        2.0,
        |r, to| (point(r, to), dims(r, to, 1)).1,
        |w, e| {
            let x = w.v3();
            push_point(e, sdf::eval_sphere(x, w.real()));
        },
    );
    check(
        FILE,
        "eval_capsule",
        2.0,
        |r, to| (point(r, to), dims(r, to, 2)).1,
        |w, e| {
            let x = w.v3();
            push_point(e, sdf::eval_capsule(x, w.real(), w.real()));
        },
    );
    check(
        FILE,
        "eval_box",
        2.0,
        |r, to| (point(r, to), dims(r, to, 3)).1,
        |w, e| {
            let x = w.v3();
            push_point(e, sdf::eval_box(x, w.v3()));
        },
    );
    check(
        FILE,
        "eval_cylinder",
        2.0,
        |r, to| (point(r, to), dims(r, to, 2)).1,
        |w, e| {
            let x = w.v3();
            push_point(e, sdf::eval_cylinder(x, w.real(), w.real()));
        },
    );
}

#[test]
fn parts_of_distances_agree() {
    check(
        FILE,
        "sdf_clamp",
        1.0,
        |r, to| put(to, [r.range(-1.0, 1.0), 0.5]),
        |w, e| {
            let (x, h) = (w.f32(), w.f32());
            e.push(f64::from(x.clamp(-h, h)), 0.0);
        },
    );
    check(
        FILE,
        "sdf_sign",
        1.0,
        |r, to| put(to, [r.range(-1.0, 1.0)]),
        |w, e| {
            e.push(if w.f32() < 0.0 { -1.0 } else { 1.0 }, 0.0);
        },
    );
    check(FILE, "unit_or_z", 2.0, point, |w, e| {
        let x = w.v3();
        push_v3(e, x * x.norm().recip());
    });
    let inputs = |r: &mut Lcg, to: &mut Vec<f32>| {
        to.push(word(r.range(0.0, 5.0) as u32));
        dims(r, to, 3);
        point(r, to);
    };
    check(FILE, "eval_sdf", 2.0, inputs, |w, e| {
        let (kind, [a, b, c]) = (w.word(), [w.f64(), w.f64(), w.f64()]);
        let shape = match kind {
            0 => Sdf::Plane,
            1 => Sdf::Sphere { radius: a },
            2 => Sdf::Box { half_extents: [a, b, c] },
            3 => Sdf::Capsule { radius: a, half_height: b },
            _ => Sdf::Cylinder { radius: a, half_height: b },
        };
        push_point(e, shape.eval(w.v3()));
    });
}

const MOBILITIES: [Mobility; 4] =
    [Mobility::Static, Mobility::Prescribed, Mobility::Dynamic, Mobility::Proxy];

#[test]
fn pairs_agree() {
    let any = |r: &mut Lcg, to: &mut Vec<f32>| (0..2).for_each(|_| to.push(word(r.range(0.0, 4.0) as u32)));
    check("collide/particle_shape.wgsl", "is_pair", 1.0, any, |w, e| {
        let [particle, shape] = [w.word(), w.word()].map(|m| MOBILITIES[m as usize]);
        e.push_word(u32::from(is_pair(particle, shape)));
    });
}

/// A body with one shape at its origin, and a particle to view it.
fn shape_on_a_body(geometry: Geometry) -> Model {
    let mut b = ModelBuilder::new();
    let body = b.add_body(BodyDef { name: "body".into(), ..BodyDef::default() });
    b.add_shape(ShapeDef { body: Some(body), geometry, ..ShapeDef::default() });
    b.add_particle(coact_model::ParticleDef::default());
    b.finalize().unwrap()
}

/// A placed box against a particle, by the detector itself. Placement and rotation go
/// through numbers of size one, hence the terms.
#[test]
fn meetings_agree() {
    let half_extents = coact_math::Vec3::new(0.3, 0.2, 0.4);
    let model = shape_on_a_body(Geometry::Box { half_extents });
    let view = ModelView::whole(&model);
    let mut detector = ParticleShapeDetector::new(&view, Some(0.0)).unwrap();
    let inputs = |r: &mut Lcg, to: &mut Vec<f32>| {
        let q = r.rotation();
        put(to, [q.i, q.j, q.k, q.w]);
        point(r, to);
        put(to, half_extents.iter().copied());
        to.push(word(2));
        put(to, [half_extents.norm(), r.range(0.05, 0.4)]);
        point(r, to);
    };
    check("collide/particle_shape.wgsl", "meet", 4.0, inputs, |w, e| {
        let (q, p) = (w.quat(), w.vec());
        let (_, _, _, _, _, reach, x) = (w.f32(), w.f32(), w.f32(), w.word(), w.f32(), w.f64(), w.vec());
        detector.place(|_: BodyId| Pose::new(p, coact_math::Quat::from_quaternion(q)), |_, _| 0.0);
        let mut found = Vec::new();
        let (particle, mobility) = (ParticleId(0), Mobility::Dynamic);
        detector.detect_particle(
            &ParticleQuery { particle, x, radius: reach, motion: 0.0, mobility },
            &mut found,
        );
        expect_meeting(e, found.first(), (x - p).norm());
    });
}

/// Where nothing is near, point and normal mean nothing: zero or any.
fn expect_meeting(e: &mut Expected, found: Option<&coact_collide::ParticleShapeContact>, away: f64) {
    e.push_word(u32::from(found.is_some()));
    let zero = coact_math::Vec3::zeros();
    let (point, normal) = found.map_or((zero, zero), |c| (c.point, c.normal));
    let any = if found.is_some() { 0.0 } else { 1e9 };
    push_vec(e, &point, 2.0 + away + any);
    // the direction of a short distance is known as well as the positions are
    let near = found.map_or(1.0, |c| c.point.norm().max(1e-3));
    push_vec(e, &normal, (2.0 + away) / near.min(1.0) * 100.0 + any);
}

fn row(w: &mut Words) -> ContactRow<Terms> {
    let (n, reach, e, ke) = (w.v3(), w.real(), w.v3(), w.real());
    let (slip, kd, mu) = (w.v3(), w.real(), w.real());
    ContactRow { n, reach, e, ke, w: slip, kd, mu, ..ContactRow::default() }
}

/// Near a surface: half of them press, slips on both sides of the smoothing.
fn put_row(r: &mut Lcg, to: &mut Vec<f32>) {
    let n = r.vec().normalize();
    let offset = r.vec() * 0.002 + n * r.range(0.0, 0.01);
    put(to, n.iter().copied());
    put(to, [0.006]);
    put(to, offset.iter().copied());
    put(to, [r.size(10.0, 1e5)]);
    put(to, (r.vec() * r.size(1e-6, 1e-2)).iter().copied());
    put(to, [r.size(1e-2, 10.0), r.range(0.0, 1.0)]);
}

#[test]
fn the_law_of_contact_agrees() {
    let file = "vbd/contact_law.wgsl";
    let small = |r: &mut Lcg, to: &mut Vec<f32>| put(to, (r.vec() * r.size(1e-6, 1e-3)).iter().copied());
    check(
        file,
        "eval_penetration",
        2.0,
        |r, to| (put_row(r, to), small(r, to)).1,
        |w, e| {
            let row = row(w);
            push(e, eval_penetration(&row, w.v3()));
        },
    );
    let slip = |r: &mut Lcg, to: &mut Vec<f32>| put(to, [r.size(1e-7, 1e-2), r.size(1e-6, 1e-3)]);
    check(file, "eval_slip_factor", 2.0, slip, |w, e| {
        let slip = w.real();
        push(e, eval_slip_factor(slip, w.real()));
    });
    let inputs = |r: &mut Lcg, to: &mut Vec<f32>| {
        put_row(r, to);
        put(to, [r.size(60.0, 1000.0), r.size(1e-5, 1e-3), r.size(1.0, 1e30)]);
        small(r, to);
    };
    check(file, "eval_contact", 4.0, inputs, |w, e| {
        let (row, law) = (
            row(w),
            SlipLaw { inv_h: w.real(), epsilon: w.real(), damped_depth: w.real(), ..SlipLaw::default() },
        );
        let (f, h) = eval_contact(&row, &law, w.v3());
        push_v3(e, f);
        push_s3(e, h);
    });
}

#[test]
fn rows_of_records_agree() {
    let inputs = |r: &mut Lcg, to: &mut Vec<f32>| {
        point(r, to);
        to.push(word(0));
        point(r, to);
        dims(r, to, 4);
        to.push(word(7));
        (0..4).for_each(|_| point(r, to));
    };
    check("vbd/contact_row.wgsl", "eval_row", 1.0, inputs, |w, e| {
        let (_, _, n, reach, [ke, kd, mu], _) =
            (w.v3(), w.word(), w.v3(), w.real(), w.reals::<3>(), w.word());
        let [position, displacement, y, dy]: [V3<Terms>; 4] = w.v3s();
        push_v3(e, n);
        push(e, reach);
        push_v3(e, y - position);
        push(e, ke);
        push_v3(e, dy - displacement);
        push(e, kd);
        push(e, mu);
    });
}

#[test]
fn numbers_that_are_none_are_counted() {
    let bad = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
    let inputs = |r: &mut Lcg, to: &mut Vec<f32>| {
        let kind = r.range(0.0, 6.0) as usize;
        point(r, to);
        if let (Some(&b), Some(last)) = (bad.get(kind), to.last_mut()) {
            *last = b;
        }
    };
    check("vbd/finalize_particle.wgsl", "count_nonfinite", 1.0, inputs, |w, e| {
        let v = [w.f32(), w.f32(), w.f32()];
        e.push(if v.iter().all(|x| x.is_finite()) { 0.0 } else { 1.0 }, 0.0);
    });
}
