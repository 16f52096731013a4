//! What a run writes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::V3;
use super::values::z_axis;

/// What a run writes.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Output {
    /// Frames per simulated second; a frame is written at the nearest step.
    pub frame_rate: f64,
    /// What a frame holds.
    pub columns: Vec<Column>,
    /// Whether energies are written, per frame.
    pub energy: bool,
    /// Forces and torques of joints and contacts that are written, per frame.
    pub loads: LoadCells,
    /// Pictures; omitted: one of the end.
    pub pictures: Vec<Picture>,
}

/// Whose forces and torques are written: load cells. `Vbd` solvers on the host know them, and `Rod`
/// solvers those of joints; an `Articulated` solver reports none.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LoadCells {
    /// Joints whose force and torque on the child go to `joints.csv`; `"*"`: all.
    pub joints: Vec<String>,
    /// Bodies, rods, static shapes, cloths, soft bodies and particles: what touches one of them goes to
    /// `contacts.csv`, summed by pair; `"*"`: all.
    pub contacts: Vec<String>,
}

impl Default for Output {
    fn default() -> Self {
        Self {
            frame_rate: 60.0,
            columns: vec![Column::ParticleQ, Column::BodyQ],
            energy: true,
            loads: LoadCells::default(),
            pictures: vec![Picture::default()],
        }
    }
}

/// A column of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Column {
    /// `particle_q`: positions of particles \[m\].
    ParticleQ,
    /// `particle_qd`: velocities of particles \[m/s\].
    ParticleQd,
    /// `body_q`: poses of body frames (position, quaternion x, y, z, w).
    BodyQ,
    /// `body_qd`: velocities of bodies (centre of mass, angular).
    BodyQd,
    /// `joint_q`: joint coordinates.
    JointQ,
    /// `joint_qd`: joint velocities.
    JointQd,
}

/// One picture.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Picture {
    /// From where the scene is seen.
    pub camera: Camera,
    /// Width and height \[pixels\].
    pub size: [u32; 2],
    /// When \[s\]; omitted: at the end.
    pub time: Option<f64>,
}

impl Default for Picture {
    fn default() -> Self {
        Self { camera: Camera::Auto, size: [1280, 720], time: None }
    }
}

/// From where the scene is seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Camera {
    /// From a distance at which everything that moves is seen.
    #[default]
    Auto,
    /// From a point towards a point.
    LookAt {
        /// The eye \[m\].
        eye: V3,
        /// What is in the middle \[m\].
        target: V3,
        /// What is up.
        #[serde(default = "z_axis")]
        up: V3,
    },
}
