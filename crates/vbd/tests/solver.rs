//! What the solver promises: exact free motion, rest, momentum, convergence, determinism.

mod support;

use coact_math::{Mat3, Pose, Spatial, Vec3};
use coact_model::{
    BodyDef, BodyMass, Geometry, Material, MaterialId, Model, ModelBuilder, ModelFlags, ModelView, ShapeDef,
};
use coact_solver::{Snapshot, Solver};
use coact_vbd::{Acceleration, ContactDamping, Precision, SingularRule, SolverVbd, VbdConfig};
use support::scenes::{Run, add_box, add_cloth, add_particle, bits, box_on_cloth};

const DT: f64 = 1.0 / 120.0;
/// Inertia is then a fair share of the blocks of the test cloth, so that sweeps converge.
const FINE: f64 = 1.0 / 600.0;

/// For what converges further than `f32` tells forces apart.
fn double() -> VbdConfig {
    VbdConfig { precision: Precision::Double, ..VbdConfig::default() }
}

/// Semi-implicit Euler falls by g t (t + h)/2 at the end of each step; damping of
/// elements does not touch rigid motion.
#[test]
fn free_fall_is_the_exact_discrete_recurrence() {
    let mut b = ModelBuilder::new();
    add_cloth(&mut b, 6, 3.0);
    add_box(
        &mut b,
        Vec3::new(0.1, 0.2, 0.3),
        2.0,
        Pose::translation(Vec3::new(5.0, 0.0, 0.0)),
        Spatial::zeros(),
    );
    let mut run = Run::new(b.finalize().unwrap(), VbdConfig::default());
    let start = run.state();
    for n in 1..=100 {
        run.step(DT);
        let (now, t) = (run.state(), n as f64 * DT);
        let fall = 0.5 * 9.81 * t * (t + DT);
        for (q, q0) in now.particle_q.iter().zip(&start.particle_q) {
            assert!((q.z - (q0.z - fall)).abs() < 1e-12, "step {n}");
        }
        assert!((now.body_q[0].p.z + fall).abs() < 1e-12 && (now.body_qd[0].lin.z + 9.81 * t).abs() < 1e-12);
    }
}

/// The tumbling body of the design notes, 10 s without force: momentum to rounding,
/// energy within the bound of the splitting.
#[test]
fn a_free_body_keeps_momentum_and_energy() {
    let inertia = Vec3::new(0.001, 0.02, 0.0205);
    for (dt, bound) in [(1.0 / 60.0, 5e-4), (1.0 / 240.0, 5e-4), (1e-3, 1e-4)] {
        let mut b = ModelBuilder::new();
        b.gravity = Vec3::zeros();
        let mass = BodyMass::Given { mass: 1.0, com: Vec3::zeros(), inertia: Mat3::from_diagonal(&inertia) };
        let velocity = Spatial::new(Vec3::zeros(), Vec3::new(100.0, 20.0, 50.0));
        b.add_body(BodyDef { velocity, mass, ..BodyDef::default() });
        let mut run = Run::new(b.finalize().unwrap(), VbdConfig { iterations: 2, ..VbdConfig::default() });
        let measure = |run: &mut Run| {
            let (q, w) = {
                let s = run.state();
                (s.body_q[0].q, s.body_qd[0].ang)
            };
            let l = inertia.component_mul(&q.inverse_transform_vector(&w));
            (q * l, 0.5 * w.dot(&(q * l)))
        };
        let (l0, e0) = measure(&mut run);
        let mut worst: f64 = 0.0;
        for _ in 0..(10.0 / dt) as usize {
            run.step(dt);
            worst = worst.max((measure(&mut run).1 / e0 - 1.0).abs());
        }
        let l = measure(&mut run).0;
        assert!((l - l0).norm() / l0.norm() < 1e-11, "dt {dt}: {:e}", (l - l0).norm() / l0.norm());
        assert!(worst < bound, "dt {dt}: energy off by {worst:e}");
    }
}

