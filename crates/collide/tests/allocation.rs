//! Detection between shapes and matching take no memory once they have met the scene.

use std::sync::Arc;

use coact_collide::{ContactMatcher, ShapePairDetector, ShapePairOptions};
use coact_math::{Pose, Vec3, exp_so3};
use coact_model::mesh::{self, Diagonal};
use coact_model::{BodyDef, Geometry, Model, ModelBuilder, ModelView, ShapeDef};
use coact_testkit::{CountingAllocator, Random, count_allocations};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// A heap of bodies of all kinds, some of them deep in each other, on a plane and a sheet.
fn heap() -> Model {
    let (mut b, mut r) = (ModelBuilder::new(), Random::new(7));
    let (radius, half_height) = (0.1, 0.1);
    let hull = Arc::new(mesh::sphere(0.1, 1));
    let kinds = [
        Geometry::Sphere { radius },
        Geometry::Box { half_extents: Vec3::new(0.1, 0.05, 0.08) },
        Geometry::Capsule { radius, half_height },
        Geometry::Cylinder { radius, half_height },
        Geometry::Cone { radius, half_height },
        Geometry::Ellipsoid { radii: Vec3::new(0.1, 0.05, 0.08) },
        Geometry::ConvexHull(Arc::clone(&hull)),
        Geometry::Mesh(hull),
    ];
    b.add_shape(ShapeDef::default());
    let sheet = mesh::cloth_grid([5, 5], [0.5, 0.5], Diagonal::Alternating);
    b.add_shape(ShapeDef { geometry: Geometry::Mesh(Arc::new(sheet)), ..ShapeDef::default() });
    for k in 0..24 {
        let mut v = |s: f64| Vec3::new(r.range(-s, s), r.range(-s, s), r.range(-s, s));
        let pose = Pose::new(v(0.3), exp_so3(&v(3.0)));
        let body = Some(b.add_body(BodyDef { pose, ..BodyDef::default() }));
        b.add_shape(ShapeDef { geometry: kinds[k % kinds.len()].clone(), body, ..ShapeDef::default() });
    }
    b.finalize().expect("a heap that can be built")
}

#[test]
fn detection_and_matching_do_not_allocate_after_warm_up() {
    let (count, _) = count_allocations(|| vec![0_u8; 100]);
    assert_eq!(count, 1, "the allocator counts");
    let model = heap();
    let view = ModelView::whole(&model);
    let mut d = ShapePairDetector::new(&view, ShapePairOptions::default()).expect("shapes that can be met");
    let (mut m, mut lists) = (ContactMatcher::default(), [Vec::new(), Vec::new()]);
    let mut round = |d: &mut ShapePairDetector| {
        let (mut grew, mut contacts, mut matched) = (false, 0, 0);
        for k in 0..6 {
            let shift = Vec3::new(0.002, -0.001, 0.001) * f64::from(k);
            d.place(
                |b| {
                    Pose::new(view.body_q[b.index()].p + shift * f64::from(b.0 % 3), view.body_q[b.index()].q)
                },
                |_, _| 0.0,
            );
            lists.swap(0, 1);
            lists[1].clear();
            grew |= d.detect(&mut lists[1]);
            let [before, after] = &lists;
            matched += m.find(before, after, |a, b| d.matching_distance(a, b)).iter().flatten().count();
            contacts += after.len();
        }
        (grew, contacts, matched)
    };
    let _ = round(&mut d);
    let _ = round(&mut d);
    let (allocations, (grew, contacts, matched)) = count_allocations(|| round(&mut d));
    assert!(contacts > 500 && matched > contacts / 2, "{contacts} contacts, {matched} matched");
    assert_eq!((allocations, grew), (0, false));
}
