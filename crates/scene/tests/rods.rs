//! Rods in scenes: what a few lines make, who owns them, and what is refused with place and remedy.

use std::path::Path;

use coact_compute::DeviceChoice;
use coact_model::{BodyId, ShapeFlags};
use coact_scene::{Fault, Scene, SceneError, load_text};

const GOOD: &str = r#"(
    rods: [
        (name: "trunk", line: Straight(to: (1, 0, 0), segments: 8), section: Circle(radius: 0.01), begin: Clamped),
        (
            name: "branch", line: Points(points: [(0.5, 0, 0), (0.5, 0.4, 0)], segment: 0.1),
            section: Circle(radius: 0.01), young: 1e8, damping_time: 0.1,
            begin: ClampedTo("trunk_5"), end: PinnedTo("plug"),
        ),
    ],
    bodies: [(name: "plug", position: (0.5, 0.4, 0),
        shapes: [(geometry: Sphere(radius: 0.05), meets_shapes: false)])],
    forces: [(of: "trunk_8", force: (0, 0, 1))],
    solvers: [Rod(name: "rods")],
    run: (dt: 0.01, duration: 0.1),
    output: (loads: (joints: ["branch_*", "trunk_joint_1"])),
    expect: [AtRest(of: "trunk", speed: 10), BodyHeight(body: "branch_2", max: 1)],
)
"#;

fn scene(text: &str) -> Result<Scene, SceneError> {
    load_text("scene.ron", text, Path::new("."), &[])
}

fn attempt(text: &str) -> Result<(), SceneError> {
    scene(text)?.build(DeviceChoice::Cpu).map(|_| ())
}

/// The error of the good scene with one edit, where `at` stands, with these words.
fn refuses(from: &str, to: &str, at: &str, words: &[&str]) -> SceneError {
    assert!(GOOD.contains(from), "{from}");
    let text = GOOD.replacen(from, to, 1);
    let error = attempt(&text).expect_err(to);
    let place = error.at().unwrap_or_else(|| panic!("{error:?} has no place"));
    let line = text.lines().nth(place.line() - 1).unwrap_or("");
    let column = line.char_indices().nth(place.column() - 1).map_or(line.len(), |(i, _)| i);
    assert!(line[column..].starts_with(at), "{error:?} is not at `{at}`");
    let told = format!("{error:?}");
    words.iter().for_each(|w| assert!(told.contains(w), "`{w}` is not in: {told}"));
    error
}

#[test]
fn a_rod_is_bodies_and_joints_with_names_that_count_from_one() {
    let s = scene(GOOD).unwrap_or_else(|e| panic!("{e:?}"));
    let (model, warnings) = s.build_model().unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    assert_eq!((model.body_count(), model.joint_count()), (1 + 8 + 4, 7 + 1 + 3 + 2));
    let body = |name: &str| model.names.find_body(name).unwrap_or_else(|| panic!("no {name}"));
    assert_eq!((body("plug"), body("trunk_1"), body("branch_4")), (BodyId(0), BodyId(1), BodyId(12)));
    for (j, place) in s.joints.iter().enumerate() {
        assert_eq!(model.names.joints[j], place.name);
        assert_eq!(model.joint_child[j].index(), place.child);
        assert_eq!(model.joint_parent[j].map(|b| b.index()), place.parent);
    }
    for (b, copy) in s.bodies.iter().enumerate() {
        assert_eq!(model.names.bodies[b], copy.name);
        assert!((model.body_q[b].p - copy.pose.p).norm() < 1e-15);
    }
    let named: Vec<&str> = s.measured.joints.iter().map(|&j| &*s.joints[j].name).collect();
    let branch = ["branch_joint_1", "branch_joint_2", "branch_joint_3", "branch_begin", "branch_end"];
    assert_eq!(named[0], "trunk_joint_1");
    assert_eq!(named[1..], branch);
}

#[test]
fn a_rod_moves_and_its_name_means_all_of_it() {
    let s = scene(GOOD).unwrap();
    assert_eq!((s.checks[0].bodies.len(), s.checks[1].bodies.len()), (8, 1));
    assert_eq!(s.driving.forces[0].bodies, [8]);
    let mut sim = s.build(DeviceChoice::Cpu).unwrap_or_else(|e| panic!("{e:?}"));
    sim.step(&mut coact_solver::StepReport::default()).unwrap();
    sim.store(coact_model::StateFields::all());
    assert!(sim.state.body_qd[8].lin.norm() > 1e-3 && sim.state.first_nonfinite().is_none());
}

/// Block descent owns rods by name as well. Of either solver they meet shapes, unless the scene says no.
#[test]
fn block_descent_owns_rods_too() {
    let text =
        GOOD.replace("Rod(name: \"rods\")", "Vbd(name: \"v\", owns: [\"trunk\", \"branch\", \"plug\"])");
    let s = scene(&text).unwrap_or_else(|e| panic!("{e:?}"));
    s.build(DeviceChoice::Cpu).unwrap_or_else(|e| panic!("{e:?}"));
    let flags = |text: &str| {
        let model = scene(text).unwrap().build_model().unwrap().0;
        model.shape_flags.last().unwrap().contains(ShapeFlags::COLLIDE_SHAPES)
    };
    let alone = "begin: ClampedTo(\"trunk_5\"), meets_shapes: false";
    for text in [&text, GOOD] {
        assert!(flags(text) && !flags(&text.replace("begin: ClampedTo(\"trunk_5\")", alone)));
    }
}

