//! What is built is what was asked for, and what is wrong is refused by name.

mod refuses;
mod rods;
mod warns;

use std::f64::consts::FRAC_PI_2;

use coact_math::{Mat2, Mat3, Pose, Quat, Vec3};

use super::*;
use crate::ids::{BodyId, ParticleId, ShapeId};
use crate::joint::JointKind;
use crate::material::Material;
use crate::mesh::{CellSplit, Diagonal, cloth_grid, tet_box};
use crate::model::Model;
use crate::names::GroupKind;
use crate::shape::Geometry;

fn particle(x: f64, y: f64, z: f64) -> ParticleDef {
    ParticleDef { q: Vec3::new(x, y, z), ..Default::default() }
}

/// Four particles: the corners of a tetrahedron of volume 1/6.
fn corner() -> (ModelBuilder, [ParticleId; 4]) {
    let mut b = ModelBuilder::new();
    let at = [(0., 0., 0.), (1., 0., 0.), (0., 1., 0.), (0., 0., 1.)];
    let ids = at.map(|(x, y, z)| b.add_particle(particle(x, y, z)));
    (b, ids)
}

fn given(mass: f64, inertia: Mat3) -> BodyMass {
    BodyMass::Given { mass, com: Vec3::zeros(), inertia }
}

fn ball(name: &str) -> BodyDef {
    BodyDef { name: name.into(), mass: given(1.0, Mat3::identity()), ..Default::default() }
}

#[test]
fn an_empty_scene_is_a_model_with_gravity_and_one_material() {
    let m = ModelBuilder::new().finalize().unwrap();
    assert_eq!(m.gravity, Vec3::new(0.0, 0.0, -9.81));
    assert_eq!((m.particle_count(), m.body_count(), m.joint_count(), m.materials.len()), (0, 0, 0, 1));
    assert_eq!(m.names.find_material("default"), Some(crate::ids::MaterialId(0)));
    assert_eq!(m.joint_q_start[..], [0]);
}

#[test]
fn a_pinned_particle_keeps_mass_and_activity_and_a_deactivated_one_its_inverse_mass() {
    let (mut b, [p, q, ..]) = corner();
    b.pin_particle(p);
    b.deactivate_particle(q);
    let m = b.finalize().unwrap();
    assert_eq!((m.particle_mass[0], m.particle_inv_mass[0], m.particle_active[0]), (1.0, 0.0, true));
    assert_eq!((m.particle_inv_mass[1], m.particle_active[1]), (1.0, false));
    assert_eq!((m.particle_inv_mass[2], m.particle_active[2]), (1.0, true));
}

#[test]
fn rest_data_is_measured_on_rest_positions_not_on_initial_ones() {
    let (mut b, v) = corner();
    b.add_spring(SpringDef { particles: [v[0], v[1]], ke: 1.0, kd: 0.0, rest_length: None });
    b.add_triangle([v[0], v[1], v[2]], TriangleMaterial { mu: 1.0, ..Default::default() });
    b.add_tet(v, TetMaterial { mu: 1.0, ..Default::default() });
    b.set_particle_q(v[1], Vec3::new(7.0, 0.0, 0.0));
    b.set_particle_rest(v[2], Vec3::new(0.0, 2.0, 0.0));
    let m = b.finalize().unwrap();
    assert_eq!((m.particle_q[1].x, m.spring_rest_length[0]), (7.0, 1.0));
    assert_eq!(m.tri_rest_area[0], 1.0);
    assert_eq!(m.tri_rest_inv[0], Mat2::new(1.0, 0.0, 0.0, 0.5));
    assert_eq!(m.tet_rest_inv[0], Mat3::from_diagonal(&Vec3::new(1.0, 0.5, 1.0)));
}

#[test]
fn a_rest_triangle_has_its_edges_in_its_own_plane_axes() {
    let mut b = ModelBuilder::new();
    let x = [Vec3::new(0.3, 1.0, -2.0), Vec3::new(1.3, 1.5, -1.0), Vec3::new(-0.4, 2.0, 0.5)];
    let v = x.map(|q| b.add_particle(ParticleDef { q, ..Default::default() }));
    b.add_triangle(v, TriangleMaterial::default());
    let m = b.finalize().unwrap();
    let dm = m.tri_rest_inv[0].try_inverse().unwrap();
    let (d1, d2) = (x[1] - x[0], x[2] - x[0]);
    // Same metric, first edge along the first axis, positively oriented.
    let metric = Mat2::new(d1.dot(&d1), d1.dot(&d2), d1.dot(&d2), d2.dot(&d2));
    assert!((dm.transpose() * dm - metric).norm() < 1e-13 && dm[(1, 0)].abs() < 1e-15);
    assert!((m.tri_rest_area[0] - 0.5 * d1.cross(&d2).norm()).abs() < 1e-14 && dm.determinant() > 0.0);
}

