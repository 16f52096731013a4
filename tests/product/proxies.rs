//! Bodies as proxies with the real solvers: rigid against rigid, rings, couplers within
//! couplers, contacts that the coupler finds.

use coact_articulated::{ArticulatedConfig, SolverArticulated};
use coact_collide::{Contacts, Mobility, ParticleQuery, ParticleShapeDetector};
use coact_coupled::{Convergence, EntryDef, Proxy, ProxyConfig, SolverCoupledProxy};
use coact_math::{Pose, Spatial, Vec3};
use coact_model::{
    BodyDef, BodyId, Geometry, Material, Model, ModelBuilder, ModelView, ParticleId, ShapeDef, StateFields,
};
use coact_solver::StepInput;
use coact_vbd::{SolverVbd, VbdConfig};
use coact_verify::validate::{Bench, coupling};

const DT: f64 = 1.0 / 240.0;

fn articulated(name: &str) -> EntryDef {
    EntryDef::new(name, |view| SolverArticulated::new(view, ArticulatedConfig::default()))
}

fn vbd(name: &str) -> EntryDef {
    EntryDef::new(name, |view| SolverVbd::new(view, VbdConfig::default()))
}

fn proxies(proxies: Vec<Proxy>) -> ProxyConfig {
    ProxyConfig { proxies, ..ProxyConfig::default() }
}

fn momentum(bench: &Bench) -> Vec3 {
    bench.state.body_qd.iter().zip(bench.model.body_mass.iter()).map(|(v, m)| v.lin * *m).sum()
}

/// Boxes of 0.2 m in a row along x, 0.05 m apart, the first one at 1 m/s, no gravity.
fn row_of_boxes(masses: &[f64]) -> Model {
    let mut b = ModelBuilder::new();
    b.gravity = Vec3::zeros();
    let material = b.add_material("wood", Material { mu: 0.5, ..Material::default() });
    for (i, mass) in masses.iter().enumerate() {
        let velocity = if i == 0 { Vec3::x() } else { Vec3::zeros() };
        let body = b.add_body(BodyDef {
            name: format!("box{i}"),
            pose: Pose::translation(Vec3::new(0.25 * i as f64, 0.0, 0.0)),
            velocity: Spatial::new(velocity, Vec3::zeros()),
            ..Default::default()
        });
        b.add_shape(ShapeDef {
            body: Some(body),
            geometry: Geometry::Box { half_extents: Vec3::repeat(0.1) },
            density: mass / 0.008,
            material,
            ..Default::default()
        });
    }
    b.finalize().expect("scene is valid")
}

/// A box of one solver runs into that of another, either way round: momentum stays, nothing
/// bounces, nothing passes through.
#[test]
fn rigid_bodies_of_two_solvers_meet() {
    let entries: [fn(&str) -> EntryDef; 2] = [vbd, articulated];
    for (source, destination) in [(0, 1), (1, 0), (1, 1), (0, 0)] {
        for mass in [0.01, 2.0, 300.0] {
            let model = row_of_boxes(&[1.0, mass]);
            let defs = vec![
                entries[source]("first").bodies([BodyId(0)]),
                entries[destination]("second").bodies([BodyId(1)]),
            ];
            let config = proxies(vec![Proxy::new("first", "second").bodies([BodyId(0)])]);
            let solver = SolverCoupledProxy::new(&model, defs, config).expect("valid");
            let mut bench = Bench::new(model, Box::new(solver));
            bench.run(120, DT).expect("runs");
            let both = 1.0 / (1.0 + mass);
            let v = [0, 1].map(|i| bench.state.body_qd[i].lin.x);
            let gap = bench.state.body_q[1].p.x - bench.state.body_q[0].p.x - 0.2;
            println!("{source} {destination} {mass}: {v:?} {both} gap {gap:e}");
            assert!((momentum(&bench) - Vec3::x()).norm() < 1e-9, "{mass}");
            assert!(v.iter().all(|v| (v - both).abs() < 1e-3), "{mass}: {v:?}, {both}");
            assert!(gap > -1e-4, "{gap}");
        }
    }
}

