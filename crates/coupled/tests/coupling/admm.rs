//! Rows between entries, against the dummy solver: exact recurrences, momentum, edits, rewinds.

use coact_coupled::{
    AccelerationKind, AdmmConfig, AitkenOptions, Convergence, EntryDef, IqnOptions, SolverCoupledAdmm,
};
use coact_math::{Pose, Quat, Spatial, Vec3};
use coact_model::{
    AttachmentId, BodyId, EntityId, JointAxis, JointId, JointKind, Model, ModelFlags, ModelView, ParticleId,
    State,
};
use coact_solver::*;
use coact_testkit::{DummySolver, body, count_allocations, particle, points, state_digest};

use crate::support::*;

const DT: f64 = 0.01;

/// Adds a joint that no entry owns, its frames at the two centres plus these offsets.
pub fn add_joint(m: &mut Model, kind: JointKind, parent: BodyId, child: BodyId, at: Vec3) -> JointId {
    let x = |b: BodyId| Pose::new(m.body_q[b.index()].inverse().point(&at), m.body_q[b.index()].q.inverse());
    let (x_p, x_c) = (x(parent), x(child));
    m.joint_kind.make_mut().push(kind);
    m.joint_parent.make_mut().push(Some(parent));
    m.joint_child.make_mut().push(child);
    m.joint_x_p.make_mut().push(x_p);
    m.joint_x_c.make_mut().push(x_c);
    m.joint_enabled.make_mut().push(true);
    m.joint_rest_rotation.make_mut().push(Quat::identity());
    if m.joint_axis_start.is_empty() {
        m.joint_axis_start.make_mut().push(0);
    }
    let axes = (0..kind.axis_count())
        .map(|i| JointAxis { axis: [Vec3::y(), Vec3::z(), Vec3::x()][i % 3], ..JointAxis::default() });
    m.joint_axis.make_mut().extend(axes);
    let end = m.joint_axis.len() as u32;
    m.joint_axis_start.make_mut().push(end);
    JointId::new(m.joint_count() - 1)
}

pub fn attach(m: &mut Model, p: ParticleId, b: BodyId, ke: f64, kd: f64) -> AttachmentId {
    let point = m.body_q[b.index()].inverse().point(&m.particle_q[p.index()]);
    m.attachment_particle.make_mut().push(p);
    m.attachment_body.make_mut().push(b);
    m.attachment_point.make_mut().push(point);
    m.attachment_ke.make_mut().push(ke);
    m.attachment_kd.make_mut().push(kd);
    m.attachment_enabled.make_mut().push(true);
    AttachmentId::new(m.attachment_particle.len() - 1)
}

/// Bodies "a" and "b", one entry each.
fn two() -> (Model, BodyId, BodyId) {
    let mut m = points(9.81);
    let a = body(&mut m, "a", 2.0, Vec3::new(0.0, 0.0, 1.0));
    let b = body(&mut m, "b", 0.5, Vec3::new(0.4, 0.0, 1.0));
    (m, a, b)
}

fn defs() -> Vec<EntryDef> {
    vec![dummy("left", vec![]).bodies([BodyId(0)]), dummy("right", vec![]).bodies([BodyId(1)])]
}

fn run_with(m: &Model, config: AdmmConfig) -> Run<SolverCoupledAdmm> {
    Run::new(m, SolverCoupledAdmm::new(m, defs(), config).unwrap())
}

fn run(m: &Model) -> Run<SolverCoupledAdmm> {
    run_with(m, AdmmConfig::default())
}

fn to(primal: f64) -> AdmmConfig {
    let convergence = Some(Convergence::Tolerance { primal, dual: 1e-3, max_iterations: 40 });
    AdmmConfig { convergence, ..AdmmConfig::default() }
}

fn momentum(m: &Model, s: &State) -> (Vec3, Vec3) {
    let (mut p, mut l) = (Vec3::zeros(), Vec3::zeros());
    for b in 0..m.body_count() {
        let (x, v, mass) = (&s.body_q[b], &s.body_qd[b], m.body_mass[b]);
        p += v.lin * mass;
        l += x.p.cross(&v.lin) * mass + x.q * (m.body_inertia[b] * (x.q.inverse() * v.ang));
    }
    for i in 0..m.particle_count() {
        p += s.particle_qd[i] * m.particle_mass[i];
        l += s.particle_q[i].cross(&s.particle_qd[i]) * m.particle_mass[i];
    }
    (p, l)
}

