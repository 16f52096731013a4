//! Promises of the proxy coupler with the real solvers.

use coact_articulated::{ArticulatedConfig, SolverArticulated};
use coact_coupled::{
    Convergence, EntryDef, Proxy, ProxyConfig, ProxyMode, SolverCoupled, SolverCoupledProxy,
};
use coact_math::{Mat3, Pose, Spatial, Vec3};
use coact_model::mesh::{Diagonal, cloth_grid};
use coact_model::{
    BodyDef, BodyId, BodyMass, ClothDef, Geometry, JointAxis, JointDef, JointId, JointKind, Model,
    ModelBuilder, ModelView, Ownership, ParticleId, ShapeDef, State,
};
use coact_vbd::{Precision, SolverVbd, VbdConfig};
use coact_verify::validate::{Bench, coupling};

/// The ball does not feel the curtain: it moves to the bit as in its solver alone. The curtain feels it.
#[test]
fn followed_bodies_move_as_alone() {
    let path =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes/coupling/ball_through_curtain.ron");
    let scene = coact_scene::load(&path, &[]).unwrap_or_else(|e| panic!("{e:?}"));
    let mut sim = scene.build(coact_compute::DeviceChoice::Cpu).unwrap_or_else(|e| panic!("{e:?}"));
    let whole = Ownership::everything(&sim.model);
    let alone = ModelView::new(&sim.model, Ownership { particles: Vec::new(), ..whole });
    let alone = SolverArticulated::new(&alone, ArticulatedConfig::default()).unwrap();
    let mut alone = Bench::new(sim.model.clone(), Box::new(alone));
    let mut report = coact_solver::StepReport::default();
    let mut farthest = 0.0_f64;
    for _ in 0..200 {
        sim.step(&mut report).unwrap();
        sim.store(coact_model::StateFields::all());
        alone.step(sim.plan.dt).unwrap();
        assert_eq!(sim.state.body_q, alone.state.body_q);
        farthest = sim.state.particle_q.iter().map(|x| x.x).fold(farthest, f64::max);
    }
    assert!(farthest > 0.2, "the curtain is pushed aside: {farthest}");
}

/// A follower sees a body of even speed come a part of the way in each of its substeps, as in short steps.
#[test]
fn a_follower_with_substeps_sees_the_parts_of_the_way() {
    let after = |dt: f64, substeps: usize| {
        let model = box_and_free_cloth(1.115, Vec3::new(0.2, 0.0, -1.0), Vec3::zeros());
        let (bodies, particles) = ([BodyId(0)], (0..model.particle_count()).map(ParticleId::new));
        let rigid = EntryDef::new("rigid", |view| SolverArticulated::new(view, ArticulatedConfig::default()));
        // which bits f32 rounds is no question of the way
        let precision = Precision::Double;
        let config =
            VbdConfig { integrate_with_external_rigid_solver: true, precision, ..VbdConfig::default() };
        let soft = EntryDef::new("soft", |view| SolverVbd::new(view, config));
        let soft = soft.particles(particles).follows_bodies(true).substeps(substeps);
        let coupled = SolverCoupled::new(&model, vec![soft, rigid.bodies(bodies)]).unwrap();
        let mut bench = Bench::new(model, Box::new(coupled));
        bench.run((0.1 / dt).round() as usize, dt).unwrap().clone()
    };
    let (parts, steps) = (after(1.0 / 60.0, 4), after(1.0 / 240.0, 1));
    let apart = parts.particle_q.iter().zip(&steps.particle_q).map(|(a, b)| (a - b).norm());
    let apart = apart.fold(0.0, f64::max);
    assert!(apart < 1e-9, "{apart:e}");
    let pushed = steps.particle_q.iter().map(|x| 1.0 - x.z).fold(0.0, f64::max);
    assert!(pushed > 0.05, "{pushed}: the box moves the cloth");
}

