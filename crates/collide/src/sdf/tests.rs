//! Distances against brute force, their gradients, and what each shape promises.

use super::*;
use crate::sample::vectors;
use coact_math::{F32x8, F64x4, Real, Scalar};
use coact_model::{TriMesh, mesh};

const FORMULAS: [Sdf; 11] = [
    Sdf::Plane,
    Sdf::Sphere { radius: 0.5 },
    Sdf::Box { half_extents: [0.3, 0.5, 0.2] },
    Sdf::Capsule { radius: 0.2, half_height: 0.4 },
    Sdf::Cylinder { radius: 0.3, half_height: 0.5 },
    Sdf::Cone { radius: 0.4, half_height: 0.5 },
    Sdf::Cone { radius: 0.8, half_height: 0.05 },
    Sdf::Ellipsoid { radii: [0.3, 0.5, 0.2] },
    Sdf::Ellipsoid { radii: [0.4, 0.4, 0.4] },
    Sdf::Ellipsoid { radii: [0.8, 0.6, 0.001] },
    Sdf::Ellipsoid { radii: [0.05, 0.05, 0.9] },
];

fn samples() -> impl Iterator<Item = V3<f64>> {
    let mut next = vectors(7, 1.0);
    (0..2000).map(move |_| V3::from_host(&next()))
}

fn gradient(distance: impl Fn(V3<f64>) -> f64, x: V3<f64>) -> V3<f64> {
    let h = 1e-6;
    let d = |dx: V3<f64>| (distance(x + dx) - distance(x - dx)) / (2.0 * h);
    V3::new(d(V3::new(h, 0.0, 0.0)), d(V3::new(0.0, h, 0.0)), d(V3::new(0.0, 0.0, h)))
}

#[test]
fn the_normal_is_the_gradient_of_the_distance() {
    for sdf in FORMULAS {
        let mut checked = 0;
        for x in samples() {
            let (at, g) = (sdf.eval(x), gradient(|x| sdf.eval(x).distance, x));
            // a sample astride two faces has no gradient
            if (g.norm() - 1.0).abs() < 1e-6 {
                assert!((g - at.normal).norm() < 1e-5, "{sdf:?} at {x:?}: {g:?} {at:?}");
                checked += 1;
            }
        }
        assert!(checked > 1900, "{sdf:?}: only {checked} samples were smooth");
    }
}

#[test]
fn the_closest_point_is_on_the_surface_at_the_distance() {
    for sdf in FORMULAS {
        for x in samples() {
            let at = sdf.eval(x);
            assert!((x - at.point - at.normal * at.distance).norm() < 1e-12, "{sdf:?} at {x:?}: {at:?}");
            assert!(sdf.eval(at.point).distance.abs() < 1e-12, "{sdf:?} at {x:?}: {at:?}");
            assert!((at.normal.norm() - 1.0).abs() < 1e-14);
            assert!(x.norm() - sdf.bounding_radius() <= at.distance + 1e-12);
            let e = sdf.half_extents().unwrap_or(Vec3::repeat(f64::INFINITY));
            assert!(at.point.to_host(0).abs().iter().zip(&e).all(|(p, e)| *p <= e + 1e-12));
        }
    }
}

/// Points of the surface of a cone or ellipsoid, `n` around and `n` along.
fn surface(sdf: &Sdf, n: usize) -> Vec<V3<f64>> {
    let at = |i: usize, j: usize| {
        let (turn, s) = (std::f64::consts::TAU * i as f64 / n as f64, j as f64 / n as f64);
        let (sin, cos) = turn.sin_cos();
        match *sdf {
            Sdf::Cone { radius, half_height } => {
                let side = [s * radius, half_height * (1.0 - 2.0 * s)];
                let base = [s * radius, -half_height];
                [side, base].map(|[r, z]| V3::new(r * cos, r * sin, z))
            }
            Sdf::Ellipsoid { radii: [a, b, c] } => {
                let (r, z) = (std::f64::consts::PI * s).sin_cos();
                [V3::new(a * r * cos, b * r * sin, c * z); 2]
            }
            _ => unreachable!("sampled shapes only"),
        }
    };
    (0..n * (n + 1)).flat_map(|k| at(k % n, k / n)).collect()
}

#[test]
fn cones_and_ellipsoids_agree_with_the_nearest_of_many_surface_points() {
    for sdf in &FORMULAS[5..] {
        let points = surface(sdf, 400);
        for x in samples().take(60) {
            let nearest = points.iter().map(|p| (x - *p).norm()).fold(f64::INFINITY, f64::min);
            let found = sdf.eval(x).distance.abs();
            // 400 samples around leave gaps of up to 13 mm
            assert!(found <= nearest + 1e-12, "{sdf:?} at {x:?}: {found} is not the nearest, {nearest}");
            assert!(nearest - found < 4e-3, "{sdf:?} at {x:?}: {found} {nearest}");
        }
    }
}

