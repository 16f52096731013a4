//! A solver that lets nothing fall says so by its hook, and is not corrected for it.

use coact_coupled::{EntryDef, Proxy, ProxyMode};
use coact_math::Vec3;
use coact_model::{Model, ModelView};
use coact_solver::Endpoint;
use coact_testkit::{DummySolver, GroundSpring, body, particle, points};

use crate::support::*;

const DT: f64 = 0.01;

/// An entry whose solver compensates gravity.
fn floating(name: &str, springs: Vec<GroundSpring>) -> EntryDef {
    EntryDef::new(name, move |view| {
        let weightless = Model { gravity: Vec3::zeros(), ..view.parent().clone() };
        Ok(DummySolver::new(&ModelView::new(&weightless, view.ownership().clone()), springs))
    })
}

#[test]
fn a_source_that_compensates_gravity_floats() {
    let (m, a, b) = box_on_spring();
    let springs = vec![ground(Endpoint::Body(a), 300.0)];
    for mode in [ProxyMode::Predicted, ProxyMode::Lagged] {
        let defs = vec![floating("rigid", vec![]).bodies([a]), dummy("mat", springs.clone()).bodies([b])];
        let proxy = Proxy::new("rigid", "mat").bodies([a]).mode(mode);
        let mut run = Run::new(&m, coupled(&m, defs, proxy).unwrap());
        let weightless = Model { gravity: Vec3::zeros(), ..m.clone() };
        let mut alone = Run::new(&m, DummySolver::new(&ModelView::whole(&weightless), springs.clone()));
        let mut worst: f64 = 0.0;
        for _ in 0..100 {
            worst = worst.max((run.step(DT).body_q[0].p - alone.step(DT).body_q[0].p).norm());
        }
        println!("{mode:?}: {worst:e} m");
        assert!(worst < if mode == ProxyMode::Predicted { 1e-12 } else { 1e-2 }, "{mode:?} {worst}");
    }
}

/// The second g of a staggered particle is what its destination would give it.
#[test]
fn a_staggered_particle_falls_as_its_destination_lets_it() {
    let mut m = points(9.81);
    let p = particle(&mut m, 0.2, Vec3::new(0.0, 0.0, 0.1));
    let b = body(&mut m, "mat", 1.0, Vec3::zeros());
    let k = 50.0;
    let springs = vec![ground(Endpoint::Particle(p), k)];
    let defs = vec![dummy("soft", vec![]).particles([p]), floating("mat", springs).bodies([b])];
    let proxy = Proxy::new("soft", "mat").particles([p]).mode(ProxyMode::Staggered);
    let mut run = Run::new(&m, coupled(&m, defs, proxy).unwrap());
    run.step(DT);
    let coasted = 0.1 + 2.0 * (-9.81 * DT) * DT;
    let f = -k * coasted / (1.0 + DT * DT * k * 5.0);
    assert!((run.report.interfaces[0].force - f.abs()).abs() < 1e-12);
}
