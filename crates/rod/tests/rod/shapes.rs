//! Chains, trees and rings; rods that are edited between steps.

use coact_math::{Pose, Vec3};
use coact_model::{Model, ModelBuilder, ModelFlags, ModelView, RodDef, RodEnd, RodPath, RodRest, ShapeFlags};
use coact_rod::RodConfig;
use coact_solver::Solver;

use crate::support::{Run, cantilever, straight};

fn settled(model: Model, steps: usize) -> Run {
    let mut run = Run::new(model, RodConfig::default());
    for _ in 0..steps {
        run.step(0.5);
        assert!(run.report.iterations < 60, "not solved: {:?}", run.report.residual_last);
    }
    run
}

/// A Y of three rods hangs from its stem: its branches are each other's mirror image.
#[test]
fn a_tree_hangs_as_it_is_built() {
    let mut b = ModelBuilder::new();
    let rod = |from: Vec3, to: Vec3, begin| {
        let path = RodPath::Straight { from, to, segments: 6 };
        let first_axis = Some(Vec3::y());
        RodDef { path, begin, first_axis, young: 1e8, ..straight(1.0, 1) }
    };
    let fork = Vec3::z() * -0.3;
    let stem = b.add_rod(rod(Vec3::zeros(), fork, RodEnd::Clamped(None)));
    let held = RodEnd::Clamped(Some(stem.bodies[5]));
    let left = b.add_rod(rod(fork, fork + Vec3::new(-0.3, 0.0, -0.1), held));
    let right = b.add_rod(rod(fork, fork + Vec3::new(0.3, 0.0, -0.1), held));
    let run = settled(b.finalize().unwrap(), 60);
    let tip = |rod: &coact_model::RodIds| run.state.body_q[rod.bodies[5].index()].p;
    let (l, r) = (tip(&left), tip(&right));
    assert!((l.x + r.x).abs() < 1e-9 && (l.z - r.z).abs() < 1e-9, "{l} {r}");
    assert!(r.z < -0.4, "{r}");
}

/// A ring that is round at rest stays round where nothing pulls at it, and is pulled long by two forces.
#[test]
fn a_ring_is_solved_as_one() {
    let path = RodPath::Ring { frame: Pose::identity(), radius: 0.2, segments: 32 };
    let mut b = ModelBuilder::new();
    b.gravity = Vec3::zeros();
    b.add_rod(RodDef { path, rest: RodRest::Initial, damping_time: 0.01, ..straight(1.0, 1) });
    let model = b.finalize().unwrap();
    let mut run = settled(model, 5);
    let begin = run.model.body_q[0].p;
    assert!((run.state.body_q[0].p - begin).norm() < 1e-12);
    (run.forces.body_f[0].lin, run.forces.body_f[16].lin) = (begin * 0.05, begin * -0.05);
    let ei = 1e7 * std::f64::consts::PI * 0.005_f64.powi(4) / 4.0;
    for _ in 0..40 {
        run.step(0.5);
    }
    let across = (run.state.body_q[0].p - run.state.body_q[16].p).norm() - 2.0 * begin.norm();
    // a thin ring under two forces: F R³/(EI) (π/4 − 2/π)
    let force = 0.05 * begin.norm();
    let exact = force * 0.2_f64.powi(3) / ei * (std::f64::consts::FRAC_PI_4 - 2.0 / std::f64::consts::PI);
    assert!((across / exact - 1.0).abs() < 0.02, "{across} {exact}");
}

/// Rows of infinite stiffness hold to what no eye sees.
#[test]
fn hard_rows_hold() {
    let mut model = cantilever(8);
    for (i, a) in model.joint_axis.make_mut().iter_mut().enumerate() {
        if i % 6 < 3 {
            a.target_ke = f64::INFINITY;
        }
    }
    let run = settled(model, 60);
    let gap = |j: usize| {
        let child = run.state.body_q[run.model.joint_child[j].index()].point(&run.model.joint_x_c[j].p);
        let parent = run.model.joint_parent[j].map_or_else(Pose::identity, |b| run.state.body_q[b.index()]);
        (child - parent.point(&run.model.joint_x_p[j].p)).norm()
    };
    let worst = (0..8).map(gap).fold(0.0, f64::max);
    assert!(worst < 1e-6, "{worst}");
    assert!(run.state.body_q[7].p.z < -0.1);
}

/// A clamp that is switched off lets the rod fall; switched on again it is pulled back.
#[test]
fn joints_may_be_edited_between_steps() {
    let mut run = Run::new(cantilever(6), RodConfig::default());
    let clamp = (0..6).find(|&j| run.model.joint_parent[j].is_none()).unwrap();
    let set = |run: &mut Run, on: bool| {
        let mut model = run.model.clone();
        model.joint_enabled.make_mut()[clamp] = on;
        run.solver.notify_model_changed(&ModelView::whole(&model), ModelFlags::JOINTS);
    };
    set(&mut run, false);
    for _ in 0..20 {
        run.step(0.01);
    }
    let fallen = run.state.body_q[0].p.z;
    assert!((fallen + 0.5 * 9.81 * 0.2 * 0.21).abs() < 1e-9, "{fallen}");
    set(&mut run, true);
    for _ in 0..400 {
        run.step(0.1);
    }
    assert!(run.state.body_q[0].p.norm() < 0.1);
    assert_eq!(run.report.nonfinite_count, 0);
}

/// A mass that is edited acts from the next step on; the motion goes on.
#[test]
fn masses_may_be_edited_between_steps() {
    let mut run = Run::new(cantilever(6), RodConfig::default());
    run.step(0.01);
    let before = run.state.clone();
    let mut view = ModelView::whole(&run.model);
    let flags = view.scale_body_mass(coact_model::BodyId::new(5), 3.0);
    run.solver.notify_model_changed(&view, flags);
    let mut now = before.clone();
    run.solver.store(coact_model::StateFields::all(), &mut now);
    assert_eq!(now, before);
    let mut plain = Run::new(cantilever(6), RodConfig::default());
    for _ in 0..50 {
        run.step(0.01);
        plain.step(0.01);
    }
    assert!(run.state.body_q[5].p.z < plain.state.body_q[5].p.z - 1e-3);
}

/// Shapes without contact, so that the solver takes the rod.
#[test]
fn visible_shapes_are_taken() {
    assert!(
        Run::new(cantilever(2), RodConfig::default())
            .model
            .shape_flags
            .iter()
            .all(|f| *f == ShapeFlags::VISIBLE)
    );
}
