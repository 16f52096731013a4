//! Contact with planes: weight, sticking, sliding, rolling, bouncing, limits.

use coact_collide::{Contacts, ShapeContact};
use coact_math::{Pose, Quat, Spatial, Vec3};
use coact_model::{BodyId, EntityId, Geometry, JointDef, JointKind, Material, ModelBuilder, ShapeId, State};
use coact_solver::{Solver, StepInput};

use crate::scene::{Run, axis, body, builder, hinge, plane, solid};

const HALF: f64 = 0.1;

/// A box of 2 kg standing on a plane of slope `tan`, gravity along −z; downhill is +x.
fn box_on_slope(tan: f64, mu: f64) -> (ModelBuilder, Vec3) {
    let angle = tan.atan();
    let q = Quat::from_axis_angle(&Vec3::y_axis(), angle);
    let mut b = builder(9.81);
    plane(&mut b, q * Vec3::z(), mu);
    let half_extents = Vec3::from_element(HALF);
    solid(&mut b, Pose::new(q * Vec3::new(0.0, 0.0, HALF), q), 2.0, Geometry::Box { half_extents }, mu);
    (b, q * Vec3::x())
}

#[test]
fn resting_box_reports_its_weight() {
    let mut run = Run::new(&box_on_slope(0.0, 0.5).0.finalize().unwrap());
    run.steps(120, 1.0 / 120.0);
    let w = run.solver.contact_wrench(BodyId(0));
    assert!((w.lin - Vec3::new(0.0, 0.0, 2.0 * 9.81)).norm() < 1e-6, "{}", w.lin);
    assert_eq!((run.report.contacts.shapes, run.report.contacts.shapes_active), (4, 4));
    assert!((run.state().body_q[0].p.z - HALF).abs() < 1e-6 && run.report.penetration.depth < 1e-6);
    assert!(run.report.residual_last.max < 1e-3 * 19.62, "{:?}", run.report.residual_last);
}

#[test]
fn box_holds_inside_the_friction_cone() {
    for (tan, mu) in [(0.31, 0.5), (0.4877, 0.5)] {
        let (b, downhill) = box_on_slope(tan, mu);
        let mut run = Run::new(&b.finalize().unwrap());
        run.steps(240, 1.0 / 120.0);
        let v = run.state().body_qd[0];
        let slid = run.state().body_q[0].p.dot(&downhill);
        println!("tan {tan}: v {:.2e}, slid {slid:.2e} m in 2 s", v.lin.norm());
        assert!(v.lin.norm() < 1e-5 && v.ang.norm() < 1e-4 && slid < 1e-4);
    }
}

#[test]
fn box_slides_at_the_friction_bound() {
    let (b, downhill) = box_on_slope(0.6, 0.3);
    let mut run = Run::new(&b.finalize().unwrap());
    run.steps(120, 1.0 / 120.0);
    let angle = 0.6_f64.atan();
    let exact = 9.81 * (angle.sin() - 0.3 * angle.cos());
    let v = run.state().body_qd[0].lin.dot(&downhill);
    println!("slides at {:.2e} off Coulomb", v / exact - 1.0);
    assert!((v / exact - 1.0).abs() < 0.005, "{v} {exact}");
}

#[test]
fn box_on_a_conveyor_speeds_up_by_friction_to_the_speed_of_the_belt() {
    let mut model = box_on_slope(0.0, 0.5).0.finalize().unwrap();
    model.shape_surface_velocity.make_mut()[0] = Vec3::x();
    let mut run = Run::new(&model);
    run.steps(12, 1.0 / 120.0);
    let v = run.state().body_qd[0].lin.x;
    assert!((v / (0.05 * 9.81) - 1.0).abs() < 0.005, "{v}");
    run.steps(60, 1.0 / 120.0);
    let v = run.state().body_qd[0].lin;
    assert!((v - Vec3::x()).norm() < 1e-6, "{v}");
}

/// As one that begins there: no impulse of before, and the other box goes on as it did.
#[test]
fn box_that_is_put_elsewhere_begins_anew() {
    let two = || {
        let (mut b, _) = box_on_slope(0.31, 0.5);
        let half_extents = Vec3::from_element(HALF);
        let pose = Pose::translation(Vec3::new(0.0, 3.0, 0.5));
        solid(&mut b, pose, 1.0, Geometry::Box { half_extents }, 0.5);
        b.finalize().unwrap()
    };
    let (mut run, mut still, mut fresh) = (Run::new(&two()), Run::new(&two()), Run::new(&two()));
    run.steps(60, 1.0 / 120.0);
    still.steps(60, 1.0 / 120.0);
    let place = |s: &mut State| {
        let by = s.body_q[0].q * Vec3::new(0.3, -1.0, 0.0);
        s.body_q[0].p += by;
        s.body_qd[0] = Spatial::zeros();
    };
    let mut state = run.state().clone();
    place(&mut state);
    run.solver.reset(&state, &[EntityId::Body(BodyId(0))]);
    fresh.solver.load(&state);
    for _ in 0..30 {
        [&mut run, &mut still, &mut fresh].into_iter().for_each(|r| r.step(1.0 / 120.0));
        assert_eq!(run.state().body_q[0], fresh.state().body_q[0]);
        assert_eq!(run.state().body_q[1], still.state().body_q[1]);
        assert_eq!(run.state().body_qd[1], still.state().body_qd[1]);
    }
}

