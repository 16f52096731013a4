//! Forces against differences of the energy, blocks against their declared form.
//! Differences with step 1e-5 in f64 are good to 1e-9; the bound is 1e-6, relative to
//! the largest force and stiffness that the material makes at such strains.

use super::*;
use coact_math::eigenvalues;

const BOUND: f64 = 1e-6;

/// Smallest eigenvalue over the largest size.
fn psd_defect(H: &Mat3) -> f64 {
    -eigenvalues(H)[0] / H.norm().max(1e-300)
}

/// Collects the largest relative errors of a test and demands that it measured.
#[derive(Default)]
struct Worst {
    force: f64,
    hessian: f64,
    largest: f64,
}

impl Worst {
    fn force(&mut self, f: Vec3, exact: Vec3) {
        self.largest = self.largest.max(exact.norm());
        self.force = self.force.max((f - exact).norm() / exact.norm().max(1.0));
    }

    fn hessian(&mut self, H: Mat3, declared: Mat3) {
        self.hessian = self.hessian.max((H - declared).norm() / declared.norm().max(1.0));
    }

    fn check(&self, what: &str) {
        println!("{what}: force {:.1e}, block {:.1e}", self.force, self.hessian);
        assert!(self.largest > 1.0, "{what}: nothing measured");
        assert!(self.force < BOUND, "{what}: force off by {}", self.force);
        assert!(self.hessian < BOUND, "{what}: block off by {}", self.hessian);
    }
}

#[test]
fn tetrahedron_force_is_the_gradient_and_the_block_exact() {
    let mut r = Lcg::new(1);
    let (mut worst, mut inverted) = (Worst::default(), 0);
    for k in 0..300 {
        let e = Tetrahedron::<f64>::from_rest(&r.near(&TET, 0.2), 2.0, 5.0, 0.0).unwrap();
        // from nearly at rest to anything at all
        let x = if k % 3 == 0 { r.near(&TET, 0.2) } else { r.near(&TET, 2.0) };
        let F = |x: &[Vec3; 4]| tetrahedron_F(&edges(&kernel(x)), &e.Dm_inv);
        let [p, q, s] = F(&x);
        inverted += usize::from(p.dot(q.cross(s)) < 0.0);
        for i in 0..4 {
            let m = tetrahedron_weights(&e.Dm_inv, i);
            let block = |v: &Vec3| eval_tetrahedron_elastic(&e, &F(&moved(&x, i, v)), &m);
            let energy = |v: &Vec3| e.V * tetrahedron_psi(&e, &F(&moved(&x, i, v)));
            let H = block(&x[i]).H.to_host(0);
            worst.force(block(&x[i]).f.to_host(0), -difference(&x[i], energy));
            worst.hessian(H, -jacobian(&x[i], |v| block(v).f.to_host(0)));
            assert!(psd_defect(&H) < 1e-14);
        }
    }
    assert!(inverted > 30);
    worst.check("tetrahedron");
}

/// The term that the clamp removes in compression: A s/a |w|² n nᵀ with s < 0.
fn membrane_clamped_part(e: &Membrane<f64>, x: &[Vec3; 3], i: usize) -> Mat3 {
    let F = membrane_F(&edges(&kernel(x)), &e.Dm_inv).map(|f| f.to_host(0));
    let m = membrane_weights(&e.Dm_inv, i);
    let c = F[0].cross(&F[1]);
    let s = (e.lambda + e.mu) * (c.norm() - 1.0) - e.mu;
    let w = F[1] * m[0] - F[0] * m[1];
    let n = c.normalize();
    n * n.transpose() * (e.A * s.min(0.0) / c.norm() * w.norm_squared())
}

#[test]
fn membrane_force_is_the_gradient_and_the_block_exact_or_clamped() {
    let mut r = Lcg::new(2);
    let (mut worst, mut compressed) = (Worst::default(), 0);
    for k in 0..400 {
        let e = Membrane::<f64>::from_rest(&r.near(&TRI, 0.1), 3.0, 4.0, 0.0).unwrap();
        let x = if k % 3 == 0 { r.near(&TRI, 0.2) } else { r.near(&TRI, 1.5) };
        let F = |x: &[Vec3; 3]| membrane_F(&edges(&kernel(x)), &e.Dm_inv);
        let area = F(&x)[0].cross(F(&x)[1]).norm();
        if area < 0.02 {
            continue; // a crease: curvature beyond what the step of the differences sees
        }
        compressed += usize::from(area < 1.0);
        for i in 0..3 {
            let m = membrane_weights(&e.Dm_inv, i);
            let block =
                |v: &Vec3| eval_membrane_elastic(&e, &F(&moved(&x, i, v)), &m, MembraneHessian::Clamped);
            let energy = |v: &Vec3| e.A * membrane_psi(&e, &F(&moved(&x, i, v)));
            let H = block(&x[i]).H.to_host(0);
            worst.force(block(&x[i]).f.to_host(0), -difference(&x[i], energy));
            let exact = -jacobian(&x[i], |v| block(v).f.to_host(0));
            worst.hessian(H, exact - membrane_clamped_part(&e, &x, i));
            assert!(psd_defect(&H) < 1e-14);
        }
    }
    assert!(compressed > 50);
    worst.check("membrane");
}

