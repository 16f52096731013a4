//! Load cells: what joints and contacts carry, against statics, and against the momentum that it
//! gave. Theory: `docs/theory/rigid-rows.md` section 6.

use coact_math::{Pose, Quat, Spatial, Vec3};
use coact_model::{
    BodyId, Geometry, JointAxis, JointDef, JointId, JointKind, Material, MaterialId, ModelBuilder, ShapeDef,
    State,
};
use coact_solver::{Loads, Solver};
use coact_vbd::{BodyBlocks, VbdConfig};

use crate::support::{G, Run, ball, bare, builder, cuboid, floor};

const STEPS: [f64; 2] = [1.0 / 60.0, 1.0 / 240.0];

/// What the sweeps of a step may leave of a load at rest, as a share of it: in friction, the slowest to
/// converge, 2e-6 are left.
const STATIC: f64 = 5e-6;

fn loads(run: &Run) -> Loads {
    let mut out = Loads::default();
    run.solver.append_loads(&mut out);
    out
}

fn wrench(run: &Run, joint: usize) -> Spatial {
    run.solver.joint(JointId::new(joint)).unwrap().wrench
}

/// Joint number `i` of the kind between two bodies, with anchors in body axes.
fn join(b: &mut ModelBuilder, kind: JointKind, of: [Option<BodyId>; 2], at: [Vec3; 2], axes: Vec<JointAxis>) {
    let child = of[1].unwrap();
    let (x_p, x_c) = (Pose::translation(at[0]), Pose::translation(at[1]));
    b.add_joint(JointDef { x_p, x_c, axes, ..JointDef::new(kind, of[0], child) });
}

/// What all loads put on every body about its centre of mass, and the largest of them.
fn received(run: &Run) -> (Vec<Spatial>, [f64; 2]) {
    let (mut sum, mut largest) = (vec![Spatial::zeros(); run.model.body_count()], [0.0_f64; 2]);
    let mut put = |body: Option<BodyId>, w: &Spatial, at: &Vec3, sign: f64| {
        let Some(b) = body else { return };
        let arm = at - run.model.com_at(b, &run.state.body_q[b.index()]);
        let about = Spatial::new(w.lin, w.ang + arm.cross(&w.lin)) * sign;
        largest = [largest[0].max(about.lin.norm()), largest[1].max(about.ang.norm())];
        sum[b.index()] += about;
    };
    let all = loads(run);
    for l in &all.joints {
        let j = l.joint.index();
        put(Some(run.model.joint_child[j]), &l.wrench, &l.point, 1.0);
        put(run.model.joint_parent[j], &l.wrench, &l.reaction_point, -1.0);
    }
    for c in &all.contacts {
        let w = Spatial::new(c.force(), c.torque);
        put(c.bodies[1], &w, &c.point, 1.0);
        put(c.bodies[0], &w, &c.point, -1.0);
    }
    (sum, largest)
}

fn momentum(run: &Run, state: &State) -> Vec<Spatial> {
    let of = |b: usize| {
        let (q, v) = (state.body_q[b].q, state.body_qd[b]);
        let spin = q * (run.model.body_inertia[b] * (q.inverse() * v.ang));
        Spatial::new(v.lin * run.model.body_mass[b], spin)
    };
    (0..run.model.body_count()).map(of).collect()
}

/// Over steps of `h`: the largest force and torque by which momentum changed otherwise than by gravity
/// and loads, beyond what the report says is left out of balance (at arms of 1 m), over the largest
/// load.
fn imbalance(run: &mut Run, h: f64, steps: usize) -> [f64; 2] {
    let (mut off, mut scale) = ([0.0_f64; 2], [0.0_f64; 2]);
    for _ in 0..steps {
        let before = momentum(run, &run.state);
        run.step(h);
        let (after, residual) = (momentum(run, &run.state), run.report.residual_last.max);
        let (sum, largest) = received(run);
        for (b, load) in sum.iter().enumerate() {
            let weight = Spatial::new(run.model.gravity * run.model.body_mass[b], Vec3::zeros());
            let left = (after[b] - before[b]) * (1.0 / h) - *load - weight;
            off = [off[0].max(left.lin.norm() - residual), off[1].max(left.ang.norm() - residual)];
        }
        scale = [0, 1].map(|i| scale[i].max(largest[i]));
        assert!(residual <= 1e-2 * scale[0], "solved: {residual:e}");
    }
    assert!(scale[0] > 1.0 && scale[1] > 1e-2, "there is something to measure: {scale:?}");
    [off[0] / scale[0], off[1] / scale[1]]
}

