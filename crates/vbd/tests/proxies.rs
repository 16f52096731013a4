//! What the hooks promise: equal and opposite, harvest = impulse, free motion, caller contacts.

mod support;

use coact_collide::{Contacts, ParticleShapeContact};
use coact_math::{Pose, Spatial, Vec3};
use coact_model::{
    BodyId, Geometry, Material, MaterialId, ModelBuilder, ModelView, Ownership, ParticleId, ShapeDef, ShapeId,
};
use coact_solver::{
    CouplingInterface, Endpoint, EndpointState, Harvest, ProxyMotion, Solver, StepInput, StepReport,
};
use coact_vbd::{Precision, SolverVbd, VbdConfig};
use support::scenes::{Run, add_box, add_particle, box_on_cloth};

/// Two paths to one result are compared to the last digits: in `f64`.
fn double(iterations: usize) -> VbdConfig {
    VbdConfig { iterations, precision: Precision::Double, ..VbdConfig::default() }
}

const DT: f64 = 1.0 / 600.0;

/// The cloth of `box_on_cloth`, with the box as a proxy of another solver.
fn cloth_with_proxy(iterations: usize, steps: usize) -> (SolverVbd, EndpointState) {
    let mut run = Run::new(box_on_cloth(0.5), double(iterations));
    run.steps(steps, DT);
    let state = run.state();
    let ownership = Ownership {
        particles: (0..run.model.particle_count()).map(ParticleId::new).collect(),
        proxy_bodies: vec![BodyId(0)],
        ..Ownership::default()
    };
    let view = ModelView::new(&run.model, ownership);
    let mut solver = SolverVbd::new(&view, double(iterations)).unwrap();
    solver.load(&state);
    (solver, EndpointState { pose: state.body_q[0], velocity: state.body_qd[0] })
}

/// The free motion of the box over `dt`: no gravity, so a step of a body alone.
fn free_motion(begin: EndpointState, dt: f64) -> ProxyMotion {
    let mut b = ModelBuilder::new();
    b.gravity = Vec3::zeros();
    add_box(&mut b, Vec3::new(0.06, 0.05, 0.04), 0.3, begin.pose, begin.velocity);
    let mut run = Run::new(b.finalize().unwrap(), VbdConfig::default());
    run.step(dt);
    let s = run.state();
    ProxyMotion { begin, free: EndpointState { pose: s.body_q[0], velocity: s.body_qd[0] } }
}

fn step(solver: &mut SolverVbd, dt: f64) -> StepReport {
    let model = box_on_cloth(0.5);
    let control = model.control();
    let forces = coact_model::Forces::zeros(model.particle_count(), model.body_count());
    let mut report = StepReport::default();
    let input = StepInput { control: &control, forces: &forces, contacts: None };
    solver.step(&input, dt, &mut report).unwrap();
    report
}

/// A proxy with the body's own mass and free motion is the body itself.
#[test]
fn a_proxy_step_is_the_step_of_the_whole() {
    let (mut solver, begin) = cloth_with_proxy(10, 12);
    let mut whole = Run::new(box_on_cloth(0.5), double(10));
    whole.steps(12, DT);
    // what friction remembers is no part of a state
    let state = whole.state();
    whole.solver.load(&state);
    whole.step(DT);
    let set = [Endpoint::Body(BodyId(0))];
    solver.begin_proxies(&set, &[free_motion(begin, DT)], DT);
    let report = step(&mut solver, DT);
    assert!(report.contacts.particle_shape_active > 1);
    let mut end = [EndpointState::default()];
    solver.read_interface(&set, &mut end);
    let s = whole.state();
    assert!((end[0].pose.p - s.body_q[0].p).norm() < 1e-14);
    assert!((end[0].velocity.lin - s.body_qd[0].lin).norm() < 1e-12);
    assert!(end[0].velocity.ang.metric_distance(&s.body_qd[0].ang) < 1e-2 * s.body_qd[0].ang.norm());
}

