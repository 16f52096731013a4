//! Bodies that another solver integrates: particles meet them where it puts them, and push nothing.

mod support;

use coact_math::{Pose, Quat, Spatial, Vec3};
use coact_model::{
    AttachmentDef, BodyDef, BodyId, ClothDef, EntityId, Geometry, Model, ModelBuilder, ModelFlags, ModelView,
    ShapeDef,
};
use coact_solver::{CouplingInterface, Endpoint, EndpointState, Snapshot, Solver, StepInput, StepReport};
use coact_vbd::{SolverVbd, VbdConfig};
use support::scenes::{Run, bits, grid};

const H: f64 = 1.0 / 240.0;

fn external() -> VbdConfig {
    VbdConfig { integrate_with_external_rigid_solver: true, ..VbdConfig::default() }
}

/// A sheet lying on a plate, with a ball far above.
fn sheet_on_plate() -> Model {
    let mut b = ModelBuilder::new();
    let plate = b.add_body(BodyDef { name: "plate".into(), ..BodyDef::default() });
    let geometry = Geometry::Box { half_extents: Vec3::new(1.0, 1.0, 0.1) };
    b.add_shape(ShapeDef { body: Some(plate), geometry, ..ShapeDef::default() });
    let pose = Pose::translation(Vec3::z() * 3.0);
    let ball = b.add_body(BodyDef { name: "ball".into(), pose, ..BodyDef::default() });
    let geometry = Geometry::Sphere { radius: 0.1 };
    b.add_shape(ShapeDef { body: Some(ball), geometry, ..ShapeDef::default() });
    let pose = Pose::translation(Vec3::z() * (0.1 + ClothDef::default().radius));
    b.add_cloth("sheet", &grid(6, 0.02), &ClothDef { pose, bend_ke: 1e-4, ..ClothDef::default() });
    b.finalize().unwrap()
}

/// What the other solver did: the pose at the end of the coming step.
fn write(run: &mut Run, body: usize, pose: Pose, velocity: Vec3) {
    let state = EndpointState { pose, velocity: Spatial::new(velocity, Vec3::zeros()) };
    run.solver.write_interface(&[Endpoint::Body(BodyId::new(body))], &[state]);
}

fn plate_at(run: &mut Run) -> Pose {
    let mut out = [EndpointState::default()];
    run.solver.read_interface(&[Endpoint::Body(BodyId(0))], &mut out);
    out[0].pose
}

/// Neither gravity, nor what lies on it, nor the joints and contacts of bodies move it.
#[test]
fn a_body_that_nobody_moves_stays_and_carries() {
    let mut run = Run::new(sheet_on_plate(), external());
    run.steps(240, H);
    assert_eq!(plate_at(&mut run), Pose::identity());
    let s = run.state();
    assert_eq!(s.body_q[1], Pose::translation(Vec3::z() * 3.0));
    assert!(s.particle_qd.iter().all(|v| v.norm() < 1e-6));
    assert!(s.particle_q.iter().all(|x| (x.z - 0.1 - ClothDef::default().radius).abs() < 1e-3));
}

/// The sheet takes over the motion by friction: it sees the way over the step, at any acceleration
/// below mu g.
#[test]
fn particles_ride_on_a_body_as_the_other_solver_moves_it() {
    let mut run = Run::new(sheet_on_plate(), external());
    run.steps(24, H);
    for k in 1..=240 {
        let t = k as f64 * H;
        write(&mut run, 0, Pose::translation(Vec3::x() * (t * t)), Vec3::x() * (2.0 * t));
        run.steps(1, H);
    }
    assert_eq!(plate_at(&mut run).p, Vec3::x());
    let s = run.state();
    assert_eq!(s.body_qd[0].lin, Vec3::x() * 2.0);
    let mean = s.particle_qd.iter().map(|v| v.x).sum::<f64>() / s.particle_qd.len() as f64;
    assert!((mean - (2.0 - H)).abs() < 1e-3, "{mean}: the way of the last step over its time");
}

