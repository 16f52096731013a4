//! Each kind of mistake is refused with the entity, the value and the remedy.

use super::*;
use crate::error::ModelError as E;
use crate::joint::JointAxis;
use crate::shape::TriMesh;

/// The message of the error, which must be of the kind that `is` accepts.
fn refused(b: ModelBuilder, is: fn(&E) -> bool, words: &[&str]) {
    let error = b.finalize().expect_err("was accepted");
    assert!(is(&error), "another kind: {error:?}");
    let text = error.to_string();
    for w in words {
        assert!(text.contains(w), "\"{w}\" is missing in \"{text}\"");
    }
}

fn with_particle(def: ParticleDef) -> ModelBuilder {
    let mut b = ModelBuilder::new();
    b.add_particles("dust", &[particle(0., 0., 0.), def], &[]);
    b
}

fn with_body(def: BodyDef) -> ModelBuilder {
    let mut b = ModelBuilder::new();
    b.add_body(def);
    b
}

fn with_shape(def: ShapeDef) -> ModelBuilder {
    let mut b = ModelBuilder::new();
    b.add_shape(ShapeDef { name: "lid".into(), ..def });
    b
}

/// Two bodies and the joint "elbow" between them, edited.
fn with_joint(kind: JointKind, edit: impl FnOnce(&mut JointDef)) -> ModelBuilder {
    let mut b = ModelBuilder::new();
    let [p, c] = ["upper", "lower"].map(|n| b.add_body(ball(n)));
    let mut def = JointDef { name: "elbow".into(), ..JointDef::new(kind, Some(p), c) };
    edit(&mut def);
    b.add_joint(def);
    b
}

#[test]
fn numbers_that_are_not_finite() {
    let not_finite = |e: &E| matches!(e, E::NotFinite { .. });
    let mut def = particle(0.0, f64::NAN, 0.0);
    refused(
        with_particle(def.clone()),
        not_finite,
        &["particle 1 (number 1 of \"dust\")", "position", "NaN"],
    );
    def = ParticleDef { mass: f64::INFINITY, ..particle(0., 0., 0.) };
    refused(with_particle(def), not_finite, &["mass is inf"]);
    let mut b = ModelBuilder::new();
    b.gravity.z = f64::NAN;
    refused(b, not_finite, &["gravity"]);
    let pose = Pose::translation(Vec3::new(f64::NAN, 0.0, 0.0));
    refused(with_body(BodyDef { pose, ..ball("arm") }), not_finite, &["body \"arm\"", "pose"]);
    refused(
        with_joint(JointKind::Ball, |j| j.x_c.p.x = f64::NAN),
        not_finite,
        &["joint \"elbow\"", "child frame"],
    );
    refused(
        with_joint(JointKind::Revolute, |j| j.axes[0].limit_lower = f64::NAN),
        not_finite,
        &["axis 0", "limits"],
    );
}

#[test]
fn masses_that_are_negative_or_zero_where_something_must_move() {
    let bad = |e: &E| matches!(e, E::BadValue { field: "mass", .. });
    let massless = ParticleDef { mass: 0.0, ..particle(0., 0., 0.) };
    refused(with_particle(ParticleDef { mass: -2.0, ..massless.clone() }), bad, &["particle 1", "-2"]);
    refused(with_particle(massless.clone()), bad, &["pin it", "deactivate it"]);
    let mut pinned = with_particle(massless.clone());
    pinned.pin_particle(ParticleId(1));
    assert_eq!(pinned.finalize().unwrap().particle_inv_mass[1], 0.0);
    let mut inactive = with_particle(massless);
    inactive.deactivate_particle(ParticleId(1));
    assert!(inactive.finalize().is_ok());
    let body = |mass| BodyDef { name: "arm".into(), mass, ..Default::default() };
    refused(with_body(body(given(0.0, Mat3::identity()))), bad, &["body \"arm\"", "kinematic: true"]);
    refused(with_body(body(given(-1.0, Mat3::identity()))), bad, &["-1"]);
    refused(
        with_body(body(BodyMass::FromShapes)),
        |e| matches!(e, E::NoMass { .. }),
        &["body \"arm\"", "it has none"],
    );
}

