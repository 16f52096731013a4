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

/// Three segments of 0.1 m along x from the origin, what joins them, and the settings of a solver.
fn segments(joint: &str) -> String {
    format!(
        "(bodies: [(name: \"s\", position: (0.15, 0, 0), rotation: Degrees(axis: (0, 1, 0), angle: 90), \
         shapes: [(geometry: Capsule(radius: 0.01, length: 0.08))], \
         repeat: (count: (3, 1, 1), spacing: (0.1, 0, 0)))], joints: [\
         (name: \"wall\", child: \"s_1\", position: (0, 0, 0), kind: Fixed), {joint}], \
         solvers: [Vbd(name: \"all\")], run: (rate: 100, duration: 1))"
    )
}

#[test]
fn copies_of_a_joint_join_the_bodies_of_their_numbers_where_they_meet() {
    let pins = "(name: \"pin\", parent: \"s_{i}\", child: \"s_{i+1}\", position: (0.15, 0, 0), kind: Ball, \
                repeat: (count: (2, 1, 1), spacing: (0.1, 0, 0)))";
    let m = model(&segments(pins));
    assert_eq!(m.names.joints.to_vec(), ["wall", "pin_1", "pin_2"]);
    let ends: Vec<_> = m.joint_parent.iter().zip(m.joint_child.iter()).map(|(p, c)| (*p, *c)).collect();
    let listed = "(name: \"pin_1\", parent: \"s_1\", child: \"s_2\", position: (0.1, 0, 0), kind: Ball), \
                  (name: \"pin_2\", parent: \"s_2\", child: \"s_3\", position: (0.2, 0, 0), kind: Ball)";
    let one_by_one = model(&segments(listed));
    assert_eq!(
        ends,
        one_by_one
            .joint_parent
            .iter()
            .zip(one_by_one.joint_child.iter())
            .map(|(p, c)| (*p, *c))
            .collect::<Vec<_>>()
    );
    for (a, b) in m.joint_x_p.iter().zip(one_by_one.joint_x_p.iter()) {
        assert!((a.p - b.p).norm() < 1e-12, "{a:?} {b:?}");
    }
}

#[test]
fn copies_of_a_joint_that_make_no_sense_are_told_where_they_stand() {
    let with = |parent: &str, name: &str| {
        segments(&format!(
            "(name: \"{name}\", parent: \"{parent}\", child: \"s_{{i+1}}\", kind: Ball, \
             repeat: (count: (2, 1, 1), spacing: (0.1, 0, 0)))"
        ))
    };
    let refused = |text: &str, words: &[&str]| {
        let e = load_text("scene.ron", text, Path::new("."), &[]).expect_err(text);
        let all = format!("{e:?}");
        words.iter().for_each(|w| assert!(all.contains(w), "{all}\nholds no `{w}`"));
    };
    refused(&with("s_{k}", "pin"), &["`s_{k}` has braces", "`{i+1}`"]);
    refused(&with("s_{i", "pin"), &["`s_{i` has braces"]);
    refused(&with("s_{i+2}", "pin"), &["no body is named `s_4`"]);
    refused(&with("s_{i}", "pin").replace("wall", "pin_2"), &["copy 2 of `pin` would be named as `pin_2`"]);
    let rod = "(name: \"r\", parent: \"s_1\", child: \"s_2\", kind: Rod(bend: -1, twist: 1))";
    refused(&segments(rod), &["-1", "N·m/rad"]);
}

/// A cantilever of two hinges: bend stiffness c takes the moments of the weights, small angles.
#[test]
fn a_rod_bends_by_the_moments_of_what_hangs_on_it() {
    let rod = "(name: \"rod\", parent: \"s_{i}\", child: \"s_{i+1}\", position: (0.15, 0, 0), \
               kind: Rod(along: (1, 0, 0), bend: 40, twist: 30, damping_time: 0.05), \
               repeat: (count: (2, 1, 1), spacing: (0.1, 0, 0)))";
    let sim = ran(&segments(rod), 200);
    let (m, g) = (sim.model.body_mass[0], 9.81);
    // moments of the weights beyond each joint, and the turns that they make
    let turns = [m * g * (0.05 + 0.15) / 40.0, m * g * 0.05 / 40.0];
    let z = |k: usize| sim.state.body_q[k].p.z;
    let exact = [-0.05 * turns[0], -0.15 * turns[0] - 0.05 * turns[1]];
    for (k, exact) in exact.iter().enumerate() {
        assert!((z(k + 1) - z(0) - exact).abs() < 1e-2 * exact.abs(), "{} instead of {exact}", z(k + 1));
    }
}