#[test]
fn a_hinge_is_flat_at_zero_and_folds_to_the_given_side_with_the_given_sign() {
    let fold = |angle: f64| {
        let mut b = ModelBuilder::new();
        let back = Vec3::new(-angle.cos(), 0.0, angle.sin());
        let x = [Vec3::new(1., 0., 0.), back, Vec3::new(0., 0., 0.), Vec3::new(0., 2., 0.)];
        let v = x.map(|q| b.add_particle(ParticleDef { q, ..Default::default() }));
        b.add_hinge(v, 1.0, 0.0, None);
        let m = b.finalize().unwrap();
        (m.hinge_rest_angle[0], m.hinge_rest_length[0])
    };
    for angle in [0.0, 0.4, -1.1, 3.0] {
        let (measured, length) = fold(angle);
        // The formula of the reference, written out: n1, n2 and the edge.
        let (n1, e) = (Vec3::z(), Vec3::y());
        let n2 = Vec3::new(angle.sin(), 0.0, angle.cos());
        let expected = n1.cross(&n2).dot(&e).atan2(n1.dot(&n2));
        assert!((measured.abs() - angle.abs()).abs() < 1e-14, "{measured} for {angle}");
        assert!((measured - expected).abs() < 1e-14, "{measured} != {expected}");
        assert_eq!(length, 2.0);
    }
}

#[test]
fn given_rest_data_is_kept_bit_for_bit() {
    let (mut b, v) = corner();
    let tri = TriangleRest { inv: Mat2::new(1.25, 0.5, 0.0, 3.0), area: 0.123 };
    let tet = Mat3::new(2.0, 0.1, 0.2, 0.0, 3.0, 0.4, 0.0, 0.0, 4.0);
    b.add_triangle_with_rest([v[0], v[1], v[2]], TriangleMaterial::default(), tri);
    b.add_hinge_with_rest(v, 1.0, 0.0, HingeRest { angle: -0.7, length: 0.31 });
    b.add_tet_with_rest(v, TetMaterial::default(), tet);
    let m = b.finalize().unwrap();
    assert_eq!((m.tri_rest_inv[0], m.tri_rest_area[0]), (tri.inv, tri.area));
    assert_eq!((m.hinge_rest_angle[0], m.hinge_rest_length[0]), (-0.7, 0.31));
    assert_eq!(m.tet_rest_inv[0], tet);
}

#[test]
fn a_cloth_weighs_density_times_area_and_bends_over_its_interior_edges() {
    let mut b = ModelBuilder::new();
    b.add_particle(particle(9.0, 9.0, 9.0));
    let mesh = cloth_grid([4, 3], [2.0, 1.5], Diagonal::Alternating);
    let pose = Pose::new(Vec3::new(0.0, 0.0, 1.0), Quat::from_axis_angle(&Vec3::x_axis(), FRAC_PI_2));
    let def = ClothDef { pose, density: 0.5, velocity: Vec3::new(1.0, 0.0, 0.0), ..Default::default() };
    assert_eq!(b.add_cloth("flag", &mesh, &def), 0);
    assert_eq!(b.group_particles(0).nth(1), Some(ParticleId(2)));
    let m = b.finalize().unwrap();
    let group = m.names.group("flag").unwrap();
    assert_eq!(
        (group.kind, group.particles.clone(), group.triangles.clone()),
        (GroupKind::Cloth, 1..21, 0..24)
    );
    assert_eq!(group.hinges, 0..(12 + 3 * 3 + 4 * 2));
    assert_eq!(group.surface[0], mesh.triangles[0].map(|v| v + 1));
    assert!((m.particle_mass[1..].iter().sum::<f64>() - 1.5).abs() < 1e-14);
    assert!((m.tri_rest_area.iter().sum::<f64>() - 3.0).abs() < 1e-14);
    assert!(m.hinge_rest_angle.iter().all(|a| a.abs() < 1e-14));
    assert!((m.particle_q[20] - Vec3::new(2.0, 0.0, 2.5)).norm() < 1e-14);
    assert_eq!(m.particle_qd[5], def.velocity);
}

