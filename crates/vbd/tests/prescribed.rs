//! Prescribed particles in self-contact: they never pass through anything, push what they meet,
//! wait where it does not give way, and catch up. Their velocity is what they did.

mod support;

use coact_collide::self_contact::{Filter, Surface, find_intersections};
use coact_math::{Pose, Quat, Vec3};
use coact_model::{ClothDef, Material, MaterialId, Model, ModelBuilder, ParticleId};
use coact_solver::{Snapshot, Solver, StepInput};
use coact_vbd::{SelfContactConfig, VbdConfig};
use support::scenes::{Run, bits, grid};

const DT: f64 = 1.0 / 60.0;

fn on(margin: f64) -> VbdConfig {
    let self_contact = Some(SelfContactConfig { margin, gap: margin, ..SelfContactConfig::default() });
    VbdConfig { self_contact, ..VbdConfig::default() }
}

fn builder() -> ModelBuilder {
    let mut b = ModelBuilder::new();
    b.gravity = Vec3::zeros();
    b.set_material(MaterialId(0), Material { ke: 1e3, mu: 0.3, ..Material::default() });
    b
}

/// A prescribed sheet of 7² vertices under a larger one, of which `pinned` says what is held.
fn driven_sheet(pinned: impl Fn(usize) -> bool) -> (Model, Vec<ParticleId>) {
    let mut b = builder();
    let driven = b.add_cloth("driven", &grid(7, 0.05), &ClothDef::default());
    let pose = Pose::new(Vec3::new(0.01, 0.013, 0.2), Quat::from_scaled_axis(Vec3::new(0.02, 0.03, 0.3)));
    let over = b.add_cloth("over", &grid(15, 0.05), &ClothDef { pose, ..ClothDef::default() });
    let driven: Vec<_> = b.group_particles(driven).collect();
    let held: Vec<_> = b.group_particles(over).enumerate().filter(|(i, _)| pinned(*i)).collect();
    driven.iter().copied().chain(held.iter().map(|h| h.1)).for_each(|p| b.pin_particle(p));
    (b.finalize().unwrap(), driven)
}

/// One step in which `driven` have a velocity; whether all did what their velocity says.
fn drive(run: &mut Run, velocity: impl Fn(ParticleId) -> Option<Vec3>, dt: f64) {
    let before = run.state();
    let mut control = run.model.control();
    control.particle_motion = (0..run.model.particle_count())
        .map(ParticleId::new)
        .filter_map(|p| Some((p, velocity(p)?)))
        .collect();
    let input = StepInput { control: &control, forces: &run.forces, contacts: None };
    run.solver.step(&input, dt, &mut run.report).unwrap();
    let after = run.state();
    for &(p, _) in &control.particle_motion {
        let did = (after.particle_q[p.index()] - before.particle_q[p.index()]) / dt;
        let off = (did - after.particle_qd[p.index()]).norm();
        assert!(off < 1e-9, "{p} has a velocity that is {off} m/s off what it did");
    }
    let r = &run.report;
    assert_eq!((r.nonfinite_count, r.self_contact.exempt), (0, 0));
    let triangles: Vec<[u32; 3]> = run.model.names.groups.iter().flat_map(|g| g.surface.clone()).collect();
    let surface = Surface::new(&triangles, &[], &run.model.particle_q, Filter::default());
    let found = find_intersections(&surface, &after.particle_q);
    assert!(found.is_empty(), "{} pairs intersect, {:?}", found.len(), r.self_contact);
}

/// Up by 0.4 m, then rest.
fn push(run: &mut Run, driven: &[ParticleId], speed: f64) -> (f64, f64) {
    let moving = (0.4 / speed / DT).round() as usize;
    let (mut most, mut lowest) = (0.0_f64, f64::INFINITY);
    for step in 0..moving + 60 {
        let v = if step < moving { Vec3::z() * (0.4 / moving as f64 / DT) } else { Vec3::zeros() };
        drive(run, |p| driven.contains(&p).then_some(v), DT);
        let r = run.report.self_contact;
        assert_eq!((r.lagging_particles > 0, r.lagging.is_some()), (r.lag > 0.0, r.lag > 0.0));
        assert!(r.lagging.is_none_or(|p| driven.contains(&p)));
        most = most.max(r.lag);
        let x = run.state().particle_q;
        // the middle of the sheet above, over that of the driven one
        lowest = lowest.min(x[driven.len() + 112].z - x[driven[24].index()].z);
    }
    (most, lowest)
}

#[test]
fn a_prescribed_sheet_pushes_a_free_one_ahead_at_any_speed() {
    for speed in [1.0, 2.0, 5.0, 8.0, 20.0] {
        let (model, driven) = driven_sheet(|_| false);
        let start = model.particle_q.to_vec();
        let mut run = Run::new(model, on(0.008));
        let (lag, above) = push(&mut run, &driven, speed);
        assert!(above > 0.0, "at {speed} m/s it went through");
        assert!(lag < 0.25, "at {speed} m/s it is {lag} m behind");
        assert_eq!(run.report.self_contact.lagging, None, "it caught up: {:?}", run.report.self_contact);
        let x = run.state().particle_q;
        let off = driven.iter().map(|p| (x[p.index()] - start[p.index()] - Vec3::z() * 0.4).norm());
        assert!(off.fold(0.0, f64::max) < 1e-9, "it is where it should be");
    }
}

