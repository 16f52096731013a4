//! What slides and rolls does so at the textbook's acceleration.

use coact_math::{Pose, Quat, Spatial, Vec3};
use coact_model::{BodyDef, Geometry, ModelBuilder, ModelFlags, ModelView, ShapeDef, State};
use coact_solver::{Solver, StepInput};

use crate::support::{G, Run, builder, cuboid, floor};

/// A box of 0.2 m on a slope.
fn slope(degrees: f64, mu: f64) -> Run {
    let mut b = builder(mu);
    let q = floor(&mut b, degrees.to_radians());
    cuboid(&mut b, Pose::new(q * Vec3::new(0.0, 0.0, 0.1), q), Vec3::repeat(0.1), 1.0);
    Run::new(b)
}

#[test]
fn a_box_inside_its_cone_does_not_creep() {
    for h in [1.0 / 60.0, 1.0 / 240.0, 1.0 / 1000.0] {
        let mut run = slope(26.0, 0.5);
        run.seconds(1.0, h);
        let begin = run.p(0);
        run.seconds(4.0, h);
        let speed = (run.p(0) - begin).norm() / 4.0;
        assert!(speed < 1e-8, "{h}: {speed:e} m/s");
        assert!(begin.norm() < 0.11, "it slid on at the begin: {begin}");
    }
}

/// The same by steps between states, which keep what is remembered.
#[test]
fn a_box_inside_its_cone_does_not_creep_from_state_to_state() {
    let mut run = slope(26.0, 0.5);
    let (mut a, mut b) = (run.state.clone(), run.state.clone());
    let mut step = |a: &State, b: &mut State| {
        let input = StepInput { control: &run.control, forces: &run.forces, contacts: None };
        coact_solver::advance(&mut run.solver, a, b, &input, 1.0 / 120.0, &mut run.report).unwrap();
    };
    for _ in 0..240 {
        step(&a, &mut b);
        std::mem::swap(&mut a, &mut b);
    }
    assert!(a.body_qd[0].lin.norm() < 1e-8, "{}", a.body_qd[0].lin);
    // what is put elsewhere goes on from there
    a.body_q[0].p += Vec3::z() * 0.5;
    step(&a, &mut b);
    assert!((b.body_qd[0].lin - Vec3::z() * (-G / 120.0)).norm() < 1e-8, "{}", b.body_qd[0].lin);
}

#[test]
fn a_box_outside_its_cone_slides_as_coulomb_has_it() {
    for (degrees, mu) in [(27.0_f64, 0.5), (35.0, 0.5), (10.0, 0.1)] {
        let a = degrees.to_radians();
        let exact = G * (a.sin() - mu * a.cos());
        for h in [1.0 / 60.0, 1.0 / 240.0, 1.0 / 1000.0] {
            let mut run = slope(degrees, mu);
            run.seconds(1.0, h);
            let begin = run.v(0).norm();
            run.seconds(2.0, h);
            let ratio = (run.v(0).norm() - begin) / (2.0 * exact);
            assert!((ratio - 1.0).abs() < 1e-3, "{degrees}°, mu {mu}, h {h}: {ratio}");
        }
    }
}

/// v(0.4 s)/0.4 s against g sin a/(1 + I/(m r²)); nothing gained.
#[test]
fn a_capsule_rolls_as_the_textbook_has_it() {
    for degrees in [10.0_f64, 20.0] {
        let (a, radius) = (degrees.to_radians(), 0.005);
        let mut b = builder(0.8);
        let q = floor(&mut b, a);
        let lie = Quat::from_axis_angle(&Vec3::x_axis(), std::f64::consts::FRAC_PI_2);
        let pose = Pose::new(q * Vec3::new(0.0, 0.0, radius), q * lie);
        let body = b.add_body(BodyDef { pose, ..BodyDef::default() });
        let geometry = Geometry::Capsule { radius, half_height: 0.145 };
        b.add_shape(ShapeDef { body: Some(body), geometry, density: 1200.0, ..ShapeDef::default() });
        let mut run = Run::new(b);
        let begin = run.energy();
        run.seconds(0.4, 1.25e-3);
        let (m, i) = (run.model.body_mass[0], run.model.body_inertia[0][(2, 2)]);
        let exact = G * a.sin() / (1.0 + i / (m * radius * radius));
        let ratio = run.v(0).norm() / 0.4 / exact;
        assert!((ratio - 1.0).abs() < 1e-5, "{degrees}°: {ratio}");
        assert!(run.energy() <= begin, "{} J gained", run.energy() - begin);
    }
}

