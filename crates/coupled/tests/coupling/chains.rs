//! Entries that are destination and source: chains and rings, against one solver.

use coact_coupled::{Convergence, EntryDef, Proxy, ProxyConfig, SolverCoupledProxy};
use coact_math::Vec3;
use coact_model::{BodyId, Model, ModelView};
use coact_testkit::{body, points};

use crate::net::{Link, NetSolver, net};
use crate::support::*;

const DT: f64 = 0.01;
const NAMES: [&str; 3] = ["a", "b", "c"];

/// Bodies of very different masses at different heights.
fn bodies(g: f64) -> Model {
    let mut m = points(g);
    for (i, (mass, z)) in [(1.0, 0.3), (0.05, 0.0), (4.0, 0.1)].into_iter().enumerate() {
        body(&mut m, NAMES[i], mass, Vec3::new(i as f64, 0.0, z));
    }
    m
}

/// Each body in an entry of its own; `links[i]` are the springs of entry `i`, `hands` says
/// which entry hands its body to which.
fn build(
    m: &Model,
    links: [Vec<Link>; 3],
    hands: &[(usize, usize)],
    convergence: Option<Convergence>,
) -> Run<SolverCoupledProxy> {
    let def = |(i, l): (usize, Vec<Link>)| -> EntryDef { net(NAMES[i], l).bodies([BodyId::new(i)]) };
    let defs = links.into_iter().enumerate().map(def).collect();
    let proxy = |&(s, d): &(usize, usize)| Proxy::new(NAMES[s], NAMES[d]).bodies([BodyId::new(s)]);
    let config =
        ProxyConfig { proxies: hands.iter().map(proxy).collect(), convergence, ..ProxyConfig::default() };
    Run::new(m, SolverCoupledProxy::new(m, defs, config).unwrap())
}

fn tight(max_iterations: usize) -> Option<Convergence> {
    Some(Convergence::Tolerance { primal: 1e-12, dual: 1e-10, max_iterations })
}

fn ring(m: &Model, convergence: Option<Convergence>) -> Run<SolverCoupledProxy> {
    // 0 is a proxy in 1, 1 in 2, 2 in 0: a triangle of springs
    let links = [vec![Link(0, Some(2), 90.0)], vec![Link(1, Some(0), 200.0)], vec![Link(2, Some(1), 70.0)]];
    build(m, links, &[(0, 1), (1, 2), (2, 0)], convergence)
}

fn chain(m: &Model, convergence: Option<Convergence>) -> Run<SolverCoupledProxy> {
    let links = [vec![Link(0, None, 50.0)], vec![Link(1, Some(0), 200.0)], vec![Link(2, Some(1), 70.0)]];
    build(m, links, &[(0, 1), (1, 2)], convergence)
}

fn alone(m: &Model, links: Vec<Link>) -> Run<NetSolver> {
    Run::new(m, NetSolver::new(&ModelView::whole(m), links))
}

/// (largest distance to the unified run, most passes, mean passes).
fn compare(mut run: Run<SolverCoupledProxy>, mut one: Run<NetSolver>, steps: usize) -> (f64, usize, f64) {
    let (mut worst, mut most, mut sum) = (0.0_f64, 0, 0);
    for _ in 0..steps {
        let (x, y) = (run.step(DT).clone(), one.step(DT));
        worst = (0..3).map(|i| (x.body_q[i].p - y.body_q[i].p).norm()).fold(worst, f64::max);
        assert!(run.report.interfaces.iter().all(|i| i.converged), "{:?}", run.report.interfaces);
        most = most.max(run.report.iterations);
        sum += run.report.iterations;
    }
    (worst, most, sum as f64 / steps as f64)
}

