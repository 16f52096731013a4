//! Pairs and clearances against brute force.

use super::*;
use coact_math::{V3, Vec3};
use coact_testkit::{CountingAllocator, Random, count_allocations};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// A square cloth of n × n points with cell 1.
fn grid(n: u32, f: impl Fn(f64, f64) -> Vec3) -> (Vec<[u32; 3]>, Vec<Vec3>) {
    let mut triangles = Vec::new();
    for i in 0..n - 1 {
        for j in 0..n - 1 {
            let [a, b, c, d] = [i * n + j, (i + 1) * n + j, (i + 1) * n + j + 1, i * n + j + 1];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    (triangles, (0..n * n).map(|k| f(f64::from(k / n), f64::from(k % n))).collect())
}

/// Two meshes side by side.
fn both(a: (Vec<[u32; 3]>, Vec<Vec3>), b: (Vec<[u32; 3]>, Vec<Vec3>)) -> (Vec<[u32; 3]>, Vec<Vec3>) {
    let (mut triangles, mut x) = a;
    let n = x.len() as u32;
    triangles.extend(b.0.iter().map(|t| t.map(|i| i + n)));
    x.extend(b.1);
    (triangles, x)
}

/// Independent triangles and edges at random.
fn soup(n: usize, seed: u64) -> (Vec<[u32; 3]>, Vec<Vec3>) {
    let mut r = Random::new(seed);
    let mut x = Vec::new();
    for _ in 0..n {
        let c = r.vector(2.0);
        x.extend([c, c + r.vector(0.4), c + r.vector(0.4)]);
    }
    ((0..n as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect(), x)
}

/// A case: surface, rest, positions.
struct Case {
    name: &'static str,
    surface: Surface,
    x: Vec<Vec3>,
    query: Query,
}

fn flat(x: f64, y: f64) -> Vec3 {
    Vec3::new(x, y, 0.0)
}

/// Folded over at x = 3.3 with a distance of 0.3 between the layers.
fn folded(x: f64, y: f64) -> Vec3 {
    if x < 3.3 { Vec3::new(x, y, 0.02 * y) } else { Vec3::new(6.7 - x, y + 0.1, 0.3 + 0.01 * x) }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add =
        |name, (t, rest): (Vec<[u32; 3]>, Vec<Vec3>), extra: &[[u32; 2]], filter, x, radius, cap| {
            let surface = Surface::new(&t, extra, &rest, filter);
            cases.push(Case { name, surface, x, query: Query { radius, clearance_radius: cap } });
        };
    let s = soup(60, 1);
    let none = Filter { rings: 0, rest_exclusion: 0.0 };
    add("soup", s.clone(), &[[0, 10], [5, 100], [7, 7]], none, s.1.clone(), 0.3, 0.3);
    add("soup, far", s.clone(), &[[0, 10]], Filter::default(), s.1, 0.2, 1.0);
    let cloth = grid(9, flat);
    let fold = grid(9, folded).1;
    add("flat", cloth.clone(), &[], Filter::default(), cloth.1.clone(), 0.4, 0.4);
    add("folded", cloth.clone(), &[], Filter::default(), fold.clone(), 0.4, 0.4);
    add("folded, far", cloth.clone(), &[], Filter::default(), fold.clone(), 0.4, 3.0);
    add(
        "folded, 3 rings",
        cloth.clone(),
        &[],
        Filter { rings: 3, rest_exclusion: 0.0 },
        fold.clone(),
        0.9,
        1.5,
    );
    add("folded, rest", cloth.clone(), &[], Filter { rings: 1, rest_exclusion: 1.5 }, fold, 0.9, 1.5);
    let mut r = Random::new(3);
    let crumpled: Vec<Vec3> = cloth.1.iter().map(|p| 0.3 * p + r.vector(0.2)).collect();
    add("crumpled", cloth.clone(), &[], Filter::default(), crumpled, 0.3, 0.6);
    let sheets = both(grid(7, flat), grid(6, |x, y| Vec3::new(3.1, x + 0.2, y - 2.7)));
    add("crossed", sheets.clone(), &[], Filter::default(), sheets.1.clone(), 0.4, 1.2);
    let layers = both(grid(7, flat), grid(6, |x, y| Vec3::new(x + 0.3, y, 0.5 + 0.1 * x)));
    let shifted: Vec<Vec3> = layers.1.iter().map(|p| p + Vec3::new(100.0, -50.0, 7.0)).collect();
    add("layers", layers, &[], Filter::default(), shifted, 0.6, 2.0);
    cases
}

#[derive(Debug, Default, PartialEq)]
struct Found {
    vt: Vec<[u32; 2]>,
    ee: Vec<[u32; 2]>,
    close_vt: Vec<[u32; 2]>,
    close_ee: Vec<[u32; 2]>,
    own: Vec<f64>,
    cross: Vec<f64>,
}

/// The least number of edges between two sets of points.
fn rings(s: &Surface, a: &[u32], b: &[u32]) -> u32 {
    let mut reached: Vec<u32> = a.to_vec();
    for ring in 0..10 {
        if reached.iter().any(|i| b.contains(i)) {
            return ring;
        }
        let more: Vec<u32> = s
            .edges()
            .iter()
            .flat_map(|e| [[e[0], e[1]], [e[1], e[0]]])
            .filter(|e| reached.contains(&e[0]))
            .map(|e| e[1])
            .collect();
        reached.extend(more);
        reached.sort_unstable();
        reached.dedup();
    }
    10
}

/// Equations (3) to (7) word for word.
fn brute(c: &Case) -> Found {
    let (s, q) = (&c.surface, c.query);
    let cap = q.clearance_radius;
    let n = s.point_count();
    let mut f = Found { own: vec![cap; n], cross: vec![cap; n], ..Found::default() };
    let mut pair = |a: &[u32], b: &[u32], d: f64, rest: f64| -> (bool, bool) {
        let filter = s.filter();
        if d >= cap || rings(s, a, b) == 0 {
            return (false, false);
        }
        let filtered = rings(s, a, b) < filter.rings || rest < filter.rest_exclusion;
        let near = d < q.radius;
        let (force, close) = (near && !filtered, near && filtered && d < 0.5 * rest);
        let exempt = filtered && rest == 0.0;
        if !(force || close || exempt) {
            let same = s.component()[a[0] as usize] == s.component()[b[0] as usize];
            for &i in a.iter().chain(b) {
                let cell = if same { &mut f.own[i as usize] } else { &mut f.cross[i as usize] };
                *cell = cell.min(d);
            }
        }
        (force, close)
    };
    let point = |i: u32| V3::<f64>::from_host(&c.x[i as usize]);
    let mut used: Vec<u32> =
        s.triangles().iter().flatten().chain(s.edges().iter().flatten()).copied().collect();
    used.sort_unstable();
    used.dedup();
    let mut lists: [Vec<[u32; 2]>; 4] = Default::default();
    for &v in &used {
        for (t, corners) in s.triangles().iter().enumerate() {
            let d = closest_vertex_triangle(point(v), corners.map(point)).1.norm();
            let (force, close) = pair(&[v], corners, d, s.rest_vertex_triangle(v, t as u32));
            lists[0].extend(force.then_some([v, t as u32]));
            lists[1].extend(close.then_some([v, t as u32]));
        }
    }
    for (i, e) in s.edges().iter().enumerate() {
        for (j, g) in s.edges().iter().enumerate().skip(i + 1) {
            let d = closest_edge_edge(e.map(point), g.map(point)).2.norm();
            let (force, close) = pair(e, g, d, s.rest_edge_edge(i as u32, j as u32));
            lists[2].extend(force.then_some([i as u32, j as u32]));
            lists[3].extend(close.then_some([i as u32, j as u32]));
        }
    }
    [f.vt, f.close_vt, f.ee, f.close_ee] = lists;
    f
}

fn found(d: &SelfContactDetector) -> Found {
    let host = |x: &[f32]| x.iter().map(|x| f64::from(*x)).collect();
    Found {
        vt: d.vertex_triangle().to_vec(),
        ee: d.edge_edge().to_vec(),
        close_vt: d.close_vertex_triangle().to_vec(),
        close_ee: d.close_edge_edge().to_vec(),
        own: host(d.own_clearance()),
        cross: host(d.cross_clearance()),
    }
}

fn detect(c: &Case, threads: usize) -> Found {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut d = SelfContactDetector::new(c.surface.clone(), &c.x);
        d.detect(&c.x, c.query);
        found(&d)
    })
}

#[test]
fn pairs_are_those_of_brute_force() {
    let mut seen = [0; 4];
    for c in cases() {
        let (exact, got) = (brute(&c), detect(&c, 1));
        for (k, (a, b)) in [
            (&exact.vt, &got.vt),
            (&exact.ee, &got.ee),
            (&exact.close_vt, &got.close_vt),
            (&exact.close_ee, &got.close_ee),
        ]
        .into_iter()
        .enumerate()
        {
            assert_eq!(a, b, "{}, list {k}", c.name);
            seen[k] += a.len();
        }
    }
    assert!(seen.iter().all(|n| *n > 20), "{seen:?}");
}

#[test]
fn clearances_are_close_lower_bounds_of_brute_force() {
    let mut below_cap = 0;
    for c in cases() {
        let (exact, got) = (brute(&c), detect(&c, 1));
        for (what, a, b) in [("own", &exact.own, &got.own), ("cross", &exact.cross, &got.cross)] {
            for i in 0..a.len() {
                // Eq. (9) with edges up to 3 long and coordinates up to 10.
                let tight = b[i] >= a[i] - 1.4e-3 * 3.0 - 1e-5;
                assert!(b[i] <= a[i] && tight, "{}: {what} of {i}: {} for {}", c.name, b[i], a[i]);
                below_cap += usize::from(a[i] < c.query.clearance_radius);
            }
        }
    }
    assert!(below_cap > 300, "{below_cap}");
}

#[test]
fn threads_change_no_bit() {
    for c in cases() {
        assert_eq!(detect(&c, 1), detect(&c, 3), "{}", c.name);
    }
    // Large enough for many chunks.
    let (t, rest) = grid(64, flat);
    let x = grid(64, |x, y| Vec3::new(x, (0.9 * y).sin() * 8.0, (0.7 * y).cos() * 8.0)).1;
    let surface = Surface::new(&t, &[], &rest, Filter::default());
    let c = Case { name: "roll", surface, x, query: Query { radius: 0.4, clearance_radius: 0.9 } };
    let one = detect(&c, 1);
    assert_eq!(one, detect(&c, 3));
    assert!(one.vt.len() > 1000 && one.ee.len() > 1000);
}

#[test]
fn motion_within_half_the_clearance_brings_no_other_pair_together() {
    let mut r = Random::new(11);
    for c in cases() {
        let f = detect(&c, 1);
        let before = brute(&c);
        let stored =
            |f: &Found| [f.vt.clone(), f.close_vt.clone(), f.ee.clone(), f.close_ee.clone()].concat();
        for _ in 0..5 {
            let x = c.x.iter().enumerate().map(|(i, x)| {
                let bound = 0.5 * f.own[i].min(f.cross[i]);
                x + r.vector(1.0).normalize() * (bound * (1.0 - 1e-6))
            });
            // Whatever is in touch now was stored.
            let touching = Case {
                name: c.name,
                surface: c.surface.clone(),
                x: x.collect(),
                query: Query { radius: 1e-9, clearance_radius: 1e-9 },
            };
            let after = brute(&touching);
            assert!(stored(&after).iter().all(|p| stored(&before).contains(p)), "{}", c.name);
        }
    }
}

#[test]
fn a_moved_surface_is_that_of_a_fresh_detector_and_grows_nothing_when_warm() {
    let (t, rest) = grid(9, flat);
    let surface = Surface::new(&t, &[], &rest, Filter::default());
    let mut d = SelfContactDetector::new(surface.clone(), &rest);
    let mut r = Random::new(4);
    let query = Query { radius: 0.4, clearance_radius: 1.0 };
    for k in 0..6 {
        // From flat to a heap.
        let x: Vec<Vec3> =
            rest.iter().map(|p| p * (1.0 - 0.15 * f64::from(k)) + r.vector(0.1 * f64::from(k))).collect();
        d.detect(&x, query);
        assert_eq!(found(&d), detect(&Case { name: "", surface: surface.clone(), x: x.clone(), query }, 1));
        let growth = d.growth();
        d.detect(&x, query);
        assert_eq!(d.growth(), growth);
    }
    assert!(d.growth() > 0 && d.vertex_triangle().len() > 50);
}

#[test]
fn a_worn_tree_is_built_anew() {
    let (t, rest) = grid(33, flat);
    let mut d = SelfContactDetector::new(Surface::new(&t, &[], &rest, Filter::default()), &rest);
    let mut r = Random::new(4);
    let x: Vec<Vec3> = rest.iter().map(|_| r.vector(10.0)).collect();
    let query = Query { radius: 0.01, clearance_radius: 0.01 };
    d.detect(&rest, query);
    assert_eq!(d.rebuilds(), 0);
    d.detect(&x, query);
    assert_eq!(d.rebuilds(), 2);
}

#[test]
fn positions_that_are_not_finite_are_in_no_pair() {
    let (t, rest) = grid(9, flat);
    let surface = Surface::new(&t, &[], &rest, Filter::default());
    let mut x = grid(9, folded).1;
    for (i, bad) in [(3, f64::NAN), (40, f64::INFINITY), (41, 1e300), (80, f64::NEG_INFINITY)] {
        x[i] = Vec3::new(bad, 0.0, 1.0);
    }
    let mut d = SelfContactDetector::new(surface, &x);
    d.detect(&x, Query { radius: 0.4, clearance_radius: f64::INFINITY });
    assert!(!d.vertex_triangle().is_empty());
    let bad = [3, 40, 41, 80];
    for &[v, t] in d.vertex_triangle() {
        assert!(!bad.contains(&v) && !d.surface().triangles()[t as usize].iter().any(|i| bad.contains(i)));
    }
    for e in d.edge_edge().iter().flatten() {
        assert!(!d.surface().edges()[*e as usize].iter().any(|i| bad.contains(i)));
    }
    let all_bad = vec![Vec3::repeat(f64::NAN); 81];
    d.detect(&all_bad, Query { radius: f64::INFINITY, clearance_radius: f64::NAN });
    assert!(d.vertex_triangle().is_empty() && d.edge_edge().is_empty());
}

#[test]
fn coincident_and_degenerate_features_are_pairs_at_distance_zero() {
    let rest = vec![Vec3::zeros(); 8];
    let surface =
        Surface::new(&[[0, 1, 2], [3, 4, 5]], &[[6, 7]], &rest, Filter { rings: 0, rest_exclusion: 0.0 });
    let mut d = SelfContactDetector::new(surface, &rest);
    d.detect(&rest, Query { radius: 0.1, clearance_radius: 0.5 });
    assert_eq!(d.vertex_triangle().len(), 2 * 5);
    assert_eq!(d.edge_edge().len(), 9 + 6);
    assert!(d.own_clearance().iter().chain(d.cross_clearance()).all(|c| *c == 0.5));
}

#[test]
fn an_empty_surface_has_nothing() {
    let mut d = SelfContactDetector::new(
        Surface::new(&[], &[], &[Vec3::zeros()], Filter::default()),
        &[Vec3::zeros()],
    );
    d.detect(&[Vec3::zeros()], Query { radius: 0.1, clearance_radius: 0.5 });
    assert!(d.vertex_triangle().is_empty() && d.own_clearance() == [0.5]);
}

#[test]
fn a_pair_that_touches_at_rest_is_exempt() {
    // Two triangles on top of each other, tied by an edge: one component, filtered, at no distance at rest.
    let t = [Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0)];
    let rest: Vec<Vec3> = t.iter().chain(&t).copied().collect();
    let filter = Filter { rings: 4, rest_exclusion: 0.0 };
    let mut d =
        SelfContactDetector::new(Surface::new(&[[0, 1, 2], [3, 4, 5]], &[[0, 3]], &rest, filter), &rest);
    d.detect(&rest, Query { radius: 0.1, clearance_radius: 0.5 });
    assert!(d.vertex_triangle().is_empty() && d.close_vertex_triangle().is_empty());
    assert!(d.own_clearance().iter().all(|c| *c > 0.0));
}