/// A box on a disc that turns at w, w² r = 0.55 mu g, stays where it is on it.
#[test]
fn a_box_on_a_turntable_keeps_its_place() {
    for h in [1.0 / 60.0, 1.0 / 240.0] {
        let (mut b, w, r) = (builder(0.5), 3.0, 0.3);
        let velocity = Spatial::new(Vec3::zeros(), Vec3::z() * w);
        let disc = b.add_body(BodyDef { kinematic: true, velocity, ..BodyDef::default() });
        let geometry = Geometry::Cylinder { radius: 1.0, half_height: 0.1 };
        let pose = Pose::translation(Vec3::z() * -0.1);
        b.add_shape(ShapeDef { body: Some(disc), geometry, pose, density: 0.0, ..ShapeDef::default() });
        let on = cuboid(&mut b, Pose::translation(Vec3::new(r, 0.0, 0.05)), Vec3::repeat(0.05), 1.0);
        b.set_body_velocity(on, Spatial::new(Vec3::y() * (w * r), Vec3::z() * w));
        let mut run = Run::new(b);
        run.seconds(0.5, h);
        let (begin, turn) = (on_disc(&run), run.state.body_q[0].q);
        run.seconds(3.0, h);
        assert!(turn.angle_to(&run.state.body_q[0].q) > 0.1);
        let crept = (on_disc(&run) - begin).norm();
        assert!(crept < 1e-8, "{h}: {crept} m of {begin}");
    }
}

/// Where the first body of a run sees the second.
fn on_disc(run: &Run) -> Vec3 {
    run.state.body_q[0].q.inverse() * (run.p(1) - run.p(0))
}

/// mu g while it slips, the speed of the belt from then on, which nothing is lost of.
#[test]
fn a_box_on_a_conveyor_speeds_up_by_friction_to_the_speed_of_the_belt() {
    for h in [1.0 / 60.0, 1.0 / 240.0, 1.0 / 1000.0] {
        let mut run = slope(0.0, 0.5);
        set_belt(&mut run, Vec3::x());
        run.seconds(0.1, h);
        assert!((run.v(0).x / (0.05 * G) - 1.0).abs() < 1e-3, "{h}: {} m/s", run.v(0).x);
        run.seconds(0.9, h);
        let begin = run.p(0);
        run.seconds(2.0, h);
        let mean = (run.p(0) - begin) / 2.0;
        assert!((run.v(0) - Vec3::x()).norm() < 1e-6, "{h}: {}", run.v(0));
        assert!((mean - Vec3::x()).norm() < 1e-6, "{h}: {mean}");
        assert!(run.state.body_qd[0].ang.norm() < 1e-6 && (run.p(0).z - 0.1).abs() < 1e-6);
    }
}

/// What is put on a belt at its speed is not disturbed, and stops when the belt does.
#[test]
fn a_belt_that_stops_brakes_by_friction() {
    let mut run = slope(0.0, 0.5);
    set_belt(&mut run, Vec3::y());
    run.seconds(1.0, 1.0 / 240.0);
    set_belt(&mut run, Vec3::zeros());
    run.seconds(0.1, 1.0 / 240.0);
    assert!((run.v(0).y - (1.0 - 0.05 * G)).abs() < 1e-3, "{}", run.v(0).y);
    run.seconds(0.5, 1.0 / 240.0);
    assert!(run.v(0).norm() < 1e-6, "{}", run.v(0));
}

/// The velocity of the surface is in the frame of its body, on top of that of the body.
#[test]
fn a_belt_carries_in_the_frame_of_its_body() {
    let mut b = builder(0.5);
    let turn = Quat::from_axis_angle(&Vec3::z_axis(), std::f64::consts::FRAC_PI_2);
    let velocity = Spatial::new(Vec3::new(0.3, 0.0, 0.0), Vec3::zeros());
    let pose = Pose::new(Vec3::new(0.0, 0.0, -0.1), turn);
    let carrier = b.add_body(BodyDef { pose, velocity, kinematic: true, ..BodyDef::default() });
    let geometry = Geometry::Box { half_extents: Vec3::new(5.0, 5.0, 0.1) };
    let surface_velocity = Vec3::new(0.5, 0.0, 0.7);
    b.add_shape(ShapeDef { body: Some(carrier), geometry, surface_velocity, ..ShapeDef::default() });
    cuboid(&mut b, Pose::translation(Vec3::new(0.0, 0.0, 0.1)), Vec3::repeat(0.1), 1.0);
    let mut run = Run::new(b);
    run.seconds(1.0, 1.0 / 120.0);
    let expected = Vec3::new(0.3, 0.5, 0.0); // what points out of the surface carries nothing
    assert!((run.v(1) - expected).norm() < 1e-6, "{}", run.v(1));
}

/// A new velocity for the surface of the first shape.
fn set_belt(run: &mut Run, velocity: Vec3) {
    run.model.shape_surface_velocity.make_mut()[0] = velocity;
    let view = ModelView::whole(&run.model);
    run.solver.notify_model_changed(&view, ModelFlags::SHAPES);
}

