//! Rods of `SolverRod` that touch, at default settings: friction round a post, rolling, falling, impact at
//! speed, knots and piles. Distances are measured by the code at the end of this file, which shares nothing
//! with detection.

use std::f64::consts::{PI, TAU};

use coact_math::{Pose, Spatial, Vec3, exp_so3};
use coact_model::{
    BodyDef, BodyId, Geometry, JointId, Material, MaterialId, ModelBuilder, ModelView, RodDef, RodEnd,
    RodIds, RodPath, RodSection, ShapeDef,
};
use coact_rod::{RodConfig, SolverRod};
use coact_solver::Loads;

use super::bench::Bench;
use super::{Case, CaseError, Measure};

const G: f64 = 9.81;

/// The cases of this area.
pub const CASES: [Case; 6] = [
    Case { name: "rods/capstan", long: false, run: capstan },
    Case { name: "rods/rolling", long: false, run: rolling },
    Case { name: "rods/dropped-cable", long: false, run: dropped },
    Case { name: "rods/whip", long: false, run: whip },
    Case { name: "rods/knot", long: false, run: knot },
    Case { name: "rods/pile", long: false, run: pile },
];

fn bench(b: ModelBuilder) -> Result<Bench, CaseError> {
    let model = b.finalize()?;
    let solver = SolverRod::new(&ModelView::whole(&model), RodConfig::default())?;
    Ok(Bench::new(model, Box::new(solver)))
}

fn with_friction(mu: f64, gravity: Vec3) -> ModelBuilder {
    let mut b = ModelBuilder::new();
    b.gravity = gravity;
    b.set_material(MaterialId(0), Material { mu, ..Material::default() });
    b
}

/// Kinetic energy, and that with height and elements \[J\].
fn energies(b: &mut Bench) -> (f64, f64) {
    let (m, s) = (&b.model, &b.state);
    let (mut kinetic, mut height) = (0.0, 0.0);
    for i in 0..m.body_count() {
        let (pose, v, mass) = (&s.body_q[i], &s.body_qd[i], m.body_mass[i]);
        let spin = pose.q * (m.body_inertia[i] * (pose.q.inverse() * v.ang));
        kinetic += 0.5 * (mass * v.lin.norm_squared() + spin.dot(&v.ang));
        height -= mass * m.gravity.dot(&m.com_at(BodyId::new(i), pose));
    }
    (kinetic, kinetic + height + b.solver.stored_energy())
}

/// The largest rise of energy above the start over `steps`, as a share of the largest kinetic energy.
fn rise(b: &mut Bench, steps: usize, dt: f64) -> Result<f64, CaseError> {
    let first = energies(b).1;
    let (mut most, mut kinetic) = (0.0_f64, 0.0_f64);
    for _ in 0..steps {
        b.step(dt)?;
        let (k, all) = energies(b);
        (most, kinetic) = (most.max(all - first), kinetic.max(k));
    }
    Ok(most / kinetic)
}

fn fastest(b: &Bench) -> f64 {
    b.state.body_qd.iter().map(|v| v.lin.norm()).fold(0.0, f64::max)
}

/// A limp cord (radius 0.25 mm) round a post of 0.1 m, as a polygon about it that begins and ends with a
/// straight stretch; it climbs by 4 mm per turn, so that it does not meet itself. Angle \[rad\].
fn round_post(angle: f64) -> Vec<Vec3> {
    let (radius, step, tail) = (0.1 + 0.25e-3, 5.0_f64.to_radians(), 20);
    let corners = (angle / step).round() as usize;
    let at = |phi: f64| {
        let (sin, cos) = phi.sin_cos();
        let r = radius / (0.5 * step).cos();
        Vec3::new(r * cos, 4e-3 * phi / TAU, r * sin)
    };
    let length = 2.0 * radius * (0.5 * step).tan();
    let (first, last) = (0.5 * step, angle - 0.5 * step);
    // straight on along the first and the last side
    let side = |from: f64, to: f64| (at(to) - at(from)).normalize() * length;
    let (out, on_out) = (side(first, -first), side(last, angle + first));
    let before = (1..=tail).rev().map(|k| at(first) + out * f64::from(k));
    let after = (1..=tail).map(|k| at(last) + on_out * f64::from(k));
    let on = (0..corners).map(|i| at(step * (i as f64 + 0.5)));
    before.chain(on).chain(after).collect()
}

