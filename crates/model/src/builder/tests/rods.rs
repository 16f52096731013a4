//! Rods: segments, elements and ends as asked for; what is wrong is refused, what looks wrong is said.

use std::f64::consts::{PI, TAU};

use super::*;
use crate::ids::BodyId;

fn straight(segments: usize) -> RodDef {
    let path = RodPath::Straight { from: Vec3::zeros(), to: Vec3::x(), segments };
    RodDef { name: "rod".into(), path, ..RodDef::default() }
}

fn built(def: RodDef) -> (Model, RodIds) {
    let mut b = ModelBuilder::new();
    let ids = b.add_rod(def);
    (b.finalize().unwrap(), ids)
}

fn refusal(def: RodDef) -> String {
    let mut b = ModelBuilder::new();
    assert_eq!(b.add_rod(def), RodIds::default());
    b.finalize().unwrap_err().to_string()
}

#[test]
fn a_rod_is_a_chain_of_bodies_and_rod_joints_with_stiffness_over_length() {
    let def = RodDef { begin: RodEnd::Clamped(None), damping_time: 0.1, ..straight(4) };
    let (m, ids) = built(def.clone());
    assert_eq!((ids.bodies.len(), ids.joints.len(), ids.ends[0].is_some()), (4, 3, true));
    assert_eq!(m.names.find_body("rod_3"), Some(BodyId::new(2)));
    let mass: f64 = m.body_mass.iter().sum();
    assert!((mass - 1200.0 * PI * 25e-6).abs() < 1e-12);
    let s = def.section.stiffness(def.young, def.shear.modulus(def.young));
    let axes = m.axes_of(ids.joints[1]);
    for (axis, k) in axes.iter().zip([s.ga, s.ga, s.ea, s.ei[0], s.ei[1], s.gj]) {
        assert!((axis.target_ke / (4.0 * k) - 1.0).abs() < 1e-12);
        assert!((axis.target_kd / (0.4 * k) - 1.0).abs() < 1e-12);
    }
    let clamp = m.axes_of(ids.ends[0].unwrap());
    assert!((clamp[3].target_ke / (8.0 * s.ei[0]) - 1.0).abs() < 1e-12);
    for (i, q) in m.body_q.iter().enumerate() {
        assert!((q.p.x - 0.125 - 0.25 * i as f64).abs() < 1e-15);
        assert!((q.q * Vec3::z() - Vec3::x()).norm() < 1e-15);
    }
}

#[test]
fn frames_are_carried_along_without_twist() {
    let path = RodPath::Helix { frame: Pose::identity(), radius: 0.1, pitch: 0.1, turns: 3.0, segments: 90 };
    let (m, ids) = built(RodDef { path, ..straight(1) });
    for j in ids.joints {
        let turn = m.joint_rest_rotation[j.index()].scaled_axis();
        assert!(turn.z.abs() < 1e-14 && turn.norm() > 0.05, "{turn}");
    }
    let (m, ids) = built(RodDef { twist: 2.0, ..straight(10) });
    let turn = m.joint_rest_rotation[ids.joints[4].index()].scaled_axis();
    assert!((turn - Vec3::z() * 0.2).norm() < 1e-14);
}

#[test]
fn a_ring_closes_and_has_the_length_of_its_circle() {
    let path = RodPath::Ring { frame: Pose::identity(), radius: 0.5, segments: 12 };
    let (m, ids) = built(RodDef { path, rest: RodRest::Straight, ..straight(1) });
    assert_eq!((ids.bodies.len(), ids.joints.len()), (12, 12));
    let last = ids.joints[11].index();
    assert_eq!((m.joint_parent[last], m.joint_child[last]), (Some(ids.bodies[11]), ids.bodies[0]));
    let length: f64 = (0..12).map(|i| 2.0 * m.joint_x_p[ids.joints[i].index()].p.z).sum();
    assert!((length - PI).abs() < 1e-14);
    assert_eq!(m.joint_rest_rotation[last], Quat::identity());
}

#[test]
fn rest_shape_and_taper_are_apart_from_the_initial_shape() {
    let rest = RodRest::Curved(Vec3::new(TAU, 0.0, 0.5));
    let (m, ids) = built(RodDef { rest, taper: vec![1.0, 1.0, 1.0, 0.5, 0.5], ..straight(4) });
    let turn = m.joint_rest_rotation[ids.joints[0].index()].scaled_axis();
    assert!((turn - Vec3::new(TAU, 0.0, 0.5) * 0.25).norm() < 1e-14);
    assert!((m.body_mass[3] / m.body_mass[0] - 0.25).abs() < 1e-12);
    let ke = |i: usize| m.axes_of(ids.joints[i])[3].target_ke;
    assert!((ke(2) / ke(0) - 1.0 / 16.0).abs() < 1e-12);
}

#[test]
fn the_first_axis_of_a_section_points_where_it_is_asked_to() {
    let section = RodSection::Rectangle { width: 0.02, height: 0.01 };
    let (m, ids) = built(RodDef { section, first_axis: Some(Vec3::new(3.0, 0.0, 2.0)), ..straight(3) });
    assert!((m.body_q[1].q * Vec3::x() - Vec3::z()).norm() < 1e-15);
    let axes = m.axes_of(ids.joints[0]);
    assert!((axes[4].target_ke / axes[3].target_ke - 4.0).abs() < 1e-12);
}

