//! Settings of the VBD solver for rigid bodies: joints and contacts between them. Defaults are
//! the solver's own.

use coact_vbd::VbdConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct JointStiffness {
    /// Of places \[N/m\]; omitted: `inf`, hard.
    pub linear: f64,
    /// Of rotations \[N·m/rad\]; omitted: `inf`, hard.
    pub angular: f64,
}

impl Default for JointStiffness {
    fn default() -> Self {
        let of = VbdConfig::default();
        Self { linear: of.joint_linear_ke, angular: of.joint_angular_ke }
    }
}

/// How joints damp what they lock.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct JointDamping {
    /// Of places \[N·s/m\].
    pub linear: f64,
    /// Of rotations \[N·m·s/rad\].
    pub angular: f64,
}

impl Default for JointDamping {
    fn default() -> Self {
        let of = VbdConfig::default();
        Self { linear: of.joint_linear_kd, angular: of.joint_angular_kd }
    }
}

pub(super) fn depenetration_speed() -> f64 {
    VbdConfig::default().depenetration_speed
}
pub(super) fn restitution_threshold() -> f64 {
    VbdConfig::default().restitution_threshold
}
