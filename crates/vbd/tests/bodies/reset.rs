//! Bodies that are put elsewhere between two steps: they bring nothing along, and nothing else
//! notices.

use coact_math::{Pose, Quat, Spatial, Vec3};
use coact_model::{
    AttachmentDef, BodyDef, BodyId, BodyMass, EntityId, Geometry, JointAxis, JointId, JointKind,
    ModelBuilder, ParticleDef, ParticleId, ShapeDef, State,
};
use coact_solver::Solver;
use coact_vbd::{Precision, VbdConfig};

use crate::support::{G, Run, bare, builder, cuboid, floor, to_world};

const H: f64 = 1.0 / 120.0;

fn body(i: usize) -> EntityId {
    EntityId::Body(BodyId::new(i))
}

/// Puts `chosen` where `edit` writes them.
fn put(run: &mut Run, chosen: &[EntityId], edit: impl FnOnce(&mut State)) {
    edit(&mut run.state);
    run.solver.reset(&run.state, chosen);
}

/// A kinematic plate (body 0) with its top at z = 0.1 at the origin under box 1, and box 2 on a
/// pedestal of the same height at x = 3.
fn plate_and_two_boxes() -> Run {
    let mut b = builder(0.8);
    let plate = b.add_body(BodyDef { kinematic: true, ..BodyDef::default() });
    let geometry = Geometry::Box { half_extents: Vec3::new(0.5, 0.5, 0.1) };
    b.add_shape(ShapeDef { body: Some(plate), geometry: geometry.clone(), ..ShapeDef::default() });
    let pose = Pose::translation(Vec3::new(3.0, 0.0, 0.0));
    b.add_shape(ShapeDef { pose, geometry, ..ShapeDef::default() });
    for x in [0.0, 3.0] {
        cuboid(&mut b, Pose::translation(Vec3::new(x, 0.0, 0.2)), Vec3::repeat(0.1), 1.0);
    }
    Run::new(b)
}

#[test]
fn a_kinematic_body_that_was_put_elsewhere_does_not_kick_what_rests_there() {
    let mut run = plate_and_two_boxes();
    run.seconds(0.5, H);
    put(&mut run, &[body(0)], |s| s.body_q[0].p.x = 3.0);
    let mut speed = 0.0_f64;
    for _ in 0..60 {
        run.step(H);
        speed = speed.max(run.v(2).norm());
    }
    assert!(speed < 1e-9, "{speed:e}");
    // what it leaves falls as if it had never been held
    assert!((run.v(1) + Vec3::z() * (60.0 * G * H)).norm() < 1e-9, "{}", run.v(1));
}

/// Along with the same box: the anchor of friction was on the old place.
#[test]
fn a_kinematic_body_that_was_shifted_under_a_box_does_not_drag_it() {
    let mut run = plate_and_two_boxes();
    run.seconds(0.5, H);
    put(&mut run, &[body(0)], |s| s.body_q[0].p.x = 0.2);
    run.seconds(0.5, H);
    assert!(run.p(1).x.abs() < 1e-9 && run.v(1).norm() < 1e-9, "{} {}", run.p(1), run.v(1));
}

/// Three boxes on each other, one far from them, and a pendulum on a hinge.
fn stack_box_and_pendulum() -> ModelBuilder {
    let mut b = builder(0.5);
    floor(&mut b, 0.0);
    for i in 0..3 {
        let p = Vec3::new(0.0, 0.0, 0.1 + 0.2 * i as f64);
        cuboid(&mut b, Pose::translation(p), Vec3::repeat(0.1), 1.0);
    }
    cuboid(&mut b, Pose::translation(Vec3::new(2.0, 0.0, 0.1)), Vec3::repeat(0.1), 1.0);
    let bob = bare(&mut b, Vec3::new(-2.0, 0.0, 3.0), Vec3::repeat(0.05), 1.0);
    let axis = JointAxis { axis: Vec3::y(), ..JointAxis::default() };
    b.add_joint(coact_model::JointDef {
        x_p: Pose::translation(Vec3::new(-3.0, 0.0, 3.0)),
        x_c: Pose::translation(Vec3::new(-1.0, 0.0, 0.0)),
        axes: vec![axis],
        ..coact_model::JointDef::new(JointKind::Revolute, None, bob)
    });
    b
}

