//! Small values that several sections share, and the defaults that are not zero.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Three numbers, written `(x, y, z)`.
pub type V3 = [f64; 3];

/// An orientation in space.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Rotation {
    /// Turned about an axis by an angle in radians.
    Radians {
        /// Direction of the axis; any length but zero.
        axis: V3,
        /// Angle \[rad\], right-handed.
        angle: f64,
    },
    /// Turned about an axis by an angle in degrees.
    Degrees {
        /// Direction of the axis; any length but zero.
        axis: V3,
        /// Angle \[degrees\], right-handed.
        angle: f64,
    },
    /// A quaternion (x, y, z, w); normalised when read.
    Quaternion(f64, f64, f64, f64),
}

pub(super) fn one() -> f64 {
    1.0
}
pub(super) fn yes() -> bool {
    true
}
pub(super) fn one_u32() -> u32 {
    1
}
pub(super) fn z_axis() -> V3 {
    [0.0, 0.0, 1.0]
}
pub(super) fn everything() -> Vec<String> {
    vec!["*".to_owned()]
}
