//! The solvers of a scene and what each one owns.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use coact_vbd::VbdConfig;

use super::values::{everything, one_u32, yes};

/// A solver with what it owns.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Entry {
    /// Vertex Block Descent: cloths, soft bodies, particles; also free rigid bodies.
    Vbd(Vbd),
    /// Articulated rigid bodies in joint coordinates.
    Articulated(Articulated),
}

impl Entry {
    /// The name of the entry.
    pub fn name(&self) -> &str {
        match self {
            Self::Vbd(v) => &v.name,
            Self::Articulated(a) => &a.name,
        }
    }

    /// The globs of what it owns.
    pub fn owns(&self) -> &[String] {
        match self {
            Self::Vbd(v) => &v.owns,
            Self::Articulated(a) => &a.owns,
        }
    }

    /// Its own substeps per step.
    pub fn substeps(&self) -> u32 {
        match self {
            Self::Vbd(v) => v.substeps,
            Self::Articulated(a) => a.substeps,
        }
    }

    /// The word for its kind, as written in a scene.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Vbd(_) => "Vbd",
            Self::Articulated(_) => "Articulated",
        }
    }
}

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
    /// Sweeps over all blocks per substep.
    #[serde(default = "vbd_iterations")]
    pub iterations: u32,
    /// Sweeps end once the largest force residual is at most this share of that before the first
    /// sweep; looked at every five sweeps. Without it all sweeps are done.
    #[serde(default)]
    pub tolerance: Option<f64>,
    /// When blocks of many particles are swept: what is stiff and fine needs them.
    #[serde(default)]
    pub coarse: Coarse,
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
    /// Whether residuals are computed for the report; costs about two sweeps per substep.
    #[serde(default = "yes")]
    pub report_residual: bool,
    /// How bodies turn.
    #[serde(default)]
    pub rotation: RotationUpdate,
    /// The Hessian of a spring shorter than its rest length.
    #[serde(default)]
    pub spring_hessian: SpringHessian,
    /// When a particle block counts as singular and is skipped.
    #[serde(default)]
    pub singular: SingularRule,
}

/// When blocks of many particles are swept. On a device never.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Coarse {
    /// Never.
    Off,
    /// Before the first sweep and every fifth after it, where h² k/m exceeds 10 in the mean over
    /// particles.
    #[default]
    Auto,
    /// Before the first sweep and before every so many after it.
    Every(u32),
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
    /// All in double precision.
    Double,
    /// Positions and velocities in double, forces and displacements in single.
    Mixed,
    /// All in single precision, as on a device.
    Single,
}

impl Default for Precision {
    fn default() -> Self {
        match VbdConfig::default().precision {
            coact_vbd::Precision::Double => Self::Double,
            coact_vbd::Precision::Mixed => Self::Mixed,
            coact_vbd::Precision::Single => Self::Single,
        }
    }
}

/// Settings of the articulated solver.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Articulated {
    /// Unique name among the solvers.
    pub name: String,
    /// Names of what it owns; `*` and `?` match any text and any character. A joint belongs
    /// to the owner of its child body.
    #[serde(default = "everything")]
    pub owns: Vec<String>,
    /// Substeps per step.
    #[serde(default = "one_u32")]
    pub substeps: u32,
    /// Sweeps over contact, limit and friction rows per substep.
    #[serde(default = "articulated::iterations")]
    pub iterations: u32,
    /// Share of a penetration that is taken back per substep, 0 to 1.
    #[serde(default = "articulated::baumgarte")]
    pub baumgarte: f64,
    /// Share of a gap that one substep may close, 0 to 1.
    #[serde(default = "articulated::speculative")]
    pub speculative: f64,
    /// Share of the last substep's impulses from which the first sweep starts, 0 to 1.
    #[serde(default = "articulated::warm_start")]
    pub warm_start: f64,
    /// Closing speed below which nothing bounces \[m/s\].
    #[serde(default = "articulated::restitution_threshold")]
    pub restitution_threshold: f64,
    /// Largest turn of a link in one microstep of the free motion of a tree \[rad\].
    #[serde(default = "articulated::microstep_angle")]
    pub microstep_angle: f64,
    /// Whether joint limits act.
    #[serde(default = "articulated::limits")]
    pub limits: bool,
}

// The defaults are the solvers' own.

fn vbd_iterations() -> u32 {
    VbdConfig::default().iterations as u32
}
fn friction_epsilon() -> f64 {
    VbdConfig::default().friction_epsilon
}
fn contact_gap() -> f64 {
    VbdConfig::default().soft_contact_gap.unwrap_or(0.0)
}

mod articulated {
    use coact_articulated::ArticulatedConfig;

    pub fn iterations() -> u32 {
        ArticulatedConfig::default().iterations as u32
    }
    pub fn baumgarte() -> f64 {
        ArticulatedConfig::default().baumgarte
    }
    pub fn speculative() -> f64 {
        ArticulatedConfig::default().speculative
    }
    pub fn warm_start() -> f64 {
        ArticulatedConfig::default().warm_start
    }
    pub fn restitution_threshold() -> f64 {
        ArticulatedConfig::default().restitution_threshold
    }
    pub fn microstep_angle() -> f64 {
        ArticulatedConfig::default().microstep_angle
    }
    pub fn limits() -> bool {
        ArticulatedConfig::default().limits
    }
}
