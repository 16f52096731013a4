//! Rest data of elements, measured on rest positions.
//!
//! Triangle: with local axes e1 = d1/|d1| and e2 = n × e1 (d_k = x_k − x_0, n the unit
//! normal), Dm = [[e1·d1, e1·d2], [0, e2·d2]] and the area is det Dm / 2.
//! Tetrahedron: Dm = [d1 d2 d3], volume det Dm / 6. Hinge: the dihedral angle
//! atan2((n1 × n2)·ê, n1·n2), 0 when flat, about the edge ê from start to end.

use coact_math::{Mat2, Mat3, Vec3};

use super::TriangleRest;

/// Dm⁻¹ and area; `None` where the triangle has no area.
pub(super) fn triangle_rest(x: [Vec3; 3]) -> Option<TriangleRest> {
    let (d1, d2) = (x[1] - x[0], x[2] - x[0]);
    let n = d1.cross(&d2).try_normalize(0.0)?;
    let e1 = d1.try_normalize(0.0)?;
    let e2 = n.cross(&e1);
    let dm = Mat2::new(e1.dot(&d1), e1.dot(&d2), 0.0, e2.dot(&d2));
    Some(TriangleRest { inv: dm.try_inverse()?, area: 0.5 * dm.determinant() })
}

/// Area over the square of the longest edge: 0.43 for the equilateral triangle.
pub(super) fn triangle_quality(x: [Vec3; 3]) -> f64 {
    let area = 0.5 * (x[1] - x[0]).cross(&(x[2] - x[0])).norm();
    area / longest(&x).powi(2)
}

/// Dm of a tetrahedron.
pub(super) fn tet_shape(x: [Vec3; 4]) -> Mat3 {
    Mat3::from_columns(&[x[1] - x[0], x[2] - x[0], x[3] - x[0]])
}

/// Signed volume over the cube of the longest edge: 0.118 for the regular tetrahedron.
pub(super) fn tet_quality(x: [Vec3; 4]) -> f64 {
    tet_shape(x).determinant() / 6.0 / longest(&x).powi(3)
}

/// Dihedral angle \[rad\] of (opposite 0, opposite 1, start, end).
pub(super) fn hinge_angle(x: [Vec3; 4]) -> f64 {
    let n1 = (x[2] - x[0]).cross(&(x[3] - x[0]));
    let n2 = (x[3] - x[1]).cross(&(x[2] - x[1]));
    let e = (x[3] - x[2]).normalize();
    // |n1||n2| scales both arguments alike, so the normals need no unit length.
    n1.cross(&n2).dot(&e).atan2(n1.dot(&n2))
}

fn longest(x: &[Vec3]) -> f64 {
    let pairs = x.iter().enumerate().flat_map(|(i, a)| x[i + 1..].iter().map(move |b| (a - b).norm()));
    pairs.fold(0.0, f64::max)
}
