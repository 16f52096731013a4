//! Published acceptance values of the reference implementation's own tests, and
//! states that are degenerate.

use super::*;
use coact_math::eigenvalues;

/// A pure rotation by 0.1 rad: no force, and kd/dt along the spring. In f32 the
/// rounded sine and cosine are themselves 1e-8 off the circle, times kd/dt = 200.
#[test]
fn spring_damping_is_axial() {
    fn turned<R: Real>(sin: f64, cos: f64) -> Block<R> {
        let s = Spring::<R> { l0: R::one(), ke: R::zero(), kd: R::from_f64(20.0) };
        let (now, before) = (Vec3::x(), Vec3::new(cos, sin, 0.0));
        let now = V3::from_host(&now);
        eval_spring_damping(&s, now, now - V3::from_host(&before), R::from_f64(1.0 / 0.1))
    }
    let block = turned::<f64>(0.1f64.sin(), 0.1f64.cos());
    assert!(block.f.norm() < 1e-6, "{:?}", block.f);
    assert_eq!(block.H, S3 { xx: 200.0, ..S3::zero() });
    let (sin, cos) = (0.1f32.sin(), 0.1f32.cos());
    let (single, double) = (turned::<f32>(sin.into(), cos.into()), turned::<f64>(sin.into(), cos.into()));
    assert!((single.f.to_host(0) - double.f.to_host(0)).norm() < 3e-6 && single.f.norm() < 3e-6);
    assert_eq!(single.H, S3 { xx: 200.0, ..S3::zero() });
}

#[test]
fn bending_damping_is_off_where_the_start_was_degenerate() {
    let h = Hinge::<f32> { L0: 1.0, theta0: 0.0, ke: 0.0, kd: 5.0 };
    let x = kernel::<f32, 4>(&HINGE);
    let now = eval_hinge_angle(&x);
    let start = eval_hinge_angle::<f32>(&[V3::zero(); 4]);
    assert!(now.regular && !start.regular);
    for i in 0..4 {
        let block = eval_hinge_damping(&h, now.theta, (start.theta, start.regular), now.gradient(i), 60.0);
        assert_eq!(block, Block::zero());
    }
}

/// f32 against f64 on stretched triangles and slivers: 3e-4 relative, no eigenvalue
/// below -1e-6 of the largest. The error is that of a cross product, ε over the sine
/// between the columns of F (1e-3 here); slivers beyond 3e-4 rad pass the bound.
#[test]
fn membrane_handles_stretched_and_sliver_triangles() {
    let mut r = Lcg::new(31);
    let (mut worst, mut lowest): (f64, f64) = (0.0, 0.0);
    let shapes = [(1.0, 1.0), (50.0, 1.0), (1.0, 100.0), (300.0, 0.1), (1e-2, 1e-2), (20.0, 0.05)];
    for k in 0..600 {
        let (p, q) = shapes[k % shapes.len()];
        let stretched = [Vec3::zeros(), Vec3::new(p, 0.0, 0.0), Vec3::new(0.3 * p, q, 0.1 * q)];
        let turn = r.rotation();
        let x = stretched.map(|v| V3::<f32>::from_host(&(turn * v)).to_host(0));
        let rest = [Vec3::zeros(), Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0)];
        let e64 = Membrane::<f64>::from_rest(&rest, 100.0, 100.0, 0.0).unwrap();
        let e32 = Membrane::<f32>::from_rest(&rest, 100.0, 100.0, 0.0).unwrap();
        for i in 0..3 {
            let (a, _) = membrane(&e32, &kernel(&x), &kernel(&x), i);
            let (b, _) = membrane(&e64, &kernel(&x), &kernel(&x), i);
            let (H, H64) = (a.H.to_host(0), b.H.to_host(0));
            let error = (H - H64).norm() / H64.norm();
            let force = (a.f.to_host(0) - b.f.to_host(0)).norm() / b.f.to_host(0).norm();
            worst = worst.max(error).max(force);
            lowest = lowest.min(eigenvalues(&H)[0] / eigenvalues(&H)[2]);
        }
    }
    println!("sliver membranes: {worst:.1e} relative, lowest eigenvalue {lowest:.1e}");
    assert!(worst < 3e-4 && lowest > -1e-6);
}