/// A constant torque is a potential: one step adds exactly h τ to the momentum.
#[test]
fn a_wrench_changes_the_momentum_by_its_impulse() {
    let mut b = ModelBuilder::new();
    b.gravity = Vec3::zeros();
    let velocity = Spatial::new(Vec3::new(0.2, 0.0, 0.0), Vec3::new(3.0, -2.0, 5.0));
    let body = add_box(&mut b, Vec3::new(0.1, 0.2, 0.3), 2.0, Pose::identity(), velocity);
    let mut run = Run::new(b.finalize().unwrap(), VbdConfig { iterations: 30, ..VbdConfig::default() });
    let i = run.model.body_inertia[body.index()];
    let momentum = |run: &mut Run| {
        let s = run.state();
        let q = s.body_q[0].q;
        (s.body_qd[0].lin * 2.0, q * (i * q.inverse_transform_vector(&s.body_qd[0].ang)))
    };
    let (p0, l0) = momentum(&mut run);
    let wrench = Spatial::new(Vec3::new(1.0, 2.0, -3.0), Vec3::new(0.5, -4.0, 2.0));
    run.forces.body_f[0] = wrench;
    run.step(DT);
    let (p, l) = momentum(&mut run);
    assert!((p - p0 - wrench.lin * DT).norm() < 1e-13);
    assert!((l - l0 - wrench.ang * DT).norm() < 1e-12, "{:e}", (l - l0 - wrench.ang * DT).norm());
}

/// At rest ke · pen = m g.
#[test]
fn a_particle_rests_on_a_plane_at_the_analytic_sag() {
    for precision in [Precision::Double, Precision::Mixed, Precision::Single] {
        let mut b = ModelBuilder::new();
        b.set_material(MaterialId(0), Material { ke: 500.0, kd: 5.0, mu: 0.5, ..Material::default() });
        add_particle(&mut b, Vec3::new(0.3, 0.2, 0.012), Vec3::zeros(), 0.05, 0.01);
        b.add_shape(ShapeDef { geometry: Geometry::Plane, ..ShapeDef::default() });
        let mut run = Run::new(b.finalize().unwrap(), VbdConfig { precision, ..VbdConfig::default() });
        run.steps(600, DT);
        let (sag, z) = (0.05 * 9.81 / 500.0, run.state().particle_q[0].z);
        let tolerance = if precision == Precision::Double { 1e-12 } else { 1e-8 };
        assert!((z - (0.01 - sag)).abs() < tolerance, "{precision:?}: {:e}", z - (0.01 - sag));
        assert_eq!((run.report.contacts.particle_shape, run.report.contacts.particle_shape_active), (1, 1));
        assert!((run.report.penetration.depth - sag).abs() < 1e-7);
    }
}

/// A fast particle is detected as far ahead as it moves in the step.
#[test]
fn a_fast_particle_does_not_pass_through_a_plane() {
    let mut b = ModelBuilder::new();
    b.set_material(MaterialId(0), Material { ke: 1e5, kd: 10.0, mu: 0.0, ..Material::default() });
    add_particle(&mut b, Vec3::new(0.0, 0.0, 0.3), Vec3::new(0.0, 0.0, -40.0), 0.01, 0.005);
    b.add_shape(ShapeDef { geometry: Geometry::Plane, ..ShapeDef::default() });
    let mut run = Run::new(b.finalize().unwrap(), VbdConfig::default());
    run.steps(20, 1.0 / 60.0);
    assert!(run.state().particle_q[0].z > 0.0);
}

/// Sweeps alone: nothing gives back at the end of a step what they lost.
fn swept() -> VbdConfig {
    VbdConfig { acceleration: Acceleration::Off, ..double() }
}

/// Forces are equal and opposite, so what momentum is lost measures convergence alone.
#[test]
fn an_isolated_box_on_cloth_keeps_momentum_as_sweeps_grow() {
    let defect = |iterations: usize| {
        let mut run = Run::new(box_on_cloth(0.5), VbdConfig { iterations, ..swept() });
        let (before, mut active) = (run.momentum(), 0);
        for _ in 0..15 {
            run.step(FINE);
            active = active.max(run.report.contacts.particle_shape_active);
        }
        assert!(active > 1, "the box must press on the cloth");
        (run.momentum() - before).norm() / before.norm()
    };
    let list: Vec<f64> = [5, 20, 80, 300, 1000].iter().map(|&n| defect(n)).collect();
    println!("momentum defect: {list:?}");
    // down to rounding, where it stays
    assert!(list.windows(2).all(|w| w[1] < w[0].max(1e-14)), "{list:?}");
    assert!(list[4] < 1e-10, "{list:?}");
}

