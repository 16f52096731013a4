//! Each bad input gives one error with file, line, column, what is wrong and what to write.

use std::path::Path;

use coact_compute::DeviceChoice;
use coact_scene::{Fault, SceneError, load_text};

/// A sound scene; the tests break it in one place each.
const GOOD: &str = r#"(
    cloths: [(
        name: "sheet",
        mesh: Grid(cells: (4, 4), size: (1, 1)),
        position: (0, 0, 1),
        pins: [Corners],
    )],
    materials: [(name: "wood", stiffness: 1e4)],
    bodies: [
        (name: "box", position: (0, 0, 1.3), shapes: [(geometry: Box(size: (0.2, 0.2, 0.2)))], mass: 1),
        (name: "ball", position: (2, 0, 1.3), shapes: [(geometry: Sphere(radius: 0.1), material: "wood")]),
    ],
    solvers: [
        Articulated(name: "rigid", owns: ["box", "ball"]),
        Vbd(name: "soft", owns: ["sheet"], iterations: 10),
    ],
    coupling: Proxy(interfaces: [(source: "rigid", destination: "soft", bodies: ["b*"])]),
    run: (dt: 0.004, duration: 1),
    expect: [Finite, BodyHeight(body: "box", min: 0)],
)
"#;

/// Loads and builds.
fn attempt(text: &str) -> Result<(), SceneError> {
    load_text("scene.ron", text, Path::new("."), &[])?.build(DeviceChoice::Cpu).map(|_| ())
}

/// The error of the good scene with one edit, checked to stand where `at` stands.
fn refusal(from: &str, to: &str, at: &str) -> SceneError {
    assert!(GOOD.contains(from), "{from}");
    let text = GOOD.replacen(from, to, 1);
    let error = attempt(&text).expect_err(to);
    let place = error.at().unwrap_or_else(|| panic!("{error:?} has no place"));
    let line = text.lines().nth(place.line() - 1).unwrap_or("");
    let column = line.char_indices().nth(place.column() - 1).map_or(line.len(), |(i, _)| i);
    assert!(line[column..].starts_with(at), "{error:?} is not at `{at}`");
    assert!(error.remedy().is_some_and(|r| !r.is_empty()), "{error:?} has no remedy");
    error
}

/// The message and the remedy hold the words.
fn says(error: &SceneError, words: &[&str]) {
    let text = format!("{error:?}");
    words.iter().for_each(|w| assert!(text.contains(w), "`{w}` is not in: {text}"));
}

#[test]
fn the_scene_itself_is_sound() {
    attempt(GOOD).unwrap_or_else(|e| panic!("{e:?}"));
}

#[test]
fn an_unknown_field_gets_the_nearest_one() {
    let e = refusal("position: (0, 0, 1),", "positon: (0, 0, 1),", "positon");
    assert_eq!(e.fault(), Fault::UnknownField);
    says(&e, &["scene.ron:5:9", "unknown field `positon` in `Cloth`", "did you mean `position`?"]);
}

#[test]
fn an_unknown_choice_gets_the_nearest_one() {
    let e = refusal("Sphere(radius", "Spere(radius", "Spere");
    says(&e, &["unknown choice `Spere`", "did you mean `Sphere`?"]);
}

