//! Contacts of segments: gradient against the potential, stiffness against the gradient, momentum.

use coact_collide::ShapeContact;
use coact_math::{Mat3, Mat6, Pose, PrincipalInertia, Quat, Spatial, Vec3, Vec6};
use coact_model::{BodyId, ShapeId};
use coact_testkit::{Random, gradient, jacobian};

use super::law::{Law, Push, Spot};
use super::touch::{Foot, Touch};
use crate::config::RodLaw;
use crate::element::{Hessian, Side};
use crate::node::{Iterate, Node, Target};
use crate::rod::Rod;

const H: f64 = 0.01;

fn node(body: usize) -> Node {
    let inertia = PrincipalInertia { moments: Vec3::zeros(), axes: Quat::identity() };
    Node { body: BodyId::new(body), proxy: false, mass: 0.0, com: Vec3::zeros(), inertia }
}

/// A contact of which side 0 and side 1 stand on `sides`, between points near the origin.
fn touch(r: &mut Random, sides: [Side; 2], limit: f64) -> Touch {
    let foot = |r: &mut Random, side: Side| Foot {
        side,
        r: r.vector(0.1),
        begin: Vec3::zeros(),
        offset: r.vector(0.02),
        end: Vec3::zeros(),
        way: Vec3::zeros(),
    };
    let normal = r.vector(1.0).normalize();
    let contact = ShapeContact {
        shape0: ShapeId::new(0),
        shape1: ShapeId::new(1),
        body0: None,
        body1: None,
        point0: Vec3::zeros(),
        point1: Vec3::zeros(),
        offset0: Vec3::zeros(),
        offset1: Vec3::zeros(),
        margin0: 0.0,
        margin1: 0.0,
        normal,
        feature: 0,
    };
    Touch {
        contact,
        feet: sides.map(|s| foot(r, s)),
        edge: None,
        on: true,
        law: Law { k: 40.0, rho: 15.0, limit, ..Law::default() },
        mu: 0.5,
        margin: 0.5,
        carried: r.vector(0.05),
        grip: Vec3::zeros(),
        arms: [Vec3::zeros(); 2],
        here: Spot::default(),
        ahead: Spot::default(),
        foreseen: Push::default(),
    }
}

/// Two segments without inertia, one contact between them and one with the world; the step has not
/// turned them.
fn rod(r: &mut Random, limit: f64) -> Rod {
    let mut rod = Rod::new(vec![node(0), node(1)], Vec::new());
    for n in 0..2 {
        let q = r.rotation();
        rod.target[n] = Target { com: r.vector(0.05), q, velocity: Spatial::zeros(), inertia: Mat3::zeros() };
        rod.at[n] = Iterate::at(&rod.target[n], Spatial::new(r.vector(0.02), Vec3::zeros()));
        rod.pose[n] = Pose::new(Vec3::zeros(), q);
    }
    let sides = [[Side::Node(0), Side::Node(1)], [Side::Node(1), Side::World]];
    rod.touches = sides.map(|s| touch(r, s, limit)).to_vec();
    rod.tie();
    rod.evaluate(RodLaw::RotationVector, &[], H);
    rod
}

fn moved(rod: &Rod, x: &[f64]) -> Rod {
    let mut next = rod.clone();
    for (n, d) in x.chunks(6).enumerate() {
        next.at[n] = next.at[n].moved(&next.target[n], &Vec6::from_column_slice(d), 1.0);
    }
    next.evaluate(RodLaw::RotationVector, &[], H);
    next
}

fn flat(gradient: &[Vec6]) -> Vec<f64> {
    gradient.iter().flat_map(|g| g.iter().copied()).collect()
}

/// Sticking in a wide disk, sliding in a narrow one.
const LIMITS: [f64; 2] = [100.0, 0.02];