#[test]
fn a_soft_body_weighs_density_times_volume_and_shows_its_boundary() {
    let mut b = ModelBuilder::new();
    let mesh = tet_box([2, 2, 2], Vec3::new(0.2, 0.2, 0.2), CellSplit::Five);
    b.add_soft("jelly", &mesh, &SoftDef { density: 500.0, ..Default::default() });
    let m = b.finalize().unwrap();
    assert!((m.particle_mass.iter().sum::<f64>() - 4.0).abs() < 1e-14);
    let group = &m.names.groups[0];
    assert_eq!((group.kind, group.tets.clone(), group.surface.len()), (GroupKind::Soft, 0..40, 48));
    let volume: f64 = m.tet_rest_inv.iter().map(|i| 1.0 / (6.0 * i.determinant())).sum();
    assert!((volume - 0.008).abs() < 1e-15);
}

#[test]
fn loose_particles_count_their_springs_from_the_group_and_a_free_group_takes_what_lies_between() {
    let mut b = ModelBuilder::new();
    b.add_particle(particle(0.0, 0.0, 5.0));
    let spring = LooseSpring { ends: [0, 1], ke: 5.0, kd: 0.0, rest_length: None };
    b.add_particles("dots", &[particle(0., 0., 0.), particle(3., 4., 0.)], &[spring]);
    let hand_made = b.begin_group("hand made", GroupKind::Cloth);
    let v = [(0., 0., 0.), (1., 0., 0.), (0., 1., 0.)].map(|(x, y, z)| b.add_particle(particle(x, y, z)));
    b.add_triangle(v, TriangleMaterial::default());
    b.end_group();
    assert_eq!(b.names().find_group("hand made"), Some(hand_made));
    let m = b.finalize().unwrap();
    assert_eq!(m.spring_indices[0], [ParticleId(1), ParticleId(2)]);
    assert_eq!(m.spring_rest_length[0], 5.0);
    assert_eq!(m.names.groups[1].particles, 3..6);
    assert_eq!(m.names.groups[1].surface, vec![[3, 4, 5]]);
}

#[test]
fn names_find_what_was_added_under_them() {
    let mut b = ModelBuilder::new();
    b.add_material("ice", Material::default());
    let [arm, hand] = ["arm", "hand"].map(|n| b.add_body(ball(n)));
    b.add_shape(ShapeDef { name: "floor".into(), ..Default::default() });
    let name = "wrist".into();
    b.add_joint(JointDef { name, ..JointDef::new(JointKind::Ball, Some(arm), hand) });
    let m = b.finalize().unwrap();
    assert_eq!((m.names.find_body("hand"), m.names.find_body("")), (Some(hand), None));
    assert_eq!(m.names.find_joint("wrist"), Some(crate::ids::JointId(0)));
    assert_eq!(m.names.find_shape("floor"), Some(ShapeId(0)));
    assert_eq!(m.names.find_material("ice"), Some(crate::ids::MaterialId(1)));
    assert_eq!(m.names.body_label(arm), "body \"arm\"");
}

#[test]
fn mass_from_shapes_adds_shapes_at_their_poses() {
    let mut b = ModelBuilder::new();
    let body = b.add_body(BodyDef::default());
    for x in [-0.5, 0.5] {
        let geometry = Geometry::Box { half_extents: Vec3::new(0.5, 0.2, 0.3) };
        let pose = Pose::translation(Vec3::new(x, 2.0, 0.0));
        b.add_shape(ShapeDef { body: Some(body), geometry, pose, density: 10.0, ..Default::default() });
    }
    // Weightless and static shapes add nothing.
    let geometry = Geometry::Sphere { radius: 3.0 };
    b.add_shape(ShapeDef {
        body: Some(body),
        geometry: geometry.clone(),
        density: 0.0,
        ..Default::default()
    });
    b.add_shape(ShapeDef { geometry, ..Default::default() });
    let m = b.finalize().unwrap();
    let whole = Geometry::Box { half_extents: Vec3::new(1.0, 0.2, 0.3) }.mass_properties(10.0).unwrap();
    assert!((m.body_mass[0] - whole.mass).abs() < 1e-14);
    assert!((m.body_com[0] - Vec3::new(0.0, 2.0, 0.0)).norm() < 1e-15);
    assert!((m.body_inertia[0] - whole.inertia).norm() < 1e-14);
    assert!((m.body_inv_inertia[0] * whole.inertia - Mat3::identity()).norm() < 1e-12);
}

