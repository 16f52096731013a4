//! Rods of `SolverRod` at rest, at default settings, against the elastica and Kirchhoff's theory: what
//! bends, twists, hangs and pulls.
//!
//! Rods come to rest in long steps, whose backward Euler takes all motion out of them.

use coact_math::{Mat3, Pose, Spatial, Vec3};
use coact_model::{
    BodyDef, BodyId, BodyMass, ModelBuilder, ModelView, RodDef, RodEnd, RodIds, RodPath, RodRest, RodSection,
    ShapeFlags, Shear,
};
use coact_rod::{RodConfig, SolverRod};

use super::bench::Bench;
use super::{Case, CaseError, Measure};

const G: f64 = 9.81;

/// The cases of this area.
pub const CASES: [Case; 8] = [
    Case { name: "rods/cantilever", long: false, run: cantilever },
    Case { name: "rods/cantilever-order", long: false, run: cantilever_order },
    Case { name: "rods/twist", long: false, run: twist },
    Case { name: "rods/twist-of-a-thread", long: false, run: twist_of_a_thread },
    Case { name: "rods/full-circle", long: false, run: full_circle },
    Case { name: "rods/catenary", long: false, run: catenary },
    Case { name: "rods/naturally-curved", long: false, run: naturally_curved },
    Case { name: "rods/helical-spring", long: false, run: helical_spring },
];

/// A rod on a bench.
pub(super) struct Rig {
    pub bench: Bench,
    pub rod: RodIds,
    /// A weightless body at the end of the rod, where it was asked for.
    pub handle: usize,
}

impl Rig {
    /// Steps of `dt`; what moves faster than `speed` at the end has not come to rest.
    pub fn settle(&mut self, steps: usize, dt: f64, speed: f64) -> Result<(), CaseError> {
        self.bench.run(steps, dt)?;
        let fastest = self.bench.state.body_qd.iter().map(|v| v.lin.norm()).fold(0.0, f64::max);
        if fastest <= speed {
            return Ok(());
        }
        Err(CaseError(format!("the rod has not come to rest: {fastest:.1e} m/s")))
    }

    /// Pose of a segment, by its place in the rod.
    pub fn pose(&self, i: usize) -> Pose {
        self.bench.state.body_q[self.rod.bodies[i].index()]
    }

    /// Sum of the rotation vectors from segment to segment, and on to the handle.
    fn total_turn(&self) -> Vec3 {
        let frames = self.rod.bodies.iter().map(|b| b.index()).chain([self.handle]);
        let frames: Vec<_> = frames.map(|b| self.bench.state.body_q[b].q).collect();
        frames.windows(2).map(|w| (w[0].inverse() * w[1]).scaled_axis()).sum()
    }

    pub fn handle_pose(&self) -> Pose {
        self.bench.state.body_q[self.handle]
    }
}

/// A rod without contact, in a gravity along −z.
pub(super) fn rig(def: RodDef, gravity: f64) -> Result<Rig, CaseError> {
    build(gravity, |b| (b.add_rod(quiet(def)), 0))
}

/// A weightless rod with a handle at its end: a body as light as a segment that is clamped to it.
pub(super) fn rig_with_handle(def: RodDef, end: Pose, kinematic: bool) -> Result<Rig, CaseError> {
    build(0.0, |b| {
        let mass = BodyMass::Given { mass: 1e-3, com: Vec3::zeros(), inertia: Mat3::identity() * 1e-8 };
        let handle = b.add_body(BodyDef { pose: end, mass, kinematic, ..BodyDef::default() });
        (b.add_rod(quiet(RodDef { end: RodEnd::Clamped(Some(handle)), ..def })), handle.index())
    })
}

fn quiet(def: RodDef) -> RodDef {
    RodDef { flags: ShapeFlags::VISIBLE, ..def }
}

fn build(gravity: f64, add: impl FnOnce(&mut ModelBuilder) -> (RodIds, usize)) -> Result<Rig, CaseError> {
    let mut b = ModelBuilder::new();
    b.gravity = Vec3::z() * -gravity;
    let (rod, handle) = add(&mut b);
    let model = b.finalize()?;
    let solver = SolverRod::new(&ModelView::whole(&model), RodConfig::default())?;
    Ok(Rig { bench: Bench::new(model, Box::new(solver)), rod, handle })
}