#[test]
fn a_vertex_that_no_triangle_uses() {
    let mut mesh = cloth_grid([1, 1], [1.0, 1.0], Diagonal::Uniform);
    mesh.vertices.push(Vec3::new(5.0, 5.0, 5.0));
    let mut b = ModelBuilder::new();
    b.add_cloth("flag", &mesh, &ClothDef::default());
    refused(
        b,
        |e| matches!(e, E::BadValue { field: "mass", .. }),
        &["number 4 of \"flag\"", "let an element use it"],
    );
}

#[test]
fn inertia_that_is_zero_indefinite_or_not_symmetric() {
    let bad = |e: &E| matches!(e, E::BadInertia { .. });
    let with = |i: Mat3| with_body(BodyDef { name: "arm".into(), mass: given(1.0, i), ..Default::default() });
    refused(with(Mat3::zeros()), bad, &["body \"arm\"", "is zero", "kinematic: true"]);
    refused(with(Mat3::from_diagonal(&Vec3::new(1.0, -1.0, 1.0))), bad, &["not positive definite"]);
    refused(with(Mat3::from_diagonal(&Vec3::new(1.0, 0.0, 1.0))), bad, &["not positive definite"]);
    refused(
        with(Mat3::new(1.0, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)),
        bad,
        &["not symmetric", "[1.0, 0.5, 0.0,"],
    );
    let kinematic = BodyDef { kinematic: true, mass: given(1.0, Mat3::zeros()), ..Default::default() };
    assert!(with_body(kinematic).finalize().is_ok());
    assert!(with(Mat3::identity() * 1e-12).finalize().is_ok(), "small is not singular");
}

#[test]
fn ids_that_name_nothing() {
    let range = |e: &E| matches!(e, E::OutOfRange { .. });
    let (mut b, v) = corner();
    b.add_spring(SpringDef { particles: [v[0], ParticleId(4)], ke: 1.0, kd: 0.0, rest_length: None });
    refused(b, range, &["spring 0", "particle 4", "only 4"]);
    let (mut b, _) = corner();
    b.pin_particle(ParticleId(99));
    refused(b, range, &["pin_particle(..)", "particle 99"]);
    refused(
        with_shape(ShapeDef { body: Some(BodyId(2)), ..Default::default() }),
        range,
        &["shape \"lid\"", "body 2"],
    );
    refused(with_joint(JointKind::Ball, |j| j.child = BodyId(7)), range, &["joint \"elbow\"", "body 7"]);
    refused(
        with_particle(ParticleDef { material: MaterialId(3), ..particle(0., 0., 0.) }),
        range,
        &["material 3"],
    );
    let mut b = ModelBuilder::new();
    b.filter_shapes(ShapeId(0), ShapeId(1));
    refused(b, range, &["filter_shapes(..)", "shape 0"]);
    let mut b = ModelBuilder::new();
    b.add_attachment(AttachmentDef::hard(ParticleId(0), BodyId(0), Vec3::zeros()));
    refused(b, range, &["attachment 0", "particle 0"]);
}

#[test]
fn a_mesh_index_that_a_later_particle_would_make_valid() {
    let mut b = ModelBuilder::new();
    let mesh = TriMesh { vertices: vec![Vec3::zeros(), Vec3::x(), Vec3::y()], triangles: vec![[0, 1, 3]] };
    b.add_cloth("flag", &mesh, &ClothDef::default());
    b.add_particle(particle(1.0, 1.0, 0.0));
    refused(b, |e| matches!(e, E::OutOfRange { .. }), &["the mesh of \"flag\"", "vertex 3", "only 3"]);
}

