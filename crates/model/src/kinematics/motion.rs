//! One joint: the pose and motion of its child frame C in its parent frame P, from
//! coordinates and back.
//!
//! Linear axes a_i and angular axes b_i act in order:
//!   p_PC = Σ a_i q_i,   R_PC = Π exp(b_i q_i) · R_rest,
//! so the angular rate in P is ω = Σ (Π_{k<i} exp(b_k q_k)) b_i q̇_i. Back: linear
//! coordinates by least squares, one angle as the twist about its axis, two or three
//! angles by Gauss–Newton on the rotation error. Angles are found in (−π, π]; of the two
//! triples that make one rotation, the one with the smaller second angle. A free
//! joint's linear rate is that of the centre of mass, which the caller converts.

use std::f64::consts::{PI, TAU};

use coact_math::{Mat3, Pose, Quat, Spatial, Vec3};
use nalgebra::Quaternion;

use crate::joint::{JointAxis, JointKind};

/// Newton steps for two or three angles; away from gimbal lock fewer than ten are used.
const ANGLE_STEPS: usize = 40;

/// A joint without its bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointMotion<'a> {
    pub kind: JointKind,
    pub axes: &'a [JointAxis],
    pub rest: Quat,
}

/// Coordinates that put the child frame on the parent frame; 0 but for quaternions.
pub(crate) fn zero_coordinates(kind: JointKind) -> &'static [f64] {
    match kind {
        JointKind::Ball => &[0.0, 0.0, 0.0, 1.0],
        JointKind::Free | JointKind::Distance => &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
        _ => &[0.0; 6][..kind.coord_count()],
    }
}

