//! Settings of self-contact of the VBD solver. Defaults are the solver's own.

use coact_vbd::SelfContactConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Contact of cloths and soft bodies with themselves and each other. Nothing passes through,
/// whatever its speed, unless `truncation` is `Off`; particles that `motions` move wait where they
/// would, and catch up.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SelfContact {
    /// Distance below which surfaces push each other apart \[m\]: the thickness. Smaller than the
    /// shortest edge.
    pub margin: f64,
    /// How much farther pairs are looked for \[m\]; omitted: as far as `margin`.
    #[serde(default)]
    pub gap: Option<f64>,
    /// Features with fewer mesh edges than this between them do not push each other.
    #[serde(default = "rings")]
    pub rings: u32,
    /// Features that are nearer than this at the start do not push each other \[m\].
    #[serde(default = "rest_exclusion")]
    pub rest_exclusion: f64,
    /// How motion is bounded, so that nothing passes through.
    #[serde(default)]
    pub truncation: Truncation,
    /// Share of a distance that motion may use up between two detections, from 0 to 1.
    #[serde(default = "relaxation")]
    pub relaxation: f64,
    /// What happens when surfaces intersect at the start.
    #[serde(default)]
    pub intersecting: Intersecting,
    /// Most detections per step; more than the schedule has only where motion is bounded much, and up to
    /// eight times as many where that holds back what nothing is near.
    #[serde(default = "max_detections")]
    pub max_detections: u32,
}

/// How motion is bounded between two detections of self-contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Truncation {
    /// Each particle by its own distance to what it could meet.
    #[default]
    PerParticle,
    /// All particles alike, by a share of margin and gap, as in the reference implementation:
    /// slows what is fast.
    Budget,
    /// Not at all: what is fast passes through.
    Off,
}

/// What happens when surfaces intersect at the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Intersecting {
    /// The scene is refused, with the places.
    #[default]
    Refuse,
    /// It runs; what intersects is not held apart until it is free.
    Exempt,
}

fn rings() -> u32 {
    SelfContactConfig::default().rings
}
fn rest_exclusion() -> f64 {
    SelfContactConfig::default().rest_exclusion
}
fn relaxation() -> f64 {
    SelfContactConfig::default().relaxation
}
fn max_detections() -> u32 {
    SelfContactConfig::default().max_detections as u32
}
