//! How a body moves for a force on it: M = I/m − [r] J⁻¹ [r] of the point at the arm r. Theory:
//! `docs/theory/rigid-rows.md` eq. (31), (32).

use coact_math::{Mat3, Vec3};

/// Inverse mass and inverse inertia in the world; zero for what no force moves.
#[derive(Clone, Copy, Debug, Default)]
pub struct PointMobility {
    /// \[1/kg\].
    pub mass: f64,
    /// \[1/(kg·m²)\].
    pub turn: Mat3,
}

/// aᵀ M a, aᵀ M b, bᵀ M b for two tangents a, b of a plane \[1/kg\].
pub type Plane = [f64; 3];

impl PointMobility {
    /// nᵀ M n at the arm `r` \[1/kg\].
    #[inline]
    pub fn along(&self, r: &Vec3, n: &Vec3) -> f64 {
        let w = r.cross(n);
        self.mass + w.dot(&(self.turn * w))
    }

    /// M in the plane of two unit tangents, at the arm `r`.
    #[inline]
    pub fn across(&self, r: &Vec3, [a, b]: &[Vec3; 2]) -> Plane {
        let (a, b) = (r.cross(a), r.cross(b));
        let (turn_a, turn_b) = (self.turn * a, self.turn * b);
        [self.mass + a.dot(&turn_a), a.dot(&turn_b), self.mass + b.dot(&turn_b)]
    }
}

/// Two unit tangents of the plane of the unit normal `n`.
#[inline]
pub fn tangents(n: &Vec3) -> [Vec3; 2] {
    let least = if n.x.abs() <= n.y.abs() && n.x.abs() <= n.z.abs() {
        0
    } else if n.y.abs() <= n.z.abs() {
        1
    } else {
        2
    };
    let a = n.cross(&Vec3::ith(least, 1.0)).normalize();
    [a, n.cross(&a)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use coact_math::skew;

    #[test]
    fn it_is_that_of_the_matrix() {
        let turn = Mat3::new(4.0, 1.0, 0.5, 1.0, 3.0, -0.2, 0.5, -0.2, 5.0);
        let (m, r) = (PointMobility { mass: 0.5, turn }, Vec3::new(0.3, -0.2, 0.5));
        let matrix = skew(&r) * turn * skew(&r).transpose() + Mat3::identity() * 0.5;
        for n in [Vec3::new(0.6, 0.0, -0.8), Vec3::y(), Vec3::new(1.0, 1.0, 1.0).normalize()] {
            let [a, b] = tangents(&n);
            assert!((Mat3::from_columns(&[n, a, b]).determinant().abs() - 1.0).abs() < 1e-14);
            let [aa, ab, bb] = m.across(&r, &[a, b]);
            assert!((m.along(&r, &n) - n.dot(&(matrix * n))).abs() < 1e-14);
            assert!((aa - a.dot(&(matrix * a))).abs() < 1e-14);
            assert!((ab - a.dot(&(matrix * b))).abs() < 1e-14);
            assert!((bb - b.dot(&(matrix * b))).abs() < 1e-14);
        }
    }
}
