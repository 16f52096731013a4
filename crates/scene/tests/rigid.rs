//! Joints, contacts between bodies and every geometry, as a scene writes them.

use std::path::Path;

use coact_compute::DeviceChoice;
use coact_model::{Geometry, JointKind, Model, StateFields};
use coact_scene::{Simulation, load_text};
use coact_solver::StepReport;

/// A box over the origin at 1 m, with what `more` adds to the scene.
fn scene(more: &str, settings: &str) -> String {
    format!(
        "(gravity: (0, 0, 0), {more}, bodies: [\
         (name: \"base\", kinematic: true, shapes: [(geometry: Sphere(radius: 0.1), meets_shapes: false)]), \
         (name: \"box\", position: (0, 0, 1), shapes: [(geometry: Box(size: (0.1, 0.2, 0.3)))])], \
         solvers: [Vbd(name: \"all\"{settings})], run: (rate: 100, duration: 1))"
    )
}

fn model(text: &str) -> Model {
    let scene = load_text("scene.ron", text, Path::new("."), &[]).unwrap_or_else(|e| panic!("{e:?}"));
    scene.build_model().unwrap_or_else(|e| panic!("{e:?}")).0
}

fn ran(text: &str, steps: usize) -> Simulation {
    let scene = load_text("scene.ron", text, Path::new("."), &[]).unwrap_or_else(|e| panic!("{e:?}"));
    let mut sim = scene.build(DeviceChoice::Cpu).unwrap_or_else(|e| panic!("{e:?}"));
    let mut report = StepReport::default();
    (0..steps).for_each(|_| sim.step(&mut report).unwrap());
    sim.store(StateFields::all());
    sim
}

#[test]
fn the_axes_of_a_d6_joint_keep_their_order_and_begin_where_they_say() {
    let m = model(&scene(
        "joints: [(name: \"six\", parent: \"base\", child: \"box\", position: (0, 0, 1), kind: D6(\
         linear: [(axis: (1, 0, 0), start: 0.3, limits: (lower: 0, upper: 1)), (axis: (0, 2, 0), friction: 3)], \
         angular: [(axis: (0, 0, 1), start: 7, armature: 0.1)]))]",
        "",
    ));
    assert_eq!(m.joint_kind[0], JointKind::D6 { linear: 2, angular: 1 });
    assert_eq!(m.joint_q.to_vec(), [0.3, 0.0, 7.0]);
    let axes = m.joint_axis.to_vec();
    assert_eq!((axes[0].limit_upper, axes[1].friction, axes[2].armature), (1.0, 3.0, 0.1));
    assert_eq!(axes[1].axis, coact_math::Vec3::y());
}

#[test]
fn a_revolute_axis_counts_from_its_start() {
    let text = |start: &str| {
        scene(
            &format!(
                "joints: [(name: \"hinge\", child: \"box\", kind: Revolute(axis: (1, 0, 0){start}, \
                 drive: (position: Constant(0.5), stiffness: 50, damping: 5)))]"
            ),
            "",
        )
    };
    let turned = |start: &str| {
        let q = ran(&text(start), 300).state.body_q[1].q;
        2.0 * q.i.atan2(q.w)
    };
    assert!((turned("") - 0.5).abs() < 1e-3, "{}", turned(""));
    assert!((turned(", start: 0.2") - 0.3).abs() < 1e-3, "{}", turned(", start: 0.2"));
}

#[test]
fn a_distance_joint_holds_its_range_between_two_anchors() {
    let text = scene(
        "joints: [(name: \"tie\", parent: \"base\", child: \"box\", kind: Distance(min: 0.5, max: 1.2))], \
         forces: [(of: \"box\", force: (30, 0, 0))]",
        "",
    );
    let m = model(&text);
    assert_eq!((m.joint_axis[0].limit_lower, m.joint_axis[0].limit_upper), (0.5, 1.2));
    assert_eq!(m.joint_x_p[0].p, coact_math::Vec3::zeros(), "the parent's origin is the default");
    let reach = ran(&text, 200).state.body_q[1].p.norm();
    assert!((reach - 1.2).abs() < 1e-3, "{reach}");
}

#[test]
fn soft_joints_give_way_and_minus_one_sweep_is_the_default() {
    let sag = |settings: &str| {
        let text = scene(
            "joints: [(name: \"hold\", child: \"box\", kind: Fixed)], forces: [(of: \"box\", force: (0, 0, -60))]",
            settings,
        );
        1.0 - ran(&text, 200).state.body_q[1].p.z
    };
    assert!(sag("").abs() < 1e-6, "{}", sag(""));
    let soft =
        sag(", iterations: -1, joint_stiffness: (linear: 1e4, angular: inf), joint_damping: (linear: 600)");
    assert!((soft - 60.0 / 1e4).abs() < 1e-4, "{soft}");
}

#[test]
fn a_box_rests_on_heights_given_row_by_row() {
    let m = model(&scene(
        "static_shapes: [(geometry: Heights(spacing: (0.5, 1), rows: [[0, 1, 2], [3, 4, 5]]))]",
        ", body_blocks: Trees, contact_matching: Sticky, contact_matching_distance: 0.01, \
         detection: (rigid: PrePostInit)",
    ));
    let geometry = m.shape_geometry.iter().find_map(|g| match g {
        Geometry::Heightfield(h) => Some(h.clone()),
        _ => None,
    });
    let field = geometry.unwrap();
    assert_eq!((field.counts(), field.spacing()), ([3, 2], [0.5, 1.0]));
    assert_eq!(field.heights(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    let text =
        scene("static_shapes: [(geometry: Heights(spacing: (1, 1), rows: [[0.4, 0.4], [0.4, 0.4]]))]", "")
            .replace("gravity: (0, 0, 0)", "gravity: (0, 0, -10)");
    let z = ran(&text, 200).state.body_q[1].p.z;
    assert!((z - 0.55).abs() < 1e-3, "{z}");
}
