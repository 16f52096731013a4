//! Derivatives: gradients against differences, Hessians against their declared forms, rigid motion.

use coact_math::{Mat3, Pose, PrincipalInertia, Quat, Spatial, Vec3, Vec6};
use coact_model::{BodyId, JointId};
use coact_testkit::{Random, gradient, jacobian};

use crate::config::RodLaw;
use crate::element::{Element, Hessian, Side};
use crate::node::{Iterate, Node, Target};
use crate::rod::Rod;
use crate::strain::{Ends, eval_strain};

const H: f64 = 0.01;
const LAWS: [RodLaw; 2] = [RodLaw::RotationVector, RodLaw::Shared];

fn node(r: &mut Random, body: usize) -> Node {
    let moments = Vec3::new(r.range(1e-4, 2e-4), r.range(1e-4, 2e-4), r.range(1e-4, 2e-4));
    let inertia = PrincipalInertia { moments, axes: Quat::identity() };
    let (mass, com) = (r.range(0.1, 0.3), Vec3::zeros());
    Node { body: BodyId::new(body), proxy: false, mass, com, inertia }
}

fn element(r: &mut Random, sides: [Side; 2]) -> Element {
    let mut e = Element::new(JointId::new(0), sides);
    e.frames = [Pose::new(r.vector(0.1), r.rotation()), Pose::new(r.vector(0.1), r.rotation())];
    e.k = Vec6::from_fn(|_, _| r.range(1.0, 9.0));
    e.kd = Vec6::from_fn(|_, _| r.range(0.01, 0.09));
    e.begin = Vec6::from_fn(|_, _| r.range(-0.1, 0.1));
    e.rest = r.vector(0.3);
    e
}

/// A rod of two segments anywhere, with one element between them and one to the world.
fn rod(r: &mut Random) -> Rod {
    let nodes = vec![node(r, 0), node(r, 1)];
    let sides = [[Side::Node(0), Side::Node(1)], [Side::World, Side::Node(0)]];
    let mut rod = Rod::new(nodes, sides.map(|s| element(r, s)).to_vec());
    for n in 0..2 {
        let q = r.rotation();
        let axes = q.to_rotation_matrix();
        let inertia = axes.matrix() * rod.nodes[n].inertia.tensor() * axes.matrix().transpose();
        rod.target[n] = Target { com: r.vector(0.2), q, velocity: Spatial::zeros(), inertia };
        rod.at[n] = Iterate::at(&rod.target[n], Spatial::new(r.vector(0.1), r.vector(0.8)));
        rod.torque[n] = r.vector(0.5);
    }
    rod
}

/// The rod with its segments moved on by (δc, δθ) each.
fn moved(rod: &Rod, law: RodLaw, x: &[f64]) -> Rod {
    let mut next = rod.clone();
    for (n, d) in x.chunks(6).enumerate() {
        next.at[n] = next.at[n].moved(&next.target[n], &Vec6::from_column_slice(d), 1.0);
    }
    next.evaluate(law, &[], H);
    next
}

fn largest_difference(a: &[Vec<f64>], b: impl Fn(usize, usize) -> f64) -> f64 {
    let mut worst = 0.0_f64;
    for (j, column) in a.iter().enumerate() {
        for (i, x) in column.iter().enumerate() {
            worst = worst.max((x - b(i, j)).abs());
        }
    }
    worst
}

#[test]
fn the_gradient_is_that_of_the_objective() {
    let mut r = Random::new(1);
    for law in LAWS {
        for _ in 0..20 {
            let mut rod = rod(&mut r);
            rod.evaluate(law, &[], H);
            let numeric = gradient(|x| moved(&rod, law, x).eval_objective(H), &[0.0; 12]);
            let exact: Vec<f64> = rod.gradient.iter().flat_map(|g| g.iter().copied()).collect();
            let size = exact.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            assert!(size > 0.1, "nothing to compare");
            for (a, b) in numeric.iter().zip(&exact) {
                assert!((a - b).abs() < 1e-7 * size, "{law:?}: {a} {b}");
            }
        }
    }
}

#[test]
fn strains_have_the_jacobian_that_is_declared() {
    let mut r = Random::new(2);
    for law in LAWS {
        for _ in 0..20 {
            let mut rod = rod(&mut r);
            rod.evaluate(law, &[], H);
            let of = |x: &[f64]| moved(&rod, law, x).elements[0].strain.epsilon.as_slice().to_vec();
            let numeric = jacobian(of, &[0.0; 12]);
            let exact = rod.elements[0].strain.jacobian;
            let worst = largest_difference(&numeric, |i, j| exact[j / 6][(i, j % 6)]);
            assert!(worst < 1e-7, "{law:?}: {worst}");
        }
    }
}