/// A rod along x, clamped at its begin.
pub(super) fn straight(length: f64, segments: usize) -> RodDef {
    let path = RodPath::Straight { from: Vec3::zeros(), to: Vec3::x() * length, segments };
    RodDef { path, begin: RodEnd::Clamped(None), ..RodDef::default() }
}

/// Where a rod along x has its end, with frames as the rod's.
pub(super) fn end_of(def: &RodDef, length: f64) -> Result<Pose, CaseError> {
    let mut b = ModelBuilder::new();
    let rod = b.add_rod(def.clone());
    let last = rod.bodies.last().and_then(|&l| b.body(l)).map(|d| d.pose.q);
    let q = last.ok_or_else(|| CaseError("the rod was refused".into()))?;
    Ok(Pose::new(Vec3::x() * length, q))
}

/// A cantilever of 1 m (radius 5 mm) with Γ = ρ S g L³/(E I), at rest: (drop, reach) of its tip.
fn hanging(gamma: f64, segments: usize) -> Result<(f64, f64), CaseError> {
    let (radius, density) = (0.005, 1200.0);
    let young = 4.0 * density * G / (radius * radius * gamma);
    let section = RodSection::Circle { radius };
    let mut rig = rig(RodDef { young, density, section, ..straight(1.0, segments) }, G)?;
    rig.settle(200, 0.5, 1e-7)?;
    let tip = rig.pose(segments - 1).point(&(Vec3::z() * (0.5 / segments as f64)));
    Ok((-tip.z, tip.x))
}

fn cantilever() -> Result<Vec<Measure>, CaseError> {
    let table = [
        (0.1, 0.0125, 0.9999),
        (1.0, 0.1235, 0.9912),
        (5.0, 0.4959, 0.8467),
        (10.0, 0.7002, 0.6564),
        (50.0, 0.9079, 0.2450),
        (100.0, 0.9375, 0.1592),
    ];
    let mut measures = Vec::new();
    for (gamma, y, x) in table {
        let (drop, reach) = hanging(gamma, 64)?;
        measures.push(Measure::absolute(format!("y/L at Γ = {gamma}, 64 segments"), drop, y, 0.005));
        measures.push(Measure::absolute(format!("x/L at Γ = {gamma}, 64 segments"), reach, x, 0.005));
    }
    Ok(measures)
}

/// The order that three lengths of segments show, each half of the one before.
fn order(coarse: f64, middle: f64, fine: f64) -> f64 {
    ((coarse - middle) / (middle - fine)).abs().log2()
}

fn cantilever_order() -> Result<Vec<Measure>, CaseError> {
    let mut measures = Vec::new();
    for gamma in [5.0, 50.0] {
        let drops = [16, 32, 64].map(|n| hanging(gamma, n));
        let [a, b, c] = drops;
        let p = order(a?.0, b?.0, c?.0);
        measures.push(Measure::absolute(format!("order of y/L in segment length, Γ = {gamma}"), p, 2.0, 0.2));
    }
    Ok(measures)
}

/// A rod of 0.3 m that an end torque twists: the twist and T L/(G J).
fn twisted(section: RodSection, segments: usize, torque: f64, dt: f64) -> Result<(f64, f64), CaseError> {
    let def = RodDef { section, ..straight(0.3, segments) };
    let gj = def.section.stiffness(def.young, def.shear.modulus(def.young)).gj;
    let mut rig = rig_with_handle(def.clone(), end_of(&def, 0.3)?, false)?;
    rig.bench.forces.body_f[rig.handle] = Spatial::new(Vec3::zeros(), Vec3::x() * torque);
    rig.settle(600, dt, 1e-5)?;
    let clamp = rig.bench.model.body_q[rig.rod.bodies[0].index()].q.inverse() * rig.pose(0).q;
    Ok(((rig.total_turn() + clamp.scaled_axis()).z, torque * 0.3 / gj))
}

/// Radius 5 mm, G = E/3, E = 10 MPa; several turns with a section that does not buckle before: one that
/// resists bending much more than twist, as open thin-walled ones do.
fn twist() -> Result<Vec<Measure>, CaseError> {
    let mut measures = Vec::new();
    let round = RodSection::Circle { radius: 0.005 };
    let open = RodSection::Direct { ei: [0.5; 2], gj: 3e-3, ea: 1e3, ga: 1e3, area: 1e-4, radius: 0.005 };
    for (section, segments, torque, dt) in [
        (round, 12, 0.01, 1.0 / 60.0),
        (round, 12, 0.03, 1.0 / 60.0),
        (round, 12, 0.03, 0.1),
        (round, 64, 0.01, 1.0 / 60.0),
        (open, 64, 0.25, 1.0 / 60.0),
    ] {
        let (angle, exact) = twisted(section, segments, torque, dt)?;
        let what = format!("twist at {torque} N m, {segments} segments, dt {dt:.4} [rad]");
        measures.push(Measure::relative(what, angle, exact, 1e-7));
    }
    Ok(measures)
}

