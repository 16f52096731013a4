//! What elements carried in the last step: load cells.
//!
//! Theory: `docs/theory/rod.md` eq. (26). The force acts on both sides at the second body's anchor:
//! the frame that the gap is measured in turns with both bodies, and what that moves of the torque is
//! just the arm of the gap.

use coact_math::Spatial;
use coact_solver::{JointLoad, Loads};

use crate::element::Element;
use crate::solver::SolverRod;
use crate::strain::{angular, linear};

impl SolverRod {
    pub(crate) fn append_joint_loads(&self, out: &mut Loads) {
        let first = out.joints.len();
        out.joints.extend(self.rods.iter().flat_map(|r| &r.elements).map(load));
        out.joints[first..].sort_unstable_by_key(|l| l.joint);
    }
}

fn load(e: &Element) -> JointLoad {
    if !e.on {
        return JointLoad::none(e.joint);
    }
    let gradient = e.strain.jacobian[1].tr_mul(&e.stress);
    let (force, torque) = (-linear(&gradient), -angular(&gradient));
    let (point, r) = (e.ends.x[1], &e.ends.r[1]);
    let wrench = Spatial::new(force, torque - r.cross(&force));
    JointLoad { wrench, point, reaction_point: point, ..JointLoad::none(e.joint) }
}