#[test]
fn an_ellipsoid_is_right_at_its_centre_on_its_axes_and_on_its_medial_disc() {
    let e = Sdf::Ellipsoid { radii: [3.0, 2.0, 1e-3] };
    let at = |x: f64, y: f64, z: f64| e.eval(V3::new(x, y, z));
    let centre = at(0.0, 0.0, 0.0);
    assert!((centre.distance + 1e-3).abs() < 1e-18 && (centre.normal.z - 1.0).abs() < 1e-12, "{centre:?}");
    for x in [1e-12, 1.5, 2.9, 2.9999, 3.0 - 1e-7, 3.0, 3.5, 1e3] {
        let p = at(x, 0.0, 0.0);
        assert!(p.distance.is_finite() && (p.normal.norm() - 1.0).abs() < 1e-14, "{x}: {p:?}");
        if x >= 3.0 {
            assert!((p.distance - (x - 3.0)).abs() < 1e-13 * x, "{x}: {p:?}");
        } else {
            assert!(p.distance < 0.0 && p.distance > -1.001e-3, "{x}: {p:?}");
        }
    }
    // the rim of the medial disc, where the root is double: x = (a² − c²)/a
    let rim = (9.0 - 1e-6) / 3.0;
    let p = at(rim, 0.0, 0.0);
    assert!((p.distance + 1e-6 / 3.0).abs() < 1e-13, "{p:?}");
}

#[test]
fn a_cone_is_right_at_its_tip_its_rim_and_its_base() {
    let c = Sdf::Cone { radius: 1.0, half_height: 1.0 };
    let at = |x: f64, z: f64| c.eval(V3::new(x, 0.0, z));
    assert_eq!((at(0.0, 1.5).distance, at(0.0, 1.5).normal.z), (0.5, 1.0));
    assert_eq!((at(0.0, 1.0).distance, at(0.0, 1.0).normal.z > 0.0), (0.0, true));
    assert_eq!((at(0.25, -1.5).distance, at(0.25, -1.5).normal.z), (0.5, -1.0));
    let rim = at(2.0, -2.0);
    assert!((rim.distance - 2.0_f64.sqrt()).abs() < 1e-15 && rim.point == V3::new(1.0, 0.0, -1.0));
    assert_eq!(at(0.1, -0.9).normal, V3::new(0.0, 0.0, -1.0));
    let on_side = at(0.5, 0.0);
    assert!(on_side.distance.abs() < 1e-16 && (on_side.normal.x - 2.0 / 5.0_f64.sqrt()).abs() < 1e-15);
}

/// A lane holds the bits of the scalar of its precision.
fn expect_lanes<R: Real>(scalar: impl Fn(&Sdf, V3<R::Scalar>) -> SurfacePoint<R::Scalar>) {
    let points: Vec<V3<R::Scalar>> = samples()
        .take(96)
        .chain([V3::new(0.0, 0.0, 0.0), V3::new(0.3, 0.0, 0.0), V3::new(f64::NAN, 0.0, 0.0)])
        .map(|x| V3::from_host(&x.to_host(0)))
        .collect();
    for sdf in FORMULAS {
        for chunk in points.chunks_exact(R::LANES) {
            let wide = sdf.eval(V3::<R>::from_fn(|i| chunk[i]));
            for (i, &x) in chunk.iter().enumerate() {
                let one = scalar(&sdf, x);
                let same = wide.distance.lane(i) == one.distance
                    && wide.point.lane(i) == one.point
                    && wide.normal.lane(i) == one.normal;
                assert!(same || x.x.to_f64().is_nan(), "{sdf:?} at {x:?}");
            }
        }
    }
}

#[test]
fn lanes_give_the_bits_of_scalars() {
    expect_lanes::<F64x4>(|s, x| s.eval(x));
    expect_lanes::<F32x8>(|s, x| s.eval(x));
}

#[test]
fn single_precision_is_right_to_its_rounding() {
    for sdf in FORMULAS {
        for x in samples().take(500) {
            let single: V3<f32> = V3::from_host(&x.to_host(0));
            let (d, exact) = (sdf.eval(single).distance, sdf.eval(x).distance);
            assert!((f64::from(d) - exact).abs() < 2e-6, "{sdf:?} at {x:?}: {d} {exact}");
        }
    }
}

#[test]
fn known_distances() {
    let at = |s: &Sdf, x: f64, y: f64, z: f64| s.eval(V3::new(x, y, z)).distance;
    assert_eq!(at(&FORMULAS[0], 3.0, 1.0, -0.25), -0.25);
    assert_eq!(at(&FORMULAS[1], 0.0, 0.0, 0.0), -0.5);
    assert_eq!(at(&FORMULAS[2], 0.0, 0.0, 0.0), -0.2);
    assert_eq!(at(&FORMULAS[2], 0.6, 0.9, 0.0), 0.5);
    assert!((at(&FORMULAS[3], 0.0, 0.3, 1.2) - (0.73_f64.sqrt() - 0.2)).abs() < 1e-15);
    let deep = Sdf::Cylinder { radius: 3.0, half_height: 5.0 };
    assert_eq!(at(&deep, 0.5, 0.0, 0.0), -2.5);
}

mod surfaces;
