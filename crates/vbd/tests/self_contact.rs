//! Self-contact in whole steps: nothing that starts free of intersections ever intersects,
//! and what is far from any contact does not notice that it is on.

mod support;

use coact_collide::Contacts;
use coact_collide::self_contact::{Filter, Surface, find_intersections};
use coact_math::{Pose, Quat, Vec3};
use coact_model::{
    ClothDef, Geometry, Material, MaterialId, Model, ModelBuilder, ModelView, ParticleId, ShapeDef, SoftDef,
    State,
};
use coact_solver::{
    CouplingInterface, DetectionSchedule, DetectionSlots, Endpoint, EndpointState, Snapshot, Solver,
    StepInput,
};
use coact_vbd::{FrictionLaw, IntersectingStart, Precision, SelfContactConfig, SolverVbd, VbdConfig};
use support::scenes::{Run, bits, grid};

const DT: f64 = 1.0 / 60.0;

fn on(margin: f64) -> VbdConfig {
    let self_contact = Some(SelfContactConfig { margin, gap: margin, ..SelfContactConfig::default() });
    VbdConfig { self_contact, ..VbdConfig::default() }
}

/// A builder without gravity whose surfaces have this stiffness.
fn builder(ke: f64) -> ModelBuilder {
    let mut b = ModelBuilder::new();
    b.gravity = Vec3::zeros();
    b.set_material(MaterialId(0), Material { ke, kd: 1e-3 * ke, mu: 0.3, ..Material::default() });
    b
}

fn add_sheet(
    b: &mut ModelBuilder,
    name: &str,
    n: usize,
    dx: f64,
    pose: Pose,
    velocity: Vec3,
) -> Vec<ParticleId> {
    let def = ClothDef {
        pose,
        velocity,
        density: 0.3,
        mu: 500.0,
        lambda: 500.0,
        kd: 1e-2,
        bend_ke: 1e-3,
        ..ClothDef::default()
    };
    let group = b.add_cloth(name, &grid(n, dx), &def);
    b.group_particles(group).collect()
}

/// Steps, and asserts after each that no two triangles meet.
fn step_free(run: &mut Run, dt: f64, step: usize) {
    run.step(dt);
    let r = &run.report;
    assert_eq!((r.nonfinite_count, r.self_contact.exempt), (0, 0), "step {step}");
    let state = run.state();
    let triangles: Vec<[u32; 3]> = run.model.names.groups.iter().flat_map(|g| g.surface.clone()).collect();
    let surface = Surface::new(&triangles, &[], &run.model.particle_q, Filter::default());
    let found = find_intersections(&surface, &state.particle_q);
    assert!(found.is_empty(), "step {step}: {} pairs, {:?}", found.len(), &run.report.self_contact);
}

fn two_sheets(n: usize, speed: f64) -> Model {
    let mut b = builder(1e3);
    let tilt = Quat::from_scaled_axis(Vec3::new(0.05, 0.03, 0.4));
    add_sheet(&mut b, "lower", n, 0.03, Pose::translation(Vec3::zeros()), Vec3::z() * (0.5 * speed));
    add_sheet(
        &mut b,
        "upper",
        n,
        0.03,
        Pose::new(Vec3::new(0.01, 0.02, 0.3), tilt),
        Vec3::z() * (-0.5 * speed),
    );
    b.finalize().unwrap()
}

#[test]
fn sheets_that_meet_at_20_metres_per_second_never_intersect() {
    for precision in [Precision::Double, Precision::Mixed] {
        let mut run = Run::new(two_sheets(12, 20.0), VbdConfig { precision, ..on(0.01) });
        let (mut active, mut taken) = (0, 0.0_f64);
        for step in 0..40 {
            step_free(&mut run, DT, step);
            let r = &run.report.self_contact;
            active += r.active;
            taken = taken.max(Vec3::from(r.truncated_momentum).norm());
            assert!(r.truncated_particles > 0 || r.truncated_momentum == [0.0; 3]);
        }
        assert!(active > 100, "they never touched: {active}");
        assert!(taken > 0.0, "bounds took no momentum");
    }
}