#[test]
fn a_chain_is_iterated_to_one_solver() {
    let m = bodies(9.81);
    let all = || vec![Link(0, None, 50.0), Link(1, Some(0), 200.0), Link(2, Some(1), 70.0)];
    let (d, most, mean) = compare(chain(&m, tight(60)), alone(&m, all()), 200);
    println!("tight: {d:.2e} m, passes {mean:.1}, {most} at most");
    assert!(d < 1e-9, "{d}");
    let (d, most, mean) = compare(chain(&m, None), alone(&m, all()), 200);
    println!("default: {d:.2e} m, passes {mean:.1}, {most} at most");
    assert!(d < 1e-3, "{d}");
}

#[test]
fn a_ring_is_iterated_to_one_solver() {
    let m = bodies(0.0);
    let all = || vec![Link(0, Some(2), 90.0), Link(1, Some(0), 200.0), Link(2, Some(1), 70.0)];
    let (d, most, mean) = compare(ring(&m, tight(60)), alone(&m, all()), 200);
    println!("tight: {d:.2e} m, passes {mean:.1}, {most} at most");
    assert!(d < 1e-9, "{d}");
    let (d, most, mean) = compare(ring(&m, None), alone(&m, all()), 200);
    println!("default: {d:.2e} m, passes {mean:.1}, {most} at most");
    assert!(d < 1e-3, "{d}");
}

/// Linear momentum of an isolated scene over 10 s.
#[test]
fn an_isolated_ring_keeps_its_momentum() {
    let m = bodies(0.0);
    let mut run = ring(&m, tight(80));
    let of = |run: &Run<SolverCoupledProxy>| -> f64 {
        (0..3).map(|i| m.body_mass[i] * run.state.body_qd[i].lin.z).sum()
    };
    let (mut most, mut scale) = (0.0_f64, 0.0_f64);
    for _ in 0..1000 {
        run.step(DT);
        most = most.max(of(&run).abs());
        scale = scale
            .max((0..3).map(|i| (m.body_mass[i] * run.state.body_qd[i].lin.z).abs()).fold(0.0, f64::max));
    }
    println!("defect {most:.2e} of {scale:.2e} N s");
    assert!(most < 1e-9 * scale && scale > 0.1, "{most} {scale}");
}

/// Without a ring the force that one side hands over is the one that the other gets, after any
/// number of passes.
#[test]
fn a_chain_hands_over_the_same_bits_after_one_pass() {
    let m = bodies(9.81);
    let mut run = chain(&m, Some(Convergence::FixedCount(1)));
    for _ in 0..20 {
        run.step(DT);
        for i in &run.report.interfaces {
            assert_eq!(i.impulse_source, i.impulse_destination);
            assert!(i.momentum_defect() == 0.0 && i.force > 0.0);
        }
    }
    // the trial and one step of what is handed on, one of the end of the chain
    let solves: Vec<_> = run.report.entries.iter().map(|e| e.solves).collect();
    assert_eq!(solves, [2, 2, 1]);
}

#[test]
fn the_order_of_entries_does_not_matter() {
    let m = bodies(9.81);
    let mut one = chain(&m, tight(60));
    let links = [vec![Link(2, Some(1), 70.0)], vec![Link(1, Some(0), 200.0)], vec![Link(0, None, 50.0)]];
    let defs = links.into_iter().zip([2, 1, 0]).map(|(l, i)| net(NAMES[i], l).bodies([BodyId::new(i)]));
    let proxies = [(1, 2), (0, 1)].map(|(s, d)| Proxy::new(NAMES[s], NAMES[d]).bodies([BodyId::new(s)]));
    let config = ProxyConfig { proxies: proxies.to_vec(), convergence: tight(60), ..ProxyConfig::default() };
    let mut other = Run::new(&m, SolverCoupledProxy::new(&m, defs.collect(), config).unwrap());
    for _ in 0..100 {
        let (x, y) = (one.step(DT), other.step(DT));
        (0..3).for_each(|i| assert!((x.body_q[i].p - y.body_q[i].p).norm() < 1e-10, "{i}"));
    }
}
