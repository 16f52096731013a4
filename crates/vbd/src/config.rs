//! Settings of [`SolverVbd`](crate::SolverVbd), their defaults and their ranges.

use coact_collide::ContactMatching;
use coact_solver::{DetectionSchedule, DetectionSlots, SolverError};

pub use crate::energy::{MembraneHessian, SpringHessian};
use crate::joint::JointSettings;
use crate::lanes::Simd;
pub use crate::rigid::BodyBlocks;
use crate::rigid::RigidSettings;
use crate::self_contact::SelfContactConfig;
use crate::touch::TouchSettings;

/// In which precision positions and blocks of particles are computed on the CPU.
/// Bodies are always `f64`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// `Mixed`, or `Double` where rounding to `f32` would change the force on a particle by more than a
    /// twentieth of its weight: light stiff sheets.
    #[default]
    Auto,
    /// All in `f64`.
    Double,
    /// Positions, velocities, displacements and what acts at single particles (contacts,
    /// attachments) in `f64`; forces and Hessians of elements in `f32`.
    Mixed,
    /// All in `f32`, as on a device.
    Single,
}

/// How a body turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RotationUpdate {
    /// Target by the exact free motion, update by the exponential map, end velocity from
    /// momentum: eq. (14)–(20) of `docs/theory/vbd.md`.
    #[default]
    Exponential,
    /// First-order target with torque and gyroscopic term in it, velocity from the
    /// difference of two poses. Loses spin; kept to be compared with.
    FirstOrder,
}

/// When a particle block counts as singular and is skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SingularRule {
    /// A pivot is below its own rounding error: no unit matters.
    #[default]
    Relative,
    /// |det H| ≤ 1e-8 in SI units: kept to be compared with.
    AbsoluteDeterminant,
}

/// Which part of an approach a damped contact resists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContactDamping {
    /// What the step travelled inside the contact, at most the penetration. The force vanishes
    /// where the contact opens, so sweeps converge.
    #[default]
    Inside,
    /// All that the step travelled, also before it touched. The force jumps where the contact
    /// opens; then there may be no balance, and sweeps alternate. Kept to be compared with.
    WholeApproach,
}

/// How particles rub on shapes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrictionLaw {
    /// By an anchor and a multiplier that persist between steps: what sticks does not creep.
    #[default]
    Anchored,
    /// By the slip of the step alone, smoothed below `friction_epsilon`: what sticks creeps by
    /// up to that. The only law of a device.
    Smoothed,
}

/// How particles press on shapes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContactLaw {
    /// A spring of the pair's stiffness.
    #[default]
    Quadratic,
    /// The spring down to half the distance of radius and margin, then a logarithm: no load
    /// reaches the surface.
    Barrier,
}

impl ContactDamping {
    /// Over how many penetrations the approach is damped.
    pub(crate) fn depth(self) -> f64 {
        match self {
            Self::Inside => 1.0,
            // any approach over any penetration in `f32`
            Self::WholeApproach => 1e30,
        }
    }
}

/// Where the end velocity of a particle comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VelocityRule {
    /// Free end velocity plus correction over h: no digit is lost.
    #[default]
    Correction,
    /// Difference of two positions over h. Positions and velocities are kept in `f32`
    /// whatever the precision of the blocks, the iterate is the begin position plus its
    /// displacement, and its target is a rounded position: what is at about 1 m then
    /// accelerates by up to half a unit in the last place over h² too much or too little,
    /// always to the same side. Kept to be compared with.
    PositionDifference,
}

/// When coarse blocks are swept. On a device never.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CoarseCorrection {
    /// Never.
    #[default]
    Off,
    /// As `Every(5)` where the mean over blocks of h² k/m exceeds 10: then sweeps alone take long to
    /// get through a mesh. It does not depend on the number of sweeps, so more of them are always
    /// better.
    Auto,
    /// Before the first sweep and before every so many sweeps after it.
    Every(usize),
}