/// Damped contacts leave something to converge to, and give no energy; the law of the record,
/// whose force jumps where a contact opens, does not.
#[test]
fn damped_contacts_converge() {
    let run = |kd: f64, contact_damping: ContactDamping| {
        let mut model = box_on_cloth(0.0);
        model.materials.make_mut()[0].kd = kd;
        let config = VbdConfig { iterations: 400, contact_damping, ..swept() };
        let mut run = Run::new(model, config);
        let (before, mut active) = (run.momentum(), 0);
        for _ in 0..15 {
            run.step(FINE);
            active = active.max(run.report.contacts.particle_shape_active);
        }
        assert!(active > 0, "the box must press on the cloth");
        (run.momentum() - before).norm() / before.norm()
    };
    let ours = [0.3, 3.0].map(|kd| run(kd, ContactDamping::Inside));
    let record = run(3.0, ContactDamping::WholeApproach);
    println!("momentum defect {ours:?}, law of the record {record:e}");
    assert!(ours[0] < 1e-10 && ours[1] < 1e-10 && record > 1e-6, "{ours:?} {record:e}");
}

#[test]
fn the_error_against_a_converged_solve_falls_with_iterations() {
    let mut start = Run::new(box_on_cloth(0.0), double());
    start.steps(14, FINE);
    let start = start.state();
    let end = |iterations: usize| {
        let mut run = Run::new(box_on_cloth(0.0), VbdConfig { iterations, ..double() });
        run.solver.load(&start);
        run.step(FINE);
        let residual = run.report.residual_last.max;
        (run.state(), residual)
    };
    let exact = end(2000).0;
    let error = |n: usize| {
        let (s, residual) = end(n);
        let d = s.particle_q.iter().zip(&exact.particle_q).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        (d, residual)
    };
    let list: Vec<(f64, f64)> = [1, 4, 10, 20].iter().map(|&n| error(n)).collect();
    println!("error [m], residual [N]: {list:?}");
    assert!(list.windows(2).all(|w| w[1].0 < w[0].0 && w[1].1 < w[0].1), "{list:?}");
    assert!(list[0].0 > 1e-8 && list[3].0 < 1e-6 * list[0].0, "{list:?}");
}

/// A box on a block of tetrahedra comes to rest, carried by particles.
#[test]
fn a_box_rests_on_a_soft_block() {
    let mut b = ModelBuilder::new();
    b.set_material(MaterialId(0), Material { ke: 5e3, kd: 20.0, mu: 0.6, ..Material::default() });
    support::scenes::add_block(&mut b, 4, 0.05);
    let pose = Pose::translation(Vec3::new(0.1, 0.1, 0.26));
    let body = add_box(&mut b, Vec3::new(0.06, 0.06, 0.05), 0.5, pose, Spatial::zeros());
    b.add_shape(ShapeDef { geometry: Geometry::Plane, ..ShapeDef::default() });
    let mut run = Run::new(b.finalize().unwrap(), VbdConfig { iterations: 20, ..VbdConfig::default() });
    run.steps(400, DT);
    let s = run.state();
    let (q, v) = (&s.body_q[body.index()], &s.body_qd[body.index()]);
    assert!(v.lin.norm() < 1e-3 && v.ang.norm() < 1e-2, "{v:?}");
    assert!(q.p.z > 0.22 && q.p.z < 0.26 && (q.q * Vec3::z()).z > 0.999, "{q:?}");
}

