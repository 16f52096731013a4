//! Rigid bodies, shapes and contact materials.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::values::yes;
use super::{Mesh, Rotation, V3};

/// What a surface is like in contact. Two surfaces mix: Coulomb friction by its geometric mean,
/// everything else by the arithmetic mean.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Material {
    /// Unique name; `default` is what surfaces without `material` have.
    pub name: String,
    /// Stiffness of contacts with particles \[N/m\].
    #[serde(default = "stiffness")]
    pub stiffness: f64,
    /// Stiffness of contacts between rigid bodies \[N/m\]; omitted: `inf`, hard.
    #[serde(default = "rigid_stiffness")]
    pub rigid_stiffness: f64,
    /// Contact damping \[N·s/m\].
    #[serde(default)]
    pub damping: f64,
    /// Coulomb friction coefficient.
    #[serde(default = "friction")]
    pub friction: f64,
    /// Restitution, 0 to 1.
    #[serde(default)]
    pub restitution: f64,
    /// Largest torque against rolling per normal force \[m\], between rigid bodies.
    #[serde(default)]
    pub rolling_friction: f64,
    /// Largest torque about the normal of a contact per normal force \[m\], between rigid bodies.
    #[serde(default)]
    pub torsional_friction: f64,
}

/// A rigid body.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Unique name. With `repeat`, the copies are `name_1`, `name_2`, ….
    pub name: String,
    /// Position of the body frame \[m\].
    #[serde(default)]
    pub position: V3,
    /// Orientation of the body frame; omitted: as the world.
    #[serde(default)]
    pub rotation: Option<Rotation>,
    /// Initial velocity of the centre of mass \[m/s\].
    #[serde(default)]
    pub velocity: V3,
    /// Initial angular velocity \[rad/s\].
    #[serde(default)]
    pub angular_velocity: V3,
    /// Its shapes. Mass, centre of mass and inertia follow from their densities.
    pub shapes: Vec<Shape>,
    /// Mass \[kg\]; the inertia of the shapes is scaled to it. Omitted: from the densities.
    #[serde(default)]
    pub mass: Option<f64>,
    /// Moved by prescription only: nothing pushes it, it keeps its velocity.
    #[serde(default)]
    pub kinematic: bool,
    /// Copies in a regular arrangement.
    #[serde(default)]
    pub repeat: Option<Repeat>,
}

/// Copies of a body, counted along x first, then y, then z. `position` is the centre of
/// the arrangement.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Repeat {
    /// How many along x, y and z.
    pub count: [u32; 3],
    /// Distances between neighbours along x, y and z \[m\].
    pub spacing: V3,
}

/// A collision shape.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// Name, for reports; omitted: that of its body, or of its kind.
    #[serde(default)]
    pub name: Option<String>,
    /// What it is.
    pub geometry: Geometry,
    /// Position in the frame of its body, or of the world \[m\].
    #[serde(default)]
    pub position: V3,
    /// Orientation in the frame of its body, or of the world.
    #[serde(default)]
    pub rotation: Option<Rotation>,
    /// Mass per volume \[kg/m³\]; without meaning for static shapes.
    #[serde(default = "density")]
    pub density: f64,
    /// Contact material, by name; omitted: the default material.
    #[serde(default)]
    pub material: Option<String>,
    /// Thickness outside the geometry \[m\].
    #[serde(default)]
    pub margin: f64,
    /// Velocity of its surface against its body (against the world, if static) in the frame of
    /// that \[m/s\]: a conveyor. What lies in the plane of a contact carries along.
    #[serde(default)]
    pub surface_velocity: V3,
    /// Whether it meets particles (cloth, soft bodies).
    #[serde(default = "yes")]
    pub meets_particles: bool,
    /// Whether it meets other shapes.
    #[serde(default = "yes")]
    pub meets_shapes: bool,
    /// Whether pictures and exports show it.
    #[serde(default = "yes")]
    pub visible: bool,
}

/// Geometry of a shape, centred at its frame.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Geometry {
    /// The half space below z = 0 of its frame. Static shapes only.
    Plane,
    /// A ball.
    Sphere {
        /// Radius \[m\].
        radius: f64,
    },
    /// A box.
    Box {
        /// Full edge lengths \[m\].
        size: V3,
    },
    /// A segment along z with a radius.
    Capsule {
        /// Radius \[m\].
        radius: f64,
        /// Length of the segment, without the round ends \[m\].
        length: f64,
    },
    /// A cylinder about z.
    Cylinder {
        /// Radius \[m\].
        radius: f64,
        /// Height \[m\].
        height: f64,
    },
    /// A cone about z with its tip up.
    Cone {
        /// Radius of the base \[m\].
        radius: f64,
        /// Height \[m\].
        height: f64,
    },
    /// An ellipsoid.
    Ellipsoid {
        /// Semi-axes \[m\].
        radii: V3,
    },
    /// The convex hull of a mesh's vertices.
    Hull(Mesh),
    /// A triangle mesh.
    Mesh(Mesh),
    /// Heights over a grid in the x-y plane, centred at the origin, solid below. Has no mass.
    Heights(Heights),
}

/// Heights over a grid.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Heights {
    /// Distances of the grid points along x and y \[m\].
    pub spacing: [f64; 2],
    /// Heights \[m\], row by row: a row runs along x, the rows follow each other along y.
    pub rows: Vec<Vec<f64>>,
}

fn rigid_stiffness() -> f64 {
    f64::INFINITY
}

fn stiffness() -> f64 {
    1.0e4
}
fn friction() -> f64 {
    0.5
}
fn density() -> f64 {
    1000.0
}