#[test]
fn small_triangles_and_short_edges_are_named() {
    let rest =
        [[0.0, 0.0], [1.0, 0.0], [0.5, 0.01], [0.5, 2.0], [0.505, 2.0]].map(|[x, y]| Vec3::new(x, y, 0.0));
    let s = Surface::new(&[[0, 1, 2], [0, 1, 3], [0, 3, 3]], &[[3, 4]], &rest, Filter::default());
    assert_eq!(s.triangles_below(0.02), [0, 2]);
    let short: Vec<[u32; 2]> = s.edges_below(0.02).iter().map(|&e| s.edges()[e as usize]).collect();
    assert_eq!(short, [[3, 4]]);
}

#[test]
fn components_are_what_edges_connect() {
    let rest = vec![Vec3::zeros(); 9];
    let s = Surface::new(&[[6, 7, 8], [1, 2, 3]], &[[3, 0], [5, 5]], &rest, Filter::default());
    assert_eq!(s.component(), [0, 0, 0, 0, 4, 5, 6, 6, 6]);
    assert_eq!(s.edges().len(), 7);
}

#[test]
fn a_warm_detection_does_not_allocate() {
    let (t, rest) = grid(40, flat);
    let x = grid(40, |x, y| Vec3::new(x, (0.9 * y).sin() * 4.0, (0.9 * y).cos() * 4.0 + 0.3 * y)).1;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let query = Query { radius: 0.4, clearance_radius: 0.9 };
    let (cold, warm, pairs) = pool.install(|| {
        let surface = Surface::new(&t, &[], &rest, Filter::default());
        let (cold, mut d) = count_allocations(|| {
            let mut d = SelfContactDetector::new(surface, &x);
            d.detect(&x, query);
            d
        });
        let (warm, ()) = count_allocations(|| d.detect(&x, query));
        (cold, warm, d.edge_edge().len())
    });
    assert!(cold > 0 && pairs > 100, "{cold}, {pairs}");
    assert_eq!(warm, 0);
}
