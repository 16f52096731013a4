//! Bodies that rods carry on joints: fixed, ball and revolute.

use std::f64::consts::PI;

use coact_math::{Mat3, Pose, Spatial, Vec3};
use coact_model::{BodyDef, BodyId, BodyMass, JointAxis, JointDef, JointKind, ModelBuilder, RodEnd};
use coact_rod::RodConfig;
use coact_solver::{Loads, Solver};

use crate::support::{Run, straight};

fn body(b: &mut ModelBuilder, at: Vec3, mass: f64) -> BodyId {
    let mass = BodyMass::Given { mass, com: Vec3::zeros(), inertia: Mat3::identity() * (mass * 1e-3) };
    b.add_body(BodyDef { pose: Pose::translation(at), mass, ..BodyDef::default() })
}

/// A rod along x of 0.5 m, clamped, with 0.2 kg on a joint 5 cm beyond its end.
fn crane(kind: JointKind, axis: Vec3) -> Run {
    let mut b = ModelBuilder::new();
    let def = straight(0.5, 10);
    let rod = b.add_rod(coact_model::RodDef {
        begin: RodEnd::Clamped(None),
        young: 1e9,
        damping_time: 0.01,
        ..def
    });
    let load = body(&mut b, Vec3::new(0.55, 0.0, 0.0), 0.2);
    let last = rod.bodies[9];
    let frame = b.body(last).unwrap().pose;
    let world = Pose::translation(Vec3::x() * 0.5);
    let turned = Pose::new(world.p, frame.q);
    let axes = if kind == JointKind::Revolute {
        vec![JointAxis { axis: frame.q.inverse() * axis, ..JointAxis::default() }]
    } else {
        Vec::new()
    };
    b.add_joint(JointDef {
        x_p: frame.inverse() * turned,
        x_c: Pose::translation(Vec3::new(0.55, 0.0, 0.0)).inverse() * turned,
        axes,
        ..JointDef::new(kind, Some(last), load)
    });
    Run::new(b.finalize().unwrap(), RodConfig::default())
}

/// At rest the joint carries the weight; the load hangs below a ball joint and a hinge across the rod, and
/// stands out from a fixed one and from a hinge along z.
#[test]
fn joints_carry_the_weight_and_let_free_what_they_do_not_hold() {
    let y = Vec3::y();
    for (kind, axis, hangs) in [
        (JointKind::Ball, y, true),
        (JointKind::Revolute, y, true),
        (JointKind::Revolute, Vec3::z(), false),
        (JointKind::Fixed, y, false),
    ] {
        let mut run = crane(kind, axis);
        (0..400).for_each(|_| run.advance(0.1));
        let mut loads = Loads::default();
        run.solver.append_loads(&mut loads);
        let load = loads.joints.last().unwrap();
        assert!((load.wrench.lin.z - 0.2 * 9.81).abs() < 1e-6, "{kind:?}: {:?}", load.wrench);
        let (end, at) = (run.state.body_q[9].point(&(Vec3::z() * 0.025)), run.state.body_q[10].p);
        assert!((load.point - end).norm() < 1e-7, "{kind:?}: apart by {}", (load.point - end).norm());
        let down = (end - at).normalize().z;
        assert_eq!(down > 0.999, hangs, "{kind:?} {axis:?}: {down}");
        let turn = (run.state.body_q[9].q.inverse() * run.state.body_q[10].q).angle()
            - (run.model.body_q[9].q.inverse() * run.model.body_q[10].q).angle();
        assert_eq!(turn.abs() < 1e-5, !hangs, "{kind:?}: {turn}");
    }
}

/// Twenty turns about a hinge at the world, without gravity: the speed stays, and the axis.
#[test]
fn a_hinge_turns_on_and_on() {
    let mut b = ModelBuilder::new();
    b.gravity = Vec3::zeros();
    let wheel = body(&mut b, Vec3::zeros(), 1.0);
    let axes = vec![JointAxis { axis: Vec3::new(0.6, 0.0, 0.8), ..JointAxis::default() }];
    b.add_joint(JointDef { axes, ..JointDef::new(JointKind::Revolute, None, wheel) });
    let mut run = Run::new(b.finalize().unwrap(), RodConfig::default());
    let axis = Vec3::new(0.6, 0.0, 0.8);
    run.state.body_qd[0] = Spatial::new(Vec3::zeros(), axis * (20.0 * PI));
    run.load();
    (0..400).for_each(|_| run.advance(1.0 / 200.0));
    let spin = run.state.body_qd[0].ang;
    assert!((spin - axis * (20.0 * PI)).norm() < 1e-9, "{spin:?}");
    assert!((run.state.body_q[0].q * axis - axis).norm() < 1e-10);
}
