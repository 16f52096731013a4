//! A double pendulum cut by one row, against the uncut one.
//!
//! Two rods (1 m, 1 kg, radius 50 mm) from horizontal; the first hangs on a hinge inside its entry, the
//! second on the first by a joint that no entry owns. Settings are the defaults.

use coact_articulated::{ArticulatedConfig, SolverArticulated, StepOrder};
use coact_coupled::{AdmmConfig, EntryDef, SolverCoupledAdmm};
use coact_math::{Mat3, Pose, Vec3, rotation_between};
use coact_model::{
    BodyDef, BodyId, BodyMass, JointDef, JointId, JointKind, Model, ModelBuilder, ModelView, State,
};
use coact_solver::Solver;

use super::bench::Bench;
use super::{Case, CaseError, Measure};

/// The cases of this area.
pub const CASES: [Case; 4] = [
    Case { name: "coupling/cut-pendulum", long: false, run: first_order },
    Case { name: "coupling/cut-pendulum-second-order", long: false, run: second_order },
    Case { name: "coupling/cut-pendulum-masses-and-steps", long: false, run: masses_and_steps },
    Case { name: "coupling/cut-pendulum-energy", long: false, run: ten_seconds },
];

const KINDS: [JointKind; 3] = [JointKind::Ball, JointKind::Fixed, JointKind::Revolute];
const G: f64 = 9.81;

/// The pendulum, its second rod `ratio` times as heavy as the first.
///
/// # Errors
/// Never, unless the builder refuses the scene.
pub fn pendulum(kind: JointKind, ratio: f64) -> Result<Model, CaseError> {
    let mut b = ModelBuilder::new();
    b.gravity = Vec3::new(0.0, 0.0, -G);
    let mut parent = None;
    for k in 0..2 {
        let (mass, r) = ([1.0, ratio][k], 0.05);
        let (along, across) = (0.5 * mass * r * r, mass * (1.0 / 12.0 + r * r / 4.0));
        let inertia = Mat3::from_diagonal(&Vec3::new(along, across, across));
        let body = b.add_body(BodyDef {
            name: format!("rod {k}"),
            pose: Pose::translation(Vec3::new(0.5 + k as f64, 0.0, 0.0)),
            mass: BodyMass::Given { mass, com: Vec3::zeros(), inertia },
            ..BodyDef::default()
        });
        let mut joint = JointDef::new(if k == 0 { JointKind::Revolute } else { kind }, parent, body);
        joint.x_p = Pose::translation(Vec3::new(if k == 0 { 0.0 } else { 0.5 }, 0.0, 0.0));
        joint.x_c = Pose::translation(Vec3::new(-0.5, 0.0, 0.0));
        joint.axes.iter_mut().for_each(|a| a.axis = Vec3::y());
        b.add_joint(joint);
        parent = Some(body);
    }
    Ok(b.finalize()?)
}

fn articulated(view: &ModelView, order: StepOrder) -> Result<SolverArticulated, coact_solver::SolverError> {
    SolverArticulated::new(view, ArticulatedConfig { order, ..ArticulatedConfig::default() })
}

/// Both rods in entries of their own.
///
/// # Errors
/// When the coupler refuses it.
pub fn cut(model: &Model, order: StepOrder, config: AdmmConfig) -> Result<Box<dyn Solver>, CaseError> {
    let upper =
        EntryDef::new("upper", move |v| articulated(v, order)).bodies([BodyId(0)]).joints([JointId(0)]);
    let lower = EntryDef::new("lower", move |v| articulated(v, order)).bodies([BodyId(1)]);
    Ok(Box::new(SolverCoupledAdmm::new(model, vec![upper, lower], config)?))
}

/// What a run showed.
#[derive(Default)]
struct Seen {
    tip: Vec3,
    gap: f64,
    angle: f64,
    /// Largest and least energy over that of the begin \[J\].
    energy: [f64; 2],
    passes: f64,
    unfinished: usize,
}

fn energy(m: &Model, s: &State) -> f64 {
    let of = |i: usize| {
        let (x, v, mass) = (&s.body_q[i], &s.body_qd[i], m.body_mass[i]);
        let spin = x.q.inverse() * v.ang;
        0.5 * (mass * v.lin.norm_squared() + spin.dot(&(m.body_inertia[i] * spin))) + mass * G * x.p.z
    };
    (0..2).map(of).sum()
}

fn watch(
    model: &Model,
    solver: Box<dyn Solver>,
    kind: JointKind,
    dt: f64,
    time: f64,
) -> Result<Seen, CaseError> {
    let mut bench = Bench::new(model.clone(), solver);
    let steps = (time / dt).round() as usize;
    let begin = energy(model, &bench.state);
    let mut seen = Seen::default();
    for _ in 0..steps {
        bench.step(dt)?;
        let s = &bench.state;
        let [a, b] = [&s.body_q[0], &s.body_q[1]];
        let gap = (a.point(&(Vec3::x() * 0.5)) - b.point(&(Vec3::x() * -0.5))).norm();
        let angle = match kind {
            JointKind::Ball => 0.0,
            JointKind::Fixed => rotation_between(&a.q, &b.q).norm(),
            _ => (a.q * Vec3::y()).cross(&(b.q * Vec3::y())).norm(),
        };
        let e = energy(model, s) - begin;
        (seen.gap, seen.angle) = (seen.gap.max(gap), seen.angle.max(angle));
        seen.energy = [seen.energy[0].max(e), seen.energy[1].min(e)];
        for i in &bench.report.interfaces {
            seen.passes += i.iterations as f64 / steps as f64;
            seen.unfinished += usize::from(!i.converged);
        }
    }
    seen.tip = bench.state.body_q[1].point(&(Vec3::x() * 0.5));
    Ok(seen)
}

