//! The exchange: same bits on both sides, forces once, rewinds, lag, relaxation, sharing.

use coact_coupled::{
    AccelerationKind, Convergence, EntryDef, Proxy, ProxyConfig, ProxyMode, SolverCoupledProxy,
};
use coact_math::Vec3;
use coact_model::{BodyId, EntityId, ModelFlags, ModelView};
use coact_solver::*;
use coact_testkit::{DummySolver, body, count_allocations, particle, points, state_digest};

use crate::support::*;

const DT: f64 = 0.01;
const K: f64 = 300.0;

fn fixed(n: usize, proxy: Proxy) -> ProxyConfig {
    ProxyConfig { convergence: Some(Convergence::FixedCount(n)), ..one(proxy) }
}

/// The box is the source; the destination holds its proxy by a ground spring.
fn held(config: impl FnOnce(Proxy) -> ProxyConfig, substeps: [usize; 2]) -> Run<SolverCoupledProxy> {
    let (m, a, b) = box_on_spring();
    let defs = vec![
        dummy("rigid", vec![]).bodies([a]).substeps(substeps[0]),
        dummy("mat", vec![ground(Endpoint::Body(a), K)]).bodies([b]).substeps(substeps[1]),
    ];
    let config = config(Proxy::new("rigid", "mat").bodies([a]));
    Run::new(&m, SolverCoupledProxy::new(&m, defs, config).unwrap())
}

#[test]
fn the_wrench_that_is_harvested_is_the_wrench_that_is_applied() {
    let (mut m, a, b) = box_on_spring();
    m.gravity = Vec3::zeros();
    let defs = vec![
        dummy("rigid", vec![]).bodies([a]),
        dummy("mat", vec![ground(Endpoint::Body(a), K)]).bodies([b]),
    ];
    let proxy = Proxy::new("rigid", "mat").bodies([a]);
    let mut run = Run::new(&m, coupled(&m, defs, proxy).unwrap());
    run.step(DT);
    // by hand, in the solver's own operations: harvest m (v+ - v_free)/dt, then v = 0 + dt f/m
    let f = -K * 0.3 / (1.0 + DT * DT * K * 0.5);
    let harvested = (DT * 0.5 * f) * 2.0 * (1.0 / DT);
    assert_eq!(run.state.body_qd[0].lin.z.to_bits(), ((harvested * 0.5) * DT).to_bits());
    assert_eq!(run.report.interfaces[0].impulse_source, run.report.interfaces[0].impulse_destination);
    assert_eq!(run.report.interfaces[0].impulse_source[2], harvested * DT);
}

#[test]
fn a_users_force_acts_once_whatever_substeps_and_iterations() {
    for mode in [ProxyMode::Predicted, ProxyMode::Lagged, ProxyMode::Staggered] {
        for n in [1, 2, 5] {
            for substeps in [[1, 1], [3, 1], [1, 4], [2, 3]] {
                let (mut m, a, b) = box_on_spring();
                m.gravity = Vec3::zeros();
                let defs = vec![
                    dummy("rigid", vec![]).bodies([a]).substeps(substeps[0]),
                    dummy("mat", vec![]).bodies([b]).substeps(substeps[1]),
                ];
                let config = fixed(n, Proxy::new("rigid", "mat").bodies([a]).mode(mode));
                let mut run = Run::new(&m, SolverCoupledProxy::new(&m, defs, config).unwrap());
                run.forces.body_f[0] = force_z(6.0);
                run.forces.body_f[1] = force_z(-2.0);
                run.step(DT);
                let v = (run.state.body_qd[0].lin.z, run.state.body_qd[1].lin.z);
                assert!(
                    (v.0 - 3.0 * DT).abs() < 1e-15 && (v.1 + 2.0 * DT).abs() < 1e-15,
                    "{mode:?} {n} {v:?}"
                );
                assert!(
                    run.report.interfaces[0].force < 1e-11,
                    "{mode:?} {n} {:?}",
                    run.report.interfaces[0]
                );
            }
        }
    }
}