/// A tree with a joint of every kind, on which a drive, a limit, dry friction, armature and damping
/// work.
fn tree() -> ModelBuilder {
    let mut b = builder(0.5);
    let half = Vec3::new(0.1, 0.03, 0.05);
    let link = |b: &mut ModelBuilder, i: usize| {
        bare(b, Vec3::new(0.1 + 0.2 * i as f64, 0.0, 0.0), half, 0.3 + 0.2 * i as f64)
    };
    let bodies: Vec<_> = (0..7).map(|i| link(&mut b, i)).collect();
    let (left, right) = (-Vec3::x() * 0.1, Vec3::x() * 0.1);
    let driven = JointAxis {
        axis: Vec3::y(),
        target_ke: 40.0,
        target_kd: 0.3,
        friction: 0.05,
        armature: 0.01,
        ..JointAxis::default()
    };
    let free = |axis: Vec3| JointAxis { axis, ..JointAxis::default() };
    let slides = JointAxis { axis: Vec3::x(), target_ke: 500.0, target_kd: 2.0, ..JointAxis::default() };
    let bounded =
        JointAxis { axis: Vec3::z(), limit_lower: -0.05, limit_upper: 0.05, ..JointAxis::default() };
    let two = JointKind::D6 { linear: 0, angular: 2 };
    let kinds: [(JointKind, Vec<JointAxis>); 7] = [
        (JointKind::Ball, vec![]),
        (JointKind::Revolute, vec![driven]),
        (JointKind::Prismatic, vec![slides]),
        (JointKind::Fixed, vec![]),
        (two, vec![free(Vec3::y()), bounded]),
        (JointKind::Ball, vec![]),
        (JointKind::Revolute, vec![JointAxis { target_kd: 0.1, ..free(Vec3::z()) }]),
    ];
    for (i, (kind, axes)) in kinds.into_iter().enumerate() {
        let parent = i.checked_sub(1).map(|p| bodies[p]);
        join(
            &mut b,
            kind,
            [parent, Some(bodies[i])],
            [if i == 0 { Vec3::zeros() } else { right }, left],
            axes,
        );
    }
    // a branch off the third link
    let branch = bare(&mut b, Vec3::new(0.5, 0.2, 0.0), half, 0.7);
    join(&mut b, JointKind::Ball, [Some(bodies[2]), Some(branch)], [Vec3::zeros(), -Vec3::y() * 0.2], vec![]);
    // a rod goes on from the branch, and a rope holds its end
    let spring = |ke: f64| JointAxis { target_ke: ke, target_kd: 0.01 * ke, ..JointAxis::default() };
    let end = bare(&mut b, Vec3::new(0.5, 0.2, -0.2), half, 0.4);
    let rod = vec![spring(2e3), spring(2e3), spring(5e3), spring(4.0), spring(4.0), spring(2.0)];
    let tips = [-Vec3::z() * 0.1, Vec3::z() * 0.1];
    join(&mut b, JointKind::Rod, [Some(branch), Some(end)], tips, rod);
    let rope = JointAxis { limit_lower: 0.0, limit_upper: 0.6, ..JointAxis::default() };
    join(
        &mut b,
        JointKind::Distance,
        [None, Some(end)],
        [Vec3::new(0.5, 0.2, 0.3), Vec3::zeros()],
        vec![rope],
    );
    b
}

#[test]
fn loads_are_the_momentum_that_a_tree_gains() {
    let soft = VbdConfig {
        joint_linear_ke: 1e5,
        joint_angular_ke: 1e3,
        joint_linear_kd: 50.0,
        joint_angular_kd: 0.5,
        ..VbdConfig::default()
    };
    let trees = VbdConfig { body_blocks: BodyBlocks::Trees, ..VbdConfig::default() };
    let few = VbdConfig { iterations: 1, ..VbdConfig::default() };
    for h in STEPS {
        // one sweep leaves a torque that no report tells
        for (config, most) in
            [(VbdConfig::default(), 1e-8), (trees.clone(), 1e-8), (soft.clone(), 1e-8), (few.clone(), 1e-4)]
        {
            let mut run = Run::with(tree(), config);
            run.control.joint_target_q[0] = 0.3;
            run.control.joint_f[3] = 0.2;
            let [force, torque] = imbalance(&mut run, h, 60);
            assert!(force < 1e-9 && torque < most, "{h}: {force:e} {torque:e}");
        }
    }
}

