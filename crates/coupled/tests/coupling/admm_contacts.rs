//! Contact pairs between entries: slopes, hits, momentum, memory.

use coact_coupled::{AdmmConfig, ContactMatching, ContactPair, SolverCoupledAdmm};
use coact_math::{Pose, Vec3, exp_so3};
use coact_model::{
    BodyDef, BodyId, BodyMass, Geometry, Material, Model, ModelBuilder, ParticleDef, ParticleId, ShapeDef,
};
use coact_solver::Snapshot;
use coact_testkit::{count_allocations, state_digest};

use crate::support::*;

const G: f64 = 9.81;

fn config() -> AdmmConfig {
    AdmmConfig { contact_pairs: vec![ContactPair::new("first", "second")], ..AdmmConfig::default() }
}

fn box_body(
    b: &mut ModelBuilder,
    name: &str,
    pose: Pose,
    half: Vec3,
    mass: f64,
    material: coact_model::MaterialId,
) -> BodyId {
    let i = half.component_mul(&half) * (mass / 3.0);
    let inertia = coact_math::Mat3::from_diagonal(&Vec3::new(i.y + i.z, i.x + i.z, i.x + i.y));
    let mass = BodyMass::Given { mass, com: Vec3::zeros(), inertia };
    let body = b.add_body(BodyDef { name: name.into(), pose, mass, ..BodyDef::default() });
    b.add_shape(ShapeDef {
        name: name.into(),
        body: Some(body),
        geometry: Geometry::Box { half_extents: half },
        density: 0.0,
        material,
        ..ShapeDef::default()
    });
    body
}

/// A slope of `angle` rad, so heavy that it stays, and on it a box or a particle of another entry.
fn slope(angle: f64, mu: f64, of_particle: bool) -> Run<SolverCoupledAdmm> {
    let mut b = ModelBuilder::new();
    b.gravity = Vec3::zeros();
    let material = b.add_material("m", Material { mu, ..Material::default() });
    let q = exp_so3(&(Vec3::y() * angle));
    let at = |p: Vec3| Pose::new(q * p, q);
    box_body(&mut b, "slope", at(Vec3::new(1.0, 0.0, -0.1)), Vec3::new(4.0, 0.5, 0.1), 1e9, material);
    let weight = Vec3::new(0.0, 0.0, -G);
    let mut second = dummy("second", vec![]);
    if of_particle {
        let p = b.add_particle(ParticleDef {
            q: q * Vec3::new(0.0, 0.0, 0.02),
            mass: 0.1,
            radius: 0.02,
            material,
            ..ParticleDef::default()
        });
        second = second.particles([p]);
    } else {
        let c = box_body(&mut b, "box", at(Vec3::new(0.0, 0.0, 0.1)), Vec3::repeat(0.1), 1.0, material);
        second = second.bodies([c]);
    }
    let m = b.finalize().unwrap();
    let defs = vec![dummy("first", vec![]).bodies([BodyId(0)]), second];
    let mut run = Run::new(&m, SolverCoupledAdmm::new(&m, defs, config()).unwrap());
    match of_particle {
        true => run.forces.particle_f[0] = weight * 0.1,
        false => run.forces.body_f[1].lin = weight,
    }
    run
}

/// Way down the slope, depth below the surface, passes per step.
fn slide(angle_deg: f64, of_particle: bool) -> (f64, f64, f64) {
    let (angle, dt) = (angle_deg.to_radians(), 1.0 / 240.0);
    let mut run = slope(angle, 0.5, of_particle);
    let q = exp_so3(&(Vec3::y() * angle));
    let (down, normal) = (q * Vec3::x(), q * Vec3::z());
    let at = |run: &Run<SolverCoupledAdmm>| {
        if of_particle { run.state.particle_q[0] } else { run.state.body_q[1].p }
    };
    let begin = at(&run);
    let (mut depth, mut passes) = (0.0_f64, 0);
    for step in 0..240 {
        run.step(dt);
        depth = depth.max(-(at(&run) - begin).dot(&normal));
        passes += run.report.interfaces[0].iterations;
        assert!(run.report.interfaces[0].converged, "step {step}: {:?}", run.report.interfaces[0]);
    }
    ((at(&run) - begin).dot(&down), depth, f64::from(passes as u32) / 240.0)
}

