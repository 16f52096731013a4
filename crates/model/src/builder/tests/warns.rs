//! Legal but odd values are told, ordinary ones are not.

use super::*;
use crate::error::{Warning, WarningKind};

fn warnings(b: ModelBuilder) -> Vec<Warning> {
    b.finalize_with_warnings().unwrap().1
}

fn kinds(b: ModelBuilder) -> Vec<WarningKind> {
    warnings(b).iter().map(|w| w.kind).collect()
}

#[test]
fn an_ordinary_scene_has_no_warnings() {
    let mut b = ModelBuilder::new();
    b.add_cloth("flag", &cloth_grid([4, 4], [1.0, 1.0], Diagonal::Uniform), &ClothDef::default());
    b.add_soft("jelly", &tet_box([2, 2, 2], Vec3::repeat(0.1), CellSplit::Five), &SoftDef::default());
    let body = b.add_body(BodyDef::default());
    let geometry = Geometry::Box { half_extents: Vec3::repeat(0.1) };
    b.add_shape(ShapeDef { body: Some(body), geometry, ..Default::default() });
    b.add_shape(ShapeDef::default());
    b.add_joint(JointDef::new(JointKind::Revolute, None, body));
    b.add_attachment(AttachmentDef::hard(ParticleId(0), body, Vec3::zeros()));
    assert_eq!(warnings(b), vec![]);
}

#[test]
fn a_mesh_in_millimetres_is_told_by_its_size() {
    let mut b = ModelBuilder::new();
    let def = ClothDef { density: 1e-7, ..Default::default() };
    b.add_cloth("flag", &cloth_grid([2, 2], [1500.0, 800.0], Diagonal::Uniform), &def);
    let w = warnings(b);
    assert_eq!((w.len(), w[0].kind), (1, WarningKind::Size));
    assert!(w[0].to_string().contains("\"flag\"") && w[0].message.contains("1.500e3 m"), "{}", w[0]);
}

#[test]
fn a_density_in_grams_per_cubic_centimetre_is_told() {
    let mut b = ModelBuilder::new();
    let def = SoftDef { density: 0.9, ..Default::default() };
    b.add_soft("jelly", &tet_box([1, 1, 1], Vec3::repeat(0.1), CellSplit::Five), &def);
    let body = b.add_body(BodyDef::default());
    let geometry = Geometry::Sphere { radius: 0.1 };
    b.add_shape(ShapeDef { body: Some(body), geometry, density: 7.8e5, ..Default::default() });
    assert_eq!(kinds(b), [WarningKind::Density, WarningKind::Density]);
}

#[test]
fn a_modulus_given_as_a_spring_stiffness_is_told() {
    let (mut b, v) = corner();
    b.add_spring(SpringDef { particles: [v[0], v[1]], ke: 1e3, kd: 0.0, rest_length: None });
    b.add_spring(SpringDef { particles: [v[0], v[2]], ke: 2.1e11, kd: 0.0, rest_length: None });
    let w = warnings(b);
    assert_eq!((w.len(), w[0].kind, w[0].entity.as_str()), (1, WarningKind::Stiffness, "spring 1"));
}

#[test]
fn a_huge_mass_and_an_impossible_inertia_are_told() {
    let mut b = ModelBuilder::new();
    b.add_body(BodyDef { mass: given(5e6, Mat3::identity() * 1e6), ..ball("moon") });
    b.add_body(BodyDef { mass: given(1.0, Mat3::from_diagonal(&Vec3::new(1.0, 1.0, 3.0))), ..ball("top") });
    b.add_body(BodyDef { mass: given(1.0, Mat3::from_diagonal(&Vec3::new(1.0, 1.0, 2.0))), ..ball("disc") });
    assert_eq!(kinds(b), [WarningKind::Mass, WarningKind::Inertia]);
}

#[test]
fn joint_frames_that_do_not_meet_are_told_when_the_joint_acts() {
    let build = |enabled| {
        let mut b = ModelBuilder::new();
        let body = b.add_body(BodyDef { pose: Pose::translation(Vec3::z()), ..ball("") });
        b.add_joint(JointDef { enabled, ..JointDef::new(JointKind::Revolute, None, body) });
        b
    };
    assert_eq!(kinds(build(true)), [WarningKind::JointGap]);
    assert_eq!(kinds(build(false)), []);
}
