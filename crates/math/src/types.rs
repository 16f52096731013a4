//! Host types in `f64`: vectors, rotations, poses and spatial pairs.
//!
//! nalgebra carries the algebra; this file only fixes the aliases that every
//! crate uses and adds the pair (linear, angular) that velocities and wrenches
//! of rigid bodies share.

use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A vector in three dimensions.
pub type Vec3 = nalgebra::Vector3<f64>;
/// A 2×2 matrix.
pub type Mat2 = nalgebra::Matrix2<f64>;
/// A 3×3 matrix.
pub type Mat3 = nalgebra::Matrix3<f64>;
/// A 6×6 matrix, ordered (linear, angular).
pub type Mat6 = nalgebra::Matrix6<f64>;
/// A 6-vector, ordered (linear, angular).
pub type Vec6 = nalgebra::Vector6<f64>;
/// A unit quaternion.
pub type Quat = nalgebra::UnitQuaternion<f64>;

/// A rigid transform `x ↦ q x + p`: the pose of a frame in its parent frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Pose {
    /// Position of the origin \[m\].
    pub p: Vec3,
    /// Orientation.
    pub q: Quat,
}

impl Pose {
    /// The identity.
    #[inline]
    pub fn identity() -> Self {
        Self { p: Vec3::zeros(), q: Quat::identity() }
    }

    /// From position and orientation.
    #[inline]
    pub fn new(p: Vec3, q: Quat) -> Self {
        Self { p, q }
    }

    /// A pure translation.
    #[inline]
    pub fn translation(p: Vec3) -> Self {
        Self { p, q: Quat::identity() }
    }

    /// Maps a point from this frame to the parent frame.
    #[inline]
    pub fn point(&self, x: &Vec3) -> Vec3 {
        self.q * x + self.p
    }

    /// Rotates a vector from this frame to the parent frame.
    #[inline]
    pub fn vector(&self, v: &Vec3) -> Vec3 {
        self.q * v
    }

    /// The inverse transform.
    #[inline]
    pub fn inverse(&self) -> Self {
        let q = self.q.inverse();
        Self { p: -(q * self.p), q }
    }

    /// The pose after the point `com` of the frame moved by `d.lin` and the frame turned
    /// about it by the rotation vector `d.ang`. No turn changes no bit of the rotation.
    #[inline]
    pub fn displaced(&self, com: &Vec3, d: &Spatial) -> Self {
        if d.ang == Vec3::zeros() {
            return Self::new(self.p + d.lin, self.q);
        }
        let q = crate::exp_so3(&d.ang) * self.q;
        Self::new(self.point(com) + d.lin - q * com, q)
    }

    /// Whether all seven numbers are finite.
    #[inline]
    pub fn is_finite(&self) -> bool {
        self.p.iter().chain(self.q.coords.iter()).all(|x| x.is_finite())
    }

    /// From `[px, py, pz, qx, qy, qz, qw]`; the quaternion is normalised.
    #[inline]
    pub fn from_array(a: [f64; 7]) -> Self {
        let q = nalgebra::Quaternion::new(a[6], a[3], a[4], a[5]);
        Self { p: Vec3::new(a[0], a[1], a[2]), q: Quat::from_quaternion(q) }
    }

    /// `[px, py, pz, qx, qy, qz, qw]`.
    #[inline]
    pub fn to_array(&self) -> [f64; 7] {
        let (p, q) = (&self.p, &self.q.coords);
        [p.x, p.y, p.z, q.x, q.y, q.z, q.w]
    }
}

impl Default for Pose {
    #[inline]
    fn default() -> Self {
        Self::identity()
    }
}

/// Composition: `(a * b).point(x) == a.point(b.point(x))`.
impl Mul for Pose {
    type Output = Self;
    #[inline]
    fn mul(self, b: Self) -> Self {
        Self { p: self.point(&b.p), q: self.q * b.q }
    }
}

/// A pair (linear, angular) in the world frame: the velocity of a body (centre of
/// mass \[m/s\], angular \[rad/s\]) or a wrench (force \[N\], torque about the
/// centre of mass \[N·m\]).
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Spatial {
    /// Linear part.
    pub lin: Vec3,
    /// Angular part.
    pub ang: Vec3,
}

impl Spatial {
    /// From the two parts.
    #[inline]
    pub fn new(lin: Vec3, ang: Vec3) -> Self {
        Self { lin, ang }
    }

    /// Zero.
    #[inline]
    pub fn zeros() -> Self {
        Self { lin: Vec3::zeros(), ang: Vec3::zeros() }
    }

    /// `lin·lin + ang·ang`: power when one is a wrench and the other a velocity.
    #[inline]
    pub fn dot(&self, o: &Self) -> f64 {
        self.lin.dot(&o.lin) + self.ang.dot(&o.ang)
    }

    /// Whether all six numbers are finite.
    #[inline]
    pub fn is_finite(&self) -> bool {
        self.lin.iter().chain(self.ang.iter()).all(|x| x.is_finite())
    }

    /// As a 6-vector (linear, angular).
    #[inline]
    pub fn to_vec6(&self) -> Vec6 {
        let (l, a) = (&self.lin, &self.ang);
        Vec6::new(l.x, l.y, l.z, a.x, a.y, a.z)
    }

    /// From a 6-vector (linear, angular).
    #[inline]
    pub fn from_vec6(v: &Vec6) -> Self {
        Self { lin: Vec3::new(v[0], v[1], v[2]), ang: Vec3::new(v[3], v[4], v[5]) }
    }

    /// Velocity of the point at world offset `r` from the centre of mass.
    #[inline]
    pub fn velocity_at(&self, r: &Vec3) -> Vec3 {
        self.lin + self.ang.cross(r)
    }

    /// Wrench about the centre of mass of force `f` at world offset `r` from it.
    #[inline]
    pub fn wrench_at(f: &Vec3, r: &Vec3) -> Self {
        Self { lin: *f, ang: r.cross(f) }
    }
}

impl Default for Spatial {
    #[inline]
    fn default() -> Self {
        Self::zeros()
    }
}

impl Add for Spatial {
    type Output = Self;
    #[inline]
    fn add(self, o: Self) -> Self {
        Self { lin: self.lin + o.lin, ang: self.ang + o.ang }
    }
}

impl Sub for Spatial {
    type Output = Self;
    #[inline]
    fn sub(self, o: Self) -> Self {
        Self { lin: self.lin - o.lin, ang: self.ang - o.ang }
    }
}

impl Neg for Spatial {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self { lin: -self.lin, ang: -self.ang }
    }
}

impl Mul<f64> for Spatial {
    type Output = Self;
    #[inline]
    fn mul(self, s: f64) -> Self {
        Self { lin: self.lin * s, ang: self.ang * s }
    }
}

impl AddAssign for Spatial {
    #[inline]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl SubAssign for Spatial {
    #[inline]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}