impl CoarseCorrection {
    /// Sweeps between two visits of the coarse blocks under `Auto`.
    const AUTO_PERIOD: usize = 5;
    /// Mean of h² k/m above which `Auto` visits them.
    const AUTO_STIFFNESS: f64 = 10.0;

    /// Whether coarse blocks are to be built.
    pub(crate) fn is_built(self) -> bool {
        self != Self::Off
    }

    /// Sweeps between two visits, if there are any; `stiffness` is the mean of h² k/m.
    pub(crate) fn period(self, stiffness: f64) -> Option<usize> {
        match self {
            Self::Off => None,
            Self::Auto => (stiffness > Self::AUTO_STIFFNESS).then_some(Self::AUTO_PERIOD),
            Self::Every(n) => Some(n),
        }
    }
}

/// Whether a step goes to the least of its objective over the ways that its sweeps went, and ends where
/// what hangs cannot gain energy. Each time takes an evaluation of the residual, about as much as a
/// sweep. What touches something also goes to the least as a whole, with the free bodies that it touches,
/// and may not gain energy either; what is held or touches starts from the correction of the last step.
/// On a device never.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Acceleration {
    /// Never.
    Off,
    /// After every second sweep, where the mean over blocks of h² k/m exceeds 10.
    #[default]
    Auto,
    /// After every sweep.
    Always,
}

impl Acceleration {
    /// Sweeps between two evaluations under `Auto`: one leaves a third of the error for two fifths
    /// more time.
    const AUTO_PERIOD: usize = 2;

    /// Sweeps after which the step goes to the least each time, if it does; `stiffness` is the mean of
    /// h² k/m.
    pub(crate) fn period(self, stiffness: f64) -> Option<usize> {
        match self {
            Self::Off => None,
            Self::Auto => (stiffness > CoarseCorrection::AUTO_STIFFNESS).then_some(Self::AUTO_PERIOD),
            Self::Always => Some(1),
        }
    }
}