#[test]
fn slopes_hold_below_the_cone_and_slide_by_coulombs_law_above() {
    for of_particle in [false, true] {
        for angle in [20.0, 26.0, 27.0, 28.0, 32.0] {
            let (way, depth, passes) = slide(angle, of_particle);
            let a = f64::to_radians(angle);
            let exact = 0.5 * (G * (a.sin() - 0.5 * a.cos())).max(0.0);
            // semi-implicit steps go (n + 1)/n as far
            let exact = exact * 241.0 / 240.0;
            println!(
                "particle {of_particle}, {angle}°: way {way:.6} of {exact:.6}, depth {depth:.1e}, {passes:.2} passes"
            );
            assert!(depth < 5e-5, "{angle}: sinks by {depth}");
            match exact {
                0.0 => assert!(way.abs() < 5e-5, "{angle}: creeps by {way}"),
                _ => assert!((way / exact - 1.0).abs() < 0.02, "{angle}: {way} of {exact}"),
            }
        }
    }
}

/// Two balls (bodies or particles) that meet head on.
fn hit(ratio: f64, speed: f64, e: f64, particles: bool) -> (Model, Run<SolverCoupledAdmm>) {
    let mut b = ModelBuilder::new();
    b.gravity = Vec3::zeros();
    let material = b.add_material("m", Material { mu: 0.0, restitution: e, ..Material::default() });
    let (r, mut defs) = (0.05, vec![dummy("first", vec![]), dummy("second", vec![])]);
    for (i, mass) in [1.0, ratio].into_iter().enumerate() {
        let x = Vec3::x() * if i == 0 { -0.2 } else { 0.0 };
        let v = Vec3::x() * if i == 0 { speed } else { 0.0 };
        let def = defs.remove(i);
        let def = if particles {
            def.particles([b.add_particle(ParticleDef { q: x, qd: v, mass, radius: r, material })])
        } else {
            let inertia = coact_math::Mat3::identity() * (0.4 * mass * r * r);
            let given = BodyMass::Given { mass, com: Vec3::zeros(), inertia };
            let velocity = coact_math::Spatial::new(v, Vec3::zeros());
            let body = b.add_body(BodyDef {
                pose: Pose::translation(x),
                velocity,
                mass: given,
                ..BodyDef::default()
            });
            b.add_shape(ShapeDef {
                body: Some(body),
                geometry: Geometry::Sphere { radius: r },
                density: 0.0,
                material,
                ..ShapeDef::default()
            });
            def.bodies([body])
        };
        defs.insert(i, def);
    }
    let m = b.finalize().unwrap();
    let run = Run::new(&m, SolverCoupledAdmm::new(&m, defs, config()).unwrap());
    (m, run)
}

#[test]
fn hits_keep_momentum_restitute_as_authored_and_never_tunnel() {
    for particles in [false, true] {
        for (ratio, speed, e) in [
            (1.0, 1.0, 0.0),
            (1.0, 1.0, 1.0),
            (100.0, 1.0, 0.5),
            (1.0, 20.0, 0.5),
            (100.0, 20.0, 0.0),
            (0.01, 20.0, 1.0),
        ] {
            let (_, mut run) = hit(ratio, speed, e, particles);
            let dt = 1.0 / 120.0;
            let steps = (0.6 / (speed * dt)).ceil() as usize;
            let v = |run: &Run<SolverCoupledAdmm>, i: usize| {
                if particles { run.state.particle_qd[i].x } else { run.state.body_qd[i].lin.x }
            };
            let x = |run: &Run<SolverCoupledAdmm>, i: usize| {
                if particles { run.state.particle_q[i].x } else { run.state.body_q[i].p.x }
            };
            for _ in 0..steps {
                run.step(dt);
                assert!(x(&run, 1) - x(&run, 0) > 0.1 - 1e-6, "{ratio} {speed} {e}: passes through");
                assert!(run.report.interfaces[0].converged);
            }
            let momentum = v(&run, 0) + ratio * v(&run, 1);
            assert!((momentum - speed).abs() < 1e-9 * speed.max(ratio), "{ratio} {speed} {e}: {momentum}");
            let apart = v(&run, 1) - v(&run, 0);
            assert!((apart - e * speed).abs() < 1e-3 * speed, "{particles} {ratio} {speed} {e}: {apart}");
        }
    }
}