/// 100 random rigid motions in f32: every damping force below 1e-4 N.
#[test]
fn damping_ignores_rigid_motion() {
    let mut r = Lcg::new(32);
    let mut worst: f64 = 0.0;
    for _ in 0..100 {
        let (q, t) = (r.rotation(), r.vec());
        let after = |p: Vec3| q * p + t;
        let mut see = |b: Block<f32>| worst = worst.max(f64::from(b.f.norm()));
        let (x, u) = (TET.map(after), minus(&TET.map(after), &TET));
        let tet = Tetrahedron::from_rest(&TET, 1.0, 1.0, 1.0).unwrap();
        let bar = Spring { l0: 1.0, ke: 1.0, kd: 1.0 };
        for i in 0..4 {
            see(tetrahedron::<f32>(&tet, &kernel(&x), &kernel(&u), i).1);
        }
        see(spring::<f32>(
            &bar,
            V3::from_host(&(x[1] - x[0])),
            V3::from_host(&(u[1] - u[0])),
            SpringHessian::Clamped,
        )
        .1);
        let (x, u) = (TRI.map(after), minus(&TRI.map(after), &TRI));
        let tri = Membrane::from_rest(&TRI, 1.0, 1.0, 1.0).unwrap();
        for i in 0..3 {
            see(membrane::<f32>(&tri, &kernel(&x), &kernel(&u), i).1);
        }
        let (x, u) = (HINGE.map(after), minus(&HINGE.map(after), &HINGE));
        let fold = Hinge { L0: 1.0, theta0: 0.0, ke: 1.0, kd: 1.0 };
        for i in 0..4 {
            see(hinge::<f32>(&fold, &kernel(&x), &kernel(&u), i).1);
        }
    }
    println!("damping of rigid motion: {worst:.1e} N");
    assert!(worst > 0.0 && worst < 1e-4);
}

/// 30 random tetrahedra, also with negative moduli, in f32: force = -∂E/∂x with
/// rtol 1e-4, atol 0.1.
#[test]
fn tetrahedron_energy_with_negative_moduli() {
    let mut r = Lcg::new(33);
    for k in 0..30 {
        let rest = r.near(&TET, 0.3);
        let (mu, lambda) = [(1e3, 1e3), (-500.0, 2e3), (2e3, -3e3)][k % 3];
        let e32 = Tetrahedron::<f32>::from_rest(&rest, mu, lambda, 0.0).unwrap();
        let e64 = Tetrahedron::<f64>::from_rest(&rest, mu, lambda, 0.0).unwrap();
        let x = r.near(&TET, 1.0);
        for i in 0..4 {
            let f = tetrahedron(&e32, &kernel(&x), &kernel(&x), i).0.f.to_host(0);
            let F = |v: &Vec3| tetrahedron_F(&edges(&kernel(&moved(&x, i, v))), &e64.Dm_inv);
            let gradient = difference(&x[i], |v| e64.V * tetrahedron_psi(&e64, &F(v)));
            for c in 0..3 {
                assert!((f[c] + gradient[c]).abs() <= 0.1 + 1e-4 * gradient[c].abs());
            }
        }
    }
}

/// λ + μ = 0 is a material: stress-free at rest, no division.
#[test]
fn vanishing_area_and_volume_stiffness_is_stress_free_at_rest() {
    let e = Tetrahedron::<f64>::from_rest(&TET, 10.0, -10.0, 0.0).unwrap();
    let tri = Membrane::<f64>::from_rest(&TRI, 10.0, -10.0, 0.0).unwrap();
    for i in 0..3 {
        assert!(tetrahedron(&e, &kernel(&TET), &kernel(&TET), i).0.f.norm() < 1e-14);
        assert!(membrane(&tri, &kernel(&TRI), &kernel(&TRI), i).0.f.norm() < 1e-14);
    }
    let rest = |X: &[Vec3; 4]| tetrahedron_psi(&e, &tetrahedron_F(&edges(&kernel(X)), &e.Dm_inv));
    assert!(rest(&TET).abs() < 1e-14);
    assert!(membrane_psi(&tri, &membrane_F(&edges(&kernel(&TRI)), &tri.Dm_inv)).abs() < 1e-14);
}