/// The lower one hangs from two sides, stiff enough for acceleration, until the other one meets it.
/// Sheets of 0.3 m that fly at each other edge on, the second one turned by `tilt` about its way.
fn edge_on(n: usize, speed: f64, tilt: f64) -> Model {
    let mut b = builder(1e4);
    let middle = Vec3::new(-0.15, -0.15, 0.0);
    add_sheet(
        &mut b,
        "left",
        n,
        0.3 / n as f64,
        Pose::translation(middle + Vec3::x() * -0.17),
        Vec3::x() * speed,
    );
    let q = Quat::from_scaled_axis(Vec3::new(1.0, 0.1, 0.0).normalize() * tilt);
    let place = Pose::new(Vec3::new(0.17, 0.01, 0.01) + q * middle, q);
    add_sheet(&mut b, "right", n + 1, 0.3 / n as f64, place, Vec3::x() * -speed);
    b.finalize().unwrap()
}

/// Margins far below an edge, and nothing but bounds that keeps the sheets apart.
#[test]
fn thin_sheets_that_cross_edge_on_never_intersect() {
    for (margin, speed, dt) in [(3e-4, 20.0, DT), (6e-4, 40.0, DT), (6e-5, 2.0, 1.0 / 240.0)] {
        for (n, tilt) in [(5, 1.42), (8, 1.13), (9, 0.4)] {
            let mut run = Run::new(edge_on(n, speed, tilt), on(margin));
            let mut met = false;
            for step in 0..(0.15 / dt) as usize {
                step_free(&mut run, dt, step);
                met |= run.report.self_contact.detections > 2;
            }
            assert!(met, "they never met: {margin} {n}");
        }
    }
}

/// Kinetic and stored energy of what crosses never exceed what there was.
#[test]
fn sheets_that_cross_edge_on_gain_no_energy() {
    for (speed, dt) in [(5.0, 1.0 / 120.0), (20.0, 1.0 / 240.0), (20.0, DT)] {
        let mut run = Run::new(edge_on(9, speed, 1.48), on(0.004));
        let energy = |run: &mut Run| {
            let state = run.state();
            let pairs = run.model.particle_mass.iter().zip(&*state.particle_qd);
            pairs.map(|(m, v)| 0.5 * m * v.norm_squared()).sum::<f64>() + run.solver.stored_energy()
        };
        let begin = energy(&mut run);
        for step in 0..(0.3 / dt) as usize {
            run.step(dt);
            let e = energy(&mut run);
            assert!(e < 1.01 * begin, "{speed} {dt}: {e} J of {begin} J in step {step}");
        }
    }
}

#[test]
fn a_sheet_that_hangs_is_never_crossed_by_one_that_falls() {
    let mut b = builder(1e3);
    b.gravity = Vec3::new(0.0, 0.0, -9.81);
    let (n, dx) = (12, 0.03);
    let hung = add_sheet(&mut b, "hung", n, dx, Pose::translation(Vec3::zeros()), Vec3::zeros());
    hung.iter()
        .enumerate()
        .filter(|(i, _)| i % n == 0 || i % n == n - 1)
        .for_each(|(_, &p)| b.pin_particle(p));
    let tilt = Quat::from_scaled_axis(Vec3::new(0.05, 0.03, 0.4));
    add_sheet(&mut b, "falling", n, dx, Pose::new(Vec3::z() * 0.1, tilt), Vec3::z() * -5.0);
    let mut run = Run::new(b.finalize().unwrap(), on(0.01));
    let mut active = 0;
    for step in 0..40 {
        step_free(&mut run, DT, step);
        active += run.report.self_contact.active;
    }
    assert!(active > 100, "they never touched: {active}");
}

