//! What a user declares: who stands where as a proxy, and how often the pass is taken.

use coact_model::{BodyId, JointId, ParticleId};
use coact_solver::{Endpoint, Harvest};

use crate::{AccelerationKind, Convergence};

/// The schedule of one pass and what the proxy starts from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProxyMode {
    /// Destination first, from the motion that a trial step of the source gives; then the
    /// source, with the force that was found. No lag.
    #[default]
    Predicted,
    /// Source first, with the force of the pass (or step) before; the proxy starts at the
    /// source's begin pose.
    Lagged,
    /// Source first; the proxy starts at the source's end pose and velocity, and nothing is
    /// taken back.
    Staggered,
}

impl ProxyMode {
    /// Passes per step when nothing is asked for and both sides take as many substeps;
    /// `Predicted` takes two where they differ.
    pub fn default_iterations(self) -> usize {
        match self {
            Self::Predicted | Self::Staggered => 1,
            Self::Lagged => 2,
        }
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Predicted => "Predicted",
            Self::Lagged => "Lagged",
            Self::Staggered => "Staggered",
        }
    }
}

/// Endpoints of one entry that stand in another. Ids are the same on both sides.
#[derive(Clone, Debug, PartialEq)]
pub struct Proxy {
    /// The entry that owns them.
    pub source: String,
    /// The entry in which they are proxies.
    pub destination: String,
    /// Bodies of the source.
    pub bodies: Vec<BodyId>,
    /// Particles of the source.
    pub particles: Vec<ParticleId>,
    /// Joints of the source between these bodies that stay enabled in the destination: fixed,
    /// prismatic, revolute.
    pub joints: Vec<JointId>,
    /// The proxy's mass and inertia over the source's effective ones; positive.
    pub mass_scale: f64,
    /// F ← w G(F) + (1 − w) F after each destination pass; 1 = none.
    pub proxy_relaxation: f64,
    /// What the destination reports.
    pub harvest: Harvest,
    /// The schedule; the same for all proxies that meet at an entry.
    pub mode: ProxyMode,
    /// Whether feedback that comes a step late (`Lagged` and `Staggered`, one pass) is held back where it
    /// would feed energy, `docs/theory/proxy-coupling.md` section 6.
    pub passive: bool,
    /// The coupler finds the destination's contacts, once in so many coupled steps; `None` = the
    /// destination does, or the caller.
    pub collide_interval: Option<usize>,
}

impl Proxy {
    /// A predicted proxy pair without endpoints, full mass, no relaxation.
    pub fn new(source: impl Into<String>, destination: impl Into<String>) -> Self {
        Self {
            source: source.into(),
            destination: destination.into(),
            bodies: Vec::new(),
            particles: Vec::new(),
            joints: Vec::new(),
            mass_scale: 1.0,
            proxy_relaxation: 1.0,
            harvest: Harvest::default(),
            mode: ProxyMode::default(),
            passive: true,
            collide_interval: None,
        }
    }

    /// Adds bodies.
    pub fn bodies(mut self, ids: impl IntoIterator<Item = BodyId>) -> Self {
        self.bodies.extend(ids);
        self
    }

    /// Adds particles.
    pub fn particles(mut self, ids: impl IntoIterator<Item = ParticleId>) -> Self {
        self.particles.extend(ids);
        self
    }

    /// Adds joints that stay enabled between proxies.
    pub fn joints(mut self, ids: impl IntoIterator<Item = JointId>) -> Self {
        self.joints.extend(ids);
        self
    }

    /// Sets the mass scale.
    pub fn mass_scale(mut self, scale: f64) -> Self {
        self.mass_scale = scale;
        self
    }

    /// Sets the relaxation.
    pub fn proxy_relaxation(mut self, w: f64) -> Self {
        self.proxy_relaxation = w;
        self
    }

    /// Sets what is harvested.
    pub fn harvest(mut self, kind: Harvest) -> Self {
        self.harvest = kind;
        self
    }

    /// Sets the mode.
    pub fn mode(mut self, mode: ProxyMode) -> Self {
        self.mode = mode;
        self
    }

    /// Sets whether late feedback is kept passive.
    pub fn passive(mut self, passive: bool) -> Self {
        self.passive = passive;
        self
    }

    /// Lets the coupler find the destination's contacts, once in `steps` coupled steps.
    pub fn collide_interval(mut self, steps: usize) -> Self {
        self.collide_interval = Some(steps);
        self
    }

    pub(crate) fn endpoints(&self) -> impl Iterator<Item = Endpoint> + '_ {
        let bodies = self.bodies.iter().map(|b| Endpoint::Body(*b));
        bodies.chain(self.particles.iter().map(|p| Endpoint::Particle(*p)))
    }
}

/// The proxies of a coupler and how they are iterated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProxyConfig {
    /// The proxies.
    pub proxies: Vec<Proxy>,
    /// When a step's passes end; `None` = [`ProxyMode::default_iterations`].
    pub convergence: Option<Convergence>,
    /// How the next forces follow from the last ones.
    pub acceleration: AccelerationKind,
}
