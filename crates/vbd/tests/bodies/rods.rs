//! Rods of rigid segments with a joint of bend, bend and twist between each two, at default
//! settings, against their discrete exact solutions.

use coact_math::{Mat3, Pose, Quat, Spatial, Vec3};
use coact_model::{
    BodyDef, BodyId, BodyMass, Geometry, JointAxis, JointDef, JointKind, ModelBuilder, ShapeDef,
};

use crate::support::{Run, builder, floor};

/// Length of a segment \[m\].
const H: f64 = 0.02;

/// Turns the tangent of a segment, its own z, to x of the world.
fn along_x() -> Quat {
    Quat::from_axis_angle(&Vec3::y_axis(), std::f64::consts::FRAC_PI_2)
}

fn segment(b: &mut ModelBuilder, pose: Pose, kinematic: bool) -> BodyId {
    let inertia = Mat3::from_diagonal(&Vec3::new(2e-6, 2e-6, 1e-6));
    let mass = BodyMass::Given { mass: 0.01, com: Vec3::zeros(), inertia };
    b.add_body(BodyDef { pose, mass, kinematic, ..BodyDef::default() })
}

/// Joins two segments end to end: bend and twist stiffness \[N·m\], both damped in a tenth of a second.
fn join(b: &mut ModelBuilder, parent: BodyId, child: BodyId, bend: f64, twist: f64) {
    let axis = |ke: f64, kd: f64| JointAxis { target_ke: ke, target_kd: kd, ..JointAxis::default() };
    let stretch = axis(1e9, 0.0);
    let (bend, twist) = (axis(bend, 0.1 * bend), axis(twist, 0.1 * twist));
    let half = Vec3::z() * (0.5 * H);
    b.add_joint(JointDef {
        x_p: Pose::translation(half),
        x_c: Pose::translation(-half),
        axes: vec![stretch, stretch, stretch, bend, bend, twist],
        rest_rotation: Some(Quat::identity()),
        ..JointDef::new(JointKind::Rod, Some(parent), child)
    });
}

/// A straight rod of `n` segments along x, without gravity; some are `held`.
fn straight(n: usize, bend: f64, twist: f64, held: &[usize]) -> (ModelBuilder, Vec<BodyId>) {
    let mut b = builder(0.5);
    b.gravity = Vec3::zeros();
    let pose = |k: usize| Pose::new(Vec3::x() * (H * k as f64), along_x());
    let rod: Vec<_> = (0..n).map(|k| segment(&mut b, pose(k), held.contains(&k))).collect();
    rod.windows(2).for_each(|w| join(&mut b, w[0], w[1], bend, twist));
    (b, rod)
}

/// Poses of segments that turn by `delta` from each to the next about −y: a polygon on a circle.
fn arc(n: usize, delta: f64) -> Vec<Pose> {
    let q = |k: usize| Quat::from_axis_angle(&-Vec3::y_axis(), delta * k as f64) * along_x();
    let mut out = vec![Pose::new(Vec3::zeros(), q(0))];
    for k in 1..n {
        let end = out[k - 1].p + q(k - 1) * Vec3::z() * (0.5 * H);
        out.push(Pose::new(end + q(k) * Vec3::z() * (0.5 * H), q(k)));
    }
    out
}

/// Ends that a circle joins make every joint bend by the same angle, and nothing else.
#[test]
fn ends_on_a_circle_bend_a_rod_to_it() {
    for degrees in [30.0_f64, 60.0, 90.0] {
        let exact = arc(15, degrees.to_radians() / 14.0);
        let (mut b, rod) = straight(15, 37.0, 30.0, &[0, 14]);
        for (k, id) in rod.iter().enumerate() {
            // from where the middle is off the circle
            let off = Vec3::z() * (2e-3 * (k as f64 / 14.0 * std::f64::consts::PI).sin());
            b.set_body_pose(*id, Pose::new(exact[k].p + off, exact[k].q));
        }
        let mut run = Run::new(b);
        run.seconds(3.0, 1.0 / 120.0);
        for (k, e) in exact.iter().enumerate() {
            let q = &run.state.body_q[k];
            assert!(
                (q.p - e.p).norm() < 1e-7 && q.q.angle_to(&e.q) < 1e-6,
                "{degrees}°, {k}: {:?}",
                q.p - e.p
            );
        }
    }
}

/// A twist of the end is shared evenly.
#[test]
fn a_twisted_end_twists_a_rod_evenly() {
    let (mut b, rod) = straight(15, 37.0, 30.0, &[0, 14]);
    let end = std::f64::consts::FRAC_PI_2;
    let turned = |angle: f64| Quat::from_axis_angle(&Vec3::x_axis(), angle) * along_x();
    b.set_body_pose(rod[14], Pose::new(Vec3::x() * (14.0 * H), turned(end)));
    let mut run = Run::new(b);
    run.seconds(3.0, 1.0 / 120.0);
    for (k, q) in run.state.body_q.iter().enumerate() {
        let off = q.q.angle_to(&turned(end * k as f64 / 14.0));
        assert!(off < 1e-6 && (q.p - Vec3::x() * (H * k as f64)).norm() < 1e-7, "{k}: {off}");
    }
}