#[test]
fn predicted_equals_the_spring_in_one_solver_also_with_substeps() {
    for substeps in [[1, 1], [1, 3], [4, 1]] {
        let mut run = held(one, substeps);
        let (m, a, _) = box_on_spring();
        let mut alone =
            Run::new(&m, DummySolver::new(&ModelView::whole(&m), vec![ground(Endpoint::Body(a), K)]));
        let mut worst: f64 = 0.0;
        for _ in 0..100 {
            let d = run.step(DT).body_q[0].p - alone.step(DT).body_q[0].p;
            worst = worst.max(d.norm());
            // one pass: the responses of both sides differ by up to 3/8 of dt² f/m, some 5 mm
            assert!(run.report.interfaces[0].primal < 3e-3);
        }
        println!("substeps {substeps:?}: {worst:.2e} m");
        // with substeps the spring is damped less than in the whole step: 6 % of 0.6 m
        assert!(worst < if substeps == [1, 1] { 1e-12 } else { 0.1 }, "{substeps:?} {worst}");
    }
}

#[test]
fn passes_close_the_gap_that_different_substeps_leave() {
    for (substeps, gap) in [([4, 1], 1e-10), ([1, 3], 1e-4)] {
        let mut run = held(|p| fixed(12, p), substeps);
        for _ in 0..50 {
            run.step(DT);
            let primal = run.report.interfaces[0].primal;
            assert!(primal < gap, "{substeps:?}: {primal:e}");
        }
    }
}

#[test]
fn rewinding_is_exact_so_that_more_passes_change_nothing_when_one_is_exact() {
    let (mut a, mut b) = (held(|p| fixed(1, p), [1, 1]), held(|p| fixed(6, p), [1, 1]));
    for _ in 0..50 {
        let d = a.step(DT).body_q[0].p - b.step(DT).body_q[0].p;
        assert!(d.norm() < 1e-12);
        assert_eq!(b.report.interfaces[0].iterations, 6);
        // the trial, then a step per pass that changes the force by at least a bit
        let [source, destination] = [0, 1].map(|i| b.report.entries[i].solves);
        assert!((2..=7).contains(&source) && destination == 6, "{source} {destination}");
    }
}

#[test]
fn save_and_restore_keep_the_feedback_exactly() {
    for mode in [ProxyMode::Predicted, ProxyMode::Lagged, ProxyMode::Staggered] {
        let mut run = held(|p| fixed(2, p.mode(mode)), [2, 3]);
        run.step(DT);
        let mut saved = Snapshot::new();
        run.solver.save_into(&mut saved);
        let expected: Vec<_> = (0..4).map(|_| state_digest(run.step(DT))).collect();
        run.solver.restore(&saved);
        let again: Vec<_> = (0..4).map(|_| state_digest(run.step(DT))).collect();
        assert_eq!(again, expected, "{mode:?}");
    }
}

#[test]
fn lagged_with_one_pass_delays_the_feedback_by_one_step() {
    let (mut m, a, b) = box_on_spring();
    m.gravity = Vec3::zeros();
    let defs = vec![
        dummy("rigid", vec![]).bodies([a]),
        dummy("mat", vec![ground(Endpoint::Body(a), K)]).bodies([b]),
    ];
    let late = Proxy::new("rigid", "mat").bodies([a]).mode(ProxyMode::Lagged).passive(false);
    let config = fixed(1, late);
    let mut run = Run::new(&m, SolverCoupledProxy::new(&m, defs, config).unwrap());
    run.step(DT);
    assert_eq!(run.state.body_qd[0].lin.z, 0.0);
    let f = run.report.interfaces[0].impulse_destination[2] / DT;
    assert!((f + K * 0.3 / (1.0 + DT * DT * K * 0.5)).abs() < 1e-10, "{f}");
    run.step(DT);
    assert!((run.state.body_qd[0].lin.z - f * 0.5 * DT).abs() < 1e-15);
}

