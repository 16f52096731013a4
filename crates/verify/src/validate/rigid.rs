//! Rigid bodies of `SolverVbd` with what connects them, at default settings, against the textbook: what
//! rests, slides, rolls, hangs and bounces.

use coact_math::{Mat3, Pose, Quat, Spatial, Vec3};
use coact_model::{
    BodyDef, BodyId, BodyMass, Geometry, JointDef, JointKind, Material, MaterialId, ModelBuilder, ModelView,
    ShapeDef,
};
use coact_vbd::{SolverVbd, VbdConfig};

use super::bench::Bench;
use super::{Case, CaseError, Measure};

const G: f64 = 9.81;

/// The cases of this area.
pub const CASES: [Case; 9] = [
    Case { name: "rigid/capsule-rolls", long: false, run: capsule_rolls },
    Case { name: "rigid/box-holds-inside-its-cone", long: false, run: box_holds },
    Case { name: "rigid/box-slides-outside-its-cone", long: false, run: box_slides },
    Case { name: "rigid/conveyor", long: false, run: conveyor },
    Case { name: "rigid/stack-sinks", long: false, run: stack_sinks },
    Case { name: "rigid/mass-ratio", long: false, run: mass_ratio },
    Case { name: "rigid/restitution", long: false, run: restitution },
    Case { name: "rigid/stack-stands", long: false, run: stack_stands },
    Case { name: "rigid/chain-of-ten-tonnes", long: false, run: chain },
];

fn vbd(b: ModelBuilder) -> Result<Bench, CaseError> {
    let model = b.finalize()?;
    let solver = SolverVbd::new(&ModelView::whole(&model), VbdConfig::default())?;
    Ok(Bench::new(model, Box::new(solver)))
}

/// A floor that leans by an angle about y, of a material.
fn floor(material: Material, tilt: f64) -> (ModelBuilder, Quat) {
    let mut b = ModelBuilder::new();
    b.set_material(MaterialId(0), material);
    let q = Quat::from_axis_angle(&Vec3::y_axis(), tilt);
    b.add_shape(ShapeDef { name: "floor".into(), pose: Pose::new(Vec3::zeros(), q), ..Default::default() });
    (b, q)
}

fn rubbing(mu: f64) -> Material {
    Material { mu, ..Material::default() }
}

fn given(mass: f64, half: Vec3) -> BodyMass {
    let s = half.component_mul(&half);
    let inertia = Mat3::from_diagonal(&Vec3::new(s.y + s.z, s.x + s.z, s.x + s.y)) * (mass / 3.0);
    BodyMass::Given { mass, com: Vec3::zeros(), inertia }
}

/// A box of 0.2 m.
fn cuboid(b: &mut ModelBuilder, pose: Pose, mass: f64) -> BodyId {
    let half_extents = Vec3::repeat(0.1);
    let body = b.add_body(BodyDef { pose, mass: given(mass, half_extents), ..Default::default() });
    let geometry = Geometry::Box { half_extents };
    b.add_shape(ShapeDef { body: Some(body), geometry, density: 0.0, ..Default::default() });
    body
}

/// A capsule (5 mm, 0.3 m long, mu 0.8) from rest, dt 1.25 ms: v(0.4 s) against g sin a t/(1 + I/(m r²)).
fn capsule_rolls() -> Result<Vec<Measure>, CaseError> {
    let mut measures = Vec::new();
    for degrees in [10.0f64, 20.0] {
        let (angle, radius) = (degrees.to_radians(), 0.005);
        let (mut b, q) = floor(rubbing(0.8), angle);
        let lie = Quat::from_axis_angle(&Vec3::x_axis(), std::f64::consts::FRAC_PI_2);
        let pose = Pose::new(q * Vec3::new(0.0, 0.0, radius), q * lie);
        let body = b.add_body(BodyDef { pose, ..Default::default() });
        let geometry = Geometry::Capsule { radius, half_height: 0.145 };
        b.add_shape(ShapeDef { body: Some(body), geometry, density: 1200.0, ..Default::default() });
        let mut bench = vbd(b)?;
        bench.run(320, 1.25e-3)?;
        let (m, i) = (bench.model.body_mass[0], bench.model.body_inertia[0][(2, 2)]);
        let exact = G * angle.sin() * 0.4 / (1.0 + i / (m * radius * radius));
        let speed = bench.state.body_qd[0].lin.norm();
        measures.push(Measure::relative(
            format!("speed after 0.4 s at {degrees}° [m/s]"),
            speed,
            exact,
            1e-3,
        ));
    }
    Ok(measures)
}

