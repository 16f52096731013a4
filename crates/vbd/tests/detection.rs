//! The schedules of the particle–shape slot: who is found when.

mod support;

use coact_math::Vec3;
use coact_model::{Model, ModelBuilder, ShapeDef};
use coact_solver::{DetectionSchedule, DetectionSlots};
use coact_vbd::VbdConfig;
use support::scenes::{Run, add_particle};

/// A particle 50 mm above a plane; in one step of 1/100 s it is predicted 50 mm below it.
fn thrown_at_plane() -> Model {
    let mut b = ModelBuilder::new();
    b.gravity = Vec3::zeros();
    b.add_shape(ShapeDef { name: "ground".into(), ..ShapeDef::default() });
    add_particle(&mut b, Vec3::new(0.0, 0.0, 0.06), Vec3::new(0.0, 0.0, -10.0), 0.01, 0.01);
    b.finalize().unwrap()
}

/// Contacts known to the first step and the height after it, looking no further than the gap.
fn first_step(rigid_soft: DetectionSchedule) -> (usize, f64) {
    let detection = DetectionSlots { rigid_soft, ..DetectionSlots::default() };
    let config = VbdConfig { detection, speculative: false, ..VbdConfig::default() };
    let mut run = Run::new(thrown_at_plane(), config);
    run.step(0.01);
    (run.report.contacts.particle_shape, run.state().particle_q[0].z)
}

#[test]
fn what_is_met_only_at_the_prediction_is_found_by_the_schedules_that_look_there() {
    let free = 0.06 - 0.1;
    for schedule in [DetectionSchedule::Off, DetectionSchedule::PreInit, DetectionSchedule::Auto] {
        let (contacts, z) = first_step(schedule);
        assert_eq!(contacts, 0, "{schedule}");
        assert!((z - free).abs() < 1e-15, "{schedule}: {z}");
    }
    for schedule in [DetectionSchedule::PrePostInit, DetectionSchedule::Iterations(4)] {
        let (contacts, z) = first_step(schedule);
        assert_eq!(contacts, 1, "{schedule}");
        assert!(z > free + 0.02, "{schedule}: {z}");
    }
}

#[test]
fn repeated_detection_changes_nothing_where_contacts_do_not_change() {
    let run = |rigid_soft| {
        let detection = DetectionSlots { rigid_soft, ..DetectionSlots::default() };
        let mut b = ModelBuilder::new();
        b.add_shape(ShapeDef { name: "ground".into(), ..ShapeDef::default() });
        add_particle(&mut b, Vec3::new(0.0, 0.0, 0.0095), Vec3::new(0.3, 0.0, 0.0), 0.01, 0.01);
        let mut run = Run::new(b.finalize().unwrap(), VbdConfig { detection, ..VbdConfig::default() });
        (0..50).for_each(|_| run.step(1.0 / 600.0));
        run.state().particle_q[0]
    };
    let (once, often) = (run(DetectionSchedule::PreInit), run(DetectionSchedule::Iterations(3)));
    assert!((once - often).norm() < 1e-12, "{once} {often}");
    assert!(once.x > 0.005, "it slides: {once}");
}