/// Small deflection of the tip under a force F there: F/k Σ sᵢ² with the distances of the joints.
#[test]
fn a_cantilever_bends_by_its_discrete_sum() {
    let (b, rod) = straight(15, 37.0, 30.0, &[0]);
    let mut run = Run::new(b);
    run.forces.body_f[rod[14].index()] = Spatial::new(Vec3::z() * -0.05, Vec3::zeros());
    run.seconds(3.0, 1.0 / 120.0);
    let sum: f64 = (1..=14).map(|j| ((j as f64 - 0.5) * H).powi(2)).sum();
    let exact = -0.05 / 37.0 * sum;
    let tip = run.p(14).z;
    assert!((tip / exact - 1.0).abs() < 1e-3, "{tip} instead of {exact} m");
}

#[test]
fn stiffer_rods_sag_less() {
    let tip = |bend: f64| {
        let (mut b, _) = straight(15, bend, bend, &[0]);
        b.gravity = Vec3::z() * -9.81;
        let mut run = Run::new(b);
        run.seconds(4.0, 1.0 / 120.0);
        assert!(run.v(14).norm() < 1e-3, "{bend}: {}", run.v(14));
        run.p(14).z
    };
    let heights = [0.5, 1.5, 5.0].map(tip);
    assert!(heights[0] < heights[1] - 1e-3 && heights[1] < heights[2] - 1e-3, "{heights:?}");
}

/// A rod hangs on an anchor that is swung to and fro, by every kind of joint.
#[test]
fn a_rod_follows_what_it_hangs_on() {
    let d6 = JointKind::D6 { linear: 0, angular: 1 };
    for kind in [JointKind::Ball, JointKind::Fixed, JointKind::Revolute, JointKind::Prismatic, d6] {
        let (mut b, rod) = straight(8, 1.0, 1.0, &[]);
        b.gravity = Vec3::z() * -9.81;
        let anchor = b.add_body(BodyDef {
            pose: Pose::translation(Vec3::x() * (-0.5 * H)),
            kinematic: true,
            ..BodyDef::default()
        });
        let axis = JointAxis { limit_lower: -0.01, limit_upper: 0.01, limit_ke: 1e9, ..JointAxis::default() };
        let free = if kind == JointKind::Prismatic {
            vec![axis]
        } else {
            vec![JointAxis::default(); kind.axis_count()]
        };
        let x_c = Pose::new(Vec3::z() * (-0.5 * H), along_x().inverse());
        b.add_joint(JointDef { x_c, axes: free, ..JointDef::new(kind, Some(anchor), rod[0]) });
        let mut run = Run::new(b);
        let (h, mut worst) = (1.0 / 240.0, 0.0_f64);
        for k in 0..240 {
            let v = Vec3::y() * (0.5 * (6.0 * h * k as f64).cos());
            run.control.body_motion = vec![(anchor, Spatial::new(v, Vec3::zeros()))];
            run.step(h);
            let (_, gap) = run.report.worst_joint.unwrap();
            worst = worst.max(gap);
        }
        assert!(run.p(anchor.index()).y.abs() > 1e-3);
        assert!(worst < 1e-6, "{kind:?}: {worst} m");
    }
}

/// A cable that lies down askew on a floor without friction gains nothing and comes to rest.
#[test]
fn a_cable_that_lies_down_comes_to_rest() {
    let mut b = builder(0.0);
    floor(&mut b, 0.0);
    let yaw = Quat::from_axis_angle(&Vec3::z_axis(), 0.6) * along_x();
    let (radius, n) = (5e-3, 20);
    let at = |k: usize| Pose::new(yaw * Vec3::z() * (H * k as f64) + Vec3::z() * (2.0 * radius), yaw);
    let rod: Vec<_> = (0..n).map(|k| segment(&mut b, at(k), false)).collect();
    for &body in &rod {
        let geometry = Geometry::Capsule { radius, half_height: 0.5 * H };
        b.add_shape(ShapeDef { body: Some(body), geometry, density: 0.0, ..ShapeDef::default() });
    }
    rod.windows(2).for_each(|w| join(&mut b, w[0], w[1], 0.02, 0.02));
    let mut run = Run::new(b);
    let (begin, mut top) = (run.energy(), f64::MIN);
    for _ in 0..480 {
        run.step(1.0 / 240.0);
        top = top.max(run.energy());
    }
    let moving: f64 = run.state.body_qd.iter().map(|v| 0.5 * 0.01 * v.lin.norm_squared()).sum();
    assert!(top <= begin * 1.001 && moving < 1e-9, "{top} J from {begin}, {moving} J left");
}
