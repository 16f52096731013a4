//! Attachments of particles to bodies: gap, force, momentum, and what may change mid-run.

mod support;

use coact_math::{Mat3, Pose, Spatial, Vec3, exp_so3};
use coact_model::{
    AttachmentDef, AttachmentId, BodyDef, BodyId, BodyMass, ClothDef, Geometry, ModelBuilder, ModelFlags,
    ModelView, Ownership, ParticleId, ShapeDef, SpringDef,
};
use coact_solver::{Snapshot, Solver};
use coact_vbd::{Precision, SolverVbd, VbdConfig};
use support::scenes::{Run, add_block, add_particle, bits, grid};

fn weightless() -> ModelBuilder {
    let mut b = ModelBuilder::new();
    b.gravity = Vec3::zeros();
    b
}

fn add_body(b: &mut ModelBuilder, pose: Pose, com: Vec3, inertia: Vec3, velocity: Spatial) -> BodyId {
    let mass = BodyMass::Given { mass: 1.0, com, inertia: Mat3::from_diagonal(&inertia) };
    b.add_body(BodyDef { pose, mass, velocity, ..BodyDef::default() })
}

fn attach(b: &mut ModelBuilder, particle: ParticleId, body: BodyId, point: Vec3, ke: f64) -> AttachmentId {
    b.add_attachment(AttachmentDef { ke, ..AttachmentDef::hard(particle, body, point) })
}

/// Sums are compared to the last digits: in `f64`.
fn iterations(iterations: usize) -> VbdConfig {
    VbdConfig { iterations, precision: Precision::Double, ..VbdConfig::default() }
}

fn gap(run: &Run, id: usize) -> f64 {
    run.solver.attachment(AttachmentId::new(id)).unwrap().gap.norm()
}

#[test]
fn a_hard_pair_keeps_its_momentum_and_moves_as_one() {
    for mass in [1e-3, 1.0] {
        let mut b = weightless();
        let p = add_particle(&mut b, Vec3::zeros(), Vec3::x(), mass, 0.01);
        let m = BodyMass::Given { mass, com: Vec3::zeros(), inertia: Mat3::identity() * mass };
        let body = b.add_body(BodyDef { mass: m, ..BodyDef::default() });
        attach(&mut b, p, body, Vec3::zeros(), f64::INFINITY);
        let mut run = Run::new(b.finalize().unwrap(), iterations(50));
        run.step(1.0 / 60.0);
        let s = run.state();
        assert!(gap(&run, 0) < 2e-5, "{}", gap(&run, 0));
        for v in [s.particle_qd[0], s.body_qd[0].lin] {
            assert!((v - Vec3::x() * 0.5).norm() < 2e-4, "mass {mass}: {v:?}");
        }
        assert!((run.momentum() - Vec3::x() * mass).norm() < 1e-9 * mass);
    }
}

#[test]
fn a_load_of_a_hundred_newtons_is_held_by_both_materials() {
    for (ke, sag) in [(f64::INFINITY, 0.0), (1e4, -0.01)] {
        let mut b = weightless();
        let p = add_particle(&mut b, Vec3::zeros(), Vec3::zeros(), 1.0, 0.01);
        let body = b.add_body(BodyDef { kinematic: true, ..BodyDef::default() });
        attach(&mut b, p, body, Vec3::zeros(), ke);
        let mut run = Run::new(b.finalize().unwrap(), iterations(30));
        run.forces.particle_f[0] = -Vec3::z() * 100.0;
        run.steps(20, 0.01);
        let a = run.solver.attachment(AttachmentId::new(0)).unwrap();
        let allowed = if ke.is_finite() { 2e-5 } else { 2e-6 };
        assert!((a.gap.z - sag).abs() < allowed, "ke {ke}: {:e}", a.gap.z);
        assert!(ke.is_finite() || (a.force.z + 100.0).abs() < 1e-2, "ke {ke}: {}", a.force.z);
    }
}

#[test]
fn the_report_names_the_attachment_with_the_largest_gap() {
    let mut b = weightless();
    let body = b.add_body(BodyDef { kinematic: true, ..BodyDef::default() });
    for (k, ke) in [f64::INFINITY, 1e4, 2e4].into_iter().enumerate() {
        let at = Vec3::x() * k as f64;
        let p = add_particle(&mut b, at, Vec3::zeros(), 1.0, 0.01);
        attach(&mut b, p, body, at, ke);
    }
    let mut run = Run::new(b.finalize().unwrap(), iterations(30));
    run.forces.particle_f.fill(-Vec3::z() * 100.0);
    run.steps(20, 0.01);
    let worst = run.report.attachment;
    assert_eq!(worst.attachment, Some(AttachmentId::new(1)));
    assert!((worst.gap - 0.01).abs() < 2e-5 && worst.gap == gap(&run, 1), "{}", worst.gap);
}