/// A rod of one element without inertia, with gaps of about `gap`, and the symmetric part of the
/// derivative of its gradient; its Hessian beside it.
fn hessians(r: &mut Random, law: RodLaw, gap: f64) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    let mut rod = rod(r);
    for e in &mut rod.elements {
        e.kd = Vec6::zeros();
        (0..3).for_each(|i| e.k[i] /= gap.max(1e-3));
    }
    rod.nodes.iter_mut().for_each(|n| n.mass = 0.0);
    rod.target.iter_mut().for_each(|t| t.inertia = Mat3::zeros());
    rod.torque.fill(Vec3::zeros());
    rod.elements[1].on = false;
    rod.evaluate(law, &[], H);
    let ends = rod.elements[0].ends;
    rod.at[1].d.lin += ends.x[0] - ends.x[1] + r.vector(1.0) * gap;
    rod.evaluate(law, &[], H);
    rod.elements[0].stress = rod.elements[0].eval_stress(H);
    let of = |x: &[f64]| -> Vec<f64> {
        moved(&rod, law, x).gradient.iter().flat_map(|g| g.iter().copied()).collect()
    };
    let numeric = jacobian(of, &[0.0; 12]);
    let [h00, h11, h01] = rod.elements[0].eval_hessian(law, H, Hessian::Full);
    let block = |i: usize, j: usize| match (i / 6, j / 6) {
        (0, 0) => h00[(i, j)],
        (1, 1) => h11[(i - 6, j - 6)],
        (0, 1) => h01[(i, j - 6)],
        _ => h01[(j, i - 6)],
    };
    let square = |f: &dyn Fn(usize, usize) -> f64| {
        (0..12).map(|j| (0..12).map(|i| f(i, j)).collect()).collect::<Vec<Vec<f64>>>()
    };
    (square(&|i, j| 0.5 * (numeric[j][i] + numeric[i][j])), square(&block))
}

/// Without gaps the Hessian of bend and twist is exact, at any bend.
#[test]
fn the_hessian_of_bend_and_twist_is_exact() {
    let mut r = Random::new(3);
    for _ in 0..20 {
        let (numeric, exact) = hessians(&mut r, RodLaw::RotationVector, 0.0);
        let size = exact.iter().flatten().fold(0.0_f64, |m, x| m.max(x.abs()));
        let worst = largest_difference(&numeric, |i, j| exact[j][i]);
        assert!(worst < 1e-8 * size, "{worst} of {size}");
    }
}

/// With a force of size 1 over gaps of size d, what is left out is of size d.
#[test]
fn the_hessian_of_gaps_leaves_out_only_force_times_gap() {
    for gap in [1e-2, 1e-3] {
        let mut r = Random::new(3);
        let mut worst = 0.0_f64;
        for _ in 0..20 {
            let (numeric, declared) = hessians(&mut r, RodLaw::RotationVector, gap);
            worst = worst.max(largest_difference(&numeric, |i, j| declared[j][i]));
        }
        assert!(worst < 30.0 * gap, "{worst}");
    }
}

#[test]
fn rigid_motion_makes_no_strain() {
    let mut r = Random::new(5);
    for law in LAWS {
        for _ in 0..50 {
            let q = [r.rotation(), r.rotation()];
            let ends = Ends { x: [r.vector(1.0), r.vector(1.0)], q, r: [r.vector(0.1), r.vector(0.1)] };
            let motion = Pose::new(r.vector(2.0), r.rotation());
            let turned = Ends {
                x: ends.x.map(|x| motion.point(&x)),
                q: ends.q.map(|q| motion.q * q),
                r: ends.r.map(|r| motion.vector(&r)),
            };
            let [a, b] = [ends, turned].map(|e| eval_strain(law, &e, &Vec3::zeros(), &Vec3::zeros()).epsilon);
            assert!((a - b).norm() < 1e-13, "{law:?}: {}", (a - b).norm());
            assert!(a.norm() > 1e-2, "nothing to compare");
        }
    }
}

/// What one body gets the other one loses, moments about the origin included.
#[test]
fn an_element_makes_no_momentum() {
    let mut r = Random::new(6);
    for law in LAWS {
        let mut rod = rod(&mut r);
        rod.elements[1].on = false;
        rod.torque.fill(Vec3::zeros());
        rod.target.iter_mut().for_each(|t| t.inertia = Mat3::zeros());
        rod.nodes.iter_mut().for_each(|n| n.mass = 0.0);
        rod.evaluate(law, &[], H);
        let half = |g: &Vec6, k: usize| Vec3::new(g[k], g[k + 1], g[k + 2]);
        let force: Vec3 = rod.gradient.iter().map(|g| half(g, 0)).sum();
        let moment = |n: usize| {
            let (g, c) = (&rod.gradient[n], rod.at[n].pose(&rod.target[n]).p);
            c.cross(&half(g, 0)) + half(g, 3)
        };
        assert!(force.norm() < 1e-14 && (moment(0) + moment(1)).norm() < 1e-14, "{law:?}");
        assert!(half(&rod.gradient[0], 0).norm() > 1e-2);
    }
}