/// Edits of the good scene, where the fault is shown, and words of the message or remedy.
const SLIPS: [(&str, &str, &str, &str); 45] = [
    ("dt: 0.004", "dt: 1e-12", "1e-12", "`run.dt` is 1e-12"),
    ("dt: 0.004", "rate: 1e-320", "1e-320", "steps per second"),
    ("duration: 1", "duration: 1e9", "1e9", "2.5e11 steps of 0.004 s"),
    ("duration: 1", "steps: 2000000000", "2000000000", "from 1 to 1000000000"),
    ("duration: 1", "steps: 3.5", "3.5", "expected a whole number at `run.steps`, found 3.5"),
    ("iterations: 10", "iterations: 4294967295", "4294967295", "from 1 to 100000"),
    ("iterations: 10", "substeps: 4294967295", "4294967295", "from 1 to 10000"),
    ("interfaces: [(", "iterations: 4294967295, interfaces: [(", "4294967295", "from 1 to 10000"),
    ("mass: 1", "mass: 1e30", "1e30", "up to 1e15"),
    ("mass: 1", "mass: 1e-300", "1e-300", "above 1e-18 [kg]"),
    ("radius: 0.1", "radius: -1", "-1", "`bodies.ball.shapes.0.geometry.radius` is -1"),
    (
        "mass: 1",
        "repeat: (count: (4000000000, 4000000000, 4000000000), spacing: (1, 1, 1))",
        "(4000000000",
        "100000 copies",
    ),
    ("cells: (4, 4)", "cells: (4096, 4096)", "(4096", "4000000 cells"),
    (
        "cells: (4, 4)",
        "cells: (4, 4, 4)",
        "(4, 4, 4)",
        "expected 2 values at `cloths.sheet.mesh.cells`, found 3",
    ),
    (
        "position: (0, 0, 1),",
        "position: (0, 1),",
        "(0, 1)",
        "expected 3 values at `cloths.sheet.position`, found 2",
    ),
    ("[Corners]", "[Vertices([])]", "Vertices", "its list is empty"),
    ("[Corners]", "[Nearest([])]", "Nearest", "its list is empty"),
    ("[Corners]", "[Corners(3)]", "Corners", "`Corners` takes no fields"),
    ("name: \"ball\"", "name: \"ba\\nll\"", "\"ba", "line breaks"),
    ("Vbd(name", "Vdb(name", "Vdb", "did you mean `Vbd`?"),
    (
        "interfaces: [(source: \"rigid\", destination: \"soft\", bodies: [\"b*\"])]",
        "interfaces: []",
        "[]",
        "Uncoupled",
    ),
    ("owns: [\"box\", \"ball\"]", "microstep_angle: 0, owns: [\"*\"]", "0", "from 0.001 to 1"),
    ("run:", "output: (pictures: [(time: -1)]), run:", "-1", "0 or a number above 0 [s]"),
    (
        "run:",
        "output: (pictures: [(camera: LookAt(eye: (1, 1, 1), target: (1, 1, 1)))]), run:",
        "(1, 1, 1)",
        "where the eye is",
    ),
    (
        "run:",
        "output: (pictures: [(camera: LookAt(eye: (1, 1, 1), target: (1, 1, 5)))]), run:",
        "LookAt",
        "line of sight",
    ),
    ("pins: [Corners]", "rotation: Radians(axis: (0, 1e-300, 0), angle: 1)", "(0, 1e-300, 0)", "not zero"),
    ("iterations: 10", "iterations: 0", "0", "`solvers.soft.iterations` is 0"),
    ("iterations: 10", "iterations: -2", "-2", "or -1 for the default"),
    ("iterations: 10", "joint_stiffness: (linear: -1)", "-1", "above 0 [N/m]"),
    ("iterations: 10", "joint_stiffness: (angular: 0)", "0", "above 0 [N·m/rad]"),
    ("iterations: 10", "joint_stiffness: (linear: NaN)", "NaN", "finite"),
    ("iterations: 10", "joint_damping: (angular: -2)", "-2", "or a number above 0 [N·m·s/rad]"),
    ("iterations: 10", "joint_damping: (linear: inf)", "inf", "finite"),
    ("iterations: 10", "depenetration_speed: 0", "0", "above 0 [m/s]"),
    ("iterations: 10", "depenetration_speed: inf", "inf", "finite"),
    ("iterations: 10", "restitution_threshold: -1", "-1", "or a number above 0 [m/s]"),
    ("iterations: 10", "contact_matching_distance: 0", "0", "above 0 [m]"),
    (
        "iterations: 10",
        "contact_matching: Disabled",
        "\"soft\"",
        "write Latest or Sticky for contact_matching, or false",
    ),
    (
        "iterations: 10",
        "contact_matching: Disabled, contact_history: false, detection: (rigid: Iterations(3))",
        "Iterations",
        "or PreInit",
    ),
    (
        "run:",
        "joints: [(name: \"j\", child: \"ball\", kind: D6(linear: [(axis: (1, 0, 0)), (axis: (2, 0, 0))]))], run:",
        "[(axis",
        "short of directions",
    ),
    (
        "run:",
        "joints: [(name: \"j\", child: \"ball\", kind: D6(angular: [(limits: (lower: 1, upper: 0))]))], run:",
        "(lower",
        "lower end first",
    ),
    (
        "run:",
        "joints: [(name: \"j\", child: \"ball\", kind: Distance(min: 2, max: 1))], run:",
        "1",
        "at least `min`",
    ),
    (
        "run:",
        "static_shapes: [(geometry: Heights(spacing: (1, 1), rows: [[0, 0]]))], run:",
        "[[0, 0]]",
        "two rows",
    ),
    (
        "run:",
        "static_shapes: [(geometry: Heights(spacing: (1, 1), rows: [[0, 0], [0]]))], run:",
        "[0]",
        "as many heights",
    ),
    (
        "run:",
        "static_shapes: [(geometry: Heights(spacing: (1, 0), rows: [[0, 0], [0, 0]]))], run:",
        "(1, 0)",
        "above 0 [m]",
    ),
];