#[test]
fn sphere_rolls_down_as_the_closed_form_says() {
    let (tan, r) = (0.3_f64, 0.05);
    let q = Quat::from_axis_angle(&Vec3::y_axis(), tan.atan());
    let mut b = builder(9.81);
    plane(&mut b, q * Vec3::z(), 0.6);
    solid(&mut b, Pose::translation(q * Vec3::new(0.0, 0.0, r)), 1.0, Geometry::Sphere { radius: r }, 0.6);
    let mut run = Run::new(&b.finalize().unwrap());
    run.steps(120, 1.0 / 120.0);
    let v = run.state().body_qd[0];
    let exact = 9.81 * tan.atan().sin() / 1.4;
    println!("rolls at {:.2e} off", v.lin.norm() / exact - 1.0);
    assert!((v.lin.norm() / exact - 1.0).abs() < 1e-6);
    assert!((v.ang.norm() * r / v.lin.norm() - 1.0).abs() < 1e-6);
}

#[test]
fn fast_sphere_does_not_pass_the_plane() {
    let mut b = builder(0.0);
    plane(&mut b, Vec3::z(), 0.0);
    let id = solid(&mut b, Pose::translation(Vec3::z() * 2.0), 1.0, Geometry::Sphere { radius: 0.05 }, 0.0);
    b.set_body_velocity(id, Spatial::new(Vec3::z() * -300.0, Vec3::zeros()));
    let mut run = Run::new(&b.finalize().unwrap());
    run.step(1.0 / 60.0);
    assert!((run.state().body_q[0].p.z - 0.05).abs() < 1e-12);
}

#[test]
fn restitution_returns_its_share_of_the_speed() {
    let mut b = builder(0.0);
    let bouncy = Material { mu: 0.0, restitution: 0.6, ..Material::default() };
    b.set_material(coact_model::MaterialId(0), bouncy);
    b.add_shape(coact_model::ShapeDef::default());
    let id = body(&mut b, Pose::translation(Vec3::z() * 0.101), 1.0, Vec3::new(0.1, 0.1, 0.1));
    let geometry = Geometry::Sphere { radius: 0.1 };
    b.add_shape(coact_model::ShapeDef { body: Some(id), geometry, ..Default::default() });
    b.set_body_velocity(id, Spatial::new(Vec3::z() * -2.0, Vec3::zeros()));
    let mut run = Run::new(&b.finalize().unwrap());
    run.steps(3, 1.0 / 120.0);
    assert!((run.state().body_qd[0].lin.z - 1.2).abs() < 1e-12);
}

/// A hinged rod whose tip sphere comes to rest on the ground carries half its weight there.
#[test]
fn link_of_a_tree_rests_on_the_ground() {
    let (l, r) = (1.0, 0.02);
    let mut b = builder(9.81);
    plane(&mut b, Vec3::z(), 0.5);
    let rod = body(&mut b, Pose::translation(Vec3::new(0.5 * l, 0.0, r)), 3.0, Vec3::new(1e-3, 0.25, 0.25));
    b.add_shape(coact_model::ShapeDef {
        body: Some(rod),
        pose: Pose::translation(Vec3::x() * (0.5 * l)),
        geometry: Geometry::Sphere { radius: r },
        density: 0.0,
        ..Default::default()
    });
    b.add_joint(hinge(None, rod, Vec3::z() * r, Vec3::x() * (-0.5 * l), Vec3::y()));
    let mut run = Run::new(&b.finalize().unwrap());
    run.steps(120, 1.0 / 120.0);
    let w = run.solver.contact_wrench(rod);
    assert!((w.lin.z - 0.5 * 3.0 * 9.81).abs() < 1e-6, "{}", w.lin);
    assert!(run.state().joint_qd[0].abs() < 1e-9);
}