/// It stretches as it turns, and acceleration carries its particles far between two detections. A
/// sheet that keeps its spin is unstable: a nudge of 1e-15 m of one vertex may grow to millimetres. On the
/// way of an iteration vertices may come near each other that do not meet, so a hundredth of a millimetre is
/// let pass where the nudge does less.
#[test]
fn a_cloth_that_turns_as_it_falls_does_not_notice_self_contact() {
    let fall = |config: VbdConfig, (rate, dt): (f64, f64), nudge: f64| {
        let mut b = builder(1e3);
        b.gravity = Vec3::new(0.0, 0.0, -9.81);
        let velocity = Vec3::new(1.0, 0.0, -10.0);
        b.add_cloth("cloth", &grid(17, 0.03), &ClothDef { velocity, ..ClothDef::default() });
        let mut run = Run::new(b.finalize().unwrap(), config);
        let (mut state, turn) = (run.model.state(), Vec3::new(0.3, 1.0, 0.2).normalize() * rate);
        for p in 0..state.particle_q.len() {
            let x = state.particle_q[p];
            state.particle_qd[p] += turn.cross(&x);
        }
        state.particle_q[5].x += nudge;
        run.solver.load(&state);
        let mut taken = 0.0_f64;
        for _ in 0..(0.5 / dt) as usize {
            run.step(dt);
            let r = run.report.self_contact;
            assert_eq!(r.active, 0, "it met itself");
            taken = taken.max(r.truncated_motion);
        }
        (run.state(), taken)
    };
    for at in [(5.0, DT), (10.0, DT), (8.0, 2.0 * DT), (20.0, 0.5 * DT)] {
        let (off, _) = fall(VbdConfig::default(), at, 0.0);
        let (with, taken) = fall(on(0.005), at, 0.0);
        let (nudged, _) = fall(VbdConfig::default(), at, 1e-15);
        let apart = |other: &State| {
            let each = off.particle_q.iter().zip(&other.particle_q).map(|(a, b)| (a - b).norm());
            each.fold(0.0, f64::max)
        };
        let (most, least) = (apart(&with), apart(&nudged));
        assert!(most <= least.max(1e-5) && taken == 0.0, "{at:?}: {most} m, {taken} m were cut");
    }
}

#[test]
fn a_cloth_in_free_fall_does_not_notice_self_contact() {
    let fall = |config: VbdConfig, angle: f64| {
        let mut b = builder(1e3);
        b.gravity = Vec3::new(0.0, 0.0, -9.81);
        let pose = Pose::new(Vec3::zeros(), Quat::from_scaled_axis(Vec3::x() * angle));
        add_sheet(&mut b, "cloth", 12, 0.02, pose, Vec3::new(1.0, 0.0, -10.0));
        let mut run = Run::new(b.finalize().unwrap(), config);
        run.steps(30, DT);
        (run.state(), run.report)
    };
    for angle in [0.0, 0.7] {
        let ((off, _), (with, report)) = (fall(VbdConfig::default(), angle), fall(on(0.005), angle));
        let apart = off.particle_q.iter().zip(&with.particle_q).map(|(a, b)| (a - b).norm());
        let most = apart.fold(0.0, f64::max);
        assert!(most <= 1e-6, "{most} m, {:?}", report.self_contact);
        assert!(off.particle_q[0].z < -5.0 && report.self_contact.detections == 1);
        assert_eq!(report.self_contact.truncated_momentum, [0.0; 3]);
    }
}

/// Pinned ends of a cloth turn against each other.
struct Twist {
    ends: [Vec<ParticleId>; 2],
    start: Vec<Vec3>,
}

impl Twist {
    fn model(n: usize, dx: f64) -> (Model, Self) {
        let mut b = builder(2e2);
        let ids = add_sheet(&mut b, "cloth", n, dx, Pose::translation(Vec3::zeros()), Vec3::zeros());
        let column = |i: usize| (0..n).map(|j| ids[j * n + i]).collect::<Vec<_>>();
        let ends = [column(0), column(n - 1)];
        ends.iter().flatten().for_each(|&p| b.pin_particle(p));
        let model = b.finalize().unwrap();
        let start = model.particle_q.to_vec();
        (model, Self { ends, start })
    }

    /// Turns the ends by ± `angle` about x.
    fn turn(&self, run: &mut Run, angle: f64) {
        for (end, sign) in self.ends.iter().zip([1.0, -1.0]) {
            let q = Quat::from_scaled_axis(Vec3::x() * (sign * angle));
            let at = |p: &ParticleId| EndpointState::particle(q * self.start[p.index()], Vec3::zeros());
            let points: Vec<_> = end.iter().map(|&p| Endpoint::Particle(p)).collect();
            run.solver.write_interface(&points, &end.iter().map(at).collect::<Vec<_>>());
        }
    }
}

#[test]
fn a_cloth_twisted_by_two_turns_never_intersects_itself() {
    let (model, twist) = Twist::model(15, 0.02);
    let mut run = Run::new(model, VbdConfig { precision: Precision::Mixed, ..on(0.004) });
    let (mut most, mut detections, steps) = (0, 0, 240);
    for step in 0..steps {
        let angle = 2.0 * std::f64::consts::PI * (step + 1) as f64 / steps as f64;
        twist.turn(&mut run, angle);
        step_free(&mut run, 1.0 / 120.0, step);
        most = most.max(run.report.self_contact.active);
        detections += run.report.self_contact.detections;
    }
    assert!(most > 50, "it never touched itself: {most}");
    assert!(detections < 4 * steps, "{detections} detections in {steps} steps");
}