/// Pull over hold of a cord that slides round a post, mean of the last half.
fn tension_ratio(angle: f64) -> Result<f64, CaseError> {
    let (hold, speed, dt) = (0.2, 0.02, 1.0 / 500.0);
    let mut b = with_friction(0.3, Vec3::zeros());
    let upright = exp_so3(&(Vec3::x() * (0.5 * PI)));
    b.add_shape(ShapeDef {
        pose: Pose::new(Vec3::zeros(), upright),
        geometry: Geometry::Cylinder { radius: 0.1, half_height: 0.05 },
        ..ShapeDef::default()
    });
    let points = round_post(angle);
    let n = points.len();
    let (pull, back) = ((points[n - 1] - points[n - 2]).normalize(), (points[0] - points[1]).normalize());
    let hand = b.add_body(BodyDef {
        pose: Pose::translation(points[n - 1]),
        velocity: Spatial::new(pull * speed, Vec3::zeros()),
        kinematic: true,
        ..BodyDef::default()
    });
    let rod = b.add_rod(RodDef {
        path: RodPath::Points(points),
        section: RodSection::Circle { radius: 0.25e-3 },
        young: 3e9,
        end: RodEnd::Pinned(Some(hand)),
        ..RodDef::default()
    });
    let (first, end) = (rod.bodies[0].index(), rod.ends[1]);
    let end = end.ok_or_else(|| CaseError("nothing pulls".into()))?;
    let mut bench = bench(b)?;
    bench.forces.body_f[first] = Spatial::new(back * hold, Vec3::zeros());
    bench.run(300, dt)?;
    let mut sum = 0.0;
    for _ in 0..300 {
        bench.step(dt)?;
        sum += carried(&bench, end);
    }
    Ok(sum / 300.0 / hold)
}

/// Force in a joint \[N\].
fn carried(b: &Bench, joint: JointId) -> f64 {
    let mut loads = Loads::default();
    b.solver.append_loads(&mut loads);
    loads.joints.iter().find(|l| l.joint == joint).map_or(f64::NAN, |l| l.wrench.lin.norm())
}

fn capstan() -> Result<Vec<Measure>, CaseError> {
    let mut measures = Vec::new();
    for degrees in [90.0_f64, 180.0, 360.0] {
        let angle = degrees.to_radians();
        let what = format!("pull over hold, {degrees}°, mu 0.3");
        measures.push(Measure::relative(what, tension_ratio(angle)?, (0.3 * angle).exp(), 0.02));
    }
    Ok(measures)
}

/// A rod across a slope, 12 segments, 0.3 m, radius 5 mm, mu 0.8, dt 1.25 ms, 0.4 s from rest.
fn rolling() -> Result<Vec<Measure>, CaseError> {
    let mut measures = Vec::new();
    for degrees in [10.0_f64, 20.0] {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let mut b = with_friction(0.8, Vec3::new(G * sin, 0.0, -G * cos));
        b.add_shape(ShapeDef::default());
        let at = |y: f64| Vec3::new(0.0, y, 0.005);
        let path = RodPath::Straight { from: at(-0.15), to: at(0.15), segments: 12 };
        b.add_rod(RodDef { path, ..RodDef::default() });
        let mut b = bench(b)?;
        let first = energies(&mut b).1;
        b.run(320, 1.25e-3)?;
        let (kinetic, all) = energies(&mut b);
        let mean = b.state.body_qd.iter().map(|v| v.lin.x).sum::<f64>() / 12.0;
        let exact = G * sin / 1.5;
        measures.push(Measure::relative(format!("acceleration, {degrees}° [m/s²]"), mean / 0.4, exact, 1e-3));
        let gain = ((all - first) / kinetic).max(0.0);
        measures.push(Measure::absolute(format!("energy gained, share, {degrees}°"), gain, 0.0, 1e-9));
    }
    Ok(measures)
}

/// A cable of 1 m, radius 2 mm, in an arc that leans, falls from 0.2 m on a floor: 2 s at dt 1/240.
fn dropped() -> Result<Vec<Measure>, CaseError> {
    let mut measures = Vec::new();
    for young in [1e7, 1e8, 1e9, 1e10, 1e11] {
        let mut b = with_friction(0.5, Vec3::z() * -G);
        b.add_shape(ShapeDef::default());
        let point = |i: usize| {
            let s = i as f64 / 50.0;
            let (sin, cos) = (2.0 * s).sin_cos();
            Vec3::new(0.5 * sin, 0.5 - 0.5 * cos, 0.2 + 0.1 * s)
        };
        b.add_rod(RodDef {
            path: RodPath::Points((0..=50).map(point).collect()),
            section: RodSection::Circle { radius: 0.002 },
            young,
            ..RodDef::default()
        });
        let mut b = bench(b)?;
        let gained = rise(&mut b, 480, 1.0 / 240.0)?;
        let e = format!("E {young:.0e} Pa");
        measures.push(Measure::absolute(format!("energy gained, share, {e}"), gained, 0.0, 1e-6));
        measures.push(Measure::absolute(format!("speed after 2 s, {e} [m/s]"), fastest(&b), 0.0, 1e-3));
        measures.push(Measure::absolute(format!("depth, {e} [m]"), b.report.penetration.depth, 0.0, 2e-6));
    }
    Ok(measures)
}

