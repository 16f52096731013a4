//! Prints what one pair of each kind costs: shapes that rest on a plane, a box and a
//! triangulated floor, and shapes deep in each other. Run it on a quiet machine.

use std::sync::Arc;
use std::time::Instant;

use coact_collide::{ShapeContact, ShapePairDetector, ShapePairOptions};
use coact_math::{Pose, Vec3, exp_so3};
use coact_model::mesh::{self, Diagonal};
use coact_model::{BodyDef, Geometry, ModelBuilder, ModelView, ShapeDef};

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
    for _ in 0..100 {
        out.clear();
        let start = Instant::now();
        d.detect(&mut out);
        best = best.min(start.elapsed().as_secs_f64());
    }
    (best * 1e9 / 100.0, out.len())
}

fn main() {
    let grid = mesh::cloth_grid([40, 40], [4.0, 4.0], Diagonal::Alternating);
    let middle = Vec3::new(2.0, 2.0, 0.0);
    let floor = mesh::cloth_grid([40, 40], [4.0, 4.0], Diagonal::Alternating);
    let centred = grid.vertices.iter().map(|x| x - middle).collect();
    let bases = [
        ("plane", Geometry::Plane, 0.0),
        ("box", Geometry::Box { half_extents: Vec3::new(2.0, 2.0, 0.1) }, 0.1),
        ("floor", Geometry::Mesh(Arc::new(coact_model::TriMesh { vertices: centred, ..floor })), 0.0),
    ];
    for (name, base, top) in &bases {
        for kind in kinds() {
            for (depth, what) in [(0.005, "near"), (0.0, "touching"), (-0.002, "pressed"), (-0.05, "deep")] {
                let (ns, contacts) = cost(base, &kind, top + 0.1 + depth);
                println!(
                    "{} on {name}, {what}: {ns:.0} ns, {:.1} contacts",
                    kind.kind(),
                    contacts as f64 / 100.0
                );
            }
        }
    }
}
