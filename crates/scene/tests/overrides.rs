//! `--set path=value`: any field, by name or number, and complaints that point at it.

use std::path::Path;

use coact_scene::{Fault, Scene, SceneError, file::Entry, load_text};

const TEXT: &str = r#"(
    // the smallest scene, with a comment (and a bracket
    cloths: [(name: "sheet", mesh: Grid(cells: (4, 4), size: (1, 1)), density: 0.2)],
    solvers: [Vbd(name: "soft")],
    expect: [Finite],
)
"#;

fn with(overrides: &[&str]) -> Result<Scene, SceneError> {
    let overrides: Vec<String> = overrides.iter().map(|s| (*s).to_owned()).collect();
    load_text("scene.ron", TEXT, Path::new("."), &overrides)
}

fn sound(overrides: &[&str]) -> Scene {
    with(overrides).unwrap_or_else(|e| panic!("{e:?}"))
}

#[test]
fn values_are_replaced_by_name_and_by_number() {
    assert_eq!(sound(&["cloths.sheet.density=0.5"]).file.cloths[0].density, 0.5);
    assert_eq!(sound(&["cloths.0.density = 0.7"]).file.cloths[0].density, 0.7);
    assert_eq!(sound(&["cloths.sheet.mesh.cells.1=7"]).groups[0].particle_count, 5 * 8);
    assert_eq!(
        sound(&["cloths.sheet.mesh=Tube(cells: (8, 2), radius: 1, length: 1)"]).groups[0].particle_count,
        24
    );
}

#[test]
fn fields_that_the_file_leaves_out_are_added() {
    let scene = sound(&["run.dt=0.001", "run.steps=7", "solvers.soft.iterations=20", "description=\"x\""]);
    assert_eq!((scene.plan().dt, scene.plan().steps), (0.001, 7));
    assert!(matches!(&scene.file.solvers[0], Entry::Vbd(v) if v.iterations == Some(20)));
    assert_eq!(scene.file.description, "x");
    assert_eq!(sound(&["cloths.sheet.velocity=(1, 0, 0)"]).file.cloths[0].velocity, [1.0, 0.0, 0.0]);
}

#[test]
fn a_later_override_wins() {
    assert_eq!(sound(&["run.steps=7", "run.steps=9"]).plan().steps, 9);
}

#[test]
fn without_overrides_nothing_changes_and_an_equal_one_changes_nothing() {
    let (plain, same) = (sound(&[]), sound(&["cloths.sheet.density=0.2"]));
    assert_eq!(plain.file, same.file);
    assert_eq!(same.source.overrides(), ["cloths.sheet.density=0.2"]);
}

#[test]
fn complaints_point_at_the_override() {
    let cases: [(&str, Fault, &str); 7] = [
        ("run.dtt=0.1", Fault::UnknownField, "did you mean `dt`?"),
        ("cloths.sheep.density=1", Fault::Override, "did you mean `sheet`?"),
        ("cloths.3.density=1", Fault::Override, "has 1 elements"),
        ("cloths.sheet.density.x=1", Fault::Override, "no fields"),
        ("cloths.sheet.density=-1", Fault::Value, "above 0"),
        ("cloths.sheet.density=\"a\"", Fault::WrongType, "a number"),
        ("nonsense", Fault::Override, "path=value"),
    ];
    for (text, fault, words) in cases {
        let e = with(&[text]).unwrap_err();
        assert_eq!((e.fault(), e.at().unwrap().file()), (fault, "--set"), "{text}: {e:?}");
        assert!(format!("{e:?}").contains(words), "{text}: {e:?}");
    }
}

#[test]
fn a_fault_of_the_file_stays_at_its_line_behind_an_override() {
    let text = TEXT.replace("expect: [Finite]", "expect: [AtRest(of: \"shed\", speed: 1)]");
    let overrides = ["cloths.sheet.density=0.123456789".to_owned()];
    let e = load_text("scene.ron", &text, Path::new("."), &overrides).unwrap_err();
    let place = e.at().unwrap();
    assert_eq!((place.file(), place.line(), place.column()), ("scene.ron", 5, 25), "{e:?}");
}