/// Far below, the floor changes no digit of a fall.
#[test]
fn a_far_contact_does_not_slow_a_fall() {
    let fall = |with_floor: bool| {
        let mut b = builder(0.5);
        if with_floor {
            floor(&mut b, 0.0);
        }
        cuboid(&mut b, Pose::translation(Vec3::new(0.0, 0.0, 3.0)), Vec3::repeat(0.1), 1.0);
        let mut run = Run::new(b);
        run.seconds(0.7, 1.0 / 60.0);
        run.p(0)
    };
    assert_eq!(fall(true), fall(false));
    assert!(fall(true).z < 0.7);
}

/// Boxes thrown on a heap: energy is lost only, and nothing is left inside anything. A lone box may
/// still be about to tip over: what moves at the end has no energy to speak of.
#[test]
fn a_heap_comes_to_rest() {
    for seed in [7, 8, 9] {
        let mut run = Run::new(heap(seed));
        let (begin, mut top) = (run.energy(), 0.0_f64);
        for _ in 0..600 {
            run.step(1.0 / 120.0);
            top = top.max(run.energy() / begin);
        }
        assert!(top < 1.001, "{seed}: {top}");
        assert!(run.report.penetration.depth < 1e-6, "{seed}: {}", run.report.penetration.depth);
        let moving: f64 = (0..27).map(|i| 0.5 * run.v(i).norm_squared()).sum();
        assert!(moving < 1e-5 * begin, "{seed}: {moving} J of {begin}");
    }
}

fn heap(seed: u64) -> ModelBuilder {
    let mut b = builder(0.5);
    floor(&mut b, 0.0);
    let mut random = coact_testkit::Random::new(seed);
    for i in 0..27 {
        let p = Vec3::new(0.25 * (i % 3) as f64, 0.25 * (i / 3 % 3) as f64, 0.3 + 0.3 * (i / 9) as f64);
        let turn = Vec3::from_fn(|_, _| random_in(&mut random) * 2.0);
        cuboid(&mut b, Pose::new(p, Quat::from_scaled_axis(turn)), Vec3::new(0.1, 0.08, 0.06), 1.0);
    }
    b
}

fn random_in(r: &mut coact_testkit::Random) -> f64 {
    r.range(-1.0, 1.0)
}

/// What slides from one plate to the next, at any speed, keeps it where nothing rubs.
#[test]
fn a_seam_between_two_plates_stops_nothing() {
    for (speed, dt) in [(1.0, 1.0 / 60.0), (1.0, 1.0 / 240.0), (0.1, 1.0 / 60.0), (3.0, 1.0 / 1000.0)] {
        for gap in [0.0, 1e-3] {
            let mut b = builder(0.0);
            for k in 0..4 {
                let pose = Pose::translation(Vec3::new((0.5 + gap) * f64::from(k), 0.0, -0.05));
                let geometry = Geometry::Box { half_extents: Vec3::new(0.25, 0.5, 0.05) };
                b.add_shape(ShapeDef { geometry, pose, ..ShapeDef::default() });
            }
            let id =
                cuboid(&mut b, Pose::translation(Vec3::new(0.1, 0.0, 0.05)), Vec3::new(0.1, 0.1, 0.05), 1.0);
            b.set_body_velocity(id, Spatial::new(Vec3::x() * speed, Vec3::zeros()));
            let mut run = Run::new(b);
            let time = 1.2 / speed;
            run.seconds(time, dt);
            let (x, v) = (run.state.body_q[0].p, run.state.body_qd[0].lin);
            assert!((v.x - speed).abs() < 1e-9 * speed, "{speed} m/s, gap {gap}: left with {} m/s", v.x);
            assert!(x.x > 1.2 && (x.z - 0.05).abs() < 1e-6, "{speed} m/s, gap {gap}: at {x:?}");
        }
    }
}

/// Cylinders that lie on each other stay: three of them need no more than friction of tan 15°.
#[test]
fn three_logs_lie_on_each_other() {
    let lying = Quat::from_axis_angle(&Vec3::y_axis(), std::f64::consts::FRAC_PI_2);
    for dt in [1.0 / 60.0, 1.0 / 240.0, 1.0 / 1000.0] {
        let mut b = builder(0.8);
        floor(&mut b, 0.0);
        let top = 0.1 + 0.2 * 60.0_f64.to_radians().sin();
        for at in [[-0.1, 0.1], [0.1, 0.1], [0.0, top]] {
            let pose = Pose::new(Vec3::new(0.0, at[0], at[1]), lying);
            let body = b.add_body(BodyDef { pose, ..BodyDef::default() });
            let geometry = Geometry::Cylinder { radius: 0.1, half_height: 0.25 };
            b.add_shape(ShapeDef { body: Some(body), geometry, density: 500.0, ..ShapeDef::default() });
        }
        let mut run = Run::new(b);
        run.seconds(2.0, dt);
        let z = run.state.body_q[2].p.z;
        assert!((z - top).abs() < 1e-4, "dt {dt}: the top one is at {z} m instead of {top}");
    }
}
