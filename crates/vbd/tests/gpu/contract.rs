//! What a device must keep: state stays there, one submit per step, interface bytes only,
//! exact rewind, the same bits in every run, the harvest of the host, refusals by name.

use coact_collide::Contacts;
use coact_compute::testing::{gpu_for_tests, own_gpu_for_tests};
use coact_math::{Spatial, Vec3};
use coact_model::{BodyId, Forces, Model, ModelView, Ownership, ParticleId, State};
use coact_solver::{
    CouplingInterface, Endpoint, EndpointState, Harvest, ProxyMotion, Snapshot, Solver, StepInput, StepReport,
};
use coact_vbd::{SolverVbd, VbdConfig};

use super::scenes::{BOX, H, Run, box_on_cloth, config, hanging_cloth};

/// The cloth owns itself; the box stands in it as a proxy.
fn proxy_view(model: &Model) -> ModelView {
    let particles = (0..model.particle_count()).map(ParticleId::new).collect();
    ModelView::new(model, Ownership { particles, proxy_bodies: vec![BOX], ..Ownership::default() })
}

#[test]
fn a_step_is_one_submit_and_moves_interface_bytes() {
    let Some(ctx) = own_gpu_for_tests() else { return };
    let model = box_on_cloth();
    let whole = (model.particle_count() * 2 * 12) as u64;
    for (report_residual, view) in [(true, proxy_view(&model)), (false, proxy_view(&model))] {
        let config = VbdConfig { report_residual, ..config() };
        let mut run = Run::new(&view, config, Some(&ctx));
        run.step(2);
        let before = ctx.traffic();
        run.step(5);
        let moved = ctx.traffic() - before;
        println!("report {report_residual}: {moved:?}, per step {} bytes", run.report.bytes_moved);
        assert_eq!(moved.submits, 5);
        assert_eq!(moved.growths, 0);
        assert_eq!((moved.upload_bytes + moved.download_bytes) % 5, 0);
        assert_eq!((moved.upload_bytes + moved.download_bytes) / 5, run.report.bytes_moved);
        assert!(run.report.bytes_moved < 400 && run.report.bytes_moved < whole / 10);
        let words = if report_residual { 32 + 16 + 8 } else { 4 };
        assert_eq!(
            moved.download_bytes,
            5 * (32 + words),
            "one body, what is not finite, and the report if asked for"
        );
    }
}

#[test]
fn one_word_is_read_back_from_a_cloth_alone() {
    let Some(ctx) = own_gpu_for_tests() else { return };
    let config = VbdConfig { report_residual: false, ..config() };
    let mut run = Run::new(&ModelView::whole(&hanging_cloth()), config, Some(&ctx));
    run.step(1);
    let before = ctx.traffic();
    run.step(10);
    let moved = ctx.traffic() - before;
    assert_eq!((moved.download_bytes, moved.upload_bytes, moved.submits), (40, 0, 10));
}

fn bits(state: &State) -> Vec<u64> {
    let particles = state.particle_q.iter().chain(&state.particle_qd).flat_map(|v| [v.x, v.y, v.z]);
    let bodies = state.body_q.iter().flat_map(|q| q.to_array());
    particles.chain(bodies).map(f64::to_bits).collect()
}

#[test]
fn rewind_is_exact_to_the_bit() {
    let Some(ctx) = gpu_for_tests() else { return };
    let mut run = Run::new(&ModelView::whole(&box_on_cloth()), config(), Some(&ctx));
    run.step(8);
    let mut saved = Snapshot::new();
    run.solver.save_into(&mut saved);
    run.step(5);
    let first = bits(run.state());
    run.solver.restore(&saved);
    run.step(5);
    assert_eq!(first, bits(run.state()));
    run.solver.restore(&saved);
    assert_ne!(first, bits(run.state()), "the scene stands still");
}

#[test]
fn runs_are_the_same_to_the_bit() {
    let Some(ctx) = gpu_for_tests() else { return };
    let once = || {
        let mut run = Run::new(&ModelView::whole(&box_on_cloth()), config(), Some(&ctx));
        run.step(20);
        bits(run.state())
    };
    assert_eq!(once(), once());
}

/// A free body falls and turns; a particle is held, so that the cloth pulls at it.
fn motion(run: &mut Run, e: Endpoint) -> ProxyMotion {
    let mut begin = [EndpointState::default()];
    run.solver.read_interface(&[e], &mut begin);
    let mut free = begin[0];
    match e {
        Endpoint::Particle(_) => free.velocity = Spatial::zeros(),
        Endpoint::Body(_) => {
            free.velocity.lin += Vec3::new(0.0, 0.0, -9.81) * H;
            free.pose.p += free.velocity.lin * H;
            free.pose.q = coact_math::exp_so3(&(free.velocity.ang * H)) * free.pose.q;
        }
    }
    ProxyMotion { begin: begin[0], free }
}

/// Steps with proxies that a coupler drives; the harvest of each step.
fn harvests(run: &mut Run, set: &[Endpoint], steps: usize) -> Vec<Spatial> {
    let mut all = Vec::new();
    for _ in 0..steps {
        let motions: Vec<_> = set.iter().map(|&e| motion(run, e)).collect();
        run.solver.begin_proxies(set, &motions, H);
        run.step(1);
        let mut out = vec![Spatial::zeros(); set.len()];
        run.solver.harvest_proxies(set, &motions, Harvest::Impulse, H, &mut out);
        all.extend(out);
    }
    all
}

