//! How the solvers act on each other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::values::{one, yes};
use super::vbd_bodies::{ContactMatching, JointDamping, JointStiffness};

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
    /// By rows: joints between bodies of two solvers, attachments of particles of one to bodies of
    /// another, and contact between them, with equal and opposite forces on both.
    Admm(AdmmCoupling),
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
    /// A share that follows the residuals of two passes, from 0.1 to 1.
    Aitken,
    /// Interface quasi-Newton by least squares, with secants of earlier steps.
    QuasiNewton,
}

/// Settings of the coupling by rows. The defaults hold rows to what the solvers resolve.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AdmmCoupling {
    /// Passes per step at most; without `tolerance` and with `fixed`, exactly so many.
    pub iterations: u32,
    /// Take all `iterations`, whatever is left of the rows.
    pub fixed: bool,
    /// To what rows are solved; omitted: each to what its two ends resolve.
    pub tolerance: Option<RowTolerance>,
    /// Metric of a pass in shares of the natural one; 1: a Newton step.
    pub rho: f64,
    /// By how much passes are held back, in shares of the same metric. What they end at is the same.
    pub gamma: f64,
    /// Share of the gap at the begin of a step that the step closes.
    pub baumgarte: f64,
    /// How fast hard rows that begin apart are closed at most \[m/s, rad/s\].
    pub closing_speed: f64,
    /// How stiff joints between solvers hold what they lock; omitted: hard.
    pub joint_stiffness: JointStiffness,
    /// How they damp it.
    pub joint_damping: JointDamping,
    /// How the forces of the next pass follow from those of the last ones.
    pub acceleration: Acceleration,
    /// Which solvers' bodies and particles touch each other.
    pub contacts: ContactPairs,
    /// How a contact is known again in the next step.
    pub contact_matching: ContactMatching,
    /// How far a contact may move and still be the same \[m\]; omitted: a tenth of the smaller shape.
    pub contact_matching_distance: Option<f64>,
    /// Share of its last force that a contact starts with.
    pub contact_force_scale: f64,
    /// Speed of impact from which on things bounce \[m/s\].
    pub restitution_threshold: f64,
}

impl Default for AdmmCoupling {
    fn default() -> Self {
        Self {
            iterations: 40,
            fixed: false,
            tolerance: None,
            rho: 1.0,
            gamma: 0.0,
            baumgarte: 1.0,
            closing_speed: 1.0,
            joint_stiffness: JointStiffness::default(),
            joint_damping: JointDamping::default(),
            acceleration: Acceleration::QuasiNewton,
            contacts: ContactPairs::None,
            contact_matching: ContactMatching::default(),
            contact_matching_distance: None,
            contact_force_scale: 1.0,
            restitution_threshold: 0.1,
        }
    }
}

/// To what rows are solved.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RowTolerance {
    /// What a row may be off \[m, rad\].
    pub distance: f64,
    /// Largest change of a force that a further pass would make, as a share of the largest force.
    pub force_change: f64,
}

/// Which solvers' bodies and particles touch each other.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum ContactPairs {
    /// None: joints and attachments alone.
    #[default]
    None,
    /// Every two solvers.
    All,
    /// These pairs, by name; the order of two does not matter.
    Pairs(Vec<(String, String)>),
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
