//! Joints, their drives and limits, and functions of time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::V3;
use super::body::Repeat;
use super::values::{yes, z_axis};

/// A joint between two bodies, or between a body and the world. It is placed in the world
/// at the start: every joint coordinate is zero there, or what its axis says.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Joint {
    /// Unique name. With `repeat`, the copies are `name_1`, `name_2`, ….
    pub name: String,
    /// What it leaves free.
    pub kind: JointKind,
    /// Parent body, by name; omitted: the world. With `repeat`, `{i}` in it is the number of the copy,
    /// `{i+1}` the one after it.
    #[serde(default)]
    pub parent: Option<String>,
    /// Child body, by name, likewise.
    pub child: String,
    /// Place of the joint in the world, at the start \[m\]; omitted: the child's origin.
    #[serde(default)]
    pub position: Option<V3>,
    /// Whether it acts.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// Whether the shapes of parent and child meet each other.
    #[serde(default)]
    pub bodies_meet: bool,
    /// Copies in a regular arrangement.
    #[serde(default)]
    pub repeat: Option<Repeat>,
}

/// What a joint leaves free.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum JointKind {
    /// Nothing.
    Fixed,
    /// A rotation about an axis.
    Revolute(Axis),
    /// A translation along an axis.
    Prismatic(Axis),
    /// All rotations.
    Ball,
    /// Everything: for a body that floats in a tree of joints.
    Free,
    /// Everything, within a range of distances between the two anchors.
    Distance(Distance),
    /// What its axes say.
    D6(D6),
    /// Nothing, but softly: a piece of a rod or cable between the ends of two segments.
    Rod(RodPiece),
}

/// What a piece of a rod resists with, against how its segments stand at the start.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RodPiece {
    /// Direction of the rod in the world, at the start; any length but zero.
    #[serde(default = "z_axis")]
    pub along: V3,
    /// Bending stiffness E I / l \[N·m/rad\], l: from one segment to the next.
    pub bend: f64,
    /// Twisting stiffness G J / l \[N·m/rad\].
    pub twist: f64,
    /// Stretching stiffness E A / l \[N/m\]; omitted: the segments hold together.
    #[serde(default)]
    pub stretch: Option<f64>,
    /// Shearing stiffness G A / l \[N/m\]; omitted: the segments hold together.
    #[serde(default)]
    pub shear: Option<f64>,
    /// Time in which bend and twist are damped: damping over stiffness \[s\].
    #[serde(default)]
    pub damping_time: f64,
}

/// The free axes of a joint: displacements along some, turns about others.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct D6 {
    /// Up to three directions of displacement, not all in one plane.
    pub linear: Vec<Axis>,
    /// Up to three axes of rotation, the first next to the parent, the last next to the child.
    pub angular: Vec<Axis>,
}

/// A range of distances of two anchors: that of the child is the joint's `position`.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Distance {
    /// Smallest distance \[m\].
    #[serde(default)]
    pub min: f64,
    /// Largest distance \[m\].
    pub max: f64,
    /// Anchor on the parent, in the world, at the start \[m\]; omitted: the parent's origin.
    #[serde(default)]
    pub anchor: Option<V3>,
}

/// A free axis of a joint.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Axis {
    /// Direction in the world, at the start; any length but zero.
    pub axis: V3,
    /// The coordinate that it has at the start \[rad or m\].
    pub start: f64,
    /// Range of the coordinate; omitted: unlimited.
    pub limits: Option<Limits>,
    /// A motor; omitted: none.
    pub drive: Option<Drive>,
    /// Inertia of a rotor on the axis \[kg·m² or kg\].
    pub armature: f64,
    /// Dry friction \[N·m or N\].
    pub friction: f64,
}

impl Default for Axis {
    fn default() -> Self {
        Self { axis: z_axis(), start: 0.0, limits: None, drive: None, armature: 0.0, friction: 0.0 }
    }
}

/// Range of a joint coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Lower end \[rad or m\].
    pub lower: f64,
    /// Upper end \[rad or m\].
    pub upper: f64,
}

/// A motor: a spring and a damper towards a target that moves in time.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Drive {
    /// Target of the coordinate \[rad or m\]; omitted: 0.
    pub position: Option<TimeFunction>,
    /// Target of the velocity \[rad/s or m/s\]; omitted: the rate of `position`.
    pub velocity: Option<TimeFunction>,
    /// Stiffness \[N·m/rad or N/m\].
    pub stiffness: f64,
    /// Damping \[N·m·s/rad or N·s/m\].
    pub damping: f64,
    /// Largest torque or force \[N·m or N\]; omitted: unlimited.
    pub effort_limit: Option<f64>,
}

/// A number that may change in time.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum TimeFunction {
    /// The same at all times.
    Constant(f64),
    /// From one value to another at a constant rate, then held.
    Ramp {
        /// Value before.
        #[serde(default)]
        from: f64,
        /// Value after.
        to: f64,
        /// When it starts \[s\].
        #[serde(default)]
        start: f64,
        /// How long it takes \[s\].
        duration: f64,
    },
    /// `offset + amplitude · sin(2π · frequency · t + phase)`.
    Sine {
        /// Amplitude.
        amplitude: f64,
        /// Frequency \[Hz\].
        frequency: f64,
        /// Phase at t = 0 \[rad\].
        #[serde(default)]
        phase: f64,
        /// Mean value.
        #[serde(default)]
        offset: f64,
    },
}
