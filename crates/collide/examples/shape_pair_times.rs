//! Prints what detection between rigid shapes costs: one pair of resting boxes, and stacks of
//! a thousand boxes at rest and in motion. Run it with `--release` on a quiet machine.

use std::time::Instant;

use coact_collide::{ShapeContact, ShapePairDetector, ShapePairOptions};
use coact_math::{Pose, Vec3, exp_so3};
use coact_model::{BodyDef, Geometry, Model, ModelBuilder, ModelView, ShapeDef};

/// Columns of ten boxes of 0.2 m on a plane, each turned a little.
fn stacks(columns: usize) -> Model {
    let mut b = ModelBuilder::new();
    b.add_shape(ShapeDef::default());
    let side = (columns as f64).sqrt().ceil() as usize;
    for k in 0..columns {
        for level in 0..10 {
            let p = Vec3::new((k % side) as f64 * 0.5, (k / side) as f64 * 0.5, 0.1 + 0.2 * level as f64);
            let turn = exp_so3(&Vec3::new(0.0, 0.0, 0.1 * level as f64));
            let body = b.add_body(BodyDef { pose: Pose::new(p, turn), ..BodyDef::default() });
            let geometry = Geometry::Box { half_extents: Vec3::repeat(0.1) };
            b.add_shape(ShapeDef { geometry, body: Some(body), ..ShapeDef::default() });
        }
    }
    b.finalize().expect("boxes with density have mass")
}

/// Seconds and contacts of one detection, the best of many; `creep` \[m\] moves the boxes
/// between them.
fn best(model: &Model, creep: f64) -> (f64, usize) {
    let view = ModelView::whole(model);
    let mut d = ShapePairDetector::new(&view, ShapePairOptions::default()).expect("boxes can be met");
    let mut out: Vec<ShapeContact> = Vec::new();
    let mut best = f64::INFINITY;
    for k in 0..200 {
        let up = Vec3::new(0.0, 0.0, creep * f64::from(k));
        out.clear();
        let start = Instant::now();
        let pose = |q: &Pose| Pose::new(q.p + up, q.q);
        d.place(|b| pose(&model.body_q[b.index()]), |_, _| 0.0);
        d.detect(&mut out);
        best = best.min(start.elapsed().as_secs_f64());
    }
    (best, out.len())
}

fn main() {
    let one = stacks(1);
    let (time, contacts) = best(&one, 0.0);
    println!("one stack of 10: {:.2} us, {contacts} contacts, {:.0} ns per pair", time * 1e6, time * 1e8);
    for columns in [10, 100, 1000] {
        let model = stacks(columns);
        let (rest, contacts) = best(&model, 0.0);
        let (moving, _) = best(&model, 0.1);
        let boxes = columns * 10;
        println!(
            "{boxes} boxes: {:.1} us at rest ({:.0} ns per box, {contacts} contacts), {:.1} us in fast motion",
            rest * 1e6,
            rest * 1e9 / boxes as f64,
            moving * 1e6
        );
    }
}
