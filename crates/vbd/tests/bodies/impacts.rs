//! What hits bounces as its material says, and passes through nothing.

use coact_math::{Pose, Vec3};
use coact_model::{Geometry, Material, MaterialId, ModelBuilder, ShapeDef};

use coact_solver::{DetectionSchedule, DetectionSlots};
use coact_vbd::VbdConfig;

use crate::support::{G, Run, ball, builder, cuboid, floor};

fn bouncy(restitution: f64) -> ModelBuilder {
    let mut b = ModelBuilder::new();
    b.set_material(MaterialId(0), Material { restitution, ..Material::default() });
    b
}

/// Speed after the first hit over that before it.
fn returned(e: f64, h: f64, with_box: bool) -> f64 {
    let mut b = bouncy(e);
    floor(&mut b, 0.0);
    let p = Vec3::new(0.0, 0.0, 1.1);
    match with_box {
        true => cuboid(&mut b, Pose::translation(p), Vec3::repeat(0.1), 1.0),
        false => ball(&mut b, p, Vec3::zeros(), 0.1, 1.0),
    };
    let mut run = Run::new(b);
    loop {
        let before = run.v(0).z - G * h;
        run.step(h);
        if run.v(0).z > before + 1.0 {
            assert!(run.state.body_qd[0].ang.norm() < 1e-6);
            return -run.v(0).z / before;
        }
    }
}

#[test]
fn restitution_returns_its_share_of_the_speed() {
    for e in [0.0, 0.3, 0.5, 0.8, 1.0] {
        for (h, with_box) in [(1.0 / 120.0, false), (1.0 / 120.0, true), (1.0 / 480.0, false)] {
            let got = returned(e, h, with_box);
            assert!((got - e).abs() < 0.01, "e {e}, h {h}: {got}");
        }
    }
}

/// A ball that hits a floor askew loses mu (1 + e) of its normal speed along it, or what makes it roll,
/// wherever in the step it hits; what it loses turns it.
#[test]
fn friction_of_an_impact_is_coulombs() {
    let (r, v) = (0.1, Vec3::new(2.0, 0.0, -3.0));
    for (mu, e) in [(0.05, 0.5), (0.05, 0.0), (0.2, 1.0), (0.5, 0.5), (0.5, 0.0)] {
        for (h, phase) in
            [60.0, 240.0].into_iter().flat_map(|f| (0..5).map(move |k| (1.0 / f, 0.2 * k as f64)))
        {
            let mut b = ModelBuilder::new();
            b.set_material(MaterialId(0), Material { restitution: e, mu, ..Material::default() });
            b.gravity = Vec3::zeros();
            floor(&mut b, 0.0);
            ball(&mut b, Vec3::new(0.0, 0.0, r + 3.0 * h * (2.0 + phase)), v, r, 1.0);
            let mut run = Run::new(b);
            (0..6).for_each(|_| run.step(h));
            let lost = (mu * (1.0 + e) * -v.z).min(2.0 / 7.0 * v.x);
            let (got, spin) = (v.x - run.v(0).x, run.state.body_qd[0].ang.y * r);
            assert!(
                (got - lost).abs() < 0.01 * lost,
                "mu {mu}, e {e}, h {h}, phase {phase}: {got}, not {lost}"
            );
            assert!((spin - 2.5 * lost).abs() < 0.025 * lost, "mu {mu}, e {e}, h {h}, phase {phase}: {spin}");
            assert!((run.v(0).z + e * v.z).abs() < 0.01, "{}", run.v(0));
        }
    }
}

/// Five balls in a row: what comes in on one side leaves on the other.
#[test]
fn newtons_cradle_hands_the_speed_through() {
    let mut b = bouncy(1.0);
    b.gravity = Vec3::zeros();
    for i in 0..5 {
        let (gap, v) = if i == 0 { (-0.3, 2.0) } else { (0.0, 0.0) };
        ball(&mut b, Vec3::new(0.2 * i as f64 + gap, 0.0, 0.0), Vec3::x() * v, 0.1, 1.0);
    }
    let mut run = Run::new(b);
    run.seconds(0.5, 1.0 / 120.0);
    (0..4).for_each(|i| assert!(run.v(i).norm() < 1e-6, "ball {i}: {}", run.v(i)));
    assert!((run.v(4) - Vec3::x() * 2.0).norm() < 1e-6, "{}", run.v(4));
}

/// A ball of 5 mm against a plate of 1 mm, at up to 300 m/s.
#[test]
fn a_bullet_does_not_pass_a_plate() {
    for speed in [30.0, 100.0, 300.0] {
        let mut b = builder(0.5);
        b.gravity = Vec3::zeros();
        let geometry = Geometry::Box { half_extents: Vec3::new(0.5, 0.5, 0.0005) };
        b.add_shape(ShapeDef { geometry, ..ShapeDef::default() });
        ball(&mut b, Vec3::new(0.0, 0.1, 0.5), Vec3::z() * -speed, 0.005, 0.004);
        let mut run = Run::new(b);
        run.seconds(1.0, 1.0 / 120.0);
        assert!((run.p(0).z - 0.0055).abs() < 1e-6, "{speed}: {}", run.p(0));
    }
}

