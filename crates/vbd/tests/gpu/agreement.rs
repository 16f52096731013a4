//! Ten steps of a scene on the device and on the host: positions within 1e-4 m, reports
//! alike; beyond that trajectories of cloth are chaotic, and rest is compared.

use coact_compute::testing::gpu_for_tests;
use coact_math::Vec3;
use coact_model::{Model, ModelView, ParticleId};
use coact_solver::{Solver, StepReport};
use coact_vbd::{Precision, VbdConfig};

use super::scenes::{
    H, Run, box_on_cloth, cloth_on_shapes, config, distance, hanging_cloth, soft_block, spring_net,
};

/// Runs both for ten steps; the distance must stay below `tolerance` and the host must move.
fn agrees(name: &str, model: &Model, tolerance: f64) -> Option<(Run, Run)> {
    agrees_with(name, model, &config(), tolerance)
}

fn agrees_with(name: &str, model: &Model, config: &VbdConfig, tolerance: f64) -> Option<(Run, Run)> {
    let ctx = gpu_for_tests()?;
    let view = ModelView::whole(model);
    let run = |device| Run::new(&view, config.clone(), device);
    let (mut host, mut device) = (run(None), run(Some(&ctx)));
    host.step(10);
    device.step(10);
    let moved = distance(host.state(), &model.state());
    let apart = distance(host.state(), device.state());
    println!("{name}: moved {moved:.2e} m, apart {apart:.2e} m after ten steps");
    println!("  host   {:?} {:?}", host.report.residual_last, host.report.contacts);
    println!("  device {:?} {:?}", device.report.residual_last, device.report.contacts);
    assert!(moved > 1e-3, "{name} did not move");
    assert!(apart <= tolerance, "{name}: {apart:.3e} m apart");
    Some((host, device))
}

#[test]
fn a_hanging_cloth_agrees_with_the_host() {
    agrees("hanging cloth", &hanging_cloth(), 1e-4);
}

#[test]
fn corners_that_move_by_prescription_agree_with_the_host() {
    let Some(ctx) = gpu_for_tests() else { return };
    let (model, velocity) = (hanging_cloth(), Vec3::new(0.3, 2.0, 0.1));
    let view = ModelView::whole(&model);
    let ends = [None, Some(&ctx)].map(|device| {
        let mut run = Run::new(&view, config(), device);
        run.control.particle_motion = vec![(ParticleId(0), velocity)];
        run.step(10);
        run.state().clone()
    });
    let expected = model.particle_q[0] + velocity * (10.0 * H);
    for s in &ends {
        assert!((s.particle_q[0] - expected).norm() < 1e-6);
        assert!((s.particle_qd[0] - velocity).norm() < 1e-6);
    }
    assert!(distance(&ends[0], &ends[1]) < 1e-4);
}

#[test]
fn a_net_of_springs_agrees_with_the_host() {
    agrees("spring net", &spring_net(), 1e-4);
}

#[test]
fn a_soft_block_on_the_ground_agrees_with_the_host() {
    agrees("soft block", &soft_block(), 1e-4);
}

#[test]
fn a_cloth_on_shapes_agrees_with_the_host() {
    let Some((host, device)) = agrees("cloth on shapes", &cloth_on_shapes(), 1e-4) else { return };
    assert!(host.report.contacts.particle_shape_active > 20, "nothing touches");
    assert_eq!(host.report.contacts.particle_shape, device.report.contacts.particle_shape);
    let (a, b) = (host.report.residual_first, device.report.residual_first);
    assert!((a.max - b.max).abs() < 1e-2 * a.max && (a.rms - b.rms).abs() < 1e-2 * a.rms, "{a:?} {b:?}");
    let depth = host.report.penetration.depth;
    assert!((depth - device.report.penetration.depth).abs() < 0.05 * depth + 1e-6);
}

#[test]
fn a_box_on_a_cloth_agrees_with_the_host() {
    let Some((host, device)) = agrees("box on cloth", &box_on_cloth(), 1e-4) else { return };
    assert!(host.report.contacts.particle_shape_active > 5, "the box does not touch");
    reports_agree(&host.report, &device.report);
}