/// A box on a heavy box: at rest, at any mass ratio, without creep; the memory makes it cheap.
#[test]
fn what_lies_rests_and_its_force_is_remembered() {
    for ratio in [0.01, 1.0, 100.0] {
        let mut b = ModelBuilder::new();
        b.gravity = Vec3::zeros();
        let m = b.add_material("m", Material { mu: 0.5, ..Material::default() });
        box_body(&mut b, "below", Pose::translation(Vec3::z() * -0.1), Vec3::new(0.5, 0.5, 0.1), 1e9, m);
        box_body(&mut b, "above", Pose::translation(Vec3::z() * 0.1), Vec3::repeat(0.1), ratio, m);
        let model = b.finalize().unwrap();
        let passes = [ContactMatching::Latest, ContactMatching::Disabled].map(|contact_matching| {
            let defs =
                vec![dummy("first", vec![]).bodies([BodyId(0)]), dummy("second", vec![]).bodies([BodyId(1)])];
            let config = AdmmConfig { contact_matching, ..config() };
            let mut run = Run::new(&model, SolverCoupledAdmm::new(&model, defs, config).unwrap());
            run.forces.body_f[1].lin.z = -G * ratio;
            let mut passes = 0;
            for _ in 0..200 {
                run.step(1.0 / 240.0);
                passes += run.report.interfaces[0].iterations;
                assert!(run.report.interfaces[0].converged);
            }
            assert!(
                (run.state.body_q[1].p - Vec3::z() * 0.1).norm() < 1e-6,
                "{ratio}: {}",
                run.state.body_q[1].p
            );
            passes
        });
        println!("{ratio}: {passes:?} passes in 200 steps");
        assert!(passes[0] <= 260, "{passes:?}");
    }
}

#[test]
fn a_net_of_points_on_a_free_body_keeps_momentum() {
    let mut b = ModelBuilder::new();
    b.gravity = Vec3::zeros();
    let m = b.add_material("m", Material { mu: 0.4, ..Material::default() });
    let body = box_body(&mut b, "tray", Pose::identity(), Vec3::new(0.3, 0.3, 0.05), 1.0, m);
    let p: Vec<ParticleId> = (0..9)
        .map(|i| {
            let q = Vec3::new(
                0.1 * f64::from(i % 3) - 0.12,
                0.1 * f64::from(i / 3) - 0.1,
                0.08 + 0.003 * f64::from(i),
            );
            b.add_particle(ParticleDef {
                q,
                qd: Vec3::new(0.3, 0.1, -1.0),
                mass: 0.02,
                radius: 0.01,
                material: m,
            })
        })
        .collect();
    let model = b.finalize().unwrap();
    let defs = vec![dummy("first", vec![]).bodies([body]), dummy("second", vec![]).particles(p)];
    let mut run = Run::new(&model, SolverCoupledAdmm::new(&model, defs, config()).unwrap());
    let mut passes = 0;
    for _ in 0..120 {
        run.step(1.0 / 120.0);
        passes += run.report.interfaces[0].iterations;
        assert!(run.report.interfaces[0].converged, "{:?}", run.report.interfaces[0]);
    }
    println!("{passes} passes in 120 steps");
    let p: Vec3 = run.state.particle_qd.iter().map(|v| v * 0.02).sum::<Vec3>() + run.state.body_qd[0].lin;
    assert!((p - Vec3::new(0.3, 0.1, -1.0) * 0.18).norm() < 1e-12);
}

#[test]
fn save_and_restore_are_exact_and_steps_do_not_allocate() {
    let mut run = slope(0.3, 0.5, false);
    let dt = 1.0 / 240.0;
    (0..20).for_each(|_| _ = run.step(dt));
    let mut saved = Snapshot::new();
    coact_solver::Solver::save_into(&run.solver, &mut saved);
    let expected: Vec<_> = (0..5).map(|_| state_digest(run.step(dt))).collect();
    coact_solver::Solver::restore(&mut run.solver, &saved);
    let again: Vec<_> = (0..5).map(|_| state_digest(run.step(dt))).collect();
    assert_eq!(expected, again);
    assert_eq!(count_allocations(|| (0..10).for_each(|_| _ = run.step(dt))).0, 0);
}