impl JointMotion<'_> {
    /// Counts of linear and angular axes.
    fn axis_split(&self) -> (usize, usize) {
        match self.kind {
            JointKind::Revolute => (0, 1),
            JointKind::Prismatic => (1, 0),
            JointKind::D6 { linear, angular } => (linear as usize, angular as usize),
            _ => (0, 0),
        }
    }

    /// Directions in P in which C may move, and about which it may turn, at coordinates `q`.
    pub fn free_axes(&self, q: &[f64]) -> (Vec<Vec3>, Vec<Vec3>) {
        let all = || vec![Vec3::x(), Vec3::y(), Vec3::z()];
        match self.kind {
            JointKind::Ball => (Vec::new(), all()),
            JointKind::Free | JointKind::Distance | JointKind::Rod => (all(), all()),
            _ => {
                let (l, a) = self.axis_split();
                let linear = self.axes[..l].iter().map(|a| a.axis).collect();
                (linear, self.turned_axes(&q[l..])[..a].to_vec())
            }
        }
    }

    /// Pose of C in P at coordinates `q`.
    pub fn pose(&self, q: &[f64]) -> Pose {
        match self.kind {
            JointKind::Ball => Pose::new(Vec3::zeros(), quat(q)),
            JointKind::Free | JointKind::Distance => Pose::new(Vec3::new(q[0], q[1], q[2]), quat(&q[3..])),
            _ => {
                let (l, _) = self.axis_split();
                let p = self.axes.iter().zip(&q[..l]).map(|(a, q)| a.axis * *q).sum();
                Pose::new(p, self.rotation(&q[l..]) * self.rest)
            }
        }
    }

    /// Velocity of C in P (linear part at the origin of C; free: of the centre of mass).
    pub fn rate(&self, q: &[f64], qd: &[f64]) -> Spatial {
        let v3 = |v: &[f64]| Vec3::new(v[0], v[1], v[2]);
        match self.kind {
            JointKind::Ball => Spatial::new(Vec3::zeros(), v3(qd)),
            JointKind::Free | JointKind::Distance => Spatial::new(v3(qd), v3(&qd[3..])),
            _ => {
                let (l, _) = self.axis_split();
                let axes = self.turned_axes(&q[l..]);
                let lin = self.axes.iter().zip(&qd[..l]).map(|(a, s)| a.axis * *s).sum();
                let ang = axes.iter().zip(&qd[l..]).map(|(a, s)| a * *s).sum();
                Spatial::new(lin, ang)
            }
        }
    }

    /// Coordinates of the reachable pose next to `x`; the first `kind.coord_count()` count.
    pub fn coordinates(&self, x: &Pose) -> [f64; 7] {
        let mut out = [0.0; 7];
        let c = x.q.coords * if x.q.w < 0.0 { -1.0 } else { 1.0 };
        match self.kind {
            JointKind::Ball => out[..4].copy_from_slice(c.as_slice()),
            JointKind::Free | JointKind::Distance => {
                out[..3].copy_from_slice(x.p.as_slice());
                out[3..].copy_from_slice(c.as_slice());
            }
            _ => {
                let (l, a) = self.axis_split();
                out[..l].copy_from_slice(&least_squares(&self.linear_axes(), &x.p).as_slice()[..l]);
                let angles = self.angles(&(x.q * self.rest.inverse()));
                out[l..l + a].copy_from_slice(&angles.as_slice()[..a]);
            }
        }
        out
    }

    /// Rates next to the velocity `v` of C in P; the first `kind.dof_count()` count.
    pub fn rates(&self, q: &[f64], v: &Spatial) -> [f64; 6] {
        let mut out = [0.0; 6];
        match self.kind {
            JointKind::Ball => out[..3].copy_from_slice(v.ang.as_slice()),
            JointKind::Free | JointKind::Distance => out.copy_from_slice(v.to_vec6().as_slice()),
            _ => {
                let (l, a) = self.axis_split();
                out[..l].copy_from_slice(&least_squares(&self.linear_axes(), &v.lin).as_slice()[..l]);
                let axes = Mat3::from_columns(&self.turned_axes(&q[l..]));
                out[l..l + a].copy_from_slice(&least_squares(&axes, &v.ang).as_slice()[..a]);
            }
        }
        out
    }

    /// Linear axes as columns, padded with zeros.
    fn linear_axes(&self) -> Mat3 {
        let (l, _) = self.axis_split();
        Mat3::from_fn(|r, c| if c < l { self.axes[c].axis[r] } else { 0.0 })
    }

    fn rotation(&self, angles: &[f64]) -> Quat {
        let (l, _) = self.axis_split();
        let turns = self.axes[l.min(self.axes.len())..].iter().zip(angles);
        turns.fold(Quat::identity(), |r, (a, q)| r * Quat::from_scaled_axis(a.axis * *q))
    }

    /// Angular axes in P, each turned by the angles before it; padded with zeros.
    fn turned_axes(&self, angles: &[f64]) -> [Vec3; 3] {
        let (l, a) = self.axis_split();
        let (mut out, mut r) = ([Vec3::zeros(); 3], Quat::identity());
        for i in 0..a {
            let b = self.axes[l + i].axis;
            out[i] = r * b;
            r *= Quat::from_scaled_axis(b * angles[i]);
        }
        out
    }

    fn angles(&self, r: &Quat) -> Vec3 {
        let (l, a) = self.axis_split();
        let mut q = Vec3::zeros();
        if a == 1 {
            q[0] = wrapped(2.0 * r.vector().dot(&self.axes[l].axis).atan2(r.w));
            return q;
        }
        for _ in 0..if a == 0 { 0 } else { ANGLE_STEPS } {
            let error = (r * self.rotation(&q.as_slice()[..a]).inverse()).scaled_axis();
            let step = least_squares(&Mat3::from_columns(&self.turned_axes(q.as_slice())), &error);
            q += step;
            if step.norm() < 1e-14 {
                break;
            }
        }
        self.nearer_branch(q.map(wrapped), r)
    }

    /// Three perpendicular axes reach each rotation twice, as (a, b, c) and as
    /// (a + π, π − b, c + π); this is the one with the smaller second angle.
    fn nearer_branch(&self, q: Vec3, r: &Quat) -> Vec3 {
        let other = Vec3::new(q[0] + PI, PI - q[1], q[2] + PI).map(wrapped);
        let (_, a) = self.axis_split();
        let nearer = a == 3 && other[1].abs() < q[1].abs();
        if nearer && self.rotation(other.as_slice()).angle_to(r) < 1e-9 { other } else { q }
    }
}

fn quat(q: &[f64]) -> Quat {
    Quat::from_quaternion(Quaternion::new(q[3], q[0], q[1], q[2]))
}

/// Shortest x that minimises |A x − b|.
fn least_squares(a: &Mat3, b: &Vec3) -> Vec3 {
    // `solve` fails only without both singular bases, and both are computed.
    a.svd(true, true).solve(b, 1e-12).unwrap_or_else(|_| Vec3::zeros())
}

fn wrapped(angle: f64) -> f64 {
    let a = angle.rem_euclid(TAU);
    if a > PI { a - TAU } else { a }
}