#[test]
fn elements_without_extent_whatever_the_unit() {
    let flat = |e: &E| matches!(e, E::Degenerate { .. });
    for scale in [1e-6, 1.0, 1e6] {
        let build = |x: [Vec3; 4], f: fn(&mut ModelBuilder, [ParticleId; 4])| {
            let mut b = ModelBuilder::new();
            let v = x.map(|q| b.add_particle(ParticleDef { q: q * scale, ..Default::default() }));
            f(&mut b, v);
            b
        };
        let line = [Vec3::zeros(), Vec3::x(), Vec3::new(2.0, 1e-9, 0.0), Vec3::new(3.0, 0.0, 0.0)];
        let plane = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::new(1.0, 1.0, 1e-9)];
        let good = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::new(0.0, 0.0, 1e-3)];
        let triangle = |b: &mut ModelBuilder, v: [ParticleId; 4]| {
            b.add_triangle([v[0], v[1], v[2]], TriangleMaterial::default());
        };
        let tet = |b: &mut ModelBuilder, v: [ParticleId; 4]| {
            b.add_tet(v, TetMaterial::default());
        };
        refused(build(line, triangle), flat, &["triangle 0", "area"]);
        refused(build(plane, tet), flat, &["tetrahedron 0", "volume"]);
        refused(build(line, |b, v| _ = b.add_hinge(v, 1.0, 0.0, None)), flat, &["hinge 0"]);
        assert!(build(good, triangle).finalize().is_ok() && build(good, tet).finalize().is_ok());
    }
    let mut b = ModelBuilder::new();
    let v = [0, 1].map(|_| b.add_particle(particle(0., 0., 0.)));
    let spring = SpringDef { particles: v, ke: 1.0, kd: 0.0, rest_length: None };
    let mut explicit = b.clone();
    explicit.add_spring(SpringDef { rest_length: Some(0.0), ..spring.clone() });
    assert!(explicit.finalize().is_ok());
    b.add_spring(spring);
    refused(b, flat, &["spring 0", "write its rest length"]);
}

#[test]
fn a_tetrahedron_inside_out() {
    let (mut b, v) = corner();
    b.add_tet([v[1], v[0], v[2], v[3]], TetMaterial::default());
    refused(b, |e| matches!(e, E::Inverted { .. }), &["tetrahedron 0", "-1.667e-1", "swap two"]);
    let mut mesh = tet_box([2, 1, 1], Vec3::repeat(1.0), CellSplit::Six);
    mesh.tets[7].swap(0, 1);
    let mut b = ModelBuilder::new();
    b.add_soft("jelly", &mesh, &SoftDef::default());
    refused(b, |e| matches!(e, E::Inverted { .. }), &["number 7 of \"jelly\""]);
    let (mut b, v) = corner();
    b.add_tet_with_rest(v, TetMaterial::default(), -Mat3::identity());
    refused(b, |e| matches!(e, E::BadValue { .. }), &["determinant"]);
}

#[test]
fn an_element_with_one_vertex_twice() {
    let twice = |e: &E| matches!(e, E::DuplicateVertex { .. });
    let (mut b, v) = corner();
    b.add_triangle([v[0], v[1], v[0]], TriangleMaterial::default());
    refused(b, twice, &["triangle 0", "particle 0"]);
    let (mut b, v) = corner();
    b.add_spring(SpringDef { particles: [v[2], v[2]], ke: 1.0, kd: 0.0, rest_length: Some(1.0) });
    refused(b, twice, &["spring 0", "particle 2"]);
}

#[test]
fn stiffness_and_damping_below_zero() {
    let bad = |e: &E| matches!(e, E::BadValue { .. });
    let (mut b, v) = corner();
    b.add_spring(SpringDef { particles: [v[0], v[1]], ke: -5.0, kd: 0.0, rest_length: None });
    refused(b, bad, &["spring 0", "ke is -5", "0 or a positive"]);
    let (mut b, v) = corner();
    b.add_tet(v, TetMaterial { mu: 1.0, lambda: 1.0, kd: -0.1 });
    refused(b, bad, &["tetrahedron 0", "kd is -0.1"]);
    let mut b = ModelBuilder::new();
    b.add_material("mud", Material { mu: -0.3, ..Default::default() });
    refused(b, bad, &["material \"mud\"", "mu is -0.3"]);
    let mut b = ModelBuilder::new();
    b.add_material("rubber", Material { restitution: 1.5, ..Default::default() });
    refused(b, bad, &["restitution is 1.5", "0 to 1"]);
    refused(
        with_joint(JointKind::Revolute, |j| j.axes[0].target_kd = -1.0),
        bad,
        &["\"elbow\", axis 0", "target_kd"],
    );
    let belt = ShapeDef { surface_velocity: Vec3::new(0.0, f64::NAN, 0.0), ..Default::default() };
    refused(with_shape(belt), |e| matches!(e, E::NotFinite { .. }), &["shape \"lid\"", "surface velocity"]);
    refused(with_shape(ShapeDef { margin: -0.1, ..Default::default() }), bad, &["shape \"lid\"", "margin"]);
    refused(
        with_shape(ShapeDef { geometry: Geometry::Sphere { radius: 0.0 }, ..Default::default() }),
        bad,
        &["radius is 0"],
    );
}