/// What was exchanged about it belongs to where it was.
#[test]
fn lagged_feedback_is_forgotten_with_a_body_that_is_put_elsewhere() {
    let (mut m, a, b) = box_on_spring();
    m.gravity = Vec3::zeros();
    let defs = vec![
        dummy("rigid", vec![]).bodies([a]),
        dummy("mat", vec![ground(Endpoint::Body(a), K)]).bodies([b]),
    ];
    let late = Proxy::new("rigid", "mat").bodies([a]).mode(ProxyMode::Lagged).passive(false);
    let config = fixed(1, late);
    let mut run = Run::new(&m, SolverCoupledProxy::new(&m, defs, config).unwrap());
    run.step(DT);
    run.state.body_q[0].p.z = 0.0;
    run.solver.reset(&run.state, &[EntityId::Body(a)]);
    run.step(DT);
    assert_eq!((run.state.body_q[0].p.z, run.state.body_qd[0].lin.z), (0.0, 0.0));
}

#[test]
fn relaxation_blends_exactly() {
    for w in [0.25, 0.5, 1.0, 1.5] {
        let mut run =
            held(|p| fixed(1, p.mode(ProxyMode::Lagged).passive(false).proxy_relaxation(w)), [1, 1]);
        let mut fixed_weight = held(
            |p| ProxyConfig {
                acceleration: AccelerationKind::Fixed(w),
                ..fixed(1, p.mode(ProxyMode::Lagged).passive(false))
            },
            [1, 1],
        );
        let mut feedback = 0.0;
        for _ in 0..5 {
            run.step(DT);
            assert_eq!(state_digest(&run.state), state_digest(fixed_weight.step(DT)));
            let i = &run.report.interfaces[0];
            assert!((i.impulse_source[2] - feedback).abs() < 1e-15, "w {w}: {i:?} {feedback}");
            feedback = w * i.impulse_destination[2] + (1.0 - w) * feedback;
        }
    }
}

#[test]
fn particles_are_endpoints_too() {
    let mut m = points(9.81);
    let p = particle(&mut m, 0.2, Vec3::new(0.0, 0.0, 0.1));
    let b = body(&mut m, "mat", 1.0, Vec3::zeros());
    for mode in [ProxyMode::Predicted, ProxyMode::Lagged] {
        let springs = vec![ground(Endpoint::Particle(p), 50.0)];
        let defs = vec![dummy("soft", vec![]).particles([p]), dummy("rigid", springs.clone()).bodies([b])];
        let proxy = Proxy::new("soft", "rigid").particles([p]).mode(mode);
        let mut run = Run::new(&m, coupled(&m, defs, proxy).unwrap());
        let mut alone = Run::new(&m, DummySolver::new(&ModelView::whole(&m), springs));
        let mut worst: f64 = 0.0;
        for _ in 0..100 {
            worst = worst.max((run.step(DT).particle_q[0] - alone.step(DT).particle_q[0]).norm());
        }
        assert!(worst < if mode == ProxyMode::Predicted { 1e-12 } else { 1e-2 }, "{mode:?} {worst}");
    }
}

#[test]
fn several_sources_and_destinations_meet() {
    let mut m = points(9.81);
    let ids: Vec<_> =
        (0..4).map(|i| body(&mut m, &format!("b{i}"), 1.0, Vec3::new(f64::from(i), 0.0, 0.2))).collect();
    let spring = |i: usize, k: f64| ground(Endpoint::Body(ids[i]), k);
    // two sources share the destination "mat"; "left" is in "mat" and in "wall"
    let defs = vec![
        dummy("left", vec![]).bodies([ids[0]]),
        dummy("mat", vec![spring(0, 100.0), spring(1, 150.0)]).bodies([ids[2]]),
        dummy("right", vec![]).bodies([ids[1]]),
        dummy("wall", vec![spring(0, 80.0)]).bodies([ids[3]]),
    ];
    let proxies = vec![
        Proxy::new("left", "mat").bodies([ids[0]]),
        Proxy::new("right", "mat").bodies([ids[1]]),
        Proxy::new("left", "wall").bodies([ids[0]]),
    ];
    let convergence = Some(Convergence::Tolerance { primal: 1e-13, dual: 1e-10, max_iterations: 60 });
    let config = ProxyConfig { proxies, convergence, ..ProxyConfig::default() };
    let mut run = Run::new(&m, SolverCoupledProxy::new(&m, defs, config).unwrap());
    let springs = vec![spring(0, 180.0), spring(1, 150.0)];
    let mut alone = Run::new(&m, DummySolver::new(&ModelView::whole(&m), springs));
    let mut passes = 0;
    for _ in 0..50 {
        let (x, y) = (run.step(DT).clone(), alone.step(DT));
        (0..4).for_each(|i| assert!((x.body_q[i].p - y.body_q[i].p).norm() < 1e-10, "{i}"));
        assert!(run.report.interfaces.iter().all(|i| i.converged), "{:?}", run.report.interfaces);
        passes = passes.max(run.report.interfaces[0].iterations);
    }
    let names: Vec<_> = run.report.interfaces.iter().map(|i| i.name.as_str()).collect();
    assert_eq!(names, ["left -> mat", "right -> mat", "left -> wall"]);
    println!("passes at most {passes}");
}