/// The same rod by the solver of rods, held by a joint or by an end of its own; drives are not its.
#[test]
fn a_rod_may_be_given_to_the_solver_of_rods() {
    let rod = "(name: \"rod\", parent: \"s_{i}\", child: \"s_{i+1}\", position: (0.15, 0, 0), \
               kind: Rod(along: (1, 0, 0), bend: 40, twist: 30, damping_time: 0.05), \
               repeat: (count: (2, 1, 1), spacing: (0.1, 0, 0)))";
    let text = segments(rod).replace("Vbd(name", "Rod(name");
    let driven =
        text.replace("kind: Fixed", "kind: Revolute(axis: (0, 1, 0), drive: (stiffness: 5, damping: 0.1))");
    let scene = load_text("scene.ron", &driven, Path::new("."), &[]).unwrap_or_else(|e| panic!("{e:?}"));
    let all = format!("{:?}", scene.build(DeviceChoice::Cpu).err().expect("must be refused"));
    assert!(all.contains("drive"), "{all}");
    let clamped = text.replace("kind: Fixed", "kind: Rod(along: (1, 0, 0), bend: 1e9, twist: 1e9)");
    for text in [&text, &clamped] {
        let sim = ran(text, 400);
        let (m, g) = (sim.model.body_mass[0], 9.81);
        let turns = [m * g * (0.05 + 0.15) / 40.0, m * g * 0.05 / 40.0];
        let exact = [-0.05 * turns[0], -0.15 * turns[0] - 0.05 * turns[1]];
        let z = |k: usize| sim.state.body_q[k].p.z;
        for (k, exact) in exact.iter().enumerate() {
            assert!((z(k + 1) - z(0) - exact).abs() < 1e-2 * exact.abs(), "{} instead of {exact}", z(k + 1));
        }
    }
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

/// The warnings of a scene whose solver owns everything.
fn warned(text: &str) -> String {
    let scene = load_text("scene.ron", text, Path::new("."), &[]).unwrap_or_else(|e| panic!("{e:?}"));
    scene.explain().unwrap_or_else(|e| panic!("{e:?}")).warnings.join("\n")
}

fn told(text: &str, words: &[&str]) {
    let warnings = warned(text);
    words.iter().for_each(|w| assert!(warnings.contains(w), "`{w}` is not in: {warnings}"));
}

#[test]
fn bodies_inside_each_other_are_named_deepest_first() {
    let wall = |z: f64| {
        let more = format!(
            "static_shapes: [(name: \"floor\", geometry: Plane, position: (0, 0, {z})), \
             (name: \"wall\", geometry: Box(size: (1, 1, 1)), position: (0.54, 0, 1))]"
        );
        scene(&more, "")
    };
    told(
        &wall(0.9),
        &["2 pairs of shapes overlap", "deepest `box` and `floor` by 0.05 m, `box` and `wall` by 0.01 m"],
    );
    let apart = wall(0.8).replace("0.54", "0.55");
    assert!(!warned(&apart).contains("overlap"), "what touches does not overlap: {}", warned(&apart));
    let unmet = wall(0.9).replace("size: (0.1, 0.2, 0.3))", "size: (0.1, 0.2, 0.3)), meets_shapes: false");
    assert!(!warned(&unmet).contains("overlap"), "{}", warned(&unmet));
}

#[test]
fn an_overlap_is_moved_apart_at_the_speed_that_is_set_and_nothing_is_ejected() {
    let text = |speed: f64| {
        let wall = "static_shapes: [(geometry: Box(size: (1, 1, 1)), position: (0.52, 0, 1))]";
        scene(wall, &format!(", depenetration_speed: {speed}"))
    };
    let after = |speed: f64, steps| {
        let sim = ran(&text(speed), steps);
        (sim.state.body_q[1].p.x, sim.state.body_qd[1].lin.norm())
    };
    // 30 mm deep at 0.1 m/s: 10 mm in 0.1 s
    let (x, _) = after(0.1, 10);
    assert!((x + 0.01).abs() < 0.002, "{x}");
    let (x, speed) = after(0.1, 100);
    assert!((x + 0.03).abs() < 1e-4 && speed < 1e-6, "{x} {speed}");
}

#[test]
fn what_is_wrong_with_joints_and_hulls_is_told_by_name() {
    let loops = scene(
        "joints: [(name: \"hinge\", child: \"box\", kind: Revolute(axis: (1, 0, 0))), \
         (name: \"twin\", child: \"box\", kind: Revolute(axis: (1, 0, 0)), position: (1, 0, 1))]",
        "",
    );
    told(&loops, &["joint \"twin\"", "joint \"hinge\"", "5 of 6 directions more than once", "D6"]);
    let far = scene("joints: [(name: \"tie\", child: \"box\", kind: Distance(max: 0.4))]", "");
    told(&far, &["joint \"tie\"", "its distance is 1.000000 at the start", "0 to 0.4"]);
    let out = scene(
        "joints: [(name: \"slide\", child: \"box\", kind: Prismatic(start: 2, limits: (lower: 0, upper: 1)))]",
        "",
    );
    told(&out, &["joint \"slide\"", "its coordinate is 2", "0 to 1"]);
    let dart = scene(
        "static_shapes: [(name: \"dart\", position: (9, 0, 0), geometry: Hull(Triangles(vertices: [(0, 0, 0), \
         (2, 0, 0), (0.5, 0.5, 0), (0, 2, 0), (0.5, 0.5, 1)], triangles: [(0, 2, 1), (0, 3, 2), (0, 1, 4), \
         (1, 2, 4), (2, 3, 4), (3, 0, 4)])))]",
        "",
    );
    told(&dart, &["shape \"dart\"", "not convex", "several hulls"]);
}

#[test]
fn an_open_mesh_has_no_mass_and_is_refused_with_the_remedy() {
    let text = scene("static_shapes: []", "")
        .replace("Box(size: (0.1, 0.2, 0.3))", "Mesh(Grid(cells: (2, 2), size: (1, 1)))");
    let scene = load_text("scene.ron", &text, Path::new("."), &[]).unwrap();
    let error = format!("{:?}", scene.build_model().map(|_| ()).unwrap_err());
    for words in ["not a closed", "no neighbor", "density"] {
        assert!(error.contains(words), "`{words}` is not in: {error}");
    }
}

/// (of the solver, of the scene) for each of the six settings, and what comes out.
#[test]
fn a_solver_goes_before_the_scene_and_the_scene_before_the_default() {
    let config = |solver: &str, of_scene: &str| {
        let text = scene("joints: []", solver).replace("solvers:", &format!("vbd: ({of_scene}), solvers:"));
        let scene = load_text("scene.ron", &text, Path::new("."), &[]).unwrap_or_else(|e| panic!("{e:?}"));
        scene.vbd_config("all").unwrap()
    };
    let default = coact_vbd::VbdConfig::default();
    assert_eq!(config("", ""), default);

    let ten = [("", "iterations: -1"), (", iterations: -1", ""), (", iterations: -1", "iterations: 7")];
    ten.iter().for_each(|(v, s)| assert_eq!(config(v, s).iterations, default.iterations, "{v} {s}"));
    assert_eq!(config("", "iterations: 7").iterations, 7);
    assert_eq!(config(", iterations: 3", "iterations: 7").iterations, 3);

    assert!(!config("", "contact_history: false").body_contact_history);
    assert!(config(", contact_history: true", "contact_history: false").body_contact_history);

    let stiff = "joint_stiffness: (linear: 1e5, angular: 2e5), joint_damping: (linear: 3, angular: 4)";
    let numbers = |c: coact_vbd::VbdConfig| {
        [c.joint_linear_ke, c.joint_angular_ke, c.joint_linear_kd, c.joint_angular_kd]
    };
    assert_eq!(numbers(config("", stiff)), [1e5, 2e5, 3.0, 4.0]);
    let own = ", joint_stiffness: (linear: inf), joint_damping: (angular: 0)";
    assert_eq!(numbers(config(own, stiff)), [f64::INFINITY, 2e5, 3.0, 0.0]);
}

#[test]
fn settings_of_the_scene_out_of_range_are_refused_where_they_stand() {
    for (typed, words) in [
        ("iterations: 0", ["`vbd.iterations` is 0", "or -1 for the default"]),
        ("iterations: -2", ["`vbd.iterations` is -2", "or -1 for the default"]),
        ("joint_stiffness: (linear: -1)", ["`vbd.joint_stiffness.linear` is -1", "above 0"]),
        ("joint_stiffness: (angular: 0)", ["`vbd.joint_stiffness.angular` is 0", "above 0"]),
        ("joint_stiffness: (linear: inf)", ["`vbd.joint_stiffness.linear` is inf", "leave it out"]),
        ("joint_stiffness: (angular: NaN)", ["`vbd.joint_stiffness.angular` is NaN", "finite"]),
        ("joint_damping: (linear: -1)", ["`vbd.joint_damping.linear` is -1", "above 0"]),
        ("joint_damping: (angular: inf)", ["`vbd.joint_damping.angular` is inf", "finite"]),
        ("contact_history: 1", ["contact_history", "expected"]),
    ] {
        let text = scene("joints: []", "").replace("solvers:", &format!("vbd: ({typed}), solvers:"));
        let error = format!("{:?}", load_text("scene.ron", &text, Path::new("."), &[]).unwrap_err());
        words.iter().for_each(|w| assert!(error.contains(w), "`{w}` is not in: {error}"));
    }
    // a history needs contacts that are known again: the solver without them overrides the scene
    let matched = |more: &str| {
        let settings = format!(", contact_matching: Disabled{more}");
        let text =
            scene("joints: []", &settings).replace("solvers:", "vbd: (contact_history: true), solvers:");
        let scene = load_text("scene.ron", &text, Path::new("."), &[]).unwrap_or_else(|e| panic!("{e:?}"));
        scene.build(DeviceChoice::Cpu).map(|_| ())
    };
    assert!(format!("{:?}", matched("").unwrap_err()).contains("contact_history"));
    matched(", contact_history: false").unwrap();
}

/// A solver that moves bodies by their poses keeps no coordinates; a run writes them all the same.
#[test]
fn coordinates_of_joints_follow_the_bodies_over_whole_turns() {
    let text = scene(
        "joints: [(name: \"hinge\", child: \"box\", kind: Revolute(axis: (1, 0, 0), \
         drive: (velocity: Constant(20), damping: 50)))]",
        "",
    );
    let scene = load_text("scene.ron", &text, Path::new("."), &[]).unwrap_or_else(|e| panic!("{e:?}"));
    let mut sim = scene.build(DeviceChoice::Cpu).unwrap_or_else(|e| panic!("{e:?}"));
    let mut report = StepReport::default();
    for _ in 0..100 {
        sim.step(&mut report).unwrap();
        sim.store(StateFields::JOINT_Q | StateFields::JOINT_QD);
    }
    let (q, qd) = (sim.state.joint_q[0], sim.state.joint_qd[0]);
    assert!((q - 20.0).abs() < 0.5 && (qd - 20.0).abs() < 0.5, "{q} rad, {qd} rad/s");
}

#[test]
fn drives_without_effect_are_told_by_name() {
    let hinge = |drive: &str| {
        scene(
            &format!(
                "joints: [(name: \"hinge\", child: \"box\", kind: Revolute(axis: (1, 0, 0), drive: ({drive})))]"
            ),
            "",
        )
    };
    let idle = "position: Constant(0.5)";
    told(&hinge(idle), &["joint `hinge`: its drive has a `position` and no `stiffness`"]);
    told(&hinge(&format!("{idle}, damping: 2")), &["no `stiffness`"]);
    told(
        &hinge("velocity: Constant(1), stiffness: 5"),
        &["joint `hinge`: its drive has a `velocity` and no"],
    );
    let six = "joints: [(name: \"six\", child: \"box\", kind: D6(angular: [(axis: (1, 0, 0)), \
               (axis: (0, 1, 0), drive: (velocity: Constant(1)))]))]";
    told(&scene(six, ""), &["joint `six`: its drive 1 has a `velocity`"]);
    for works in [
        "position: Constant(0.5), stiffness: 3",
        "velocity: Constant(1), damping: 2",
        "position: Ramp(to: 1, duration: 1), damping: 2",
        "damping: 2",
    ] {
        assert!(!warned(&hinge(works)).contains("its drive"), "{works}: {}", warned(&hinge(works)));
    }
}

#[test]
fn load_cells_are_found_by_name_and_a_name_that_nothing_has_is_refused() {
    let text = |loads: &str| {
        let more = format!(
            "joints: [(name: \"weld\", child: \"box\", kind: Fixed)], output: (loads: ({loads})), \
             static_shapes: [(geometry: Plane), (name: \"wall\", geometry: Plane)]"
        );
        scene(&more, "")
    };
    let measured = |loads: &str| load_text("scene.ron", &text(loads), Path::new("."), &[]).unwrap().measured;
    let all = measured("joints: [\"*\"], contacts: [\"*\"]");
    assert_eq!((all.joints, all.shapes), (vec![0], vec![0, 1, 2, 3]));
    assert_eq!(measured("contacts: [\"box\", \"plane\"]").shapes, [1, 2]);
    assert_eq!(measured("contacts: [\"wa*\"]").shapes, [3]);
    for (loads, words) in [
        ("joints: [\"wled\"]", ["`wled` matches none of the joints", "did you mean `weld`?"]),
        (
            "contacts: [\"box\", \"wal\"]",
            ["`wal` matches none of the bodies, shapes", "did you mean `wall`?"],
        ),
    ] {
        let said = format!("{:?}", load_text("scene.ron", &text(loads), Path::new("."), &[]).unwrap_err());
        words.iter().for_each(|w| assert!(said.contains(w), "`{w}` is not in: {said}"));
    }
}

#[test]
fn load_cells_of_an_articulated_solver_are_told_to_be_in_vain() {
    let text = scene(
        "joints: [(name: \"weld\", child: \"box\", kind: Fixed)], output: (loads: (joints: [\"*\"]))",
        "",
    )
    .replace("Vbd(", "Articulated(");
    told(&text, &["solver `all`: an Articulated solver reports no loads"]);
    assert!(!warned(&text.replace("joints: [\"*\"]", "")).contains("reports no loads"));
}