/// Settings of a [`SolverVbd`](crate::SolverVbd).
#[derive(Clone, Debug, PartialEq)]
pub struct VbdConfig {
    /// Sweeps per step; at most, with a `tolerance`.
    pub iterations: usize,
    /// Sweeps end once the largest force residual is at most this share of that before the first
    /// sweep. Looked at every five sweeps, for the price of about one. Not on a device.
    pub tolerance: Option<f64>,
    /// When coarse blocks are swept.
    pub coarse: CoarseCorrection,
    /// Whether sweeps are accelerated.
    pub acceleration: Acceleration,
    /// Slip velocity below which friction is smoothed \[m/s\]. Smaller holds better what
    /// sticks and makes the blocks stiffer.
    pub friction_epsilon: f64,
    /// How particles rub on shapes.
    pub friction: FrictionLaw,
    /// How particles press on shapes.
    pub contact_law: ContactLaw,
    /// Share of the multipliers of attachments that a step takes over from the one before,
    /// 0 to 1. Below 1 a hard attachment under load gives way by about
    /// (1 − share) load/ρ.
    pub multiplier_retention: f64,
    /// Precision on the CPU.
    pub precision: Precision,
    /// How bodies turn.
    pub rotation: RotationUpdate,
    /// Bodies belong to another solver: they are where it writes them, contact acts on particles only.
    /// Attachments are refused; `body_*` and `joint_*` settings mean nothing then. Not on a device.
    pub integrate_with_external_rigid_solver: bool,
    /// Which bodies are solved together.
    pub body_blocks: BodyBlocks,
    /// Stiffness of what joints lock \[N/m\]; infinite = hard. Rods have their own.
    pub joint_linear_ke: f64,
    /// Stiffness of the rotations that joints lock \[N·m\]; infinite = hard.
    pub joint_angular_ke: f64,
    /// Damping of what joints lock \[N·s/m\].
    pub joint_linear_kd: f64,
    /// Damping of the rotations that joints lock \[N·m·s\].
    pub joint_angular_kd: f64,
    /// Whether contacts between bodies remember their forces from step to step.
    pub body_contact_history: bool,
    /// How a contact between bodies is known again in the next detection.
    pub body_contact_matching: ContactMatching,
    /// How far a contact may move over a body and still be the same \[m\]; `None` = a tenth of the
    /// smaller shape. Sticky points are given up at a tenth of it.
    pub body_contact_matching_distance: Option<f64>,
    /// Speed of impact from which on bodies bounce, by the restitution of their materials \[m/s\].
    pub restitution_threshold: f64,
    /// Speed at which bodies that overlap at the begin are moved apart, particles come out of shapes that they
    /// begin in, and hard joints that begin apart are closed \[m/s\].
    pub depenetration_speed: f64,
    /// Hessian of compressed springs.
    pub spring_hessian: SpringHessian,
    /// Block of membranes along their normal.
    pub membrane_hessian: MembraneHessian,
    /// When a block is skipped.
    pub singular: SingularRule,
    /// What the damping of contacts resists.
    pub contact_damping: ContactDamping,
    /// An element without stiffness is not damped either: kept to be compared with.
    pub damping_needs_stiffness: bool,
    /// Where end velocities of particles come from.
    pub velocity: VelocityRule,
    /// When contacts are detected. Particles meet shapes by `rigid_soft` (`Auto` = `PreInit`);
    /// a repeated detection replaces the contacts by those at the iterate; particles meet each
    /// other by `self_contact`, bodies each other by `rigid` (`Auto` = `PreInit`).
    pub detection: DetectionSlots,
    /// Contact of particle surfaces with themselves and each other; `None` = off. Detected by
    /// `detection.self_contact` (`Auto` = `PrePostInit`).
    pub self_contact: Option<SelfContactConfig>,
    /// Distance beyond radius and margin at which a particle is detected near a shape \[m\];
    /// `None` = the gap of each shape.
    pub soft_contact_gap: Option<f64>,
    /// Detection also reaches as far as the pair is about to move in the step, so that
    /// what is fast does not pass through.
    pub speculative: bool,
    /// Residuals are computed for the report; costs about one sweep each, twice per step.
    pub report_residual: bool,
    /// Vector instructions of the sweep. Results do not depend on it.
    pub simd: Simd,
    /// Worker threads: `None` = those of the pool that the caller is in, `Some(1)` = none.
    /// Results do not depend on it.
    pub threads: Option<usize>,
    /// Blocks of one color from which on a color is spread over threads.
    pub parallel_threshold: usize,
}

impl Default for VbdConfig {
    fn default() -> Self {
        Self {
            iterations: 10,
            tolerance: None,
            coarse: CoarseCorrection::default(),
            acceleration: Acceleration::default(),
            friction_epsilon: 1e-2,
            friction: FrictionLaw::default(),
            contact_law: ContactLaw::default(),
            multiplier_retention: 1.0,
            precision: Precision::default(),
            rotation: RotationUpdate::default(),
            integrate_with_external_rigid_solver: false,
            body_blocks: BodyBlocks::default(),
            joint_linear_ke: f64::INFINITY,
            joint_angular_ke: f64::INFINITY,
            joint_linear_kd: 0.0,
            joint_angular_kd: 0.0,
            body_contact_history: true,
            body_contact_matching: ContactMatching::default(),
            body_contact_matching_distance: None,
            depenetration_speed: 1.0,
            restitution_threshold: 0.1,
            spring_hessian: SpringHessian::default(),
            membrane_hessian: MembraneHessian::default(),
            singular: SingularRule::default(),
            contact_damping: ContactDamping::default(),
            damping_needs_stiffness: false,
            velocity: VelocityRule::default(),
            detection: DetectionSlots::default(),
            self_contact: None,
            soft_contact_gap: Some(0.01),
            speculative: true,
            report_residual: true,
            simd: Simd::default(),
            threads: None,
            parallel_threshold: 512,
        }
    }
}

