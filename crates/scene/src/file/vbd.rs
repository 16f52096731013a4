//! Settings of the VBD solver. Defaults are the solver's own.

use coact_vbd::VbdConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::self_contact::SelfContact;
use super::values::{everything, one_u32, yes};
use super::vbd_bodies::{
    BodyBlocks, ContactMatching, JointDamping, JointStiffness, depenetration_speed, restitution_threshold,
};

/// Settings of the VBD solver.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Vbd {
    /// Unique name among the solvers.
    pub name: String,
    /// Names of what it owns; `*` and `?` match any text and any character.
    #[serde(default = "everything")]
    pub owns: Vec<String>,
    /// Substeps per step.
    #[serde(default = "one_u32")]
    pub substeps: u32,
    /// Sweeps over all blocks per substep; omitted: those of the scene's `vbd`; -1: the default, 10.
    #[serde(default)]
    pub iterations: Option<i64>,
    /// Sweeps end once the largest force residual is at most this share of that before the first
    /// sweep; looked at every five sweeps. Without it all sweeps are done.
    #[serde(default)]
    pub tolerance: Option<f64>,
    /// When blocks of many particles are swept: what is stiff and fine needs them.
    #[serde(default)]
    pub coarse: Coarse,
    /// Whether a step goes to the least of its objective over the ways that its sweeps went.
    #[serde(default)]
    pub acceleration: SweepAcceleration,
    /// Contact of cloths and soft bodies with themselves and each other; omitted: none.
    #[serde(default)]
    pub self_contact: Option<SelfContact>,
    /// How particles press on shapes.
    #[serde(default)]
    pub contact_law: ContactLaw,
    /// How particles rub on shapes; omitted: `Anchored`, and on a device `Smoothed`, its only law.
    #[serde(default)]
    pub friction: Option<Friction>,
    /// Slip velocity below which friction is smoothed \[m/s\].
    #[serde(default = "friction_epsilon")]
    pub friction_epsilon: f64,
    /// In which precision particles are computed on the CPU.
    #[serde(default)]
    pub precision: Precision,
    /// Distance beyond radius and margin at which a particle is detected near a shape \[m\].
    #[serde(default = "contact_gap")]
    pub contact_gap: f64,
    /// Detection also reaches as far as a pair is about to move, so that what is fast does
    /// not pass through.
    #[serde(default = "yes")]
    pub speculative: bool,
    /// When contacts are detected within a step.
    #[serde(default)]
    pub detection: Detection,
    /// Whether residuals are computed for the report; costs about two sweeps per substep.
    #[serde(default = "yes")]
    pub report_residual: bool,
    /// Bodies belong to other solvers: this one sees them all where those put them, and its particles meet
    /// them without pushing back. Such a solver owns no bodies that move by force and holds nothing by
    /// `attachments`; settings of bodies mean nothing to it. For scenes with `coupling: Uncoupled`.
    #[serde(default)]
    pub integrate_with_external_rigid_solver: bool,
    /// How bodies turn.
    #[serde(default)]
    pub rotation: RotationUpdate,
    /// Which bodies are solved together.
    #[serde(default)]
    pub body_blocks: BodyBlocks,
    /// How stiff joints hold what they lock; omitted: as the scene's `vbd` has it, else hard.
    #[serde(default)]
    pub joint_stiffness: JointStiffness,
    /// How joints damp what they lock; omitted: as the scene's `vbd` has it, else not at all.
    #[serde(default)]
    pub joint_damping: JointDamping,
    /// Whether contacts between bodies remember their forces from step to step; omitted: as the scene's
    /// `vbd` has it, else they do. Without, piles sag and what sticks creeps.
    #[serde(default)]
    pub contact_history: Option<bool>,
    /// How a contact between bodies is known again in the next detection.
    #[serde(default)]
    pub contact_matching: ContactMatching,
    /// How far a contact may move over a body and still be the same \[m\]; omitted: a tenth of the
    /// smaller shape.
    #[serde(default)]
    pub contact_matching_distance: Option<f64>,
    /// Speed at which bodies that overlap at the start are moved apart, particles come out of shapes that they
    /// start in, and hard joints that begin apart are closed \[m/s\].
    #[serde(default = "depenetration_speed")]
    pub depenetration_speed: f64,
    /// Speed of impact from which on bodies bounce, by the restitution of their materials \[m/s\].
    #[serde(default = "restitution_threshold")]
    pub restitution_threshold: f64,
    /// The Hessian of a spring shorter than its rest length.
    #[serde(default)]
    pub spring_hessian: SpringHessian,
    /// The Hessian of membranes along their normal.
    #[serde(default)]
    pub membrane_hessian: MembraneHessian,
    /// When a particle block counts as singular and is skipped.
    #[serde(default)]
    pub singular: SingularRule,
}