#[test]
fn slips_are_told_with_their_remedy() {
    for (from, to, at, words) in SLIPS {
        says(&refusal(from, to, at), &[words]);
    }
}

#[test]
fn what_is_no_scene_at_all_says_so() {
    let told = |text: &str| attempt(text).expect_err(text);
    for text in ["", "  \n", "// hello", "/* hello */\n"] {
        says(&told(text), &["the scene is empty", "the smallest scene is"]);
    }
    says(&told("(solvers: [Vbd(name: \"a\")])"), &["nothing that moves", "cloths"]);
    says(&told(&GOOD.replacen("\"sheet\",", "\"sheet,", 1)), &["the text that begins on line 3"]);
    assert!(told(&"(".repeat(100_000)).at().is_some(), "deep nesting is an error, not a crash");
}

#[test]
fn a_mark_of_the_encoding_is_no_part_of_the_scene() {
    attempt(&format!("\u{feff}{GOOD}")).unwrap_or_else(|e| panic!("{e:?}"));
    attempt(&GOOD.replace('\n', "\r\n")).unwrap_or_else(|e| panic!("{e:?}"));
}

#[test]
fn what_solvers_refuse_is_told_in_the_words_of_a_scene() {
    let hanging = "joints: [(name: \"a\", kind: Fixed, child: \"ball\"), \
                   (name: \"b\", kind: Fixed, parent: \"box\", child: \"ball\")], run:";
    let e = refusal("run:", hanging, "(name: \"b\"");
    says(&e, &["body `ball` already hangs on joint `a`", "`enabled: false`"]);
    let e = refusal("mass: 1)", "mass: 1, kinematic: true)", "(name: \"ball\"");
    says(&e, &["cannot meet", "`meets_shapes: false`"]);
    let turned = "source: \"soft\", destination: \"rigid\", particles: [\"sheet\"]";
    let e = refusal("source: \"rigid\", destination: \"soft\", bodies: [\"b*\"]", turned, "\"rigid\"");
    says(&e, &["`rigid` cannot take particles of 'soft' as proxies", "swap `source` and `destination`"]);
    assert!(!format!("{e:?}").contains("begin_proxies"), "{e:?}");
}

#[test]
fn an_override_is_one_value() {
    for text in ["run.dt=(", "run.dt=0.004), gravity: (0,0,0)", "run.dt=0.004 //", "run.dt=0.1, rate: 2"] {
        let e = load_text("scene.ron", GOOD, Path::new("."), &[text.to_owned()]).expect_err(text);
        says(&e, &["--set:1:8", "is not one value", "(0, 0, 1)"]);
    }
    let e = load_text("scene.ron", GOOD, Path::new("."), &["gravity.2=-3".to_owned()]).unwrap_err();
    says(&e, &["leaves `gravity` out", "--set gravity=(0,0,-1)"]);
}

