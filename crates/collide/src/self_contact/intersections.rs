//! Which triangles of a surface meet, exactly: `docs/theory/self-contact.md`, section 1,
//! "Intersections".
//!
//! Left out on purpose: where they meet, and edges that belong to no triangle.

use super::surface::Surface;
use crate::bvh::{Aabb, Bvh};
use coact_math::Vec3;
use robust::{Coord, Coord3D, orient2d, orient3d};

/// All pairs of triangles that share a point of space without sharing an edge, smaller one
/// first, ascending. Touching counts; triangles with a common vertex are a pair if they meet elsewhere.
/// A triangle with a coordinate that is not finite meets nothing.
///
/// # Panics
/// If `x` \[m\] is not as long as the surface has points.
pub fn find_intersections(surface: &Surface, x: &[Vec3]) -> Vec<(u32, u32)> {
    assert_eq!(x.len(), surface.point_count(), "one position per point");
    let triangles = surface.triangles();
    let bounds = |t: u32| outward(triangles[t as usize].map(|i| x[i as usize]));
    let tree = Bvh::new(triangles.len(), bounds, |_| 0);
    let mut found = Vec::new();
    for k in 0..tree.leaf_count() {
        for (i, &t) in tree.leaf(k).iter().enumerate() {
            let wide = bounds(t);
            let mut leaf = |m: usize, _: &_| {
                let others = if m == k { &tree.leaf(m)[i + 1..] } else { tree.leaf(m) };
                for &u in others {
                    if wide.overlaps(&bounds(u)) && meet(triangles[t as usize], triangles[u as usize], x) {
                        found.push((t.min(u), t.max(u)));
                    }
                }
            };
            tree.visit(k, |node| node.bounds.overlaps(&wide), &mut leaf);
        }
    }
    found.sort_unstable();
    found
}

/// The box of a triangle, rounded outward.
fn outward(corners: [Vec3; 3]) -> Aabb {
    let b = Aabb::of(&corners.map(|p| [p.x as f32, p.y as f32, p.z as f32]));
    Aabb { min: b.min.map(f32::next_down), max: b.max.map(f32::next_up) }
}

/// Whether two triangles, given by points, meet apart from what they share.
fn meet(t: [u32; 3], u: [u32; 3], x: &[Vec3]) -> bool {
    let shared = t.iter().filter(|i| u.contains(i)).count();
    shared < 2 && (edge_meets(t, u, x) || edge_meets(u, t, x))
}

/// Whether an edge of `t` without a point of `u` meets `u`.
fn edge_meets(t: [u32; 3], u: [u32; 3], x: &[Vec3]) -> bool {
    let corners = u.map(|i| x[i as usize]);
    [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]
        .iter()
        .filter(|e| !e.iter().any(|i| u.contains(i)))
        .any(|e| segment_meets_triangle(e.map(|i| x[i as usize]), corners))
}

/// Sign of the volume of a tetrahedron.
fn side(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> f64 {
    let [a, b, c, d] = [a, b, c, d].map(|p| Coord3D { x: p.x, y: p.y, z: p.z });
    orient3d(a, b, c, d)
}

/// Whether all are ≥ 0 or all ≤ 0.
fn agree(s: &[f64]) -> bool {
    s.iter().all(|x| *x >= 0.0) || s.iter().all(|x| *x <= 0.0)
}

fn segment_meets_triangle([p, q]: [Vec3; 2], [a, b, c]: [Vec3; 3]) -> bool {
    let (sp, sq) = (side(a, b, c, p), side(a, b, c, q));
    if sp == 0.0 && sq == 0.0 {
        // In one plane, or the triangle has no area: what meets does so in every projection.
        return [[1, 2], [2, 0], [0, 1]].iter().all(|&axes| meets_flat([p, q], [a, b, c], axes));
    }
    sp.min(sq) <= 0.0 && sp.max(sq) >= 0.0 && agree(&[side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)])
}

