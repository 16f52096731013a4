//! What stands stays.

use coact_math::{Pose, Quat, Vec3};
use coact_model::{Material, MaterialId, ModelBuilder};

use coact_vbd::{BodyBlocks, VbdConfig};

use crate::support::{G, Run, builder, cuboid, floor};

/// A tower of boxes of these masses, 0.2 m each.
fn tower(masses: &[f64], half: Vec3) -> ModelBuilder {
    let mut b = builder(0.5);
    floor(&mut b, 0.0);
    for (i, &m) in masses.iter().enumerate() {
        let z = half.z * (1.0 + 2.0 * i as f64);
        cuboid(&mut b, Pose::translation(Vec3::new(0.0, 0.0, z)), half, m);
    }
    b
}

/// The largest way of any body from where it began.
pub fn largest_way(b: ModelBuilder, seconds: f64, h: f64) -> f64 {
    let mut run = Run::new(b);
    let begin = run.state.body_q.clone();
    let mut worst = 0.0_f64;
    for _ in 0..(seconds / h).round() as usize {
        run.step(h);
        for (q, q0) in run.state.body_q.iter().zip(&begin) {
            worst = worst.max((q.p - q0.p).norm()).max(q.q.angle_to(&q0.q));
        }
    }
    worst
}

#[test]
fn ten_boxes_stay_where_they_touch() {
    for h in [1.0 / 60.0, 1.0 / 120.0, 1.0 / 240.0] {
        let way = largest_way(tower(&[1.0; 10], Vec3::repeat(0.1)), 10.0, h);
        assert!(way < 1e-9, "{h}: {way:e}");
    }
}

#[test]
fn a_thousand_kilograms_stand_on_one() {
    let way = largest_way(tower(&[1.0, 1000.0], Vec3::repeat(0.1)), 10.0, 1.0 / 120.0);
    assert!(way < 1e-9, "{way:e}");
}

#[test]
fn eleven_slabs_do_not_move() {
    let way = largest_way(tower(&[100.0; 11], Vec3::new(0.5, 0.5, 0.05)), 3.0, 1.0 / 120.0);
    assert!(way < 1e-9, "{way:e}");
}

/// Each contact carries what stands on it: m g/k, four contacts to a pair.
#[test]
fn compliant_boxes_sink_by_the_exact_sum() {
    let mut b = tower(&[1.0; 10], Vec3::repeat(0.1));
    b.set_material(MaterialId(0), Material { rigid_ke: 1e5, kd: 200.0, ..Material::default() });
    let mut run = Run::new(b);
    run.seconds(6.0, 1.0 / 120.0);
    let mut sag = 0.0;
    for i in 0..10 {
        sag += (10 - i) as f64 * G / (4.0 * 1e5);
        let z = 0.1 + 0.2 * i as f64 - run.p(i).z;
        assert!((z / sag - 1.0).abs() < 1e-3, "box {i} sinks {z:e} m, {sag:e} is exact");
    }
}

#[test]
fn contacts_tell_what_they_carry() {
    let mut run = Run::new(tower(&[1.0, 2.0], Vec3::repeat(0.1)));
    run.seconds(0.5, 1.0 / 120.0);
    let force = |upper: u32| -> Vec3 {
        let on = |c: &coact_solver::ContactLoad| c.shapes[1].0 == upper;
        run.solver.body_contacts().filter(on).map(|c| c.force()).sum()
    };
    assert!((force(1) - Vec3::z() * 3.0 * G).norm() < 1e-4, "{}", force(1));
    assert!((force(2) - Vec3::z() * 2.0 * G).norm() < 1e-4, "{}", force(2));
    assert_eq!((run.report.contacts.shapes, run.report.contacts.shapes_active), (8, 8));
    assert!(run.report.penetration.depth < 1e-9);
}

