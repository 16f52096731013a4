//! What a joint carried over a step, as a user reads it. Theory: `docs/theory/rigid-rows.md` section 6.
//!
//! Where multipliers followed the last solve, they are the forces that it balanced; where they did
//! not, its rows tell. Either way it is the sum of the same rows as in the solve.

use coact_math::Spatial;
use coact_solver::JointLoad;

use super::linear::LinearLaw;
use super::{Joint, JointKind, JointPlace, Joints};
use crate::rigid::EdgeTerms;

impl Joints {
    /// What every joint carried in the last step, in order of ids.
    pub fn loads(&self) -> impl Iterator<Item = JointLoad> {
        self.iter().map(Joint::load)
    }
}

impl Joint {
    /// What it carried in the last step.
    pub fn load(&self) -> JointLoad {
        if !self.on {
            return JointLoad::none(self.id);
        }
        let JointPlace { ends, turn, .. } = &self.place;
        let mut terms = EdgeTerms { wrench: [Spatial::zeros(); 2], stiffness: None };
        self.held().add(&mut terms);
        let [_, on_child] = terms.wrench;
        let torque = on_child.ang - ends.r[1].cross(&on_child.lin);
        let turns = self.turn.is_on() && self.kind != JointKind::Rod;
        JointLoad {
            joint: self.id,
            wrench: Spatial::new(on_child.lin, torque),
            point: ends.x[1],
            reaction_point: ends.x[usize::from(self.reacts_at_child())],
            gap: self.gap(ends),
            angle: if turns { self.turn.error(turn) } else { 0.0 },
        }
    }

    /// The same joint, with rows that pull with what it carried at the end of the step.
    fn held(&self) -> Self {
        let mut held = self.clone();
        held.rows = self.rows.map(|r| r.held(self.followed));
        if self.followed {
            (held.linear, held.turn) = (self.linear.held(), self.turn.held());
        }
        held
    }

    /// Whether the parent, too, is pulled at the child's anchor.
    fn reacts_at_child(&self) -> bool {
        let slides = self.exact && self.count[0] > 0 && self.kind != JointKind::Distance;
        slides || matches!(self.linear.law, LinearLaw::Material(_))
    }
}
