//! The program as a user meets it: exit codes, texts, and what it leaves on disk.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// A spring of two particles that swings for a second, with checks that hold.
const SPRING: &str = r#"(
    description: "a swinging spring",
    particles: [(
        name: "pair",
        positions: [(0, 0, 1), (0, 0, 0.8)],
        springs: [(between: (0, 1), stiffness: 50)],
        pins: [Vertices([0])],
    )],
    solvers: [Vbd(name: "spring")],
    run: (rate: 100, duration: 1),
    output: (pictures: [(size: (64, 48))]),
    expect: [Finite, StayAbove(of: "pair", height: 0.3)],
)"#;

fn folder_with(text: &str) -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("scene.ron");
    fs::write(&file, text).unwrap();
    (dir, file)
}

fn command(dir: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_coact"));
    command.args(arguments).current_dir(dir).env_remove("RUST_LOG");
    command
}

fn coact(dir: &Path, arguments: &[&str]) -> Output {
    command(dir, arguments).output().unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn run_leaves_a_folder_and_ends_in_one_line() {
    let (dir, _) = folder_with(SPRING);
    for _ in 0..2 {
        let o = coact(dir.path(), &["run", "scene.ron"]);
        assert_eq!(code(&o), 0, "{}{}", out(&o), err(&o));
        let last = out(&o).lines().last().unwrap().to_owned();
        for part in ["100 steps", "x real time", "ms/step", "energy", "ok: 2 of 2 checks hold"] {
            assert!(last.contains(part), "`{part}` in `{last}`");
        }
    }
    let run = dir.path().join("out/scene");
    for file in
        ["run.json", "energy.csv", "iterations.csv", "convergence.csv", "trajectory.npz", "picture.png"]
    {
        assert!(run.join(file).is_file(), "{file}");
    }
    let record = fs::read_to_string(run.join("run.json")).unwrap();
    assert!(record.contains("\"outcome\": \"ran\"") && record.contains("\"rate\": 100"), "{record}");
}

#[test]
fn failed_check_exits_1_and_is_named() {
    let (dir, _) = folder_with(SPRING);
    let o =
        coact(dir.path(), &["run", "scene.ron", "--set", "expect=[StayAbove(of: \"pair\", height: 0.9)]"]);
    assert_eq!(code(&o), 1, "{}{}", out(&o), err(&o));
    assert!(out(&o).contains("fails: lowest point of `pair`"), "{}", out(&o));
    assert!(out(&o).lines().last().unwrap().contains("CHECK FAILED"));
}

#[test]
fn wrong_scene_exits_2_and_writes_nothing() {
    let (dir, _) = folder_with(&SPRING.replace("stiffness", "stifness"));
    let o = coact(dir.path(), &["run", "scene.ron"]);
    assert_eq!(code(&o), 2);
    assert!(err(&o).contains("stifness") && err(&o).contains("stiffness") && err(&o).contains("scene.ron:6"));
    assert!(!err(&o).contains('\u{1b}'), "no color codes in a pipe");
    assert!(!dir.path().join("out").exists());
    assert_eq!(code(&coact(dir.path(), &["check", "scene.ron"])), 2);
    assert_eq!(code(&coact(dir.path(), &["run", "nowhere.ron"])), 2);
    assert_eq!(code(&coact(dir.path(), &["rum", "scene.ron"])), 2);
}

#[test]
fn folder_of_somebody_else_is_refused() {
    let (dir, _) = folder_with(SPRING);
    fs::create_dir(dir.path().join("mine")).unwrap();
    fs::write(dir.path().join("mine/thesis.tex"), "").unwrap();
    let o = coact(dir.path(), &["run", "scene.ron", "--out", "mine"]);
    assert_eq!(code(&o), 2);
    assert!(err(&o).contains("run.json"), "{}", err(&o));
    assert_eq!(fs::read_dir(dir.path().join("mine")).unwrap().count(), 1);
}

#[test]
fn state_that_is_not_finite_stops_with_its_name_and_keeps_the_frames() {
    // Too fast for single precision: squares overflow.
    let (dir, _) = folder_with(
        "(soft_bodies: [(name: \"pair\", mesh: TetBox(cells: (1, 1, 1), size: (1e-6, 1e-6, 1e-6)),
            velocity: (1e15, 0, 0), damping: 1e15, pins: [Vertices([0])])],
          solvers: [Vbd(name: \"a\")], run: (dt: 10, steps: 50))",
    );
    let o = coact(dir.path(), &["run", "scene.ron"]);
    assert_eq!(code(&o), 1, "{}{}", out(&o), err(&o));
    let last = out(&o).lines().last().unwrap().to_owned();
    assert!(last.contains("NOT FINITE: particle") && last.contains("of \"pair\""), "{last}");
    assert!(last.contains("after step"), "{last}");
    assert!(dir.path().join("out/scene/trajectory.npz").is_file());
    assert_eq!(code(&coact(dir.path(), &["compare", "out/scene", "out/scene"])), 0);
}

#[test]
fn quiet_and_dry_runs_say_and_write_nothing() {
    let (dir, _) = folder_with(SPRING);
    // A GPU driver may write to standard error by itself: keep it out.
    let mut arguments = vec!["run", "scene.ron", "-q", "--no-output", "--device", "cpu"];
    arguments.extend(["--steps", "5", "--threads", "1"]);
    let o = coact(dir.path(), &arguments);
    assert_eq!((code(&o), out(&o), err(&o)), (0, String::new(), String::new()));
    assert!(!dir.path().join("out").exists());
}

#[test]
fn repeated_run_is_equal_and_a_changed_one_is_not() {
    let (dir, _) = folder_with(SPRING);
    let set = "particles.pair.springs.0.stiffness=51";
    for arguments in [&["--out", "a"][..], &["--out", "b", "--threads", "1"], &["--out", "c", "--set", set]] {
        let o = coact(dir.path(), &[&["run", "scene.ron"][..], arguments].concat());
        assert_eq!(code(&o), 0, "{}{}", out(&o), err(&o));
    }
    let same = coact(dir.path(), &["compare", "a", "b"]);
    assert_eq!(code(&same), 0, "{}", out(&same));
    let other = coact(dir.path(), &["compare", "a", "c"]);
    assert_eq!(code(&other), 1);
    assert!(out(&other).contains("first difference: step"), "{}", out(&other));
    assert!(out(&other).contains("of \"pair\""), "{}", out(&other));
    assert_eq!(code(&coact(dir.path(), &["compare", "a", "c", "--tolerance", "1"])), 0);
    assert_eq!(code(&coact(dir.path(), &["compare", "a", "nothing"])), 2);
}

#[test]
fn every_export_is_written() {
    let (dir, _) = folder_with(SPRING);
    assert_eq!(code(&coact(dir.path(), &["run", "scene.ron", "--out", "a"])), 0);
    for (format, file) in [("vtk", "run.pvd"), ("obj", "frame_00000.obj"), ("gltf", "run.glb")] {
        let o = coact(dir.path(), &["export", "a", "--format", format, "--out", format, "--every", "10"]);
        assert_eq!(code(&o), 0, "{}", err(&o));
        assert!(dir.path().join(format).join(file).is_file(), "{format}");
    }
    assert_eq!(code(&coact(dir.path(), &["export", "nothing", "--format", "vtk"])), 2);
}

#[test]
fn tables_name_a_lone_solver_and_print_short_numbers() {
    let (dir, _) = folder_with(SPRING);
    assert_eq!(code(&coact(dir.path(), &["run", "scene.ron", "--out", "a", "--device", "cpu"])), 0);
    let table = fs::read_to_string(dir.path().join("a/iterations.csv")).unwrap();
    let [heading, row]: [Vec<&str>; 2] = [0, 1].map(|i| table.lines().nth(i).unwrap().split(',').collect());
    assert_eq!((heading.len(), heading[28], row.len()), (29, "seconds", 29));
    assert_eq!(row[..4], ["1", "0.01", "spring", "1"]);
    assert!(row[28].parse::<f64>().unwrap() > 0.0, "seconds: {row:?}");
    let energy = fs::read_to_string(dir.path().join("a/energy.csv")).unwrap();
    assert!(!energy.contains("0.00000"), "{energy}");
    assert!(!dir.path().join("a/scalars.csv").exists());
}

#[test]
fn output_that_cannot_be_made_is_one_error_without_a_trace() {
    let (dir, _) = folder_with(SPRING);
    fs::write(dir.path().join("file"), "").unwrap();
    for (out, words) in [("file", "is a file"), ("file/deep", "cannot make the output folder file/deep")] {
        let o = coact(dir.path(), &["run", "scene.ron", "--device", "cpu", "--out", out]);
        assert_eq!(code(&o), 2);
        let text = err(&o).replace("\n  │ ", " ");
        assert!(text.contains(words) && text.contains("--out") && !text.contains(".part"), "{text}");
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
    assert_eq!(code(&coact(dir.path(), &["run", "scene.ron", "--threads", "65535"])), 2);
}

#[cfg(unix)]
#[test]
fn interrupted_run_leaves_a_readable_trajectory() {
    let (dir, _) = folder_with(SPRING);
    let arguments = ["run", "scene.ron", "--out", "a", "--set", "run.duration=1e6"];
    let mut child =
        command(dir.path(), &arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let column = dir.path().join("a/trajectory/time.npy");
    let begun = Instant::now();
    let waiting = |size: u64| size < 256 && begun.elapsed() < Duration::from_secs(30);
    while waiting(fs::metadata(&column).map_or(0, |m| m.len())) && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let o = child.wait_with_output().unwrap();
    assert_eq!(code(&o), 1, "{}", err(&o));
    assert!(out(&o).contains("INTERRUPTED"), "{}", out(&o));
    assert_eq!(code(&coact(dir.path(), &["compare", "a", "a"])), 0);
}

#[test]
fn info_and_validate_answer() {
    let dir = tempfile::tempdir().unwrap();
    let info = coact(dir.path(), &["info"]);
    assert_eq!(code(&info), 0);
    assert!(out(&info).contains("threads: ") && out(&info).contains("--device auto takes"));
    let one = coact(dir.path(), &["validate", "--only", "free-fall", "--json", "v.json"]);
    assert_eq!(code(&one), 0, "{}", out(&one));
    assert!(fs::read_to_string(dir.path().join("v.json")).unwrap().contains("\"measured\""));
    assert_eq!(code(&coact(dir.path(), &["validate", "--only", "no-such-case"])), 2);
}

/// A weight on a load cell, a box on a slope, and a cloth on a ball, by a lone solver.
const LOADS: &str = r#"(
    materials: [(name: "rough", friction: 0.6)],
    bodies: [
        (name: "weight", position: (0.3, 0, -0.5), mass: 2, shapes: [
            (geometry: Box(size: (0.1, 0.1, 0.1)), meets_shapes: false, meets_particles: false)]),
        (name: "crate", position: (-0.034202, 0, 2.093969), rotation: Degrees(axis: (0, 1, 0), angle: -20),
            mass: 3, shapes: [(geometry: Box(size: (0.4, 0.3, 0.2)), material: "rough", meets_particles: false)]),
    ],
    static_shapes: [
        (name: "slope", geometry: Plane, position: (0, 0, 2), rotation: Degrees(axis: (0, 1, 0), angle: -20),
            material: "rough", meets_particles: false),
        (name: "table", geometry: Plane, position: (0, 0, -3)),
    ],
    joints: [(name: "cell", child: "weight", position: (0, 0, 0), kind: Fixed)],
    cloths: [(name: "sheet", mesh: Grid(cells: (4, 4), size: (0.2, 0.2)), position: (0, 0, -2.995), density: 0.5)],
    solvers: [Vbd(name: "all")],
    run: (rate: 240, duration: 1),
    output: (frame_rate: 10, pictures: [], loads: (joints: ["*"], contacts: ["*"])),
)"#;

/// The last row of a table with this in its column.
fn last_row(path: &Path, column: &str, value: &str) -> std::collections::HashMap<String, String> {
    let text = fs::read_to_string(path).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().map(|l| l.split(',').collect()).collect();
    let at = rows[0].iter().position(|c| *c == column).unwrap();
    let row = rows.iter().rfind(|r| r[at] == value).unwrap_or_else(|| panic!("no `{value}` in {text}"));
    rows[0].iter().zip(row).map(|(name, x)| ((*name).to_owned(), (*x).to_owned())).collect()
}

#[test]
fn a_load_cell_is_read_from_the_run_folder() {
    let (dir, _) = folder_with(LOADS);
    let ran = |text: &str| {
        fs::write(dir.path().join("scene.ron"), text).unwrap();
        let o = coact(dir.path(), &["run", "scene.ron"]);
        assert_eq!(code(&o), 0, "{}{}", out(&o), err(&o));
        let folder = dir.path().join("out/scene");
        let number =
            |row: &std::collections::HashMap<String, String>, c: &str| row[c].parse::<f64>().unwrap();
        let near = |found: f64, exact: f64, part: f64| {
            assert!((found - exact).abs() < part * exact.abs().max(1.0), "{found} is not {exact}");
        };
        let cell = last_row(&folder.join("joints.csv"), "joint", "cell");
        near(number(&cell, "fz"), 19.62, 1e-5);
        near(number(&cell, "ty"), -0.3 * 19.62, 1e-5);
        near(number(&cell, "fx"), 0.0, 1e-5);
        assert!(number(&cell, "gap") < 1e-8 && number(&cell, "angle") < 1e-8, "{cell:?}");
        let slope = last_row(&folder.join("contacts.csv"), "second", "slope");
        assert_eq!(slope["first"], "crate");
        // the crate is first, and the slope gets what it presses with
        let (sin, cos) = 20_f64.to_radians().sin_cos();
        let size = |row: &std::collections::HashMap<String, String>, what: &str| {
            ["x", "y", "z"]
                .map(|k| number(row, &format!("{what}_{k}")))
                .iter()
                .map(|x| x * x)
                .sum::<f64>()
                .sqrt()
        };
        near(size(&slope, "normal"), 3.0 * 9.81 * cos, 1e-5);
        near(size(&slope, "friction"), 3.0 * 9.81 * sin, 1e-5);
        near(number(&slope, "normal_z") + number(&slope, "friction_z"), -3.0 * 9.81, 1e-5);
        let table = last_row(&folder.join("contacts.csv"), "second", "sheet");
        assert_eq!((&*table["first"], &*table["points"]), ("table", "25"));
        near(number(&table, "normal_z"), 0.04 * 0.5 * 9.81, 1e-3);
        let worst = last_row(&folder.join("iterations.csv"), "worst_joint", "0");
        assert!(number(&worst, "joint_gap") < 1e-8);
        let frames = fs::read_to_string(folder.join("joints.csv")).unwrap().lines().count();
        assert_eq!(frames, 1 + 10, "a row per frame but the first");
    };
    ran(LOADS);
    // the same through a coupler whose entries are Vbd solvers
    ran(&LOADS.replace(
        "[Vbd(name: \"all\")]",
        "[Vbd(name: \"rigid\", owns: [\"weight\", \"crate\"]), Vbd(name: \"soft\", owns: [\"sheet\"], substeps: 2)]",
    ));
}

#[test]
fn tables_of_loads_are_there_only_when_asked_for() {
    let (dir, _) = folder_with(LOADS);
    let run = |set: &str| {
        let o = coact(dir.path(), &["run", "scene.ron", "--steps", "5", "--set", set]);
        assert_eq!(code(&o), 0, "{}{}", out(&o), err(&o));
        ["joints.csv", "contacts.csv"].map(|f| dir.path().join("out/scene").join(f).is_file())
    };
    assert_eq!(run("output.frame_rate=10"), [true, true]);
    assert_eq!(run("output.loads=(joints: [\"cell\"])"), [true, false]);
    assert_eq!(run("output.loads=()"), [false, false]);
    let o = coact(dir.path(), &["check", "scene.ron", "--set", "output.loads=(joints: [\"sell\"])"]);
    assert_eq!(code(&o), 2);
    assert!(err(&o).contains("did you mean `cell`?"), "{}", err(&o));
}

/// What the message about a body with an open mesh says to do is done, for a mesh and for a hull.
#[test]
fn the_advice_for_an_open_mesh_works() {
    let open = "(Triangles(vertices: [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], \
                triangles: [(0, 2, 1), (0, 1, 3), (0, 3, 2)]))";
    for kind in ["Mesh", "Hull"] {
        let text = |density: &str, more: &str| {
            format!(
                "(bodies: [(name: \"scoop\", mass: 2, shapes: [(geometry: {kind}{open}{density}){more}])], \
                 solvers: [Vbd(name: \"all\")], run: (rate: 100, duration: 0.1))"
            )
        };
        let (dir, file) = folder_with(&text("", ""));
        let o = coact(dir.path(), &["check", "scene.ron"]);
        let said: String = err(&o).split_whitespace().filter(|w| *w != "│").collect::<Vec<_>>().join(" ");
        assert_eq!(code(&o), 2);
        for words in ["density to 0", "another shape", "not visible and meets nothing"] {
            assert!(said.contains(words), "`{words}` is not in: {said}");
        }
        let ballast = ", (geometry: Box(size: (0.1, 0.1, 0.1)), visible: false, meets_shapes: false, \
                       meets_particles: false)";
        fs::write(file, text(", density: 0", ballast)).unwrap();
        let o = coact(dir.path(), &["run", "scene.ron"]);
        assert_eq!(code(&o), 0, "{kind}: {}{}", out(&o), err(&o));
    }
}

/// The advice is measured: a lagged pass misses, and what helps is tried on that very step.
#[test]
fn explain_says_what_a_coupling_misses_and_what_helps() {
    let scene = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/coupling/box_on_cloth.ron");
    let scene = scene.to_str().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let late = ["--set", "coupling.interfaces.0.mode=Lagged", "--set", "coupling.iterations=1"];
    let common =
        ["run", scene, "--explain", "--out", "run", "--set", "run.duration=0.3", "--set", "expect=[]"];
    let o = coact(dir.path(), &[&common[..], &late].concat());
    assert_eq!(code(&o), 0, "{}{}", out(&o), err(&o));
    let text = out(&o);
    for part in [
        "coupling: `rigid -> soft` is worst in step ",
        "body 0 \"box\" ends ",
        "m from its proxy",
        "coupling.iterations = 2: ",
        "mode: Predicted on every interface: ",
        "run.rate = 240: ",
        "most helps: ",
    ] {
        assert!(text.contains(part), "`{part}` in `{text}`");
    }
    let report = fs::read_to_string(dir.path().join("run/report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let trials = report["coupling"]["trials"].as_array().unwrap();
    let best = trials.iter().map(|t| t["share"].as_f64().unwrap()).fold(f64::INFINITY, f64::min);
    assert!(best < 0.5 && report["interfaces"][0]["name"] == "rigid -> soft", "{report}");
    // predicted, nothing is missed
    let o = coact(dir.path(), &common);
    assert!(out(&o).contains("coupling: "), "{}", out(&o));
}
