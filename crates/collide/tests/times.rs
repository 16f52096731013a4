//! What detection between rigid shapes costs: run with `--nocapture` on a quiet machine to read
//! the times. Asserted are the contacts alone.

use std::sync::Arc;
use std::time::Instant;

use coact_collide::{ContactMatcher, ShapeContact, ShapePairDetector, ShapePairOptions};
use coact_math::{Pose, Vec3, exp_so3};
use coact_model::mesh::{self, Diagonal};
use coact_model::{BodyDef, Geometry, Model, ModelBuilder, ModelView, ShapeDef, TriMesh};

/// Detections, of which the best counts.
const ROUNDS: u32 = 50;

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
    for k in 0..ROUNDS {
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

#[test]
fn stacks_of_boxes_have_four_contacts_per_pair() {
    for columns in [1, 10, 100] {
        for (creep, turn, what) in
            [(0.0, 0.0, "at rest"), (0.0, 0.1, "at rest, turned"), (0.1, 0.1, "in fast motion, turned")]
        {
            let c = best(&stacks(columns, turn), creep);
            let boxes = columns * 10;
            println!(
                "{boxes} boxes {what}: place {:.1} us, detect {:.1} us ({:.0} ns per pair), match {:.1} us",
                c.place * 1e6,
                c.detect * 1e6,
                c.detect * 1e9 / boxes as f64,
                c.find * 1e6,
            );
            // what moved up has left the plane
            let pairs = if creep > 0.0 { boxes - columns } else { boxes };
            assert_eq!(c.contacts, 4 * pairs, "{boxes} boxes {what}");
        }
    }
}

fn kinds() -> Vec<Geometry> {
    let (radius, half_height) = (0.1, 0.1);
    let hull = Arc::new(mesh::sphere(0.1, 1));
    vec![
        Geometry::Sphere { radius },
        Geometry::Box { half_extents: Vec3::repeat(0.1) },
        Geometry::Capsule { radius: 0.05, half_height: 0.05 },
        Geometry::Cylinder { radius, half_height },
        Geometry::Cone { radius, half_height },
        Geometry::Ellipsoid { radii: Vec3::new(0.2, 0.15, 0.1) },
        Geometry::ConvexHull(Arc::clone(&hull)),
        Geometry::Mesh(hull),
    ]
}

/// Nanoseconds and contacts of a hundred bodies of one kind at a height over a base.
fn cost(base: &Geometry, kind: &Geometry, height: f64) -> (f64, usize) {
    let mut b = ModelBuilder::new();
    b.add_shape(ShapeDef { geometry: base.clone(), ..ShapeDef::default() });
    for k in 0..100 {
        let p = Vec3::new(f64::from(k % 10) * 0.31 - 1.4, f64::from(k / 10) * 0.31 - 1.4, height);
        let pose = Pose::new(p, exp_so3(&Vec3::new(0.0, 0.0, 0.1 * f64::from(k))));
        let body = Some(b.add_body(BodyDef { pose, ..BodyDef::default() }));
        // a group of its own keeps it from its neighbours
        let group = -1;
        b.add_shape(ShapeDef { geometry: kind.clone(), body, group, ..ShapeDef::default() });
    }
    let view = ModelView::whole(&b.finalize().expect("bodies with density have mass"));
    let mut d = ShapePairDetector::new(&view, ShapePairOptions::default()).expect("shapes that can be met");
    let mut out: Vec<ShapeContact> = Vec::new();
    let mut best = f64::INFINITY;
    d.place(|b| view.body_q[b.index()], |_, _| 0.0);
    for _ in 0..ROUNDS {
        out.clear();
        let start = Instant::now();
        d.detect(&mut out);
        best = best.min(start.elapsed().as_secs_f64());
    }
    (best * 1e9 / 100.0, out.len())
}

#[test]
fn every_kind_rests_on_a_plane_a_box_and_a_floor() {
    let grid = mesh::cloth_grid([40, 40], [4.0, 4.0], Diagonal::Alternating);
    let vertices = grid.vertices.iter().map(|x| x - Vec3::new(2.0, 2.0, 0.0)).collect();
    let bases = [
        ("plane", Geometry::Plane, 0.0),
        ("box", Geometry::Box { half_extents: Vec3::new(2.0, 2.0, 0.1) }, 0.1),
        ("floor", Geometry::Mesh(Arc::new(TriMesh { vertices, ..grid })), 0.0),
    ];
    for (name, base, top) in &bases {
        for kind in kinds() {
            for (gap, what) in [(0.005, "near"), (0.0, "touching"), (-0.002, "pressed"), (-0.05, "deep")] {
                let (ns, contacts) = cost(base, &kind, top + 0.1 + gap);
                println!(
                    "{} on {name}, {what}: {ns:.0} ns, {:.1} contacts",
                    kind.kind(),
                    contacts as f64 / 100.0
                );
                assert!(contacts >= 100, "{} on {name}, {what}", kind.kind());
            }
        }
    }
}
