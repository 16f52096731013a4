//! What must hold at the end of a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::V3;

/// A check of a run. Names may hold `*` and `?`; every match must pass.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Expectation {
    /// Every position and velocity stays finite. Every run is checked for this; writing it
    /// down shows it in the list.
    Finite,
    /// Height (z) of a body's origin at the end.
    BodyHeight {
        /// The body, or a rod: each of its segments.
        body: String,
        /// Lowest \[m\].
        #[serde(default)]
        min: Option<f64>,
        /// Highest \[m\].
        #[serde(default)]
        max: Option<f64>,
    },
    /// The highest point (z) that a body's origin reaches after its lowest one.
    BodyRebound {
        /// The body, or a rod: each of its segments.
        body: String,
        /// Lowest \[m\].
        #[serde(default)]
        min: Option<f64>,
        /// Highest \[m\].
        #[serde(default)]
        max: Option<f64>,
    },
    /// All particles of a cloth, soft body or particle section are inside a box at the end.
    ParticleExtent {
        /// The cloth, soft body or particle section.
        of: String,
        /// Lower corner \[m\].
        min: V3,
        /// Upper corner \[m\].
        max: V3,
    },
    /// The origins of bodies are inside a box at the end.
    BodyExtent {
        /// The bodies, or rods.
        of: String,
        /// Lower corner \[m\].
        min: V3,
        /// Upper corner \[m\].
        max: V3,
    },
    /// Nothing of it is ever below a height: particles, or origins of bodies.
    StayAbove {
        /// Bodies, rods, cloths, soft bodies, particle sections.
        of: String,
        /// Height \[m\].
        height: f64,
    },
    /// No two triangles of its surfaces intersect or touch at the end of any step: cloths and
    /// boundaries of soft bodies, each with itself and with the others. Decided exactly.
    NoIntersections {
        /// Cloths and soft bodies.
        of: String,
    },
    /// It is nearly at rest at the end.
    AtRest {
        /// Bodies, rods, cloths, soft bodies, particle sections.
        of: String,
        /// Largest speed \[m/s\].
        speed: f64,
    },
    /// The deepest penetration of any step.
    MaxPenetration(f64),
    /// The largest distance by which a joint comes apart in any step \[m\].
    JointGap(f64),
    /// The total energy never rises above its start by more than this \[J\]. Drives and
    /// prescribed motions do work: leave it out where they act.
    EnergyGain(f64),
    /// The difference of the impulses that the two sides of any interface received in any
    /// step \[N·s\].
    MomentumDefect(f64),
}
