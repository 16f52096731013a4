//! Coordinates to poses and back, velocities against finite differences, trees in order.

use coact_math::{Mat3, Quat, Vec3};

use super::*;
use crate::builder::{BodyDef, BodyMass, JointDef, ModelBuilder};
use crate::ids::BodyId;
use crate::joint::JointAxis;

fn body(name: &str, com: Vec3) -> BodyDef {
    let mass = BodyMass::Given { mass: 1.0, com, inertia: Mat3::identity() };
    BodyDef { name: name.into(), mass, ..Default::default() }
}

fn axis(x: f64, y: f64, z: f64) -> JointAxis {
    JointAxis { axis: Vec3::new(x, y, z).normalize(), ..Default::default() }
}

fn unit(q: [f64; 4]) -> Vec<f64> {
    let n = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    q.iter().map(|x| x / n).collect()
}

/// A kind of joint with its axes, coordinates and rates.
type Case = (JointKind, Vec<JointAxis>, Vec<f64>, Vec<f64>);

fn cases() -> Vec<Case> {
    let skew = vec![axis(1., 0.2, 0.), axis(0., 1., 0.4), axis(0.1, 0., 1.), axis(1., 0., 0.)];
    let free = [&[0.3, -0.2, 0.9][..], &unit([0.3, -0.1, 0.5, 0.8])].concat();
    let full = vec![axis(1., 0., 0.), axis(0., 1., 0.), axis(0., 0., 1.)];
    vec![
        (JointKind::Fixed, vec![], vec![], vec![]),
        (JointKind::Revolute, vec![axis(1., 2., -1.)], vec![2.3], vec![-1.7]),
        (JointKind::Prismatic, vec![axis(1., 2., -1.)], vec![-0.6], vec![0.8]),
        (JointKind::Ball, vec![], unit([0.2, 0.4, -0.3, 0.7]), vec![0.5, -1.0, 2.0]),
        (JointKind::Free, vec![], free.clone(), vec![0.5, -1.0, 2.0, 0.1, 0.7, -0.4]),
        (JointKind::Distance, vec![JointAxis::default()], free, vec![0.5, -1.0, 2.0, 0.1, 0.7, -0.4]),
        (
            JointKind::D6 { linear: 2, angular: 2 },
            skew,
            vec![0.4, -0.7, 0.9, -1.2],
            vec![1.0, 0.2, -0.5, 0.6],
        ),
        (
            JointKind::D6 { linear: 3, angular: 3 },
            [full.clone(), full].concat(),
            vec![0.1, 0.2, 0.3, 2.5, -1.1, -2.0],
            vec![1.0, -2.0, 0.5, 0.3, 0.9, -0.7],
        ),
        (JointKind::D6 { linear: 0, angular: 1 }, vec![axis(0., 1., 1.)], vec![-3.0], vec![0.4]),
    ]
}

/// A moving base with a child on the joint of the case.
fn arm(case: &Case) -> ModelBuilder {
    let mut b = ModelBuilder::new();
    let mut base = body("base", Vec3::new(0.1, 0.0, 0.2));
    base.pose = Pose::new(Vec3::new(1.0, 2.0, 3.0), Quat::from_euler_angles(0.4, -0.3, 1.1));
    base.velocity = Spatial::new(Vec3::new(0.3, -0.2, 0.7), Vec3::new(-0.6, 0.9, 0.2));
    let base = b.add_body(base);
    let child = b.add_body(body("child", Vec3::new(-0.2, 0.3, 0.1)));
    b.add_joint(JointDef {
        name: "joint".into(),
        x_p: Pose::new(Vec3::new(0.5, 0.1, -0.2), Quat::from_euler_angles(1.0, 0.2, 0.0)),
        x_c: Pose::new(Vec3::new(0.0, -0.4, 0.3), Quat::from_euler_angles(0.0, -0.7, 0.5)),
        axes: case.1.clone(),
        q: Some(case.2.clone()),
        qd: Some(case.3.clone()),
        ..JointDef::new(case.0, Some(base), child)
    });
    b.pose_from_joints();
    b
}

