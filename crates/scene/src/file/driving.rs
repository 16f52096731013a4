//! What drives a scene from outside: prescribed motions, and forces.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::values::z_axis;
use super::{Pin, V3};

/// A prescribed motion of pinned particles or kinematic bodies. What moves goes in a straight
/// line within each step, and contact and damping see that velocity.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Motion {
    /// What moves: cloths, soft bodies, particle sections, kinematic bodies, by name.
    pub of: String,
    /// Which of the particles; they need no other pin. Omitted: all that are pinned there.
    #[serde(default)]
    pub particles: Vec<Pin>,
    /// How it moves: one motion, or several that are applied one after the other.
    pub moves: Vec<Move>,
    /// When it begins to move \[s\].
    #[serde(default)]
    pub start: f64,
    /// When it stops, and stays where it then is \[s\]; omitted: never.
    #[serde(default)]
    pub stop: Option<f64>,
}

/// A rigid motion. Times count from the `start` of the motion.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Move {
    /// At a constant velocity.
    Translate {
        /// Velocity \[m/s\].
        velocity: V3,
    },
    /// About an axis at a constant rate.
    Rotate {
        /// A point of the axis, in the world \[m\].
        center: V3,
        /// Direction of the axis; any length but zero.
        #[serde(default = "z_axis")]
        axis: V3,
        /// Rate \[rad/s\], right-handed; 6.2832 is a turn per second.
        rate: f64,
    },
    /// Through places at times, in straight lines between them.
    Path {
        /// Times \[s\], rising.
        times: Vec<f64>,
        /// Offset from where it begins, at each time \[m\]. At time 0 it is (0, 0, 0).
        offsets: Vec<V3>,
        /// Whether it begins again after the last time; else it stays there.
        #[serde(default)]
        repeat: bool,
    },
}

/// A constant force from outside.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Force {
    /// What it acts on: cloths, soft bodies, particle sections, bodies, rods, by name.
    pub of: String,
    /// Which of the particles; omitted: all of them.
    #[serde(default)]
    pub particles: Vec<Pin>,
    /// Force on each thing of that name \[N\]: at the centre of mass of a body, of each segment
    /// of a rod, shared evenly by particles.
    #[serde(default)]
    pub force: V3,
    /// Torque on each body \[N·m\].
    #[serde(default)]
    pub torque: V3,
    /// When it begins \[s\].
    #[serde(default)]
    pub start: f64,
    /// When it ends \[s\]; omitted: never.
    #[serde(default)]
    pub stop: Option<f64>,
}

/// Particles held at points of a body, where they are at the start.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attachment {
    /// Cloths, soft bodies, particle sections, by name.
    pub of: String,
    /// Which of their particles.
    pub particles: Vec<Pin>,
    /// The body, by name.
    pub body: String,
    /// Stiffness of each particle's hold \[N/m\]; omitted: rigid.
    #[serde(default)]
    pub stiffness: Option<f64>,
    /// Damping of a hold that is not rigid \[N·s/m\].
    #[serde(default)]
    pub damping: f64,
}
