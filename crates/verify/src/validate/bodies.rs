//! Free rigid bodies of `SolverVbd`, and bodies in reduced coordinates, against closed forms.

use coact_articulated::{ArticulatedConfig, SolverArticulated};
use coact_math::{Mat3, Pose, Spatial, Vec3};
use coact_model::{
    BodyDef, BodyMass, Geometry, JointAxis, JointDef, JointKind, Material, Model, ModelBuilder, ModelError,
    ModelView, ShapeDef, ShapeFlags,
};
use coact_solver::Solver;
use coact_vbd::{SolverVbd, VbdConfig};

use super::bench::Bench;
use super::{Case, CaseError, Measure};

const G: f64 = 9.81;

/// The cases of this area.
pub const CASES: [Case; 5] = [
    Case { name: "bodies/tumbling-vbd", long: false, run: || tumbling(vbd) },
    Case { name: "bodies/tumbling-articulated", long: false, run: || tumbling(articulated) },
    Case { name: "bodies/pendulum-period", long: false, run: pendulum_period },
    Case { name: "bodies/driven-slider", long: false, run: driven_slider },
    Case { name: "bodies/box-slides-down-incline", long: false, run: box_slides },
];

type MakeSolver = fn(&Model) -> Result<Box<dyn Solver>, CaseError>;

fn vbd(model: &Model) -> Result<Box<dyn Solver>, CaseError> {
    Ok(Box::new(SolverVbd::new(&ModelView::whole(model), VbdConfig::default())?))
}

fn articulated(model: &Model) -> Result<Box<dyn Solver>, CaseError> {
    Ok(Box::new(SolverArticulated::new(&ModelView::whole(model), ArticulatedConfig::default())?))
}

/// A torque-free body far from symmetric, 10 s: the angular momentum stays, and so does the
/// energy up to the bounded error of the splitting.
fn tumbling(make: MakeSolver) -> Result<Vec<Measure>, CaseError> {
    let mut measures = Vec::new();
    for rate in [60.0, 240.0, 1000.0] {
        let mut b = ModelBuilder::new();
        b.gravity = Vec3::zeros();
        let inertia = Mat3::from_diagonal(&Vec3::new(0.001, 0.02, 0.0205));
        let mass = BodyMass::Given { mass: 1.0, com: Vec3::zeros(), inertia };
        let velocity = Spatial::new(Vec3::zeros(), Vec3::new(100.0, 20.0, 50.0));
        b.add_body(BodyDef { name: "plate".into(), velocity, mass, ..Default::default() });
        let model = b.finalize()?;
        let momentum = |s: &coact_model::State| {
            let r = s.body_q[0].q;
            r * (inertia * (r.inverse() * s.body_qd[0].ang))
        };
        let mut bench = Bench::new(model.clone(), make(&model)?);
        let before = momentum(&bench.state);
        let energy_before = 0.5 * before.dot(&bench.state.body_qd[0].ang);
        bench.run((10.0 * rate) as usize, 1.0 / rate)?;
        let after = momentum(&bench.state);
        let energy = 0.5 * after.dot(&bench.state.body_qd[0].ang);
        let drift = (after - before).norm() / before.norm();
        measures.push(Measure::absolute(format!("momentum drift, dt 1/{rate}"), drift, 0.0, 1e-11));
        measures.push(Measure::absolute(
            format!("energy / initial, dt 1/{rate}"),
            energy / energy_before,
            1.0,
            3e-4,
        ));
    }
    Ok(measures)
}

fn pendulum(angle: f64) -> Result<Model, ModelError> {
    let mut b = ModelBuilder::new();
    let mass = BodyMass::Given { mass: 1.0, com: Vec3::zeros(), inertia: Mat3::identity() * 1e-9 };
    let body = b.add_body(BodyDef { name: "bob".into(), mass, ..Default::default() });
    let axis = JointAxis { axis: Vec3::y(), ..JointAxis::default() };
    b.add_joint(JointDef {
        name: "hinge".into(),
        x_c: Pose::translation(Vec3::new(0.0, 0.0, 1.0)),
        axes: vec![axis],
        q: Some(vec![angle]),
        ..JointDef::new(JointKind::Revolute, None, body)
    });
    b.pose_from_joints();
    b.finalize()
}

