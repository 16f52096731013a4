//! Prints what detection between rigid shapes costs: one pair of resting boxes, and stacks of
//! a thousand boxes at rest and in motion. Run it with `--release` on a quiet machine.

use std::time::Instant;

use coact_collide::{ContactMatcher, ShapeContact, ShapePairDetector, ShapePairOptions};
use coact_math::{Pose, Vec3, exp_so3};
use coact_model::{BodyDef, Geometry, Model, ModelBuilder, ModelView, ShapeDef};

/// Columns of ten boxes of 0.2 m on a plane, each turned by `turn` \[rad\] against the one below.
fn stacks(columns: usize, turn: f64) -> Model {
    let mut b = ModelBuilder::new();
    b.add_shape(ShapeDef::default());
    let side = (columns as f64).sqrt().ceil() as usize;
    for k in 0..columns {
        for level in 0..10 {
            let p = Vec3::new((k % side) as f64 * 0.5, (k / side) as f64 * 0.5, 0.1 + 0.2 * level as f64);
            let turn = exp_so3(&Vec3::new(0.0, 0.0, turn * level as f64));
            let body = b.add_body(BodyDef { pose: Pose::new(p, turn), ..BodyDef::default() });
            let geometry = Geometry::Box { half_extents: Vec3::repeat(0.1) };
            b.add_shape(ShapeDef { geometry, body: Some(body), ..ShapeDef::default() });
        }
    }
    b.finalize().expect("boxes with density have mass")
}

/// What one detection took, the best of many.
struct Cost {
    /// Placing the shapes \[s\].
    place: f64,
    /// Finding the contacts \[s\].
    detect: f64,
    /// Matching them with those of the detection before \[s\].
    find: f64,
    contacts: usize,
}

/// `creep` \[m\] moves the boxes between detections.
fn best(model: &Model, creep: f64) -> Cost {
    let view = ModelView::whole(model);
    let mut d = ShapePairDetector::new(&view, ShapePairOptions::default()).expect("boxes can be met");
    let mut lists: [Vec<ShapeContact>; 2] = Default::default();
    let mut matcher = ContactMatcher::default();
    let mut cost = Cost { place: f64::INFINITY, detect: f64::INFINITY, find: f64::INFINITY, contacts: 0 };
    for k in 0..200 {
        let up = Vec3::new(0.0, 0.0, creep * f64::from(k));
        lists.swap(0, 1);
        lists[1].clear();
        let start = Instant::now();
        let pose = |q: &Pose| Pose::new(q.p + up, q.q);
        d.place(|b| pose(&model.body_q[b.index()]), |_, _| 0.0);
        let placed = Instant::now();
        d.detect(&mut lists[1]);
        let detected = Instant::now();
        matcher.find(&lists[0], &lists[1], |a, b| d.matching_distance(a, b));
        cost.place = cost.place.min((placed - start).as_secs_f64());
        cost.detect = cost.detect.min((detected - placed).as_secs_f64());
        cost.find = cost.find.min(detected.elapsed().as_secs_f64());
        cost.contacts = lists[1].len();
    }
    cost
}

fn main() {
    for columns in [1, 10, 100, 1000] {
        for (creep, turn, what) in
            [(0.0, 0.0, "at rest"), (0.0, 0.1, "at rest, turned"), (0.1, 0.1, "in fast motion, turned")]
        {
            let c = best(&stacks(columns, turn), creep);
            let boxes = columns as f64 * 10.0;
            println!(
                "{boxes} boxes {what}: place {:.1} us, detect {:.1} us ({:.0} ns per pair), match {:.1} us, {} contacts",
                c.place * 1e6,
                c.detect * 1e6,
                c.detect * 1e9 / boxes,
                c.find * 1e6,
                c.contacts
            );
        }
    }
}
