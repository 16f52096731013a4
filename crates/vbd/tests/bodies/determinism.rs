//! The same bits at any number of threads, and after a restore.

use coact_math::{Pose, Quat, Vec3};
use coact_model::{JointAxis, JointDef, JointKind, ModelBuilder};
use coact_solver::{Snapshot, Solver};
use coact_vbd::VbdConfig;

use crate::support::{Run, ball, builder, cuboid, floor, to_world};

/// A heap that is too full to be solved as one, stacks that are not, and a chain that falls on them.
fn scene() -> ModelBuilder {
    let mut b = builder(0.5);
    floor(&mut b, 0.0);
    let mut random = coact_testkit::Random::new(3);
    for i in 0..60 {
        let p = Vec3::new(0.2 * (i % 4) as f64, 0.2 * (i / 4 % 4) as f64, 0.15 + 0.2 * (i / 16) as f64);
        let turn = Vec3::from_fn(|_, _| random.range(-1.0, 1.0));
        cuboid(&mut b, Pose::new(p, Quat::from_scaled_axis(turn)), Vec3::new(0.1, 0.08, 0.06), 1.0);
    }
    for k in 0..8 {
        let p = Vec3::new(3.0 + 0.5 * (k / 4) as f64, 0.0, 0.1 + 0.2 * (k % 4) as f64);
        cuboid(&mut b, Pose::translation(p), Vec3::repeat(0.1), 1.0);
    }
    let mut before = None;
    for k in 0..12 {
        let at = Vec3::new(0.1 * k as f64, 0.3, 1.2);
        let link = ball(&mut b, at, Vec3::zeros(), 0.03, 0.1);
        match before {
            None => to_world(&mut b, JointKind::Revolute, link, at, JointAxis::default()),
            Some(parent) => {
                let x_p = Pose::translation(Vec3::x() * 0.1);
                b.add_joint(JointDef { x_p, ..JointDef::new(JointKind::Ball, Some(parent), link) });
            }
        }
        before = Some(link);
    }
    b
}

fn run(threads: usize) -> Run {
    let config = VbdConfig { threads: Some(threads), parallel_threshold: 8, ..VbdConfig::default() };
    Run::with(scene(), config)
}

fn bits(run: &Run) -> Vec<u64> {
    let poses = run.state.body_q.iter().flat_map(|q| q.to_array());
    let twists = run.state.body_qd.iter().flat_map(|v| v.to_vec6().data.0[0]);
    poses.chain(twists).map(f64::to_bits).collect()
}

#[test]
fn results_do_not_depend_on_threads() {
    let end = |threads| {
        let mut run = run(threads);
        run.seconds(0.7, 1.0 / 120.0);
        assert!(run.report.contacts.shapes > 100, "{} contacts", run.report.contacts.shapes);
        bits(&run)
    };
    let one = end(1);
    assert!(one == end(2), "two threads");
    assert!(one == end(3), "three threads");
}

/// Joints, contacts and what was cut come back with the snapshot: the run repeats.
#[test]
fn a_restored_solver_repeats_its_steps_to_the_bit() {
    let mut run = run(1);
    run.seconds(0.4, 1.0 / 120.0);
    let mut snapshot = Snapshot::new();
    run.solver.save_into(&mut snapshot);
    run.seconds(0.2, 1.0 / 120.0);
    let once = bits(&run);
    run.solver.restore(&snapshot);
    run.seconds(0.2, 1.0 / 120.0);
    assert!(once == bits(&run));
}
