//! The solvers of a scene and what each one owns.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Vbd;
use super::values::{everything, one_u32};

/// A solver with what it owns.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Entry {
    /// Vertex Block Descent: cloths, soft bodies, particles; also free rigid bodies.
    Vbd(Vbd),
    /// Articulated rigid bodies in joint coordinates.
    Articulated(Articulated),
    /// Rods of rigid segments: bodies that `Rod` joints connect, each rod solved as a whole.
    Rod(RodSolver),
}

impl Entry {
    /// The name of the entry.
    pub fn name(&self) -> &str {
        match self {
            Self::Vbd(v) => &v.name,
            Self::Articulated(a) => &a.name,
            Self::Rod(r) => &r.name,
        }
    }

    /// The globs of what it owns.
    pub fn owns(&self) -> &[String] {
        match self {
            Self::Vbd(v) => &v.owns,
            Self::Articulated(a) => &a.owns,
            Self::Rod(r) => &r.owns,
        }
    }

    /// Its own substeps per step.
    pub fn substeps(&self) -> u32 {
        match self {
            Self::Vbd(v) => v.substeps,
            Self::Articulated(a) => a.substeps,
            Self::Rod(r) => r.substeps,
        }
    }

    /// Whether it follows the bodies of others without pushing them.
    pub fn follows_bodies(&self) -> bool {
        matches!(self, Self::Vbd(v) if v.integrate_with_external_rigid_solver)
    }

    /// The word for its kind, as written in a scene.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Vbd(_) => "Vbd",
            Self::Articulated(_) => "Articulated",
            Self::Rod(_) => "Rod",
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
    /// Order of the step where nothing touches.
    #[serde(default)]
    pub order: StepOrder,
}

/// Order of a step in its size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum StepOrder {
    /// Symplectic Euler: what a proxy of it does is what it does.
    #[default]
    First,
    /// Velocity Verlet: a hundred times more accurate for mechanisms at the same step; a tree that
    /// something touches takes the first-order step.
    Second,
}

/// Settings of the solver of rods.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RodSolver {
    /// Unique name among the solvers.
    pub name: String,
    /// Names of what it owns; `*` and `?` match any text and any character. A joint belongs
    /// to the owner of its child body.
    #[serde(default = "everything")]
    pub owns: Vec<String>,
    /// Substeps per step.
    #[serde(default = "one_u32")]
    pub substeps: u32,
    /// Newton steps per substep at most.
    #[serde(default = "rod::max_iterations")]
    pub max_iterations: u32,
    /// Newton steps go on until what the next one gains is below the square of this share of the
    /// energies at work, 0 to 1.
    #[serde(default = "rod::tolerance")]
    pub tolerance: f64,
    /// How bend and twist are measured.
    #[serde(default)]
    pub law: RodLaw,
}

/// How the bend and twist of an element of a rod are measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub enum RodLaw {
    /// By the rotation vector between two segments.
    #[default]
    RotationVector,
    /// As the rows of `Vbd` measure it.
    Shared,
}

// The defaults are the solvers' own.

mod rod {
    use coact_rod::RodConfig;

    pub fn max_iterations() -> u32 {
        RodConfig::default().max_iterations as u32
    }
    pub fn tolerance() -> f64 {
        RodConfig::default().tolerance
    }
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
