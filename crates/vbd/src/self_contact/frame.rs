//! Rigid motions that many particles share: `docs/theory/self-contact.md` eq. (19), (20).
//!
//! A rigid motion changes no distance, so bounds on the motion of particles against each
//! other need only bound what is left when such a motion is taken out.

use coact_math::{Mat3, Quat, Vec3};

/// x ↦ center + turn (x − center) + shift.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// What stays in place but for the shift \[m\].
    pub center: Vec3,
    /// Translation \[m\].
    pub shift: Vec3,
    /// Rotation vector \[rad\].
    pub angle: Vec3,
    /// The rotation.
    pub turn: Mat3,
}

impl Default for Frame {
    fn default() -> Self {
        Self { center: Vec3::zeros(), shift: Vec3::zeros(), angle: Vec3::zeros(), turn: Mat3::identity() }
    }
}

impl Frame {
    /// A frame that turns by the rotation vector `angle` about `center`, and then shifts.
    pub fn new(center: Vec3, shift: Vec3, angle: Vec3) -> Self {
        let turn = Quat::from_scaled_axis(angle).to_rotation_matrix().into_inner();
        Self { center, shift, angle, turn }
    }

    /// A frame that only shifts.
    pub fn translation(shift: Vec3) -> Self {
        Self { shift, ..Self::default() }
    }

    /// Where a point that moves with the frame is now.
    pub fn place(&self, x_ref: &Vec3) -> Vec3 {
        self.center + self.turn * (x_ref - self.center) + self.shift
    }

    /// Motion of a point now at `x` in the frame, in the axes of the reference.
    pub fn relative(&self, x: &Vec3, x_ref: &Vec3) -> Vec3 {
        self.turn.tr_mul(&(x - self.center - self.shift)) - (x_ref - self.center)
    }

    /// The part s of this motion, on the way from a plain shift `from`.
    pub fn part(&self, from: &Vec3, s: f64) -> Self {
        Self::new(self.center, from + (self.shift - from) * s, self.angle * s)
    }
}

/// Sums for the fit of a frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moments {
    count: f64,
    x: Vec3,
    u: Vec3,
    x_x: Mat3,
    x_u: Vec3,
}

impl Moments {
    /// Adds a point at `x_ref` (relative to a fixed origin near it) that moved by `u`.
    pub fn add(&mut self, x_ref: &Vec3, u: &Vec3) {
        self.count += 1.0;
        self.x += x_ref;
        self.u += u;
        self.x_x += x_ref * x_ref.transpose();
        self.x_u += x_ref.cross(u);
    }

    /// eq. (20): the frame that fits the motions best in the mean square, about the mean
    /// position; `origin` is what positions were relative to.
    pub fn fit(&self, origin: &Vec3) -> Frame {
        if self.count == 0.0 {
            return Frame::default();
        }
        let (center, shift) = (self.x / self.count, self.u / self.count);
        let spread = self.x_x - center * center.transpose() * self.count;
        let inertia = Mat3::identity() * spread.trace() - spread;
        // sin of the angle along the axis: for a pure rotation Σ r × u = inertia · sin
        let moment = self.x_u - center.cross(&self.u);
        let sine = inertia.cholesky().map_or_else(Vec3::zeros, |c| c.solve(&moment));
        let (size, limited) = (sine.norm(), sine.norm().min(1.0));
        let angle = if size > 1e-12 { sine * (limited.asin() / size) } else { Vec3::zeros() };
        if !(angle + shift).iter().all(|x| x.is_finite()) {
            return Frame::default();
        }
        Frame::new(center + origin, shift, angle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coact_testkit::Random;

    #[test]
    fn a_frame_takes_out_the_rigid_motion_that_it_was_fitted_to() {
        let mut rng = Random::new(21);
        for flat in [1.0, 0.0] {
            let origin = Vec3::new(5.0, -3.0, 2.0);
            let points: Vec<Vec3> = (0..80)
                .map(|_| {
                    let p = rng.vector(1.0);
                    Vec3::new(p.x, p.y, p.z * flat) + origin
                })
                .collect();
            let truth = Frame::new(origin, Vec3::new(0.3, -1.0, 0.2), Vec3::new(0.0, 0.0, 0.4));
            let mut moments = Moments::default();
            points.iter().for_each(|p| moments.add(&(p - origin), &(truth.place(p) - p)));
            let fit = moments.fit(&origin);
            let left = points.iter().map(|p| fit.relative(&truth.place(p), p).norm()).fold(0.0, f64::max);
            let moved = points.iter().map(|p| (truth.place(p) - p).norm()).fold(0.0, f64::max);
            // about no principal axis the fit is of second order in the angle
            assert!(left < 0.02 * moved, "{left} of {moved}");
            assert!((fit.relative(&fit.place(&points[0]), &points[0])).norm() < 1e-14);
        }
    }

    #[test]
    fn points_on_a_line_or_one_point_give_a_translation() {
        for points in [vec![Vec3::x()], vec![Vec3::zeros(), Vec3::x(), Vec3::x() * 2.0]] {
            let mut m = Moments::default();
            points.iter().for_each(|p| m.add(p, &Vec3::z()));
            let fit = m.fit(&Vec3::zeros());
            assert!((fit.shift - Vec3::z()).norm() < 1e-12 && fit.angle.norm() < 1e-9);
        }
    }
}