#[test]
fn a_spline_goes_through_its_points_in_equal_segments() {
    let points = vec![Vec3::zeros(), Vec3::new(0.3, 0.2, 0.0), Vec3::new(0.6, 0.0, 0.1), Vec3::x()];
    let (m, ids) = built(RodDef { path: RodPath::Spline { points, segment: 0.05 }, ..straight(1) });
    assert!(ids.bodies.len() > 20);
    let half = m.joint_x_p[0].p.z;
    assert!(ids.joints.iter().all(|j| (m.joint_x_p[j.index()].p.z / half - 1.0).abs() < 0.02));
}

#[test]
fn junctions_hold_an_end_on_a_segment_of_another_rod() {
    let mut b = ModelBuilder::new();
    let trunk = b.add_rod(straight(4));
    let path =
        RodPath::Straight { from: Vec3::new(0.5, 0.0, 0.0), to: Vec3::new(0.5, 0.3, 0.0), segments: 3 };
    let begin = RodEnd::Clamped(Some(trunk.bodies[1]));
    let branch = b.add_rod(RodDef { name: "branch".into(), path, begin, ..straight(1) });
    let m = b.finalize().unwrap();
    let j = branch.ends[0].unwrap().index();
    assert_eq!((m.joint_parent[j], m.joint_child[j]), (Some(trunk.bodies[1]), branch.bodies[0]));
    assert!((m.body_q[1].point(&m.joint_x_p[j].p) - Vec3::new(0.5, 0.0, 0.0)).norm() < 1e-15);
}

#[test]
fn what_is_wrong_is_refused_with_the_remedy() {
    let points = |p: Vec<Vec3>| RodDef { path: RodPath::Points(p), ..straight(1) };
    let circle = |radius| RodDef { section: RodSection::Circle { radius }, ..straight(2) };
    let spline = RodPath::Spline { points: vec![Vec3::zeros(), Vec3::x() * 0.1], segment: 0.2 };
    let open = RodPath::Closed(vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()]);
    let cases = [
        (points(vec![Vec3::zeros(), Vec3::x(), Vec3::x()]), "rod \"rod\", segment 2", "leave one out"),
        (points(vec![Vec3::zeros()]), "number of segments is 0", "at least one segment"),
        (points(vec![Vec3::zeros(), Vec3::x() * f64::NAN]), "points", "finite"),
        (points(vec![Vec3::zeros(), Vec3::x(), Vec3::x() * 0.5]), "segments 1 and 2", "round the fold"),
        (
            RodDef { first_axis: Some(Vec3::x()), ..straight(2) },
            "first axis across the rod is 0",
            "point it across",
        ),
        (circle(0.0), "radius is 0", "write a positive number"),
        (circle(f64::INFINITY), "radius is inf", "write a finite number"),
        (RodDef { young: 0.0, ..straight(2) }, "young is 0", "write a positive number"),
        (RodDef { shear: Shear::Poisson(0.7), ..straight(2) }, "ratio is 0.7", "up to 0.5"),
        (
            RodDef { path: spline, ..straight(1) },
            "length of the spline in segments is 0.5",
            "shorter segments",
        ),
        (RodDef { path: open, ..straight(1) }, "gap of the closed rod is 1", "first point again at the end"),
        (RodDef { taper: vec![1.0], ..straight(2) }, "takes 3 scales of its taper, given 1", ""),
        (RodDef { rest: RodRest::PerElement(vec![]), ..straight(3) }, "takes 2 rest rotation vectors", ""),
    ];
    for (def, what, remedy) in cases {
        let text = refusal(def);
        assert!(text.contains(what) && text.contains(remedy), "{text}");
    }
}

#[test]
fn a_section_in_millimetres_is_warned_of_with_its_stiffness() {
    let mut b = ModelBuilder::new();
    b.add_rod(RodDef { section: RodSection::Circle { radius: 5.0 }, ..straight(4) });
    let (_, warnings) = b.finalize_with_warnings().unwrap();
    let text = warnings.iter().map(ToString::to_string).find(|w| w.contains("EI")).unwrap();
    assert!(text.contains("rod \"rod\"") && text.contains("4.909e9 N·m²"), "{text}");
    let mut b = ModelBuilder::new();
    b.add_rod(straight(4));
    assert!(b.finalize_with_warnings().unwrap().1.is_empty());
}

#[test]
fn a_junction_of_rods_with_different_radii_is_said_and_a_taper_stills_it() {
    let warned = |taper: Vec<f64>| {
        let mut b = ModelBuilder::new();
        let trunk = b.add_rod(RodDef { name: "trunk".into(), ..straight(4) });
        let path = RodPath::Straight { from: Vec3::x(), to: Vec3::x() + Vec3::y(), segments: 2 };
        let begin = RodEnd::Clamped(trunk.bodies.last().copied());
        let section = RodSection::Circle { radius: 0.002 };
        b.add_rod(RodDef { path, begin, section, taper, ..straight(1) });
        let warnings = b.finalize_with_warnings().unwrap().1;
        warnings.iter().map(ToString::to_string).filter(|w| w.contains("joined")).collect::<Vec<_>>()
    };
    let said = warned(Vec::new());
    assert!(said.len() == 1 && said[0].contains("2.000e-3") && said[0].contains("rod \"trunk\""), "{said:?}");
    assert!(warned(vec![2.5, 1.0, 1.0]).is_empty());
}

#[test]
fn the_shape_of_a_definition_is_that_of_its_bodies() {
    let path = RodPath::Helix { frame: Pose::identity(), radius: 0.1, pitch: 0.1, turns: 2.0, segments: 24 };
    let def = RodDef { path, twist: 1.0, ..straight(1) };
    let shape = def.shape().unwrap();
    assert!((shape.length() / 24.0 - (shape.points[1] - shape.points[0]).norm()).abs() < 1e-12);
    assert_eq!(built(def).0.body_q.to_vec(), shape.poses);
    assert!(straight(0).shape().is_err());
}
