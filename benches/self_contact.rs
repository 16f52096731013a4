//! Detection of self-contact on a hanging cloth of 128 × 128 points, `crates/collide`.

use coact_collide::self_contact::{Filter, Query, SelfContactDetector, Surface};
use coact_math::Vec3;
use criterion::{Criterion, criterion_group, criterion_main};

/// A cloth of n × n points, cell 1, sagging and slightly wavy, turned out of the axes.
fn cloth(n: u32) -> (Vec<[u32; 3]>, Vec<Vec3>, Vec<Vec3>) {
    let at = |i: u32, j: u32| i * n + j;
    let mut triangles = Vec::new();
    for i in 0..n - 1 {
        for j in 0..n - 1 {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    let grid = |f: &dyn Fn(f64, f64) -> Vec3| -> Vec<Vec3> {
        (0..n * n).map(|k| f(f64::from(k / n), f64::from(k % n))).collect()
    };
    let rest = grid(&|x, y| Vec3::new(x, y, 0.0));
    let hanging = grid(&|x, y| {
        let s = f64::from(n);
        let p = Vec3::new(x, y, 0.3 * s * (x / s).powi(2) + 1.5 * (0.3 * y).sin());
        coact_math::exp_so3(&Vec3::new(0.5, 0.3, 0.2)) * p
    });
    (triangles, rest, hanging)
}

fn bench(c: &mut Criterion) {
    let (triangles, rest, x) = cloth(128);
    let surface = Surface::new(&triangles, &[], &rest, Filter::default());
    let mut detector = SelfContactDetector::new(surface, &x);
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads");
        for clearance_radius in [0.4, 2.0] {
            let query = Query { radius: 0.4, clearance_radius };
            c.bench_function(&format!("cloth 128, clearance {clearance_radius}, {threads} threads"), |b| {
                pool.install(|| b.iter(|| detector.detect(&x, query)));
            });
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(30);
    targets = bench
}
criterion_main!(benches);