/// The impulse that the block received is what its contacts gave, at convergence; and the
/// linear one is m (v⁺ − v_free)/dt always.
#[test]
fn the_harvest_is_the_impulse_and_at_convergence_the_contact_wrench() {
    let (mut solver, begin) = cloth_with_proxy(1000, 12);
    let (set, motion) = ([Endpoint::Body(BodyId(0))], free_motion(begin, DT));
    solver.begin_proxies(&set, &[motion], DT);
    step(&mut solver, DT);
    let (mut impulse, mut contacts) = ([Spatial::zeros()], [Spatial::zeros()]);
    solver.harvest_proxies(&set, &[motion], Harvest::Impulse, DT, &mut impulse);
    solver.harvest_proxies(&set, &[motion], Harvest::Contacts, DT, &mut contacts);
    let size = contacts[0].lin.norm();
    assert!(size > 0.1, "the cloth must push: {contacts:?}");
    assert!((impulse[0].lin - contacts[0].lin).norm() < 1e-8 * size, "{impulse:?} {contacts:?}");
    assert!((impulse[0].ang - contacts[0].ang).norm() < 1e-8 * size, "{impulse:?} {contacts:?}");
    let mut end = [EndpointState::default()];
    solver.read_interface(&set, &mut end);
    let momentum = (end[0].velocity.lin - motion.free.velocity.lin) * (0.3 / DT);
    assert!((momentum - impulse[0].lin).norm() < 1e-10 * size);
}

/// With several substeps the harvest is the average; untouched, the proxy reaches its free end.
#[test]
fn substeps_add_up() {
    let (mut solver, begin) = cloth_with_proxy(10, 12);
    let (set, dt) = ([Endpoint::Body(BodyId(0))], 4.0 * DT);
    let motion = free_motion(begin, dt);
    solver.begin_proxies(&set, &[motion], dt);
    (0..4).for_each(|_| drop(step(&mut solver, DT)));
    let (mut impulse, mut end) = ([Spatial::zeros()], [EndpointState::default()]);
    solver.harvest_proxies(&set, &[motion], Harvest::Impulse, dt, &mut impulse);
    solver.read_interface(&set, &mut end);
    let momentum = (end[0].velocity.lin - motion.free.velocity.lin) * (0.3 / dt);
    assert!((momentum - impulse[0].lin).norm() < 1e-10 && momentum.norm() > 0.1);

    let far = EndpointState { pose: Pose::new(begin.pose.p + Vec3::z(), begin.pose.q), ..begin };
    let motion = free_motion(far, dt);
    solver.begin_proxies(&set, &[motion], dt);
    (0..4).for_each(|_| drop(step(&mut solver, DT)));
    solver.read_interface(&set, &mut end);
    assert!((end[0].pose.p - motion.free.pose.p).norm() < 1e-13);
    assert!(end[0].pose.q.angle_to(&motion.free.pose.q) < 1e-7);
}

/// A proxy particle falls only as its source says, and meets no static shape.
#[test]
fn a_proxy_particle_moves_as_its_source_and_is_pulled_by_its_springs() {
    let mut b = ModelBuilder::new();
    add_particle(&mut b, Vec3::new(0.0, 0.0, -0.1), Vec3::zeros(), 1.0, 0.1);
    add_particle(&mut b, Vec3::new(1.0, 0.0, 1.0), Vec3::zeros(), 1.0, 0.1);
    b.add_spring(coact_model::SpringDef {
        particles: [ParticleId(0), ParticleId(1)],
        ke: 50.0,
        kd: 0.0,
        rest_length: Some(1.0),
    });
    b.add_shape(ShapeDef { geometry: Geometry::Plane, ..ShapeDef::default() });
    let model = b.finalize().unwrap();
    let ownership = Ownership {
        particles: vec![ParticleId(1)],
        proxy_particles: vec![ParticleId(0)],
        ..Ownership::default()
    };
    let view = ModelView::new(&model, ownership);
    let mut solver = SolverVbd::new(&view, double(500)).unwrap();
    let set = [Endpoint::Particle(ParticleId(0))];
    let at = |x| EndpointState::particle(x, Vec3::zeros());
    let motion = ProxyMotion { begin: at(Vec3::new(0.0, 0.0, -0.1)), free: at(Vec3::new(0.0, 0.1, -0.1)) };
    solver.begin_proxies(&set, &[motion], DT);
    let (control, forces) = (model.control(), coact_model::Forces::zeros(2, 0));
    let mut report = StepReport::default();
    let input = StepInput { control: &control, forces: &forces, contacts: None };
    solver.step(&input, DT, &mut report).unwrap();
    assert_eq!(report.contacts.particle_shape, 0);
    let (mut impulse, mut acting) = ([Spatial::zeros()], [Spatial::zeros()]);
    solver.harvest_proxies(&set, &[motion], Harvest::Impulse, DT, &mut impulse);
    solver.harvest_proxies(&set, &[motion], Harvest::Contacts, DT, &mut acting);
    assert!(acting[0].lin.norm() > 1.0 && (impulse[0].lin - acting[0].lin).norm() < 1e-9);
    let mut gravity = [Vec3::x(); 2];
    solver.gravity_acceleration(&[set[0], Endpoint::Particle(ParticleId(1))], &mut gravity);
    assert_eq!(gravity, [model.gravity; 2], "a staggered particle proxy is given its own, eq. (7)");
}