#[test]
fn coordinates_survive_the_way_to_poses_and_back() {
    for case in cases() {
        let model = arm(&case).finalize().unwrap();
        let mut state = model.state();
        state.joint_q.fill(f64::NAN);
        state.joint_qd.fill(f64::NAN);
        measure_joints(&model, &mut state);
        let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-10);
        assert!(near(&state.joint_q, &case.2), "{:?}: {:?} != {:?}", case.0, state.joint_q, case.2);
        assert!(near(&state.joint_qd, &case.3), "{:?}: {:?} != {:?}", case.0, state.joint_qd, case.3);
    }
}

#[test]
fn a_builder_that_is_given_only_poses_reads_off_the_coordinates() {
    for case in cases() {
        let posed = arm(&case).finalize().unwrap();
        let mut b = ModelBuilder::new();
        for i in 0..2 {
            let mut def = body("", posed.body_com[i]);
            (def.pose, def.velocity) = (posed.body_q[i], posed.body_qd[i]);
            b.add_body(def);
        }
        b.add_joint(JointDef {
            x_p: posed.joint_x_p[0],
            x_c: posed.joint_x_c[0],
            axes: case.1.clone(),
            ..JointDef::new(case.0, Some(BodyId(0)), BodyId(1))
        });
        let (model, warnings) = b.finalize_with_warnings().unwrap();
        assert!(warnings.is_empty(), "{warnings:?}");
        model.joint_q.iter().zip(&case.2).for_each(|(a, b)| assert!((a - b).abs() < 1e-10, "{:?}", case.0));
        model.joint_qd.iter().zip(&case.3).for_each(|(a, b)| assert!((a - b).abs() < 1e-10, "{:?}", case.0));
    }
}

/// Moves the base and the coordinates by a time `h` along their velocities.
fn advanced(model: &Model, state: &State, h: f64) -> State {
    let mut s = state.clone();
    let turn = |w: Vec3, q: Quat| Quat::from_scaled_axis(w * h) * q;
    let com = model.com_at(BodyId(0), &s.body_q[0]) + s.body_qd[0].lin * h;
    let q = turn(s.body_qd[0].ang, s.body_q[0].q);
    s.body_q[0] = Pose::new(com - q * model.body_com[0], q);
    let v3 = |v: &[f64]| Vec3::new(v[0], v[1], v[2]);
    let (quaternion, rate) = match model.joint_kind[0] {
        JointKind::Ball => (0, 0),
        // The linear rate of a free joint is that of the centre of mass: tested apart.
        JointKind::Free | JointKind::Distance => (3, 3),
        _ => {
            s.joint_q.iter_mut().zip(&s.joint_qd).for_each(|(q, v)| *q += v * h);
            return s;
        }
    };
    let q = &mut s.joint_q[quaternion..quaternion + 4];
    let was = Quat::from_quaternion(nalgebra::Quaternion::new(q[3], q[0], q[1], q[2]));
    q.copy_from_slice(turn(v3(&s.joint_qd[rate..]), was).coords.as_slice());
    s
}

#[test]
fn body_velocities_are_the_derivative_of_body_poses() {
    for case in cases().into_iter().filter(|c| !matches!(c.0, JointKind::Free | JointKind::Distance)) {
        let model = arm(&case).finalize().unwrap();
        let state = model.state();
        let h = 1e-6;
        let [mut before, mut after] = [-h, h].map(|h| advanced(&model, &state, h));
        forward_kinematics(&model, &mut before);
        forward_kinematics(&model, &mut after);
        let com = |s: &State| model.com_at(BodyId(1), &s.body_q[1]);
        let lin = (com(&after) - com(&before)) / (2.0 * h);
        let ang = (after.body_q[1].q * before.body_q[1].q.inverse()).scaled_axis() / (2.0 * h);
        let v = &state.body_qd[1];
        assert!((v.lin - lin).norm() < 1e-8, "{:?}: {} != {lin}", case.0, v.lin);
        assert!((v.ang - ang).norm() < 1e-8, "{:?}: {} != {ang}", case.0, v.ang);
        assert!(v.lin.norm() > 0.1, "nothing moves");
    }
}