/// At small strains ε the density is that of linear elasticity, μ |ε|² + λ/2 (tr ε)².
#[test]
fn small_strains_are_linear_elasticity() {
    let (mu, lambda, size) = (3.0, 5.0, 1e-5);
    let e = Tetrahedron::<f64>::from_rest(&TET, mu, lambda, 0.0).unwrap();
    let tri = Membrane::<f64>::from_rest(&TRI, mu, lambda, 0.0).unwrap();
    let mut r = Lcg::new(34);
    for _ in 0..100 {
        let a = Mat3::from_fn(|_, _| r.range(-1.0, 1.0));
        let strain = (a + a.transpose()) * (0.5 * size);
        let column = |j: usize| V3::from_host(&(Vec3::ith(j, 1.0) + strain.column(j)));
        let linear = mu * strain.norm_squared() + 0.5 * lambda * strain.trace().powi(2);
        let psi = tetrahedron_psi(&e, &[column(0), column(1), column(2)]);
        assert!((psi - linear).abs() < 1e-4 * linear.abs(), "{psi} {linear}");

        let plane = strain.fixed_view::<2, 2>(0, 0).into_owned();
        let column = |j: usize| {
            V3::new(
                plane[(0, j)] + f64::from(u8::from(j == 0)),
                plane[(1, j)] + f64::from(u8::from(j == 1)),
                0.0,
            )
        };
        let linear = mu * plane.norm_squared() + 0.5 * lambda * plane.trace().powi(2);
        let psi = membrane_psi(&tri, &[column(0), column(1)]);
        assert!((psi - linear).abs() < 1e-4 * linear.abs(), "{psi} {linear}");
    }
}

#[test]
fn degenerate_rest_shapes_are_refused() {
    let flat = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::x() + Vec3::y()];
    assert!(Tetrahedron::<f64>::from_rest(&flat, 1.0, 1.0, 0.0).is_none());
    let line = [Vec3::zeros(), Vec3::x(), Vec3::x() * 3.0];
    assert!(Membrane::<f64>::from_rest(&line, 1.0, 1.0, 0.0).is_none());
    // small is not degenerate
    assert!(Membrane::<f32>::from_rest(&TRI.map(|v| v * 1e-6), 1.0, 1.0, 0.0).is_some());
    assert!(Tetrahedron::<f32>::from_rest(&TET.map(|v| v * 1e-6), 1.0, 1.0, 0.0).is_some());
}

/// The size of a hinge does not switch it off; its collapse does, in both precisions.
#[test]
fn hinge_degeneracy_has_no_unit() {
    for scale in [1e-5, 1e-3, 1.0, 1e3] {
        let x = HINGE.map(|v| v * scale);
        let now = eval_hinge_angle(&kernel::<f32, 4>(&x));
        assert!(now.regular, "scale {scale}");
        assert!((now.theta - eval_hinge_angle(&kernel::<f32, 4>(&HINGE)).theta).abs() < 1e-5);
        let mut line = x;
        line[0] = x[2] + (x[3] - x[2]) * 0.3;
        let flat = eval_hinge_angle(&kernel::<f32, 4>(&line));
        assert!(!flat.regular && flat.theta == 0.0 && flat.gradient(2) == V3::zero());
        let mut point = x;
        point[3] = x[2];
        assert!(!eval_hinge_angle(&kernel::<f64, 4>(&point)).regular);
    }
}

/// Collapsed elements: finite everywhere.
#[test]
fn collapsed_elements_stay_finite() {
    let s = Spring::<f32> { l0: 1.0, ke: 10.0, kd: 1.0 };
    let (e, d) = spring(&s, V3::zero(), V3::zero(), SpringHessian::Clamped);
    assert_eq!((e.f, e.H, d), (V3::zero(), S3::zero(), Block::zero()));
    let tri = Membrane::<f32>::from_rest(&TRI, 10.0, 10.0, 1.0).unwrap();
    let tet = Tetrahedron::<f32>::from_rest(&TET, 10.0, 10.0, 1.0).unwrap();
    let (e, d) = membrane(&tri, &[V3::zero(); 3], &[V3::zero(); 3], 0);
    assert!((e + d).f.norm() == 0.0 && (e + d).H.trace().is_finite() && e.H.trace() > 0.0);
    let (e, d) = tetrahedron(&tet, &[V3::zero(); 4], &[V3::zero(); 4], 0);
    assert!((e + d).f.norm() == 0.0 && (e + d).H.trace().is_finite() && e.H.trace() > 0.0);
}
