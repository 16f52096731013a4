//! Motions and forces of a scene: what they do, and what they refuse, with place and remedy.

use std::path::Path;

use coact_compute::DeviceChoice;
use coact_math::{Quat, Vec3, rotation_between};
use coact_model::StateFields;
use coact_scene::{SceneError, Simulation, load_text};
use coact_solver::StepReport;

const GOOD: &str = r#"(
    cloths: [(name: "sheet", mesh: Grid(cells: (4, 4), size: (1, 1)), position: (0, 0, 1), pins: [Vertices([0])])],
    particles: [(name: "dust", positions: [(5, 0, 1), (6, 0, 1)], mass: 0.5)],
    bodies: [
        (name: "arm", position: (3, 0, 0), shapes: [(geometry: Sphere(radius: 0.1), meets_shapes: false)], kinematic: true),
        (name: "ball", position: (4, 0, 0), shapes: [(geometry: Sphere(radius: 0.1))], mass: 2),
    ],
    gravity: (0, 0, 0),
    solvers: [Vbd(name: "all")],
    motions: [
        (of: "sheet", particles: [Vertices([20, 24])], moves: [Translate(velocity: (0, 0, 2))], start: 0.1, stop: 0.3),
        (of: "arm", moves: [Rotate(center: (0, 0, 0), rate: 2), Path(times: [0.2, 0.4], offsets: [(0, 1, 0), (0, 0, 0)], repeat: true)]),
    ],
    forces: [
        (of: "dust", force: (1, 0, 0), stop: 0.2),
        (of: "ball", force: (0, 4, 0), torque: (0, 0, 0.1), start: 0.1),
    ],
    run: (dt: 0.01, duration: 0.5),
)
"#;

fn attempt(text: &str) -> Result<Simulation, SceneError> {
    load_text("scene.ron", text, Path::new("."), &[])?.build(DeviceChoice::Cpu)
}

fn run_to(sim: &mut Simulation, t: f64) {
    let mut report = StepReport::default();
    while sim.time() < t - 1e-9 {
        sim.step(&mut report).unwrap();
    }
    sim.store(StateFields::all());
}

/// The good scene, by two solvers of which one takes substeps and repeats its steps.
fn coupled() -> String {
    let solvers = r#"solvers: [
        Articulated(name: "rigid", owns: ["arm", "ball"]),
        Vbd(name: "soft", owns: ["sheet", "dust"], substeps: 3),
    ],
    coupling: Proxy(iterations: 2, interfaces: [(source: "rigid", destination: "soft", bodies: ["ball"])]),"#;
    GOOD.replace(r#"solvers: [Vbd(name: "all")],"#, solvers)
}

#[test]
fn what_motions_name_is_where_they_have_it() {
    arrives(GOOD);
}

#[test]
fn motions_arrive_through_couplers_and_substeps() {
    arrives(&coupled());
}

fn arrives(text: &str) {
    let mut sim = attempt(text).unwrap_or_else(|e| panic!("{e:?}"));
    let (begin, arm) = (sim.model.particle_q.to_vec(), sim.model.body_q[0]);
    run_to(&mut sim, 0.2);
    for p in [20, 24] {
        assert!((sim.state.particle_q[p] - (begin[p] + Vec3::z() * 0.2)).norm() < 1e-12);
        assert!((sim.state.particle_qd[p] - Vec3::z() * 2.0).norm() < 1e-9);
    }
    assert_eq!(sim.state.particle_q[0], begin[0], "pinned and not moved");
    // a turn by 0.4 rad, then the path's first place
    let turn = Quat::from_scaled_axis(Vec3::z() * 0.4);
    assert!((sim.state.body_q[0].p - (turn * arm.p + Vec3::y())).norm() < 1e-12);
    assert!(rotation_between(&sim.state.body_q[0].q, &turn).norm() < 1e-12);
    run_to(&mut sim, 0.5);
    assert!((sim.state.particle_q[20] - (begin[20] + Vec3::z() * 0.4)).norm() < 1e-12, "it stopped");
    assert_eq!(sim.state.particle_qd[20], Vec3::zeros());
    let turn = Quat::from_scaled_axis(Vec3::z());
    assert!((sim.state.body_q[0].p - (turn * arm.p + Vec3::y() * 0.5)).norm() < 1e-12, "it began again");
}