#[test]
fn a_kinematic_body_needs_no_mass_and_keeps_one_that_it_has() {
    let mut b = ModelBuilder::new();
    b.add_body(BodyDef { kinematic: true, ..Default::default() });
    b.add_body(BodyDef { kinematic: true, ..ball("") });
    let m = b.finalize().unwrap();
    assert_eq!((m.body_mass[0], m.body_mass[1]), (0.0, 1.0));
    assert_eq!((m.body_inv_mass[..].to_vec(), m.body_inv_inertia[1]), (vec![0.0; 2], Mat3::zeros()));
}

#[test]
fn shapes_of_one_body_and_those_asked_for_are_filtered_and_others_are_not() {
    let mut b = ModelBuilder::new();
    let [p, c, other] = [0, 1, 2].map(|_| b.add_body(ball("")));
    let geometry = Geometry::Sphere { radius: 0.1 };
    let mut shape = |body| b.add_shape(ShapeDef { body, geometry: geometry.clone(), ..Default::default() });
    let [a0, _, a1, o, floor] = [Some(p), Some(c), Some(p), Some(other), None].map(&mut shape);
    b.add_joint(JointDef::new(JointKind::Ball, Some(p), c));
    b.add_joint(JointDef::new(JointKind::Free, None, other));
    b.filter_shapes(floor, o);
    b.filter_shapes(a0, a1);
    let m = b.finalize().unwrap();
    assert_eq!(m.shape_filter_pairs[..], [(a0, a1), (o, floor)]);
}

fn no_element_has_two_of_a_color(m: &Model, bending: bool) {
    let c = |p: &ParticleId| m.particle_color[p.index()];
    let differ = |v: &[ParticleId]| v.iter().enumerate().all(|(i, a)| v[..i].iter().all(|b| c(a) != c(b)));
    assert!(m.spring_indices.iter().all(|v| differ(v)));
    assert!(m.tri_indices.iter().all(|v| differ(v)));
    assert!(m.tet_indices.iter().all(|v| differ(v)));
    if bending {
        assert!(m.hinge_indices.iter().all(|v| differ(v)));
    }
}

#[test]
fn no_element_has_two_particles_of_a_color_and_bending_is_optional() {
    let build = |bending, soft| {
        let mut b = ModelBuilder::new();
        b.color_bending = bending;
        b.add_cloth("c", &cloth_grid([9, 7], [1.0, 1.0], Diagonal::Uniform), &ClothDef::default());
        if soft {
            b.add_soft("s", &tet_box([3, 3, 3], Vec3::repeat(1.0), CellSplit::Five), &SoftDef::default());
        }
        b.finalize().unwrap()
    };
    no_element_has_two_of_a_color(&build(true, true), true);
    no_element_has_two_of_a_color(&build(false, true), false);
    let colors = |m: &Model| m.particle_color.iter().max().unwrap() + 1;
    // A triangulated grid has three colors; a hinge alone needs four.
    let (with, without) = (colors(&build(true, false)), colors(&build(false, false)));
    assert!(without == 3 && (4..=6).contains(&with), "{without} without, {with} with bending");
    assert_eq!(build(true, true).particle_color[..], build(true, true).particle_color[..]);
}

/// Published acceptance of colorings: proper and even, also where one Lamé number is zero.
#[test]
fn a_mesh_is_colored_evenly_also_with_one_lame_number_zero() {
    let mesh = cloth_grid([30, 20], [3.0, 2.0], Diagonal::Uniform);
    // Hinges leave hardly a choice among four colors.
    for (mu, lambda, bend_ke, ratio) in
        [(1e3, 1e3, 1.0, 1.25), (1e3, 1e3, 0.0, 1.1), (1e3, 0.0, 0.0, 1.1), (0.0, 1e3, 0.0, 1.1)]
    {
        let mut b = ModelBuilder::new();
        b.add_cloth("cloth", &mesh, &ClothDef { mu, lambda, bend_ke, ..ClothDef::default() });
        let m = b.finalize().unwrap();
        assert_eq!(m.tri_indices.len(), mesh.triangles.len(), "no triangle is left out");
        no_element_has_two_of_a_color(&m, bend_ke > 0.0);
        let mut sizes = vec![0_usize; *m.particle_color.iter().max().unwrap() as usize + 1];
        m.particle_color.iter().for_each(|&c| sizes[c as usize] += 1);
        let (most, least) = (sizes.iter().max().unwrap(), sizes.iter().min().unwrap());
        assert!(*most as f64 <= ratio * *least as f64, "{sizes:?}");
    }
}

