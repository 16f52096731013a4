//! Exact tests of one pair of triangles.
//!
//! With `[abcd]` the sign of det(a − d, b − d, c − d): a segment pq that is not in the plane
//! of abc meets it in one point if `[abcp]` and `[abcq]` are not both of one sign, and that
//! point is in the triangle if `[pqab]`, `[pqbc]`, `[pqca]` have no two opposite signs. In
//! the plane the same is asked of a projection in which the triangle has an area.

use coact_math::Vec3;
use robust::{Coord, Coord3D, orient2d, orient3d};

/// Whether two triangles have a point in common beyond the vertices that they share by index
/// (and the edge between two of these).
pub fn triangles_intersect(points: &[Vec3], [a, b]: [[u32; 3]; 2]) -> bool {
    let at = |i: u32| points[i as usize];
    let [xa, xb] = [a, b].map(|t| t.map(at));
    let shares = |v: &u32, other: &[u32; 3]| other.contains(v);
    let own_a = own_first(a, b);
    let own_b = own_first(b, a);
    match a.iter().filter(|v| shares(v, &b)).count() {
        0 => edges(xa).iter().any(|e| meets(*e, xb)) || edges(xb).iter().any(|e| meets(*e, xa)),
        // A common point beyond the shared vertex: the ray from there to it leaves one of the
        // two triangles first, through the edge opposite to the vertex, inside of the other.
        1 => meets([at(own_a[0]), at(own_a[1])], xb) || meets([at(own_b[0]), at(own_b[1])], xa),
        // Only in one plane and on one side of the shared edge.
        2 => overlap_over_edge([at(own_a[1]), at(own_a[2])], at(own_a[0]), at(own_b[0])),
        _ => true,
    }
}

/// The vertices of `t`, those that `other` lacks first.
fn own_first(mut t: [u32; 3], other: [u32; 3]) -> [u32; 3] {
    t.sort_by_key(|v| other.contains(v));
    t
}

fn edges([a, b, c]: [Vec3; 3]) -> [[Vec3; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

/// Whether triangles over one edge, with tips p and q, overlap.
fn overlap_over_edge([a, b]: [Vec3; 2], p: Vec3, q: Vec3) -> bool {
    if volume(a, b, p, q) != 0 {
        return false;
    }
    // without an area, the tip p is on the line of the edge, and so in it or beside it
    let Some(axis) = plane_axis([a, b, p]) else { return false };
    area(axis, a, b, p) == area(axis, a, b, q)
}

/// Whether the closed segment meets the closed triangle. A triangle without area is met by
/// nothing: its own edges are tested against the other one.
fn meets([p, q]: [Vec3; 2], [a, b, c]: [Vec3; 3]) -> bool {
    let sides = [volume(a, b, c, p), volume(a, b, c, q)];
    if sides == [0, 0] {
        return plane_axis([a, b, c]).is_some_and(|axis| meets_in_plane(axis, [p, q], [a, b, c]));
    }
    sides[0] * sides[1] <= 0 && one_sided([volume(p, q, a, b), volume(p, q, b, c), volume(p, q, c, a)])
}

fn meets_in_plane(axis: usize, [p, q]: [Vec3; 2], t: [Vec3; 3]) -> bool {
    let inside = |x: Vec3| one_sided(edges(t).map(|[a, b]| area(axis, a, b, x)));
    // A segment along an edge is seen by its ends or, where it covers the edge, by the next edge.
    let crosses = |[a, b]: [Vec3; 2]| {
        let of_edge = [area(axis, p, q, a), area(axis, p, q, b)];
        let of_segment = [area(axis, a, b, p), area(axis, a, b, q)];
        [of_edge, of_segment].iter().all(|s| *s != [0, 0] && s[0] * s[1] <= 0)
    };
    inside(p) || inside(q) || edges(t).into_iter().any(crosses)
}

/// The coordinate to leave out so that the triangle keeps an area; `None`: it has none.
fn plane_axis([a, b, c]: [Vec3; 3]) -> Option<usize> {
    (0..3).find(|&axis| area(axis, a, b, c) != 0)
}

fn one_sided(signs: [i32; 3]) -> bool {
    !(signs.contains(&1) && signs.contains(&-1))
}

/// Sign of the volume of a tetrahedron.
fn volume(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> i32 {
    // Exact, and the common case of a sheet as it was cut: all in one plane of the axes.
    if (0..3).any(|k| a[k] == b[k] && a[k] == c[k] && a[k] == d[k]) {
        return 0;
    }
    let to = |p: Vec3| Coord3D { x: p.x, y: p.y, z: p.z };
    sign(orient3d(to(a), to(b), to(c), to(d)))
}

/// Sign of the area of a triangle in the projection without coordinate `axis`.
fn area(axis: usize, a: Vec3, b: Vec3, c: Vec3) -> i32 {
    let to = |p: Vec3| Coord { x: p[(axis + 1) % 3], y: p[(axis + 2) % 3] };
    sign(orient2d(to(a), to(b), to(c)))
}

fn sign(x: f64) -> i32 {
    i32::from(x > 0.0) - i32::from(x < 0.0)
}