#[test]
fn what_was_not_chosen_does_not_change_one_bit() {
    let (mut run, mut still) = (Run::new(stack_box_and_pendulum()), Run::new(stack_box_and_pendulum()));
    run.seconds(0.5, H);
    still.seconds(0.5, H);
    put(&mut run, &[body(3)], |s| s.body_q[3] = Pose::translation(Vec3::new(4.0, 1.0, 0.1)));
    for _ in 0..120 {
        run.step(H);
        still.step(H);
        for i in [0, 1, 2, 4] {
            assert_eq!(run.state.body_q[i], still.state.body_q[i], "body {i}");
            assert_eq!(run.state.body_qd[i], still.state.body_qd[i], "body {i}");
        }
    }
    assert!((run.p(3) - Vec3::new(4.0, 1.0, 0.1)).norm() < 1e-9, "it rests where it was put");
}

/// As in a solver that has just begun there: nothing of the swing before is left.
#[test]
fn a_jointed_body_that_was_put_elsewhere_swings_as_one_that_begins_there() {
    let begin = |s: &mut State| {
        let q = Quat::from_axis_angle(&Vec3::y_axis(), 1.0);
        s.body_q[4] = Pose::new(Vec3::new(-3.0, 0.0, 3.0) + q * Vec3::x(), q);
        s.body_qd[4] = Spatial::zeros();
    };
    let mut run = Run::new(stack_box_and_pendulum());
    run.seconds(0.7, H);
    put(&mut run, &[body(4)], begin);
    let mut fresh = Run::new(stack_box_and_pendulum());
    begin(&mut fresh.state);
    fresh.solver.load(&fresh.state);
    for _ in 0..60 {
        run.step(H);
        fresh.step(H);
        assert_eq!(run.state.body_q[4], fresh.state.body_q[4]);
        assert_eq!(run.state.body_qd[4], fresh.state.body_qd[4]);
    }
    assert!(run.report.worst_joint.unwrap().1 < 1e-6 && run.v(4).norm() > 1.0);
}

/// A joint alone: it holds the same load again, from nothing.
#[test]
fn a_joint_forgets_what_it_held() {
    let mut b = builder(0.5);
    let bob = bare(&mut b, Vec3::zeros(), Vec3::repeat(0.05), 2.0);
    to_world(&mut b, JointKind::Revolute, bob, Vec3::zeros(), JointAxis::default());
    let mut run = Run::with(b, VbdConfig { iterations: 1, ..VbdConfig::default() });
    run.seconds(0.2, H);
    let held = run.solver.joint(JointId(0)).unwrap().wrench.lin;
    assert!((held.z - 2.0 * G).abs() < 1e-6, "{held}");
    put(&mut run, &[EntityId::Joint(JointId(0))], |_| ());
    assert!(run.solver.joint(JointId(0)).unwrap().wrench.lin.norm() < 1e-2 * held.norm());
}

/// Two particles on hard attachments to two kinematic bodies, each with a load of its own.
fn two_hanging_particles() -> ModelBuilder {
    let mut b = builder(0.5);
    for x in [0.0, 1.0] {
        let mass = BodyMass::Given { mass: 1.0, com: Vec3::zeros(), inertia: coact_math::Mat3::identity() };
        let pose = Pose::translation(Vec3::new(x, 0.0, 1.0));
        let hook = b.add_body(BodyDef { pose, mass, kinematic: true, ..BodyDef::default() });
        let q = Vec3::new(x, 0.0, 0.9);
        let p = b.add_particle(ParticleDef { q, mass: 1.0 + x, ..ParticleDef::default() });
        b.add_attachment(AttachmentDef::hard(p, hook, Vec3::new(0.0, 0.0, -0.1)));
    }
    b
}

#[test]
fn an_attached_particle_that_was_put_elsewhere_begins_anew_and_its_neighbour_does_not_notice() {
    let config = || VbdConfig { precision: Precision::Double, iterations: 4, ..VbdConfig::default() };
    let make = || Run::with(two_hanging_particles(), config());
    let (mut run, mut still, mut fresh) = (make(), make(), make());
    run.seconds(0.3, H);
    still.seconds(0.3, H);
    let chosen = [body(0), EntityId::Particle(ParticleId(0))];
    let begin = |s: &mut State| {
        s.body_q[0].p.y = 0.5;
        (s.particle_q[0], s.particle_qd[0]) = (Vec3::new(0.0, 0.5, 0.9), Vec3::zeros());
    };
    put(&mut run, &chosen, begin);
    begin(&mut fresh.state);
    fresh.solver.load(&fresh.state);
    for _ in 0..10 {
        [&mut run, &mut still, &mut fresh].into_iter().for_each(|r| r.step(H));
        assert_eq!(run.state.particle_q[0], fresh.state.particle_q[0]);
        assert_eq!(run.state.particle_q[1], still.state.particle_q[1]);
        assert_eq!(run.state.particle_qd[1], still.state.particle_qd[1]);
    }
}