/// Cards of 90 × 60 × 1 mm and 2 g in two storeys.
#[test]
fn a_card_house_stands() {
    let mut b = builder(0.6);
    floor(&mut b, 0.0);
    let (half, lean) = (Vec3::new(0.03, 0.0005, 0.045), 20f64.to_radians());
    let pair = |b: &mut ModelBuilder, y: f64, z: f64| {
        for side in [-1.0, 1.0] {
            let q = Quat::from_axis_angle(&Vec3::x_axis(), side * lean);
            let corners = [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]
                .map(|[i, k]| q * Vec3::new(0.0, i * half.y, k * half.z));
            let low = corners.iter().map(|c| c.z).fold(f64::MAX, f64::min);
            let inner = corners.iter().map(|c| c.y * side).fold(f64::MAX, f64::min);
            cuboid(b, Pose::new(Vec3::new(0.0, y - inner * side, z - low), q), half, 0.002);
        }
    };
    let (base, height) = (0.09 * lean.sin(), 0.09 * lean.cos() + 0.001 * lean.sin());
    pair(&mut b, -base, 0.0);
    pair(&mut b, base, 0.0);
    let roof = Vec3::new(0.03, 0.054, 0.0005);
    cuboid(&mut b, Pose::translation(Vec3::new(0.0, 0.0, height + 0.0005)), roof, 0.002);
    pair(&mut b, 0.0, height + 0.001);
    let way = largest_way(b, 5.0, 1.0 / 120.0);
    assert!(way < 5e-2, "{way}");
}

/// Boxes that begin 8 cm inside each other are moved apart, not thrown.
#[test]
fn what_overlaps_comes_apart_without_speed() {
    let mut b = builder(0.5);
    floor(&mut b, 0.0);
    for i in 0..3 {
        let p = Vec3::new(0.03 * i as f64, 0.0, 0.05 + 0.12 * i as f64);
        cuboid(&mut b, Pose::translation(p), Vec3::repeat(0.1), 1.0);
    }
    let mut run = Run::new(b);
    let mut fastest = 0.0_f64;
    for _ in 0..360 {
        run.step(1.0 / 120.0);
        fastest = (0..3).map(|i| run.v(i).norm()).fold(fastest, f64::max);
    }
    assert!(fastest < 0.1, "{fastest}");
    (0..3).for_each(|i| assert!((run.p(i).z - (0.1 + 0.2 * i as f64)).abs() < 1e-3, "{}", run.p(i)));
}

/// Bricks of 0.2 × 0.1 × 0.06 m, every other layer shifted by a quarter of each side.
fn bricks(count: [usize; 3]) -> ModelBuilder {
    let mut b = builder(0.5);
    floor(&mut b, 0.0);
    for k in 0..count[2] {
        for (i, j) in (0..count[0] * count[1]).map(|n| (n % count[0], n / count[0])) {
            let shift = 0.25 * (k % 2) as f64;
            let p = Vec3::new(i as f64 + shift, j as f64 + shift, k as f64 + 0.5);
            let half = Vec3::new(0.1, 0.05, 0.03);
            cuboid(&mut b, Pose::translation(p.component_mul(&half) * 2.0), half, 2.0);
        }
    }
    b
}

#[test]
fn a_pile_that_is_solved_as_one_does_not_move() {
    for h in [1.0 / 60.0, 1.0 / 120.0] {
        let way = largest_way(bricks([4, 4, 6]), 1.0, h);
        assert!(way < 1e-6, "{h}: {way:e}");
    }
}

/// Two hundred bricks are too many to be solved as one: swept, they come to rest.
#[test]
fn a_pile_that_is_swept_stays() {
    let way = largest_way(bricks([5, 5, 8]), 1.5, 1.0 / 120.0);
    assert!(way < 1e-2, "{way:e} m or rad");
}

/// Body by body, as the guide has it: what tips a little keeps all its points.
#[test]
fn bricks_that_are_swept_one_by_one_stay() {
    let config = VbdConfig { body_blocks: BodyBlocks::Single, ..VbdConfig::default() };
    let mut run = Run::with(bricks([1, 1, 2]), config);
    run.seconds(3.0, 1.0 / 120.0);
    let way = (run.p(1) - Vec3::new(0.05, 0.025, 0.09)).norm();
    assert!(way < 2e-4, "{way:e} {}", run.p(1));
}
