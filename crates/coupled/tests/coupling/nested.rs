//! A coupler as an entry of another coupler.

use coact_coupled::{EntryDef, Proxy, ProxyConfig, SolverCoupled, SolverCoupledProxy};
use coact_math::Vec3;
use coact_model::ModelView;
use coact_solver::*;
use coact_testkit::{DummySolver, body, points};

use crate::support::*;

const DT: f64 = 0.01;

#[test]
fn a_coupler_inside_a_coupler_equals_one_solver() {
    let mut m = points(9.81);
    let [a, b, c] = [0, 1, 2].map(|i| body(&mut m, &format!("b{i}"), 1.0, Vec3::new(f64::from(i), 0.0, 0.2)));
    let inner = EntryDef::new("inner", move |view: &ModelView| {
        let defs = vec![
            dummy("x", vec![]).bodies([a]),
            dummy("y", vec![ground(Endpoint::Body(a), 40.0)]).bodies([b]),
        ];
        let proxies = vec![Proxy::new("x", "y").bodies([a])];
        Ok(SolverCoupledProxy::new(view, defs, ProxyConfig { proxies, ..ProxyConfig::default() })?)
    });
    let springs = vec![ground(Endpoint::Body(b), 70.0)];
    let defs = vec![inner.bodies([a, b]), dummy("outer", springs).bodies([c])];
    let mut run = Run::new(&m, coupled(&m, defs, Proxy::new("inner", "outer").bodies([b])).unwrap());
    let springs = vec![ground(Endpoint::Body(a), 40.0), ground(Endpoint::Body(b), 70.0)];
    let mut alone = Run::new(&m, DummySolver::new(&ModelView::whole(&m), springs));
    for _ in 0..60 {
        let (x, y) = (run.step(DT), alone.step(DT));
        (0..3).for_each(|i| assert!((x.body_q[i].p - y.body_q[i].p).norm() < 1e-12, "{i}"));
    }
    let inside = &run.report.entries[0].report;
    assert_eq!(inside.interfaces[0].name, "x -> y");
    assert_eq!(inside.entries.len(), 2);
}

#[test]
fn a_coupler_refuses_to_take_proxies() {
    let mut m = points(9.81);
    let (a, b) = (body(&mut m, "a", 1.0, Vec3::zeros()), body(&mut m, "b", 1.0, Vec3::x()));
    let inner = EntryDef::new("inner", move |view: &ModelView| {
        Ok(SolverCoupled::new(view, vec![dummy("x", vec![]).bodies([a])])?)
    });
    let defs = vec![inner.bodies([a]), dummy("outer", vec![]).bodies([b])];
    let text = coupled(&m, defs, Proxy::new("outer", "inner").bodies([b])).err().unwrap().to_string();
    assert!(text.contains("'inner' (coupled) cannot take bodies of 'outer' as proxies"), "{text}");
    assert!(text.contains("`body_proxy`"), "{text}");
}
