//! What a user declares of a coupling by rows.

use coact_collide::ContactMatching;

use crate::acceleration::BadSetting;
use crate::{AccelerationKind, Convergence, CouplingError, EntryDef, IqnOptions};

/// Settings of [`crate::SolverCoupledAdmm`]. The defaults hold rows to what the entries resolve, with
/// nothing to tune; `docs/theory/admm-coupling.md` says what each one means there.
#[derive(Clone, Debug, PartialEq)]
pub struct AdmmConfig {
    /// When a step's passes end; `None` = each row to its own tolerance ([`AdmmConfig::TOLERANCE`],
    /// [`AdmmConfig::PARTICLE_TOLERANCE`], [`AdmmConfig::CONTACT_TOLERANCE`]).
    pub convergence: Option<Convergence>,
    /// Passes of a step at most, where `convergence` does not say.
    pub most_passes: usize,
    /// Metric of the rows in shares of the natural one, the inverse mobility: 1 is Newton's method on
    /// the interface, whatever mass, step and integrator.
    pub rho: f64,
    /// By how much a pass is held back, in shares of the same metric; 0 = not at all. It damps passes,
    /// not motion: what is converged to does not depend on it.
    pub gamma: f64,
    /// Share of the gap at the begin of a step that the step closes, in \[0, 1\].
    pub baumgarte: f64,
    /// How fast at most hard rows that begin apart are closed \[m/s, rad/s\].
    pub closing_speed: f64,
    /// Stiffness of what a cut joint locks in translation \[N/m\]; infinite = hard.
    pub joint_stiffness: f64,
    /// Its damping \[N·s/m\].
    pub joint_damping: f64,
    /// Stiffness of what a cut joint locks in rotation \[N·m/rad\]; infinite = hard.
    pub joint_angular_stiffness: f64,
    /// Its damping \[N·m·s/rad\].
    pub joint_angular_damping: f64,
    /// How the multipliers of the next pass follow from those of the last ones. Where something can
    /// touch, slide or be limited, quasi-Newton is that of the secant model.
    pub acceleration: AccelerationKind,
    /// Entries whose bodies and particles meet each other.
    pub contact_pairs: Vec<ContactPair>,
    /// Which contact is which of the step before, and what it keeps.
    pub contact_matching: ContactMatching,
    /// How far a contact may move and be the same \[m\]; `None` = a tenth of the smaller shape.
    pub contact_matching_distance: Option<f64>,
    /// Share of the last step's force that a matched contact starts with, in \[0, 1\].
    pub contact_force_scale: f64,
    /// Closing speed \[m/s\] below which nothing bounces.
    pub restitution_threshold: f64,
}

/// Two entries whose bodies and particles meet each other; the order does not matter. Friction and
/// restitution come from the materials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContactPair {
    /// One entry.
    pub source: String,
    /// The other.
    pub destination: String,
}

impl ContactPair {
    /// A pair.
    pub fn new(source: impl Into<String>, destination: impl Into<String>) -> Self {
        Self { source: source.into(), destination: destination.into() }
    }
}

/// Every two of these entries.
pub fn auto_detect_contact_pairs(entries: &[EntryDef]) -> Vec<ContactPair> {
    let after = |i: usize| entries[i + 1..].iter().map(move |b| ContactPair::new(&entries[i].name, &b.name));
    (0..entries.len()).flat_map(after).collect()
}

impl AdmmConfig {
    /// To what hard rows between bodies are solved \[m, rad\].
    pub const TOLERANCE: f64 = 5e-9;
    /// To what rows of particles are solved \[m\]: their blocks are iterated inside the entry.
    pub const PARTICLE_TOLERANCE: f64 = 5e-7;
    /// To what contacts between bodies are solved \[m\]: what they leave is remembered.
    pub const CONTACT_TOLERANCE: f64 = 1e-7;
}