/// Layers with a layer's distance of less than their motion per step: they fall as if alone,
/// and then lie on each other.
#[test]
fn layers_dropped_on_a_sphere_never_intersect() {
    let mut b = builder(5e2);
    b.gravity = Vec3::new(0.0, 0.0, -9.81);
    for k in 0..5 {
        let turn = Quat::from_scaled_axis(Vec3::z() * (0.3 * f64::from(k)));
        let pose = Pose::new(Vec3::new(0.0, 0.0, 0.16 + 0.012 * f64::from(k)), turn);
        add_sheet(&mut b, &format!("layer {k}"), 10, 0.03, pose, Vec3::new(0.0, 0.0, -2.0));
    }
    let geometry = Geometry::Sphere { radius: 0.1 };
    b.add_shape(ShapeDef { geometry, ..ShapeDef::default() });
    let (precision, friction) = (Precision::Mixed, FrictionLaw::Anchored);
    let mut run = Run::new(b.finalize().unwrap(), VbdConfig { precision, friction, ..on(0.004) });
    let mut most = 0;
    for step in 0..40 {
        step_free(&mut run, DT, step);
        most = most.max(run.report.self_contact.active);
        if step == 0 {
            let fallen = 0.16 - run.state().particle_q.iter().map(|x| x.z).fold(f64::INFINITY, f64::min);
            let free = 2.0 * DT + 9.81 * DT * DT;
            assert!((fallen - free).abs() < 1e-6, "{fallen} of {free}: {:?}", run.report.self_contact);
        }
    }
    assert!(most > 100, "they never touched: {most}");
}

/// Layers on the tip of a cone in metres, and the same in half-millimetres: lengths and gravity scaled, forces per length not.
#[test]
fn a_scene_in_other_units_of_length_does_not_intersect_either() {
    for (scale, precision) in
        [(1.0 / 1024.0, Precision::Mixed), (1.0 / 1024.0, Precision::Double), (1024.0, Precision::Mixed)]
    {
        let mut b = builder(1e3);
        b.gravity = Vec3::new(0.0, 0.0, -9.81 * scale);
        for k in 0..3 {
            let turn = Quat::from_scaled_axis(Vec3::z() * (0.27 * f64::from(k)));
            let pose = Pose::new(Vec3::new(0.0, 0.0, (0.42 + 0.03 * f64::from(k)) * scale), turn);
            let def = ClothDef {
                density: 0.3 / (scale * scale),
                mu: 500.0,
                lambda: 500.0,
                kd: 0.1,
                bend_ke: 1e-3 * scale,
                bend_kd: 1e-5 * scale,
                radius: 0.004 * scale,
                pose,
                ..ClothDef::default()
            };
            b.add_cloth(format!("layer {k}"), &grid(11, 0.05 * scale), &def);
        }
        let geometry = Geometry::Cone { radius: 0.2 * scale, half_height: 0.4 * scale };
        b.add_shape(ShapeDef { geometry, gap: 0.008 * scale, ..ShapeDef::default() });
        let mut config = VbdConfig { precision, ..on(0.008 * scale) };
        config.soft_contact_gap = Some(0.008 * scale);
        config.friction_epsilon *= scale;
        let mut run = Run::new(b.finalize().unwrap(), config);
        let mut active = 0;
        for step in 0..60 {
            step_free(&mut run, 1.0 / 120.0, step);
            active = active.max(run.report.self_contact.active);
        }
        assert!(active > 50, "they never touched: {active}");
    }
}

#[test]
fn cloth_too_small_for_single_precision_is_refused_with_the_remedy() {
    let mut b = builder(1e3);
    add_sheet(&mut b, "dust", 4, 1.2e-5, Pose::identity(), Vec3::zeros());
    let view = ModelView::whole(&b.finalize().unwrap());
    let build = |precision| SolverVbd::new(&view, VbdConfig { precision, ..VbdConfig::default() });
    let refused = build(Precision::Mixed).err().unwrap().to_string();
    assert!(refused.contains("precision Double") && refused.contains("1.20e-5"), "{refused}");
    let mut solver = build(Precision::Double).unwrap();
    let (control, forces) = (view.parent().control(), coact_model::Forces::zeros(16, 0));
    let mut report = coact_solver::StepReport::default();
    let input = StepInput { control: &control, forces: &forces, contacts: None };
    solver.step(&input, DT, &mut report).unwrap();
    assert_eq!(report.nonfinite_count, 0);
}

