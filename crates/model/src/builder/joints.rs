//! Joints, and body poses that follow from joint coordinates.

use super::{JointDef, ModelBuilder};
use crate::ids::JointId;

impl ModelBuilder {
    /// Adds a joint. Two joints may share a child: the first one is the tree joint of
    /// that body, the others close loops.
    pub fn add_joint(&mut self, mut def: JointDef) -> JointId {
        self.names.joints.push(std::mem::take(&mut def.name));
        self.joints.push(def);
        JointId::new(self.joints.len() - 1)
    }

    /// Number of joints so far.
    pub fn joint_count(&self) -> usize {
        self.joints.len()
    }

    /// The definition of a joint (its name is in [`ModelBuilder::names`]), if there is such an id.
    pub fn joint(&self, id: JointId) -> Option<&JointDef> {
        self.joints.get(id.index())
    }
}
