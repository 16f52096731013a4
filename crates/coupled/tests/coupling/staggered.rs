//! The staggered proxy as it is documented: starts at the source's end, coasts, and only a
//! particle proxy feels gravity again.

use coact_coupled::{Proxy, ProxyMode};
use coact_math::Vec3;
use coact_solver::Endpoint;
use coact_testkit::{body, particle, points};

use crate::support::*;

const DT: f64 = 0.01;

#[test]
fn a_staggered_body_is_one_step_ahead_and_feels_no_gravity() {
    let (m, a, b) = box_on_spring();
    let defs = vec![
        dummy("rigid", vec![]).bodies([a]),
        dummy("mat", vec![ground(Endpoint::Body(a), 300.0)]).bodies([b]),
    ];
    let proxy = Proxy::new("rigid", "mat").bodies([a]).mode(ProxyMode::Staggered).passive(false);
    let mut run = Run::new(&m, coupled(&m, defs, proxy).unwrap());
    run.step(DT);
    let v = -9.81 * DT;
    let coasted = 0.3 + 2.0 * v * DT;
    let f = -300.0 * coasted / (1.0 + DT * DT * 300.0 * 0.5);
    assert!((run.state.body_qd[0].lin.z - v).abs() < 1e-15);
    assert!((run.report.interfaces[0].force - f.abs()).abs() < 1e-11);
    run.step(DT);
    assert!((run.state.body_qd[0].lin.z - (2.0 * v + f * 0.5 * DT)).abs() < 1e-13);
}

#[test]
fn a_staggered_particle_falls_a_second_time() {
    let mut m = points(9.81);
    let p = particle(&mut m, 0.2, Vec3::new(0.0, 0.0, 0.1));
    let b = body(&mut m, "mat", 1.0, Vec3::zeros());
    let k = 50.0;
    let defs = vec![
        dummy("soft", vec![]).particles([p]),
        dummy("mat", vec![ground(Endpoint::Particle(p), k)]).bodies([b]),
    ];
    let proxy = Proxy::new("soft", "mat").particles([p]).mode(ProxyMode::Staggered);
    let mut run = Run::new(&m, coupled(&m, defs, proxy).unwrap());
    run.step(DT);
    let v = -9.81 * DT;
    let coasted = 0.1 + v * DT + 2.0 * v * DT;
    let f = -k * coasted / (1.0 + DT * DT * k * 5.0);
    assert!((run.report.interfaces[0].force - f.abs()).abs() < 1e-12);
}
