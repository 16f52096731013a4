//! What a caller may ask of a step, and joints that are switched while a scene runs.

use coact_math::{Pose, Quat, Vec3};
use coact_model::{JointAxis, JointDef, JointId, JointKind, ModelBuilder, ModelFlags, ModelView};
use coact_solver::{Solver, StepInput};
use coact_vbd::BodyBlocks;
use coact_vbd::VbdConfig;

use crate::support::{Run, bare, builder, cuboid, floor, to_world};

fn refusal(run: &mut Run, dt: f64) -> String {
    let input = StepInput { control: &run.control, forces: &run.forces, contacts: None };
    run.solver.step(&input, dt, &mut run.report).unwrap_err().to_string()
}

fn hinged() -> ModelBuilder {
    let mut b = builder(0.5);
    let body = bare(&mut b, Vec3::zeros(), Vec3::repeat(0.1), 1.0);
    to_world(&mut b, JointKind::Revolute, body, Vec3::zeros(), JointAxis::default());
    b
}

#[test]
fn a_step_that_does_not_go_forward_is_refused_and_changes_nothing() {
    let mut run = Run::new(hinged());
    let before = run.state.clone();
    for dt in [0.0, -0.01, f64::NAN, f64::INFINITY] {
        let said = refusal(&mut run, dt);
        assert!(said.starts_with("dt = ") && said.contains("above 0"), "{dt}: {said}");
    }
    run.solver.store(coact_model::StateFields::all(), &mut run.state);
    assert_eq!(run.state, before);
    run.step(0.01);
}

#[test]
fn arrays_of_the_control_that_are_too_short_are_named() {
    for name in ["joint_f", "joint_target_q", "joint_target_qd"] {
        let mut run = Run::new(hinged());
        match name {
            "joint_f" => run.control.joint_f.clear(),
            "joint_target_q" => run.control.joint_target_q.clear(),
            _ => run.control.joint_target_qd.clear(),
        }
        let said = refusal(&mut run, 0.01);
        assert!(said.starts_with(&format!("{name} = 0 numbers")) && said.contains("have 1"), "{said}");
    }
    // without joints there is nothing to be short of
    let mut b = builder(0.5);
    bare(&mut b, Vec3::zeros(), Vec3::repeat(0.1), 1.0);
    let mut run = Run::new(b);
    run.control = coact_model::Control::default();
    run.step(0.01);
}

/// Switches joint 0 on or off in a run.
fn switch(run: &mut Run, on: bool) {
    run.model.joint_enabled.make_mut()[0] = on;
    run.solver.notify_model_changed(&ModelView::whole(&run.model), ModelFlags::JOINTS);
}

/// Bodies of a joint that is off meet, and do not while it is on.
#[test]
fn what_a_joint_connects_meets_while_the_joint_is_off() {
    let pair = || {
        let mut b = builder(0.5);
        floor(&mut b, 0.0);
        let z = |z: f64| Pose::translation(Vec3::new(0.0, 0.0, z));
        let low = cuboid(&mut b, z(0.1), Vec3::repeat(0.1), 1.0);
        let high = cuboid(&mut b, z(0.3), Vec3::repeat(0.1), 1.0);
        // leaves the upper one free to fall through the lower one
        let axes = vec![JointAxis { axis: Vec3::z(), ..JointAxis::default() }];
        b.add_joint(JointDef { axes, ..JointDef::new(JointKind::Prismatic, Some(low), high) });
        Run::new(b)
    };
    let mut off = pair();
    switch(&mut off, false);
    off.seconds(0.5, 1.0 / 120.0);
    assert!((off.p(1).z - 0.3).abs() < 1e-6, "it lies on the other: {}", off.p(1));
    switch(&mut off, true);
    off.seconds(0.5, 1.0 / 120.0);
    assert!(off.p(1).z < 0.2, "it slides through: {}", off.p(1));
}

/// A joint that is switched on far from its anchor closes at the speed of depenetration.
#[test]
fn a_joint_that_begins_apart_closes_at_a_bounded_speed() {
    for (blocks, speed, h) in [
        (BodyBlocks::Islands, 1.0, 1.0 / 60.0),
        (BodyBlocks::Islands, 4.0, 1.0 / 240.0),
        (BodyBlocks::Single, 1.0, 1.0 / 60.0),
    ] {
        let mut b = builder(0.5);
        b.gravity = Vec3::zeros();
        let body = bare(&mut b, Vec3::zeros(), Vec3::repeat(0.1), 1.0);
        b.add_joint(JointDef { enabled: false, ..JointDef::new(JointKind::Fixed, None, body) });
        let config = VbdConfig { body_blocks: blocks, depenetration_speed: speed, ..VbdConfig::default() };
        let mut run = Run::with(b, config);
        let turn = Quat::from_scaled_axis(Vec3::new(0.4, -0.2, 0.5));
        run.state.body_q[0] = Pose::new(Vec3::new(1.0, 2.0, -0.5), turn);
        run.solver.load(&run.state);
        switch(&mut run, true);
        let (way, mut fastest) = (run.p(0).norm(), 0.0_f64);
        for _ in 0..(0.5 * way / speed / h) as usize {
            run.step(h);
            fastest = fastest.max(run.v(0).norm());
            let rim = run.state.body_qd[0].ang.norm() * 0.1;
            assert!(rim < 2.0 * speed, "{blocks:?} {h}: turns at {rim} m/s");
        }
        assert!((fastest / speed - 1.0).abs() < 0.05, "{blocks:?} {h}: {fastest} m/s");
        run.seconds(way / speed, h);
        let load = run.solver.joint(JointId::new(0)).unwrap();
        assert!(load.gap < 1e-6 && load.angle < 1e-6, "{blocks:?} {h}: it closes: {load:?}");
        assert!(run.v(0).norm() < 1e-4, "and keeps no speed: {}", run.v(0));
    }
}
