//! What holds two endpoints of two entries together: a cut joint or an attachment, and how it measures.
//!
//! `docs/theory/admm-coupling.md` eq. (2)–(5). The first end (child, or particle) is measured in the joint
//! frame of the second one (parent, or body): row bases turn with it. C is what the link locks, zero
//! where it holds.

use std::ops::Range;

use coact_math::{Pose, Quat, Spatial, Vec3, log_so3};
use coact_model::{AttachmentId, JointId};
use coact_solver::Endpoint;

/// Where a link comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    Joint(JointId),
    Attachment(AttachmentId),
}

/// One end: who it is, and the joint frame in its body frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub entry: usize,
    pub endpoint: Endpoint,
    pub frame: Pose,
}

/// What one row measures. Axes are unit vectors of the joint frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Law {
    /// Eq. (2): distance of the anchors along an axis of the second end.
    Gap(Vec3),
    /// Eq. (3): rotation vector of the first end against the second one, from rest, along an axis.
    Turn(Vec3),
    /// Eq. (4): cross product of the hinge axis in the two ends, along another axis.
    Hinge { hinge: Vec3, along: Vec3 },
    /// Eq. (5): cosine between an axis of the second end and one of the first, less that at rest.
    Universal { second: Vec3, first: Vec3 },
    /// Displacement along a free axis, as (2).
    Slide(Vec3),
    /// Angle about a free axis, within half a turn: eq. (5a).
    Angle { hinge: Vec3, along: Vec3 },
    /// Distance of the anchors.
    Distance,
}

impl Law {
    /// Whether it is an angle, not a length.
    pub fn is_angular(&self) -> bool {
        !matches!(self, Self::Gap(_) | Self::Slide(_) | Self::Distance)
    }
}

/// A free axis of a joint that is driven, limited or rubs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    pub law: Law,
    /// Row of `joint_axis` and of the drive targets.
    pub axis: usize,
    /// Row of `joint_f`.
    pub dof: Option<usize>,
    /// Its multipliers in the memory of all links: [`Axis::ROWS`] of them.
    pub memory: usize,
}

impl Axis {
    /// Rows that one axis may have: limit, drive, friction, armature, given force.
    pub const ROWS: usize = 5;
}

/// A joint or attachment between entries.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub origin: Origin,
    /// "joint 'elbow'".
    pub name: String,
    pub sides: [Side; 2],
    /// Rotation of the first frame in the second one at rest.
    pub rest: Quat,
    pub laws: Vec<Law>,
    /// Its free axes.
    pub axes: Vec<Axis>,
    /// Index of the interface that it belongs to.
    pub pair: usize,
    /// Its multipliers in the memory of all links.
    pub memory: Range<usize>,
}

/// Joint frames of both ends in the world.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frames {
    pub first: Pose,
    pub second: Pose,
}

impl Link {
    /// Joint frames where the ends are at these poses.
    pub fn frames(&self, first: &Pose, second: &Pose) -> Frames {
        Frames { first: *first * self.sides[0].frame, second: *second * self.sides[1].frame }
    }

    /// C of a row.
    pub fn eval(&self, law: &Law, at: &Frames) -> f64 {
        let (p, c) = (&at.second, &at.first);
        match law {
            Law::Gap(b) | Law::Slide(b) => (p.q * b).dot(&(c.p - p.p)),
            Law::Distance => (c.p - p.p).norm(),
            Law::Angle { hinge, along } => {
                let turned = p.q.inverse() * (c.q * along);
                turned.dot(&hinge.cross(along)).atan2(turned.dot(along))
            }
            Law::Turn(b) => log_so3(&(p.q.inverse() * c.q * self.rest.inverse())).dot(b),
            Law::Hinge { hinge, along } => (p.q * along).dot(&(p.q * hinge).cross(&(c.q * hinge))),
            Law::Universal { second, first } => (p.q * second).dot(&(c.q * first)) - second.dot(first),
        }
    }

    /// The row's direction in the world: what a unit multiplier takes from the first end, force and
    /// torque at the anchor of the first end. The second end gets the opposite there, so that no
    /// momentum is made.
    pub fn direction(&self, law: &Law, at: &Frames) -> Spatial {
        let p = &at.second.q;
        match law {
            Law::Gap(b) | Law::Slide(b) => Spatial::new(p * b, Vec3::zeros()),
            Law::Distance => {
                let between = at.first.p - at.second.p;
                Spatial::new(between.try_normalize(0.0).unwrap_or_else(Vec3::x), Vec3::zeros())
            }
            Law::Angle { hinge, .. } => Spatial::new(Vec3::zeros(), p * hinge),
            Law::Turn(b) => Spatial::new(Vec3::zeros(), p * b),
            Law::Hinge { along, .. } => Spatial::new(Vec3::zeros(), p * along),
            Law::Universal { second, first } => {
                Spatial::new(Vec3::zeros(), (at.first.q * first).cross(&(p * second)))
            }
        }
    }
}

