//! Checks of joints: bodies, axes, counts of coordinates.

use super::check::{finite, finite_not_negative, in_range, not_negative};
use super::{JointDef, ModelBuilder};
use crate::error::ModelError;
use crate::ids::JointId;
use crate::joint::{JointAxis, JointKind};

/// An axis or quaternion written with four digits is still meant to be of unit length.
const UNIT_TOLERANCE: f64 = 1e-4;

impl ModelBuilder {
    pub(super) fn check_joints(&self) -> Result<(), ModelError> {
        self.joints.iter().enumerate().try_for_each(|(i, j)| self.check_joint(JointId::new(i), j))
    }

    fn check_joint(&self, id: JointId, j: &JointDef) -> Result<(), ModelError> {
        let label = || self.names.joint_label(id);
        for b in j.parent.iter().chain([&j.child]) {
            in_range(&label, b, b.index(), self.bodies.len())?;
        }
        if j.parent == Some(j.child) {
            let body = self.names.body_label(j.child);
            return Err(ModelError::SelfJoint { entity: label(), body });
        }
        finite(&label, "parent frame", &j.x_p.to_array())?;
        finite(&label, "child frame", &j.x_c.to_array())?;
        self.check_counts(id, j)?;
        self.check_coordinates(id, j)?;
        j.axes.iter().enumerate().try_for_each(|(k, a)| self.check_axis(id, k, a))
    }

    fn check_counts(&self, id: JointId, j: &JointDef) -> Result<(), ModelError> {
        let given_or = |v: &Option<Vec<f64>>, n: usize| v.as_ref().map_or(n, Vec::len);
        let filled_or = |v: &[f64], n: usize| if v.is_empty() { n } else { v.len() };
        let (coords, dofs, axes) = (j.kind.coord_count(), j.kind.dof_count(), j.kind.axis_count());
        let counts = [
            ("axes", axes, j.axes.len()),
            ("coordinates", coords, given_or(&j.q, coords)),
            ("velocities", dofs, given_or(&j.qd, dofs)),
            ("position targets", axes, filled_or(&j.target_q, axes)),
            ("velocity targets", axes, filled_or(&j.target_qd, axes)),
        ];
        match counts.into_iter().find(|(_, expected, given)| expected != given) {
            Some((what, expected, given)) => {
                let (entity, kind) = (self.names.joint_label(id), j.kind.word());
                Err(ModelError::WrongCount { entity, kind, what, expected, given })
            }
            None => self.check_kind(id, j),
        }
    }

    fn check_kind(&self, id: JointId, j: &JointDef) -> Result<(), ModelError> {
        let label = || self.names.joint_label(id);
        if let JointKind::D6 { linear, angular } = j.kind {
            for (field, value) in [("linear axes", linear), ("angular axes", angular)] {
                let (value, remedy) = (f64::from(value), "write at most 3");
                if value > 3.0 {
                    return Err(ModelError::BadValue { entity: label(), field, value, remedy });
                }
            }
        }
        match &j.rest_rotation {
            Some(_) if !matches!(j.kind, JointKind::Rod | JointKind::Fixed) => {
                let remedy = "turn x_p or x_c instead (only rods and fixed joints have one)";
                Err(ModelError::NotApplicable { entity: label(), field: "rest_rotation", remedy })
            }
            Some(r) => finite(&label, "rest rotation", r.coords.as_slice()),
            None => Ok(()),
        }
    }

    fn check_coordinates(&self, id: JointId, j: &JointDef) -> Result<(), ModelError> {
        let label = || self.names.joint_label(id);
        finite(&label, "position targets", &j.target_q)?;
        finite(&label, "velocity targets", &j.target_qd)?;
        finite(&label, "velocities", j.qd.as_deref().unwrap_or(&[]))?;
        let Some(q) = &j.q else { return Ok(()) };
        finite(&label, "coordinates", q)?;
        let quaternion = match j.kind {
            JointKind::Ball => &q[..],
            JointKind::Free | JointKind::Distance => &q[3..],
            _ => return Ok(()),
        };
        let value = quaternion.iter().map(|x| x * x).sum::<f64>().sqrt();
        if (value - 1.0).abs() > UNIT_TOLERANCE {
            let (field, remedy) = ("length of its quaternion", "write a unit quaternion (x, y, z, w)");
            return Err(ModelError::BadValue { entity: label(), field, value, remedy });
        }
        Ok(())
    }

    fn check_axis(&self, id: JointId, k: usize, a: &JointAxis) -> Result<(), ModelError> {
        let label = || format!("{}, axis {k}", self.names.joint_label(id));
        finite(&label, "direction", a.axis.as_slice())?;
        let length = a.axis.norm();
        let kind = self.joints[id.index()].kind;
        // The axes of a rod are the fixed six of its frame, that of a distance the line between
        // the anchors; their vectors are not read.
        let read = !matches!(kind, JointKind::Rod | JointKind::Distance);
        if read && (length - 1.0).abs() > UNIT_TOLERANCE {
            return Err(ModelError::NonUnitAxis { entity: self.names.joint_label(id), axis: k, length });
        }
        not_negative(&label, "target_ke", a.target_ke)?;
        finite_not_negative(&label, "target_kd", a.target_kd)?;
        not_negative(&label, "limit_ke", a.limit_ke)?;
        finite_not_negative(&label, "limit_kd", a.limit_kd)?;
        not_negative(&label, "effort_limit", a.effort_limit)?;
        finite_not_negative(&label, "armature", a.armature)?;
        not_negative(&label, "friction", a.friction)?;
        let (lower, upper) = (a.limit_lower, a.limit_upper);
        if lower.is_nan() || upper.is_nan() {
            return finite(&label, "limits", &[lower, upper]);
        }
        if lower > upper {
            return Err(ModelError::LimitsCrossed {
                entity: self.names.joint_label(id),
                axis: k,
                lower,
                upper,
            });
        }
        Ok(())
    }
}