#[test]
fn a_hard_attachment_passes_elastic_motion_on() {
    let mut b = weightless();
    let corners = [(0.0, 0.0), (0.1, 0.0), (0.1, 0.1), (0.0, 0.1)];
    let ids = corners.map(|(x, y)| add_particle(&mut b, Vec3::new(x, y, 0.0), Vec3::y() * 0.25, 1.0, 0.01));
    for (i, j) in [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3)] {
        b.add_spring(SpringDef { particles: [ids[i], ids[j]], ke: 1e3, kd: 0.0, rest_length: None });
    }
    let body = add_body(&mut b, Pose::identity(), Vec3::zeros(), Vec3::repeat(0.01), Spatial::zeros());
    attach(&mut b, ids[0], body, Vec3::zeros(), f64::INFINITY);
    let mut run = Run::new(b.finalize().unwrap(), iterations(100));
    run.step(1.0 / 60.0);
    assert!((run.momentum() - Vec3::y()).norm() < 1e-3, "{:?}", run.momentum());
    assert!(gap(&run, 0) < 2e-5, "{:e}", gap(&run, 0));
}

#[test]
fn an_offset_attachment_turns_the_body_and_keeps_both_momenta() {
    let mut b = weightless();
    let (com, inertia) = (Vec3::new(0.1, 0.0, 0.0), Vec3::repeat(0.02));
    let p = add_particle(&mut b, Vec3::zeros(), Vec3::y(), 1.0, 0.01);
    let body = add_body(&mut b, Pose::identity(), com, inertia, Spatial::zeros());
    attach(&mut b, p, body, Vec3::zeros(), f64::INFINITY);
    let mut run = Run::new(b.finalize().unwrap(), iterations(50));
    let angular = |run: &mut Run| {
        let s = run.state();
        let c = s.body_q[0].point(&com);
        s.particle_q[0].cross(&s.particle_qd[0]) + c.cross(&s.body_qd[0].lin) + s.body_qd[0].ang * inertia.x
    };
    let (p0, l0) = (run.momentum(), angular(&mut run));
    run.step(2e-3);
    let s = run.state();
    assert!(gap(&run, 0) < 2e-5, "{:e}", gap(&run, 0));
    let (dp, dl) = ((run.momentum() - p0).norm(), (angular(&mut run) - l0).norm());
    assert!(dp < 2e-3 && dl < 2e-3, "{dp:e} {dl:e}");
    assert!(s.body_qd[0].ang.z < -0.1, "{:?}", s.body_qd[0].ang);
}

/// Cloth and soft block, stiff, hang from a kinematic body and carry a load.
#[test]
fn stiff_materials_stay_at_their_anchors_under_load() {
    for soft in [false, true] {
        let mut b = ModelBuilder::new();
        if soft {
            add_block(&mut b, 2, 0.1);
        } else {
            let def = ClothDef { mu: 1e6, lambda: 1e6, ..ClothDef::default() };
            b.add_cloth("cloth", &grid(3, 0.1), &def);
        }
        let mut model = b.clone().finalize().unwrap();
        let body = b.add_body(BodyDef { kinematic: true, ..BodyDef::default() });
        for p in 0..2 {
            attach(&mut b, ParticleId::new(p), body, model.particle_q[p], f64::INFINITY);
        }
        model = b.finalize().unwrap();
        if soft {
            model.tet_mu.make_mut().fill(1e6);
            model.tet_lambda.make_mut().fill(1e6);
        }
        let mut run = Run::new(model, iterations(30));
        run.steps(3, 1.0 / 60.0);
        for id in 0..2 {
            assert!(gap(&run, id) < 2e-5, "soft {soft}: {:e}", gap(&run, id));
        }
    }
}