#[test]
fn a_name_given_twice() {
    let twice = |e: &E| matches!(e, E::DuplicateName { .. });
    let mut b = ModelBuilder::new();
    for name in ["arm", "", "", "arm"] {
        b.add_body(ball(name));
    }
    refused(b, twice, &["two bodies", "\"arm\""]);
    let mut b = ModelBuilder::new();
    b.add_material("default", Material::default());
    refused(b, twice, &["two materials"]);
    let mut b = ModelBuilder::new();
    for _ in 0..2 {
        b.add_particles("dots", &[], &[]);
    }
    refused(b, twice, &["two groups", "\"dots\""]);
}

#[test]
fn cloth_edges_that_are_not_manifold() {
    let bad = |e: &E| matches!(e, E::NonManifoldEdge { .. });
    let v = |x: f64, y: f64, z: f64| Vec3::new(x, y, z);
    let vertices = vec![v(0., 0., 0.), v(1., 0., 0.), v(0., 1., 0.), v(1., -1., 0.), v(0., 0., 1.)];
    let cloth = |triangles: Vec<[u32; 3]>| {
        let mut b = ModelBuilder::new();
        b.add_cloth("flag", &TriMesh { vertices: vertices.clone(), triangles }, &ClothDef::default());
        b
    };
    refused(
        cloth(vec![[0, 1, 2], [1, 0, 3], [0, 1, 4]]),
        bad,
        &["cloth \"flag\"", "vertices 0 and 1", "3 triangles"],
    );
    refused(cloth(vec![[0, 1, 2], [0, 1, 3], [1, 0, 4]]), bad, &["3 triangles"]);
    refused(cloth(vec![[0, 1, 2], [0, 1, 3]]), bad, &["opposite ways", "flip"]);
}

#[test]
fn joints_that_cannot_be() {
    refused(
        with_joint(JointKind::Ball, |j| j.parent = Some(j.child)),
        |e| matches!(e, E::SelfJoint { .. }),
        &["\"elbow\"", "body \"lower\""],
    );
    let length = |e: &E| matches!(e, E::NonUnitAxis { .. });
    refused(
        with_joint(JointKind::Revolute, |j| j.axes[0].axis = Vec3::new(0., 0., 2.)),
        length,
        &["axis 0 has length 2"],
    );
    let crossed = |e: &E| matches!(e, E::LimitsCrossed { .. });
    let limit = |j: &mut JointDef| (j.axes[0].limit_lower, j.axes[0].limit_upper) = (1.0, -1.0);
    refused(with_joint(JointKind::Prismatic, limit), crossed, &["\"elbow\"", "1 > -1"]);
    let count = |e: &E| matches!(e, E::WrongCount { .. });
    refused(
        with_joint(JointKind::Revolute, |j| j.axes.clear()),
        count,
        &["a revolute joint takes 1 axes, given 0"],
    );
    refused(
        with_joint(JointKind::Ball, |j| j.axes.push(JointAxis::default())),
        count,
        &["takes 0 axes, given 1"],
    );
    refused(
        with_joint(JointKind::Ball, |j| j.q = Some(vec![0.0; 3])),
        count,
        &["takes 4 coordinates, given 3"],
    );
    refused(
        with_joint(JointKind::Free, |j| j.qd = Some(vec![0.0; 7])),
        count,
        &["takes 6 velocities, given 7"],
    );
    refused(with_joint(JointKind::Revolute, |j| j.target_q = vec![0.0; 2]), count, &["position targets"]);
    let bad = |e: &E| matches!(e, E::BadValue { .. });
    refused(
        with_joint(JointKind::Ball, |j| j.q = Some(vec![0.0, 0.0, 0.0, 2.0])),
        bad,
        &["length of its quaternion is 2"],
    );
    refused(
        with_joint(JointKind::D6 { linear: 4, angular: 0 }, |_| ()),
        bad,
        &["linear axes is 4", "at most 3"],
    );
    let rest = |j: &mut JointDef| j.rest_rotation = Some(Quat::identity());
    refused(
        with_joint(JointKind::Ball, rest),
        |e| matches!(e, E::NotApplicable { .. }),
        &["rest_rotation", "turn x_p or x_c"],
    );
}

