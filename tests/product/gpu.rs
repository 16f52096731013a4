//! The scene of the README with its cloth on a device, under the same coupler.

use std::path::PathBuf;

use coact_compute::testing::gpu_for_tests;
use coact_compute::{AdapterKind, DeviceChoice, GpuContext};
use coact_model::{State, StateFields};
use coact_scene::Simulation;
use coact_solver::StepReport;

/// Steps after which boxes touch the cloth and the bunny its pedestal.
const CONTACT: usize = 62;

fn simulation(device: DeviceChoice) -> Simulation {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../scenes/coupling/boxes_on_cloth.ron");
    // the host rubs and sweeps as a device does
    let as_device = ["solvers.soft.friction=Smoothed", "solvers.soft.acceleration=Off"].map(str::to_owned);
    let scene = coact_scene::load(&path, &as_device).expect("scene is shipped");
    scene.build(device).expect("scene builds")
}

fn distance(a: &State, b: &State) -> f64 {
    let particles = a.particle_q.iter().zip(&b.particle_q).map(|(p, q)| (p - q).norm());
    let bodies = a.body_q.iter().zip(&b.body_q).map(|(p, q)| (p.p - q.p).norm());
    particles.chain(bodies).fold(0.0, f64::max)
}

/// Ten steps in the midst of contact, from one state; only the interface moves.
#[test]
fn the_coupled_scene_agrees_with_the_host_and_moves_its_interface_only() {
    if gpu_for_tests().is_none() {
        return;
    }
    let (mut host, mut device) = (simulation(DeviceChoice::Cpu), simulation(DeviceChoice::Gpu));
    assert_ne!(device.device, "cpu");
    let mut report = StepReport::default();
    for simulation in [&mut host, &mut device] {
        (0..CONTACT).for_each(|_| simulation.step(&mut report).expect("runs"));
    }
    host.store(StateFields::all());
    let begin = host.state.clone();
    [&mut host, &mut device].into_iter().for_each(|s| s.solver.load(&begin));
    let (mut active, mut moved) = (0, 0);
    for _ in 0..10 {
        host.step(&mut report).expect("runs");
        active = active.max(report.contacts.particle_shape_active);
        device.step(&mut report).expect("runs");
        moved = moved.max(report.bytes_moved);
        assert_eq!(report.nonfinite_count, 0);
    }
    host.store(StateFields::all());
    device.store(StateFields::all());
    let apart = distance(&host.state, &device.state);
    let particles = host.model.particle_count() as u64;
    println!("{active} rows press; {apart:.2e} m apart; {moved} bytes per step, {particles} particles");
    assert!(active > 10, "nothing touches");
    assert!(distance(&begin, &host.state) > 1e-2, "nothing moves");
    assert!(apart < 1e-4, "{apart}");
    // per body 144 up, 32 + 8 down; step record, ranges and report: below 1 kB
    assert!(moved > 0 && moved < 8 * (144 + 32 + 8) + 1024, "{moved}");
    assert!(moved < particles * 24 / 4, "{moved} bytes for {particles} particles");
}

#[test]
fn auto_never_takes_a_software_adapter() {
    let taken = GpuContext::open(DeviceChoice::Auto).expect("a choice, or none");
    assert!(taken.is_none_or(|c| c.info().kind != AdapterKind::Software));
}