#[test]
fn contacts_of_a_rod_are_measured_by_its_name() {
    let text = GOOD.replace("Rod(name: \"rods\")", "Vbd(name: \"v\")");
    let s = scene(&text.replace("joints: [", "contacts: [\"trunk\", \"branch_2\"], joints: [")).unwrap();
    let model = s.build_model().unwrap().0;
    assert_eq!(model.shape_count(), s.shapes.len());
    for (k, place) in s.shapes.iter().enumerate() {
        assert_eq!(model.shape_body[k].map(|b| b.index()), place.body);
        assert_eq!(model.shape_geometry[k], place.geometry);
    }
    assert_eq!(s.measured.shapes, [1, 2, 3, 4, 5, 6, 7, 8, 10]);
}

#[test]
fn a_branch_that_names_a_rod_is_held_by_its_nearest_segment() {
    let s = scene(&GOOD.replace("\"trunk_5\"", "\"trunk\"")).unwrap();
    let begin = s.joints.iter().find(|j| j.name == "branch_begin").unwrap();
    assert!(["trunk_4", "trunk_5"].contains(&&*s.bodies[begin.parent.unwrap()].name));
}

#[test]
fn an_explanation_of_a_rod_has_length_mass_stiffness_and_frequency() {
    let text = scene(GOOD).unwrap().explain().unwrap().to_string();
    // π r² 1200; E π r⁴/4; 3.516/(2π) √(EI/(ρ A))
    for words in ["rod ", "0.37699", "8 segments, 1.0000 m", "EI 7.854e-2", "bends at 0.255 Hz", "4 segments"]
    {
        assert!(text.contains(words), "`{words}` is not in:\n{text}");
    }
    assert!(!text.contains("trunk_joint") && text.contains("Rod: plug, trunk, branch"), "{text}");
    let thin = GOOD.replacen("radius: 0.01), young", "radius: 0.005), young", 1);
    let text = scene(&thin).unwrap().explain().unwrap().to_string();
    assert!(
        text.contains("warning") && text.contains("radius 5.000e-3 m is joined to rod \"trunk\""),
        "{text}"
    );
    let thick = GOOD.replacen("radius: 0.01), begin", "radius: 10), begin", 1);
    let text = scene(&thick).unwrap().explain().unwrap().to_string();
    assert!(
        text.contains("make a bending stiffness EI of") && text.contains("lengths are in metres"),
        "{text}"
    );
}

/// Edits of the good scene, where the fault is shown, and words of the message or remedy.
const SLIPS: [(&str, &str, &str, &str); 24] = [
    (
        "section: Circle(radius: 0.01), begin",
        "section: Circle(radius: 0), begin",
        "0)",
        "`rods.trunk.section.radius` is 0",
    ),
    ("young: 1e8", "young: 0", "0", "`rods.branch.young` is 0"),
    ("young: 1e8", "yung: 1e8", "yung", "did you mean `young`?"),
    ("young: 1e8", "shear: Poisson(0.6)", "Poisson", "up to 0.5"),
    ("young: 1e8", "shear: Modulus(0)", "Modulus", "above 0 [Pa]"),
    ("young: 1e8", "density: -1", "-1", "above 0 [kg/m³]"),
    ("damping_time: 0.1", "damping_time: -1", "-1", "0 or a number above 0 [s]"),
    ("damping_time: 0.1", "taper: [1, 0]", "0]", "taper"),
    ("damping_time: 0.1", "first_axis: (0, 1, 0)", "(0, 1, 0)", "point it across the begin of the rod"),
    ("damping_time: 0.1", "material: \"rubber\"", "\"rubber\"", "no material is named `rubber`"),
    ("segments: 8", "segments: 0", "0", "from 1 to 1000000"),
    ("to: (1, 0, 0)", "to: (0, 0, 0)", "Straight", "its two points coincide"),
    ("Straight(to", "Strait(to", "Strait", "did you mean `Straight`?"),
    (
        "Points(points: [(0.5, 0, 0), (0.5, 0.4, 0)], segment: 0.1)",
        "Points(points: [(0, 0, 0), (1, 0, 0), (1, 0, 0)])",
        "Points",
        "its two points coincide",
    ),
    (
        "Points(points: [(0.5, 0, 0), (0.5, 0.4, 0)], segment: 0.1)",
        "Points(points: [(0, 0, 0), (1, 0, 0), (0.5, 0, 0)])",
        "Points",
        "folds back on itself",
    ),
    (
        "Points(points: [(0.5, 0, 0), (0.5, 0.4, 0)], segment: 0.1)",
        "Spline(points: [(0.5, 0, 0), (0.5, 0.4, 0)], segment: 0.9)",
        "Spline",
        "write shorter segments",
    ),
    (
        "Points(points: [(0.5, 0, 0), (0.5, 0.4, 0)], segment: 0.1)",
        "Ring(radius: 0.1, segments: 2)",
        "2",
        "from 3",
    ),
    (
        "Points(points: [(0.5, 0, 0), (0.5, 0.4, 0)], segment: 0.1)",
        "Ring(radius: 0.1)",
        "ClampedTo",
        "has no ends to hold",
    ),
    (
        "Points(points: [(0.5, 0, 0), (0.5, 0.4, 0)], segment: 0.1)",
        "File(path: \"none.obj\")",
        "\"none.obj\"",
        "no such file",
    ),
    ("\"trunk_5\"", "\"trunk_9\"", "ClampedTo", "did you mean `trunk_8`?"),
    ("\"trunk_5\"", "\"world\"", "ClampedTo", "write `Clamped` or `Pinned`"),
    ("begin: Clamped)", "begin: ClampedTo(\"branch_1\"))", "ClampedTo", "write rod `branch` before `trunk`"),
    ("begin: Clamped)", "begin: ClampedTo(\"trunk\"))", "ClampedTo", "is held by itself"),
    ("of: \"trunk\"", "of: \"trnk\"", "\"trnk\"", "did you mean `trunk`?"),
];

