//! What is pressed from two sides, with less room than it takes, stays and is not thrown.

use coact_math::{Pose, Quat, Spatial, Vec3};
use coact_model::{BodyDef, BodyId, Geometry, ModelBuilder, ShapeDef};

use crate::statics::largest_way;
use crate::support::{Run, ball, builder, cuboid, floor};

/// A wall of 1 m with its face at `x`, on the side of its sign; it moves if it has a body.
fn wall(b: &mut ModelBuilder, x: f64, body: Option<BodyId>) {
    let half = 0.5_f64.copysign(x);
    let pose = Pose::translation(Vec3::new(x + half, 0.0, 0.5));
    let geometry = Geometry::Box { half_extents: Vec3::repeat(0.5) };
    b.add_shape(ShapeDef { body, geometry, pose, density: 0.0, ..ShapeDef::default() });
}

/// Fixed walls that stand `width` apart, on a floor.
fn slot(width: f64) -> ModelBuilder {
    let mut b = builder(0.3);
    floor(&mut b, 0.0);
    [-0.5, 0.5].into_iter().for_each(|side| wall(&mut b, side * width, None));
    b
}

/// No motion takes a box of 0.2 m out of a slot of 0.18 m: it stays, and is not thrown out of it.
#[test]
fn what_is_pressed_from_two_sides_stays() {
    for h in [1.0 / 60.0, 1.0 / 120.0, 1.0 / 1000.0] {
        let mut b = slot(0.18);
        cuboid(&mut b, Pose::translation(Vec3::new(0.0, 0.0, 0.1)), Vec3::repeat(0.1), 1.0);
        let way = largest_way(b, 2.0, h);
        assert!(way < 1e-6, "{h}: {way:e}");
    }
}

/// Boxes of very different mass that overlap each other and the walls share what room there is, without
/// speed.
#[test]
fn what_is_pressed_in_a_row_stays_without_speed() {
    for h in [1.0 / 60.0, 1.0 / 240.0] {
        let mut b = slot(0.56);
        for (x, mass) in [(-0.19, 1.0), (0.0, 10.0), (0.19, 0.1)] {
            cuboid(&mut b, Pose::translation(Vec3::new(x, 0.0, 0.1)), Vec3::repeat(0.1), mass);
        }
        let mut run = Run::new(b);
        for _ in 0..(2.0 / h) as usize {
            run.step(h);
            (0..3).for_each(|i| assert!(run.v(i).norm() < 0.05, "{h}: {}", run.v(i)));
        }
        (0..3).for_each(|i| assert!((run.p(i).x - 0.19 * (i as f64 - 1.0)).abs() < 0.01, "{}", run.p(i)));
    }
}

/// A box between a wall and a door that moves at `speed`, overlapped by 10 mm on either side: where it
/// is after two seconds, and how fast it was at most.
fn beside_a_door(speed: f64, h: f64) -> (Vec3, f64) {
    let mut b = builder(0.3);
    floor(&mut b, 0.0);
    wall(&mut b, -0.09, None);
    cuboid(&mut b, Pose::translation(Vec3::new(0.0, 0.0, 0.1)), Vec3::repeat(0.1), 1.0);
    let velocity = Spatial::new(Vec3::new(speed, 0.0, 0.0), Vec3::zeros());
    let door = b.add_body(BodyDef { velocity, kinematic: true, ..BodyDef::default() });
    wall(&mut b, 0.09, Some(door));
    let mut run = Run::new(b);
    let mut fastest = 0.0_f64;
    for _ in 0..(2.0 / h) as usize {
        run.step(h);
        fastest = fastest.max(run.v(0).norm());
    }
    (run.p(0), fastest)
}

#[test]
fn what_was_stuck_comes_out_as_the_door_opens() {
    for h in [1.0 / 60.0, 1.0 / 240.0] {
        let (p, fastest) = beside_a_door(0.05, h);
        assert!((p - Vec3::new(0.01, 0.0, 0.1)).norm() < 1e-3 && fastest < 0.1, "{h}: {p} {fastest}");
    }
}

/// Nothing is thrown by a door that closes on it: it gives way to both.
#[test]
fn what_a_door_closes_on_is_not_thrown() {
    for h in [1.0 / 60.0, 1.0 / 240.0] {
        let (p, fastest) = beside_a_door(-0.02, h);
        assert!((p - Vec3::new(-0.02, 0.0, 0.1)).norm() < 0.02 && fastest < 0.1, "{h}: {p} {fastest}");
    }
}