#[test]
fn unjointed_bodies_have_one_color_and_jointed_ones_differ() {
    let build = |joints: &[(u32, u32)]| {
        let mut b = ModelBuilder::new();
        (0..5).for_each(|_| _ = b.add_body(ball("")));
        for &(p, c) in joints {
            b.add_joint(JointDef::new(JointKind::Ball, Some(BodyId(p)), BodyId(c)));
        }
        b.add_joint(JointDef::new(JointKind::Free, None, BodyId(4)));
        b.finalize().unwrap().body_color.to_vec()
    };
    assert_eq!(build(&[]), [0; 5]);
    let chain = build(&[(0, 1), (1, 2), (2, 3)]);
    assert!(chain.windows(2).take(3).all(|w| w[0] != w[1]) && chain.iter().all(|&c| c < 2), "{chain:?}");
}

#[test]
fn explicit_color_groups_are_taken_with_their_order() {
    let (mut b, v) = corner();
    b.add_spring(SpringDef { particles: [v[0], v[1]], ke: 1.0, kd: 0.0, rest_length: None });
    b.add_body(ball(""));
    let groups = vec![vec![v[3], v[1]], vec![v[2], v[0]]];
    b.set_particle_color_groups(groups.clone());
    b.set_body_color_groups(vec![vec![], vec![BodyId(0)]]);
    let m = b.finalize().unwrap();
    assert_eq!(m.particle_color[..], [1, 0, 1, 0]);
    assert_eq!(m.particle_color_groups[..], groups);
    assert_eq!(m.body_color[..], [1]);
}

#[test]
fn joints_lay_out_coordinates_freedoms_and_axes_in_order() {
    let mut b = ModelBuilder::new();
    let ids = [0, 1, 2, 3].map(|_| b.add_body(ball("")));
    let kinds = [JointKind::Free, JointKind::Revolute, JointKind::Ball, JointKind::Rod];
    for (kind, child) in kinds.into_iter().zip(ids) {
        let mut def = JointDef::new(kind, None, child);
        if kind == JointKind::Revolute {
            (def.target_q, def.target_qd) = (vec![0.7], vec![0.1]);
        }
        b.add_joint(def);
    }
    let m = b.finalize().unwrap();
    assert_eq!(m.joint_q_start[..], [0, 7, 8, 12, 12]);
    assert_eq!(m.joint_qd_start[..], [0, 6, 7, 10, 10]);
    assert_eq!(m.joint_axis_start[..], [0, 0, 1, 1, 7]);
    assert_eq!(m.joint_q[..], [0., 0., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.]);
    assert_eq!((m.joint_target_q[0], m.joint_target_qd[0], m.joint_target_q.len()), (0.7, 0.1, 7));
    assert_eq!(m.control().joint_f.len(), 10);
}

#[test]
fn a_rod_takes_its_rest_bend_from_the_poses_unless_it_is_given() {
    let turn = Quat::from_euler_angles(0.2, 0.1, -0.3);
    let build = |rest_rotation| {
        let mut b = ModelBuilder::new();
        let p = b.add_body(ball(""));
        let c = b.add_body(BodyDef { pose: Pose::new(Vec3::zeros(), turn), ..ball("") });
        b.add_joint(JointDef { rest_rotation, ..JointDef::new(JointKind::Rod, Some(p), c) });
        b.finalize().unwrap().joint_rest_rotation[0]
    };
    assert!(build(None).angle_to(&turn) < 1e-15);
    assert_eq!(build(Some(Quat::identity())), Quat::identity());
}

#[test]
fn a_hundred_thousand_particles_finalize_in_linear_time() {
    let mut b = ModelBuilder::new();
    let mesh = cloth_grid([316, 316], [10.0, 10.0], Diagonal::Alternating);
    b.add_cloth("large", &mesh, &ClothDef::default());
    // All but coloring, which has its own bound.
    let start = std::time::Instant::now();
    b.check().unwrap();
    let m = b.columns().unwrap();
    let seconds = start.elapsed().as_secs_f64();
    assert_eq!(m.particle_count(), 317 * 317);
    assert!(seconds < 2.0, "{seconds} s: about 0.05 s is usual");
}
