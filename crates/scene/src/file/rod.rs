//! Elastic rods: centre line, section, material, and what holds the ends.

use coact_model::{RodDef, RodSection};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::values::{one, yes};
use super::{Rotation, V3};

/// An elastic rod: a cable, a hose, a spring. It is cut into rigid segments, bodies with the names `name_1`,
/// `name_2`, …; `name` stands for all of them. The elements between them are joints, `name_joint_1`, …, and
/// so are those at its ends, `name_begin` and `name_end`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rod {
    /// Unique name.
    pub name: String,
    /// Its centre line at the start.
    pub line: Line,
    /// Where the origin of the line is put \[m\].
    #[serde(default)]
    pub position: V3,
    /// How the line is turned about its origin; omitted: not at all.
    #[serde(default)]
    pub rotation: Option<Rotation>,
    /// Its section.
    pub section: Section,
    /// Young's modulus E \[Pa\]; of no use where the section says its stiffness.
    #[serde(default = "young")]
    pub young: f64,
    /// Resistance to shear, by which it twists.
    #[serde(default)]
    pub shear: Shear,
    /// Mass per volume \[kg/m³\].
    #[serde(default = "density")]
    pub density: f64,
    /// Time in which its strains are damped: damping over stiffness \[s\].
    #[serde(default)]
    pub damping_time: f64,
    /// The shape that it has without load.
    #[serde(default)]
    pub rest: Rest,
    /// What holds its begin.
    #[serde(default)]
    pub begin: Held,
    /// What holds its end.
    #[serde(default)]
    pub end: Held,
    /// Direction of the first axis of the section at the begin, as far as it is across the rod; omitted:
    /// any. From there on it is carried along without twist.
    #[serde(default)]
    pub first_axis: Option<V3>,
    /// Twist at the start \[rad/m\].
    #[serde(default)]
    pub twist: f64,
    /// Scales of the section from begin to end, spread evenly over its points and linear between them;
    /// omitted: 1 everywhere.
    #[serde(default)]
    pub taper: Vec<f64>,
    /// Contact material, by name; omitted: the default material.
    #[serde(default)]
    pub material: Option<String>,
    /// Whether it meets shapes, those of other rods and its own included.
    #[serde(default = "yes")]
    pub meets_shapes: bool,
    /// Whether it meets particles (cloth, soft bodies).
    #[serde(default = "yes")]
    pub meets_particles: bool,
    /// Whether pictures and exports show it.
    #[serde(default = "yes")]
    pub visible: bool,
}

/// The centre line of a rod.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Line {
    /// From one point to another.
    Straight {
        /// Begin \[m\].
        #[serde(default)]
        from: V3,
        /// End \[m\].
        to: V3,
        /// Number of segments.
        #[serde(default = "segments")]
        segments: u32,
    },
    /// Straight pieces from point to point. If the last point is the first one, the rod is closed.
    Points {
        /// Points \[m\].
        points: Vec<V3>,
        /// Length of the segments into which each piece is cut, about \[m\]; omitted: one segment each.
        #[serde(default)]
        segment: Option<f64>,
    },
    /// A helix about z, from (radius, 0, 0) on, right-handed.
    Helix {
        /// Radius of the centre line \[m\].
        radius: f64,
        /// Rise per turn \[m\].
        pitch: f64,
        /// Number of turns.
        turns: f64,
        /// Number of segments.
        segments: u32,
    },
    /// A closed circle about z.
    Ring {
        /// Radius of the circle \[m\].
        radius: f64,
        /// Number of segments.
        #[serde(default = "segments")]
        segments: u32,
    },
    /// A smooth curve through points (Catmull–Rom).
    Spline {
        /// Points \[m\].
        points: Vec<V3>,
        /// Length of a segment, about \[m\].
        segment: f64,
    },
    /// From a file: the first line (`l`) of an .obj, or all its vertices if it has none; or x, y, z per row of
    /// a .csv. If the last point is the first one, the rod is closed.
    File(LineFile),
}

/// The points of a centre line in a file.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LineFile {
    /// Its path, relative to the scene file.
    pub path: String,
    /// Factor on all coordinates, for instance 0.001 for millimetres.
    #[serde(default = "one")]
    pub scale: f64,
    /// Length of the segments into which each piece is cut, about \[m\]; omitted: one segment each.
    #[serde(default)]
    pub segment: Option<f64>,
}

/// The section of a rod. Bend about its first axis is that across its second side.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Section {
    /// A full circle.
    Circle {
        /// Radius \[m\].
        radius: f64,
    },
    /// A pipe.
    Ring {
        /// Outer radius \[m\].
        outer: f64,
        /// Inner radius \[m\].
        inner: f64,
    },
    /// A rectangle.
    Rectangle {
        /// Side along the first axis \[m\].
        width: f64,
        /// Side along the second axis \[m\].
        height: f64,
    },
    /// Given stiffness.
    Direct {
        /// Bending stiffness EI about the first and the second axis \[N·m²\].
        bend: [f64; 2],
        /// Twisting stiffness GJ \[N·m²\].
        twist: f64,
        /// Stretching stiffness EA \[N\].
        stretch: f64,
        /// Shearing stiffness κGA \[N\].
        shear: f64,
        /// Area, of which with the density the mass comes \[m²\].
        area: f64,
        /// Radius that pictures show, contacts meet, and rotary inertia comes of \[m\].
        radius: f64,
    },
}

impl Section {
    /// That of the model.
    pub(crate) fn model(&self) -> RodSection {
        match *self {
            Self::Circle { radius } => RodSection::Circle { radius },
            Self::Ring { outer, inner } => RodSection::Ring { outer, inner },
            Self::Rectangle { width, height } => RodSection::Rectangle { width, height },
            Self::Direct { bend, twist, stretch, shear, area, radius } => {
                RodSection::Direct { ei: bend, gj: twist, ea: stretch, ga: shear, area, radius }
            }
        }
    }
}

/// Resistance to shear.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Shear {
    /// Poisson's ratio ν, above -1 and up to 0.5: G = E/(2 (1 + ν)).
    Poisson(f64),
    /// Shear modulus G \[Pa\].
    Modulus(f64),
}

impl Default for Shear {
    fn default() -> Self {
        Self::Poisson(0.5)
    }
}

/// The shape that a rod has without load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Rest {
    /// That of the start.
    #[default]
    Initial,
    /// Straight and without twist.
    Straight,
    /// The same curvature everywhere: bend about the first and the second axis of the section, and twist
    /// \[rad/m\].
    Curvature(f64, f64, f64),
}

/// What holds an end of a rod.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Held {
    /// Nothing.
    #[default]
    Free,
    /// It neither moves nor turns.
    Clamped,
    /// It does not move.
    Pinned,
    /// It neither moves nor turns against a body, a segment of a rod that stands before it, or, if that rod
    /// is named, the nearest of its segments.
    ClampedTo(String),
    /// It does not move against a body, a segment of a rod that stands before it, or, if that rod is named,
    /// the nearest of its segments.
    PinnedTo(String),
}

fn young() -> f64 {
    RodDef::default().young
}
fn density() -> f64 {
    RodDef::default().density
}
fn segments() -> u32 {
    32
}