/// Largest difference of two harvests over the largest wrench of the host's.
fn harvest_error(model: &Model, view: &ModelView, set: &[Endpoint], steps: usize) -> Option<(f64, f64)> {
    let ctx = gpu_for_tests()?;
    let host = harvests(&mut Run::new(view, config(), None), set, steps);
    let device = harvests(&mut Run::new(view, config(), Some(&ctx)), set, steps);
    let size = host.iter().map(|w| w.dot(w).sqrt()).fold(0.0, f64::max);
    let error = host.iter().zip(&device).map(|(a, b)| (*a - *b).dot(&(*a - *b)).sqrt()).fold(0.0, f64::max);
    println!("harvest: size {size:.3e} N, apart {error:.3e} N, of {} particles", model.particle_count());
    Some((error, size))
}

#[test]
fn the_harvest_of_a_body_is_that_of_the_host() {
    let model = box_on_cloth();
    let view = proxy_view(&model);
    let Some((error, size)) = harvest_error(&model, &view, &[Endpoint::Body(BOX)], 10) else { return };
    assert!(size > 1.0, "the box was not touched: {size}");
    assert!(error < 2e-3 * size, "{error} of {size}");
}

#[test]
fn the_harvest_of_particles_is_that_of_the_host() {
    let model = hanging_cloth();
    let border: Vec<_> = (5..12).map(ParticleId::new).collect();
    let others = (0..model.particle_count()).map(ParticleId::new).filter(|p| !border.contains(p)).collect();
    let set: Vec<_> = border.iter().map(|&p| Endpoint::Particle(p)).collect();
    let ownership = Ownership { particles: others, proxy_particles: border, ..Ownership::default() };
    let view = ModelView::new(&model, ownership);
    let Some((error, size)) = harvest_error(&model, &view, &set, 10) else { return };
    assert!(size > 1e-3, "nothing pulls: {size}");
    assert!(error < 2e-3 * size, "{error} of {size}");
}

#[test]
fn endpoints_are_read_back_alone() {
    let Some(ctx) = own_gpu_for_tests() else { return };
    let model = hanging_cloth();
    let quiet = VbdConfig { report_residual: false, ..config() };
    let mut run = Run::new(&ModelView::whole(&model), quiet, Some(&ctx));
    run.step(3);
    let set: Vec<_> = (40..50).map(|p| Endpoint::Particle(ParticleId(p))).collect();
    let mut out = vec![EndpointState::default(); set.len()];
    let before = ctx.traffic();
    run.solver.read_interface(&set, &mut out);
    assert_eq!((ctx.traffic() - before).download_bytes, 480);
    let state = run.state().clone();
    for (e, s) in set.iter().zip(&out) {
        let Endpoint::Particle(p) = *e else { unreachable!() };
        assert_eq!((s.pose.p, s.velocity.lin), (state.particle_q[p.index()], state.particle_qd[p.index()]));
    }
}

#[test]
fn what_the_device_does_not_do_is_refused_by_name() {
    let Some(ctx) = gpu_for_tests() else { return };
    let model = box_on_cloth();
    let mut solver = SolverVbd::with_device(&ModelView::whole(&model), config(), Some(ctx.clone())).unwrap();
    let (control, forces, contacts) = (model.control(), Forces::default(), Contacts::default());
    let input = StepInput { control: &control, forces: &forces, contacts: Some(&contacts) };
    let refused = solver.step(&input, H, &mut StepReport::default()).unwrap_err().to_string();
    assert!(refused.contains("use the CPU"), "{refused}");
    assert!(!solver.capabilities().contact_harvest);
    assert!(solver.capabilities().body_proxy && BodyId(0) == BOX);
}

#[test]
fn forces_and_edits_reach_the_device() {
    let Some(ctx) = gpu_for_tests() else { return };
    let model = hanging_cloth();
    let mut view = ModelView::whole(&model);
    let mut ends = Vec::new();
    for device in [None, Some(&ctx)] {
        let mut solver = SolverVbd::with_device(&view, config(), device.cloned()).unwrap();
        let control = model.control();
        let mut forces = Forces::zeros(model.particle_count(), 0);
        forces.particle_f[700] = Vec3::new(0.1, -0.2, 0.5);
        let input = StepInput { control: &control, forces: &forces, contacts: None };
        let (mut report, mut state) = (StepReport::default(), model.state());
        solver.step(&input, H, &mut report).unwrap();
        let flags = view.scale_particle_mass(ParticleId(700), 0.5);
        solver.notify_model_changed(&view, flags);
        for _ in 0..4 {
            solver.step(&input, H, &mut report).unwrap();
        }
        solver.store(coact_model::StateFields::all(), &mut state);
        ends.push(state.particle_q[700]);
        view = ModelView::whole(&model);
    }
    let moved = (ends[0] - model.particle_q[700]).norm();
    println!("forced particle moved {moved:.2e} m, apart {:.2e} m", (ends[0] - ends[1]).norm());
    assert!(moved > 1e-3 && (ends[0] - ends[1]).norm() < 1e-5);
}