/// Three entries, each of which hands its body to the next: the first box pushes the second
/// into the third.
#[test]
fn three_solvers_in_a_ring() {
    let model = row_of_boxes(&[1.0, 0.5, 2.0]);
    let names = ["a", "b", "c"];
    let entries: [fn(&str) -> EntryDef; 3] = [vbd, articulated, vbd];
    let def = |i: usize| entries[i](names[i]).bodies([BodyId::new(i)]);
    let hand = |i: usize| Proxy::new(names[i], names[(i + 1) % 3]).bodies([BodyId::new(i)]);
    let config = proxies((0..3).map(hand).collect());
    let solver = SolverCoupledProxy::new(&model, (0..3).map(def).collect(), config).expect("valid");
    let mut bench = Bench::new(model, Box::new(solver));
    let (mut most, mut unfinished) = (0, 0);
    for _ in 0..240 {
        bench.step(DT).expect("runs");
        most = most.max(bench.report.iterations);
        unfinished += usize::from(!bench.report.interfaces.iter().all(|i| i.converged));
    }
    let v = [0, 1, 2].map(|i| bench.state.body_qd[i].lin.x);
    let defect = (momentum(&bench) - Vec3::x()).norm();
    println!("{v:?}, passes at most {most}, {unfinished} steps unfinished, defect {defect:e}");
    assert!(defect < 1e-9, "{defect}");
    assert!(v.iter().all(|v| (v - 1.0 / 3.5).abs() < 1e-2), "{v:?}");
}

/// The box on the cloth, the coupler of both being an entry of another one beside which a
/// third solver has nothing to do with it.
#[test]
fn a_coupler_inside_a_coupler_is_the_coupler() {
    let model = coupling::box_on_cloth(1.0).expect("valid");
    let particles: Vec<_> = (0..model.particle_count()).map(ParticleId::new).collect();
    let config = || proxies(vec![Proxy::new("rigid", "soft").bodies([BodyId(0)])]);
    let inside = particles.clone();
    let inner = EntryDef::new("inner", move |view: &ModelView| {
        let defs = vec![articulated("rigid").bodies([BodyId(0)]), vbd("soft").particles(inside)];
        Ok(SolverCoupledProxy::new(view, defs, config())?)
    });
    let outer = vec![inner.bodies([BodyId(0)]).particles(particles.clone())];
    let outer = SolverCoupledProxy::new(&model, outer, ProxyConfig::default()).expect("valid");
    let defs = vec![articulated("rigid").bodies([BodyId(0)]), vbd("soft").particles(particles)];
    let plain = SolverCoupledProxy::new(&model, defs, config()).expect("valid");
    let mut nested = Bench::new(model.clone(), Box::new(outer));
    let mut plain = Bench::new(model, Box::new(plain));
    let mut force = 0.0_f64;
    for _ in 0..60 {
        nested.step(1.0 / 120.0).expect("runs");
        plain.step(1.0 / 120.0).expect("runs");
        assert_eq!(nested.state, plain.state);
        assert_eq!(nested.report.entries[0].report.interfaces, plain.report.interfaces);
        force = force.max(plain.report.interfaces[0].force);
    }
    assert!(force > 1.0, "the box meets the cloth: {force}");
}

/// The same drop with contacts that the coupler finds: every step as the destination does by
/// itself, every fourth step about as well.
#[test]
fn the_coupler_finds_the_contacts() {
    let model = coupling::box_on_cloth(1.0).expect("valid");
    let drop = |interval: Option<usize>| {
        let soft = vbd("soft").particles((0..model.particle_count()).map(ParticleId::new));
        let mut proxy = Proxy::new("rigid", "soft").bodies([BodyId(0)]);
        proxy.collide_interval = interval;
        let defs = vec![articulated("rigid").bodies([BodyId(0)]), soft];
        let solver = SolverCoupledProxy::new(&model, defs, proxies(vec![proxy])).expect("valid");
        let mut bench = Bench::new(model.clone(), Box::new(solver));
        (0..70).map(|_| bench.step(1.0 / 120.0).expect("runs").body_q[0].p.z).collect::<Vec<_>>()
    };
    let own = drop(None);
    let apart = |other: &[f64]| own.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let lowest = own.iter().copied().fold(f64::MAX, f64::min);
    for interval in [1, 4] {
        let d = apart(&drop(Some(interval)));
        println!("every {interval}: {d:e} m");
        assert!(d < 5e-3 && lowest < 1.1, "{interval}: {d}");
    }
}