/// The same in the plane of two axes.
fn meets_flat(segment: [Vec3; 2], corners: [Vec3; 3], [i, j]: [usize; 2]) -> bool {
    let flat = |p: Vec3| Coord { x: p[i], y: p[j] };
    let [p, q] = segment.map(flat);
    let t = corners.map(flat);
    let edges = [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
    edges.iter().any(|&e| segments_meet([p, q], e)) || agree(&edges.map(|[a, b]| orient2d(a, b, p)))
}

fn segments_meet([p, q]: [Coord<f64>; 2], [a, b]: [Coord<f64>; 2]) -> bool {
    let overlap = |p: f64, q: f64, a: f64, b: f64| p.min(q) <= a.max(b) && a.min(b) <= p.max(q);
    let straddles = |x: f64, y: f64| x.min(y) <= 0.0 && x.max(y) >= 0.0;
    straddles(orient2d(a, b, p), orient2d(a, b, q))
        && straddles(orient2d(p, q, a), orient2d(p, q, b))
        && overlap(p.x, q.x, a.x, b.x)
        && overlap(p.y, q.y, a.y, b.y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::self_contact::Filter;
    use coact_testkit::Random;

    fn surface(triangles: &[[u32; 3]], x: &[Vec3]) -> Surface {
        Surface::new(triangles, &[], x, Filter::default())
    }

    fn v(x: f64, y: f64, z: f64) -> Vec3 {
        Vec3::new(x, y, z)
    }

    #[test]
    fn a_tree_finds_what_all_pairs_find() {
        let mut r = Random::new(6);
        let mut x = Vec::new();
        for _ in 0..150 {
            let c = r.vector(0.6);
            x.extend([c, c + r.vector(0.4), c + r.vector(0.4)]);
        }
        let t: Vec<[u32; 3]> = (0..150).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
        let s = surface(&t, &x);
        let mut brute = Vec::new();
        for i in 0..150 {
            for j in i + 1..150 {
                // An independent route: an edge pierces, by solving for the point in the plane.
                let pierces = |t: [u32; 3], u: [u32; 3]| {
                    let [a, b, c] = u.map(|i| x[i as usize]);
                    let n = (b - a).cross(&(c - a));
                    [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]].iter().any(|e| {
                        let [p, q] = e.map(|i| x[i as usize]);
                        let at = (a - p).dot(&n) / (q - p).dot(&n);
                        let y = p + (q - p) * at;
                        let inside = |a: Vec3, b: Vec3| (b - a).cross(&(y - a)).dot(&n) > 0.0;
                        (0.0..1.0).contains(&at) && inside(a, b) && inside(b, c) && inside(c, a)
                    })
                };
                let (a, b) = (t[i as usize], t[j as usize]);
                if pierces(a, b) || pierces(b, a) {
                    brute.push((i, j));
                }
            }
        }
        assert!(brute.len() > 50);
        assert_eq!(find_intersections(&s, &x), brute);
    }

    #[test]
    fn touching_counts_and_a_hair_between_does_not() {
        let t = [[0, 1, 2], [3, 4, 5]];
        let x = |z: f64| {
            vec![
                v(0.0, 0.0, 0.0),
                v(1.0, 0.0, 0.0),
                v(0.0, 1.0, 0.0),
                v(0.2, 0.2, z),
                v(0.2, 0.2, 1.0),
                v(0.9, 0.3, 1.0),
            ]
        };
        for (z, meets) in [(-0.5, true), (0.0, true), (f64::MIN_POSITIVE, false), (f64::NAN, false)] {
            assert_eq!(find_intersections(&surface(&t, &x(0.5)), &x(z)).len(), usize::from(meets), "{z}");
        }
    }

    #[test]
    fn coplanar_triangles_meet_where_they_overlap() {
        let t = [[0, 1, 2], [3, 4, 5]];
        for (shift, meets) in [(0.25, true), (0.5, true), (1.5, false)] {
            // In the plane x = y, which is steep in every projection but one.
            let a = [v(0.0, 0.0, 0.0), v(1.0, 1.0, 0.0), v(0.0, 0.0, 1.0)];
            let x: Vec<Vec3> = a.iter().copied().chain(a.map(|p| p * 0.5 + v(shift, shift, 0.0))).collect();
            assert_eq!(find_intersections(&surface(&t, &x), &x).len(), usize::from(meets), "{shift}");
        }
    }

    #[test]
    fn neighbours_meet_only_elsewhere() {
        // A fan around point 0, flat: none; with one corner folded through its neighbour's neighbour: one.
        let t = [[0, 1, 2], [0, 2, 3], [0, 3, 4]];
        let mut x =
            vec![v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(0.7, 0.7, 0.0), v(0.0, 1.0, 0.0), v(-0.7, 0.7, 0.0)];
        assert!(find_intersections(&surface(&t, &x), &x).is_empty());
        x[3] = v(0.8, 0.2, 0.5);
        x[4] = v(0.8, 0.3, -0.5);
        assert_eq!(find_intersections(&surface(&t, &x), &x), [(0, 2)]);
    }
}