#[test]
fn the_rate_of_a_free_joint_is_that_of_the_centre_of_mass_in_the_parent_anchor_frame() {
    let mut b = ModelBuilder::new();
    let child = b.add_body(body("", Vec3::new(0.0, 0.5, 0.0)));
    let turn = Quat::from_axis_angle(&Vec3::z_axis(), std::f64::consts::FRAC_PI_2);
    b.add_joint(JointDef {
        x_p: Pose::new(Vec3::zeros(), turn),
        q: Some(vec![1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]),
        qd: Some(vec![2.0, 0.0, 0.0, 0.0, 0.0, 3.0]),
        ..JointDef::new(JointKind::Free, None, child)
    });
    b.pose_from_joints();
    let m = b.finalize().unwrap();
    assert!((m.body_q[0].p - Vec3::new(0.0, 1.0, 0.0)).norm() < 1e-15);
    assert!((m.body_qd[0].lin - Vec3::new(0.0, 2.0, 0.0)).norm() < 1e-15, "{}", m.body_qd[0].lin);
    assert!((m.body_qd[0].ang - Vec3::new(0.0, 0.0, 3.0)).norm() < 1e-15);
}

#[test]
fn a_double_pendulum_stands_where_trigonometry_puts_it() {
    let mut b = ModelBuilder::new();
    let ids = [0, 1].map(|_| b.add_body(body("", Vec3::zeros())));
    // Added child first: order in the list must not matter.
    let (a0, a1) = (0.3_f64, 0.5_f64);
    for (parent, child, q) in [(Some(ids[0]), ids[1], a1), (None, ids[0], a0)] {
        b.add_joint(JointDef {
            x_p: Pose::translation(Vec3::new(0.0, 0.0, if parent.is_some() { -1.0 } else { 0.0 })),
            axes: vec![axis(0., 1., 0.)],
            q: Some(vec![q]),
            qd: Some(vec![if parent.is_some() { 0.0 } else { 2.0 }]),
            ..JointDef::new(JointKind::Revolute, parent, child)
        });
    }
    b.pose_from_joints();
    let m = b.finalize().unwrap();
    let hip = Vec3::new(-a0.sin(), 0.0, -a0.cos());
    assert!((m.body_q[1].p - hip).norm() < 1e-15);
    assert!((m.body_q[1].q.angle() - (a0 + a1)).abs() < 1e-15);
    assert!((m.body_qd[1].lin - Vec3::new(0.0, 2.0, 0.0).cross(&hip)).norm() < 1e-14);
    assert_eq!(joint_tree(&m).order, vec![JointId(1), JointId(0)]);
}

fn chain(joints: &[(Option<u32>, u32)]) -> Model {
    let mut b = ModelBuilder::new();
    (0..5).for_each(|_| _ = b.add_body(body("", Vec3::zeros())));
    for &(p, c) in joints {
        b.add_joint(JointDef::new(JointKind::Fixed, p.map(BodyId), BodyId(c)));
    }
    b.finalize().unwrap()
}

#[test]
fn a_second_joint_of_a_child_and_one_that_closes_a_cycle_are_loops() {
    let m = chain(&[(Some(0), 1), (Some(1), 2), (None, 2), (Some(2), 0), (Some(3), 4), (Some(4), 3)]);
    let tree = joint_tree(&m);
    assert_eq!(tree.order, [0, 1, 4].map(JointId));
    assert_eq!(tree.loops, [2, 3, 5].map(JointId));
}

#[test]
fn every_parent_comes_before_its_child_in_a_chain_added_backwards() {
    let m = chain(&[(Some(3), 4), (Some(2), 3), (Some(1), 2), (Some(0), 1), (None, 0)]);
    let tree = joint_tree(&m);
    assert_eq!(tree.order, [4, 3, 2, 1, 0].map(JointId));
    let mut disabled = m.clone();
    disabled.joint_enabled.make_mut()[2] = false;
    assert_eq!(joint_tree(&disabled).order, [4, 3, 1, 0].map(JointId));
}

#[test]
fn three_angles_are_recovered_over_the_whole_range_short_of_gimbal_lock() {
    let axes = [axis(1., 0., 0.), axis(0., 1., 0.), axis(0., 0., 1.)];
    let rest = Quat::identity();
    let motion = JointMotion { kind: JointKind::D6 { linear: 0, angular: 3 }, axes: &axes, rest };
    let mut worst = 0.0_f64;
    for a in -6..=6 {
        for b in -4..=4 {
            for c in -6..=6 {
                let q = [f64::from(a) * 0.5, f64::from(b) * 0.35, f64::from(c) * 0.5];
                let x = motion.pose(&q);
                let found = motion.coordinates(&x);
                worst = worst.max(motion.pose(&found[..3]).q.angle_to(&x.q));
            }
        }
    }
    assert!(worst < 1e-7, "{worst}");
}
