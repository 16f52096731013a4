//! Independent entries: distribution, reconciliation, substeps, forces, snapshots, reports.

use coact_coupled::{ProxyConfig, SolverCoupled, SolverCoupledProxy};
use coact_math::Vec3;
use coact_model::{BodyId, EntityId, ModelFlags, ModelView};
use coact_solver::*;
use coact_testkit::{DummySolver, body, count_allocations, particle, points, state_digest};

use crate::support::*;

fn scene() -> coact_model::Model {
    let mut m = points(9.81);
    body(&mut m, "a", 2.0, Vec3::new(0.0, 0.0, 1.0));
    body(&mut m, "b", 0.5, Vec3::new(1.0, 0.0, 2.0));
    particle(&mut m, 0.1, Vec3::new(0.0, 1.0, 1.0));
    particle(&mut m, 0.2, Vec3::new(0.0, 2.0, 1.0));
    m
}

fn two_entries() -> Vec<coact_coupled::EntryDef> {
    let p = coact_model::ParticleId;
    vec![
        dummy("first", vec![ground(Endpoint::Body(BodyId(0)), 50.0)]).bodies([BodyId(0)]).particles([p(1)]),
        dummy("second", vec![ground(Endpoint::Particle(p(0)), 3.0)]).bodies([BodyId(1)]).particles([p(0)]),
    ]
}

#[test]
fn zero_coupling_equals_uncoupled_bit_for_bit() {
    let m = scene();
    let springs = vec![
        ground(Endpoint::Body(BodyId(0)), 50.0),
        ground(Endpoint::Particle(coact_model::ParticleId(0)), 3.0),
    ];
    let mut alone = Run::new(&m, DummySolver::new(&ModelView::whole(&m), springs));
    let mut base = Run::new(&m, SolverCoupled::new(&m, two_entries()).unwrap());
    let proxy = SolverCoupledProxy::new(&m, two_entries(), ProxyConfig::default()).unwrap();
    let mut proxy = Run::new(&m, proxy);
    for run in 0..50 {
        let expected = state_digest(alone.step(0.01));
        assert_eq!(state_digest(base.step(0.01)), expected, "step {run}");
        assert_eq!(state_digest(proxy.step(0.01)), expected, "step {run}");
    }
}

#[test]
fn only_owned_rows_are_written() {
    let mut m = scene();
    m.body_kinematic.make_mut()[1] = true;
    let p = [coact_model::ParticleId(0), coact_model::ParticleId(1)];
    let defs = vec![dummy("only", vec![]).bodies([BodyId(0)]).particles(p)];
    let mut run = Run::new(&m, SolverCoupled::new(&m, defs).unwrap());
    run.state.body_q[1].p.x = 77.0;
    run.step(0.1);
    assert_eq!(run.state.body_q[1].p.x, 77.0);
    assert!(run.state.body_q[0].p.z < 1.0);
}

#[test]
fn a_users_force_acts_once_whatever_the_substeps() {
    let mut m = scene();
    m.gravity = Vec3::zeros();
    for substeps in [1, 3, 8] {
        let mut defs = two_entries();
        defs.iter_mut().for_each(|d| d.substeps = substeps);
        let build = |d: coact_coupled::EntryDef| {
            dummy(&d.name, vec![]).bodies(d.bodies).particles(d.particles).substeps(d.substeps)
        };
        let defs = defs.into_iter().map(build).collect();
        let mut run = Run::new(&m, SolverCoupled::new(&m, defs).unwrap());
        run.forces.body_f[0] = force_z(4.0);
        run.forces.particle_f[0] = Vec3::new(0.3, 0.0, 0.0);
        run.step(0.1);
        assert!((run.state.body_qd[0].lin.z - 0.2).abs() < 1e-15);
        assert!((run.state.particle_qd[0].x - 0.3).abs() < 1e-15);
        assert_eq!(run.report.entries[0].solves, substeps);
    }
}

