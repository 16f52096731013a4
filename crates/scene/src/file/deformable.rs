//! Cloths, soft bodies and loose particles.

use coact_model::{ClothDef, SoftDef};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::values::one;
use super::{Mesh, Rotation, V3};

/// A cloth: one particle per mesh vertex.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cloth {
    /// Unique name.
    pub name: String,
    /// Its rest shape: a surface.
    pub mesh: Mesh,
    /// Where the mesh origin is put \[m\].
    #[serde(default)]
    pub position: V3,
    /// How the mesh is turned about its origin; omitted: not at all.
    #[serde(default)]
    pub rotation: Option<Rotation>,
    /// Initial velocity of every particle \[m/s\].
    #[serde(default)]
    pub velocity: V3,
    /// Mass per area \[kg/m²\].
    #[serde(default = "cloth_density")]
    pub density: f64,
    /// Mass of each particle \[kg\], all alike, instead of `density`.
    #[serde(default)]
    pub particle_mass: Option<f64>,
    /// Resistance to stretch and shear.
    #[serde(default)]
    pub membrane: Membrane,
    /// Damping of stretch and shear \[N·s/m\].
    #[serde(default)]
    pub damping: f64,
    /// Bending stiffness \[N\]; 0: no bending elements.
    #[serde(default = "bending")]
    pub bending: f64,
    /// Bending damping \[N·s\].
    #[serde(default)]
    pub bending_damping: f64,
    /// Contact radius of the particles \[m\].
    #[serde(default = "radius")]
    pub radius: f64,
    /// Contact material, by name; omitted: the default material.
    #[serde(default)]
    pub material: Option<String>,
    /// Particles that stay where they begin, unless one of `motions` moves them.
    #[serde(default)]
    pub pins: Vec<Pin>,
}

/// Membrane stiffness.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Membrane {
    /// Lamé numbers per unit width.
    Lame {
        /// Shear stiffness \[N/m\].
        mu: f64,
        /// Area stiffness \[N/m\].
        lambda: f64,
    },
    /// An isotropic sheet of a bulk material, in plane stress.
    Young {
        /// Young's modulus \[Pa\].
        modulus: f64,
        /// Poisson's ratio, from 0 to below 0.5.
        poisson: f64,
        /// Thickness \[m\].
        thickness: f64,
    },
}

impl Default for Membrane {
    fn default() -> Self {
        Self::Lame { mu: 1.0e3, lambda: 1.0e3 }
    }
}

/// A soft body: one particle per vertex of a mesh of tetrahedra.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SoftBody {
    /// Unique name.
    pub name: String,
    /// Its rest shape: tetrahedra.
    pub mesh: Mesh,
    /// Where the mesh origin is put \[m\].
    #[serde(default)]
    pub position: V3,
    /// How the mesh is turned about its origin; omitted: not at all.
    #[serde(default)]
    pub rotation: Option<Rotation>,
    /// Initial velocity of every particle \[m/s\].
    #[serde(default)]
    pub velocity: V3,
    /// Mass per volume \[kg/m³\].
    #[serde(default = "water")]
    pub density: f64,
    /// Elastic law.
    #[serde(default)]
    pub solid: Solid,
    /// Damping of the deformation rate \[Pa·s\].
    #[serde(default)]
    pub damping: f64,
    /// Contact radius of the particles \[m\].
    #[serde(default = "soft_radius")]
    pub radius: f64,
    /// Contact material, by name; omitted: the default material.
    #[serde(default)]
    pub material: Option<String>,
    /// Particles that stay where they begin, unless one of `motions` moves them.
    #[serde(default)]
    pub pins: Vec<Pin>,
}

/// Stiffness of a solid.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Solid {
    /// Young's modulus and Poisson's ratio.
    Young {
        /// Young's modulus \[Pa\].
        modulus: f64,
        /// Poisson's ratio, from 0 to below 0.5.
        poisson: f64,
    },
    /// Lamé numbers.
    Lame {
        /// Shear modulus \[Pa\].
        mu: f64,
        /// First Lamé number \[Pa\].
        lambda: f64,
    },
}

impl Default for Solid {
    fn default() -> Self {
        Self::Young { modulus: 1.0e5, poisson: 0.3 }
    }
}

/// Loose particles, which springs may join.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Particles {
    /// Unique name.
    pub name: String,
    /// Positions \[m\].
    pub positions: Vec<V3>,
    /// Initial velocity of every particle \[m/s\].
    #[serde(default)]
    pub velocity: V3,
    /// Mass of each particle \[kg\].
    #[serde(default = "one")]
    pub mass: f64,
    /// Contact radius \[m\].
    #[serde(default = "particle_radius")]
    pub radius: f64,
    /// Contact material, by name; omitted: the default material.
    #[serde(default)]
    pub material: Option<String>,
    /// Springs between the particles.
    #[serde(default)]
    pub springs: Vec<Spring>,
    /// Particles that stay where they begin, unless one of `motions` moves them.
    #[serde(default)]
    pub pins: Vec<Pin>,
}

/// A spring between two particles of the same section.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spring {
    /// The two particles, counted from 0.
    pub between: [u32; 2],
    /// Stiffness \[N/m\].
    pub stiffness: f64,
    /// Damping along the spring \[N·s/m\].
    #[serde(default)]
    pub damping: f64,
    /// Rest length \[m\]; omitted: the distance at the start.
    #[serde(default)]
    pub rest_length: Option<f64>,
}

/// Some particles of a cloth, soft body or particle section.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Pin {
    /// The four corners of the mesh: the vertices nearest to the corners of its bounding
    /// rectangle, seen along its thinnest direction.
    Corners,
    /// Everything inside a box of the world, at the start.
    Box {
        /// Lower corner \[m\].
        min: V3,
        /// Upper corner \[m\].
        max: V3,
    },
    /// Vertices by their number in the mesh, from 0.
    Vertices(Vec<u32>),
    /// For each point of the world \[m\] the nearest particle, at the start.
    Nearest(Vec<V3>),
}

fn cloth_density() -> f64 {
    ClothDef::default().density
}
fn bending() -> f64 {
    ClothDef::default().bend_ke
}
fn radius() -> f64 {
    ClothDef::default().radius
}
fn soft_radius() -> f64 {
    SoftDef::default().radius
}
fn particle_radius() -> f64 {
    0.01
}
fn water() -> f64 {
    1000.0
}