/// A box at height `z` above a free cloth at z = 1, no gravity unless asked for.
pub fn box_and_free_cloth(z: f64, velocity: Vec3, gravity: Vec3) -> Model {
    let mut b = ModelBuilder::new();
    b.gravity = gravity;
    let body = b.add_body(BodyDef {
        name: "box".into(),
        pose: Pose::translation(Vec3::new(0.01, 0.02, z)),
        velocity: Spatial::new(velocity, Vec3::zeros()),
        ..Default::default()
    });
    b.add_shape(ShapeDef {
        name: "box".into(),
        body: Some(body),
        geometry: Geometry::Box { half_extents: Vec3::repeat(0.1) },
        density: 62.5,
        ..Default::default()
    });
    let def = ClothDef {
        pose: Pose::translation(Vec3::new(-0.25, -0.25, 1.0)),
        density: 0.3,
        radius: 0.01,
        ..Default::default()
    };
    b.add_cloth("cloth", &cloth_grid([8, 8], [0.5, 0.5], Diagonal::Alternating), &def);
    b.finalize().expect("scene is valid")
}

pub fn coupled(model: &Model, vbd: VbdConfig, mode: ProxyMode, passes: usize) -> SolverCoupledProxy {
    let rigid = EntryDef::new("rigid", |view| SolverArticulated::new(view, ArticulatedConfig::default()))
        .bodies([BodyId(0)]);
    let soft = EntryDef::new("soft", |view| SolverVbd::new(view, vbd))
        .particles((0..model.particle_count()).map(ParticleId::new));
    let proxy = Proxy::new("rigid", "soft").bodies([BodyId(0)]).mode(mode);
    let convergence = Some(Convergence::FixedCount(passes));
    let config = ProxyConfig { proxies: vec![proxy], convergence, ..ProxyConfig::default() };
    SolverCoupledProxy::new(model, vec![rigid, soft], config).expect("coupler is valid")
}

fn momentum(model: &Model, s: &State) -> Vec3 {
    let particles: Vec3 = s.particle_qd.iter().zip(model.particle_mass.iter()).map(|(v, m)| v * *m).sum();
    let bodies: Vec3 = s.body_qd.iter().zip(model.body_mass.iter()).map(|(v, m)| v.lin * *m).sum();
    particles + bodies
}

/// Entries of `box_and_free_cloth` in `substeps`, coupled, against each of them alone.
fn assert_zero_coupling(mode: ProxyMode, substeps: [u32; 2]) {
    let (gravity, dt, steps) = (Vec3::new(0.0, 0.0, -9.81), 1.0 / 120.0, 30);
    let mut model = box_and_free_cloth(4.0, Vec3::new(0.3, 0.1, 0.2), gravity);
    model.body_qd.make_mut()[0].ang = Vec3::new(3.0, -7.0, 5.0);
    let particles: Vec<_> = (0..model.particle_count()).map(ParticleId::new).collect();
    let rigid = EntryDef::new("rigid", |view| SolverArticulated::new(view, ArticulatedConfig::default()))
        .bodies([BodyId(0)])
        .substeps(substeps[0] as usize);
    let soft = EntryDef::new("soft", |view| SolverVbd::new(view, VbdConfig::default()))
        .particles(particles.clone())
        .substeps(substeps[1] as usize);
    let proxies = vec![Proxy::new("rigid", "soft").bodies([BodyId(0)]).mode(mode)];
    let convergence = Some(Convergence::FixedCount(2));
    let config = ProxyConfig { proxies, convergence, ..ProxyConfig::default() };
    let two = SolverCoupledProxy::new(&model, vec![rigid, soft], config).expect("valid");
    let mut two = Bench::new(model.clone(), Box::new(two));
    two.run(steps, dt).expect("runs");

    let rigid_view = ModelView::new(&model, Ownership { bodies: vec![BodyId(0)], ..Ownership::default() });
    let soft_view = ModelView::new(&model, Ownership { particles, ..Ownership::default() });
    let rigid = SolverArticulated::new(&rigid_view, ArticulatedConfig::default()).expect("valid");
    let soft = SolverVbd::new(&soft_view, VbdConfig::default()).expect("valid");
    let mut rigid = Bench::new(model.clone(), Box::new(rigid));
    let mut soft = Bench::new(model.clone(), Box::new(soft));
    rigid.run(steps * substeps[0] as usize, dt / f64::from(substeps[0])).expect("runs");
    soft.run(steps * substeps[1] as usize, dt / f64::from(substeps[1])).expect("runs");

    assert!(two.state.body_q[0].p.z < 3.95, "the box falls");
    let interface = &two.report.interfaces[0];
    assert!(interface.impulse_destination == [0.0; 3] && interface.work_destination == 0.0, "{interface:?}");
    assert_eq!(two.state.body_q, rigid.state.body_q, "{mode:?} {substeps:?}");
    assert_eq!(two.state.body_qd, rigid.state.body_qd, "{mode:?} {substeps:?}");
    assert_eq!(two.state.particle_q, soft.state.particle_q, "{mode:?} {substeps:?}");
    assert_eq!(two.state.particle_qd, soft.state.particle_qd, "{mode:?} {substeps:?}");
}