/// When blocks of many particles are swept. On a device never.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Coarse {
    /// Never.
    #[default]
    Off,
    /// Before the first sweep and every fifth after it, where h² k/m exceeds 10 in the mean over
    /// particles.
    Auto,
    /// Before the first sweep and before every so many after it.
    Every(u32),
}

/// Whether a step goes to the least of its objective over the ways that its sweeps went, and ends where
/// what hangs cannot gain energy; each time takes about as long as a sweep. On a device never.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum SweepAcceleration {
    /// Never.
    Off,
    /// After every second sweep, where h² k/m exceeds 10 in the mean over particles.
    #[default]
    Auto,
    /// After every sweep, in every step.
    Always,
}

/// How particles press on shapes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum ContactLaw {
    /// A spring of the stiffness of the pair.
    #[default]
    Quadratic,
    /// The spring down to half of radius and margin, then a logarithm: no load reaches the
    /// surface.
    Barrier,
}

/// How particles rub on shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Friction {
    /// By anchors that persist between steps: what sticks does not creep.
    Anchored,
    /// By the slip of the step, smoothed below `friction_epsilon`: what sticks creeps by up to
    /// that.
    Smoothed,
}

/// How bodies turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum RotationUpdate {
    /// By the exponential map: momentum is exact.
    #[default]
    Exponential,
    /// To first order, as the reference implementation does: loses spin.
    FirstOrder,
}

/// The Hessian of a spring shorter than its rest length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum SpringHessian {
    /// Without its negative part: every block is positive definite.
    #[default]
    Clamped,
    /// Exact, as the reference implementation has it: indefinite under compression.
    Exact,
}

/// The Hessian of membranes along their normal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum MembraneHessian {
    /// Exact, but at least a tenth of the shear stiffness: sheets converge sooner.
    #[default]
    Bounded,
    /// Cut at zero, as in the reference implementation.
    Clamped,
}

/// When a particle block counts as singular.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum SingularRule {
    /// When a pivot is below its own rounding error.
    #[default]
    Relative,
    /// When its determinant is below 1e-8 in SI units, as in the reference implementation.
    AbsoluteDeterminant,
}

/// In which precision particles are computed on the CPU. Bodies are always in double.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Precision {
    /// `Mixed`; `Double` where single precision would round the force on a particle by more than a twentieth of
    /// its weight, as of light stiff sheets.
    Auto,
    /// All in double precision.
    Double,
    /// Positions, velocities and contacts in double, elements in single.
    Mixed,
    /// All in single precision, as on a device.
    Single,
}

impl Default for Precision {
    fn default() -> Self {
        match VbdConfig::default().precision {
            coact_vbd::Precision::Auto => Self::Auto,
            coact_vbd::Precision::Double => Self::Double,
            coact_vbd::Precision::Mixed => Self::Mixed,
            coact_vbd::Precision::Single => Self::Single,
        }
    }
}

/// When contacts are detected within a step, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Detection {
    /// Particles with shapes.
    pub rigid_soft: Schedule,
    /// Cloths and soft bodies with themselves and each other.
    pub self_contact: Schedule,
    /// Rigid bodies with each other and with the world.
    pub rigid: Schedule,
}

/// When a kind of contact is detected within a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Schedule {
    /// The solver's choice.
    #[default]
    Auto,
    /// Never.
    Off,
    /// At the begin of the step.
    PreInit,
    /// At the begin of the step, and again at the predicted positions.
    PrePostInit,
    /// At the begin of the step, and again before every so many sweeps.
    Iterations(u32),
}

fn friction_epsilon() -> f64 {
    VbdConfig::default().friction_epsilon
}
fn contact_gap() -> f64 {
    VbdConfig::default().soft_contact_gap.unwrap_or(0.0)
}