#[test]
fn slips_are_told_at_their_place_with_a_remedy() {
    for (from, to, at, words) in SLIPS {
        let e = refuses(from, to, at, &[words]);
        assert!(e.remedy().is_some_and(|r| !r.is_empty()), "{e:?} has no remedy");
    }
}

#[test]
fn names_are_shared_with_bodies_and_rods_need_an_owner() {
    let e = refuses(
        "name: \"branch\"",
        "name: \"plug\"",
        "\"plug\"",
        &["things (bodies and rods)", "rename one"],
    );
    assert_eq!(e.fault(), Fault::Duplicate);
    let owns = "Rod(name: \"rods\", owns: [\"plug\", \"trunk\"])";
    let e =
        refuses("Rod(name: \"rods\")", owns, "\"branch\"", &["no solver owns `branch`", "add \"branch\""]);
    assert_eq!(e.fault(), Fault::Ownership);
    let third =
        "bodies: [(name: \"trunk_3\", shapes: [(geometry: Sphere(radius: 0.1), meets_shapes: false)]), (";
    refuses("bodies: [(", third, "(name: \"trunk_3\"", &["two bodies are named \"trunk_3\"", "rename one"]);
}

#[test]
fn lines_are_read_from_files_and_closed_where_they_come_back() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("line.csv"), "x,y,z\n0,0,0\n1000,0,0\n1000,1000,0\n0,0,0\n").unwrap();
    std::fs::write(folder.path().join("line.obj"), "v 0 0 0\nv 2 0 0\nv 1 0 0\nl 1 3 2\n").unwrap();
    let with = |line: &str| {
        let rod = format!("(name: \"r\", line: {line}, section: Circle(radius: 0.01))");
        let text = format!("(rods: [{rod}], solvers: [Rod(name: \"s\")])");
        load_text("scene.ron", &text, folder.path(), &[]).unwrap_or_else(|e| panic!("{e:?}"))
    };
    let s = with("File(path: \"line.csv\", scale: 0.001, segment: 0.25)");
    assert_eq!((s.bodies.len(), s.joints.len(), s.rods[0].shape.closed), (14, 14, true));
    let s = with("File(path: \"line.obj\")");
    assert_eq!((s.bodies.len(), s.joints.len(), s.rods[0].shape.closed), (2, 1, false));
    let nearly = "Points(points: [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0.01, 0, 0)])";
    assert!(with(nearly).explain().unwrap().to_string().contains("write its first point again"));
}

/// What holds the shipped harness carries its weight once it is at rest.
#[test]
fn the_ends_of_a_harness_carry_its_weight() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/rods/harness.ron");
    let s = coact_scene::load(&path, &[]).unwrap_or_else(|e| panic!("{e:?}"));
    let held = ["trunk_begin", "trunk_end", "branch_end"].map(|n| s.joints.iter().position(|j| j.name == n));
    let mut sim = s.build(DeviceChoice::Cpu).unwrap_or_else(|e| panic!("{e:?}"));
    while !sim.finished() {
        sim.step(&mut coact_solver::StepReport::default()).unwrap();
    }
    let mut loads = coact_solver::Loads::default();
    sim.solver.append_loads(&mut loads);
    let of = |j: usize| loads.joints.iter().find(|l| l.joint.index() == j).expect("all are told").wrench.lin;
    let carried: coact_math::Vec3 = held.into_iter().map(|j| of(j.expect("it is there"))).sum();
    let weight = sim.model.body_mass.iter().sum::<f64>() * 9.81;
    assert!((carried - coact_math::Vec3::z() * weight).norm() < 1e-4 * weight, "{carried} for {weight}");
}
