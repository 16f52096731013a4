//! Trees: Jacobians, mass, bases, refusals, state in and out.

use coact_articulated::{ArticulatedConfig, SolverArticulated};
use coact_math::{Pose, Quat, Spatial, Vec3};
use coact_model::{
    BodyDef, BodyId, Geometry, JointDef, JointId, JointKind, Model, ModelFlags, ModelView, Ownership,
    ShapeDef,
};
use coact_solver::{Snapshot, Solver, StepInput};
use coact_testkit::{Random, count_allocations, state_digest};

use crate::scene::{Run, axis, body, builder, chain, hinge, pendulum, plane, solid};

/// A tree with every kind of joint, off axis, on a free root.
fn menagerie(gravity: f64) -> Model {
    let mut random = Random::new(11);
    let mut b = builder(gravity);
    let kinds = [
        (JointKind::Free, None),
        (JointKind::Revolute, Some(0)),
        (JointKind::Ball, Some(1)),
        (JointKind::Fixed, Some(0)),
        (JointKind::Prismatic, Some(3)),
        (JointKind::Revolute, Some(4)),
    ];
    for (k, (kind, parent)) in kinds.into_iter().enumerate() {
        let pose = Pose::new(random.vector(1.0), random.rotation());
        let id = body(&mut b, pose, 0.5 + 0.3 * k as f64, Vec3::new(0.02, 0.03, 0.04));
        let mut joint = JointDef::new(kind, parent.map(BodyId::new), id);
        joint.x_p = Pose::new(random.vector(0.3), random.rotation());
        joint.x_c = Pose::new(random.vector(0.3), random.rotation());
        joint.axes.iter_mut().for_each(|a| a.axis = random.vector(1.0).normalize());
        let mut q = vec![0.0; kind.coord_count()];
        match kind {
            JointKind::Free => q = Pose::new(random.vector(1.0), random.rotation()).to_array().to_vec(),
            JointKind::Ball => q = random.rotation().coords.as_slice().to_vec(),
            _ => q.iter_mut().for_each(|q| *q = random.range(-1.0, 1.0)),
        }
        joint.q = Some(q);
        joint.qd = Some((0..kind.dof_count()).map(|_| random.range(-1.0, 1.0)).collect());
        b.add_joint(joint);
    }
    posed(b)
}

/// Builds with body poses that follow from the joint coordinates.
fn posed(mut b: coact_model::ModelBuilder) -> Model {
    for j in (0..b.joint_count()).map(JointId::new) {
        let def = b.joint(j).unwrap().clone();
        let q = def.q.unwrap_or_default();
        let across = match def.kind {
            JointKind::Revolute => Pose::new(Vec3::zeros(), Quat::from_scaled_axis(def.axes[0].axis * q[0])),
            JointKind::Prismatic => Pose::translation(def.axes[0].axis * q[0]),
            JointKind::Ball => Pose::from_array([0.0, 0.0, 0.0, q[0], q[1], q[2], q[3]]),
            JointKind::Free => Pose::from_array(q.try_into().unwrap()),
            _ => Pose::identity(),
        };
        let carrier = def.parent.map_or_else(Pose::identity, |p| b.body(p).unwrap().pose);
        b.set_body_pose(def.child, carrier * def.x_p * across * def.x_c.inverse());
    }
    b.finalize().expect("a valid scene")
}

/// Velocities of bodies are the derivative of their poses along a force-free step.
#[test]
fn body_velocity_is_the_derivative_of_the_pose() {
    let model = menagerie(0.0);
    let mut run = Run::new(&model);
    let begin = run.state().clone();
    let h = 1e-6;
    run.step(h);
    let end = run.state().clone();
    for k in 0..model.body_count() {
        let v = (end.body_q[k].p - begin.body_q[k].p) / h;
        let w = (end.body_q[k].q * begin.body_q[k].q.inverse()).scaled_axis() / h;
        let d = (begin.body_qd[k].lin - v).norm() + (begin.body_qd[k].ang - w).norm();
        assert!(d < 1e-4, "body {k}: {d}");
        assert!(v.norm() + w.norm() > 0.1);
    }
}