#[test]
fn limit_holds_a_driven_joint_and_friction_holds_a_loaded_one() {
    let mut b = builder(9.81);
    let make = |b: &mut ModelBuilder, y: f64| {
        body(b, Pose::translation(Vec3::new(0.0, y, 0.0)), 1.0, Vec3::new(0.1, 0.1, 0.1))
    };
    let (driven, held) = (make(&mut b, 0.0), make(&mut b, 1.0));
    let slide = |child, y: f64, a: coact_model::JointAxis| JointDef {
        axes: vec![a],
        x_p: Pose::translation(Vec3::new(0.0, y, 0.0)),
        ..JointDef::new(JointKind::Prismatic, None, child)
    };
    let mut limited = axis(Vec3::x());
    (limited.target_ke, limited.target_kd, limited.limit_upper) = (1000.0, 50.0, 0.3);
    let joint = b.add_joint(JointDef { target_q: vec![1.0], ..slide(driven, 0.0, limited) });
    let mut rough = axis(Vec3::z());
    rough.friction = 10.0;
    b.add_joint(slide(held, 1.0, rough));
    let mut run = Run::new(&b.finalize().unwrap());
    let mut worst: f64 = 0.0;
    for _ in 0..240 {
        run.step(1.0 / 120.0);
        worst = worst.max(run.state().joint_q[joint.index()]);
    }
    assert!((run.state().joint_q[0] - 0.3).abs() < 1e-9 && worst < 0.3 + 1e-9);
    assert!(run.state().joint_qd[1].abs() < 1e-12, "9.81 N is below 10 N");
    run.forces.body_f[held.index()].lin.z = -1.0;
    run.steps(10, 0.01);
    assert!((run.state().joint_qd[1] + 0.1 * 0.81).abs() < 1e-9, "(9.81 + 1 - 10)/1 for 0.1 s");
}

/// Boxes on ball joints fall in a heap: they come to rest on the ground.
#[test]
fn chain_of_boxes_falls_and_comes_to_rest() {
    let mut b = builder(9.81);
    plane(&mut b, Vec3::z(), 0.5);
    let half_extents = Vec3::new(0.1, 0.04, 0.04);
    let tilt = Quat::from_scaled_axis(Vec3::new(0.3, 0.5, 0.1));
    let mut parent = None;
    for k in 0..4 {
        let pose = Pose::new(Vec3::z() * 0.6 + tilt * Vec3::x() * (0.22 * f64::from(k)), tilt);
        let id = solid(&mut b, pose, 1.0, Geometry::Box { half_extents }, 0.5);
        let mut joint = JointDef::new(JointKind::Ball, parent, id);
        joint.x_p = Pose::translation(Vec3::x() * 0.11);
        joint.x_c = Pose::translation(Vec3::x() * -0.11);
        if parent.is_some() {
            b.add_joint(joint);
        }
        parent = Some(id);
    }
    let mut run = Run::new(&b.finalize().unwrap());
    let start = run.energy();
    let mut deepest: f64 = 0.0;
    for _ in 0..360 {
        run.step(1.0 / 120.0);
        deepest = deepest.max(run.report.penetration.depth);
        assert!(run.energy() < start + 1e-9, "{}", run.energy());
    }
    let (kinetic, weight) =
        (run.solver.kinetic_energy(), (0..4).map(|k| run.solver.contact_wrench(BodyId(k)).lin.z));
    println!("kinetic {kinetic:.1e} J, deepest {deepest:.1e} m");
    assert!(kinetic < 1e-4 && deepest < 0.02);
    assert!((weight.sum::<f64>() - 4.0 * 9.81).abs() < 0.5);
}

/// Contacts of the caller may join any two bodies: momentum is handed over in full.
#[test]
fn contact_of_the_caller_joins_two_bodies() {
    let mut b = builder(0.0);
    let r = 0.1;
    let geometry = Geometry::Sphere { radius: r };
    let left = solid(&mut b, Pose::identity(), 1.0, geometry.clone(), 0.3);
    let right = solid(&mut b, Pose::translation(Vec3::x() * 0.2), 3.0, geometry, 0.3);
    b.set_body_velocity(left, Spatial::new(Vec3::new(2.0, 0.5, 0.0), Vec3::zeros()));
    let model = b.finalize().unwrap();
    let mut run = Run::new(&model);
    let contacts = Contacts {
        shapes: vec![ShapeContact {
            shape0: ShapeId(0),
            shape1: ShapeId(1),
            body0: Some(left),
            body1: Some(right),
            point0: Vec3::zeros(),
            point1: Vec3::zeros(),
            offset0: Vec3::x() * r,
            offset1: Vec3::x() * -r,
            margin0: r,
            margin1: r,
            normal: Vec3::x(),
            feature: 0,
        }],
        ..Contacts::default()
    };
    let input = StepInput { control: &run.control, forces: &run.forces, contacts: Some(&contacts) };
    run.solver.step(&input, 0.01, &mut run.report).unwrap();
    let s = run.state().clone();
    let total = s.body_qd[0].lin + s.body_qd[1].lin * 3.0;
    assert!((total - Vec3::new(2.0, 0.5, 0.0)).norm() < 1e-14);
    assert!((s.body_qd[0].lin.x - 0.5).abs() < 1e-12 && (s.body_qd[1].lin.x - 0.5).abs() < 1e-12);
    let spin = crate::scene::momentum(&model, &s).ang;
    assert!(spin.norm() < 1e-3, "about the contact, up to the path within the step: {spin}");
    let (a, b) = (run.solver.contact_wrench(left).lin, run.solver.contact_wrench(right).lin);
    assert_eq!(a, -b);
}