/// Momentum of what hits in free space, straight and off centre; angular momentum to first order in
/// the step, as positions are.
#[test]
fn a_hit_keeps_momentum() {
    for (e, offset, h) in [(0.0, 0.0, 1e-2), (0.6, 0.05, 1e-2), (1.0, 0.08, 1e-2), (1.0, 0.08, 1e-3)] {
        let mut b = bouncy(e);
        b.gravity = Vec3::zeros();
        ball(&mut b, Vec3::new(-0.5, offset, 0.0), Vec3::x() * 3.0, 0.1, 1.0);
        cuboid(&mut b, Pose::identity(), Vec3::repeat(0.1), 20.0);
        let mut run = Run::new(b);
        let momentum = |run: &Run| run.v(0) + run.v(1) * 20.0;
        let spin = |run: &Run| {
            let part = |i: usize, m: f64| {
                let (q, w) = (run.state.body_q[i].q, run.state.body_qd[i].ang);
                run.p(i).cross(&(run.v(i) * m)) + q * (run.model.body_inertia[i] * (q.inverse() * w))
            };
            part(0, 1.0) + part(1, 20.0)
        };
        let (p, l, energy) = (momentum(&run), spin(&run), run.energy());
        run.seconds(0.5, h);
        assert!(run.v(1).x > 1e-2, "it hit");
        assert!((momentum(&run) - p).norm() < 1e-9, "e {e}: {}", (momentum(&run) - p).norm());
        assert!((spin(&run) - l).norm() < 0.6 * h, "e {e}: {}", (spin(&run) - l).norm());
        assert!(run.energy() <= energy * (1.0 + 1e-9), "e {e}");
    }
}

/// Without a look ahead a fast ball is met only where it has come to; boxes at rest stay at rest
/// however often contacts are made anew.
#[test]
fn detection_within_a_step_finds_what_the_begin_of_it_did_not() {
    let slots = |rigid| DetectionSlots { rigid, ..DetectionSlots::default() };
    let deepest = |rigid| {
        let mut b = builder(0.5);
        b.gravity = Vec3::zeros();
        floor(&mut b, 0.0);
        ball(&mut b, Vec3::new(0.0, 0.0, 0.15), Vec3::z() * -6.0, 0.1, 1.0);
        let mut run =
            Run::with(b, VbdConfig { speculative: false, detection: slots(rigid), ..VbdConfig::default() });
        run.step(1.0 / 60.0);
        run.p(0).z - 0.1
    };
    assert!(deepest(DetectionSchedule::PreInit) < -0.04);
    assert!(
        deepest(DetectionSchedule::PrePostInit).abs() < 1e-6,
        "{}",
        deepest(DetectionSchedule::PrePostInit)
    );
    for rigid in [DetectionSchedule::PrePostInit, DetectionSchedule::Iterations(2)] {
        let mut b = builder(0.5);
        floor(&mut b, 0.0);
        for i in 0..3 {
            cuboid(
                &mut b,
                Pose::translation(Vec3::new(0.0, 0.0, 0.1 + 0.2 * i as f64)),
                Vec3::repeat(0.1),
                1.0,
            );
        }
        let mut run = Run::with(b, VbdConfig { detection: slots(rigid), ..VbdConfig::default() });
        run.seconds(1.0, 1.0 / 120.0);
        assert!((run.p(2).z - 0.5).abs() < 1e-6, "{rigid}: {}", run.p(2));
    }
}

/// Restitution along the normal and Coulomb's friction across it may add up to more energy than there was:
/// what hits askew keeps what it has, at most.
#[test]
fn impacts_with_friction_give_no_energy() {
    for (mu, e, seed) in [(1.0, 1.0, 0), (1.0, 0.9, 1), (0.3, 1.0, 2), (1.0, 0.95, 3), (0.5, 1.0, 4)] {
        for h in [1.0 / 120.0, 1.0 / 480.0] {
            let mut b = ModelBuilder::new();
            b.set_material(MaterialId(0), Material { restitution: e, mu, ..Material::default() });
            b.gravity = Vec3::zeros();
            floor(&mut b, 0.0);
            let turn = coact_math::Quat::from_scaled_axis(Vec3::new(
                0.4 + 0.1 * seed as f64,
                0.7,
                0.3 * seed as f64,
            ));
            let half = Vec3::new(0.15, 0.02, 0.02);
            let body = cuboid(&mut b, Pose::new(Vec3::z() * 0.4, turn), half, 1.0);
            let mut run = Run::new(b);
            let v = coact_math::Spatial::new(Vec3::new(1.5, 0.2, -2.0), Vec3::new(0.5, -2.0, 1.0));
            run.state.body_qd[body.index()] = v;
            coact_solver::Solver::load(&mut run.solver, &run.state);
            let mut last = run.energy();
            for step in 0..(0.6 / h) as usize {
                run.step(h);
                let now = run.energy();
                assert!(now <= last * (1.0 + 1e-6), "mu {mu}, e {e}, {h}, step {step}: {last} to {now} J");
                last = now;
            }
            assert!(run.v(0).z > 0.1, "it did not hit: {}", run.v(0));
        }
    }
}