/// An iterated coupling rewinds the coupler's own contacts too.
#[test]
fn contacts_of_the_coupler_are_rewound() {
    let model = coupling::box_on_cloth(1.0).expect("valid");
    let soft = vbd("soft").particles((0..model.particle_count()).map(ParticleId::new));
    let proxy = Proxy::new("rigid", "soft").bodies([BodyId(0)]).collide_interval(3);
    let convergence = Some(Convergence::FixedCount(2));
    let config = ProxyConfig { proxies: vec![proxy], convergence, ..ProxyConfig::default() };
    let defs = vec![articulated("rigid").bodies([BodyId(0)]), soft];
    let solver = SolverCoupledProxy::new(&model, defs, config).expect("valid");
    let mut bench = Bench::new(model, Box::new(solver));
    bench.run(40, 1.0 / 120.0).expect("runs");
    let mut snapshot = coact_solver::Snapshot::new();
    bench.solver.save_into(&mut snapshot);
    let first = bench.run(8, 1.0 / 120.0).expect("runs").clone();
    bench.solver.restore(&snapshot);
    assert_eq!(&first, bench.run(8, 1.0 / 120.0).expect("runs"));
}

/// Where nothing touches, a coupled step is one step of each solver: what it costs more is
/// moving the interface and saving the source.
#[test]
fn a_step_without_contact_is_one_step_of_each() {
    let model = coupling::box_on_cloth(1.0).expect("valid");
    let soft = vbd("soft").particles((0..model.particle_count()).map(ParticleId::new));
    let defs = vec![articulated("rigid").bodies([BodyId(0)]), soft];
    let config = proxies(vec![Proxy::new("rigid", "soft").bodies([BodyId(0)])]);
    let solver = SolverCoupledProxy::new(&model, defs, config).expect("valid");
    let mut bench = Bench::new(model, Box::new(solver));
    let solves = |bench: &Bench| bench.report.entries.iter().map(|e| e.solves).collect::<Vec<_>>();
    for _ in 0..15 {
        bench.step(1.0 / 120.0).expect("runs");
        assert_eq!(solves(&bench), [1, 1], "the box is in the air");
    }
    bench.run(30, 1.0 / 120.0).expect("runs");
    assert_eq!(solves(&bench), [2, 1], "the box lies on the cloth");
}

/// A caller detects for the whole model; each solver gets what belongs to it.
#[test]
fn contacts_of_the_caller_reach_whom_they_belong_to() {
    let model = coupling::box_on_cloth(1.0).expect("valid");
    let view = ModelView::whole(&model);
    let mut detector = ParticleShapeDetector::new(&view, None).expect("shapes are known");
    let build = || {
        let soft = vbd("soft").particles((0..model.particle_count()).map(ParticleId::new));
        let defs = vec![articulated("rigid").bodies([BodyId(0)]), soft];
        let config = proxies(vec![Proxy::new("rigid", "soft").bodies([BodyId(0)])]);
        let solver = SolverCoupledProxy::new(&model, defs, config).expect("valid");
        Bench::new(model.clone(), Box::new(solver))
    };
    let (mut own, mut given) = (build(), build());
    let (mut contacts, mut most, dt) = (Contacts::default(), 0.0_f64, 1.0 / 120.0);
    for _ in 0..50 {
        own.step(dt).expect("runs");
        contacts.clear();
        let (pose, speed) = (given.state.body_q[0], given.state.body_qd[0].lin.norm());
        detector.place(|_| pose, |_, _| speed * dt);
        for (i, x) in given.state.particle_q.iter().enumerate() {
            let motion = given.state.particle_qd[i].norm() * dt;
            let (particle, radius) = (ParticleId::new(i), model.particle_radius[i]);
            let mobility =
                if model.particle_inv_mass[i] > 0.0 { Mobility::Dynamic } else { Mobility::Prescribed };
            let query = ParticleQuery { particle, x: *x, radius, motion, mobility };
            detector.detect_particle(&query, &mut contacts.particle_shape);
        }
        let input = StepInput { control: &given.control, forces: &given.forces, contacts: Some(&contacts) };
        given.report.clear();
        given.solver.step(&input, dt, &mut given.report).expect("runs");
        given.solver.store(StateFields::all(), &mut given.state);
        let entries = &given.report.entries;
        assert_eq!(entries[0].report.contacts.shapes, 0, "none of them is between shapes");
        assert_eq!(entries[1].report.contacts.particle_shape, contacts.particle_shape.len());
        most = most.max((own.body_z(0) - given.body_z(0)).abs());
    }
    assert!(most < 5e-3 && !contacts.particle_shape.is_empty(), "{most}");
}