#[test]
fn many_copies_are_named_in_good_time() {
    let text = GOOD.replacen("mass: 1", "repeat: (count: (100, 100, 1), spacing: (1, 1, 1))", 1);
    let text =
        text.replacen("[\"box\", \"ball\"]", "[\"b*\"]", 1).replacen("body: \"box\"", "body: \"box_*\"", 1);
    let start = std::time::Instant::now();
    let scene = load_text("scene.ron", &text, Path::new("."), &[]).unwrap_or_else(|e| panic!("{e:?}"));
    assert_eq!(scene.build_model().unwrap().0.body_count(), 10_001);
    // A name per pair of names would take minutes.
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn a_missing_field_is_named_with_its_struct() {
    let e = refusal("        name: \"sheet\",\n", "", "(");
    assert_eq!(e.fault(), Fault::MissingField);
    says(&e, &["missing field `name` in `Cloth`", "write `name: …`"]);
}

#[test]
fn a_wrong_type_says_what_belongs_there() {
    let e = refusal("stiffness: 1e4", "stiffness: \"hard\"", "\"hard\"");
    assert_eq!(e.fault(), Fault::WrongType);
    says(&e, &["expected a number", "materials.wood.stiffness"]);
}

#[test]
fn an_open_bracket_is_looked_for() {
    let text = GOOD.replace("pins: [Corners],\n    )],", "pins: [Corners],\n    ],");
    let e = attempt(&text).unwrap_err();
    assert_eq!(e.fault(), Fault::Syntax);
    says(&e, &["the `(` of line 2 seems not to be closed"]);
}

#[test]
fn numbers_out_of_range_are_refused_at_their_place() {
    says(
        &refusal("stiffness: 1e4", "stiffness: -5", "-5"),
        &["`materials.wood.stiffness` is -5", "above 0 [N/m]"],
    );
    says(&refusal("dt: 0.004", "dt: 0", "0"), &["`run.dt` is 0", "above 0 [s]"]);
    says(&refusal("mass: 1)", "mass: 0)", "0"), &["`bodies.box.mass` is 0"]);
    says(&refusal("duration: 1", "steps: 0", "0"), &["`run.steps` is 0", "whole number from 1"]);
    says(&refusal("iterations: 10", "iterations: 0", "0"), &["iterations` is 0"]);
    says(&refusal("dt: 0.004", "dt: NaN", "NaN"), &["`run.dt` is NaN", "finite"]);
    says(&refusal("dt: 0.004", "dt: 1e999", "1e999"), &["`run.dt` is 1e999"]);
    says(&refusal("dt: 0.004", "dt: 0.004, rate: 100", "100"), &["`run.rate` and `run.dt`", "keep one"]);
    says(&refusal("size: (1, 1)", "size: (1, 0)", "(1, 0)"), &["size` is 0"]);
}

#[test]
fn two_things_of_one_name_are_refused() {
    let e = refusal("name: \"ball\"", "name: \"box\"", "\"box\"");
    assert_eq!(e.fault(), Fault::Duplicate);
    says(&e, &["two bodies are named `box`", "scene.ron:10"]);
    says(&refusal("name: \"ball\"", "name: \"sheet\"", "\"sheet\""), &["named `sheet`"]);
}

#[test]
fn ownership_is_one_to_one() {
    let e = refusal("owns: [\"sheet\"]", "owns: [\"sheet\", \"ball\"]", "\"ball\"");
    assert_eq!(e.fault(), Fault::Ownership);
    says(&e, &["`ball` is owned by `rigid` and by `soft`", "let one solver own it"]);
    let e = refusal("owns: [\"box\", \"ball\"]", "owns: [\"box\"]", "\"ball\"");
    says(&e, &["no solver owns `ball`", "add \"ball\" to `owns`"]);
    let e = refusal("owns: [\"box\", \"ball\"]", "owns: [\"bix\", \"ball\"]", "\"bix\"");
    says(&e, &["`bix` matches none", "did you mean `box`?"]);
    let e = refusal("owns: [\"box\", \"ball\"]", "owns: [\"*\"]", "\"*\"");
    says(&e, &["`sheet` is made of particles"]);
}

#[test]
fn a_proxy_hands_over_what_its_source_owns() {
    let e = refusal("bodies: [\"b*\"]", "particles: [\"sheet\"]", "\"sheet\"");
    assert_eq!(e.fault(), Fault::Ownership);
    says(&e, &["the source `rigid` does not own `sheet`: `soft` does", "write `source: \"soft\"`"]);
    let e = refusal("source: \"rigid\"", "source: \"rigit\"", "\"rigit\"");
    says(&e, &["no solver is named `rigit`", "did you mean `rigid`?"]);
    let e = refusal(", bodies: [\"b*\"]", "", "(source");
    says(&e, &["lists nothing that meets"]);
}

#[test]
fn a_coupling_that_a_solver_cannot_serve_is_refused_with_the_hook() {
    let e = refusal(
        "source: \"rigid\", destination: \"soft\", bodies: [\"b*\"]",
        "source: \"soft\", destination: \"rigid\", particles: [\"sheet\"]",
        "\"rigid\"",
    );
    says(&e, &["cannot take particles of 'soft' as proxies", "`particle_proxy`", "swap `source` and"]);
    let e = refusal(
        "bodies: [\"b*\"])]",
        "bodies: [\"b*\"], mode: Staggered)], convergence: (distance: 1e-6, force_change: 1e-3)",
        "(source: \"rigid\"",
    );
    says(&e, &["a staggered proxy never meets its source", "fixed count"]);
    assert_eq!(e.fault(), Fault::Build);
}

#[test]
fn names_in_expectations_and_joints_must_exist() {
    let e = refusal("body: \"box\", min", "body: \"bok\", min", "\"bok\"");
    says(&e, &["`bok` matches none of the bodies", "did you mean `box`?"]);
    let joint = "joints: [(name: \"j\", kind: Ball, child: \"bal\")],\n    run:";
    says(&refusal("run:", joint, "\"bal\""), &["no body is named `bal`", "did you mean `ball`?"]);
    let e = refusal("material: \"wood\"", "material: \"wod\"", "\"wod\"");
    says(&e, &["no material is named `wod`", "did you mean `wood`?"]);
}

#[test]
fn a_joint_that_a_solver_cannot_move_is_refused_at_the_joint() {
    let joint = "joints: [(name: \"tie\", kind: Distance(max: 1), child: \"ball\")],\n    run:";
    let e = refusal("run:", joint, "(name: \"tie\"");
    says(&e, &["joint \"tie\"", "distance joint", "build it from fixed"]);
}

#[test]
fn mesh_faults_name_the_file_the_element_and_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";
    let cases = [
        ("quad.obj", format!("{square}f 1 2 3 4\n"), "line 5: face 1 has 4 vertices", "triangulate"),
        ("double.obj", format!("{square}v 0 0 0\nf 1 2 3\nf 5 3 4\n"), "vertices 0 and 4", "merge"),
        ("flat.obj", format!("{square}v 2 0 0\nf 1 2 5\nf 1 3 4\n"), "triangle 0", "no area"),
        ("range.obj", format!("{square}f 1 2 9\n"), "line 5: face 1 names vertex `9`", "1 to 4"),
        ("old.msh", "$MeshFormat\n2.2 0 8\n".to_owned(), "gmsh format 2.2", "-format msh41"),
    ];
    for (name, content, message, remedy) in cases {
        std::fs::write(folder.path().join(name), content).unwrap();
        let text = GOOD.replace("Grid(cells: (4, 4), size: (1, 1))", &format!("File(path: \"{name}\")"));
        let e = load_text("scene.ron", &text, folder.path(), &[]).unwrap_err();
        assert_eq!(e.fault(), Fault::Mesh);
        says(&e, &["scene.ron:4:26", name, message, remedy]);
    }
    let text = GOOD.replace("Grid(cells: (4, 4), size: (1, 1))", "File(path: \"quat.obj\")");
    let e = load_text("scene.ron", &text, folder.path(), &[]).unwrap_err();
    says(&e, &["quat.obj: there is no such file", "did you mean `quad.obj`"]);
}