/// ½ qdᵀ M qd from the rows of M against the sum over bodies: M by unit impulses.
#[test]
fn mass_matrix_is_the_hessian_of_kinetic_energy() {
    let model = menagerie(0.0);
    let n = model.joint_qd.len();
    let energy = |qd: &[f64]| {
        let mut run = Run::new(&model);
        run.load(|s| s.joint_qd.copy_from_slice(qd));
        run.solver.kinetic_energy()
    };
    let unit = |k: usize| (0..n).map(|i| f64::from(u8::from(i == k))).collect::<Vec<_>>();
    // generalised forces M e_k over a tiny step from rest must give the rates e_k
    let h = 1e-7;
    for k in 0..n {
        let mut run = Run::new(&model);
        run.load(|s| s.joint_qd.fill(0.0));
        for j in 0..n {
            let both: Vec<f64> = unit(k).iter().zip(unit(j)).map(|(a, b)| a + b).collect();
            run.control.joint_f[j] = (energy(&both) - energy(&unit(k)) - energy(&unit(j))) / h;
            if j == k {
                run.control.joint_f[j] = 2.0 * energy(&unit(k)) / h;
            }
        }
        run.step(h);
        let qd = run.state().joint_qd.clone();
        let worst = qd.iter().zip(unit(k)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-5, "freedom {k}: {worst}");
    }
}

/// Power of a wrench on a body = generalised force times rates, for every freedom.
#[test]
fn wrench_on_a_link_is_its_jacobian_transposed() {
    let model = menagerie(0.0);
    let n = model.joint_qd.len();
    let f = Spatial::new(Vec3::new(3.0, -2.0, 1.0), Vec3::new(0.4, 0.5, -0.6));
    for link in 0..model.body_count() {
        let mut by_wrench = Run::new(&model);
        by_wrench.load(|s| s.joint_qd.fill(0.0));
        let mut by_joints = Run::new(&model);
        by_joints.load(|s| s.joint_qd.fill(0.0));
        by_wrench.forces.body_f[link] = f;
        for k in 0..n {
            let mut probe = Run::new(&model);
            probe.load(|s| {
                s.joint_qd.iter_mut().enumerate().for_each(|(i, v)| *v = f64::from(u8::from(i == k)))
            });
            by_joints.control.joint_f[k] = probe.state().body_qd[link].dot(&f);
        }
        by_wrench.step(0.01);
        by_joints.step(0.01);
        let (a, b) = (by_wrench.state().clone(), by_joints.state().clone());
        let worst = a.joint_qd.iter().zip(&b.joint_qd).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-12 && a.joint_qd.iter().any(|v| v.abs() > 1e-3), "{worst}");
    }
}

/// A hinge on a cart that is moved sideways at constant speed swings as on the ground.
#[test]
fn moving_base_is_an_inertial_frame() {
    let build = |speed: f64| {
        let mut b = builder(9.81);
        let velocity = Spatial::new(Vec3::new(speed, 0.0, 0.0), Vec3::zeros());
        let cart = b.add_body(BodyDef { kinematic: true, velocity, ..BodyDef::default() });
        let start = Vec3::new(0.5, 0.0, 0.0);
        let link = body(&mut b, Pose::translation(start), 1.0, Vec3::new(0.01, 0.02, 0.03));
        b.set_body_velocity(link, velocity);
        b.add_joint(hinge(Some(cart), link, Vec3::zeros(), -start, Vec3::y()));
        b.finalize().expect("a valid scene")
    };
    let (mut still, mut moving) = (Run::new(&build(0.0)), Run::new(&build(2.0)));
    still.steps(100, 0.01);
    moving.steps(100, 0.01);
    let (a, b) = (still.state().clone(), moving.state().clone());
    assert!((a.joint_q[0] - b.joint_q[0]).abs() < 1e-10 && a.joint_q[0].abs() > 0.5);
    assert!((b.body_q[0].p.x - 2.0).abs() < 1e-12 && (b.body_q[1].p.x - a.body_q[1].p.x - 2.0).abs() < 1e-10);
}