#[test]
fn zero_coupling_equals_uncoupled_bit_for_bit() {
    for mode in [ProxyMode::Predicted, ProxyMode::Lagged, ProxyMode::Staggered] {
        for substeps in [[1, 1], [2, 3], [4, 1]] {
            assert_zero_coupling(mode, substeps);
        }
    }
}

#[test]
fn an_isolated_scene_keeps_its_momentum_at_any_number_of_sweeps() {
    let model = box_and_free_cloth(1.115, Vec3::new(0.2, 0.0, -1.0), Vec3::zeros());
    let defect = |iterations: usize| {
        let vbd = VbdConfig { iterations, precision: Precision::Double, ..VbdConfig::default() };
        let mut bench = Bench::new(model.clone(), Box::new(coupled(&model, vbd, ProxyMode::Predicted, 1)));
        let before = momentum(&model, &bench.state);
        bench.run(8, 1.0 / 240.0).expect("runs");
        let slowed = bench.state.body_qd[0].lin.z + 1.0;
        assert!(slowed > 1e-3, "the box met the cloth: {slowed}");
        (momentum(&model, &bench.state) - before).norm()
    };
    let defects = [1, 3, 10, 100, 3000].map(defect);
    assert!(defects.iter().all(|&d| d < 1e-10), "{defects:?}");
}

/// Linear momentum over ten seconds, in which the box lands on the free cloth and carries it along.
#[test]
fn an_isolated_scene_keeps_its_momentum_for_ten_seconds() {
    let model = box_and_free_cloth(1.115, Vec3::new(0.2, 0.0, -1.0), Vec3::zeros());
    let vbd = VbdConfig { precision: Precision::Double, ..VbdConfig::default() };
    let mut bench = Bench::new(model.clone(), Box::new(coupled(&model, vbd, ProxyMode::Predicted, 1)));
    let before = momentum(&model, &bench.state);
    let mut most = 0.0_f64;
    for _ in 0..1200 {
        let now = bench.step(1.0 / 120.0).expect("runs");
        most = most.max((momentum(&model, now) - before).norm());
    }
    let given = (bench.state.body_qd[0].lin.z + 1.0) * model.body_mass[0];
    println!("defect {most:e} of {} N s, of which {given} went over", before.norm());
    assert!(most < 1e-9 * before.norm() && given > 0.01, "{most} {given}");
}

#[test]
fn the_wrench_handed_over_is_the_wrench_applied() {
    let model = box_and_free_cloth(1.115, Vec3::new(0.0, 0.0, -1.0), Vec3::zeros());
    let solver = coupled(&model, VbdConfig::default(), ProxyMode::Predicted, 1);
    let mut bench = Bench::new(model, Box::new(solver));
    let mut exchanged = 0.0f64;
    for _ in 0..20 {
        bench.step(1.0 / 240.0).expect("runs");
        let i = &bench.report.interfaces[0];
        assert_eq!(i.impulse_source.map(f64::to_bits), i.impulse_destination.map(f64::to_bits));
        exchanged = exchanged.max(i.force);
    }
    assert!(exchanged > 0.1, "something was exchanged: {exchanged} N");
}

#[test]
fn a_users_force_acts_once() {
    let pull = Spatial::new(Vec3::new(2.0, 0.0, 0.0), Vec3::zeros());
    for passes in [1, 3] {
        let model = box_and_free_cloth(4.0, Vec3::zeros(), Vec3::zeros());
        let mass = model.body_mass[0];
        let solver = coupled(&model, VbdConfig::default(), ProxyMode::Predicted, passes);
        let mut bench = Bench::new(model, Box::new(solver));
        bench.forces.body_f[0] = pull;
        bench.run(12, 1.0 / 120.0).expect("runs");
        let exact = 0.1 * 2.0 / mass;
        assert!((bench.state.body_qd[0].lin.x - exact).abs() < 1e-12);
    }
}