/// Boundaries of solids meet as cloth does.
/// Limp sheets, one exactly above the other, a little more than the margin apart, on a floor.
fn pile(count: usize, n: usize, margin: f64) -> Model {
    let mut b = builder(500.0);
    b.gravity = Vec3::new(0.0, 0.0, -9.81);
    b.add_shape(ShapeDef { geometry: Geometry::Plane, ..ShapeDef::default() });
    for k in 0..count {
        let pose = Pose::translation(Vec3::z() * (ClothDef::default().radius + 1.02 * margin * k as f64));
        let limp = ClothDef { density: 0.3, mu: 10.0, lambda: 10.0, kd: 1e-2, ..ClothDef::default() };
        b.add_cloth(format!("sheet {k}"), &grid(n, 0.03), &ClothDef { pose, bend_ke: 1e-5, ..limp });
    }
    b.finalize().unwrap()
}

/// Vertices of one color lie above each other here, and move at once. What is left of the residual is 0.15 N
/// where sweeps that gain energy keep the pile shaking at up to a metre per second.
#[test]
fn a_pile_of_eight_aligned_sheets_rests_at_its_thickness() {
    let (count, n, margin, steps) = (8, 6, 0.01, 120);
    let mut run = Run::new(pile(count, n, margin), VbdConfig { iterations: 30, ..on(margin) });
    let (mut left, mut height, mut fastest) = (0.0, 0.0, 0.0_f64);
    for step in 0..steps {
        step_free(&mut run, 1.0 / 240.0, step);
        if step >= steps / 2 {
            left += run.report.residual_last.rms / (0.5 * steps as f64);
            let top = run.state().particle_q[(count - 1) * n * n..].iter().map(|x| x.z).sum::<f64>();
            height += top / (n * n) as f64 / (0.5 * steps as f64);
            fastest = run.state().particle_qd.iter().map(|v| v.norm()).fold(fastest, f64::max);
        }
    }
    let thickness = ClothDef::default().radius + margin * (count - 1) as f64;
    println!("{height} m high, {left} N left, {fastest} m/s");
    assert!((height / thickness - 1.0).abs() < 0.02, "{height} m high, {thickness} m thick");
    assert!(left < 0.03 && fastest < 0.1, "{left} N of the residual are left, {fastest} m/s");
}

#[test]
fn soft_blocks_that_fall_on_each_other_never_intersect() {
    let mut b = builder(5e3);
    b.gravity = Vec3::new(0.0, 0.0, -9.81);
    let mesh =
        coact_model::mesh::tet_box([3, 3, 3], Vec3::repeat(0.2), coact_model::mesh::CellSplit::default());
    for (k, z) in [0.02, 0.26].into_iter().enumerate() {
        let pose = Pose::new(
            Vec3::new(0.05 * k as f64, 0.03 * k as f64, z),
            Quat::from_scaled_axis(Vec3::z() * 0.2),
        );
        let def = SoftDef { pose, density: 300.0, mu: 2e4, lambda: 4e4, ..SoftDef::default() };
        b.add_soft(format!("block {k}"), &mesh, &def);
    }
    b.add_shape(ShapeDef { geometry: Geometry::Plane, ..ShapeDef::default() });
    let mut run = Run::new(b.finalize().unwrap(), on(0.01));
    let mut active = 0;
    for step in 0..60 {
        step_free(&mut run, DT, step);
        active += run.report.self_contact.active;
    }
    assert!(active > 20, "they never touched: {active}");
}

#[test]
fn a_schedule_by_iterations_detects_as_often_as_it_says() {
    let detections = |schedule| {
        let detection = DetectionSlots { self_contact: schedule, ..DetectionSlots::default() };
        let mut run = Run::new(two_sheets(6, 0.0), VbdConfig { detection, ..on(0.01) });
        run.step(DT);
        run.report.self_contact.detections
    };
    assert_eq!(detections(DetectionSchedule::PreInit), 1);
    assert_eq!(detections(DetectionSchedule::Auto), 2);
    assert_eq!(detections(DetectionSchedule::PrePostInit), 2);
    assert_eq!(detections(DetectionSchedule::Iterations(4)), 3);
}