/// Anchor gap and, of angular rows, the largest locked angle.
fn errors(m: &Model, s: &State, j: JointId) -> f64 {
    let i = j.index();
    let at = |b: BodyId, x: &Pose| s.body_q[b.index()] * *x;
    let (c, p) = (at(m.joint_child[i], &m.joint_x_c[i]), at(m.joint_parent[i].unwrap(), &m.joint_x_p[i]));
    let gap = p.q.inverse() * (c.p - p.p);
    let turn = coact_math::log_so3(&(p.q.inverse() * c.q));
    let tilt = (p.q * Vec3::y()).cross(&(c.q * Vec3::y())).norm();
    match m.joint_kind[i] {
        JointKind::Ball => gap.norm(),
        JointKind::Fixed => gap.norm().max(turn.norm()),
        JointKind::Revolute => gap.norm().max(tilt),
        // free along y
        JointKind::Prismatic => gap.x.abs().max(gap.z.abs()).max(turn.norm()),
        JointKind::D6 { linear: 1, angular: 1 } => gap.x.abs().max(gap.z.abs()),
        _ => panic!("no measure"),
    }
}

#[test]
fn joints_hold_and_make_no_momentum_in_free_flight() {
    let kinds = [JointKind::Ball, JointKind::Fixed, JointKind::Revolute, JointKind::Prismatic];
    for kind in kinds {
        let (mut m, a, b) = two();
        m.gravity = Vec3::zeros();
        let j = add_joint(&mut m, kind, a, b, Vec3::new(0.2, 0.1, 1.0));
        let mut s = m.state();
        s.body_qd[0] = Spatial::new(Vec3::new(0.3, -0.2, 0.1), Vec3::new(0.0, 2.0, 0.5));
        s.body_qd[1] = Spatial::new(Vec3::new(-0.1, 0.4, 0.2), Vec3::new(1.0, -1.0, 0.3));
        let mut run = run(&m);
        run.solver.load(&s);
        run.state = s;
        let (p, l) = momentum(&m, &run.state);
        let (mut worst, mut passes) = (0.0_f64, 0);
        for _ in 0..300 {
            run.step(DT);
            worst = worst.max(errors(&m, &run.state, j));
            passes += run.report.interfaces[0].iterations;
            assert!(run.report.interfaces[0].converged, "{}", kind.word());
        }
        let (p1, l1) = momentum(&m, &run.state);
        println!(
            "{}: {worst:.1e}, {} passes in 300 steps, momentum {:.1e} {:.1e}",
            kind.word(),
            passes,
            (p1 - p).norm(),
            (l1 - l).norm()
        );
        assert!(worst < 1e-8, "{}: {worst:e}", kind.word());
        assert!((p1 - p).norm() < 1e-12, "{}", kind.word());
        // the dummy turns bodies as if their inertia did not turn with them: it is isotropic
        assert!((l1 - l).norm() < 1e-9 * l.norm(), "{}: {:e}", kind.word(), (l1 - l).norm() / l.norm());
    }
}

/// A particle of mass m on a spring to a body of mass M: the backward Euler recurrence of the relative
/// displacement, by hand.
#[test]
fn a_compliant_attachment_is_the_backward_euler_spring() {
    for (ke, kd) in [(40.0, 0.0), (40.0, 1.5), (0.0, 3.0), (1e6, 0.0)] {
        let mut m = points(0.0);
        let b = body(&mut m, "b", 0.8, Vec3::zeros());
        let p = particle(&mut m, 0.2, Vec3::zeros());
        attach(&mut m, p, b, ke, kd);
        let defs = vec![dummy("rigid", vec![]).bodies([b]), dummy("soft", vec![]).particles([p])];
        // what a tolerance leaves to a damper is never taken back
        let mut run = Run::new(&m, SolverCoupledAdmm::new(&m, defs, to(1e-13)).unwrap());
        let mut s = m.state();
        s.particle_q[0] = Vec3::new(0.0, 0.0, 0.01);
        s.particle_qd[0] = Vec3::new(0.0, 0.0, -0.3);
        run.solver.load(&s);
        let (mut x, mut v) = (0.01, -0.3);
        let reduced = 0.8 * 0.2 / 1.0;
        for step in 0..100 {
            // μ v⁺ = μ v − h (k x⁺ + d v⁺),  x⁺ = x + h v⁺
            v = (reduced * v - DT * ke * x) / (reduced + DT * kd + DT * DT * ke);
            x += DT * v;
            run.step(DT);
            let (q, body) = (run.state.particle_q[0].z, run.state.body_q[0].p.z);
            assert!((q - body - x).abs() < 1e-10, "step {step}, {ke} {kd}: {} {x}", q - body);
            let dv = run.state.particle_qd[0].z - run.state.body_qd[0].lin.z;
            assert!((dv - v).abs() < 1e-9, "step {step}, {ke} {kd}: {dv} {v}");
        }
    }
}