const RATES: [f64; 3] = [60.0, 240.0, 1000.0];

/// A box (1 kg, mu 0.5) on a slope.
fn slope(degrees: f64) -> Result<Bench, CaseError> {
    let (mut b, q) = floor(rubbing(0.5), degrees.to_radians());
    cuboid(&mut b, Pose::new(q * Vec3::new(0.0, 0.0, 0.1), q), 1.0);
    vbd(b)
}

/// 26° is half a degree inside the cone: nothing creeps, from the second second to the fifth.
fn box_holds() -> Result<Vec<Measure>, CaseError> {
    let mut measures = Vec::new();
    for rate in RATES {
        let mut bench = slope(26.0)?;
        let begin = bench.run(rate as usize, 1.0 / rate)?.body_q[0].p;
        let end = bench.run(4 * rate as usize, 1.0 / rate)?.body_q[0].p;
        let creep = (end - begin).norm() / 4.0;
        measures.push(Measure::absolute(format!("creep at 26°, dt 1/{rate} [m/s]"), creep, 0.0, 1e-6));
    }
    Ok(measures)
}

/// 27° is half a degree outside: g (sin a − mu cos a).
fn box_slides() -> Result<Vec<Measure>, CaseError> {
    let angle = 27.0f64.to_radians();
    let exact = G * (angle.sin() - 0.5 * angle.cos());
    let mut measures = Vec::new();
    for rate in RATES {
        let mut bench = slope(27.0)?;
        let begin = bench.run(rate as usize, 1.0 / rate)?.body_qd[0].lin.norm();
        let end = bench.run(2 * rate as usize, 1.0 / rate)?.body_qd[0].lin.norm();
        let a = 0.5 * (end - begin);
        measures.push(Measure::relative(format!("acceleration at 27°, dt 1/{rate} [m/s²]"), a, exact, 0.01));
    }
    Ok(measures)
}

/// A box (mu 0.5) put on a belt of 1 m/s: mu g t while it slips, then the speed of the belt.
fn conveyor() -> Result<Vec<Measure>, CaseError> {
    let mut b = ModelBuilder::new();
    b.set_material(MaterialId(0), rubbing(0.5));
    b.add_shape(ShapeDef { name: "belt".into(), surface_velocity: Vec3::x(), ..Default::default() });
    cuboid(&mut b, Pose::translation(Vec3::z() * 0.1), 1.0);
    let mut bench = vbd(b)?;
    let early = bench.run(24, 1.0 / 240.0)?.body_qd[0].lin.x;
    let late = bench.run(216, 1.0 / 240.0)?.body_qd[0].lin;
    Ok(vec![
        Measure::relative("speed after 0.1 s [m/s]", early, 0.05 * G, 1e-3),
        Measure::absolute("speed after 1 s against the belt [m/s]", (late - Vec3::x()).norm(), 0.0, 1e-6),
    ])
}

/// Boxes of these masses on each other.
fn tower(masses: &[f64], material: Material) -> Result<Bench, CaseError> {
    let (mut b, _) = floor(material, 0.0);
    for (i, &m) in masses.iter().enumerate() {
        cuboid(&mut b, Pose::translation(Vec3::new(0.0, 0.0, 0.1 + 0.2 * i as f64)), m);
    }
    vbd(b)
}

/// Ten boxes of 1 kg, rigid_ke 1e5 at each of the four corners: each contact gives way by the weight above
/// it over 4 k.
fn stack_sinks() -> Result<Vec<Measure>, CaseError> {
    let mut bench = tower(&[1.0; 10], Material { rigid_ke: 1e5, kd: 200.0, ..rubbing(0.5) })?;
    bench.run(720, 1.0 / 120.0)?;
    let mut measures = Vec::new();
    for top in [0, 4, 9] {
        let carried: usize = (0..=top).map(|i| 10 - i).sum();
        let exact = carried as f64 * G / 4e5;
        let sag = 0.1 + 0.2 * top as f64 - bench.body_z(top);
        measures.push(Measure::relative(format!("sag of box {} of 10 [m]", top + 1), sag, exact, 0.01));
    }
    Ok(measures)
}

/// The largest way of any body from where it began \[m\].
fn farthest(bench: &mut Bench, steps: usize, dt: f64) -> Result<f64, CaseError> {
    let begin = bench.state.body_q.clone();
    let mut way = 0.0_f64;
    for _ in 0..steps {
        let ways = bench.step(dt)?.body_q.iter().zip(&begin).map(|(q, q0)| (q.p - q0.p).norm());
        way = ways.fold(way, f64::max);
    }
    Ok(way)
}