impl Default for AdmmConfig {
    fn default() -> Self {
        Self {
            convergence: None,
            most_passes: 40,
            rho: 1.0,
            gamma: 0.0,
            baumgarte: 1.0,
            closing_speed: 1.0,
            joint_stiffness: f64::INFINITY,
            joint_damping: 0.0,
            joint_angular_stiffness: f64::INFINITY,
            joint_angular_damping: 0.0,
            acceleration: AccelerationKind::Iqn(IqnOptions::default()),
            contact_pairs: Vec::new(),
            contact_matching: ContactMatching::default(),
            contact_matching_distance: None,
            contact_force_scale: 1.0,
            restitution_threshold: 0.1,
        }
    }
}

impl AdmmConfig {
    /// Refuses settings that mean nothing.
    pub(super) fn check(&self) -> Result<(), CouplingError> {
        self.acceleration.check().map_err(refused)?;
        self.check_numbers().map_err(refused)?;
        if self.most_passes == 0 {
            return Err(refused(("most_passes", "0".into(), "write 1 or more; 40 is usual")));
        }
        match self.convergence {
            Some(c) => check_convergence(c).map_err(refused),
            None => Ok(()),
        }
    }

    fn check_numbers(&self) -> Result<(), BadSetting> {
        let positive = |x: f64| x > 0.0;
        let finite = |x: f64| x >= 0.0 && x.is_finite();
        let stiff = "write N/m or N·m/rad above 0; infinite = hard";
        let damped = "write a finite number that is not negative, in N·s/m or N·m·s/rad";
        let rows = [
            (
                "rho",
                self.rho,
                positive(self.rho) && self.rho.is_finite(),
                "write a positive number; 1 is natural",
            ),
            ("gamma", self.gamma, finite(self.gamma), "write a finite number that is not negative; 0 = none"),
            ("baumgarte", self.baumgarte, (0.0..=1.0).contains(&self.baumgarte), "write a share from 0 to 1"),
            (
                "closing_speed",
                self.closing_speed,
                self.closing_speed >= 0.0,
                "write a speed in m/s that is not negative",
            ),
            (
                "contact_force_scale",
                self.contact_force_scale,
                (0.0..=1.0).contains(&self.contact_force_scale),
                "write a share from 0 to 1",
            ),
            (
                "contact_matching_distance",
                self.contact_matching_distance.unwrap_or(1.0),
                self.contact_matching_distance.is_none_or(|d| d > 0.0 && d.is_finite()),
                "write a length in m above 0, or leave it out",
            ),
            (
                "restitution_threshold",
                self.restitution_threshold,
                self.restitution_threshold >= 0.0,
                "write a speed in m/s that is not negative",
            ),
            ("joint_stiffness", self.joint_stiffness, positive(self.joint_stiffness), stiff),
            (
                "joint_angular_stiffness",
                self.joint_angular_stiffness,
                positive(self.joint_angular_stiffness),
                stiff,
            ),
            ("joint_damping", self.joint_damping, finite(self.joint_damping), damped),
            ("joint_angular_damping", self.joint_angular_damping, finite(self.joint_angular_damping), damped),
        ];
        match rows.into_iter().find(|(_, _, good, _)| !good) {
            Some((name, value, _, remedy)) => Err((name, value.to_string(), remedy)),
            None => Ok(()),
        }
    }
}

fn check_convergence(c: Convergence) -> Result<(), BadSetting> {
    if c.max_iterations() == 0 {
        return Err(("iterations", "0".into(), "write 1 or more"));
    }
    match c {
        // rounding alone is more than 0: such a step would always be reported as unfinished
        Convergence::Tolerance { primal, dual, .. } if !(primal > 0.0 && dual > 0.0) => Err((
            "tolerance",
            format!("{primal}, {dual}"),
            "write numbers above 0; 1e-8 m and 1e-3 are usual",
        )),
        _ => Ok(()),
    }
}

fn refused((setting, value, remedy): BadSetting) -> CouplingError {
    CouplingError::Setting { place: "ADMM coupling".into(), setting, value, remedy }
}