#[test]
fn a_hard_attachment_holds_and_gravity_is_carried() {
    let mut m = points(9.81);
    let b = body(&mut m, "b", 0.5, Vec3::zeros());
    let p = [0.0, 1.0, 2.0, 3.0]
        .map(|i| particle(&mut m, 0.02, Vec3::new(0.1 * (i - 1.5), 0.05 * (i * i - 3.0), 0.1)));
    p.iter().for_each(|&p| _ = attach(&mut m, p, b, f64::INFINITY, 0.0));
    let springs = p.iter().map(|&p| GroundSpringAt { p, k: 200.0 }).map(GroundSpringAt::spring).collect();
    let defs = vec![dummy("rigid", vec![]).bodies([b]), dummy("soft", springs).particles(p)];
    let mut run = Run::new(&m, SolverCoupledAdmm::new(&m, defs, AdmmConfig::default()).unwrap());
    let mut passes = 0;
    for step in 0..200 {
        run.step(DT);
        let i = &run.report.interfaces[0];
        passes += i.iterations;
        assert!(i.converged && i.primal <= AdmmConfig::PARTICLE_TOLERANCE, "step {step}: {}", i.primal);
        let s: Vec3 = i.impulse_source.into();
        let d: Vec3 = i.impulse_destination.into();
        assert!((s - d).norm() <= 1e-15 * s.norm());
    }
    println!("{passes} passes in 200 steps");
    assert!(passes <= 4 * 200);
}

struct GroundSpringAt {
    p: ParticleId,
    k: f64,
}

impl GroundSpringAt {
    fn spring(self) -> coact_testkit::GroundSpring {
        ground(Endpoint::Particle(self.p), self.k)
    }
}

#[test]
fn no_link_equals_uncoupled_bit_for_bit() {
    let (m, ..) = two();
    let mut alone = Run::new(&m, DummySolver::new(&ModelView::whole(&m), vec![]));
    let mut run = run(&m);
    for _ in 0..20 {
        assert_eq!(state_digest(run.step(DT)), state_digest(alone.step(DT)));
    }
    assert!(run.report.interfaces.is_empty());
}

#[test]
fn a_link_that_is_switched_off_does_nothing_and_holds_again_later() {
    let (mut m, a, b) = two();
    let j = add_joint(&mut m, JointKind::Ball, a, b, Vec3::new(0.2, 0.0, 1.0));
    let mut s = m.state();
    s.body_qd[0].lin.x = 0.5;
    let mut run = run(&m);
    run.solver.load(&s);
    let mut off = m.clone();
    off.joint_enabled.make_mut()[j.index()] = false;
    run.solver.notify_model_changed(&ModelView::whole(&off), ModelFlags::JOINTS);
    for _ in 0..10 {
        run.step(DT);
        assert_eq!((run.report.interfaces[0].iterations, run.report.interfaces[0].converged), (0, true));
    }
    let gap = errors(&m, &run.state, j);
    assert!((gap - 0.05).abs() < 1e-12, "{gap}");
    run.solver.notify_model_changed(&ModelView::whole(&m), ModelFlags::JOINTS);
    let mut before = gap;
    for _ in 0..8 {
        run.step(DT);
        let gap = errors(&m, &run.state, j);
        // closed at 1 m/s, in time and not at once
        assert!((before - gap - DT).abs() < 1e-8 || gap < 1e-8, "{before} {gap}");
        before = gap;
    }
    assert!(before < 1e-8);
}

#[test]
fn baumgarte_is_the_share_of_a_gap_that_a_step_closes() {
    let (mut m, a, b) = two();
    let j = add_joint(&mut m, JointKind::Ball, a, b, Vec3::new(0.2, 0.0, 1.0));
    m.joint_x_c.make_mut()[j.index()].p.z += 0.001;
    let config = AdmmConfig { baumgarte: 0.25, ..AdmmConfig::default() };
    let mut run = run_with(&m, config);
    for step in 1..6 {
        run.step(DT);
        let gap = errors(&m, &run.state, j);
        assert!((gap - 0.001 * 0.75_f64.powi(step)).abs() < 1e-8, "{step}: {gap}");
    }
}

