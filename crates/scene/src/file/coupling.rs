//! How the solvers act on each other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::values::{one, yes};

/// How the solvers act on each other.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Coupling {
    /// Not at all: each solver sees the things of others as absent, but for the bodies that one with
    /// `integrate_with_external_rigid_solver` follows.
    #[default]
    Uncoupled,
    /// By proxies: things of one solver stand in another with their mass, meet what is
    /// there, and take the force home.
    Proxy(ProxyCoupling),
}

/// Settings of the proxy coupler.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProxyCoupling {
    /// Which things meet which solver.
    pub interfaces: Vec<Interface>,
    /// Passes per step. Omitted: 1; 2 where an interface is `Lagged` or solvers take different substeps; where
    /// a solver is source and destination, as many as it takes to 1e-6 m and 1e-4 of the force, at most 20.
    /// With `convergence`, the most passes.
    #[serde(default)]
    pub iterations: Option<u32>,
    /// Stop earlier, when the exchange no longer changes.
    #[serde(default)]
    pub convergence: Option<Convergence>,
    /// How the forces of the next pass follow from those of the last ones.
    #[serde(default)]
    pub acceleration: Acceleration,
}

/// How the forces of the next pass follow from those of the last ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Acceleration {
    /// The new forces are taken as they are.
    #[default]
    Off,
    /// A fixed share of the new forces, the rest of the old ones.
    Fixed(f64),
}

/// When the passes of a step may stop: when both are met.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Convergence {
    /// Largest distance between a thing and its proxy \[m\].
    pub distance: f64,
    /// Largest change of an exchanged force in a pass, as a share of the largest force.
    pub force_change: f64,
}

/// The things of one solver that meet another solver.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Interface {
    /// The solver that owns the things, by name.
    pub source: String,
    /// The solver that sees them as proxies, by name.
    pub destination: String,
    /// Bodies, by name; `*` and `?` match any text and any character.
    #[serde(default)]
    pub bodies: Vec<String>,
    /// Cloths, soft bodies and particle sections, by name, likewise.
    #[serde(default)]
    pub particles: Vec<String>,
    /// Who steps first with what.
    #[serde(default)]
    pub mode: ProxyMode,
    /// Factor on the mass of the proxies.
    #[serde(default = "one")]
    pub mass_scale: f64,
    /// Share of a new force that is taken over in each pass; 1: all of it.
    #[serde(default = "one")]
    pub relaxation: f64,
    /// Joints of these bodies that stay enabled in the destination, by name: fixed, prismatic, revolute.
    #[serde(default)]
    pub joints: Vec<String>,
    /// What the destination reports back.
    #[serde(default)]
    pub harvest: Harvest,
    /// Whether feedback that comes a step late (`Lagged` and `Staggered` with one pass) is held back where
    /// it would feed energy.
    #[serde(default = "yes")]
    pub passive: bool,
    /// The coupler finds the contacts of the destination, once in so many steps; omitted: the destination
    /// finds them, with those of its surfaces among themselves.
    #[serde(default)]
    pub collide_interval: Option<u32>,
}

/// What the destination of an interface reports back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum Harvest {
    /// The impulse that each proxy really received: exact also before convergence.
    #[default]
    Impulse,
    /// The contact forces at the end of the step.
    Contacts,
}

/// The order of a proxy exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum ProxyMode {
    /// The destination first, from where the source would go by itself: no lag.
    #[default]
    Predicted,
    /// The source first, with the force of the pass or step before.
    Lagged,
    /// The source first; the proxy starts where the source ended, and nothing is taken back.
    Staggered,
}
