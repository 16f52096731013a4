//! Closed forms against textbooks, meshes against closed forms, composition against both.

use std::sync::Arc;

use coact_math::Quat;

use super::*;
use crate::mesh::{box_surface, sphere};

fn close(a: &MassProperties, b: &MassProperties, tolerance: f64) {
    let scale = b.inertia.norm().max(b.mass);
    assert!((a.mass - b.mass).abs() < tolerance * b.mass, "mass {} != {}", a.mass, b.mass);
    assert!((a.com - b.com).norm() < tolerance, "com {} != {}", a.com, b.com);
    assert!((a.inertia - b.inertia).norm() < tolerance * scale, "{} != {}", a.inertia, b.inertia);
}

#[test]
fn solids_have_their_textbook_mass_and_inertia() {
    let m = |g: Geometry| g.mass_properties(2.0).unwrap();
    let diagonal =
        |p: &MassProperties| [p.inertia[(0, 0)], p.inertia[(1, 1)], p.inertia[(2, 2)]].map(|x| x / p.mass);
    let near = |a: [f64; 3], b: [f64; 3]| {
        a.iter().zip(b).for_each(|(a, b)| assert!((a - b).abs() < 1e-14, "{a} {b}"))
    };

    let ball = m(Geometry::Sphere { radius: 3.0 });
    assert!((ball.mass - 2.0 * 36.0 * PI).abs() < 1e-11);
    near(diagonal(&ball), [3.6; 3]);

    // Sides 2, 4, 6: (b² + c²)/12 and so on.
    let cuboid = m(Geometry::Box { half_extents: Vec3::new(1.0, 2.0, 3.0) });
    assert_eq!(cuboid.mass, 96.0);
    near(diagonal(&cuboid), [52.0 / 12.0, 40.0 / 12.0, 20.0 / 12.0]);

    // Height 4, radius 1: (3 r² + H²)/12 and r²/2.
    let rod = m(Geometry::Cylinder { radius: 1.0, half_height: 2.0 });
    assert!((rod.mass - 8.0 * PI).abs() < 1e-12);
    near(diagonal(&rod), [19.0 / 12.0, 19.0 / 12.0, 0.5]);

    // Height 4, radius 1: 3 r²/20 + 3 H²/80 about the centre of mass, a quarter up.
    let cone = m(Geometry::Cone { radius: 1.0, half_height: 2.0 });
    assert!((cone.mass - 8.0 / 3.0 * PI).abs() < 1e-12);
    assert_eq!(cone.com, Vec3::new(0.0, 0.0, -1.0));
    near(diagonal(&cone), [0.75, 0.75, 0.3]);

    let ellipsoid = m(Geometry::Ellipsoid { radii: Vec3::new(1.0, 2.0, 3.0) });
    near(diagonal(&ellipsoid), [13.0 / 5.0, 2.0, 1.0]);

    assert_eq!(m(Geometry::Plane), MassProperties::default());
}

#[test]
fn a_capsule_lies_between_its_ball_and_its_cylinder_limits() {
    let capsule = |r, h| Geometry::Capsule { radius: r, half_height: h }.mass_properties(1.0).unwrap();
    close(&capsule(0.8, 0.0), &Geometry::Sphere { radius: 0.8 }.mass_properties(1.0).unwrap(), 1e-14);
    let thin = Geometry::Cylinder { radius: 1e-6, half_height: 1.0 }.mass_properties(1.0).unwrap();
    assert!((capsule(1e-6, 1.0).inertia - thin.inertia).norm() < 1e-5 * thin.inertia.norm());
}

#[test]
fn a_mesh_of_a_box_has_the_inertia_of_the_box_wherever_it_lies() {
    let h = Vec3::new(0.3, 0.1, 0.7);
    let exact = Geometry::Box { half_extents: h }.mass_properties(500.0).unwrap();
    let pose = Pose::new(Vec3::new(4.0, -7.0, 2.0), Quat::from_euler_angles(0.3, -1.1, 2.0));
    let mut mesh = box_surface(h);
    close(&MassProperties::of_mesh(&mesh, 500.0).unwrap(), &exact, 1e-13);
    mesh.vertices.iter_mut().for_each(|v| *v = pose.point(v));
    close(&MassProperties::of_mesh(&mesh, 500.0).unwrap(), &exact.transformed(&pose), 1e-12);
    let shape = Geometry::Mesh(Arc::new(mesh));
    close(&shape.mass_properties(500.0).unwrap(), &exact.transformed(&pose), 1e-12);
}

#[test]
fn two_half_boxes_compose_to_the_whole_box() {
    let half = Geometry::Box { half_extents: Vec3::new(0.5, 0.2, 0.3) }.mass_properties(10.0).unwrap();
    let at = |x: f64, q: Quat| half.transformed(&Pose::new(Vec3::new(x, 1.0, 0.0), q));
    let turned = Quat::from_axis_angle(&Vec3::x_axis(), PI);
    let whole = Geometry::Box { half_extents: Vec3::new(1.0, 0.2, 0.3) }.mass_properties(10.0).unwrap();
    let sum = MassProperties::sum(&[at(0.5, Quat::identity()), at(-0.5, turned)]);
    close(&sum, &whole.transformed(&Pose::translation(Vec3::new(0.0, 1.0, 0.0))), 1e-14);
    assert_eq!(MassProperties::sum(&[]), MassProperties::default());
}

#[test]
fn a_hole_an_inward_surface_and_a_flat_one_are_refused() {
    let mut open = sphere(1.0, 1);
    open.triangles.pop();
    assert!(matches!(MassProperties::of_mesh(&open, 1.0), Err(SurfaceFault::Open { .. })));
    let mut one_flipped = sphere(1.0, 1);
    one_flipped.triangles[5].swap(0, 1);
    assert!(matches!(MassProperties::of_mesh(&one_flipped, 1.0), Err(SurfaceFault::Open { .. })));
    let mut inward = sphere(1.0, 1);
    inward.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    assert!(
        matches!(MassProperties::of_mesh(&inward, 1.0), Err(SurfaceFault::Inward { volume }) if volume < -3.0)
    );
    let mut flat = box_surface(Vec3::new(1.0, 1.0, 1.0));
    flat.vertices.iter_mut().for_each(|v| v.z = 0.0);
    assert_eq!(MassProperties::of_mesh(&flat, 1.0), Err(SurfaceFault::Flat));
    let bad = TriMesh { vertices: vec![Vec3::zeros()], triangles: vec![[0, 0, 9]] };
    assert_eq!(MassProperties::of_mesh(&bad, 1.0), Err(SurfaceFault::OutOfRange { vertex: 9 }));
}

#[test]
fn a_surface_with_a_vertex_per_corner_closes_over_equal_positions() {
    let shared = box_surface(Vec3::new(0.1, 0.2, 0.3));
    let vertices = shared.triangles.iter().flatten().map(|&v| shared.vertices[v as usize]).collect();
    let triangles = (0..12).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let split = MassProperties::of_mesh(&TriMesh { vertices, triangles }, 1.0).unwrap();
    close(&split, &MassProperties::of_mesh(&shared, 1.0).unwrap(), 1e-12);
}