#[test]
fn save_step_restore_step_gives_the_same_bits() {
    let mut run = Run::new(box_on_cloth(0.5), VbdConfig::default());
    run.steps(2, DT);
    let mut snapshot = Snapshot::new();
    run.solver.save_into(&mut snapshot);
    run.steps(3, DT);
    let first = bits(&run.state());
    run.steps(2, DT);
    run.solver.restore(&snapshot);
    run.steps(3, DT);
    assert_eq!(first, bits(&run.state()));
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let end = |threads: usize, config: VbdConfig| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut run = Run::new(box_on_cloth(0.5), VbdConfig { parallel_threshold: 8, ..config });
        pool.install(|| run.steps(5, DT));
        bits(&run.state())
    };
    let one = end(1, VbdConfig::default());
    for threads in [2, 4] {
        assert_eq!(one, end(threads, VbdConfig::default()));
    }
    assert_eq!(one, end(1, VbdConfig { threads: Some(3), ..VbdConfig::default() }));
    assert_eq!(one, end(2, VbdConfig { threads: Some(1), ..VbdConfig::default() }));
}

/// Zero stiffness and an unmovable particle, edited mid-run, are taken over.
#[test]
fn edits_of_the_model_are_taken_over() {
    let mut b = ModelBuilder::new();
    add_particle(&mut b, Vec3::zeros(), Vec3::zeros(), 1.0, 0.0);
    add_particle(&mut b, Vec3::x(), Vec3::zeros(), 1.0, 0.0);
    let model = b.finalize().unwrap();
    let mut view = ModelView::whole(&model);
    let mut run = Run::new(model, VbdConfig::default());
    run.step(DT);
    let flags = view.immobilise_particle(coact_model::ParticleId(0));
    run.solver.notify_model_changed(&view, flags);
    let mut parent = run.model.clone();
    parent.gravity = Vec3::zeros();
    view.notify_model_changed(&parent, ModelFlags::GRAVITY);
    run.solver.notify_model_changed(&view, ModelFlags::GRAVITY);
    let before = run.state();
    run.step(DT);
    let after = run.state();
    assert_eq!(before.particle_q[0], after.particle_q[0]);
    assert!((after.particle_qd[1] - before.particle_qd[1]).norm() == 0.0 && after.particle_qd[1].z < 0.0);
}

#[test]
fn what_cannot_work_is_refused_by_name() {
    let mut b = ModelBuilder::new();
    add_particle(&mut b, Vec3::zeros(), Vec3::zeros(), 1.0, 0.01);
    b.add_shape(ShapeDef { name: "hat".into(), ..ShapeDef::default() });
    let mut model = b.finalize().unwrap();
    // the builder refuses it as well; an edit of the model may still bring it in
    model.shape_geometry.make_mut()[0] = Geometry::Mesh(std::sync::Arc::default());
    let text = SolverVbd::new(&ModelView::whole(&model), VbdConfig::default()).err().unwrap().to_string();
    assert!(text.contains("hat") && text.contains("no triangle") && text.contains("COLLIDE"), "{text}");
}

/// What is not a number is named and stays where it is.
#[test]
fn what_is_not_finite_is_reported_by_id() {
    let mut run = Run::new(box_on_cloth(0.0), VbdConfig::default());
    run.forces.particle_f[7] = Vec3::new(f64::NAN, 0.0, 0.0);
    run.step(DT);
    let id = coact_model::EntityId::Particle(coact_model::ParticleId(7));
    assert!(run.report.nonfinite.contains(&id), "{:?}", run.report.nonfinite);
}

/// A torque that would turn the body by many turns in one step: the momentum is that of its
/// impulse all the same, step after step.
#[test]
fn a_torque_that_no_rotation_answers_still_gives_its_impulse() {
    let mut b = ModelBuilder::new();
    b.gravity = Vec3::zeros();
    let inertia = Mat3::from_diagonal(&Vec3::new(2e-5, 1e-4, 3e-4));
    let mass = BodyMass::Given { mass: 0.1, com: Vec3::new(0.01, 0.0, -0.02), inertia };
    b.add_body(BodyDef { mass, ..Default::default() });
    let mut run = Run::new(b.finalize().unwrap(), VbdConfig::default());
    let (h, torque) = (1.0 / 60.0, Vec3::new(1.0, -3.0, 2.0));
    assert!(h * h * torque.x / 2e-5 > 4.0 * std::f64::consts::PI);
    run.forces.body_f[0] = Spatial::new(Vec3::zeros(), torque);
    for step in 1..=4 {
        run.step(h);
        let s = run.state();
        let q = s.body_q[0].q;
        let l = q * (inertia * (q.inverse() * s.body_qd[0].ang));
        let exact = torque * (h * f64::from(step));
        assert!((l - exact).norm() < 1e-12 * exact.norm(), "step {step}: {l:?} {exact:?}");
    }
}