#[test]
fn poses_that_contradict_given_coordinates() {
    let contradicts = |e: &E| matches!(e, E::PoseContradictsJoint { .. });
    let build = || with_joint(JointKind::Revolute, |j| j.q = Some(vec![0.5]));
    refused(build(), contradicts, &["\"elbow\"", "[0.5]", "5.000e-1 rad", "pose_from_joints()"]);
    let mut posed = build();
    posed.pose_from_joints();
    assert_eq!(posed.finalize().unwrap().joint_q[0], 0.5);
    let mut shifted = build();
    shifted.pose_from_joints();
    let pose = shifted.body(BodyId(1)).unwrap().pose;
    shifted.set_body_pose(BodyId(1), Pose::translation(Vec3::new(0.1, 0.0, 0.0)) * pose);
    refused(shifted, contradicts, &["1.000e-1 m"]);
}

#[test]
fn a_wrong_joint_met_while_posing() {
    let mut b = with_joint(JointKind::Revolute, |j| j.axes.clear());
    b.pose_from_joints();
    refused(b, |e| matches!(e, E::WrongCount { .. }), &["\"elbow\""]);
}

#[test]
fn color_groups_with_a_conflict_a_gap_a_repeat_or_a_stranger() {
    let build = |groups: &[&[u32]]| {
        let (mut b, v) = corner();
        b.add_spring(SpringDef { particles: [v[2], v[3]], ke: 1.0, kd: 0.0, rest_length: None });
        b.add_triangle([v[0], v[1], v[2]], TriangleMaterial::default());
        b.add_triangle([v[3], v[1], v[2]], TriangleMaterial::default());
        let ids = |g: &&[u32]| g.iter().map(|&i| ParticleId(i)).collect();
        b.set_particle_color_groups(groups.iter().map(ids).collect());
        b
    };
    assert!(build(&[&[0, 3], &[1], &[2]]).finalize().is_ok());
    let conflict = |e: &E| matches!(e, E::ColorConflict { .. });
    refused(
        build(&[&[0], &[3, 1], &[2]]),
        conflict,
        &["color group 1", "particle 3", "particle 1", "triangle 1"],
    );
    refused(build(&[&[0], &[1], &[2, 3]]), conflict, &["color group 2", "spring 0"]);
    let count = |e: &E| matches!(e, E::ColorCount { .. });
    refused(build(&[&[0, 3], &[1]]), count, &["particle 2 appears 0 times"]);
    refused(build(&[&[0, 3], &[1], &[2, 0]]), count, &["particle 0 appears 2 times"]);
    refused(
        build(&[&[0, 3], &[1], &[2, 4]]),
        |e| matches!(e, E::OutOfRange { .. }),
        &["color group 2", "particle 4"],
    );
    let mut b = with_joint(JointKind::Ball, |_| ());
    b.set_body_color_groups(vec![vec![BodyId(0), BodyId(1)]]);
    refused(b, conflict, &["body \"upper\"", "body \"lower\"", "joint \"elbow\""]);
}

#[test]
fn a_hinge_conflict_over_the_opposite_vertices_unless_bending_is_not_colored() {
    let build = |bending| {
        let (mut b, v) = corner();
        b.color_bending = bending;
        b.add_hinge(v, 1.0, 0.0, None);
        b.set_particle_color_groups(vec![vec![v[0], v[1]], vec![v[2]], vec![v[3]]]);
        b
    };
    assert!(build(false).finalize().is_ok());
    refused(build(true), |e| matches!(e, E::ColorConflict { .. }), &["hinge 0"]);
}

#[test]
fn mass_from_a_mesh_with_a_hole() {
    let mut mesh = crate::mesh::box_surface(Vec3::repeat(0.5));
    mesh.triangles.pop();
    let mut b = ModelBuilder::new();
    let body = b.add_body(BodyDef::default());
    let geometry = Geometry::Mesh(std::sync::Arc::new(mesh));
    let shape = ShapeDef { name: "crate".into(), body: Some(body), geometry, ..Default::default() };
    let mut weightless = b.clone();
    weightless.add_shape(ShapeDef { density: 0.0, ..shape.clone() });
    refused(weightless, |e| matches!(e, E::NoMass { .. }), &["volume and density"]);
    b.add_shape(shape);
    refused(b, |e| matches!(e, E::OpenMesh { .. }), &["shape \"crate\"", "no neighbor", "density to 0"]);
}

