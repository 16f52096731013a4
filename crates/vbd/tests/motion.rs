//! Prescribed motion: it arrives where it should, and what it touches feels its velocity.

mod support;

use coact_math::{Pose, Quat, Spatial, Vec3};
use coact_model::{
    BodyDef, BodyId, Geometry, Material, MaterialId, ModelBuilder, Motion, MotionPlan, ParticleId, ShapeDef,
    SpringDef, TimedMotion,
};
use coact_solver::{Solver, StepInput};
use coact_vbd::{Precision, SolverVbd, VbdConfig};
use support::scenes::{Run, add_cloth, add_particle};

const DT: f64 = 1.0 / 120.0;

/// Steps `run` from `t0` by `DT` in `substeps`, by a plan.
fn step(run: &mut Run, plan: &MotionPlan, t0: f64, substeps: u32) {
    let mut control = run.model.control();
    plan.apply(t0, t0 + DT, &mut control);
    let input = StepInput { control: &control, forces: &run.forces, contacts: None };
    let h = DT / f64::from(substeps);
    (0..substeps).for_each(|_| run.solver.step(&input, h, &mut run.report).unwrap());
}

fn turning() -> TimedMotion {
    let axis = Vec3::new(0.6, 0.0, 0.8);
    TimedMotion::always(Motion::Rotate { center: Vec3::new(0.1, 0.0, 1.0), axis, rate: 6.0 })
}

#[test]
fn pinned_particles_go_where_the_motion_has_them_with_the_velocity_of_the_step() {
    for (precision, tolerance) in
        [(Precision::Double, 1e-12), (Precision::Mixed, 1e-12), (Precision::Single, 2e-5)]
    {
        let mut b = ModelBuilder::new();
        add_cloth(&mut b, 5, 1.0);
        let edge: Vec<ParticleId> = (0..5).map(ParticleId::new).collect();
        edge.iter().for_each(|p| b.pin_particle(*p));
        let mut run = Run::new(b.finalize().unwrap(), VbdConfig { precision, ..VbdConfig::default() });
        let mut plan = MotionPlan::default();
        plan.carry(&run.model, vec![turning()], edge.clone(), []);
        for n in 0..30 {
            let (t, before) = (f64::from(n) * DT, run.state());
            step(&mut run, &plan, t, 1 + n as u32 % 3);
            let (now, motion) = (run.state(), turning());
            for p in edge.iter().map(|p| p.index()) {
                let expected = motion.pose(t + DT).point(&run.model.particle_q[p]);
                assert!((now.particle_q[p] - expected).norm() < tolerance, "{precision:?} step {n}");
                let v = (now.particle_q[p] - before.particle_q[p]) / DT;
                assert!((now.particle_qd[p] - v).norm() < 10.0 * tolerance / DT, "{precision:?} step {n}");
            }
        }
        assert!((run.state().particle_q[0] - run.model.particle_q[0]).norm() > 0.1, "it moved");
    }
}

#[test]
fn a_pinned_particle_that_nothing_moves_stands_still_whatever_velocity_it_has() {
    let mut b = ModelBuilder::new();
    let p = add_particle(&mut b, Vec3::z(), Vec3::x(), 1.0, 0.01);
    b.pin_particle(p);
    let mut run = Run::new(b.finalize().unwrap(), VbdConfig::default());
    run.steps(5, DT);
    assert_eq!(run.state().particle_q[0], Vec3::z());
}

/// m u/h² = kd (u_p − u)/h: the damper sees how far the step carries its pinned end.
#[test]
fn a_damper_feels_the_velocity_of_its_pinned_end() {
    let (m, kd, v) = (0.3, 2.0, 1.5);
    let mut b = ModelBuilder::new();
    b.gravity = Vec3::zeros();
    let pinned = add_particle(&mut b, Vec3::zeros(), Vec3::zeros(), 1.0, 0.01);
    let free = add_particle(&mut b, Vec3::x(), Vec3::zeros(), m, 0.01);
    b.pin_particle(pinned);
    b.add_spring(SpringDef { particles: [pinned, free], ke: 0.0, kd, rest_length: None });
    let mut run =
        Run::new(b.finalize().unwrap(), VbdConfig { precision: Precision::Double, ..VbdConfig::default() });
    let mut plan = MotionPlan::default();
    plan.carry(&run.model, vec![TimedMotion::always(Motion::Translate(Vec3::x() * v))], [pinned], []);
    step(&mut run, &plan, 0.0, 1);
    let expected = kd * v / (m / DT + kd);
    assert!((run.state().particle_qd[1].x - expected).abs() < 1e-12);
    assert!(expected > 0.05);
}

/// A belt under a particle: Coulomb friction speeds it up by mu g until it moves along.
#[test]
fn a_kinematic_body_takes_along_what_lies_on_it() {
    let mut b = ModelBuilder::new();
    b.set_material(MaterialId(0), Material { ke: 1e4, kd: 0.0, mu: 0.5, ..Material::default() });
    let pose = Pose::new(Vec3::new(0.0, 0.0, -0.05), Quat::identity());
    let belt = b.add_body(BodyDef { pose, kinematic: true, ..BodyDef::default() });
    let geometry = Geometry::Box { half_extents: Vec3::new(20.0, 1.0, 0.05) };
    b.add_shape(ShapeDef { body: Some(belt), geometry, ..ShapeDef::default() });
    add_particle(&mut b, Vec3::new(0.0, 0.0, 0.01), Vec3::zeros(), 0.1, 0.01);
    let mut run = Run::new(b.finalize().unwrap(), VbdConfig::default());
    let mut plan = MotionPlan::default();
    let away = TimedMotion { motion: Motion::Translate(Vec3::x()), start: 0.0, stop: 1.0 };
    plan.carry(&run.model, vec![away], [], [belt]);
    let speed_at = |run: &mut Run, from: u32, to: u32| {
        (from..to).for_each(|n| step(run, &plan, f64::from(n) * DT, 1));
        run.state().particle_qd[0].x
    };
    let early = speed_at(&mut run, 0, 12);
    assert!((early - 0.5 * 9.81 * 0.1).abs() < 0.05, "{early} m/s after 0.1 s of sliding");
    assert!((speed_at(&mut run, 12, 100) - 1.0).abs() < 1e-3, "it moves along");
    assert!(speed_at(&mut run, 100, 200).abs() < 1e-3, "and stops with the belt");
    assert!((run.state().body_q[0].p - (pose.p + Vec3::x())).norm() < 1e-12);
    assert_eq!(run.state().body_qd[0], Spatial::zeros());
}

#[test]
fn a_moving_scene_repeats_its_bits_after_a_restore() {
    let mut b = ModelBuilder::new();
    add_cloth(&mut b, 5, 1.0);
    b.pin_particle(ParticleId(0));
    let body = b.add_body(BodyDef { kinematic: true, ..BodyDef::default() });
    let mut run = Run::new(b.finalize().unwrap(), VbdConfig::default());
    let mut plan = MotionPlan::default();
    plan.carry(&run.model, vec![turning()], [ParticleId(0)], [body, BodyId::new(0)]);
    step(&mut run, &plan, 0.0, 1);
    let mut saved = coact_solver::Snapshot::default();
    SolverVbd::save_into(&run.solver, &mut saved);
    step(&mut run, &plan, DT, 2);
    let first = support::scenes::bits(&run.state());
    run.solver.restore(&saved);
    step(&mut run, &plan, DT, 2);
    assert_eq!(support::scenes::bits(&run.state()), first);
}
