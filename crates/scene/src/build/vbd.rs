//! Settings of `SolverVbd` as a scene has them.

use coact_collide::ContactMatching;
use coact_solver::{DetectionSchedule, DetectionSlots};
use coact_vbd::{FrictionLaw, IntersectingStart, SelfContactConfig, Truncation, VbdConfig};

use crate::file::{self, Schedule, SelfContact, Vbd};

/// The configuration that a scene asks for; what it leaves open follows where it runs.
pub(super) fn vbd_config(v: &Vbd, on_device: bool) -> VbdConfig {
    VbdConfig {
        iterations: iterations(v.iterations),
        tolerance: v.tolerance,
        coarse: match v.coarse {
            file::Coarse::Off => coact_vbd::CoarseCorrection::Off,
            file::Coarse::Auto => coact_vbd::CoarseCorrection::Auto,
            file::Coarse::Every(n) => coact_vbd::CoarseCorrection::Every(n as usize),
        },
        acceleration: match v.acceleration {
            file::SweepAcceleration::Off => coact_vbd::Acceleration::Off,
            file::SweepAcceleration::Auto => coact_vbd::Acceleration::Auto,
            file::SweepAcceleration::Always => coact_vbd::Acceleration::Always,
        },
        friction_epsilon: v.friction_epsilon,
        friction: match v.friction {
            None if on_device => FrictionLaw::Smoothed,
            None => VbdConfig::default().friction,
            Some(file::Friction::Anchored) => FrictionLaw::Anchored,
            Some(file::Friction::Smoothed) => FrictionLaw::Smoothed,
        },
        self_contact: v.self_contact.as_ref().map(self_contact),
        contact_law: match v.contact_law {
            file::ContactLaw::Quadratic => coact_vbd::ContactLaw::Quadratic,
            file::ContactLaw::Barrier => coact_vbd::ContactLaw::Barrier,
        },
        precision: match v.precision {
            file::Precision::Auto => coact_vbd::Precision::Auto,
            file::Precision::Double => coact_vbd::Precision::Double,
            file::Precision::Mixed => coact_vbd::Precision::Mixed,
            file::Precision::Single => coact_vbd::Precision::Single,
        },
        rotation: match v.rotation {
            file::RotationUpdate::Exponential => coact_vbd::RotationUpdate::Exponential,
            file::RotationUpdate::FirstOrder => coact_vbd::RotationUpdate::FirstOrder,
        },
        spring_hessian: match v.spring_hessian {
            file::SpringHessian::Clamped => coact_vbd::SpringHessian::Clamped,
            file::SpringHessian::Exact => coact_vbd::SpringHessian::Exact,
        },
        membrane_hessian: match v.membrane_hessian {
            file::MembraneHessian::Bounded => coact_vbd::MembraneHessian::Bounded,
            file::MembraneHessian::Clamped => coact_vbd::MembraneHessian::Clamped,
        },
        singular: match v.singular {
            file::SingularRule::Relative => coact_vbd::SingularRule::Relative,
            file::SingularRule::AbsoluteDeterminant => coact_vbd::SingularRule::AbsoluteDeterminant,
        },
        soft_contact_gap: Some(v.contact_gap),
        speculative: v.speculative,
        report_residual: v.report_residual,
        detection: DetectionSlots {
            rigid_soft: schedule(v.detection.rigid_soft),
            self_contact: schedule(v.detection.self_contact),
            rigid: schedule(v.detection.rigid),
        },
        ..of_bodies(v)
    }
}

/// What joints and contacts between bodies are like.
fn of_bodies(v: &Vbd) -> VbdConfig {
    let of = VbdConfig::default();
    VbdConfig {
        integrate_with_external_rigid_solver: v.integrate_with_external_rigid_solver,
        body_blocks: match v.body_blocks {
            file::BodyBlocks::Islands => coact_vbd::BodyBlocks::Islands,
            file::BodyBlocks::Trees => coact_vbd::BodyBlocks::Trees,
            file::BodyBlocks::Single => coact_vbd::BodyBlocks::Single,
        },
        joint_linear_ke: v.joint_stiffness.linear.unwrap_or(of.joint_linear_ke),
        joint_angular_ke: v.joint_stiffness.angular.unwrap_or(of.joint_angular_ke),
        joint_linear_kd: v.joint_damping.linear.unwrap_or(of.joint_linear_kd),
        joint_angular_kd: v.joint_damping.angular.unwrap_or(of.joint_angular_kd),
        body_contact_history: v.contact_history.unwrap_or(of.body_contact_history),
        body_contact_matching: match v.contact_matching {
            file::ContactMatching::Latest => ContactMatching::Latest,
            file::ContactMatching::Sticky => ContactMatching::Sticky,
            file::ContactMatching::Disabled => ContactMatching::Disabled,
        },
        body_contact_matching_distance: v.contact_matching_distance,
        depenetration_speed: v.depenetration_speed,
        restitution_threshold: v.restitution_threshold,
        ..of
    }
}

/// -1, and nothing, are the default.
fn iterations(typed: Option<i64>) -> usize {
    typed.and_then(|n| usize::try_from(n).ok()).unwrap_or(VbdConfig::default().iterations)
}

fn self_contact(s: &SelfContact) -> SelfContactConfig {
    SelfContactConfig {
        margin: s.margin,
        gap: s.gap.unwrap_or(s.margin),
        rings: s.rings,
        rest_exclusion: s.rest_exclusion,
        truncation: match s.truncation {
            file::Truncation::PerParticle => Truncation::PerParticle,
            file::Truncation::Budget => Truncation::Budget,
            file::Truncation::Off => Truncation::Off,
        },
        relaxation: s.relaxation,
        intersecting: match s.intersecting {
            file::Intersecting::Refuse => IntersectingStart::Refuse,
            file::Intersecting::Exempt => IntersectingStart::Exempt,
        },
        max_detections: s.max_detections as usize,
        ..SelfContactConfig::default()
    }
}

fn schedule(s: Schedule) -> DetectionSchedule {
    match s {
        Schedule::Auto => DetectionSchedule::Auto,
        Schedule::Off => DetectionSchedule::Off,
        Schedule::PreInit => DetectionSchedule::PreInit,
        Schedule::PrePostInit => DetectionSchedule::PrePostInit,
        Schedule::Iterations(n) => DetectionSchedule::Iterations(n as usize),
    }
}