/// What contact, friction and blocks do is continuous in where things are: a picometre does not
/// become a micrometre, which it did where rows started at the very surface of a shape.
#[test]
fn a_nudge_of_a_drop_stays_a_nudge() {
    let run = |precision: Precision, nudge: f64| {
        let mut model = coupling::box_on_cloth(1.0).expect("valid");
        model.body_q.make_mut()[0].p += Vec3::new(nudge, 0.7 * nudge, 0.0);
        let config = VbdConfig { precision, ..VbdConfig::default() };
        let solver = SolverVbd::new(&ModelView::whole(&model), config).expect("valid");
        let mut bench = Bench::new(model, Box::new(solver));
        (0..60).map(|_| bench.step(1.0 / 120.0).expect("runs").body_q[0].p).collect::<Vec<_>>()
    };
    // forces of stiff elements are rounded in f32: by micrometres of the soft modes of the sheet
    for (precision, bound) in [(Precision::Double, 1e-10), (Precision::Mixed, 1e-5)] {
        let (one, other) = (run(precision, 0.0), run(precision, 1e-12));
        let worst = one.iter().zip(&other).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        let lowest = one.iter().map(|p| p.z).fold(f64::MAX, f64::min);
        assert!(lowest < 1.11 && one[59].z > lowest + 5e-3, "the box met the cloth: {lowest}");
        assert!(worst < bound, "{precision:?}: {worst}");
    }
}

#[test]
fn rewind_is_exact() {
    let model = coupling::box_on_cloth(1.0).expect("valid");
    let mut bench =
        Bench::new(model.clone(), coupling::coupled(&model, ProxyMode::Predicted).expect("valid"));
    bench.run(25, 1.0 / 120.0).expect("runs");
    let mut snapshot = coact_solver::Snapshot::new();
    bench.solver.save_into(&mut snapshot);
    bench.run(15, 1.0 / 120.0).expect("runs");
    let first = bench.state.clone();
    bench.solver.restore(&snapshot);
    bench.run(15, 1.0 / 120.0).expect("runs");
    assert_eq!(first, bench.state);
}

#[test]
fn a_coupled_step_does_not_allocate_after_warm_up() {
    let model = coupling::box_on_cloth(1.0).expect("valid");
    let mut bench =
        Bench::new(model.clone(), coupling::coupled(&model, ProxyMode::Predicted).expect("valid"));
    bench.run(60, 1.0 / 120.0).expect("runs");
    let (count, _) =
        coact_testkit::count_allocations(|| bench.run(10, 1.0 / 120.0).expect("runs").body_q.len());
    assert_eq!(count, 0);
}

/// The box of the validation case at step `dt` with `substeps` of its source, 1.5 s: (highest
/// point after the lowest, mean height over the last quarter of a second).
fn drop_with_substeps(dt: f64, substeps: usize) -> [f64; 2] {
    let model = coupling::box_on_cloth(1.0).expect("valid");
    let rigid = EntryDef::new("rigid", |view| SolverArticulated::new(view, ArticulatedConfig::default()))
        .bodies([BodyId(0)])
        .substeps(substeps);
    let vbd = VbdConfig { iterations: 8, ..VbdConfig::default() };
    let soft = EntryDef::new("soft", |view| SolverVbd::new(view, vbd))
        .particles((0..model.particle_count()).map(ParticleId::new));
    let config = ProxyConfig {
        proxies: vec![Proxy::new("rigid", "soft").bodies([BodyId(0)])],
        ..ProxyConfig::default()
    };
    let solver = SolverCoupledProxy::new(&model, vec![rigid, soft], config).expect("valid");
    let mut bench = Bench::new(model, Box::new(solver));
    let count = (1.5 / dt).round() as usize;
    let z: Vec<f64> = (0..count).map(|_| bench.step(dt).expect("runs").body_q[0].p.z).collect();
    let lowest = (0..z.len()).fold(0, |a, i| if z[i] < z[a] { i } else { a });
    let rebound = z[lowest..].iter().copied().fold(f64::MIN, f64::max);
    let quarter = &z[count - count / 6..];
    [rebound, quarter.iter().sum::<f64>() / quarter.len() as f64]
}

