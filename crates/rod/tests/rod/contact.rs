//! Rods that touch: what rests stays, what slides slides as it should, nothing passes.

use coact_math::{Pose, Spatial, Vec3};
use coact_model::{
    BodyDef, BodyId, Geometry, Material, MaterialId, ModelBuilder, RodDef, RodEnd, RodIds, RodPath,
    RodSection, ShapeDef,
};
use coact_rod::RodConfig;

use crate::support::{Run, momenta};

const G: f64 = 9.81;

fn builder(mu: f64, gravity: Vec3) -> ModelBuilder {
    let mut b = ModelBuilder::new();
    b.gravity = gravity;
    b.set_material(MaterialId(0), Material { mu, ..Material::default() });
    b
}

fn rod(b: &mut ModelBuilder, from: Vec3, to: Vec3, segments: usize, young: f64) -> RodIds {
    let path = RodPath::Straight { from, to, segments };
    b.add_rod(RodDef { path, young, section: RodSection::Circle { radius: 0.005 }, ..RodDef::default() })
}

fn run(b: ModelBuilder) -> Run {
    Run::new(b.finalize().unwrap(), RodConfig::default())
}

/// Kinetic, stored and potential energy \[J\].
fn energy(run: &Run) -> f64 {
    let mut solver_energy = run.solver.kinetic_energy();
    for i in 0..run.model.body_count() {
        let com = run.model.com_at(BodyId::new(i), &run.state.body_q[i]);
        solver_energy -= run.model.body_mass[i] * run.model.gravity.dot(&com);
    }
    solver_energy
}

#[test]
fn a_rod_on_a_slope_inside_its_cone_does_not_creep() {
    for (h, young) in [(1.0 / 60.0, 1e6), (1.0 / 240.0, 1e9)] {
        // tan 20° = 0.364 against mu 0.4; along the slope, so that it does not roll
        let (sin, cos) = 20.0_f64.to_radians().sin_cos();
        let mut b = builder(0.4, Vec3::new(G * sin, 0.0, -G * cos));
        b.add_shape(ShapeDef::default());
        rod(&mut b, Vec3::z() * 0.005, Vec3::new(0.3, 0.0, 0.005), 12, young);
        let mut run = run(b);
        let begin = run.state.clone();
        let place = |run: &Run| run.state.body_q.iter().map(|q| q.p).collect::<Vec<_>>();
        (0..60).for_each(|_| run.advance(h));
        let early = place(&run);
        (0..600).for_each(|_| run.advance(h));
        let crept = place(&run).iter().zip(&early).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        let gave = begin.body_q.iter().zip(&early).map(|(a, b)| (a.p - b).norm()).fold(0.0, f64::max);
        println!("h {h:.4}: gave {gave:.1e}, crept {crept:.1e}, {} Newton steps", run.report.iterations);
        assert!(crept < 1e-10, "crept by {crept}");
        assert!(gave < 1e-5, "gave way by {gave}");
        assert_eq!(run.report.iterations, 1, "a rod at rest is solved by one step");
    }
}

#[test]
fn a_rod_past_its_cone_slides_as_it_should() {
    let (sin, cos) = 30.0_f64.to_radians().sin_cos();
    let mut b = builder(0.4, Vec3::new(G * sin, 0.0, -G * cos));
    b.add_shape(ShapeDef::default());
    rod(&mut b, Vec3::z() * 0.005, Vec3::new(0.3, 0.0, 0.005), 12, 1e8);
    let mut run = run(b);
    (0..100).for_each(|_| run.advance(0.005));
    let exact = 0.5 * G * (sin - 0.4 * cos);
    for v in &run.state.body_qd {
        assert!((v.lin.x / exact - 1.0).abs() < 1e-4, "{} instead of {exact}", v.lin.x);
    }
}