#[test]
fn forces_give_their_impulse_within_their_times() {
    let mut sim = attempt(GOOD).unwrap_or_else(|e| panic!("{e:?}"));
    let first = sim.model.particle_count() - 2;
    run_to(&mut sim, 0.1);
    assert!((sim.state.particle_qd[first].x - 0.5 * 0.1 / 0.5).abs() < 1e-12, "two share 1 N");
    assert_eq!(sim.state.body_qd[1].lin, Vec3::zeros(), "not yet");
    run_to(&mut sim, 0.5);
    let dust = &sim.state.particle_qd[first..];
    assert!(dust.iter().all(|v| (v.x - 0.5 * 0.2 / 0.5).abs() < 1e-12), "{dust:?}");
    assert!((sim.state.body_qd[1].lin.y - 4.0 * 0.4 / 2.0).abs() < 1e-12);
    let inertia = sim.model.body_inertia[1][(2, 2)];
    assert!((sim.state.body_qd[1].ang.z - 0.1 * 0.4 / inertia).abs() < 1e-9);
}

/// Edits of the good scene, where the fault is shown, and words of the message or remedy.
const SLIPS: [(&str, &str, &str, &[&str]); 16] = [
    (r#"(of: "sheet""#, r#"(of: "shet""#, r#""shet""#, &["matches none", "did you mean `sheet`"]),
    (r#"(of: "arm""#, r#"(of: "ball""#, r#""ball""#, &["`ball` is no kinematic body", "kinematic: true"]),
    (
        r#"(of: "sheet", particles: [Vertices([20, 24])]"#,
        r#"(of: "dust""#,
        r#""dust""#,
        &["nothing of `dust` is pinned", "particles: [Corners]"],
    ),
    (
        r#"(of: "arm", moves"#,
        r#"(of: "arm", particles: [Corners], moves"#,
        "[Corners]",
        &["bodies have no particles"],
    ),
    (
        r#"(of: "arm", moves"#,
        r#"(of: "sheet", moves"#,
        r#""sheet""#,
        &["motions 0 and 1 move the same thing", "list of `moves`"],
    ),
    ("stop: 0.3", "stop: 0.1", "0.1", &["`motions.0.stop` is 0.1", "after `start`"]),
    ("start: 0.1, stop: 0.3", "start: -1", "-1", &["`motions.0.start` is -1"]),
    ("[Translate(velocity: (0, 0, 2))]", "[]", "[]", &["`motions.0.moves` is empty"]),
    (
        "center: (0, 0, 0), rate: 2",
        "center: (0, 0, 0), axis: (0, 0, 0), rate: 2",
        "(0, 0, 0)",
        &["a vector that is not zero"],
    ),
    ("times: [0.2, 0.4]", "times: [0.4, 0.2]", "[0.4, 0.2]", &["not rising"]),
    ("times: [0.2, 0.4]", "times: [0.2]", "[0.2]", &["of 1 times for 2 offsets"]),
    (
        "(0, 0, 0)], repeat",
        "(0, 0, 1)], repeat",
        "[(0, 1, 0), (0, 0, 1)]",
        &["not back at its begin", "leave `repeat` out"],
    ),
    ("force: (1, 0, 0)", "force: (0, 0, 0)", "(0, 0, 0)", &["`forces.0.force` is zero"]),
    (
        r#"(of: "ball", force"#,
        r#"(of: "arm", force"#,
        r#""arm""#,
        &["`arm` is kinematic: no force moves it", "`motions`"],
    ),
    (
        r#"(of: "ball", force"#,
        r#"(of: "dust", force"#,
        "(0, 0, 0.1)",
        &["`forces.1.torque` is for particles"],
    ),
    (
        r#"of: "dust", force"#,
        r#"of: "dust", particles: [Vertices([2])], force"#,
        "2",
        &["there is no vertex 2"],
    ),
];

#[test]
fn slips_are_told_at_their_place_with_a_remedy() {
    for (from, to, at, words) in SLIPS {
        assert!(GOOD.contains(from), "{from}");
        let text = GOOD.replacen(from, to, 1);
        let error = attempt(&text).map(|_| ()).expect_err(to);
        let place = error.at().unwrap_or_else(|| panic!("{error:?} has no place"));
        let line = text.lines().nth(place.line() - 1).unwrap_or("");
        let column = line.char_indices().nth(place.column() - 1).map_or(line.len(), |(i, _)| i);
        assert!(line[column..].starts_with(at), "{error:?} is not at `{at}`");
        let told = format!("{error:?}");
        assert!(error.remedy().is_some_and(|r| !r.is_empty()), "{told} has no remedy");
        words.iter().for_each(|w| assert!(told.contains(w), "`{w}` is not in: {told}"));
    }
}

#[test]
fn the_schedule_of_detection_is_handed_on_and_checked_by_the_solver() {
    let with = |s: &str| {
        GOOD.replace(r#"Vbd(name: "all")"#, &format!(r#"Vbd(name: "all", detection: (rigid_soft: {s}))"#))
    };
    for schedule in ["Auto", "Off", "PreInit", "PrePostInit", "Iterations(3)"] {
        assert!(attempt(&with(schedule)).is_ok(), "{schedule}");
    }
    let error = attempt(&with("Iterations(0)")).map(|_| ()).expect_err("no such schedule");
    assert!(format!("{error:?}").contains("Iterations(0) is refused"), "{error:?}");
}

#[test]
fn attachments_hold_particles_where_they_are_in_the_frame_of_the_body() {
    let section = r#"attachments: [(of: "sheet", particles: [Vertices([3, 7])], body: "ball", stiffness: 1e4, damping: 2)],
    run:"#;
    let text = GOOD.replace("run:", section);
    let scene = load_text("scene.ron", &text, Path::new("."), &[]).unwrap_or_else(|e| panic!("{e:?}"));
    let (model, _) = scene.build_model().unwrap();
    assert_eq!(
        (model.attachment_ke[..].to_vec(), model.attachment_kd[..].to_vec()),
        (vec![1e4; 2], vec![2.0; 2])
    );
    for (i, p) in [3, 7].into_iter().enumerate() {
        assert_eq!((model.attachment_particle[i].index(), model.attachment_body[i].index()), (p, 1));
        let held = model.body_q[1].point(&model.attachment_point[i]);
        assert!((held - model.particle_q[p]).norm() < 1e-15);
    }
    let told = scene.explain().unwrap().to_string();
    for line in
        ["moved: sheet (2 particles), arm", "pushed: dust (2 particles), ball", "held: sheet (2 particles)"]
    {
        assert!(told.contains(line), "{told}");
    }
    for (from, to, words) in [
        (r#"body: "ball""#, r#"body: "bal""#, "did you mean `ball`"),
        ("stiffness: 1e4", "stiffness: 0", "write a number above 0 [N/m]"),
        ("[Vertices([3, 7])], body", "[], body", "say which ones"),
    ] {
        let text = text.replace(from, to);
        let error = load_text("scene.ron", &text, Path::new("."), &[]).map(|_| ()).expect_err(to);
        assert!(format!("{error:?}").contains(words), "{error:?}");
    }
}

#[test]
fn self_contact_is_handed_on_and_checked_by_the_solver() {
    let with = |s: &str| GOOD.replace(r#"Vbd(name: "all")"#, &format!(r#"Vbd(name: "all", {s})"#));
    let all = "self_contact: (margin: 0.01, rings: 3, rest_exclusion: 0.001, truncation: Budget, relaxation: 0.5, \
               intersecting: Exempt, max_detections: 3), detection: (self_contact: Iterations(2))";
    for good in ["self_contact: (margin: 0.01)", "self_contact: (margin: 0.01, gap: 0.02)", all] {
        attempt(&with(good)).unwrap_or_else(|e| panic!("{good}: {e:?}"));
    }
    for (bad, words) in [
        ("self_contact: (gap: 0.01)", "`margin`"),
        ("self_contact: (margin: 0)", "write a distance above 0"),
        ("self_contact: (margin: 0.01, relaxation: 1)", "write a number between 0 and 1"),
        ("self_contact: (margin: 0.01), detection: (self_contact: Off)", "write another schedule"),
        ("detection: (self_contact: PreInit)", "self-contact is off"),
    ] {
        let error = attempt(&with(bad)).map(|_| ()).expect_err(bad);
        assert!(format!("{error:?}").contains(words), "{error:?}");
        assert!(error.at().is_some() && error.remedy().is_some(), "{error:?}");
    }
}