/// On a turntable a hinged rod feels centrifugal force: it stands out as the closed form says.
#[test]
fn turning_base_carries_its_tree() {
    let mut b = builder(0.0);
    let omega = 3.0;
    let velocity = Spatial::new(Vec3::zeros(), Vec3::z() * omega);
    let table = b.add_body(BodyDef { kinematic: true, velocity, ..BodyDef::default() });
    // slider along the radius, held by a spring: m (r0 + q) w² = ke q
    let (m, r0, ke) = (1.0, 0.5, 60.0);
    let link = body(&mut b, Pose::translation(Vec3::new(r0, 0.0, 0.0)), m, Vec3::new(0.01, 0.02, 0.03));
    b.set_body_velocity(link, Spatial::new(Vec3::y() * (omega * r0), Vec3::z() * omega));
    let mut a = axis(Vec3::x());
    (a.target_ke, a.target_kd) = (ke, 40.0);
    b.add_joint(JointDef {
        x_p: Pose::translation(Vec3::new(r0, 0.0, 0.0)),
        axes: vec![a],
        ..JointDef::new(JointKind::Prismatic, Some(table), link)
    });
    let mut run = Run::new(&b.finalize().unwrap());
    run.steps(4000, 1.0 / 480.0);
    let exact = m * r0 * omega * omega / (ke - m * omega * omega);
    let q = run.state().joint_q[0];
    assert!((q - exact).abs() < 2e-4 * exact, "{q} {exact}");
}

#[test]
fn store_gives_back_what_was_loaded() {
    let model = menagerie(9.81);
    let mut run = Run::new(&model);
    run.steps(7, 0.01);
    let before = run.state().clone();
    run.solver.load(&before);
    assert_eq!(state_digest(&before), state_digest(run.state()));
}

#[test]
fn restore_gives_the_same_bits() {
    for model in [menagerie(9.81), box_on_plane(), pendulum(2.0)] {
        let mut run = Run::new(&model);
        run.steps(20, 0.01);
        let mut snapshot = Snapshot::new();
        run.solver.save_into(&mut snapshot);
        run.steps(10, 0.01);
        let first = state_digest(run.state());
        run.solver.restore(&snapshot);
        run.steps(10, 0.01);
        assert_eq!(first, state_digest(run.state()));
    }
}

fn box_on_plane() -> Model {
    let mut b = builder(9.81);
    plane(&mut b, Vec3::z(), 0.5);
    let half_extents = Vec3::new(0.1, 0.1, 0.1);
    solid(&mut b, Pose::translation(Vec3::new(0.0, 0.0, 0.1)), 1.0, Geometry::Box { half_extents }, 0.5);
    b.finalize().expect("a valid scene")
}

#[test]
fn step_does_not_allocate() {
    let (counted, _) = count_allocations(|| std::hint::black_box(vec![1.0; 100]));
    assert!(counted > 0, "the allocator counts");
    for model in [menagerie(9.81), box_on_plane(), chain(10, 0.2, 9.81, JointKind::Ball, true)] {
        let mut run = Run::new(&model);
        run.steps(10, 0.01);
        let mut snapshot = Snapshot::new();
        run.solver.save_into(&mut snapshot);
        let (count, ()) = count_allocations(|| {
            run.steps(50, 0.01);
            run.solver.save_into(&mut snapshot);
            run.solver.restore(&snapshot);
        });
        assert_eq!((count, run.report.growth), (0, 0));
    }
}