/// The angle by another road: between the normals, signed by the side of x₁.
fn angle(x: &[Vec3; 4]) -> f64 {
    let n1 = (x[2] - x[0]).cross(&(x[3] - x[0]));
    let n2 = (x[3] - x[1]).cross(&(x[2] - x[1]));
    n1.angle(&n2) * n1.cross(&n2).dot(&(x[3] - x[2])).signum()
}

#[test]
fn hinge_force_is_the_gradient_and_the_block_gauss_newton() {
    let mut r = Lcg::new(3);
    let mut worst = Worst::default();
    for _ in 0..400 {
        let x = r.near(&HINGE, 0.6);
        let now = eval_hinge_angle(&kernel::<f64, 4>(&x));
        // away from the fold, where the angle jumps, and from slivers
        let tall = |a: usize| (x[2] - x[a]).cross(&(x[3] - x[a])).norm();
        if now.theta.abs() > 3.0 || tall(0) < 0.1 || tall(1) < 0.1 {
            continue;
        }
        assert!((now.theta - angle(&x)).abs() < 1e-7);
        let h = Hinge { L0: 1.1, theta0: r.range(-2.0, 2.0), ke: 4.0, kd: 0.0 };
        for i in 0..4 {
            let block = eval_hinge_elastic(&h, now.theta, now.gradient(i));
            let theta = |v: &Vec3| eval_hinge_angle(&kernel::<f64, 4>(&moved(&x, i, v))).theta;
            let energy = |v: &Vec3| 0.5 * h.ke * h.L0 * (theta(v) - h.theta0).powi(2);
            let g = difference(&x[i], theta);
            worst.force(block.f.to_host(0), -difference(&x[i], energy));
            worst.hessian(block.H.to_host(0), g * g.transpose() * (h.ke * h.L0));
            assert!(psd_defect(&block.H.to_host(0)) < 1e-14);
        }
    }
    worst.check("hinge");
}

/// Unwrapped on purpose: see the head of `hinge.rs`.
#[test]
fn hinge_rest_angle_is_not_wrapped() {
    let h = Hinge { L0: 1.0, theta0: -3.0, ke: 2.0, kd: 0.0 };
    let block = eval_hinge_elastic(&h, 3.0, V3::new(1.0, 0.0, 0.0));
    assert_eq!(block.f.x, -12.0);
}

#[test]
fn spring_force_is_the_gradient_and_the_block_exact_or_clamped() {
    let mut r = Lcg::new(4);
    let (mut exact, mut clamped, mut compressed) = (Worst::default(), Worst::default(), 0);
    for _ in 0..400 {
        let s = Spring { l0: r.range(0.2, 1.5), ke: 7.0, kd: 0.0 };
        let d = r.vec() + Vec3::new(0.3, 0.0, 0.0);
        if d.norm() < 0.1 {
            continue;
        }
        let at = |v: &Vec3, h| eval_spring_elastic::<f64>(&s, V3::from_host(v), h);
        let block = at(&d, SpringHessian::Exact);
        exact.force(block.f.to_host(0), -difference(&d, |v| spring_energy(&s, V3::from_host(v))));
        let H = -jacobian(&d, |v| at(v, SpringHessian::Exact).f.to_host(0));
        exact.hessian(block.H.to_host(0), H);

        let u = d.normalize();
        let removed = (1.0 - s.l0 / d.norm()).min(0.0) * s.ke;
        compressed += usize::from(removed < 0.0);
        let block = at(&d, SpringHessian::default());
        clamped.force(block.f.to_host(0), at(&d, SpringHessian::Exact).f.to_host(0));
        clamped.hessian(block.H.to_host(0), H - (Mat3::identity() - u * u.transpose()) * removed);
        assert!(psd_defect(&block.H.to_host(0)) < 1e-14);
    }
    assert!(compressed > 100);
    exact.check("spring, exact");
    clamped.check("spring, clamped");
}

/// Dissipation W and Gauss–Newton block of metric damping from the residual
/// C - C_prev itself, without the closed form.
fn metric_residual<const D: usize>(F: [V3<f64>; D], F0: [V3<f64>; D]) -> Vec<f64> {
    let pairs = (0..D).flat_map(|a| (0..D).map(move |b| (a, b)));
    pairs.map(|(a, b)| F[a].dot(F[b]) - F0[a].dot(F0[b])).collect()
}