/// A thread of radius 0.1 mm and 1 kg/m³, whose last segment the torque would turn by 10⁵ rad in a step.
fn twist_of_a_thread() -> Result<Vec<Measure>, CaseError> {
    let (n, dt) = (12, 1.0 / 60.0);
    let section = RodSection::Circle { radius: 1e-4 };
    let def = RodDef { section, density: 1.0, ..straight(0.3, n) };
    let gj = def.section.stiffness(def.young, def.shear.modulus(def.young)).gj;
    let mut rig = rig(def, 0.0)?;
    let (torque, last) = (gj / 0.3, rig.rod.bodies[n - 1].index());
    rig.bench.forces.body_f[last].ang = Vec3::x() * torque;
    let free = dt * dt * torque / rig.bench.model.body_inertia[last][(2, 2)];
    rig.settle(100, dt, 1e-9)?;
    let q0 = rig.bench.model.body_q[last].q;
    let angle = (q0.inverse() * rig.pose(n - 1).q).scaled_axis().z;
    let exact = torque * (0.3 - 0.3 / (2 * n) as f64) / gj;
    Ok(vec![
        Measure::relative("twist of the middle of the last segment [rad]", angle, exact, 1e-7),
        Measure::absolute(
            "whether the torque alone would turn it by more than 100 π in a step",
            f64::from(free > 100.0 * std::f64::consts::PI),
            1.0,
            0.0,
        ),
    ])
}

/// A rod of 1 m with an end moment of `turns` times 2π E I/L, at rest: total turn and tip.
fn bent(turns: f64, segments: usize) -> Result<(f64, Vec3), CaseError> {
    let def = straight(1.0, segments);
    let ei = def.section.stiffness(def.young, def.shear.modulus(def.young)).ei[0];
    let mut rig = rig_with_handle(def.clone(), end_of(&def, 1.0)?, false)?;
    let moment = Vec3::y() * (-turns * std::f64::consts::TAU * ei);
    rig.bench.forces.body_f[rig.handle] = Spatial::new(Vec3::zeros(), moment);
    rig.settle(8, 10.0, 1e-8)?;
    let clamp = (rig.bench.model.body_q[rig.rod.bodies[0].index()].q.inverse() * rig.pose(0).q).scaled_axis();
    Ok(((rig.total_turn() + clamp).norm(), rig.handle_pose().p))
}

fn full_circle() -> Result<Vec<Measure>, CaseError> {
    let (angle, tip) = bent(1.0, 64)?;
    let half = [16, 32, 64].map(|n| bent(0.5, n).map(|(_, tip)| tip.z));
    let [a, b, c] = half;
    let (a, b, c) = (a?, b?, c?);
    Ok(vec![
        Measure::absolute(
            "total angle at M = 2π EI/L, 64 segments [rad]",
            angle,
            std::f64::consts::TAU,
            1e-6,
        ),
        Measure::absolute("distance of tip and clamp [m of 1 m]", tip.norm(), 0.0, 1e-3),
        Measure::relative("height of the half circle, 64 segments [m]", c, 2.0 / std::f64::consts::PI, 1e-3),
        Measure::absolute("order of that in segment length", order(a, b, c), 2.0, 0.2),
    ])
}

/// A limp rod, straight at rest, pinned at both ends of a span of 1 m.
fn sag(length: f64) -> Result<f64, CaseError> {
    let (n, ei) = (64, 1e-10);
    let depth = (0.25 * length * length - 0.25_f64).sqrt();
    let at = |i: usize| {
        let s = i as f64 / n as f64;
        Vec3::new(s, 0.0, -depth * (1.0 - (2.0 * s - 1.0).abs()))
    };
    let section = RodSection::Direct { ei: [ei; 2], gj: ei, ea: 1e5, ga: 1e5, area: 1e-5, radius: 1e-3 };
    let def = RodDef {
        path: RodPath::Points((0..=n).map(at).collect()),
        section,
        rest: RodRest::Straight,
        begin: RodEnd::Pinned(None),
        end: RodEnd::Pinned(None),
        ..RodDef::default()
    };
    let mut rig = rig(def, G)?;
    rig.settle(400, 0.1, 1e-6)?;
    let middle = rig.pose(n / 2 - 1).point(&(Vec3::z() * (0.5 * length / n as f64)));
    Ok(-middle.z)
}