#[test]
fn the_proxys_mass_is_that_of_the_source_times_the_scale() {
    let (m, a, b) = box_on_spring();
    let defs = || vec![dummy("rigid", vec![]).bodies([a]), dummy("mat", vec![]).bodies([b])];
    let proxy = Proxy::new("rigid", "mat").bodies([a]).mass_scale(0.25);
    let mut run = Run::new(&m, coupled(&m, defs(), proxy).unwrap());
    let mass = |run: &Run<SolverCoupledProxy>| run.solver.entries().get("mat").unwrap().view().body_mass[0];
    assert_eq!(mass(&run), 0.5);
    let mut heavier = m.clone();
    heavier.body_mass.make_mut()[0] = 4.0;
    heavier.body_inv_mass.make_mut()[0] = 0.25;
    run.solver.notify_model_changed(&ModelView::whole(&heavier), ModelFlags::BODY_MASS);
    run.step(DT);
    assert_eq!(mass(&run), 1.0);
}

#[test]
fn a_source_that_no_force_moves_is_a_prescribed_proxy() {
    let mut m = points(9.81);
    let anvil = body(&mut m, "anvil", 0.0, Vec3::new(0.0, 0.0, 0.5));
    let b = body(&mut m, "mat", 1.0, Vec3::zeros());
    let springs = vec![ground(Endpoint::Body(anvil), 100.0)];
    let defs = vec![dummy("rigid", vec![]).bodies([anvil]), dummy("soft", springs).bodies([b])];
    let mut run = Run::new(&m, coupled(&m, defs, Proxy::new("rigid", "soft").bodies([anvil])).unwrap());
    run.step(DT);
    assert_eq!(run.state.body_q[0].p.z, 0.5);
    assert_eq!(run.report.nonfinite_count, 0);
}

#[test]
fn a_step_does_not_allocate_after_warm_up() {
    for mode in [ProxyMode::Predicted, ProxyMode::Lagged, ProxyMode::Staggered] {
        let mut run = held(|p| fixed(3, p.mode(mode)), [2, 2]);
        run.step(DT);
        run.step(DT);
        assert_eq!(count_allocations(|| (0..5).for_each(|_| _ = run.step(DT))).0, 0, "{mode:?}");
    }
}

#[test]
fn entries_without_an_interface_step_once() {
    let mut m = points(9.81);
    let ids: Vec<_> = (0..3).map(|i| body(&mut m, "", 1.0, Vec3::x() * f64::from(i))).collect();
    let loose = |name: &str, b: BodyId| -> EntryDef { dummy(name, vec![]).bodies([b]) };
    let defs = vec![loose("a", ids[0]), loose("b", ids[1]), loose("c", ids[2])];
    let config = fixed(4, Proxy::new("a", "c").bodies([ids[0]]));
    let mut run = Run::new(&m, SolverCoupledProxy::new(&m, defs, config).unwrap());
    run.step(DT);
    let solves: Vec<_> = run.report.entries.iter().map(|e| e.solves).collect();
    // nothing pushes, so the trial of the source is its step
    assert_eq!(solves, [1, 1, 4]);
}