#[test]
fn substeps_are_those_of_the_solver_itself() {
    let m = scene();
    let springs = vec![ground(Endpoint::Body(BodyId(0)), 50.0)];
    let mut alone = Run::new(&m, DummySolver::new(&ModelView::whole(&m), springs));
    let mut defs = two_entries();
    defs[0].substeps = 4;
    let mut run = Run::new(&m, SolverCoupled::new(&m, defs).unwrap());
    for _ in 0..4 {
        alone.step(0.02 / 4.0);
    }
    run.step(0.02);
    assert_eq!(run.state.body_q[0], alone.state.body_q[0]);
}

#[test]
fn save_and_restore_are_exact() {
    let m = scene();
    let mut run = Run::new(&m, SolverCoupled::new(&m, two_entries()).unwrap());
    run.step(0.01);
    let mut saved = Snapshot::new();
    run.solver.save_into(&mut saved);
    let expected = state_digest(run.step(0.01));
    run.step(0.01);
    run.solver.restore(&saved);
    assert_eq!(state_digest(run.step(0.01)), expected);
}

#[test]
fn a_changed_model_reaches_the_entries() {
    let mut m = scene();
    let mut run = Run::new(&m, SolverCoupled::new(&m, two_entries()).unwrap());
    m.gravity = Vec3::zeros();
    run.solver.notify_model_changed(&ModelView::whole(&m), ModelFlags::GRAVITY);
    run.step(0.1);
    assert_eq!(run.state.body_qd[1].lin, Vec3::zeros());
    let second = run.solver.entries().get("second").unwrap();
    assert_eq!(second.view().gravity, Vec3::zeros());
    assert_eq!(second.view().body_inv_mass[0], 0.0);
}

#[test]
fn reports_name_entries_and_add_up() {
    let m = scene();
    let mut run = Run::new(&m, SolverCoupled::new(&m, two_entries()).unwrap());
    run.step(0.1);
    let names: Vec<_> = run.report.entries.iter().map(|e| e.name.as_str()).collect();
    assert_eq!(names, ["first", "second"]);
    assert!(run.report.entries.iter().all(|e| e.solves == 1 && e.seconds >= 0.0));
    assert_eq!(run.report.entries[0].report.iterations, 1);
}

#[test]
fn a_step_does_not_allocate_after_warm_up() {
    let m = scene();
    let mut run = Run::new(&m, SolverCoupled::new(&m, two_entries()).unwrap());
    assert!(count_allocations(|| vec![0_u8; 9]).0 > 0, "the counting allocator is not installed");
    run.step(0.01);
    run.step(0.01);
    assert_eq!(count_allocations(|| (0..5).for_each(|_| _ = run.step(0.01))).0, 0);
}

#[test]
fn a_number_that_is_not_finite_is_named_once() {
    let mut m = scene();
    m.gravity = Vec3::zeros();
    let p = [coact_model::ParticleId(0), coact_model::ParticleId(1)];
    let defs =
        vec![dummy("rigid", vec![]).bodies([BodyId(0), BodyId(1)]), dummy("soft", vec![]).particles(p)];
    let proxy = coact_coupled::Proxy::new("rigid", "soft").bodies([BodyId(0)]);
    let mut run = Run::new(&m, coupled(&m, defs, proxy).unwrap());
    run.forces.body_f[0] = force_z(f64::NAN);
    run.step(0.01);
    assert_eq!(run.report.nonfinite, [EntityId::Body(BodyId(0))]);
    assert!(!run.report.interfaces[0].primal.is_finite());
}

#[test]
fn a_step_that_does_not_go_forward_is_refused_before_any_entry_takes_it() {
    let m = scene();
    let mut run = Run::new(&m, SolverCoupled::new(&m, two_entries()).unwrap());
    for dt in [0.0, -0.1, f64::NAN] {
        let input = StepInput { control: &run.control, forces: &run.forces, contacts: None };
        let said = run.solver.step(&input, dt, &mut run.report).unwrap_err().to_string();
        assert!(said.starts_with("dt = "), "{said}");
    }
    run.solver.store(coact_model::StateFields::all(), &mut run.state);
    assert_eq!(state_digest(&run.state), state_digest(&m.state()));
}