#[test]
fn the_body_feels_the_opposite_force_at_its_anchor() {
    let mut b = weightless();
    let turn = exp_so3(&Vec3::new(0.4, -0.2, 0.7));
    let (pose, com, point) =
        (Pose::new(Vec3::new(0.2, 0.1, -0.3), turn), Vec3::new(0.05, 0.0, 0.02), Vec3::new(0.1, 0.2, 0.0));
    let p = add_particle(&mut b, pose.point(&point) + Vec3::new(1e-3, 2e-3, -3e-3), Vec3::zeros(), 0.5, 0.01);
    let body = add_body(&mut b, pose, com, Vec3::new(0.02, 0.03, 0.04), Spatial::zeros());
    attach(&mut b, p, body, point, 1e3);
    let mut run = Run::new(b.finalize().unwrap(), iterations(200));
    run.step(1e-3);
    let s = run.state();
    let (f, j) = (s.particle_qd[0] * 0.5 / 1e-3, s.body_qd[0]);
    assert!(f.norm() > 1.0);
    assert!((f + j.lin / 1e-3).norm() < 1e-6 * f.norm().max(1.0), "{f:?} {j:?}");
    let r = s.body_q[0].q * (point - com);
    let inertia = Mat3::from_diagonal(&Vec3::new(0.02, 0.03, 0.04));
    let q = s.body_q[0].q;
    let torque = q * (inertia * (q.inverse() * j.ang)) / 1e-3;
    assert!((torque + r.cross(&f)).norm() < 1e-5 * torque.norm().max(1.0), "{torque:?} {:?}", r.cross(&f));
}

/// A bead under a body that stands still, attached or not by an edit mid-run.
fn bead() -> Run {
    let mut b = ModelBuilder::new();
    let p = add_particle(&mut b, Vec3::zeros(), Vec3::zeros(), 0.1, 0.01);
    let body = b.add_body(BodyDef { kinematic: true, ..BodyDef::default() });
    b.add_attachment(AttachmentDef::hard(p, body, Vec3::zeros()));
    Run::new(b.finalize().unwrap(), VbdConfig::default())
}

fn enable(run: &mut Run, on: bool) {
    run.model.attachment_enabled.make_mut()[0] = on;
    let view = ModelView::whole(&run.model);
    run.solver.notify_model_changed(&view, ModelFlags::ATTACHMENTS);
}

#[test]
fn an_attachment_is_switched_off_and_on_mid_run() {
    let (mut run, dt) = (bead(), 1.0 / 120.0);
    run.steps(60, dt);
    assert!(run.state().particle_q[0].norm() < 1e-6);
    enable(&mut run, false);
    run.steps(12, dt);
    let fallen = run.state();
    assert!((fallen.particle_qd[0].z + 9.81 * 0.1).abs() < 1e-3, "{:?}", fallen.particle_qd[0]);
    assert_eq!(run.solver.attachment(AttachmentId::new(0)).unwrap().force, Vec3::zeros());
    enable(&mut run, true);
    run.step(dt);
    let first = run.solver.attachment(AttachmentId::new(0)).unwrap();
    run.steps(120, dt);
    assert!(
        first.gap.norm() > 0.0 && run.state().particle_q[0].norm() < 1e-6,
        "{:?}",
        run.state().particle_q[0]
    );
}

#[test]
fn multipliers_are_saved_and_restored_to_the_bit() {
    let (mut run, dt) = (bead(), 1.0 / 120.0);
    run.forces.particle_f[0] = Vec3::new(3.0, 1.0, 0.0);
    run.steps(2, dt);
    let mut snapshot = Snapshot::new();
    run.solver.save_into(&mut snapshot);
    run.steps(3, dt);
    let first = bits(&run.state());
    run.steps(2, dt);
    run.solver.restore(&snapshot);
    run.steps(3, dt);
    assert_eq!(first, bits(&run.state()));
}

#[test]
fn a_body_out_of_sight_is_refused_and_a_proxy_is_not() {
    let mut b = ModelBuilder::new();
    let p = add_particle(&mut b, Vec3::zeros(), Vec3::zeros(), 0.1, 0.01);
    let body = add_body(&mut b, Pose::identity(), Vec3::zeros(), Vec3::repeat(1.0), Spatial::zeros());
    attach(&mut b, p, body, Vec3::zeros(), f64::INFINITY);
    let model = b.finalize().unwrap();
    let own = Ownership { particles: vec![p], ..Ownership::default() };
    let text =
        SolverVbd::new(&ModelView::new(&model, own.clone()), VbdConfig::default()).err().unwrap().to_string();
    assert!(text.contains("particle 0") && text.contains("couple"), "{text}");
    let proxy = Ownership { proxy_bodies: vec![body], ..own };
    assert!(SolverVbd::new(&ModelView::new(&model, proxy), VbdConfig::default()).is_ok());
}

