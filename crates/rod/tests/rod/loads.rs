//! What elements carry balances what their segments weigh and do.

use coact_math::{Spatial, Vec3};
use coact_model::BodyId;
use coact_rod::RodConfig;
use coact_solver::{Loads, Solver};

use crate::support::{Run, cantilever};

/// Each segment: m (v − v₀)/h is its weight, its force and what its two elements give it; about the
/// centre of mass at the end, J ω − J₀ ω₀ is h times their torques.
#[test]
fn every_segment_is_in_balance() {
    let mut run = Run::new(cantilever(8), RodConfig { tolerance: 1e-12, ..RodConfig::default() });
    run.forces.body_f[5] = Spatial::new(Vec3::new(0.02, 0.05, 0.0), Vec3::new(1e-3, 0.0, 2e-3));
    let h = 1.0 / 240.0;
    let mut largest = 0.0_f64;
    for _ in 0..30 {
        let before = run.state.clone();
        run.step(h);
        let mut loads = Loads::default();
        run.solver.append_loads(&mut loads);
        assert_eq!(loads.joints.len(), 8);
        for b in 0..8 {
            let mass = run.model.body_mass[b];
            let com = run.model.com_at(BodyId::new(b), &run.state.body_q[b]);
            let mut force = Vec3::z() * (-9.81 * mass) + run.forces.body_f[b].lin;
            for load in &loads.joints {
                let j = load.joint.index();
                let (child, parent) = (run.model.joint_child[j].index(), run.model.joint_parent[j]);
                if child == b {
                    force += load.wrench.lin;
                    largest = largest.max(load.wrench.lin.norm());
                    assert!((load.point - com).norm() < 0.05);
                }
                if parent == Some(BodyId::new(b)) {
                    force -= load.wrench.lin;
                }
            }
            let gained = (run.state.body_qd[b].lin - before.body_qd[b].lin) * (mass / h);
            assert!((gained - force).norm() < 1e-9, "{b}: {}", (gained - force).norm());
        }
    }
    assert!(largest > 0.1, "nothing was carried");
}

/// At rest the clamp carries the weight of the rod and its moment.
#[test]
fn the_clamp_carries_the_weight() {
    let mut run = Run::new(cantilever(16), RodConfig::default());
    for _ in 0..100 {
        run.step(0.5);
    }
    let mut loads = Loads::default();
    run.solver.append_loads(&mut loads);
    let clamp = loads.joints.last().unwrap();
    assert!(run.model.joint_parent[clamp.joint.index()].is_none());
    let weight = |b: usize| Vec3::z() * (-9.81 * run.model.body_mass[b]);
    let total: Vec3 = (0..16).map(weight).sum();
    let moment: Vec3 = (0..16).map(|b| (run.state.body_q[b].p - clamp.point).cross(&weight(b))).sum();
    assert!((clamp.wrench.lin + total).norm() < 1e-7 * total.norm());
    assert!((clamp.wrench.ang + moment).norm() < 1e-6 * moment.norm(), "{} {}", clamp.wrench.ang, moment);
}