/// A cord of 0.8 m, radius 4 mm, held at one end, swung at a post of 15 mm at 25 m/s at its tip, dt 1/480: the
/// largest overlap with the post.
fn whip() -> Result<Vec<Measure>, CaseError> {
    let mut b = with_friction(0.3, Vec3::zeros());
    let post = Vec3::new(0.45, 0.15, 0.0);
    b.add_shape(ShapeDef {
        pose: Pose::translation(post),
        geometry: Geometry::Cylinder { radius: 0.015, half_height: 0.2 },
        ..ShapeDef::default()
    });
    let path = RodPath::Straight { from: Vec3::zeros(), to: Vec3::x() * 0.8, segments: 80 };
    let section = RodSection::Circle { radius: 0.004 };
    let begin = RodEnd::Pinned(None);
    let rod = b.add_rod(RodDef { path, section, young: 1e7, begin, ..RodDef::default() });
    let mut b = bench(b)?;
    for (i, body) in rod.bodies.iter().enumerate() {
        let spin = Vec3::z() * (25.0 / 0.8);
        let x = Vec3::x() * (0.01 * (i as f64 + 0.5));
        b.state.body_qd[body.index()] = Spatial::new(spin.cross(&x), spin);
    }
    b.solver.load(&b.state);
    let (mut deepest, mut turned) = (0.0_f64, 0.0_f64);
    for _ in 0..240 {
        b.step(1.0 / 480.0)?;
        for axis in axes(&b, &rod) {
            let distance = samples(&axis).map(|x| (x - post).xy().norm()).fold(f64::INFINITY, f64::min);
            deepest = deepest.max(0.019 - distance);
        }
        turned = turned.max(b.state.body_q[rod.bodies[79].index()].p.y);
    }
    Ok(vec![
        Measure::absolute("overlap with the post [m]", deepest, 0.0, 4e-4),
        Measure::absolute("the tip came round the post: its highest y [m]", turned, 0.5, 0.3),
    ])
}

/// An overhand knot in a rope (radius 3 mm), pulled at both ends, dt 1/240.
fn knot() -> Result<Vec<Measure>, CaseError> {
    let mut b = with_friction(0.3, Vec3::zeros());
    let rod = b.add_rod(RodDef {
        path: RodPath::Spline { points: overhand(), segment: 0.006 },
        section: RodSection::Circle { radius: 0.003 },
        young: 1e7,
        damping_time: 0.02,
        rest: coact_model::RodRest::Straight,
        ..RodDef::default()
    });
    let mut b = bench(b)?;
    let ends = [rod.bodies[0].index(), rod.bodies[rod.bodies.len() - 1].index()];
    let mut least = f64::INFINITY;
    for step in 0..720 {
        let pull = 20.0 * (f64::from(step) / 480.0).min(1.0);
        for (end, sign) in ends.into_iter().zip([-1.0, 1.0]) {
            b.forces.body_f[end] = Spatial::new(Vec3::x() * (pull * sign), Vec3::zeros());
        }
        b.step(1.0 / 240.0)?;
        if step % 10 == 0 {
            least = least.min(least_distance(&axes(&b, &rod), 6));
        }
    }
    // along the rope as it is stretched, less from end to end: none where the knot has come undone
    let centers: Vec<Vec3> = rod.bodies.iter().map(|i| b.state.body_q[i.index()].p).collect();
    let length: f64 = centers.windows(2).map(|w| (w[1] - w[0]).norm()).sum();
    let apart = (centers[centers.len() - 1] - centers[0]).norm();
    Ok(vec![
        Measure::absolute("overlap of the rope with itself [m]", (0.006 - least).max(0.0), 0.0, 3e-4),
        Measure::absolute("rope in the knot, over its radius", (length - apart) / 0.003, 25.0, 10.0),
    ])
}