/// 1000 kg on 1 kg: both stay, for 10 s.
fn mass_ratio() -> Result<Vec<Measure>, CaseError> {
    let mut bench = tower(&[1.0, 1000.0], rubbing(0.5))?;
    let way = farthest(&mut bench, 1200, 1.0 / 120.0)?;
    Ok(vec![Measure::absolute("largest way in 10 s, 1000 kg on 1 kg [m]", way, 0.0, 1e-4)])
}

/// Ten hard boxes: 10 s within a tenth of a millimetre.
fn stack_stands() -> Result<Vec<Measure>, CaseError> {
    let mut measures = Vec::new();
    for rate in [60.0, 120.0, 240.0] {
        let mut bench = tower(&[1.0; 10], rubbing(0.5))?;
        let way = farthest(&mut bench, 10 * rate as usize, 1.0 / rate)?;
        let what = format!("largest way in 10 s, ten boxes, dt 1/{rate} [m]");
        measures.push(Measure::absolute(what, way, 0.0, 1e-4));
    }
    Ok(measures)
}

/// Fifty ball-jointed links (0.1 m, 0.2 kg) and 10,000 kg at their end swing from level, dt 1/240, 2 s.
fn chain() -> Result<Vec<Measure>, CaseError> {
    let mut b = ModelBuilder::new();
    let mut before = None;
    for i in 0..=50 {
        let (half, m) = if i == 50 { (Vec3::repeat(0.2), 1e4) } else { (Vec3::new(0.05, 0.01, 0.01), 0.2) };
        let pose = Pose::translation(Vec3::new(0.1 * i as f64 + half.x, 0.0, 0.0));
        let body = b.add_body(BodyDef { pose, mass: given(m, half), ..Default::default() });
        let x_p = Pose::translation(Vec3::x() * if before.is_none() { 0.0 } else { 0.05 });
        let x_c = Pose::translation(Vec3::x() * -half.x);
        b.add_joint(JointDef { x_p, x_c, ..JointDef::new(JointKind::Ball, before, body) });
        before = Some(body);
    }
    let mut bench = vbd(b)?;
    let mut gap = 0.0_f64;
    for _ in 0..480 {
        bench.step(1.0 / 240.0)?;
        gap = gap.max(bench.report.worst_joint.map_or(f64::NAN, |(_, g)| g));
    }
    let fallen = -bench.body_z(50);
    Ok(vec![
        Measure::absolute("largest joint gap in 2 s [m]", gap, 0.0, 1e-4),
        Measure::absolute("whether it swings: fallen by more than 0.3 m", f64::from(fallen > 0.3), 1.0, 0.0),
    ])
}

/// A ball falls by 1 m: the speed after the hit over that before it.
fn restitution() -> Result<Vec<Measure>, CaseError> {
    let mut measures = Vec::new();
    for rate in [120.0, 480.0] {
        for e in [0.0, 0.3, 0.5, 0.8, 1.0] {
            let (mut b, _) = floor(Material { restitution: e, ..Material::default() }, 0.0);
            let pose = Pose::translation(Vec3::z() * 1.1);
            let mass = BodyMass::Given { mass: 1.0, com: Vec3::zeros(), inertia: Mat3::identity() * 0.004 };
            let velocity = Spatial::zeros();
            let ball = b.add_body(BodyDef { pose, mass, velocity, ..Default::default() });
            let geometry = Geometry::Sphere { radius: 0.1 };
            b.add_shape(ShapeDef { body: Some(ball), geometry, density: 0.0, ..Default::default() });
            let returned = first_bounce(&mut vbd(b)?, 1.0 / rate)?;
            measures.push(Measure::absolute(format!("e = {e}, dt 1/{rate}"), returned, e, 0.01));
        }
    }
    Ok(measures)
}

/// Speed after the first hit over that before it.
fn first_bounce(bench: &mut Bench, h: f64) -> Result<f64, CaseError> {
    for _ in 0..(1.0 / h) as usize {
        let before = bench.state.body_qd[0].lin.z - G * h;
        let after = bench.step(h)?.body_qd[0].lin.z;
        if after > before + 1.0 {
            return Ok(-after / before);
        }
    }
    Err(CaseError("it did not hit the floor within a second".into()))
}