#[test]
fn a_rod_falls_on_a_floor_and_on_others_and_rests() {
    let mut b = builder(0.5, Vec3::z() * -G);
    b.add_shape(ShapeDef::default());
    for (k, along) in [(0.0, Vec3::x()), (1.0, Vec3::y()), (2.0, Vec3::new(0.8, 0.6, 0.1))] {
        // bent, so that they do not roll away
        let bend = Vec3::new(0.02, -0.02, 0.0);
        let point = |i: i32| {
            let s = f64::from(i) / 5.0 - 1.0;
            Vec3::z() * (0.05 * (k + 1.0)) + along * (0.1 * s) + bend * (1.0 - s * s)
        };
        let path = RodPath::Points((0..=10).map(point).collect());
        b.add_rod(RodDef { path, young: 1e8, ..RodDef::default() });
    }
    let mut run = run(b);
    let (first, mut most, mut iterations) = (energy(&run), 0.0_f64, 0);
    for _ in 0..400 {
        run.step(1.0 / 240.0);
        iterations += run.report.iterations;
        most = most.max(energy(&run) - first);
    }
    let fastest = run.state.body_qd.iter().map(|v| v.lin.norm()).fold(0.0, f64::max);
    println!(
        "{iterations} Newton steps in 400, speed {fastest:.1e}, depth {:.1e}, gain {most:.1e} of {first:.1e}",
        run.report.penetration.depth
    );
    assert!(fastest < 1e-3 && most <= 1e-9 * first.abs());
    assert!(run.report.penetration.depth < 1e-6);
}

#[test]
fn what_rods_hand_to_each_other_is_momentum() {
    let mut b = builder(0.5, Vec3::zeros());
    let one = rod(&mut b, Vec3::new(-0.1, 0.0, 0.0), Vec3::new(0.1, 0.0, 0.0), 8, 1e8);
    rod(&mut b, Vec3::new(0.06, -0.1, 0.012), Vec3::new(0.03, 0.1, 0.013), 8, 1e8);
    let mut run = run(b);
    for body in &one.bodies {
        run.state.body_qd[body.index()] = Spatial::new(Vec3::new(0.3, 0.1, 2.0), Vec3::zeros());
    }
    run.load();
    let before = momenta(&run.model, &run.state);
    let mut pressed = 0;
    for _ in 0..100 {
        run.step(1.0 / 480.0);
        pressed += run.report.contacts.shapes_active;
    }
    let after = momenta(&run.model, &run.state);
    assert!(pressed > 0, "they never met");
    let (p, l) = ((after.0 - before.0).norm() / before.0.norm(), (after.1 - before.1).norm());
    println!("momentum off by {p:.1e}, angular momentum by {l:.1e} of {:.1e}", before.1.norm());
    assert!(p < 1e-12 && l < 1e-10 * before.0.norm());
}

/// At any speed, also where one step leads far beyond.
#[test]
fn nothing_passes_at_speed() {
    for speed in [1.0, 30.0, 300.0] {
        let mut b = builder(0.5, Vec3::zeros());
        let wall = Geometry::Box { half_extents: Vec3::new(0.5, 0.5, 0.002) };
        b.add_shape(ShapeDef { geometry: wall, ..ShapeDef::default() });
        rod(&mut b, Vec3::new(-0.1, 0.0, 0.3), Vec3::new(0.1, 0.02, 0.33), 10, 1e7);
        let mut run = run(b);
        run.state.body_qd.iter_mut().for_each(|v| *v = Spatial::new(Vec3::z() * -speed, Vec3::zeros()));
        run.load();
        let steps = (0.6 / speed * 240.0) as usize + 20;
        for _ in 0..steps {
            run.step(1.0 / 240.0);
            let lowest = run.state.body_q.iter().map(|q| q.p.z).fold(f64::INFINITY, f64::min);
            assert!(lowest > 0.006, "{speed} m/s: at {lowest}");
        }
        assert!(run.state.body_qd.iter().all(|v| v.lin.norm() < 1.1 * speed));
    }
}