/// Neither can give way: the driven one waits, and is back with its prescription on the way back.
#[test]
fn a_prescribed_sheet_waits_in_front_of_another_one() {
    let (model, driven) = driven_sheet(|_| true);
    let start = model.particle_q.to_vec();
    let mut run = Run::new(model, on(0.008));
    let mut up = 0.0;
    for step in 0..60 {
        let speed = if step < 30 { 1.0 } else { -1.0 };
        drive(&mut run, |p| driven.contains(&p).then_some(Vec3::z() * speed), DT);
        up += speed * DT;
        let r = run.report.self_contact;
        assert!(r.lag <= (up - 0.15).max(0.0) + 1e-9, "step {step}: {} of {up}", r.lag);
        assert!(step != 29 || (r.lag > 0.25 && r.lagging_particles > 30), "{r:?}");
    }
    let x = run.state().particle_q;
    let off = driven.iter().map(|p| (x[p.index()] - start[p.index()]).norm()).fold(0.0, f64::max);
    assert!(off < 1e-9 && run.report.self_contact.lagging.is_none(), "{off}");
}

#[test]
fn a_sheet_wrung_by_three_turns_at_each_end_within_two_seconds_never_intersects() {
    let (n, dx, dt, rate) = (26, 0.04, 1.0 / 30.0, 3.0 * std::f64::consts::PI);
    let mut b = builder();
    let mesh = coact_model::mesh::cloth_grid([25, 9], [1.0, 0.36], coact_model::mesh::Diagonal::default());
    let pose = Pose::translation(Vec3::new(-0.5, -0.18, 0.0));
    let def = ClothDef { density: 0.3, bend_ke: 1e-3, pose, ..ClothDef::default() };
    let ids: Vec<_> = {
        let g = b.add_cloth("sheet", &mesh, &def);
        b.group_particles(g).collect()
    };
    let ends: Vec<_> =
        ids.iter().enumerate().filter(|(i, _)| i % n == 0 || i % n == n - 1).map(|e| *e.1).collect();
    ends.iter().for_each(|&p| b.pin_particle(p));
    let model = b.finalize().unwrap();
    let start = model.particle_q.to_vec();
    let mut run = Run::new(model, on(0.2 * dx));
    let (mut active, mut time) = (0, 0.0);
    for _ in 0..60 {
        let at = |p: ParticleId, t: f64| {
            let sign = start[p.index()].x.signum();
            let turn = Quat::from_scaled_axis(Vec3::x() * (-sign * rate * t));
            turn * start[p.index()] - Vec3::x() * (sign * 0.05 * t)
        };
        drive(&mut run, |p| ends.contains(&p).then(|| (at(p, time + dt) - at(p, time)) / dt), dt);
        time += dt;
        active = active.max(run.report.self_contact.active);
    }
    assert!(active > 500, "it never touched itself: {active}");
}

/// Where nothing is near prescribed particles are where they should be, to the bit.
#[test]
fn what_meets_nothing_is_moved_as_without_self_contact() {
    let end = |config: VbdConfig| {
        let (model, driven) = driven_sheet(|_| false);
        let mut run = Run::new(model, config);
        for _ in 0..10 {
            drive(&mut run, |p| driven.contains(&p).then_some(Vec3::new(0.3, 0.1, -20.0)), DT);
        }
        let x = run.state();
        driven.iter().flat_map(|p| bits(&x)[3 * p.index()..][..3].to_vec()).collect::<Vec<_>>()
    };
    assert_eq!(end(VbdConfig::default()), end(on(0.008)));
}

#[test]
fn lags_do_not_depend_on_threads_and_outlive_a_restore() {
    let pushed = |threads: usize| {
        let (model, driven) = driven_sheet(|_| false);
        let config = VbdConfig { threads: Some(threads), parallel_threshold: 1, ..on(0.008) };
        let mut run = Run::new(model, config);
        for _ in 0..3 {
            drive(&mut run, |p| driven.contains(&p).then_some(Vec3::z() * 8.0), DT);
        }
        (run, driven)
    };
    let ((mut one, driven), (mut three, _)) = (pushed(1), pushed(3));
    assert!(one.report.self_contact.lag > 1e-3, "nothing lags: {:?}", one.report.self_contact);
    assert_eq!(bits(&one.state()), bits(&three.state()));
    let mut snapshot = Snapshot::new();
    one.solver.save_into(&mut snapshot);
    let next = |run: &mut Run| {
        drive(run, |p| driven.contains(&p).then_some(Vec3::z() * 8.0), DT);
        (bits(&run.state()), run.report.self_contact.lag)
    };
    let first = next(&mut one);
    one.solver.restore(&snapshot);
    assert_eq!(first, next(&mut one));
}
