//! Mechanisms whose links and joints stand in another solver as proxies.
//!
//! A link of 1 kg is hinged at one end over a cloth (11 × 11 particles, pinned at its
//! corners) and rests on it with the other, while a drive carries a part of it. What presses
//! the cloth is what the mechanism lets through: not the link's weight. Once all is one
//! `SolverVbd`, once the link belongs to `SolverArticulated`.

use coact_articulated::{ArticulatedConfig, SolverArticulated};
use coact_coupled::{EntryDef, Proxy, ProxyConfig, SolverCoupledProxy};
use coact_math::{Pose, Quat, Vec3};
use coact_model::mesh::{Diagonal, cloth_grid};
use coact_model::{
    BodyDef, BodyId, ClothDef, Geometry, JointAxis, JointDef, JointId, JointKind, Material, Model,
    ModelBuilder, ModelView, ParticleId, ShapeDef,
};
use coact_solver::Loads;
use coact_vbd::{SolverVbd, VbdConfig};

use super::bench::Bench;
use super::{Case, CaseError, Measure};

/// The cases of this area.
pub const CASES: [Case; 2] = [
    Case { name: "coupling/hinged-link-on-cloth", long: false, run: hinged_link },
    Case { name: "coupling/driven-link-on-cloth", long: false, run: driven_link },
];

const LENGTH: f64 = 0.4;
const MASS: f64 = 1.0;
/// Seconds until the link lies still, and over which forces are averaged.
const TIMES: [f64; 2] = [3.0, 0.5];
const DT: f64 = 1.0 / 120.0;

/// The drive: stiffness \[N·m\], damping \[N·m·s\], target \[rad\] (positive is down).
#[derive(Clone, Copy)]
struct Drive(f64, f64, f64);

fn link_on_cloth(drive: Drive) -> Result<Model, CaseError> {
    let mut b = ModelBuilder::new();
    let cloth = b.add_material("cloth", Material { ke: 1.0e4, kd: 10.0, mu: 0.3, ..Material::default() });
    let body = b.add_body(BodyDef { name: "link".into(), ..Default::default() });
    b.add_shape(ShapeDef {
        body: Some(body),
        geometry: Geometry::Capsule { radius: 0.04, half_height: 0.5 * LENGTH },
        pose: Pose::new(Vec3::zeros(), Quat::from_scaled_axis(Vec3::y() * std::f64::consts::FRAC_PI_2)),
        density: MASS / 2.278_7e-3,
        material: cloth,
        ..Default::default()
    });
    let Drive(target_ke, target_kd, target) = drive;
    let axis = JointAxis { axis: Vec3::y(), target_ke, target_kd, ..JointAxis::default() };
    b.add_joint(JointDef {
        x_p: Pose::translation(Vec3::new(-0.5, 0.0, 1.15)),
        x_c: Pose::translation(Vec3::new(-0.5 * LENGTH, 0.0, 0.0)),
        axes: vec![axis],
        target_q: vec![target],
        ..JointDef::new(JointKind::Revolute, None, body)
    });
    b.pose_from_joints();
    let def = ClothDef {
        pose: Pose::translation(Vec3::new(-0.5, -0.5, 1.0)),
        density: 0.3,
        mu: 1.0e3,
        lambda: 1.0e3,
        kd: 1.0,
        bend_ke: 0.01,
        radius: 0.01,
        material: cloth,
        ..Default::default()
    };
    let group = b.add_cloth("cloth", &cloth_grid([10, 10], [1.0, 1.0], Diagonal::Alternating), &def);
    let particles: Vec<_> = b.group_particles(group).collect();
    for corner in [0, 10, 110, 120] {
        b.pin_particle(particles[corner]);
    }
    Ok(b.finalize()?)
}

fn config() -> VbdConfig {
    VbdConfig { iterations: 20, ..VbdConfig::default() }
}

/// Angle of the link, and the force of the cloth on it, once it lies still.
struct Rest {
    height: f64,
    force: f64,
    passes: f64,
}

fn unified(model: &Model) -> Result<Rest, CaseError> {
    let solver = SolverVbd::new(&ModelView::whole(model), config())?;
    let mut bench = Bench::new(model.clone(), Box::new(solver));
    let mut loads = Loads::default();
    rest(&mut bench, |bench| {
        loads.clear();
        bench.solver.append_loads(&mut loads);
        -loads.particles.iter().map(|c| (c.normal * c.normal_force + c.friction).z).sum::<f64>()
    })
}

fn coupled(model: &Model, joints: &[JointId]) -> Result<Rest, CaseError> {
    let link = [BodyId(0)];
    let arm = EntryDef::new("arm", |view| SolverArticulated::new(view, ArticulatedConfig::default()));
    let soft = EntryDef::new("soft", |view| SolverVbd::new(view, config()));
    let soft = soft.particles((0..model.particle_count()).map(ParticleId::new));
    let proxies = vec![Proxy::new("arm", "soft").bodies(link).joints(joints.iter().copied())];
    let defs = vec![arm.bodies(link).joints([JointId(0)]), soft];
    let solver = SolverCoupledProxy::new(model, defs, ProxyConfig { proxies, ..ProxyConfig::default() })?;
    let mut bench = Bench::new(model.clone(), Box::new(solver));
    rest(&mut bench, |bench| bench.report.interfaces[0].impulse_source[2] / DT)
}

fn rest(bench: &mut Bench, mut force: impl FnMut(&Bench) -> f64) -> Result<Rest, CaseError> {
    let [settle, mean] = TIMES.map(|t| (t / DT) as usize);
    bench.run(settle, DT)?;
    let mut sum = Rest { height: 0.0, force: 0.0, passes: 0.0 };
    for _ in 0..mean {
        bench.step(DT)?;
        let n = mean as f64;
        sum.height += bench.body_z(0) / n;
        sum.force += force(bench) / n;
        sum.passes += bench.report.iterations as f64 / n;
    }
    Ok(sum)
}

fn measures(drive: Drive) -> Result<Vec<Measure>, CaseError> {
    let model = link_on_cloth(drive)?;
    let one = unified(&model)?;
    let mut all = vec![Measure::absolute(
        "it presses with less than its weight, unified: share of it",
        one.force / (MASS * 9.81),
        0.25,
        0.2,
    )];
    for (what, joints) in [("link alone", &[][..]), ("link and joint", &[JointId(0)])] {
        let two = coupled(&model, joints)?;
        let of = |m: &str| format!("{what} as proxy: {m}");
        all.push(Measure::relative(of("force on the cloth [N]"), two.force, one.force, 0.01));
        all.push(Measure::absolute(of("height of the link [m]"), two.height, one.height, 1e-3));
    }
    Ok(all)
}

/// A hinge alone lets about half of the weight through.
fn hinged_link() -> Result<Vec<Measure>, CaseError> {
    measures(Drive(0.0, 0.5, 0.0))
}

/// A drive carries most of the rest.
fn driven_link() -> Result<Vec<Measure>, CaseError> {
    measures(Drive(2.0, 0.5, 0.1))
}
