//! Joints of other kinds at segments and at the bodies that rods carry: elements whose rows are hard or
//! off.
//!
//! Theory: `docs/theory/rod.md` eq. (8a), (8b). Left out: drives, limits, friction and armature of axes.

use coact_math::{Pose, Quat, Vec3, Vec6, exp_so3, log_so3};
use coact_model::{JointAxis, JointId, JointKind, ModelView};
use coact_solver::SolverError;

use crate::element::Element;
use crate::refuse;
use crate::strain::Ends;

/// What an element holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Bond {
    /// An element of a rod.
    #[default]
    Rod,
    /// Everything.
    Fixed,
    /// Places.
    Ball,
    /// Places, and turns but for those about one axis: z of the frames of the element.
    Hinge,
}

impl Bond {
    /// Of a joint; `None`: this solver has no element for it.
    pub fn of(kind: JointKind) -> Option<Self> {
        match kind {
            JointKind::Rod => Some(Self::Rod),
            JointKind::Fixed => Some(Self::Fixed),
            JointKind::Ball => Some(Self::Ball),
            JointKind::Revolute => Some(Self::Hinge),
            _ => None,
        }
    }
}

impl Element {
    /// eq. (8a): rows and frames of what is no element of a rod.
    pub fn read_joint(&mut self, view: &ModelView, hard: [f64; 2]) {
        let [places, turns] = hard;
        let (bend, twist) = match self.bond {
            Bond::Rod | Bond::Fixed => (turns, turns),
            Bond::Ball => (0.0, 0.0),
            Bond::Hinge => (turns, 0.0),
        };
        self.k = Vec6::new(places, places, places, bend, bend, twist);
        (self.kd, self.rest) = (Vec6::zeros(), Vec3::zeros());
        let rest = view.joint_rest_rotation[self.joint.index()];
        let to_axis = match (self.bond, view.axes_of(self.joint)) {
            (Bond::Hinge, [axis]) => from_z(&axis.axis),
            _ => Quat::identity(),
        };
        let [f0, f1] = self.frames;
        self.frames = [Pose::new(f0.p, f0.q * to_axis), Pose::new(f1.p, f1.q * rest.inverse() * to_axis)];
    }

    /// eq. (8b): what turns freely is measured from the begin of the step, where both sides are at `ends`.
    pub fn measure_from(&mut self, ends: &Ends) {
        let relative = ends.q[0].inverse() * ends.q[1];
        let free = match self.bond {
            Bond::Rod | Bond::Fixed => return,
            Bond::Ball => relative,
            Bond::Hinge => exp_so3(&(Vec3::z() * (2.0 * libm::atan2(relative.k, relative.w)))),
        };
        self.frames[1].q *= free.inverse();
        self.phi = log_so3(&(relative * free.inverse()));
    }
}

/// A rotation that takes z to `axis`.
fn from_z(axis: &Vec3) -> Quat {
    let z = Vec3::z();
    Quat::rotation_between(&z, axis).unwrap_or_else(|| exp_so3(&(Vec3::x() * std::f64::consts::PI)))
}

/// Refuses what this solver does not do to a joint on what it moves.
pub(crate) fn check(view: &ModelView, j: JointId) -> Result<(), SolverError> {
    let kind = view.joint_kind[j.index()];
    match Bond::of(kind) {
        Some(Bond::Hinge) if view.axes_of(j).iter().any(|a| !is_free(a)) => Err(refuse::axis(j)),
        None if kind != JointKind::Free => Err(refuse::joint_kind(j, kind)),
        _ => Ok(()),
    }
}

/// Whether nothing acts along the axis.
fn is_free(a: &JointAxis) -> bool {
    let bounded = a.limit_lower.is_finite() || a.limit_upper.is_finite();
    !bounded && [a.target_ke, a.target_kd, a.armature, a.friction].iter().all(|x| *x == 0.0)
}