#[test]
fn the_gradient_is_that_of_the_potential() {
    let mut r = Random::new(3);
    for limit in LIMITS {
        for _ in 0..20 {
            let rod = rod(&mut r, limit);
            let numeric = gradient(|x| moved(&rod, x).eval_objective(H), &[0.0; 12]);
            assert!(rod.touches.iter().all(|t| t.here.depth > 0.1 && (limit > 1.0) != t.law.slides(&t.here)));
            for (a, b) in numeric.iter().zip(&flat(&rod.gradient)) {
                assert!((a - b).abs() < 1e-6, "{limit}: {a} {b}");
            }
        }
    }
}

/// (H + c) x = b of the assembled matrix solves that of the derivative of the gradient, symmetric part.
#[test]
fn stiffness_is_the_derivative_of_the_gradient() {
    let mut r = Random::new(4);
    for limit in LIMITS {
        for _ in 0..10 {
            let mut rod = rod(&mut r, limit);
            for t in &mut rod.touches {
                (t.ahead, t.foreseen) = (t.here, t.law.push(&t.here));
                // the turn of an offset is taken as that of the segment, to first order
                t.feet.iter_mut().for_each(|f| f.offset = Vec3::zeros());
            }
            rod.evaluate(RodLaw::RotationVector, &[], H);
            for t in &mut rod.touches {
                (t.ahead, t.foreseen) = (t.here, t.law.push(&t.here));
            }
            rod.system.clear();
            let shift = 500.0;
            (0..2).for_each(|n| rod.system.add_diagonal(n, &(Mat6::identity() * shift)));
            rod.touches.iter().for_each(|t| t.add_stiffness(Hessian::Full, 1.0, &mut rod.system));
            rod.system.factor().unwrap();
            let b = [Vec6::from_fn(|i, _| 1.0 + i as f64), Vec6::from_fn(|i, _| 2.0 - i as f64)];
            let mut x = b;
            rod.system.solve(&mut x);
            let numeric = jacobian(|x| flat(&moved(&rod, x).gradient), &[0.0; 12]);
            let (x, b) = (flat(&x), flat(&b));
            for i in 0..12 {
                let row: f64 = (0..12).map(|j| 0.5 * (numeric[j][i] + numeric[i][j]) * x[j]).sum();
                assert!((row + shift * x[i] - b[i]).abs() < 1e-6, "{limit}: row {i}");
            }
        }
    }
}

/// Of a contact whose skeleton points lie on its normal, moments about the origin included.
#[test]
fn what_one_segment_gets_the_other_one_loses() {
    let mut r = Random::new(5);
    let mut rod = rod(&mut r, 0.3);
    rod.touches.truncate(1);
    let (x, arm) = (Vec3::new(0.3, -0.2, 0.1), rod.touches[0].contact.normal * 0.02);
    for (b, sign) in [-1.0, 1.0].into_iter().enumerate() {
        // skeletons on either side of the surface point x, offsets that lead to it
        let foot = &mut rod.touches[0].feet[b];
        foot.offset = arm * -sign;
        let skeleton = x + arm * sign;
        let n = foot.side;
        let Side::Node(n) = n else { unreachable!("both sides are segments") };
        foot.r =
            rod.at[n as usize].q.inverse() * (skeleton - rod.at[n as usize].pose(&rod.target[n as usize]).p);
    }
    rod.touches[0].margin = 0.1;
    rod.evaluate(RodLaw::RotationVector, &[], H);
    let half = |g: &Vec6, k: usize| Vec3::new(g[k], g[k + 1], g[k + 2]);
    let force: Vec3 = rod.gradient.iter().map(|g| half(g, 0)).sum();
    let moment = |n: usize| {
        rod.at[n].pose(&rod.target[n]).p.cross(&half(&rod.gradient[n], 0)) + half(&rod.gradient[n], 3)
    };
    assert!(half(&rod.gradient[0], 0).norm() > 1.0, "nothing to compare");
    assert!(force.norm() < 1e-13 && (moment(0) + moment(1)).norm() < 1e-13);
}