/// What slides, spins and tips over, and what bounces, on a floor and on each other.
#[test]
fn contact_loads_are_the_momentum_that_bodies_gain() {
    for h in STEPS {
        for restitution in [0.0, 0.7] {
            let mut b = builder(0.4);
            let rolls =
                Material { mu: 0.4, restitution, rolling: 0.002, torsion: 0.003, ..Material::default() };
            b.set_material(MaterialId(0), rolls);
            floor(&mut b, 0.2);
            let tipped = Quat::from_scaled_axis(Vec3::new(0.3, 0.2, 0.5));
            let low =
                cuboid(&mut b, Pose::new(Vec3::new(0.0, 0.0, 0.35), tipped), Vec3::new(0.2, 0.15, 0.1), 2.0);
            cuboid(&mut b, Pose::translation(Vec3::new(0.05, 0.0, 0.75)), Vec3::repeat(0.1), 1.0);
            ball(&mut b, Vec3::new(0.6, 0.0, 0.6), Vec3::new(-1.0, 0.3, 0.0), 0.1, 0.5);
            let mut run = Run::with(b, VbdConfig { iterations: 40, ..VbdConfig::default() });
            run.state.body_qd[low.index()].ang = Vec3::new(0.0, 0.0, 3.0);
            run.solver.load(&run.state);
            let [force, torque] = imbalance(&mut run, h, (1.0 / h) as usize);
            assert!(force < 1e-9 && torque < 1e-6, "{h} {restitution}: {force:e} {torque:e}");
        }
    }
}

/// Boxes that begin inside each other, and one that is pressed into a slot too narrow for it.
#[test]
fn loads_are_the_momentum_of_what_is_moved_apart_or_stuck() {
    for h in STEPS {
        let mut b = builder(0.5);
        floor(&mut b, 0.0);
        for i in 0..3 {
            let p = Vec3::new(0.03 * i as f64, 0.0, 0.05 + 0.12 * i as f64);
            cuboid(&mut b, Pose::translation(p), Vec3::repeat(0.1), 1.0);
        }
        for x in [1.81, 2.19] {
            let geometry = Geometry::Box { half_extents: Vec3::repeat(0.1) };
            let pose = Pose::translation(Vec3::new(x, 0.0, 0.1));
            b.add_shape(ShapeDef { geometry, pose, ..ShapeDef::default() });
        }
        cuboid(&mut b, Pose::translation(Vec3::new(2.0, 0.0, 0.1)), Vec3::repeat(0.1), 1.0);
        let mut run = Run::new(b);
        let [force, torque] = imbalance(&mut run, h, 60);
        assert!(force < 1e-9 && torque < 1e-6, "{h}: {force:e} {torque:e}");
    }
}

/// A load cell of 2 kg whose middle is 0.3 m from the anchor.
#[test]
fn a_weight_that_hangs_off_centre_is_weighed_with_its_moment() {
    for h in STEPS {
        let mut b = builder(0.5);
        let body = bare(&mut b, Vec3::new(0.3, 0.0, -0.5), Vec3::new(0.1, 0.05, 0.2), 2.0);
        join(
            &mut b,
            JointKind::Fixed,
            [None, Some(body)],
            [Vec3::zeros(), Vec3::new(-0.3, 0.0, 0.5)],
            vec![],
        );
        let mut run = Run::new(b);
        for _ in 0..20 {
            run.step(h);
            let w = wrench(&run, 0);
            assert!((w.lin - Vec3::z() * 19.62).norm() < STATIC * 19.62, "{h}: {}", w.lin);
            assert!((w.ang + Vec3::y() * (0.3 * 19.62)).norm() < STATIC * 0.3 * 19.62, "{h}: {}", w.ang);
        }
        let load = run.solver.joint(JointId::new(0)).unwrap();
        assert!(load.point.norm() < 1e-8 && load.gap < 1e-8 && load.angle < 1e-8, "{load:?}");
    }
}

/// A drive of 500 N·m/rad that holds an arm level, its target above by what the weight bends it.
#[test]
fn a_hinge_that_holds_an_arm_tells_the_torque_of_its_drive() {
    for h in STEPS {
        let mut b = builder(0.5);
        let arm = bare(&mut b, Vec3::new(0.4, 0.0, 0.0), Vec3::new(0.4, 0.02, 0.02), 1.5);
        let driven = JointAxis { axis: Vec3::y(), target_ke: 500.0, target_kd: 20.0, ..JointAxis::default() };
        join(&mut b, JointKind::Revolute, [None, Some(arm)], [Vec3::zeros(), -Vec3::x() * 0.4], vec![driven]);
        let mut run = Run::new(b);
        let moment = 1.5 * G * 0.4;
        run.control.joint_target_q[0] = -moment / 500.0;
        run.seconds(0.5, h);
        let w = wrench(&run, 0);
        assert!(run.p(0).z.abs() < 1e-9, "it stays level: {}", run.p(0));
        assert!((w.lin - Vec3::z() * 1.5 * G).norm() < STATIC * 1.5 * G, "{h}: {}", w.lin);
        assert!((w.ang + Vec3::y() * moment).norm() < STATIC * moment, "{h}: {} {moment}", w.ang);
    }
}

