//! Recorded trajectories of another implementation are met, case by case.

use std::path::PathBuf;

use coact_compute::DeviceChoice;
use coact_verify::Precision;
use coact_verify::reference::{Case, Mode, Outcome, Settings, compare};

fn scenes() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("reference/scenes")
}

fn settings(recorded_contacts: bool) -> Settings {
    Settings {
        mode: Mode::Reference,
        precision: Precision::Double,
        device: DeviceChoice::Cpu,
        recorded_contacts,
    }
}

fn assert_within(name: &str, recorded_contacts: bool) {
    assert_within_on(name, &settings(recorded_contacts));
}

fn assert_within_on(name: &str, settings: &Settings) {
    let case = Case::read(&scenes().join(format!("{name}.json"))).expect("case is shipped");
    for variant in case.variants() {
        let outcome = compare(&variant, settings).expect("case runs");
        let Outcome::Compared(c) = outcome else { panic!("{name} is not supported") };
        assert!(!c.records.is_empty());
        let judged = c.records.iter().filter(|r| r.allowed.is_some()).count();
        assert!(judged > 0, "{name}: no record is judged");
        for r in &c.records {
            assert!(r.ok(), "{} step {}: {:.3e} m, allowed {:?}", c.title, r.step, r.difference, r.allowed);
        }
    }
}

#[test]
fn unit_elements_within_2e7() {
    for name in ["triangle", "tet", "hinge", "spring"] {
        assert_within(&format!("unit_{name}"), false);
        assert_within(&format!("unit_{name}_damped"), false);
    }
}

#[test]
fn particle_on_plane_within_2e7_with_own_and_with_recorded_contacts() {
    assert_within("unit_particle_plane", false);
    assert_within("unit_particle_plane", true);
}

#[test]
fn bodies_with_joints_drives_and_rods_are_met_to_their_last_record() {
    for name in [
        "free_spin",
        "pendulum_revolute",
        "prismatic_drive",
        "revolute_drive",
        "chain10_ball",
        "cantilever8_fixed",
        "rod_twist_torque",
    ] {
        assert_within(name, true);
    }
}

#[test]
fn bodies_in_contact_are_met_to_their_last_record() {
    for name in ["box_drop_tilted", "box_rest", "box_rest_stiff", "incline20_mu0.30", "roll_capsule_10"] {
        assert_within(name, true);
    }
}

#[test]
fn elastic_cases_within_2e5_over_100_steps() {
    for name in ["cloth_hanging_20", "cloth_hanging_20_damped", "block_clamped"] {
        assert_within(name, false);
    }
}

#[test]
fn cloth_on_static_shapes_over_the_first_20_steps() {
    assert_within("cloth_on_sphere", false);
    assert_within("cloth_on_box", false);
}

#[test]
fn free_spin_in_reference_mode() {
    assert_within("free_spin", false);
}

/// In `f32` on a device, with its own contacts.
#[test]
fn a_device_meets_the_records() {
    if coact_compute::testing::gpu_for_tests().is_none() {
        return;
    }
    let device = Settings {
        mode: Mode::Reference,
        precision: Precision::Single,
        device: DeviceChoice::Gpu,
        recorded_contacts: true,
    };
    for name in
        ["unit_triangle", "unit_tet_damped", "unit_hinge_damped", "unit_spring", "unit_particle_plane"]
    {
        assert_within_on(name, &device);
    }
    for name in ["cloth_hanging_20", "cloth_hanging_20_damped", "block_clamped", "cloth_on_box", "free_spin"]
    {
        assert_within_on(name, &device);
    }
}
