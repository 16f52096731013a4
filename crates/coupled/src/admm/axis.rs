//! Rows of a free axis of a cut joint: limit, drive, friction, armature, given force.
//!
//! `docs/theory/admm-coupling.md` eq. (18)–(22). C is the coordinate of the axis; a positive multiplier
//! pushes it down.

use coact_model::{Control, JointAxis};

use super::project::Bound;
use super::rows::Closing;

/// What the rows of an axis are made of in this step.
pub(super) struct AxisInput<'a> {
    pub axis: &'a JointAxis,
    /// Targets of the drive.
    pub target: (f64, f64),
    /// Generalised force of the control.
    pub force: f64,
    /// Coordinate and its rate at the begin.
    pub begin: f64,
    pub rate: f64,
    pub closing: Closing,
    pub dt: f64,
}

/// One row of an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct AxisRow {
    pub target: f64,
    pub compliance: f64,
    pub bound: Bound,
}

/// Targets of a drive that the control has.
pub(super) fn drive_target(control: &Control, axis: usize) -> (f64, f64) {
    let of = |list: &[f64]| list.get(axis).copied().unwrap_or(0.0);
    (of(&control.joint_target_q), of(&control.joint_target_qd))
}

impl AxisInput<'_> {
    /// The rows, each with its place among those of the axis.
    pub fn rows(&self) -> [Option<AxisRow>; 5] {
        [self.limit(), self.drive(), self.friction(), self.armature(), self.given()]
    }

    /// Eq. (18): the nearer limit.
    fn limit(&self) -> Option<AxisRow> {
        let (lower, upper) = (self.axis.limit_lower, self.axis.limit_upper);
        let at_upper = upper.is_finite() && (!lower.is_finite() || self.begin + self.begin > lower + upper);
        let (at, bound) = match (at_upper, lower.is_finite()) {
            (true, _) => (upper, Bound::Range(0.0, f64::INFINITY)),
            (false, true) => (lower, Bound::Range(f64::NEG_INFINITY, 0.0)),
            (false, false) => return None,
        };
        let bound = if lower == upper { Bound::Free } else { bound };
        let damping = self.axis.limit_kd / self.dt;
        let stiffness = self.axis.limit_ke + damping;
        if self.axis.limit_ke.is_infinite() {
            let beyond = self.begin - at;
            let violated = if at_upper { beyond > 0.0 } else { beyond < 0.0 };
            let left = if violated { self.closing.target(beyond) } else { 0.0 };
            return Some(AxisRow { target: at + left, compliance: 0.0, bound });
        }
        // a damper that only brakes what goes further in
        let target = at + damping / stiffness * (self.begin - at);
        (stiffness > 0.0).then_some(AxisRow { target, compliance: 1.0 / stiffness, bound })
    }

    /// Eq. (19): backward Euler of the drive, cut at its effort limit.
    fn drive(&self) -> Option<AxisRow> {
        let (ke, damping) = (self.axis.target_ke, self.axis.target_kd / self.dt);
        let (q, qd) = self.target;
        let k = ke + damping;
        let effort = self.axis.effort_limit;
        let bound = if effort.is_finite() { Bound::Range(-effort, effort) } else { Bound::Free };
        let target = (ke * q + damping * (self.begin + self.dt * qd)) / k;
        (k > 0.0).then_some(AxisRow { target, compliance: 1.0 / k, bound })
    }

    /// Eq. (20): what keeps still until the force is used up.
    fn friction(&self) -> Option<AxisRow> {
        let f = self.axis.friction;
        (f > 0.0).then_some(AxisRow { target: self.begin, compliance: 0.0, bound: Bound::Range(-f, f) })
    }

    /// Eq. (21): inertia of the axis.
    fn armature(&self) -> Option<AxisRow> {
        let i = self.axis.armature;
        let target = self.begin + self.dt * self.rate;
        (i > 0.0).then_some(AxisRow { target, compliance: self.dt * self.dt / i, bound: Bound::Free })
    }

    /// Eq. (22): a multiplier that is given.
    fn given(&self) -> Option<AxisRow> {
        let f = self.force;
        (f != 0.0).then_some(AxisRow { target: self.begin, compliance: 0.0, bound: Bound::Range(-f, -f) })
    }
}
