//! Surfaces that cannot work with their self-contact, masses and solids that cannot move: each is
//! named by the scene that holds it, with the remedy.

use std::path::Path;

use coact_compute::DeviceChoice;
use coact_scene::{SceneError, load_text};
use coact_solver::StepReport;

/// A scene of `things` with self-contact of this `margin` \[m\], and what follows it.
fn scene(things: &str, margin: f64, and: &str) -> String {
    format!(
        "({things}\n    solvers: [Vbd(name: \"cloth\", self_contact: (margin: {margin}{and}))],\n    \
         run: (steps: 3),\n    expect: [Finite],\n)\n"
    )
}

fn attempt(text: &str, folder: &Path) -> Result<(), SceneError> {
    load_text("scene.ron", text, folder, &[])?.build(DeviceChoice::Cpu).map(|_| ())
}

/// The error of a scene, which holds the words and a place.
fn refused(text: &str, words: &[&str]) {
    let error = attempt(text, Path::new(".")).expect_err(text);
    assert!(error.at().is_some() && error.remedy().is_some_and(|r| !r.is_empty()), "{error:?}");
    let told = format!("{error:?}");
    words.iter().for_each(|w| assert!(told.contains(w), "`{w}` is not in: {told}"));
}

/// The warnings of a scene, as one text.
fn warned(text: &str) -> String {
    load_text("scene.ron", text, Path::new("."), &[]).unwrap().explain().unwrap().warnings.join("\n")
}

fn sheet(cells: u32, size: f64) -> String {
    format!(
        "\n    cloths: [(name: \"sheet\", mesh: Grid(cells: ({cells}, {cells}), size: ({size}, {size})), \
         position: (0, 0, 1))],"
    )
}

const CROSSING: &str = r#"
    cloths: [
        (name: "level", mesh: Grid(cells: (4, 4), size: (1, 1)), position: (0, 0, 1)),
        (name: "steep", mesh: Grid(cells: (4, 4), size: (1, 1)), position: (0.03, 0.05, 1),
            rotation: Degrees(axis: (1, 0, 0), angle: 40)),
    ],"#;

#[test]
fn a_start_that_intersects_is_refused_with_the_pairs_or_runs_with_them_exempt() {
    let words = [
        "intersects itself at the start",
        "pairs of triangles: \"level\" (",
        "and \"steep\" (",
        "Exempt",
        "move the parts apart",
    ];
    refused(&scene(CROSSING, 0.02, ""), &words);
    let exempt = scene(CROSSING, 0.02, ", intersecting: Exempt");
    let mut run =
        load_text("scene.ron", &exempt, Path::new("."), &[]).unwrap().build(DeviceChoice::Cpu).unwrap();
    let mut report = StepReport::default();
    run.step(&mut report).unwrap();
    let own = report.entries.first().map_or(&report, |e| &e.report);
    assert!(own.self_contact.exempt > 0 && report.nonfinite_count == 0);
}

#[test]
fn a_margin_beyond_the_edges_is_refused_where_it_presses_at_rest_and_warned_of_where_it_is_near() {
    refused(&scene(&sheet(10, 0.1), 0.03, ""), &["presses on itself at rest", "0.03 m", "rest_exclusion"]);
    let near = warned(&scene(&sheet(10, 0.1), 0.012, ""));
    for words in ["self_contact.margin is 0.012 m", "`sheet` has 220 edges shorter", "write a smaller margin"]
    {
        assert!(near.contains(words), "`{words}` is not in: {near}");
    }
    assert!(!warned(&scene(&sheet(10, 0.1), 0.005, "")).contains("margin"));
}

#[test]
fn a_triangle_smaller_than_the_margin_is_warned_of() {
    let sliver = r#"
    cloths: [(name: "sheet", mesh: Triangles(
        vertices: [(0, 0, 1), (0.5, 0, 1), (0.5, 0.5, 1), (0, 0.5, 1), (0.505, 0.25, 1)],
        triangles: [(0, 1, 2), (0, 2, 3), (1, 4, 2)],
    ))],"#;
    let told = warned(&scene(sliver, 0.02, ""));
    assert!(told.contains("0 edges shorter") && told.contains("1 triangles narrower"), "{told}");
}

#[test]
fn what_has_no_mass_and_is_not_pinned_is_refused() {
    for field in ["density: 0", "particle_mass: 0"] {
        let text = sheet(4, 1.0).replace("position", &format!("{field}, position"));
        refused(&scene(&text, 0.02, ""), &["is 0", "write a number above 0"]);
    }
}

#[test]
fn a_tetrahedron_that_is_inside_out_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = "# vtk DataFile Version 3.0\nsolid\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n\
                0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\nCELLS 2 10\n4 0 1 2 3\n4 2 1 3 4\nCELL_TYPES 2\n10\n10\n";
    std::fs::write(folder.path().join("solid.vtk"), mesh).unwrap();
    let solid = "\n    soft_bodies: [(name: \"solid\", mesh: File(path: \"solid.vtk\"))],";
    let error = attempt(&scene(solid, 0.02, ""), folder.path()).expect_err("inside out");
    let told = format!("{error:?}");
    for words in ["tetrahedron 1", "inside out", "orient: true"] {
        assert!(told.contains(words), "`{words}` is not in: {told}");
    }
}