/// Residuals of particles and bodies, the worst particle, the deepest pair.
fn reports_agree(a: &StepReport, b: &StepReport) {
    let close = |x: f64, y: f64, part: f64| (x - y).abs() <= part * x.abs();
    assert!(close(a.residual_first.max, b.residual_first.max, 1e-3), "{a:?} {b:?}");
    assert!(close(a.residual_first.rms, b.residual_first.rms, 1e-3), "{a:?} {b:?}");
    assert!(close(a.residual_last.max, b.residual_last.max, 0.05), "{a:?} {b:?}");
    assert_eq!(a.worst_particle, b.worst_particle);
    assert!(close(a.penetration.depth, b.penetration.depth, 0.01) && a.penetration.depth > 0.0);
    assert_eq!(
        (a.penetration.particle, a.penetration.shape),
        (b.penetration.particle, b.penetration.shape),
        "{a:?} {b:?}"
    );
}

/// Colors without bending share hinges: all blocks of one are solved from the old positions.
#[test]
fn colors_that_share_elements_agree_with_the_host() {
    let mut model = hanging_cloth();
    let n = model.particle_count();
    let shared = [0, 1, 2].map(|c| (0..n).filter(|i| i % 3 == c).map(ParticleId::new).collect());
    model.particle_color_groups = shared.into_iter().collect();
    model.particle_color = (0..n).map(|i| (i % 3) as u32).collect();
    agrees("shared colors", &model, 1e-4);
}

/// The switches of reference mode, all at once.
#[test]
fn reference_mode_agrees_with_the_host() {
    let reference = VbdConfig { precision: Precision::Single, threads: Some(1), ..VbdConfig::reference() };
    for (name, model) in
        [("hanging cloth", hanging_cloth()), ("spring net", spring_net()), ("box on cloth", box_on_cloth())]
    {
        agrees_with(&format!("reference, {name}"), &model, &reference, 1e-4);
    }
}

/// The box is thrown back; by then single particles have parted, the box has not.
#[test]
fn a_box_is_thrown_back_by_a_cloth_as_on_the_host() {
    let Some(ctx) = gpu_for_tests() else { return };
    let view = ModelView::whole(&box_on_cloth());
    let (mut host, mut device) = (Run::new(&view, config(), None), Run::new(&view, config(), Some(&ctx)));
    let (mut lowest, mut apart) = (f64::INFINITY, 0.0_f64);
    for _ in 0..24 {
        host.step(5);
        device.step(5);
        let (a, b) = (host.state().body_q[0].p, device.state().body_q[0].p);
        lowest = lowest.min(a.z);
        apart = apart.max((a - b).norm());
    }
    let end = host.state().body_q[0].p.z;
    println!("box: lowest {lowest:.4} m, at the end {end:.4} m, apart {apart:.2e} m");
    assert!(lowest < 0.55, "the box did not fall");
    assert!(apart < 1e-3, "{apart}");
}

/// Kept in damped contact with the ground until it rests: height and energy agree.
#[test]
fn a_soft_block_comes_to_the_same_rest() {
    let Some(ctx) = gpu_for_tests() else { return };
    let (model, mut rest) = (soft_block(), Vec::new());
    for device in [None, Some(&ctx)] {
        let mut run = Run::new(&ModelView::whole(&model), config(), device);
        run.step(360);
        let energy = run.solver.stored_energy();
        let q = &run.state().particle_q;
        let height = q.iter().map(|x| x.z).sum::<f64>() / q.len() as f64;
        let speed = run.state().particle_qd.iter().map(|v| v.norm()).fold(0.0, f64::max);
        rest.push((height, energy, speed));
    }
    println!("rest (height, energy, speed): host {:?}, device {:?}", rest[0], rest[1]);
    assert!(rest[0].1 > 1e-4, "no energy is stored");
    assert!((rest[0].0 - rest[1].0).abs() < 1e-4);
    assert!((rest[0].1 - rest[1].1).abs() < 0.02 * rest[0].1);
}