/// Two unit vectors that complete a unit vector to a right-handed basis.
pub(super) fn complete(a: &Vec3) -> [Vec3; 2] {
    let other = if a.x.abs() < 0.6 { Vec3::x() } else { Vec3::y() };
    let t = (other - a * a.dot(&other)).normalize();
    [t, a.cross(&t)]
}

/// Unit vectors that complete some independent unit vectors.
pub(super) fn complement(axes: &[Vec3]) -> Vec<Vec3> {
    match axes {
        [] => vec![Vec3::x(), Vec3::y(), Vec3::z()],
        [a] => complete(a).to_vec(),
        [a, b] => vec![a.cross(b).normalize()],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use coact_math::exp_so3;
    use coact_model::BodyId;

    use super::*;

    fn link(laws: Vec<Law>) -> Link {
        let side = |i: u32, p: Vec3, t: Vec3| Side {
            entry: i as usize,
            endpoint: Endpoint::Body(BodyId(i)),
            frame: Pose::new(p, exp_so3(&t)),
        };
        let sides = [
            side(0, Vec3::new(0.1, -0.2, 0.3), Vec3::new(0.2, 0.1, -0.4)),
            side(1, Vec3::new(-0.3, 0.1, 0.2), Vec3::new(-0.5, 0.3, 0.1)),
        ];
        let origin = Origin::Joint(JointId(0));
        let rest = exp_so3(&Vec3::new(0.1, 0.0, -0.2));
        Link { origin, name: "test".into(), sides, rest, laws, axes: Vec::new(), pair: 0, memory: 0..0 }
    }

    fn all() -> Vec<Law> {
        let [u, v] = complete(&Vec3::new(0.6, 0.0, 0.8));
        vec![
            Law::Gap(u),
            Law::Gap(Vec3::z()),
            Law::Turn(v),
            Law::Hinge { hinge: Vec3::new(0.6, 0.0, 0.8), along: u },
            Law::Universal { second: Vec3::x(), first: Vec3::y() },
            Law::Slide(Vec3::y()),
            Law::Angle { hinge: Vec3::new(0.6, 0.0, 0.8), along: u },
            Law::Distance,
        ]
    }

    /// The direction is the derivative of C at small angles: displacements of both ends about the
    /// anchor of the first one, central differences, where the angular rows hold.
    #[test]
    fn directions_are_derivatives_where_the_link_holds() {
        let link = link(all());
        let second = Pose::new(Vec3::new(1.0, 2.0, -0.5), exp_so3(&Vec3::new(0.7, -0.2, 0.4)));
        // rows of translation are exact at any gap, those of rotation where the link holds
        for hinge_turn in [0.0, 0.9] {
            let held = second * link.sides[1].frame;
            let turned = exp_so3(&((held.q * Vec3::new(0.6, 0.0, 0.8)) * hinge_turn)) * held.q;
            let gap = Vec3::new(0.3, -0.1, 0.2);
            for (k, law) in link.laws.iter().enumerate() {
                let q = if matches!(law, Law::Hinge { .. } | Law::Angle { .. }) { turned } else { held.q };
                let q = if matches!(law, Law::Turn(_)) { held.q * link.rest } else { q };
                let first = Pose::new(held.p + gap, q) * link.sides[0].frame.inverse();
                let at = link.frames(&first, &second);
                let d = link.direction(law, &at);
                for axis in 0..12 {
                    let mut v = [0.0; 12];
                    v[axis] = 1e-6;
                    let c = |s: f64| {
                        let moved = |x: &Pose, v: &[f64]| {
                            let (t, w) =
                                (Vec3::from_column_slice(&v[..3]) * s, Vec3::from_column_slice(&v[3..]) * s);
                            let turn = exp_so3(&w);
                            Pose::new(at.first.p + turn * (x.p - at.first.p) + t, turn * x.q)
                        };
                        let at = link.frames(&moved(&first, &v[..6]), &moved(&second, &v[6..]));
                        link.eval(law, &at)
                    };
                    let slope = (c(1.0) - c(-1.0)) / 2e-6;
                    let sign = if axis < 6 { 1.0 } else { -1.0 };
                    let expected = sign * d.to_vec6()[axis % 6];
                    assert!((slope - expected).abs() < 1e-8, "law {k}, axis {axis}: {slope} {expected}");
                }
            }
        }
    }

    #[test]
    fn bases_complete_axes() {
        let a = Vec3::new(0.6, 0.0, 0.8);
        assert_eq!(complement(&[]).len(), 3);
        assert!(complement(&[Vec3::x(), Vec3::y(), Vec3::z()]).is_empty());
        for axes in [vec![a], vec![a, Vec3::y()]] {
            let rest = complement(&axes);
            assert_eq!(rest.len(), 3 - axes.len());
            for r in &rest {
                assert!((r.norm() - 1.0).abs() < 1e-14);
                assert!(axes.iter().all(|a| a.dot(r).abs() < 1e-14));
            }
        }
        let [u, v] = complete(&a);
        assert!((u.cross(&v) - a).norm() < 1e-14);
    }
}
