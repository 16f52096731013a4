//! What is jointed keeps together, however heavy, and is driven as its springs say.

use coact_math::{Pose, Quat, Spatial, Vec3};
use coact_model::{JointAxis, JointDef, JointId, JointKind, ModelBuilder};
use coact_solver::Solver;
use coact_vbd::{BodyBlocks, VbdConfig};

use crate::support::{G, Run, bare, builder, to_world};

/// A chain of links of 0.1 m and 0.2 kg along x with an end mass.
fn chain(links: usize, mass: f64) -> ModelBuilder {
    let mut b = builder(0.5);
    let mut before = None;
    for i in 0..=links {
        let end = i == links;
        let (half, m) = if end { (Vec3::repeat(0.2), mass) } else { (Vec3::new(0.05, 0.01, 0.01), 0.2) };
        let body = bare(&mut b, Vec3::new(0.1 * i as f64 + half.x, 0.0, 0.0), half, m);
        let x_p = Pose::translation(Vec3::new(if before.is_none() { 0.0 } else { 0.05 }, 0.0, 0.0));
        let x_c = Pose::translation(Vec3::new(-half.x, 0.0, 0.0));
        b.add_joint(JointDef { x_p, x_c, ..JointDef::new(JointKind::Ball, before, body) });
        before = Some(body);
    }
    b
}

#[test]
fn a_chain_with_ten_tonnes_at_its_end_keeps_its_joints() {
    let mut run = Run::new(chain(50, 10_000.0));
    let (begin, mut gap, mut top) = (run.energy(), 0.0_f64, f64::MIN);
    for _ in 0..480 {
        run.step(1.0 / 240.0);
        let gaps = (0..51).map(|j| run.solver.joint(JointId::new(j)).unwrap().gap);
        gap = gaps.fold(gap, f64::max);
        top = top.max(run.energy());
    }
    assert!(gap < 1e-8, "{gap:e}");
    assert!(top <= begin + 1e-3, "{} J gained", top - begin);
    assert!(run.p(50).z < -0.3, "it swings: {}", run.p(50));
    assert!(run.report.worst_joint.is_some_and(|(_, g)| g < 1e-8));
}