impl VbdConfig {
    /// What the reference implementation does, in `f64`.
    pub fn reference() -> Self {
        Self {
            friction: FrictionLaw::Smoothed,
            precision: Precision::Double,
            multiplier_retention: 0.999,
            rotation: RotationUpdate::FirstOrder,
            body_blocks: BodyBlocks::Single,
            joint_linear_ke: 1e5,
            joint_angular_ke: 1e5,
            body_contact_history: false,
            body_contact_matching: ContactMatching::Disabled,
            body_contact_matching_distance: Some(5e-3),
            spring_hessian: SpringHessian::Exact,
            membrane_hessian: MembraneHessian::Clamped,
            coarse: CoarseCorrection::Off,
            acceleration: Acceleration::Off,
            singular: SingularRule::AbsoluteDeterminant,
            contact_damping: ContactDamping::WholeApproach,
            damping_needs_stiffness: true,
            velocity: VelocityRule::PositionDifference,
            speculative: false,
            ..Self::default()
        }
    }

    /// Refuses what cannot work, with the remedy.
    ///
    /// # Errors
    /// The first setting out of its range.
    pub fn check(&self) -> Result<(), SolverError> {
        if self.iterations == 0 {
            return Err(refused("iterations", &self.iterations, "write 1 or more; 10 is usual"));
        }
        if let Some(t) = self.tolerance.filter(|t| !(*t > 0.0 && *t < 1.0)) {
            return Err(refused("tolerance", &t, "write a share between 0 and 1, or leave it out"));
        }
        if self.coarse == CoarseCorrection::Every(0) {
            return Err(refused("coarse", &0, "write 1 or more sweeps, or Off"));
        }
        if !(self.friction_epsilon > 0.0 && self.friction_epsilon.is_finite()) {
            let remedy = "write a slip velocity above 0 in m/s; 1e-2 is usual";
            return Err(refused("friction_epsilon", &self.friction_epsilon, remedy));
        }
        if !(0.0..=1.0).contains(&self.multiplier_retention) {
            let remedy = "write a share from 0 to 1; 1 keeps what a hard attachment holds";
            return Err(refused("multiplier_retention", &self.multiplier_retention, remedy));
        }
        self.check_joints()?;
        if let Some(gap) = self.soft_contact_gap.filter(|g| !(*g >= 0.0 && g.is_finite())) {
            let remedy = "write a distance of 0 m or more, or leave it out to use the shapes' gaps";
            return Err(refused("soft_contact_gap", &gap, remedy));
        }
        self.detection.check()?;
        let silent = |s| matches!(s, DetectionSchedule::Off | DetectionSchedule::Auto);
        match &self.self_contact {
            Some(s) => s.check(self.detection.self_contact)?,
            None if silent(self.detection.self_contact) => {}
            None => {
                let remedy = "self-contact is off: give self_contact a margin, or write Off or Auto";
                return Err(refused("detection.self_contact", &self.detection.self_contact, remedy));
            }
        }
        if !self.simd.is_available() {
            return Err(refused("simd", &format!("{:?}", self.simd), "this machine has it not: write Auto"));
        }
        if self.threads == Some(0) {
            return Err(refused("threads", &0, "write 1 for no worker threads, or leave it out"));
        }
        Ok(())
    }

    fn check_joints(&self) -> Result<(), SolverError> {
        for (setting, ke) in
            [("joint_linear_ke", self.joint_linear_ke), ("joint_angular_ke", self.joint_angular_ke)]
        {
            if ke.is_nan() || ke <= 0.0 {
                return Err(refused(
                    setting,
                    &ke,
                    "write a stiffness above 0, or leave it out for hard joints",
                ));
            }
        }
        for (setting, kd) in
            [("joint_linear_kd", self.joint_linear_kd), ("joint_angular_kd", self.joint_angular_kd)]
        {
            if !(kd >= 0.0 && kd.is_finite()) {
                return Err(refused(setting, &kd, "write a damping of 0 or more"));
            }
        }
        if self.body_contact_matching == ContactMatching::Disabled {
            let remedy = "contacts that are not matched remember nothing: write Latest or Sticky for body_contact_matching, or";
            if self.body_contact_history {
                return Err(refused("body_contact_history", &true, &format!("{remedy} false")));
            }
            if let s @ DetectionSchedule::Iterations(_) = self.detection.rigid {
                return Err(refused("detection.rigid", &s, &format!("{remedy} PreInit")));
            }
        }
        if let Some(d) = self.body_contact_matching_distance.filter(|d| d.is_nan() || *d <= 0.0) {
            let remedy = "write a distance above 0 m, or leave it out for a tenth of the smaller shape";
            return Err(refused("body_contact_matching_distance", &d, remedy));
        }
        if self.restitution_threshold.is_nan() || self.restitution_threshold < 0.0 {
            let remedy = "write a speed of 0 or more in m/s; 0.1 is usual";
            return Err(refused("restitution_threshold", &self.restitution_threshold, remedy));
        }
        if self.depenetration_speed.is_nan() || self.depenetration_speed <= 0.0 {
            let remedy = "write a speed above 0 in m/s; 1 is usual";
            return Err(refused("depenetration_speed", &self.depenetration_speed, remedy));
        }
        Ok(())
    }