/// Points of an overhand knot whose ends lead along x: (t³ − 3t, t⁴ − 4t², t⁵ − 10t), the last one flat.
fn overhand() -> Vec<Vec3> {
    let at =
        |t: f64| Vec3::new(t.powi(3) - 3.0 * t, t.powi(4) - 4.0 * t * t, 0.2 * (t.powi(5) - 10.0 * t)) * 0.02;
    let knot: Vec<Vec3> = (0..=40).map(|i| at(-2.05 + 4.1 * f64::from(i) / 40.0)).collect();
    let (first, last) = (knot[0], knot[40]);
    let out = |from: Vec3, sign: f64, k: i32| from + Vec3::new(sign * 0.04, 0.02, sign * 0.01) * f64::from(k);
    let before = (1..=4).rev().map(|k| out(first, -1.0, k));
    let after = (1..=4).map(|k| out(last, 1.0, k));
    before.chain(knot).chain(after).collect()
}

/// Twelve rods (0.2 m, radius 4 mm), bent so that they do not roll away, fall crosswise on each other,
/// dt 1/240, 4 s.
fn pile() -> Result<Vec<Measure>, CaseError> {
    let mut b = with_friction(0.5, Vec3::z() * -G);
    b.add_shape(ShapeDef::default());
    let mut rods = Vec::new();
    for i in 0..12 {
        let k = f64::from(i);
        let along = exp_so3(&(Vec3::z() * (1.1 * k))) * Vec3::new(0.1, 0.0, 0.002 * (k % 3.0));
        let middle = Vec3::new(0.01 * (k * 2.3).sin(), 0.01 * (k * 1.7).cos(), 0.02 + 0.02 * k);
        let across = Vec3::z().cross(&along) * 0.3;
        let point = |j: i32| {
            let s = f64::from(j) / 5.0 - 1.0;
            middle + along * s + across * (1.0 - s * s)
        };
        let path = RodPath::Points((0..=10).map(point).collect());
        let section = RodSection::Circle { radius: 0.004 };
        rods.push(b.add_rod(RodDef { path, section, young: 1e8, damping_time: 1e-3, ..RodDef::default() }));
    }
    let mut b = bench(b)?;
    let gained = rise(&mut b, 960, 1.0 / 240.0)?;
    let mut least = f64::INFINITY;
    for (i, one) in rods.iter().enumerate() {
        for other in &rods[..i] {
            for (p, q) in axes(&b, one).iter().flat_map(|p| axes(&b, other).into_iter().map(move |q| (*p, q)))
            {
                least = least.min(distance(&p, &q));
            }
        }
    }
    Ok(vec![
        Measure::absolute("energy gained, share", gained, 0.0, 1e-6),
        Measure::absolute("speed after 4 s [m/s]", fastest(&b), 0.0, 1e-3),
        Measure::absolute("overlap of two rods [m]", (0.008 - least).max(0.0), 0.0, 1e-5),
        Measure::absolute("depth [m]", b.report.penetration.depth, 0.0, 1e-5),
    ])
}

/// Ends of the axes of a rod's segments.
fn axes(b: &Bench, rod: &RodIds) -> Vec<[Vec3; 2]> {
    let half = |i: usize| {
        let shape = b.model.shape_body.iter().position(|s| *s == Some(BodyId::new(i)));
        match shape.map(|s| &b.model.shape_geometry[s]) {
            Some(Geometry::Capsule { half_height, .. }) => *half_height,
            _ => 0.0,
        }
    };
    let ends = |body: &BodyId| {
        let (pose, h) = (&b.state.body_q[body.index()], half(body.index()));
        [pose.point(&(Vec3::z() * -h)), pose.point(&(Vec3::z() * h))]
    };
    rod.bodies.iter().map(ends).collect()
}

/// Points of an axis.
fn samples([a, b]: &[Vec3; 2]) -> impl Iterator<Item = Vec3> {
    let (a, b) = (*a, *b);
    (0..=20).map(move |i| a + (b - a) * (f64::from(i) / 20.0))
}

/// Least distance of two axes: that of a point of the first to the second is convex along the first.
fn distance(p: &[Vec3; 2], q: &[Vec3; 2]) -> f64 {
    let to = |s: f64| {
        let (x, along) = (p[0] + (p[1] - p[0]) * s, q[1] - q[0]);
        let t = ((x - q[0]).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
        (x - q[0] - along * t).norm()
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if to(a) < to(b) { high = b } else { low = a }
    }
    to(0.5 * (low + high))
}

/// Least distance of axes that are more than `apart` places from each other.
fn least_distance(axes: &[[Vec3; 2]], apart: usize) -> f64 {
    let mut least = f64::INFINITY;
    for i in 0..axes.len() {
        for j in i + apart + 1..axes.len() {
            if (axes[i][0] - axes[j][0]).norm() < 0.03 {
                least = least.min(distance(&axes[i], &axes[j]));
            }
        }
    }
    least
}