/// A source in n parts loses less by its own steps, so the rebound grows (solved to the end, from
/// 1.107 m to 1.125 m in four parts), but no higher than where all takes steps of dt/n.
#[test]
fn substeps_of_the_source_leave_the_rest_where_it_is_and_the_rebound_below_that_of_finer_steps() {
    let dt = 1.0 / 120.0;
    let one = drop_with_substeps(dt, 1);
    for n in [2, 4, 8] {
        let (parts, fine) = (drop_with_substeps(dt, n), drop_with_substeps(dt / n as f64, 1));
        println!("{n}: {parts:?} of {one:?}, finer {fine:?}");
        assert!((parts[1] - one[1]).abs() < 5e-3, "{n}: {parts:?} {one:?}");
        assert!(parts[0] > one[0] - 5e-3 && parts[0] < fine[0] + 5e-3, "{n}: {parts:?} {one:?} {fine:?}");
    }
}

/// Two hinged links over a cloth: their articulated mass, and so the proxies', changes in
/// every step, which edits the destination's view each time.
fn hinged_links_on_cloth() -> Bench {
    let mut b = ModelBuilder::new();
    let inertia = Mat3::from_diagonal(&Vec3::new(0.002, 0.006, 0.006));
    let mut tip = None;
    for i in 0..2 {
        let mass = BodyMass::Given { mass: 1.0, com: Vec3::zeros(), inertia };
        let body = b.add_body(BodyDef { name: format!("link{i}"), mass, ..Default::default() });
        let geometry = Geometry::Box { half_extents: Vec3::new(0.1, 0.05, 0.03) };
        b.add_shape(ShapeDef { body: Some(body), geometry, density: 0.0, ..Default::default() });
        let at = |x: f64, z: f64| Pose::translation(Vec3::new(x, 0.0, z));
        b.add_joint(JointDef {
            x_p: if i == 0 { at(-0.25, 1.1) } else { at(0.12, 0.0) },
            x_c: at(-0.12, 0.0),
            axes: vec![JointAxis { axis: Vec3::y(), ..JointAxis::default() }],
            ..JointDef::new(JointKind::Revolute, tip, body)
        });
        tip = Some(body);
    }
    b.pose_from_joints();
    let pose = Pose::translation(Vec3::new(-0.25, -0.25, 1.0));
    let def = ClothDef { pose, density: 0.3, mu: 1e3, lambda: 1e3, radius: 0.01, ..Default::default() };
    let group = b.add_cloth("cloth", &cloth_grid([8, 8], [0.5, 0.5], Diagonal::Alternating), &def);
    let particles: Vec<_> = b.group_particles(group).collect();
    for corner in [0, 8, 72, 80] {
        b.pin_particle(particles[corner]);
    }
    let model = b.finalize().expect("scene is valid");

    let bodies = [BodyId(0), BodyId(1)];
    let rigid = EntryDef::new("rigid", |view| SolverArticulated::new(view, ArticulatedConfig::default()))
        .bodies(bodies)
        .joints([JointId(0), JointId(1)]);
    let soft = EntryDef::new("soft", |view| SolverVbd::new(view, VbdConfig::default()))
        .particles((0..model.particle_count()).map(ParticleId::new));
    let proxies = vec![Proxy::new("rigid", "soft").bodies(bodies)];
    let config = ProxyConfig { proxies, ..ProxyConfig::default() };
    let solver = SolverCoupledProxy::new(&model, vec![rigid, soft], config).expect("valid");
    Bench::new(model, Box::new(solver))
}

#[test]
fn a_source_whose_mass_changes_does_not_make_the_step_allocate() {
    let mut bench = hinged_links_on_cloth();
    bench.run(60, 1.0 / 240.0).expect("runs");
    let (mut force, mut quiet) = (0.0_f64, 0);
    for _ in 0..20 {
        let (count, _) =
            coact_testkit::count_allocations(|| bench.step(1.0 / 240.0).expect("runs").body_q.len());
        let growth =
            bench.report.growth + bench.report.entries.iter().map(|e| e.report.growth).sum::<usize>();
        assert!(count == 0 || growth > 0, "{count} allocations");
        quiet += usize::from(growth == 0);
        force = force.max(bench.report.interfaces[0].force);
    }
    assert!(force > 1.0 && quiet > 10, "the link lies on the cloth: {force} N, {quiet} quiet steps");
}