/// A step in which nothing is written is one in which nothing moves, whatever velocity is known.
#[test]
fn a_body_comes_to_where_it_was_written_and_no_further() {
    let mut run = Run::new(sheet_on_plate(), external());
    let turned = Pose::new(Vec3::new(0.01, 0.0, 0.0), Quat::from_scaled_axis(Vec3::z() * 0.01));
    write(&mut run, 0, turned, Vec3::x());
    assert_eq!(plate_at(&mut run), Pose::identity(), "not before the step");
    run.steps(3, H);
    let off = plate_at(&mut run).p - turned.p;
    assert!(off.norm() < 1e-15 && plate_at(&mut run).q.angle_to(&turned.q) < 1e-12);
}

/// Put elsewhere, it does not sweep through what lies between.
#[test]
fn a_body_that_is_reset_does_not_come_from_where_it_was() {
    let speeds = |reset: bool| {
        let mut run = Run::new(sheet_on_plate(), external());
        run.steps(24, H);
        let pose = Pose::translation(Vec3::x() * 0.5);
        if reset {
            let mut state = run.state();
            state.body_q[0] = pose;
            run.solver.reset(&state, &[EntityId::Body(BodyId(0))]);
        } else {
            write(&mut run, 0, pose, Vec3::zeros());
        }
        run.steps(1, H);
        run.state().particle_qd.iter().map(|v| v.xy().norm()).fold(0.0, f64::max)
    };
    assert!(speeds(true) < 1e-6, "{}", speeds(true));
    assert!(speeds(false) > 1e-2, "the other has a speed: {}", speeds(false));
}

#[test]
fn a_rewind_brings_back_what_was_written() {
    let mut run = Run::new(sheet_on_plate(), external());
    run.steps(2, H);
    write(&mut run, 0, Pose::translation(Vec3::x() * 0.01), Vec3::x());
    let mut saved = Snapshot::new();
    run.solver.save_into(&mut saved);
    run.steps(3, H);
    let first = bits(&run.state());
    write(&mut run, 0, Pose::identity(), Vec3::zeros());
    run.solver.restore(&saved);
    run.steps(3, H);
    assert_eq!(bits(&run.state()), first);
}

#[test]
fn attachments_are_refused_by_name() {
    let mut b = ModelBuilder::new();
    let hook = b.add_body(BodyDef { kinematic: true, ..BodyDef::default() });
    let p = b.add_particle(coact_model::ParticleDef { mass: 1.0, ..Default::default() });
    b.add_attachment(AttachmentDef::hard(p, hook, Vec3::zeros()));
    let mut model = b.finalize().unwrap();
    let text = SolverVbd::new(&ModelView::whole(&model), external()).err().unwrap().to_string();
    for word in ["attached to body 0", "another solver integrates", "disable the attachment"] {
        assert!(text.contains(word), "\"{word}\" is missing in \"{text}\"");
    }
    model.attachment_enabled.make_mut()[0] = false;
    let mut run = Run::new(model.clone(), external());
    run.steps(1, H);
    // switched on later: the next step says so
    model.attachment_enabled.make_mut()[0] = true;
    run.solver.notify_model_changed(&ModelView::whole(&model), ModelFlags::ATTACHMENTS);
    let (control, mut report) = (run.model.control(), StepReport::default());
    let input = StepInput { control: &control, forces: &run.forces, contacts: None };
    let error = run.solver.step(&input, H, &mut report).unwrap_err();
    assert!(error.to_string().contains("attached to body 0"), "{error}");
}

/// It cannot give forces back: the capabilities say so.
#[test]
fn it_offers_no_bodies_to_couplers_by_proxies() {
    let c = Run::new(sheet_on_plate(), external()).solver.capabilities();
    assert!(c.follows_bodies && !c.body_source && !c.body_proxy);
    let c = Run::new(sheet_on_plate(), VbdConfig::default()).solver.capabilities();
    assert!(!c.follows_bodies && c.body_source && c.body_proxy);
}

/// A kinematic body that nobody writes is moved by its own velocity.
#[test]
fn a_kinematic_body_moves_with_its_velocity_unless_it_is_written() {
    let mut b = ModelBuilder::new();
    let velocity = Spatial::new(Vec3::x(), Vec3::zeros());
    b.add_body(BodyDef { kinematic: true, velocity, ..BodyDef::default() });
    let mut run = Run::new(b.finalize().unwrap(), external());
    run.steps(240, H);
    assert!((plate_at(&mut run).p - Vec3::x()).norm() < 1e-12);
}
