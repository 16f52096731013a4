//! Known cases, soups against integers, sheets.

use coact_math::Vec3;
use coact_testkit::Random;

use super::*;

fn points(p: &[[f64; 3]]) -> Vec<Vec3> {
    p.iter().map(|&c| c.into()).collect()
}

fn crossing(p: &[[f64; 3]], triangles: [[u32; 3]; 2]) -> bool {
    let pairs = intersecting_pairs(&points(p), &triangles).unwrap();
    assert!(pairs.is_empty() || pairs == [[0, 1]]);
    !pairs.is_empty()
}

const FLAT: [[f64; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

fn against_flat(other: [[f64; 3]; 3]) -> bool {
    crossing(&[FLAT, other].concat(), [[0, 1, 2], [3, 4, 5]])
}

#[test]
fn triangles_without_a_common_vertex_meet_where_they_cross_touch_or_overlap() {
    assert!(against_flat([[0.2, 0.2, -1.0], [0.2, 0.2, 1.0], [3.0, 3.0, 1.0]]), "pierced");
    assert!(against_flat([[0.2, 0.2, 0.0], [0.2, 0.3, 1.0], [0.3, 0.2, 1.0]]), "touched by a vertex");
    assert!(against_flat([[0.5, 0.5, -1.0], [0.5, 0.5, 1.0], [3.0, 3.0, 1.0]]), "edge through edge");
    assert!(against_flat([[0.1, 0.1, 0.0], [0.2, 0.1, 0.0], [0.1, 0.2, 0.0]]), "inside in the plane");
    assert!(against_flat([[-1.0, 0.1, 0.0], [2.0, 0.1, 0.0], [2.0, 0.2, 0.0]]), "across in the plane");
    assert!(against_flat([[-1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.5, -1.0, 0.0]]), "along an edge");
    assert!(!against_flat([[0.2, 0.2, 1e-300], [0.2, 0.3, 1.0], [0.3, 0.2, 1.0]]), "just above");
    assert!(!against_flat([[0.6, 0.6, 0.0], [2.0, 0.6, 0.0], [2.0, 2.0, 0.0]]), "beside in the plane");
    assert!(!against_flat([[0.6, 0.6, -1.0], [0.6, 0.6, 1.0], [3.0, 3.0, 1.0]]), "beside");
}

#[test]
fn neighbours_meet_only_beyond_what_they_share() {
    let edge = |tip: [f64; 3]| crossing(&[&FLAT[..], &[tip]].concat(), [[0, 1, 2], [1, 0, 3]]);
    assert!(!edge([0.3, 0.3, 1e-300]), "folded almost shut");
    assert!(!edge([0.3, -0.3, 0.0]), "flat");
    assert!(edge([0.3, 0.3, 0.0]), "folded flat");
    let vertex = |p, q| crossing(&[&FLAT[..], &[p, q]].concat(), [[0, 1, 2], [0, 3, 4]]);
    assert!(!vertex([-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]), "opposite");
    assert!(!vertex([0.3, 0.3, 1e-300], [0.4, 0.3, 1.0]), "above");
    assert!(vertex([0.3, 0.3, -1.0], [0.3, 0.3, 1.0]), "through the middle");
    assert!(vertex([0.5, 0.2, 0.0], [0.2, 0.5, 0.0]), "inside of it");
    assert!(vertex([0.5, 0.0, 0.0], [0.5, -1.0, 0.0]), "along an edge");
    assert!(crossing(&FLAT, [[0, 1, 2], [2, 1, 0]]), "the same twice");
}

/// Closed convex sets of integer points are apart exactly if one of these axes separates
/// them: normals, cross products of edges, and in-plane normals of edges.
mod separation {
    pub type Point = [i64; 3];

    fn minus(a: Point, b: Point) -> Point {
        [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
    }
    fn cross(a: Point, b: Point) -> Point {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    }
    fn dot(a: Point, b: Point) -> i64 {
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    }
    fn edges(p: &[Point]) -> Vec<Point> {
        (0..p.len()).map(|i| minus(p[(i + 1) % p.len()], p[i])).collect()
    }
    fn normal(p: &[Point]) -> Point {
        if p.len() < 3 { [0; 3] } else { cross(minus(p[1], p[0]), minus(p[2], p[0])) }
    }

    pub fn has_area(p: &[Point]) -> bool {
        normal(p) != [0; 3]
    }

    pub fn disjoint(p: &[Point], q: &[Point]) -> bool {
        let (np, nq, ep, eq) = (normal(p), normal(q), edges(p), edges(q));
        let mut axes = vec![np, nq];
        axes.extend(ep.iter().flat_map(|a| eq.iter().map(|b| cross(*a, *b))));
        axes.extend(ep.iter().chain(&eq).flat_map(|e| [cross(np, *e), cross(nq, *e)]));
        let range = |s: &[Point], n: Point| {
            let along = || s.iter().map(move |x| dot(*x, n));
            (along().min().unwrap(), along().max().unwrap())
        };
        axes.into_iter().any(|n| {
            let ((a, b), (c, d)) = (range(p, n), range(q, n));
            b < c || d < a
        })
    }

    /// The same question as `triangles_intersect`, answered by separation of the parts that
    /// are not shared. Of two over one edge: whether the tips are on one side in one plane.
    pub fn intersect(x: &[Point], a: [u32; 3], b: [u32; 3]) -> bool {
        let at = |t: &[u32]| t.iter().map(|&v| x[v as usize]).collect::<Vec<_>>();
        let own = |t: [u32; 3], o: [u32; 3]| t.into_iter().filter(|v| !o.contains(v)).collect::<Vec<_>>();
        let (pa, pb) = (at(&a), at(&b));
        match own(a, b).len() {
            3 => !disjoint(&pa, &pb),
            2 => !disjoint(&at(&own(a, b)), &pb) || !disjoint(&at(&own(b, a)), &pa),
            1 => {
                let (tip_a, tip_b) = (at(&own(a, b))[0], at(&own(b, a))[0]);
                let e: Vec<u32> = a.into_iter().filter(|v| b.contains(v)).collect();
                let (base, n) = (x[e[0] as usize], normal(&pa));
                let inward = cross(n, minus(x[e[1] as usize], base));
                let side = |tip| dot(inward, minus(tip, base)).signum();
                dot(n, minus(tip_b, base)) == 0 && side(tip_a) == side(tip_b)
            }
            _ => true,
        }
    }
}

/// A soup on a small integer lattice, where touching, coplanar and shared are common, and
/// every triangle has an area.
fn lattice_soup(
    r: &mut Random,
    size: usize,
    vertices: usize,
    triangles: usize,
) -> (Vec<[i64; 3]>, Vec<[u32; 3]>) {
    let x: Vec<[i64; 3]> =
        (0..vertices).map(|_| [(); 3].map(|()| r.index(size) as i64 - size as i64 / 2)).collect();
    let mut t = Vec::new();
    while t.len() < triangles {
        let c = [(); 3].map(|()| r.index(vertices) as u32);
        if separation::has_area(&c.map(|v| x[v as usize])) {
            t.push(c);
        }
    }
    (x, t)
}

#[test]
fn soups_on_a_lattice_agree_with_separating_axes_in_integers() {
    let mut r = Random::new(3);
    let (mut met, mut all) = (0, 0);
    for (size, vertices, triangles) in [(4, 12, 40), (6, 40, 60), (9, 60, 60), (50, 90, 60)].repeat(8) {
        let (x, t) = lattice_soup(&mut r, size, vertices, triangles);
        let scaled: Vec<Vec3> = x.iter().map(|p| Vec3::from(p.map(|c| c as f64)) * 0.1).collect();
        let exact: Vec<Vec3> = x.iter().map(|p| Vec3::from(p.map(|c| c as f64)) * 0.125).collect();
        let found = intersecting_pairs(&exact, &t).unwrap();
        let mut expected = Vec::new();
        for a in 0..t.len() {
            for b in a + 1..t.len() {
                if separation::intersect(&x, t[a], t[b]) {
                    expected.push([a as u32, b as u32]);
                }
            }
        }
        assert_eq!(found, expected, "lattice {size}");
        assert!(intersecting_pairs(&scaled, &t).is_ok());
        (met, all) = (met + expected.len(), all + t.len() * (t.len() - 1) / 2);
    }
    assert!(met * 20 > all && met * 20 < 19 * all, "{met} of {all} meet: the soups tell nothing");
}

#[test]
fn the_sweep_finds_what_all_pairs_find() {
    let mut r = Random::new(11);
    let x: Vec<Vec3> = (0..900).map(|i| r.vector(0.1) + Vec3::new(0.0, (i / 3) as f64 * 0.01, 0.0)).collect();
    let t: Vec<[u32; 3]> = (0..300).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let met = |a: usize, b: usize| triangles_intersect(&x, [t[a], t[b]]);
    let pairs = (0..300).flat_map(|a| (a + 1..300).map(move |b| (a, b)));
    let expected: Vec<[u32; 2]> =
        pairs.filter(|&(a, b)| met(a, b)).map(|(a, b)| [a as u32, b as u32]).collect();
    assert!(expected.len() > 100);
    assert_eq!(intersecting_pairs(&x, &t).unwrap(), expected);
}

#[test]
fn a_vertex_that_is_not_finite_is_told_and_not_passed_over() {
    let x = points(&[[0.0; 3], [1.0, 0.0, 0.0], [f64::NAN, 1.0, 0.0], [0.0, 1.0, 0.0]]);
    let found = intersecting_pairs(&x, &[[0, 1, 3], [0, 1, 2]]);
    assert_eq!(found, Err(NotFinite { triangle: 1 }));
    assert_eq!(intersecting_pairs(&x, &[[0, 1, 3]]), Ok(Vec::new()), "only vertices of triangles count");
}

/// A square of 2 n² triangles, its height by a function of x and y.
fn sheet(n: u32, height: impl Fn(f64, f64) -> f64) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let at = |i: u32| f64::from(i) / f64::from(n);
    let grid = |n: u32| (0..n).flat_map(move |j| (0..n).map(move |i| (i, j)));
    let x = grid(n + 1).map(|(i, j)| Vec3::new(at(i), at(j), height(at(i), at(j)))).collect();
    let id = |i, j| j * (n + 1) + i;
    let cell =
        |(i, j)| [[id(i, j), id(i + 1, j), id(i, j + 1)], [id(i + 1, j), id(i + 1, j + 1), id(i, j + 1)]];
    (x, grid(n).flat_map(cell).collect())
}

#[test]
fn a_sheet_meets_itself_nowhere_and_a_second_one_along_a_line() {
    let (mut x, mut t) = sheet(40, |x, y| 0.1 * (7.0 * x).sin() * (5.0 * y).cos());
    assert!(intersecting_pairs(&x, &t).unwrap().is_empty());
    let (x2, t2) = sheet(40, |x, _| 0.4 * (x - 0.5) + 1e-3);
    let (first, n) = (x.len() as u32, t.len() as u32);
    x.extend(x2);
    t.extend(t2.iter().map(|c| c.map(|v| v + first)));
    let pairs = intersecting_pairs(&x, &t).unwrap();
    assert!((80..800).contains(&pairs.len()), "{} pairs", pairs.len());
    assert!(pairs.iter().all(|&[a, b]| a < n && b >= n), "only one sheet against the other");
}