fn catenary() -> Result<Vec<Measure>, CaseError> {
    let mut measures = Vec::new();
    for (length, exact) in [(1.05, 0.1393), (1.2, 0.2923), (2.0, 0.7964)] {
        let what = format!("sag of {length} m over 1 m, 64 segments [m]");
        measures.push(Measure::relative(what, sag(length)?, exact, 0.002));
    }
    Ok(measures)
}

/// A rod that is a quarter circle at rest, released straight and weightless.
fn naturally_curved() -> Result<Vec<Measure>, CaseError> {
    let (n, radius) = (64, 0.5);
    let rest = RodRest::Curved(Vec3::new(1.0 / radius, 0.0, 0.0));
    let mut rig = rig(RodDef { rest, ..straight(1.0, n) }, 0.0)?;
    rig.settle(300, 0.5, 1e-8)?;
    let corner = |i: usize| rig.pose(i).point(&(Vec3::z() * (0.5 / n as f64)));
    let [a, b, c] = [0, n / 2 - 1, n - 1].map(corner);
    let (ab, bc, ca) = ((b - a).norm(), (c - b).norm(), (a - c).norm());
    let round = ab * bc * ca / (2.0 * (b - a).cross(&(c - a)).norm());
    let turn = (rig.pose(0).q.inverse() * rig.pose(n - 1).q).angle();
    let per_length = (n - 1) as f64 / n as f64 / turn;
    Ok(vec![
        Measure::relative("radius of the circle through three corners [m]", round, radius, 1e-4),
        Measure::relative("radius, length over turn [m]", per_length, radius, 1e-4),
    ])
}

/// A spring (wire 2 mm, D 20 mm, 5 turns, steel), pulled by an axial force at the axis: F over the way
/// of the axis, against 1/(L (r² (cos²α/GJ + sin²α/EI) + cos²α/κGA + sin²α/EA)).
fn helical_spring() -> Result<Vec<Measure>, CaseError> {
    let (radius, pitch, turns, segments) = (0.01, 0.004, 5.0, 320);
    let path = RodPath::Helix { frame: Pose::identity(), radius, pitch, turns, segments };
    let section = RodSection::Circle { radius: 0.001 };
    let (young, shear) = (2.0e11, Shear::Poisson(0.3));
    let def = RodDef { path, section, young, shear, density: 7850.0, ..straight(1.0, 1) };
    let stiffness = section.stiffness(young, shear.modulus(young));
    let top = Vec3::z() * (pitch * turns);
    let mut rig = rig_with_handle(def, Pose::translation(top + Vec3::x() * radius), false)?;
    let force = Vec3::z() * 0.1;
    let arm = Vec3::x() * -radius;
    rig.bench.forces.body_f[rig.handle] = Spatial::wrench_at(&force, &arm);
    rig.settle(60, 0.1, 1e-9)?;
    let way = (rig.handle_pose().point(&arm) - top).z;
    let slope = (pitch / (std::f64::consts::TAU * radius)).atan();
    let length = turns * std::f64::consts::TAU * radius / slope.cos();
    let (cos2, sin2) = (slope.cos().powi(2), slope.sin().powi(2));
    let twist = radius * radius * (cos2 / stiffness.gj + sin2 / stiffness.ei[0]);
    let compliance = length * (twist + cos2 / stiffness.ga + sin2 / stiffness.ea);
    let simple = shear.modulus(young) * 0.002_f64.powi(4) / (8.0 * 0.02_f64.powi(3) * turns);
    Ok(vec![
        Measure::relative("rate, with pitch, bend and shear [N/m]", 0.1 / way, 1.0 / compliance, 0.005),
        Measure::relative("rate against G d⁴/(8 D³ n) [N/m]", 0.1 / way, simple, 0.02),
    ])
}

/// The body of a rig's segment.
pub(super) fn body(rig: &Rig, i: usize) -> BodyId {
    rig.rod.bodies[i]
}