/// A weightless shape "rock" of a geometry.
fn rock(geometry: Geometry) -> ModelBuilder {
    let mut b = ModelBuilder::new();
    b.add_shape(ShapeDef { name: "rock".into(), geometry, density: 0.0, ..Default::default() });
    b
}

#[test]
fn meshes_and_hulls_that_nothing_can_meet() {
    let surface = |e: &E| matches!(e, E::BadSurface { .. });
    let mesh = |change: &dyn Fn(&mut TriMesh)| {
        let mut mesh = crate::mesh::box_surface(Vec3::repeat(0.5));
        change(&mut mesh);
        rock(Geometry::Mesh(std::sync::Arc::new(mesh)))
    };
    assert!(mesh(&|_| ()).finalize().is_ok());
    assert!(mesh(&|m| m.triangles.truncate(11)).finalize().is_ok(), "an open mesh has two sides");
    refused(mesh(&|m| m.triangles.clear()), surface, &["shape \"rock\"", "none of its 0", "COLLIDE"]);
    let invert = |m: &mut TriMesh| m.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    refused(mesh(&invert), surface, &["shape \"rock\"", "inward", "swap two vertices"]);
    let nan = |m: &mut TriMesh| m.vertices[2].y = f64::NAN;
    refused(mesh(&nan), |e| matches!(e, E::NotFinite { .. }), &["shape \"rock\"", "mesh vertex"]);
    let beyond = |m: &mut TriMesh| m.triangles[3][1] = 99;
    refused(mesh(&beyond), |e| matches!(e, E::OutOfRange { .. }), &["shape \"rock\"", "vertex 99"]);
    // one edge split at its middle on one side only, the gap closed by a line
    let split = |m: &mut TriMesh| {
        let [a, b, c] = m.triangles[0];
        let middle = m.vertices.len() as u32;
        m.vertices.push((m.vertices[a as usize] + m.vertices[b as usize]) * 0.5);
        m.triangles[0] = [a, middle, c];
        m.triangles.extend([[middle, b, c], [b, middle, a]]);
    };
    refused(mesh(&split), surface, &["shape \"rock\"", "is a line", "remove it"]);
    let hull = |points: Vec<Vec3>| {
        rock(Geometry::ConvexHull(std::sync::Arc::new(TriMesh { vertices: points, triangles: vec![] })))
    };
    let box_points = crate::mesh::box_surface(Vec3::new(1.0, 2.0, 1e-3)).vertices;
    assert!(hull(box_points.clone()).finalize().is_ok());
    let flat = box_points.iter().map(|p| Vec3::new(p.x, p.y, p.x + p.y)).collect();
    for points in [flat, vec![], vec![Vec3::x(); 5], box_points[..3].to_vec()] {
        refused(hull(points), surface, &["shape \"rock\"", "span no volume", "four points"]);
    }
}

#[test]
fn a_shape_without_size() {
    let bad = |e: &E| matches!(e, E::BadValue { .. });
    let (radius, half_height) = (0.0, 1.0);
    for geometry in [
        Geometry::Sphere { radius },
        Geometry::Capsule { radius, half_height },
        Geometry::Cylinder { radius, half_height },
        Geometry::Cone { radius, half_height },
        Geometry::Cone { radius: 1.0, half_height: 0.0 },
        Geometry::Box { half_extents: Vec3::new(1.0, 0.0, 1.0) },
        Geometry::Ellipsoid { radii: Vec3::new(1.0, 1.0, 0.0) },
    ] {
        refused(rock(geometry), bad, &["shape \"rock\"", "is 0", "positive length"]);
    }
}

#[test]
fn groups_that_nest_or_never_end() {
    let nesting = |e: &E| matches!(e, E::GroupNesting { .. });
    let mut b = ModelBuilder::new();
    b.begin_group("a", GroupKind::Particles);
    refused(b.clone(), nesting, &["\"a\" has not ended"]);
    b.add_particles("b", &[], &[]);
    refused(b, nesting, &["\"b\" begins before"]);
    let mut b = ModelBuilder::new();
    b.end_group();
    refused(b, nesting, &["ends though none has begun"]);
}