fn check_residual(
    worst: &mut Worst,
    block: Block<f64>,
    k: f64,
    v: &Vec3,
    residual: impl Fn(&Vec3) -> Vec<f64>,
) {
    let W = |v: &Vec3| 0.5 * k * residual(v).iter().map(|c| c * c).sum::<f64>();
    let mut H = Mat3::zeros();
    for j in 0..residual(v).len() {
        let g = difference(v, |v| residual(v)[j]);
        H += g * g.transpose() * k;
    }
    worst.force(block.f.to_host(0), -difference(v, W));
    worst.hessian(block.H.to_host(0), H);
    assert!(psd_defect(&block.H.to_host(0)) < 1e-14);
}

#[test]
fn metric_damping_is_the_gradient_of_its_dissipation() {
    let mut r = Lcg::new(5);
    let (mut tet, mut tri) = (Worst::default(), Worst::default());
    for k in 0..200 {
        let spread = [0.01, 0.3, 1.0][k % 3];
        let (x, x0) = (r.near(&TET, spread), r.near(&TET, spread));
        let e = Tetrahedron::<f64>::from_rest(&TET, 1.0, 1.0, 0.7).unwrap();
        let F = |x: &[Vec3; 4]| tetrahedron_F(&edges(&kernel(x)), &e.Dm_inv);
        for i in 0..4 {
            let (_, block) = tetrahedron(&e, &kernel(&x), &kernel(&minus(&x, &x0)), i);
            let residual = |v: &Vec3| metric_residual(F(&moved(&x, i, v)), F(&x0));
            check_residual(&mut tet, block, e.V * e.kd * INV_DT, &x[i], residual);
        }
        let (x, x0) = (r.near(&TRI, spread), r.near(&TRI, spread));
        let e = Membrane::<f64>::from_rest(&TRI, 1.0, 1.0, 0.4).unwrap();
        let F = |x: &[Vec3; 3]| membrane_F(&edges(&kernel(x)), &e.Dm_inv);
        for i in 0..3 {
            let (_, block) = membrane(&e, &kernel(&x), &kernel(&minus(&x, &x0)), i);
            let residual = |v: &Vec3| metric_residual(F(&moved(&x, i, v)), F(&x0));
            check_residual(&mut tri, block, e.A * e.kd * INV_DT, &x[i], residual);
        }
    }
    tet.check("tetrahedron damping");
    tri.check("membrane damping");
}

#[test]
fn hinge_damping_is_the_gradient_of_its_dissipation() {
    let mut r = Lcg::new(6);
    let mut worst = Worst::default();
    for _ in 0..200 {
        let (x, x0) = (r.near(&HINGE, 0.2), r.near(&HINGE, 0.2));
        let h = Hinge { L0: 0.9, theta0: 0.0, ke: 0.0, kd: 0.3 };
        let theta = |x: &[Vec3; 4]| eval_hinge_angle(&kernel::<f64, 4>(x)).theta;
        for i in 0..4 {
            let (_, block) = hinge(&h, &kernel(&x), &kernel(&minus(&x, &x0)), i);
            let residual = |v: &Vec3| vec![theta(&moved(&x, i, v)) - theta(&x0)];
            check_residual(&mut worst, block, h.kd * h.L0 * INV_DT, &x[i], residual);
        }
    }
    worst.check("hinge damping");
}

/// Through the fold the angle jumps by a turn; the rate must not.
#[test]
fn hinge_damping_wraps_its_rate() {
    let h = Hinge { L0: 2.0, theta0: 0.0, ke: 0.0, kd: 0.5 };
    let g = V3::new(1.0, 0.0, 0.0);
    for (now, start, delta) in
        [(3.1, -3.1, 6.2 - std::f64::consts::TAU), (-3.1, 3.1, std::f64::consts::TAU - 6.2)]
    {
        let block = eval_hinge_damping(&h, now, (start, true), g, 10.0);
        assert!((block.f.x + 10.0 * delta).abs() < 1e-12, "{}", block.f.x);
    }
}

#[test]
fn spring_damping_is_the_gradient_of_its_dissipation() {
    let mut r = Lcg::new(7);
    let mut worst = Worst::default();
    for _ in 0..200 {
        let s = Spring { l0: 1.0, ke: 0.0, kd: 0.6 };
        let (d, d0) = (r.vec() + Vec3::new(1.5, 0.0, 0.0), r.vec() + Vec3::new(1.5, 0.0, 0.0));
        let block = eval_spring_damping::<f64>(&s, V3::from_host(&d), V3::from_host(&(d - d0)), INV_DT);
        check_residual(&mut worst, block, s.kd * INV_DT, &d, |v| vec![v.norm() - d0.norm()]);
    }
    worst.check("spring damping");
}