/// Two strips of 5 × 15 vertices, hanging, glued at 5 vertices each to a bar between them:
/// they come to rest, gain no energy beyond what sweeps leave over, and stay glued.
#[test]
fn two_glued_strips_come_to_rest() {
    let mut b = ModelBuilder::new();
    let mesh = {
        let mut m = grid(15, 0.02);
        let keep = |v: u32| (v % 15) < 5;
        m.triangles.retain(|t| t.iter().all(|&v| keep(v)));
        let kept: Vec<u32> = (0..225).filter(|&v| keep(v)).collect();
        let place = |v: u32| kept.iter().position(|&k| k == v).unwrap() as u32;
        m.triangles.iter_mut().for_each(|t| *t = t.map(place));
        m.vertices = kept.iter().map(|&v| m.vertices[v as usize]).collect();
        m
    };
    let upright = exp_so3(&Vec3::new(std::f64::consts::FRAC_PI_2, 0.0, 0.0));
    let def = |z: f64| ClothDef {
        density: 0.5,
        mu: 100.0,
        lambda: 100.0,
        kd: 1e-2,
        bend_ke: 1e-4,
        bend_kd: 1e-6,
        pose: Pose::new(Vec3::new(0.0, 0.0, z), upright),
        ..ClothDef::default()
    };
    b.add_cloth("upper", &mesh, &def(0.15));
    b.add_cloth("lower", &mesh, &def(-0.15));
    for p in 70..75 {
        b.pin_particle(ParticleId::new(p));
    }
    let (mass, inertia) = (0.02, 1e-5);
    let given = BodyMass::Given { mass, com: Vec3::zeros(), inertia: Mat3::identity() * inertia };
    let positions = b.clone().finalize().unwrap().particle_q.to_vec();
    let middle = (positions[2] + positions[75 + 72]) * 0.5;
    let bar = b.add_body(BodyDef { pose: Pose::translation(middle), mass: given, ..BodyDef::default() });
    for p in (0..5).chain(75 + 70..75 + 75) {
        attach(&mut b, ParticleId::new(p), bar, positions[p] - middle, f64::INFINITY);
    }
    let mut run = Run::new(b.finalize().unwrap(), iterations(20));
    let energy = |run: &mut Run| {
        let (s, m) = (run.state(), run.model.clone());
        let particle = |i: usize| {
            m.particle_mass[i] * (0.5 * s.particle_qd[i].norm_squared() + 9.81 * s.particle_q[i].z)
        };
        let body = mass * (0.5 * s.body_qd[0].lin.norm_squared() + 9.81 * s.body_q[0].p.z);
        let turning = 0.5 * inertia * s.body_qd[0].ang.norm_squared();
        (0..m.particle_count()).filter(|&i| m.particle_inv_mass[i] > 0.0).map(particle).sum::<f64>()
            + body
            + turning
            + run.solver.stored_energy()
    };
    let (mut last, mut rise, start) = (energy(&mut run), 0.0_f64, energy(&mut run));
    for _ in 0..1920 {
        run.step(1.0 / 480.0);
        let now = energy(&mut run);
        rise = rise.max(now - last);
        last = now;
    }
    let speed = run.state().particle_qd.iter().map(|v| v.norm()).fold(0.0, f64::max);
    let worst = (0..10).map(|i| gap(&run, i)).fold(0.0, f64::max);
    println!("speed {speed:e}, gap {worst:e}, rise {rise:e} J of {:e} J lost", start - last);
    assert!(worst < 1e-4 && speed < 1e-3, "gap {worst:e} m, speed {speed:e} m/s");
    assert!(rise < 1e-2 * (start - last), "{rise:e} of {:e}", start - last);
}

/// Vertices inside the body that holds them do not meet it: a curtain on a rod hangs.
#[test]
fn what_a_body_holds_does_not_collide_with_it() {
    let mut b = ModelBuilder::new();
    let pose = Pose::new(Vec3::new(-0.2, 0.0, 1.0), exp_so3(&Vec3::new(-1.5, 0.0, 0.0)));
    let cloth = b.add_cloth("curtain", &grid(9, 0.05), &ClothDef { pose, ..ClothDef::default() });
    let particles: Vec<_> = b.group_particles(cloth).collect();
    let rod =
        b.add_body(BodyDef { kinematic: true, pose: Pose::translation(Vec3::z()), ..BodyDef::default() });
    let geometry = Geometry::Box { half_extents: Vec3::new(0.4, 0.02, 0.02) };
    b.add_shape(ShapeDef { body: Some(rod), geometry, ..ShapeDef::default() });
    for k in [0, 4, 8] {
        attach(&mut b, particles[k], rod, Vec3::new(-0.2 + 0.05 * k as f64, 0.0, 0.0), f64::INFINITY);
    }
    let mut run = Run::new(b.finalize().unwrap(), VbdConfig::default());
    for _ in 0..180 {
        run.step(1.0 / 60.0);
        assert_eq!(run.report.nonfinite_count, 0);
    }
    let fastest = run.state().particle_qd.iter().map(|v| v.norm()).fold(0.0, f64::max);
    assert!(fastest < 1.0, "{fastest} m/s");
    let gap = run.report.attachment.gap;
    assert!(gap < 1e-4, "{gap} m");
}