/// A point mass on a rod of 1 m swinging from 60°: the period is 2π/M(1, cos(a/2)) √(l/g)
/// with the arithmetic–geometric mean M.
fn pendulum_period() -> Result<Vec<Measure>, CaseError> {
    let angle = 60.0f64.to_radians();
    let dt = 1.0 / 1000.0;
    let model = pendulum(angle)?;
    let mut bench = Bench::new(model.clone(), articulated(&model)?);
    let (mut crossings, mut last) = (Vec::new(), bench.state.joint_q[0]);
    for step in 1..=6000 {
        let q = bench.step(dt)?.joint_q[0];
        if last < 0.0 && q >= 0.0 {
            crossings.push((step as f64 - q / (q - last)) * dt);
        }
        last = q;
    }
    let measured = (crossings[2] - crossings[0]) / 2.0;
    let exact = 2.0 * std::f64::consts::PI / arithmetic_geometric_mean(1.0, (0.5 * angle).cos()) / G.sqrt();
    Ok(vec![Measure::relative("period [s]", measured, exact, 1e-3)])
}

fn arithmetic_geometric_mean(mut a: f64, mut b: f64) -> f64 {
    while (a - b).abs() > 1e-15 * a {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    a
}

/// A slider of 2 kg with a drive (400 N/m, 15 N·s/m, armature 0.1 kg) to 0.1 m, 120 steps of
/// 1/120 s: the recurrence of backward Euler.
fn driven_slider() -> Result<Vec<Measure>, CaseError> {
    let (m, ke, kd, target, h) = (2.1, 400.0, 15.0, 0.1, 1.0 / 120.0);
    let mut b = ModelBuilder::new();
    b.gravity = Vec3::zeros();
    let mass = BodyMass::Given { mass: 2.0, com: Vec3::zeros(), inertia: Mat3::identity() };
    let body = b.add_body(BodyDef { name: "slider".into(), mass, ..Default::default() });
    let axis =
        JointAxis { axis: Vec3::x(), target_ke: ke, target_kd: kd, armature: 0.1, ..JointAxis::default() };
    b.add_joint(JointDef {
        name: "rail".into(),
        axes: vec![axis],
        target_q: vec![target],
        ..JointDef::new(JointKind::Prismatic, None, body)
    });
    let model = b.finalize()?;
    let mut bench = Bench::new(model.clone(), articulated(&model)?);
    bench.run(120, h)?;
    let (mut q, mut v) = (0.0, 0.0);
    for _ in 0..120 {
        v = (m * v - h * ke * (q - target)) / (m + h * kd + h * h * ke);
        q += h * v;
    }
    Ok(vec![Measure::absolute("position after 1 s [m]", bench.state.joint_q[0], q, 1e-10)])
}

/// A box on an incline of 35°, mu = 0.3, reduced coordinates: v = g (sin a − mu cos a) t.
fn box_slides() -> Result<Vec<Measure>, CaseError> {
    let (angle, mu) = (35.0f64.to_radians(), 0.3);
    let mut b = ModelBuilder::new();
    b.gravity = Vec3::new(angle.sin(), 0.0, -angle.cos()) * G;
    let m = b.add_material("surface", Material { mu, ..Material::default() });
    b.add_shape(ShapeDef { name: "incline".into(), material: m, ..Default::default() });
    let pose = Pose::translation(Vec3::new(0.0, 0.0, 0.05));
    let body = b.add_body(BodyDef { name: "box".into(), pose, ..Default::default() });
    b.add_shape(ShapeDef {
        name: "box".into(),
        body: Some(body),
        geometry: Geometry::Box { half_extents: Vec3::new(0.1, 0.1, 0.05) },
        material: m,
        flags: ShapeFlags::all(),
        ..Default::default()
    });
    let model = b.finalize()?;
    let mut bench = Bench::new(model.clone(), articulated(&model)?);
    bench.run(240, 1.0 / 240.0)?;
    let exact = G * (angle.sin() - mu * angle.cos());
    Ok(vec![Measure::relative("speed after 1 s [m/s]", bench.state.body_qd[0].lin.x, exact, 0.02)])
}