#[test]
fn save_and_restore_are_exact() {
    let (mut m, a, b) = two();
    add_joint(&mut m, JointKind::Revolute, a, b, Vec3::new(0.2, 0.1, 1.0));
    let mut s = m.state();
    s.body_qd[1].ang = Vec3::new(0.3, 2.0, -0.4);
    let mut run = run(&m);
    run.solver.load(&s);
    (0..7).for_each(|_| _ = run.step(DT));
    let mut saved = Snapshot::new();
    run.solver.save_into(&mut saved);
    let expected: Vec<_> = (0..5).map(|_| state_digest(run.step(DT))).collect();
    run.solver.restore(&saved);
    let again: Vec<_> = (0..5).map(|_| state_digest(run.step(DT))).collect();
    assert_eq!(expected, again);
}

#[test]
fn the_order_of_entries_is_of_no_consequence() {
    let (mut m, a, b) = two();
    let c = body(&mut m, "c", 3.0, Vec3::new(0.8, 0.1, 1.0));
    let j = [
        add_joint(&mut m, JointKind::Ball, a, b, Vec3::new(0.2, 0.0, 1.0)),
        add_joint(&mut m, JointKind::Revolute, b, c, Vec3::new(0.6, 0.0, 1.0)),
        // out of the plane of the others: a flat ring is at its dead centre
        add_joint(&mut m, JointKind::Ball, c, a, Vec3::new(0.4, 0.3, 1.2)),
    ];
    let mut s = m.state();
    s.body_qd[2].ang = Vec3::new(0.5, -1.0, 0.2);
    let mut ends = Vec::new();
    for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
        let defs = order.map(|i| dummy(["x", "y", "z"][i], vec![]).bodies([BodyId(i as u32)]));
        let mut run = Run::new(&m, SolverCoupledAdmm::new(&m, defs.into(), AdmmConfig::default()).unwrap());
        run.solver.load(&s);
        (0..50).for_each(|_| _ = run.step(DT));
        assert!(
            run.report.interfaces.iter().all(|i| i.converged) && run.report.interfaces.len() == 3,
            "{:?}",
            run.report.interfaces
        );
        assert!(j.iter().all(|&j| errors(&m, &run.state, j) < 1e-8));
        ends.push(run.state);
    }
    for e in &ends[1..] {
        (0..3).for_each(|b| assert!((e.body_q[b].p - ends[0].body_q[b].p).norm() < 1e-7));
    }
}

/// The same joint twice: the second one is implied by the first and must not disturb it.
#[test]
fn redundant_rows_do_no_harm() {
    let (mut m, a, b) = two();
    let at = Vec3::new(0.2, 0.1, 1.0);
    let j = add_joint(&mut m, JointKind::Fixed, a, b, at);
    add_joint(&mut m, JointKind::Fixed, a, b, at);
    add_joint(&mut m, JointKind::Ball, a, b, Vec3::new(0.1, 0.0, 1.1));
    let mut s = m.state();
    s.body_qd[1].ang = Vec3::new(0.3, 2.0, -0.4);
    let mut run = run(&m);
    run.solver.load(&s);
    for _ in 0..100 {
        run.step(DT);
        assert!(run.report.interfaces[0].converged && errors(&m, &run.state, j) < 1e-8);
    }
}

#[test]
fn accelerations_and_metrics_agree_on_the_answer() {
    let (mut m, a, b) = two();
    add_joint(&mut m, JointKind::Revolute, a, b, Vec3::new(0.2, 0.1, 1.0));
    let mut s = m.state();
    s.body_qd[1].ang = Vec3::new(0.3, 4.0, -0.4);
    let base = AdmmConfig {
        convergence: Some(Convergence::Tolerance { primal: 1e-10, dual: 1e-4, max_iterations: 60 }),
        ..AdmmConfig::default()
    };
    let kinds = [
        AccelerationKind::None,
        AccelerationKind::Fixed(0.8),
        AccelerationKind::Aitken(AitkenOptions::default()),
        AccelerationKind::Iqn(IqnOptions::default()),
    ];
    let configs = kinds.map(|acceleration| AdmmConfig { acceleration, ..base.clone() });
    let others = [AdmmConfig { rho: 0.6, ..base.clone() }, AdmmConfig { gamma: 0.5, ..base.clone() }];
    let ends: Vec<State> = configs
        .into_iter()
        .chain(others)
        .map(|config| {
            let mut run = run_with(&m, config.clone());
            run.solver.load(&s);
            for _ in 0..30 {
                run.step(DT);
                assert!(run.report.interfaces[0].converged, "{config:?}");
            }
            run.state
        })
        .collect();
    for e in &ends[1..] {
        (0..2).for_each(|b| assert!((e.body_q[b].p - ends[0].body_q[b].p).norm() < 1e-7));
    }
}