/// Under a ceiling that is too low a box stays, with its weight on a floor that it overlaps.
#[test]
fn what_is_wedged_under_a_ceiling_does_not_sink() {
    for h in [1.0 / 60.0, 1.0 / 240.0] {
        let mut b = builder(0.5);
        floor(&mut b, 0.0);
        let pose = Pose::translation(Vec3::new(0.0, 0.0, 0.69));
        b.add_shape(ShapeDef {
            geometry: Geometry::Box { half_extents: Vec3::repeat(0.5) },
            pose,
            ..ShapeDef::default()
        });
        cuboid(&mut b, Pose::translation(Vec3::new(0.0, 0.0, 0.095)), Vec3::repeat(0.1), 1.0);
        let way = largest_way(b, 10.0, h);
        assert!(way < 1e-5, "{h}: {way:e}");
    }
}

/// The largest speed in a second.
fn fastest(b: ModelBuilder, bodies: usize, h: f64) -> f64 {
    let mut run = Run::new(b);
    let mut fastest = 0.0_f64;
    for _ in 0..(1.0 / h) as usize {
        run.step(h);
        (0..bodies).for_each(|i| fastest = fastest.max(run.v(i).norm()));
    }
    fastest
}

/// What the step of rows that nothing satisfies would give boxes that lean on each other between walls, 36
/// m/s, is not given.
#[test]
fn boxes_that_lean_between_walls_are_not_shot_out() {
    for h in [1.0 / 60.0, 1.0 / 120.0, 1.0 / 240.0] {
        for tilt in [1.0_f64, 3.0, 6.0] {
            let mut b = slot(0.37);
            let lean = Quat::from_scaled_axis(Vec3::new(1.0, 0.3, 0.2).normalize() * tilt.to_radians());
            for x in [-0.095, 0.095] {
                cuboid(&mut b, Pose::new(Vec3::new(x, 0.0, 0.12), lean), Vec3::repeat(0.1), 1.0);
            }
            let v = fastest(b, 2, h);
            assert!(v < 3.0, "{h} {tilt}: {v}");
        }
    }
}

/// A column of balls, each a little beside the one below, under a ceiling that is too low.
#[test]
fn balls_pressed_off_their_centres_are_not_shot_out() {
    for h in [1.0 / 60.0, 1.0 / 120.0, 1.0 / 240.0] {
        let mut b = builder(0.5);
        floor(&mut b, 0.0);
        let pose = Pose::translation(Vec3::new(0.0, 0.0, 1.07));
        let geometry = Geometry::Box { half_extents: Vec3::repeat(0.5) };
        b.add_shape(ShapeDef { geometry, pose, ..ShapeDef::default() });
        for k in 0..3 {
            let at = Vec3::new(0.002 * k as f64, 0.0, 0.095 + 0.19 * k as f64);
            ball(&mut b, at, Vec3::zeros(), 0.1, 1.0);
        }
        let v = fastest(b, 3, h);
        assert!(v < 3.0, "{h}: {v}");
    }
}

/// An upright cylinder of 1 kg, 0.2 m high and wide.
fn cylinder(b: &mut ModelBuilder, at: Vec3) {
    let body = b.add_body(BodyDef { pose: Pose::translation(at), ..BodyDef::default() });
    let geometry = Geometry::Cylinder { radius: 0.1, half_height: 0.1 };
    let density = 1.0 / (std::f64::consts::PI * 0.01 * 0.2);
    b.add_shape(ShapeDef { body: Some(body), geometry, density, ..ShapeDef::default() });
}

/// Three cylinders in a row without room, on which a door closes by 30 mm.
#[test]
fn cylinders_that_a_door_closes_on_are_not_shot_out() {
    for h in [1.0 / 60.0, 1.0 / 120.0, 1.0 / 240.0] {
        for mu in [0.0, 0.5] {
            let mut b = builder(mu);
            floor(&mut b, 0.0);
            for k in 0..3 {
                cylinder(&mut b, Vec3::new(0.2 * k as f64, 0.0, 0.1));
            }
            wall(&mut b, 0.5, None);
            let velocity = Spatial::new(Vec3::new(0.1, 0.0, 0.0), Vec3::zeros());
            let door = b.add_body(BodyDef { velocity, kinematic: true, ..BodyDef::default() });
            wall(&mut b, -0.1, Some(door));
            let mut run = Run::new(b);
            for _ in 0..(0.3 / h) as usize {
                run.step(h);
                (0..3).for_each(|i| assert!(run.v(i).norm() < 3.0, "{h} {mu}: {}", run.v(i)));
            }
        }
    }
}