    /// The settings of what connects bodies, of which there are `bodies`.
    pub(crate) fn rigid(&self, bodies: usize) -> RigidSettings {
        RigidSettings {
            blocks: self.body_blocks,
            joints: JointSettings {
                ke: [self.joint_linear_ke, self.joint_angular_ke],
                kd: [self.joint_linear_kd, self.joint_angular_kd],
                retention: self.multiplier_retention,
                exact: self.rotation == RotationUpdate::Exponential,
                closing_speed: self.depenetration_speed,
            },
            touches: TouchSettings {
                rotation: self.rotation,
                friction_epsilon: self.friction_epsilon,
                damped_depth: self.contact_damping.depth(),
                retention: self.multiplier_retention,
                history: self.body_contact_history,
                sticky: self.body_contact_matching == ContactMatching::Sticky,
                depenetration_speed: self.depenetration_speed,
            },
            matching: self.body_contact_matching,
            distance: self.body_contact_matching_distance,
            speculative: self.speculative,
            restitution_threshold: self.restitution_threshold,
            parallel: self.spreads_bodies(bodies),
        }
    }

    /// Whether so many bodies are worth spreading over threads: one is as much work as several
    /// particles.
    pub(crate) fn spreads_bodies(&self, bodies: usize) -> bool {
        self.threads != Some(1) && bodies >= self.parallel_threshold / 8
    }
}

fn refused(setting: &'static str, value: &dyn std::fmt::Display, remedy: &str) -> SolverError {
    SolverError::Setting { setting, value: value.to_string(), remedy: remedy.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_settings_are_refused_with_a_remedy() {
        let self_contact = DetectionSlots { self_contact: DetectionSchedule::PreInit, ..Default::default() };
        let bad = [
            VbdConfig { iterations: 0, ..VbdConfig::default() },
            VbdConfig { friction_epsilon: 0.0, ..VbdConfig::default() },
            VbdConfig { multiplier_retention: 1.5, ..VbdConfig::default() },
            VbdConfig { tolerance: Some(1.0), ..VbdConfig::default() },
            VbdConfig { coarse: CoarseCorrection::Every(0), ..VbdConfig::default() },
            VbdConfig { soft_contact_gap: Some(f64::NAN), ..VbdConfig::default() },
            VbdConfig { threads: Some(0), ..VbdConfig::default() },
            VbdConfig { detection: self_contact, ..VbdConfig::default() },
            VbdConfig { joint_linear_ke: -1.0, ..VbdConfig::default() },
            VbdConfig { joint_linear_ke: f64::NAN, ..VbdConfig::default() },
            VbdConfig { joint_angular_ke: 0.0, ..VbdConfig::default() },
            VbdConfig { joint_linear_kd: -1.0, ..VbdConfig::default() },
            VbdConfig { joint_angular_kd: f64::INFINITY, ..VbdConfig::default() },
        ];
        for config in bad {
            let text = config.check().unwrap_err().to_string();
            assert!(text.contains("is refused: ") && text.contains("write"), "{text}");
        }
        assert!(VbdConfig::default().check().is_ok() && VbdConfig::reference().check().is_ok());
    }
}