#[test]
fn substeps_of_an_entry_change_nothing_but_its_own_motion() {
    for substeps in [[1, 1], [4, 1], [3, 5]] {
        let (mut m, a, b) = two();
        m.gravity = Vec3::zeros();
        let j = add_joint(&mut m, JointKind::Ball, a, b, Vec3::new(0.2, 0.1, 1.0));
        let defs = defs().into_iter().zip(substeps).map(|(d, n)| d.substeps(n)).collect();
        let mut s = m.state();
        s.body_qd[1] = Spatial::new(Vec3::new(0.1, 0.0, 0.4), Vec3::new(0.3, 2.0, -0.4));
        let mut run = Run::new(&m, SolverCoupledAdmm::new(&m, defs, AdmmConfig::default()).unwrap());
        run.solver.load(&s);
        let (p, l) = momentum(&m, &s);
        let mut passes = 0;
        for _ in 0..100 {
            run.step(DT);
            passes += run.report.interfaces[0].iterations;
            assert!(errors(&m, &run.state, j) < 1e-8);
        }
        let (p1, l1) = momentum(&m, &run.state);
        println!(
            "{substeps:?}: {passes} passes, momentum {:.1e} {:.1e}",
            (p1 - p).norm(),
            (l1 - l).norm() / l.norm()
        );
        assert!((p1 - p).norm() < 1e-12);
        assert!(passes <= 400, "{substeps:?}: {passes}");
    }
}

#[test]
fn a_step_does_not_allocate_after_warm_up() {
    let (mut m, a, b) = two();
    add_joint(&mut m, JointKind::Fixed, a, b, Vec3::new(0.2, 0.1, 1.0));
    let mut s = m.state();
    s.body_qd[1].ang = Vec3::new(0.3, 2.0, -0.4);
    let mut run = run(&m);
    run.solver.load(&s);
    (0..5).for_each(|_| _ = run.step(DT));
    let counted = count_allocations(|| (0..20).for_each(|_| _ = run.step(DT))).0;
    assert_eq!(counted, 0);
}

#[test]
fn a_number_that_is_not_finite_ends_the_passes_and_is_named() {
    let (mut m, a, b) = two();
    add_joint(&mut m, JointKind::Ball, a, b, Vec3::new(0.2, 0.1, 1.0));
    let mut run = run(&m);
    run.step(DT);
    run.forces.body_f[0] = force_z(f64::NAN);
    run.step(DT);
    assert!(run.report.nonfinite.contains(&EntityId::Body(a)) || run.state.first_nonfinite().is_some());
    assert!(!run.report.interfaces[0].converged && run.report.interfaces[0].iterations <= 2);
}

/// A coupler with rows inside one: the inner joint and the outer one both hold.
#[test]
fn a_coupler_inside_a_coupler_is_pushed_like_any_entry() {
    let (mut m, a, b) = two();
    let c = body(&mut m, "c", 1.0, Vec3::new(0.8, 0.1, 1.0));
    let inner_joint = add_joint(&mut m, JointKind::Ball, a, b, Vec3::new(0.2, 0.0, 1.0));
    let outer_joint = add_joint(&mut m, JointKind::Ball, b, c, Vec3::new(0.6, 0.0, 1.0));
    let inner = EntryDef::new("inner", move |view: &ModelView| {
        let defs = vec![dummy("x", vec![]).bodies([a]), dummy("y", vec![]).bodies([b])];
        Ok(SolverCoupledAdmm::new(view, defs, AdmmConfig::default())?)
    });
    let inner = inner.bodies([a, b]).joints([inner_joint]);
    let defs = vec![inner, dummy("outer", vec![]).bodies([c])];
    let mut run = Run::new(&m, SolverCoupledAdmm::new(&m, defs, AdmmConfig::default()).unwrap());
    let mut s = m.state();
    s.body_qd[2].lin = Vec3::new(0.0, 0.5, 0.2);
    run.solver.load(&s);
    for _ in 0..60 {
        run.step(DT);
        assert!(run.report.interfaces[0].converged);
        assert!(errors(&m, &run.state, inner_joint) < 1e-8 && errors(&m, &run.state, outer_joint) < 1e-8);
    }
}