#[test]
fn pairs_of_the_caller_replace_detection() {
    let mut b = builder(1e3);
    add_sheet(&mut b, "lower", 2, 0.1, Pose::identity(), Vec3::zeros());
    add_sheet(&mut b, "upper", 2, 0.1, Pose::translation(Vec3::new(0.02, 0.01, 0.004)), Vec3::zeros());
    let model = b.finalize().unwrap();
    let mut run = Run::new(model, on(0.01));
    let pair = [4, 0, 1, 3].map(ParticleId);
    let contacts = Contacts { particle_vertex_triangle: vec![pair], ..Contacts::default() };
    let control = run.model.control();
    let input = StepInput { control: &control, forces: &run.forces, contacts: Some(&contacts) };
    run.solver.step(&input, DT, &mut run.report).unwrap();
    assert_eq!((run.report.self_contact.pairs, run.report.self_contact.detections), (1, 0));
    let state = run.state();
    assert!(state.particle_qd[4].z > 0.0 && state.particle_qd[0].z < 0.0);
}

/// Nothing says which side is which: the pair must come apart, and be finite.
#[test]
fn sheets_that_coincide_come_apart() {
    let mut b = builder(1e3);
    add_sheet(&mut b, "lower", 4, 0.1, Pose::identity(), Vec3::zeros());
    add_sheet(&mut b, "upper", 4, 0.1, Pose::translation(Vec3::new(0.013, 0.017, 0.0)), Vec3::zeros());
    let model = b.finalize().unwrap();
    let view = ModelView::whole(&model);
    let refused = SolverVbd::new(&view, on(0.01)).err().unwrap().to_string();
    assert!(refused.contains("intersects itself") && refused.contains("Exempt"), "{refused}");
    let exempt =
        SelfContactConfig { intersecting: IntersectingStart::Exempt, ..on(0.01).self_contact.unwrap() };
    let mut run = Run::new(model, VbdConfig { self_contact: Some(exempt), ..VbdConfig::default() });
    run.step(DT);
    assert!(run.report.self_contact.exempt > 0 && run.report.nonfinite_count == 0);
    run.steps(60, DT);
    let r = &run.report.self_contact;
    assert!(r.least_distance > 0.002 && run.report.nonfinite_count == 0, "{r:?}");
}

#[test]
fn a_margin_beyond_the_edges_is_refused_unless_the_rest_shape_excludes_it() {
    let mut b = builder(1e3);
    add_sheet(&mut b, "cloth", 8, 0.01, Pose::identity(), Vec3::zeros());
    let model = b.finalize().unwrap();
    let view = ModelView::whole(&model);
    let refused = SolverVbd::new(&view, on(0.03)).err().unwrap().to_string();
    for word in ["presses on itself at rest", "0.03 m", "edges are shorter", "rest_exclusion", "rings"] {
        assert!(refused.contains(word), "no '{word}' in: {refused}");
    }
    let by_rest = SelfContactConfig { rest_exclusion: 0.035, ..on(0.03).self_contact.unwrap() };
    let config = VbdConfig { self_contact: Some(by_rest), ..VbdConfig::default() };
    let mut run = Run::new(model, config);
    run.steps(5, DT);
    assert_eq!(run.report.self_contact.active, 0);
}

/// Bounds outlive the step; a restore brings them back, so that a step gives the same bits.
#[test]
fn a_restored_step_is_the_same_to_the_bit() {
    let mut run = Run::new(two_sheets(8, 4.0), on(0.01));
    let mut snapshot = Snapshot::new();
    let mut pairs = 0;
    for step in 0..14 {
        run.solver.save_into(&mut snapshot);
        run.step(DT);
        let (first, detections) = (bits(&run.state()), run.report.self_contact.detections);
        run.step(DT);
        run.solver.restore(&snapshot);
        run.step(DT);
        assert!(bits(&run.state()) == first, "step {step}");
        assert_eq!(run.report.self_contact.detections, detections, "step {step}");
        pairs = pairs.max(run.report.self_contact.pairs);
    }
    assert!(pairs > 0);
}

#[test]
fn results_do_not_depend_on_threads() {
    let run = |threads| {
        let config = VbdConfig { threads, parallel_threshold: 8, ..on(0.01) };
        let mut run = Run::new(two_sheets(8, 20.0), config);
        run.steps(12, DT);
        assert!(run.report.self_contact.pairs > 0);
        bits(&run.state())
    };
    assert!(run(Some(1)) == run(Some(3)));
}