/// Every edit that a flag names reaches the solver: a notified one takes the same step as one
/// that is built anew.
#[test]
fn a_notified_solver_steps_like_a_fresh_one() {
    type Edit = fn(&mut Model);
    let edits: [(ModelFlags, Edit); 10] = [
        (ModelFlags::GRAVITY, |m| m.gravity = Vec3::new(1.0, 0.0, -3.0)),
        (ModelFlags::PARTICLE_MASS, |m| {
            m.particle_mass.make_mut()[7] = 0.5;
            m.particle_inv_mass.make_mut()[7] = 2.0;
        }),
        (ModelFlags::PARTICLE_MASS, |m| m.particle_inv_mass.make_mut()[40] = 0.0),
        (ModelFlags::PARTICLE_MASS, |m| m.particle_active.make_mut()[40] = false),
        (ModelFlags::BODY_MASS, |m| {
            m.body_mass.make_mut()[0] = 3.0;
            m.body_inv_mass.make_mut()[0] = 1.0 / 3.0;
            m.body_inertia.make_mut()[0] = Mat3::identity() * 0.1;
            m.body_inv_inertia.make_mut()[0] = Mat3::identity() * 10.0;
        }),
        (ModelFlags::BODY_MASS, |m| m.body_kinematic.make_mut()[0] = true),
        (ModelFlags::BODY_MASS, |m| m.body_com.make_mut()[0] = Vec3::new(0.02, 0.0, 0.01)),
        (ModelFlags::SHAPES, |m| m.shape_margin.make_mut()[0] = 0.02),
        (ModelFlags::SHAPES, |m| m.materials.make_mut()[0].ke = 9e3),
        (ModelFlags::ELEMENTS, |m| {
            m.tri_mu.make_mut()[10] = 5e3;
            m.hinge_kd.make_mut()[4] = 1e-2;
        }),
    ];
    for (i, (flags, edit)) in edits.into_iter().enumerate() {
        let mut run = Run::new(box_on_cloth(0.5), VbdConfig::default());
        run.steps(12, 1.0 / 240.0);
        assert!(run.report.contacts.particle_shape_active > 0);
        let state = run.state();
        let mut changed = run.model.clone();
        edit(&mut changed);
        run.solver.notify_model_changed(&ModelView::whole(&changed), flags);
        let mut fresh = Run::new(changed, VbdConfig::default());
        run.solver.load(&state);
        fresh.solver.load(&state);
        let mut unchanged = Run::new(run.model.clone(), VbdConfig::default());
        unchanged.solver.load(&state);
        for r in [&mut run, &mut fresh, &mut unchanged] {
            r.steps(2, 1.0 / 240.0);
        }
        let (a, b) = (bits(&run.state()), bits(&fresh.state()));
        assert_eq!(a, b, "edit {i}");
        assert_ne!(a, bits(&unchanged.state()), "edit {i} does something");
    }
}

/// By the rule of the reference, a determinant in its units: what is light is left where it is.
#[test]
fn a_skipped_block_is_counted_and_named() {
    let mut b = ModelBuilder::new();
    add_particle(&mut b, Vec3::zeros(), Vec3::zeros(), 1.0, 0.0);
    let light = add_particle(&mut b, Vec3::x(), Vec3::zeros(), 1e-8, 0.0);
    let config = VbdConfig { singular: SingularRule::AbsoluteDeterminant, ..double() };
    let mut run = Run::new(b.finalize().unwrap(), config);
    run.step(DT);
    assert_eq!((run.report.skipped_blocks, run.report.first_skipped), (1, Some(light)));
    let mut run = Run::new(run.model, double());
    run.step(DT);
    assert_eq!((run.report.skipped_blocks, run.report.first_skipped), (0, None));
}
