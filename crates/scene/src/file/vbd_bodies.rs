//! Settings of the VBD solver for rigid bodies: joints and contacts between them. Defaults are
//! the solver's own.

use coact_vbd::VbdConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Vbd;

/// Which bodies are solved together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum BodyBlocks {
    /// All that joints and contacts connect.
    #[default]
    Islands,
    /// What joints connect; contacts are swept.
    Trees,
    /// Each body alone, as in the reference implementation.
    Single,
}

/// How a contact between bodies is known again in the next detection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum ContactMatching {
    /// It is looked for, and takes the place of the new detection.
    #[default]
    Latest,
    /// It is looked for, and keeps its points as long as they touch.
    Sticky,
    /// Not at all: every contact is new. Needs `contact_history: false`.
    Disabled,
}

/// How stiff joints hold what they lock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct JointStiffness {
    /// Of places \[N/m\]; `inf`: hard.
    pub linear: Option<f64>,
    /// Of rotations \[N·m/rad\]; `inf`: hard.
    pub angular: Option<f64>,
}

/// How joints damp what they lock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct JointDamping {
    /// Of places \[N·s/m\].
    pub linear: Option<f64>,
    /// Of rotations \[N·m·s/rad\].
    pub angular: Option<f64>,
}

/// Settings that every `Vbd` solver of the scene takes where it says nothing itself. What neither says is
/// the solver's default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct VbdScene {
    /// Sweeps over all blocks per substep; -1: the default, 10.
    pub iterations: Option<i64>,
    /// Whether contacts between bodies remember their forces from step to step.
    pub contact_history: Option<bool>,
    /// How stiff joints hold what they lock; finite.
    pub joint_stiffness: JointStiffness,
    /// How joints damp what they lock.
    pub joint_damping: JointDamping,
}

impl Vbd {
    /// With the settings of the scene where it says nothing itself.
    pub fn over(&self, scene: &VbdScene) -> Self {
        let (ke, kd) = (&scene.joint_stiffness, &scene.joint_damping);
        Self {
            iterations: self.iterations.or(scene.iterations),
            contact_history: self.contact_history.or(scene.contact_history),
            joint_stiffness: JointStiffness {
                linear: self.joint_stiffness.linear.or(ke.linear),
                angular: self.joint_stiffness.angular.or(ke.angular),
            },
            joint_damping: JointDamping {
                linear: self.joint_damping.linear.or(kd.linear),
                angular: self.joint_damping.angular.or(kd.angular),
            },
            ..self.clone()
        }
    }
}

pub(super) fn depenetration_speed() -> f64 {
    VbdConfig::default().depenetration_speed
}
pub(super) fn restitution_threshold() -> f64 {
    VbdConfig::default().restitution_threshold
}