/// Period of a heavy link about its end, 2π √(I/(m g l)), small swings; the load cell at the pivot.
#[test]
fn a_pendulum_swings_at_its_period_and_tells_its_load() {
    let mut b = builder(0.5);
    let half = Vec3::new(0.01, 0.01, 0.5);
    let body = bare(&mut b, Vec3::new(0.0, 0.0, -0.5), half, 2.0);
    let x_c = Pose::translation(Vec3::new(0.0, 0.0, 0.5));
    let axes = vec![JointAxis { axis: Vec3::y(), ..JointAxis::default() }];
    b.add_joint(JointDef {
        x_c,
        axes,
        qd: Some(vec![0.05]),
        ..JointDef::new(JointKind::Revolute, None, body)
    });
    b.pose_from_joints();
    let mut run = Run::new(b);
    let load = |run: &Run| run.solver.joint(JointId::new(0)).unwrap().wrench.lin;
    let (h, mut crossings, mut before) = (1.0 / 2000.0, Vec::new(), -1.0);
    for k in 0..12_000 {
        run.step(h);
        let x = run.p(0).x;
        if before < 0.0 && x >= 0.0 {
            crossings.push((k as f64 - x / (x - before)) * h);
        }
        before = x;
    }
    let inertia = 2.0 / 3.0 * (0.01 * 0.01 + 0.25) + 2.0 * 0.25;
    let exact = std::f64::consts::TAU * (inertia / (2.0 * G * 0.5)).sqrt();
    let period = (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64;
    assert!((period / exact - 1.0).abs() < 1e-3, "{period} {exact}");
    assert!((load(&run).z - 2.0 * G).abs() < 0.05 && load(&run).norm() < 20.0, "{}", load(&run));
}

/// Two bodies that a hinge joins fall as one.
#[test]
fn a_jointed_pair_falls_at_g() {
    let mut b = builder(0.5);
    let bodies = [0.0, 0.4].map(|x| bare(&mut b, Vec3::new(x, 0.0, 0.0), Vec3::repeat(0.1), 1.0 + x));
    b.add_joint(JointDef {
        x_p: Pose::translation(Vec3::new(0.2, 0.0, 0.0)),
        x_c: Pose::translation(Vec3::new(-0.2, 0.0, 0.0)),
        ..JointDef::new(JointKind::Fixed, Some(bodies[0]), bodies[1])
    });
    let mut run = Run::new(b);
    run.seconds(1.0, 1.0 / 120.0);
    for i in 0..2 {
        assert!((run.v(i) + Vec3::z() * G).norm() < 1e-9, "{}", run.v(i));
        assert!(run.state.body_qd[i].ang.norm() < 1e-9);
    }
}

/// A spring of 1000 N/m and 120 N s/m with its target at 0.1 m under 20 N.
#[test]
fn a_drive_keeps_its_material_balance() {
    for h in [1.0 / 600.0, 1.0 / 60.0] {
        let mut b = builder(0.5);
        b.gravity = Vec3::zeros();
        let body = bare(&mut b, Vec3::zeros(), Vec3::repeat(0.1), 1.0);
        let axis = JointAxis { axis: Vec3::x(), target_ke: 1000.0, target_kd: 120.0, ..JointAxis::default() };
        to_world(&mut b, JointKind::Prismatic, body, Vec3::zeros(), axis);
        let mut run = Run::new(b);
        run.control.joint_target_q[0] = 0.1;
        run.forces.body_f[0].lin = Vec3::x() * 20.0;
        run.seconds(1.5, h);
        assert!((run.p(0).x - 0.12).abs() < 1e-6 && run.v(0).norm() < 1e-5, "{}", run.p(0));
        let pull = run.solver.joint(JointId::new(0)).unwrap().wrench.lin.x;
        assert!((pull + 20.0).abs() < 1e-3, "{pull}");
    }
}

#[test]
fn a_limit_holds_under_load_and_one_without_stiffness_does_not() {
    for (limit_ke, limit_kd) in [(f64::INFINITY, 0.0), (1e12, 2e4)] {
        let mut b = builder(0.5);
        b.gravity = Vec3::zeros();
        let body = bare(&mut b, Vec3::zeros(), Vec3::repeat(0.1), 1.0);
        let axis = JointAxis {
            axis: Vec3::x(),
            limit_lower: -0.1,
            limit_upper: 0.1,
            limit_ke,
            limit_kd,
            ..JointAxis::default()
        };
        to_world(&mut b, JointKind::Prismatic, body, Vec3::zeros(), axis);
        let mut run = Run::new(b);
        run.forces.body_f[0].lin = Vec3::x() * 100.0;
        run.seconds(2.0, 1.0 / 120.0);
        assert!((run.p(0).x - 0.1).abs() < 1e-6 && run.v(0).norm() < 1e-4, "{}", run.p(0));
    }
    let mut b = builder(0.5);
    b.gravity = Vec3::zeros();
    let body = bare(&mut b, Vec3::zeros(), Vec3::repeat(0.1), 1.0);
    let axis = JointAxis {
        axis: Vec3::x(),
        limit_lower: -0.1,
        limit_upper: 0.1,
        limit_ke: 0.0,
        target_ke: 1000.0,
        target_kd: 60.0,
        ..JointAxis::default()
    };
    to_world(&mut b, JointKind::Prismatic, body, Vec3::zeros(), axis);
    let mut run = Run::new(b);
    run.control.joint_target_q[0] = 0.5;
    run.seconds(2.0, 1.0 / 60.0);
    assert!(run.p(0).x > 0.09, "{}", run.p(0));
}

#[test]
fn a_hinge_is_driven_over_many_turns_and_stopped_past_one() {
    let hinge = |axis: JointAxis| {
        let mut b = builder(0.5);
        b.gravity = Vec3::zeros();
        let body = bare(&mut b, Vec3::zeros(), Vec3::new(0.1, 0.1, 0.02), 1.0);
        to_world(&mut b, JointKind::Revolute, body, Vec3::zeros(), JointAxis { axis: Vec3::z(), ..axis });
        Run::new(b)
    };
    let angle = |run: &Run, turns: f64| {
        let a = run.state.body_q[0].q.scaled_axis().z;
        a + std::f64::consts::TAU * ((turns - a) / std::f64::consts::TAU).round()
    };
    let mut run = hinge(JointAxis { target_ke: 100.0, target_kd: 20.0, ..JointAxis::default() });
    for k in 0..400 {
        run.control.joint_target_q[0] = 15.0 * (k as f64 / 200.0).min(1.0);
        run.step(0.02);
    }
    assert!((angle(&run, 15.0) - 15.0).abs() < 2e-3, "{}", angle(&run, 15.0));
    let limits = JointAxis { limit_lower: -4.0, limit_upper: 4.0, ..JointAxis::default() };
    for side in [-1.0, 1.0] {
        let mut run = hinge(limits);
        run.forces.body_f[0].ang = Vec3::z() * side;
        run.seconds(3.0, 0.01);
        assert!((angle(&run, 4.0 * side) - 4.0 * side).abs() < 2e-3, "{}", angle(&run, 4.0 * side));
        assert!(run.state.body_qd[0].ang.norm() < 1e-2);
    }
}

/// A D6 with two angular axes holds the third, and each free one follows its drive.
#[test]
fn a_d6_holds_what_is_not_free() {
    let mut b = builder(0.5);
    let body = bare(&mut b, Vec3::zeros(), Vec3::new(0.1, 0.2, 0.05), 1.0);
    let axis = |axis: Vec3| JointAxis { axis, target_ke: 200.0, target_kd: 10.0, ..JointAxis::default() };
    b.add_joint(JointDef {
        axes: vec![axis(Vec3::x()), axis(Vec3::y()), axis(Vec3::z())],
        target_q: vec![0.3, 0.5, -0.8],
        ..JointDef::new(JointKind::D6 { linear: 1, angular: 2 }, None, body)
    });
    b.gravity = Vec3::zeros();
    let mut run = Run::new(b);
    run.seconds(4.0, 1.0 / 120.0);
    let want = Quat::from_axis_angle(&Vec3::y_axis(), 0.5) * Quat::from_axis_angle(&Vec3::z_axis(), -0.8);
    assert!(run.state.body_q[0].q.angle_to(&want) < 1e-6, "{}", run.state.body_q[0].q.angle_to(&want));
    assert!((run.p(0) - Vec3::x() * 0.3).norm() < 1e-6, "{}", run.p(0));
}

/// Dry friction of a hinge holds a torque below it, and lets one above it through.
#[test]
fn dry_friction_holds_up_to_its_torque() {
    for (torque, moves) in [(0.9, false), (1.1, true)] {
        let mut b = builder(0.5);
        b.gravity = Vec3::zeros();
        let body = bare(&mut b, Vec3::zeros(), Vec3::new(0.1, 0.1, 0.02), 1.0);
        let axis = JointAxis { axis: Vec3::z(), friction: 1.0, ..JointAxis::default() };
        to_world(&mut b, JointKind::Revolute, body, Vec3::zeros(), axis);
        let mut run = Run::new(b);
        run.forces.body_f[0].ang = Vec3::z() * torque;
        run.seconds(1.0, 1.0 / 120.0);
        let (spin, inertia) = (run.state.body_qd[0].ang.z, run.model.body_inertia[0][(2, 2)]);
        let exact = if moves { 0.1 / inertia } else { 0.0 };
        assert!((spin - exact).abs() < 1e-2 * (0.1 / inertia), "{torque}: {spin} instead of {exact}");
    }
}

/// A torque far above what a light axis could turn by in a step is balanced by the joint that holds it.
#[test]
fn a_huge_torque_on_a_light_axis_does_not_wrap() {
    let mut b = builder(0.5);
    b.gravity = Vec3::zeros();
    let body = bare(&mut b, Vec3::zeros(), Vec3::new(1e-4, 1e-4, 0.05), 1e-4);
    let axis = JointAxis { axis: Vec3::z(), target_ke: 0.02, target_kd: 1e-4, ..JointAxis::default() };
    to_world(&mut b, JointKind::Revolute, body, Vec3::zeros(), axis);
    let mut run = Run::new(b);
    run.forces.body_f[0].ang = Vec3::z() * 0.03;
    run.seconds(1.0, 1.0 / 600.0);
    let angle = run.state.body_q[0].q.scaled_axis().z;
    assert!((angle - 1.5).abs() < 1e-6, "{angle}");
}

#[test]
fn bodies_one_by_one_hold_light_joints_too() {
    let mut run =
        Run::with(chain(3, 0.2), VbdConfig { body_blocks: BodyBlocks::Single, ..VbdConfig::default() });
    let mut gap = 0.0_f64;
    for _ in 0..240 {
        run.step(1.0 / 240.0);
        gap = (0..4).map(|j| run.solver.joint(JointId::new(j)).unwrap().gap).fold(gap, f64::max);
    }
    assert!(gap < 2e-2, "{gap}");
}

/// Angular momentum about the common centre of mass.
fn spin_of(run: &Run) -> Vec3 {
    let n = run.model.body_count();
    let mass: f64 = run.model.body_mass.iter().sum();
    let mean = |f: &dyn Fn(usize) -> Vec3| (0..n).map(|i| f(i) * run.model.body_mass[i]).sum::<Vec3>() / mass;
    let (c, v) = (mean(&|i| run.p(i)), mean(&|i| run.v(i)));
    let of = |i: usize| {
        let (q, w) = (run.state.body_q[i].q, run.state.body_qd[i].ang);
        let own = q * (run.model.body_inertia[i] * (q.inverse() * w));
        (run.p(i) - c).cross(&(run.v(i) - v)) * run.model.body_mass[i] + own
    };
    (0..n).map(of).sum()
}

/// Links that nothing holds keep their momentum and, welded, their speed; a hinge may only lose energy.
#[test]
fn a_mechanism_adrift_keeps_its_momentum() {
    for kind in [JointKind::Fixed, JointKind::Ball, JointKind::Revolute] {
        for h in [1.0 / 60.0, 1.0 / 240.0] {
            let mut b = builder(0.5);
            let half = Vec3::new(0.1, 0.05, 0.03);
            let links: Vec<_> =
                (0..4).map(|i| bare(&mut b, Vec3::x() * (0.2 * i as f64), half, 1.0 + i as f64)).collect();
            for pair in links.windows(2) {
                let axes = if kind == JointKind::Revolute {
                    vec![JointAxis { axis: Vec3::y(), ..JointAxis::default() }]
                } else {
                    vec![]
                };
                b.add_joint(JointDef {
                    x_p: Pose::translation(Vec3::x() * 0.1),
                    x_c: Pose::translation(Vec3::x() * -0.1),
                    axes,
                    ..JointDef::new(kind, Some(pair[0]), pair[1])
                });
            }
            let mut run = Run::new(b);
            let w = Vec3::new(1.0, 5.0, 3.0);
            for i in 0..4 {
                run.state.body_qd[i] = Spatial::new(w.cross(&run.p(i)), w);
            }
            run.solver.load(&run.state);
            let (begin, energy) = (spin_of(&run), run.energy());
            run.seconds(5.0, h);
            let fall = 0.5 * G * 25.0;
            assert!((spin_of(&run) - begin).norm() < 1e-9 * begin.norm(), "{kind:?} {h}: {}", spin_of(&run));
            assert!(run.v(0).z < -40.0 && fall > 100.0);
            assert!(
                run.energy() < energy + 1e-2 * energy.abs(),
                "{kind:?} {h}: {} of {energy}",
                run.energy()
            );
        }
    }
}

/// A torque that would turn a body of 10 g thousands of times in a step turns it as far as its joints let it.
#[test]
fn a_light_body_under_a_large_torque_turns_as_far_as_its_joints_let_it() {
    for (torque, h) in [(30.0, 1.0 / 60.0), (1e3, 1.0 / 60.0), (30.0, 1.0 / 240.0)] {
        let mut b = builder(0.5);
        let light = |b: &mut ModelBuilder, at: Vec3| bare(b, at, Vec3::repeat(0.01), 0.01);
        let limited = light(&mut b, Vec3::zeros());
        let limits =
            JointAxis { axis: Vec3::x(), limit_lower: -0.5, limit_upper: 0.7, ..JointAxis::default() };
        to_world(&mut b, JointKind::Revolute, limited, Vec3::zeros(), limits);
        // welded to another one, which is welded to the world
        let inner = light(&mut b, Vec3::y());
        let outer = light(&mut b, Vec3::new(0.05, 1.0, 0.0));
        b.add_joint(JointDef {
            x_p: Pose::translation(Vec3::y()),
            ..JointDef::new(JointKind::Fixed, None, inner)
        });
        b.add_joint(JointDef {
            x_p: Pose::translation(Vec3::x() * 0.05),
            ..JointDef::new(JointKind::Fixed, Some(inner), outer)
        });
        let mut run = Run::new(b);
        run.forces.body_f[0].ang = Vec3::x() * torque;
        run.forces.body_f[2].ang = Vec3::new(0.0, torque, 0.3 * torque);
        for step in 0..60 {
            run.step(h);
            let turn = |i: usize| run.state.body_q[i].q.scaled_axis();
            assert!(turn(0).x <= 0.7 + 1e-3 && turn(0).x > 0.0, "{torque} {h} {step}: {}", turn(0));
            assert!(
                turn(1).norm() < 1e-3 && turn(2).norm() < 2e-3,
                "{torque} {h} {step}: {} {}",
                turn(1),
                turn(2)
            );
        }
        let turn = |i: usize| run.state.body_q[i].q.scaled_axis();
        assert!((turn(0) - Vec3::x() * 0.7).norm() < 1e-6, "{torque} {h}: {}", turn(0));
        assert!(turn(2).norm() < 1e-6, "{torque} {h}: {}", turn(2));
    }
}