#[test]
fn what_cannot_work_is_refused_by_name() {
    let refused = |model: &Model| {
        let made = SolverArticulated::new(&ModelView::whole(model), ArticulatedConfig::default());
        made.err().expect("a refusal").to_string()
    };
    let two = |edit: &dyn Fn(&mut coact_model::ModelBuilder, BodyId, BodyId)| {
        let mut b = builder(9.81);
        let x = Vec3::new(0.0, 0.0, 0.5);
        let ids = [(); 2].map(|()| body(&mut b, Pose::translation(x), 1.0, Vec3::new(0.1, 0.1, 0.1)));
        edit(&mut b, ids[0], ids[1]);
        b.finalize().expect("a valid scene")
    };
    let d6 = two(&|b, p, c| {
        b.add_joint(JointDef::new(JointKind::D6 { linear: 1, angular: 1 }, Some(p), c));
    });
    let text = refused(&d6);
    assert!(text.contains("joint 0") && text.contains("D6"), "{text}");
    let ring = two(&|b, p, c| {
        b.add_joint(JointDef::new(JointKind::Ball, Some(p), c));
        b.add_joint(JointDef::new(JointKind::Ball, None, c));
    });
    let text = refused(&ring);
    assert!(text.contains("joint 1") && text.contains("loop") && text.contains("cut"), "{text}");
    let shapes = two(&|b, p, _| {
        let geometry = Geometry::Cylinder { radius: 0.1, half_height: 0.1 };
        b.add_shape(ShapeDef { body: Some(p), geometry, ..ShapeDef::default() });
        b.add_shape(ShapeDef::default());
    });
    let text = refused(&shapes);
    assert!(text.contains("body 0") && text.contains("cylinder") && text.contains("plane"), "{text}");
    let mut moved = pendulum(0.3);
    moved.body_q.make_mut()[0].p.x += 0.1;
    let text = refused(&moved);
    assert!(text.contains("body 0") && text.contains("1.000e-1 m"), "{text}");
    let mut ownership = Ownership::everything(&pendulum(0.3));
    ownership.proxy_bodies = std::mem::take(&mut ownership.bodies);
    let view = ModelView::new(&pendulum(0.3), ownership);
    let text = SolverArticulated::new(&view, ArticulatedConfig::default()).err().unwrap().to_string();
    assert!(text.contains("joint 0") && text.contains("body 0") && text.contains("proxy"), "{text}");
}

#[test]
fn a_released_joint_lets_its_body_fall_and_can_be_closed_again() {
    let model = pendulum(0.4);
    let mut run = Run::new(&model);
    let mut view = ModelView::whole(&model);
    run.steps(10, 0.01);
    let v = run.state().body_qd[0];
    let flags = view.disable_joint(JointId(0));
    run.solver.notify_model_changed(&view, flags);
    assert_eq!(run.state().body_qd[0], v);
    run.step(0.01);
    let fall = run.state().body_qd[0].lin - v.lin;
    assert!((fall - Vec3::new(0.0, 0.0, -0.0981)).norm() < 1e-12);
    run.solver.notify_model_changed(&ModelView::whole(&model), ModelFlags::JOINTS);
    run.step(0.01);
    let p = run.state().body_q[0].p;
    assert!((p.norm() - 0.6).abs() < 1e-12, "it hangs on its hinge again: {p}");
}

#[test]
fn bad_numbers_are_named_and_do_not_panic() {
    for mut run in [Run::new(&pendulum(0.3)), Run::new(&box_on_plane()), Run::new(&menagerie(9.81))] {
        run.forces.body_f[0].lin.x = f64::NAN;
        run.steps(3, 0.01);
        assert!(run.report.nonfinite_count > 0);
        assert_eq!(run.report.nonfinite[0].to_string(), "body 0");
    }
}

/// A tree without any freedom: it neither moves nor panics, in contact and when asked.
#[test]
fn body_fixed_to_the_world_stays() {
    let mut b = builder(9.81);
    plane(&mut b, Vec3::z(), 0.5);
    let half_extents = Vec3::new(0.1, 0.1, 0.1);
    let pose = Pose::translation(Vec3::new(0.3, 0.0, 0.1));
    let id = solid(&mut b, pose, 1.0, Geometry::Box { half_extents }, 0.5);
    b.add_joint(JointDef { x_p: pose, ..JointDef::new(JointKind::Fixed, None, id) });
    let mut run = Run::new(&b.finalize().unwrap());
    run.steps(10, 0.01);
    assert_eq!((run.state().body_q[0], run.state().body_qd[0]), (pose, Spatial::zeros()));
    assert_eq!(run.report.contacts.shapes, 4);
    let mut mass = [coact_solver::MassBlock::default()];
    coact_solver::CouplingInterface::effective_mass(
        &mut run.solver,
        &[coact_solver::Endpoint::Body(id)],
        &mut mass,
    );
    assert!(mass[0].mass.is_infinite());
}

#[test]
fn a_step_that_does_not_go_forward_is_refused() {
    let mut run = Run::new(&pendulum(0.3));
    for dt in [0.0, -0.1, f64::NAN] {
        let input = StepInput { control: &run.control, forces: &run.forces, contacts: None };
        let said = run.solver.step(&input, dt, &mut run.report).unwrap_err().to_string();
        assert!(said.starts_with("dt = ") && said.contains("above 0"), "{said}");
    }
}