/// One particle against one heavy body: what the body loses the particle gains, and torque
/// is that of the force at the contact point.
#[test]
fn the_reaction_on_a_body_is_opposite_to_the_force_on_the_particle() {
    let mut b = ModelBuilder::new();
    b.gravity = Vec3::zeros();
    b.set_material(MaterialId(0), Material { ke: 1e3, kd: 2.0, mu: 0.4, ..Material::default() });
    let body = add_box(&mut b, Vec3::new(0.2, 0.2, 0.1), 2.0, Pose::identity(), Spatial::zeros());
    add_particle(&mut b, Vec3::new(0.12, -0.05, 0.105), Vec3::new(0.5, 0.2, -1.0), 0.1, 0.01);
    // all of the depth that it begins with presses
    let config = VbdConfig { depenetration_speed: f64::INFINITY, ..double(500) };
    let mut run = Run::new(b.finalize().unwrap(), config);
    let inertia = run.model.body_inertia[body.index()];
    run.step(DT);
    let s = run.state();
    let gained = (s.particle_qd[0] - Vec3::new(0.5, 0.2, -1.0)) * 0.1;
    let lost = s.body_qd[0].lin * 2.0;
    assert!((gained + lost).norm() < 1e-13 && gained.z > 0.01 && gained.x < -1e-3);
    let q = s.body_q[0].q;
    let spin = q * (inertia * q.inverse_transform_vector(&s.body_qd[0].ang));
    let point = s.body_q[0].point(&Vec3::new(0.12, -0.05, 0.1)) - s.body_q[0].p;
    assert!((spin + point.cross(&gained)).norm() < 1e-12, "{:e}", (spin + point.cross(&gained)).norm());
}

/// Contacts of the caller replace detection; the order in which they come does not matter.
#[test]
fn contacts_of_the_caller_are_used_instead() {
    let mut b = ModelBuilder::new();
    for x in [0.0, 0.1] {
        add_particle(&mut b, Vec3::new(x, 0.0, 0.009), Vec3::zeros(), 0.1, 0.01);
    }
    b.add_shape(ShapeDef { geometry: Geometry::Plane, ..ShapeDef::default() });
    let model = b.finalize().unwrap();
    let row = |p: u32| ParticleShapeContact {
        particle: ParticleId(p),
        shape: ShapeId(0),
        body: None,
        point: Vec3::new(0.1 * f64::from(p), 0.0, 0.0),
        normal: Vec3::z(),
        margin: 0.0,
    };
    let end = |rows: Option<Vec<u32>>| {
        let mut run = Run::new(model.clone(), VbdConfig::default());
        let (control, forces) = (run.model.control(), run.forces.clone());
        let contacts = rows
            .map(|r| Contacts { particle_shape: r.into_iter().map(row).collect(), ..Contacts::default() });
        let input = StepInput { control: &control, forces: &forces, contacts: contacts.as_ref() };
        run.solver.step(&input, DT, &mut run.report).unwrap();
        (run.report.contacts.particle_shape, run.state().particle_q)
    };
    assert_eq!(end(None), end(Some(vec![1, 0])));
    let (count, q) = end(Some(vec![1]));
    assert!(count == 1 && q[0].z < q[1].z);
}