#[test]
fn every_joint_of_a_chain_carries_what_hangs_below() {
    for h in STEPS {
        let (mut b, masses) = (builder(0.5), [0.5, 2.0, 10.0]);
        let mut above = None;
        for (i, m) in masses.into_iter().enumerate() {
            let body =
                bare(&mut b, Vec3::new(0.0, 0.0, -0.1 - 0.2 * i as f64), Vec3::new(0.02, 0.02, 0.1), m);
            let at = if above.is_none() { Vec3::zeros() } else { -Vec3::z() * 0.1 };
            join(&mut b, JointKind::Ball, [above, Some(body)], [at, Vec3::z() * 0.1], vec![]);
            above = Some(body);
        }
        let mut run = Run::new(b);
        run.seconds(0.2, h);
        for k in 0..3 {
            let below = masses[k..].iter().sum::<f64>() * G;
            let w = wrench(&run, k);
            assert!((w.lin - Vec3::z() * below).norm() < STATIC * below, "{h} {k}: {} {below}", w.lin);
            assert!(w.ang.norm() < 1e-7, "{h} {k}: {}", w.ang);
        }
    }
}

/// Sums over the contacts of the only pair: normal forces, friction.
fn on_floor(run: &Run) -> [Vec3; 2] {
    let all = loads(run).contacts;
    assert!(!all.is_empty() && all.iter().all(|c| c.bodies[0].is_none() || c.bodies[1].is_none()));
    let sign = |c: &coact_solver::ContactLoad| if c.bodies[1].is_some() { 1.0 } else { -1.0 };
    let normal = all.iter().map(|c| c.normal * c.normal_force * sign(c)).sum();
    [normal, all.iter().map(|c| c.friction * sign(c)).sum()]
}

#[test]
fn a_box_presses_with_its_weight_and_on_a_slope_with_its_parts() {
    for h in STEPS {
        for degrees in [0.0, 20.0_f64] {
            let (angle, m) = (degrees.to_radians(), 3.0);
            let mut b = builder(0.6);
            let q = floor(&mut b, angle);
            cuboid(&mut b, Pose::new(q * (Vec3::z() * 0.1), q), Vec3::new(0.2, 0.15, 0.1), m);
            let mut run = Run::new(b);
            run.seconds(1.0, h);
            let [normal, friction] = on_floor(&run);
            let (up, uphill) = (q * Vec3::z(), q * -Vec3::x());
            let off = (normal - up * (m * G * angle.cos())).norm();
            assert!(off < STATIC * m * G, "{h} {degrees}: {normal} off by {off:e}");
            let off = (friction - uphill * (m * G * angle.sin())).norm();
            assert!(off < STATIC * m * G, "{h} {degrees}: {friction} off by {off:e}");
        }
    }
}

/// A ball that bounces gives the floor the impulse of its two speeds in the step of the impact.
#[test]
fn an_impact_is_in_the_load_of_its_step() {
    for h in STEPS {
        let mut b = builder(0.0);
        b.set_material(MaterialId(0), Material { restitution: 0.5, mu: 0.0, ..Material::default() });
        floor(&mut b, 0.0);
        ball(&mut b, Vec3::new(0.0, 0.0, 1.0), Vec3::zeros(), 0.1, 0.4);
        let mut run = Run::new(b);
        let mut before = run.v(0).z;
        loop {
            run.step(h);
            if run.v(0).z > 0.0 {
                break;
            }
            before = run.v(0).z;
        }
        let gained = 0.4 * ((run.v(0).z - before) / h + G);
        let [normal, _] = on_floor(&run);
        assert!((normal.z / gained - 1.0).abs() < 1e-9 && gained > 100.0, "{h}: {normal} {gained}");
    }
}

#[test]
fn a_disabled_joint_carries_nothing() {
    let mut b = builder(0.5);
    let body = bare(&mut b, Vec3::zeros(), Vec3::repeat(0.1), 1.0);
    b.add_joint(JointDef { enabled: false, ..JointDef::new(JointKind::Fixed, None, body) });
    let mut run = Run::new(b);
    run.step(0.01);
    assert_eq!(loads(&run).joints, [coact_solver::JointLoad::none(JointId::new(0))]);
}
