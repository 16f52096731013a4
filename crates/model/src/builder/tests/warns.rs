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

/// A frame of three bars and the ground, of one kind of joint each, about y in the x-z plane.
fn four_bars(kinds: [JointKind; 4]) -> ModelBuilder {
    let mut b = ModelBuilder::new();
    let at = |x: f64, z: f64| Vec3::new(x, 0.0, z);
    let bars: Vec<_> = [at(0.0, 0.5), at(0.5, 1.0), at(1.0, 0.5)]
        .into_iter()
        .map(|p| b.add_body(BodyDef { pose: Pose::translation(p), ..ball("") }))
        .collect();
    let pins = [at(0.0, 0.0), at(0.0, 1.0), at(1.0, 1.0), at(1.0, 0.0)];
    for (k, kind) in kinds.into_iter().enumerate() {
        let (parent, child) = (k.checked_sub(1).map(|i| bars[i]), bars[k.min(2)]);
        let parent = if k == 3 { None } else { parent };
        let of = |body: Option<BodyId>| match body {
            Some(i) => Pose::translation(pins[k] - b.bodies[i.index()].pose.p),
            None => Pose::translation(pins[k]),
        };
        let mut def = JointDef::new(kind, parent, child);
        (def.name, def.x_p, def.x_c) = (format!("pin {k}"), of(parent), of(Some(child)));
        def.axes.iter_mut().for_each(|a| a.axis = Vec3::y());
        b.add_joint(def);
    }
    b
}

#[test]
fn a_loop_that_holds_too_much_is_told_with_its_joints_and_by_how_much() {
    use JointKind::{Ball, Fixed, Revolute};
    let planar = warnings(four_bars([Revolute; 4]));
    assert_eq!((planar.len(), planar[0].kind), (1, WarningKind::OverConstrained));
    let told = planar[0].to_string();
    for words in ["\"pin 0\"", "\"pin 1\"", "\"pin 2\"", "\"pin 3\"", "3 of 6", "ball or a D6"] {
        assert!(told.contains(words), "`{words}` is not in: {told}");
    }
    // a planar four-bar of two hinges and two balls turns freely, and nothing in it is held twice
    assert_eq!(kinds(four_bars([Revolute, Ball, Ball, Revolute])), []);
    assert!(warnings(four_bars([Fixed; 4]))[0].message.contains("6 of 6"));
}

#[test]
fn a_chain_and_a_disabled_joint_close_no_loop() {
    let mut b = four_bars([JointKind::Revolute; 4]);
    b.joints[3].enabled = false;
    assert_eq!(kinds(b), []);
}

#[test]
fn a_joint_that_begins_outside_of_its_limits_is_told() {
    let build = |kind, place: Vec3, lower, upper| {
        let mut b = ModelBuilder::new();
        let body = b.add_body(BodyDef { pose: Pose::translation(place), ..ball("") });
        let mut def = JointDef::new(kind, None, body);
        (def.axes[0].limit_lower, def.axes[0].limit_upper) = (lower, upper);
        b.add_joint(def);
        b
    };
    assert_eq!(kinds(build(JointKind::Prismatic, Vec3::z(), 0.0, 1.0)), []);
    assert_eq!(kinds(build(JointKind::Prismatic, Vec3::z(), 0.0, 0.5)), [WarningKind::JointRange]);
    assert_eq!(kinds(build(JointKind::Distance, Vec3::new(3.0, 0.0, 4.0), 1.0, 5.0)), []);
    let told = warnings(build(JointKind::Distance, Vec3::new(3.0, 0.0, 4.0), 1.0, 2.0));
    assert!(
        told[0].message.contains("its distance is 5.0") && told[0].message.contains("1 to 2"),
        "{}",
        told[0]
    );
}

#[test]
fn a_hull_of_triangles_that_are_not_convex_is_told() {
    let hull = |lift: f64| {
        let mut mesh = crate::mesh::box_surface(Vec3::repeat(0.5));
        // a top that sinks in, or a roof
        let top = mesh.triangles.iter().position(|t| t.iter().all(|&v| mesh.vertices[v as usize].z > 0.0));
        let [a, b, c] = mesh.triangles.swap_remove(top.unwrap());
        let middle = mesh.vertices.len() as u32;
        let place = [a, b, c].iter().map(|&v| mesh.vertices[v as usize]).sum::<Vec3>() / 3.0;
        mesh.vertices.push(place + Vec3::z() * lift);
        mesh.triangles.extend([[a, b, middle], [b, c, middle], [c, a, middle]]);
        let mut b = ModelBuilder::new();
        let geometry = Geometry::ConvexHull(std::sync::Arc::new(mesh));
        b.add_shape(ShapeDef { name: "rock".into(), geometry, ..Default::default() });
        b
    };
    assert_eq!(kinds(hull(0.0)), []);
    let told = warnings(hull(-0.2));
    assert_eq!((told.len(), told[0].kind), (1, WarningKind::Hollow));
    assert!(
        told[0].to_string().contains("\"rock\"") && told[0].message.contains("use a Mesh"),
        "{}",
        told[0]
    );
}