/// A belt takes a rod along, a body that turns takes it round.
#[test]
fn what_moves_by_itself_takes_a_rod_along() {
    let mut b = builder(0.5, Vec3::z() * -G);
    b.add_shape(ShapeDef { surface_velocity: Vec3::x() * 0.4, ..ShapeDef::default() });
    rod(&mut b, Vec3::new(-0.1, 0.0, 0.005), Vec3::new(0.1, 0.0, 0.005), 8, 1e8);
    let mut run = run(b);
    (0..120).for_each(|_| run.advance(1.0 / 240.0));
    assert!(run.state.body_qd.iter().all(|v| (v.lin.x - 0.4).abs() < 1e-6), "{:?}", run.state.body_qd[0]);

    let mut b = builder(0.5, Vec3::z() * -G);
    let table = b.add_body(BodyDef {
        velocity: Spatial::new(Vec3::zeros(), Vec3::z() * 2.0),
        kinematic: true,
        ..BodyDef::default()
    });
    let plate = Geometry::Box { half_extents: Vec3::new(0.5, 0.5, 0.01) };
    b.add_shape(ShapeDef { body: Some(table), geometry: plate, ..ShapeDef::default() });
    // bent, so that it does not roll
    let point = |i: i32| Vec3::new(0.05 + 0.025 * f64::from(i), 0.002 * f64::from((i - 4) * (i - 4)), 0.015);
    let path = RodPath::Points((0..=8).map(point).collect());
    let ids = b.add_rod(RodDef { path, young: 1e8, ..RodDef::default() });
    let mut run = self::run(b);
    for (i, body) in ids.bodies.iter().enumerate() {
        let (spin, x) = (Vec3::z() * 2.0, run.state.body_q[body.index()].p);
        run.state.body_qd[ids.bodies[i].index()] = Spatial::new(spin.cross(&x), spin);
    }
    run.load();
    let before: Vec<f64> = run.state.body_q.iter().map(|q| q.p.norm()).collect();
    (0..480).for_each(|_| run.advance(1.0 / 240.0));
    for (q, r) in run.state.body_q.iter().zip(&before) {
        assert!((q.p.norm() - r).abs() < 2e-5, "from {r} to {}", q.p.norm());
    }
}

/// A clamp in a wall, segments shorter than they are thick, a rod bent to a hook: none meets itself.
#[test]
fn neighbors_along_a_rod_do_not_meet() {
    let mut b = builder(0.5, Vec3::zeros());
    b.add_shape(ShapeDef::default());
    let path = RodPath::Straight { from: Vec3::zeros(), to: Vec3::z() * 0.1, segments: 50 };
    let section = RodSection::Circle { radius: 0.005 };
    b.add_rod(RodDef { path, section, begin: RodEnd::Clamped(None), ..RodDef::default() });
    let mut run = run(b);
    let begin = run.state.clone();
    (0..20).for_each(|_| run.advance(0.01));
    assert_eq!(run.report.contacts.shapes_active, 0);
    let moved =
        run.state.body_q.iter().zip(&begin.body_q).map(|(a, b)| (a.p - b.p).norm()).fold(0.0, f64::max);
    assert!(moved < 1e-12, "{moved}");
}

/// What begins in a floor comes out slowly, and keeps no speed of it.
#[test]
fn overlaps_open_without_a_kick() {
    let mut b = builder(0.5, Vec3::z() * -G);
    b.add_shape(ShapeDef { pose: Pose::translation(Vec3::z() * 0.004), ..ShapeDef::default() });
    rod(&mut b, Vec3::new(-0.1, 0.0, 0.005), Vec3::new(0.1, 0.0, 0.005), 8, 1e8);
    let mut run = run(b);
    let mut fastest = 0.0_f64;
    for _ in 0..240 {
        run.step(1.0 / 240.0);
        fastest = run.state.body_qd.iter().map(|v| v.lin.z).fold(fastest, f64::max);
    }
    assert!(fastest < 0.21, "{fastest}");
    assert!(run.report.penetration.depth < 1e-6, "{}", run.report.penetration.depth);
    assert!(run.state.body_q.iter().all(|q| (q.p.z - 0.009).abs() < 1e-4));
}