#[test]
fn a_missing_scene_gets_the_nearest_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/coupling/boxes_on_clot.ron");
    let e = coact_scene::load(&root, &[]).unwrap_err();
    assert_eq!(e.fault(), Fault::Read);
    says(&e, &["there is no file", "boxes_on_cloth.ron"]);
}

#[test]
fn an_error_draws_file_line_label_and_help() {
    let e = refusal("position: (0, 0, 1),", "positon: (0, 0, 1),", "positon");
    let mut drawn = String::new();
    let theme = miette::GraphicalTheme::unicode_nocolor();
    miette::GraphicalReportHandler::new_themed(theme).render_report(&mut drawn, &e).unwrap();
    for word in ["scene.ron:5:9", "positon: (0, 0, 1)", "no such field", "did you mean `position`?"] {
        assert!(drawn.contains(word), "`{word}` is not in:\n{drawn}");
    }
}

/// Slips of the pen everywhere: each character left out, or the text cut there, is read
/// or refused with a place, and never panics.
#[test]
fn any_slip_is_read_or_refused_with_a_place() {
    for (i, c) in GOOD.char_indices() {
        let without = format!("{}{}", &GOOD[..i], &GOOD[i + c.len_utf8()..]);
        for text in [without.as_str(), &GOOD[..i]] {
            if let Err(e) = load_text("scene.ron", text, Path::new("."), &[]) {
                assert!(e.at().is_some() && e.remedy().is_some(), "{e:?}");
            }
        }
    }
}