/// The uncut pendulum, one step size.
fn uncut(model: &Model, order: StepOrder, kind: JointKind, dt: f64, time: f64) -> Result<Seen, CaseError> {
    watch(model, Box::new(articulated(&ModelView::whole(model), order)?), kind, dt, time)
}

fn at_240(order: StepOrder, name: &str) -> Result<Vec<Measure>, CaseError> {
    let (mut out, dt) = (Vec::new(), 1.0 / 240.0);
    for kind in KINDS {
        let model = pendulum(kind, 1.0)?;
        let fine = uncut(&model, order, kind, dt / 40.0, 1.0)?;
        let whole = uncut(&model, order, kind, dt, 1.0)?;
        let two = watch(&model, cut(&model, order, AdmmConfig::default())?, kind, dt, 1.0)?;
        let of = |what: &str| format!("{}, {name}: {what}", kind.word());
        out.push(Measure::absolute(of("largest anchor error [m]"), two.gap, 0.0, 1e-8));
        out.push(Measure::absolute(of("largest locked angle [rad]"), two.angle, 0.0, 1e-8));
        out.push(Measure::absolute(of("entry solves per step"), two.passes, 0.0, 4.0));
        out.push(Measure::absolute(of("steps that did not converge"), two.unfinished as f64, 0.0, 0.0));
        let (ours, theirs) = ((two.tip - fine.tip).norm(), (whole.tip - fine.tip).norm());
        out.push(Measure::absolute(
            of("tip error at 1 s [m], uncut as exact"),
            ours.max(theirs),
            theirs,
            0.2 * theirs,
        ));
        if order == StepOrder::Second {
            let half = watch(&model, cut(&model, order, AdmmConfig::default())?, kind, 0.5 * dt, 1.0)?;
            out.push(Measure::absolute(of("tip error at 1 s [m]"), ours, 0.0, 2e-4));
            let ratio = ours / (half.tip - fine.tip).norm();
            out.push(Measure::absolute(of("tip error by that at half the step"), ratio, 4.0, 0.6));
        }
    }
    Ok(out)
}

fn first_order() -> Result<Vec<Measure>, CaseError> {
    at_240(StepOrder::First, "first order")
}

fn second_order() -> Result<Vec<Measure>, CaseError> {
    at_240(StepOrder::Second, "second order")
}

/// Six decades of mass, a factor of 33 in step size.
fn masses_and_steps() -> Result<Vec<Measure>, CaseError> {
    let mut out = Vec::new();
    for kind in KINDS {
        let (mut gap, mut passes, mut most, mut unfinished) = (0.0_f64, 0.0_f64, f64::NEG_INFINITY, 0);
        for ratio in [1e-3, 0.1, 1.0, 10.0, 1e3] {
            let model = pendulum(kind, ratio)?;
            // what the whole may fall, from horizontal
            let scale = G * (1.0 + 3.0 * ratio);
            for rate in [30.0, 60.0, 240.0, 1000.0] {
                let whole = uncut(&model, StepOrder::First, kind, 1.0 / rate, 1.0)?;
                let two = cut(&model, StepOrder::First, AdmmConfig::default())?;
                let two = watch(&model, two, kind, 1.0 / rate, 1.0)?;
                (gap, passes) = (gap.max(two.gap).max(two.angle), passes.max(two.passes));
                most = most.max((two.energy[0] - whole.energy[0]) / scale);
                unfinished += two.unfinished;
            }
        }
        let of = |what: &str| format!("{}, mass ratio 1e-3 to 1e3, dt 1/30 to 1/1000: {what}", kind.word());
        out.push(Measure::absolute(of("largest error [m, rad]"), gap, 0.0, 1e-8));
        out.push(Measure::absolute(of("most entry solves per step"), passes, 0.0, 9.0));
        out.push(Measure::absolute(of("energy above uncut, of what it may fall"), most.max(0.0), 0.0, 1e-3));
        out.push(Measure::absolute(of("steps that did not converge"), unfinished as f64, 0.0, 0.0));
    }
    Ok(out)
}

fn ten_seconds() -> Result<Vec<Measure>, CaseError> {
    let (mut out, dt) = (Vec::new(), 1.0 / 240.0);
    for (order, bound) in [(StepOrder::First, 0.15), (StepOrder::Second, 0.05)] {
        for kind in KINDS {
            let model = pendulum(kind, 1.0)?;
            let two = watch(&model, cut(&model, order, AdmmConfig::default())?, kind, dt, 10.0)?;
            let off = two.energy[0].max(-two.energy[1]);
            let what = format!("{}, {order:?}: energy off within 10 s [J]", kind.word());
            out.push(Measure::absolute(what, off, 0.0, bound));
        }
    }
    Ok(out)
}
