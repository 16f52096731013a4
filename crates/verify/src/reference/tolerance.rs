//! How far a case may differ from its record: one table, kind of case × step × precision.
//!
//! The record is in `f32`; nudged by one unit in its last place, the reference moves by
//! 4e-6 m in elastic cases over 100 steps and parts by millimetres after some 30 steps
//! where cloth touches shapes or itself: there positions are compared over the first 20 steps
//! only, and after that what does not depend on chaos (`measures.rs`).
//! Reference mode keeps positions in `f32` in both precisions (`docs/defaults.md`).

use coact_vbd::Precision;

use super::case::Variant;

/// What decides how a case may be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One element or one contact, few steps.
    Unit,
    /// Elements only.
    Elastic,
    /// Particles that touch shapes.
    ParticleContact,
    /// A vertex and a triangle, or two edges, that meet.
    UnitSelfContact,
    /// Particle surfaces that meet each other.
    SelfContact,
    /// Particles attached to bodies.
    Attached,
    /// Free rigid bodies.
    Body,
    /// Bodies with joints.
    Jointed,
    /// Bodies that touch.
    BodyContact,
}

impl Kind {
    /// The kind of a variant, from its content.
    pub fn of(variant: &Variant) -> Self {
        let o = variant.object();
        let particles = o.get("particles").and_then(|p| p.numbers("mass").ok()).map_or(0, |m| m.len());
        if !o.list("particle_body_attachments").is_empty() {
            return Self::Attached;
        }
        let pairs = o.get("solver").is_some_and(|s| s.raw()["particle_enable_self_contact"] == true);
        match (particles, o.raw().get("collide").is_some(), pairs) {
            (0, true, _) => Self::BodyContact,
            (0, ..) if !o.list("joints").is_empty() => Self::Jointed,
            (0, ..) => Self::Body,
            (1..=12, _, true) => Self::UnitSelfContact,
            (_, _, true) => Self::SelfContact,
            (1..=4, ..) => Self::Unit,
            (_, false, _) => Self::Elastic,
            (_, true, _) => Self::ParticleContact,
        }
    }

    /// Whether surfaces touch, so that what is chaotic is judged by its measures.
    pub fn is_contact(self) -> bool {
        matches!(self, Self::ParticleContact | Self::SelfContact)
    }
}

/// Largest allowed relative deviation of a measure of a chaotic record.
pub const MEASURE_TOLERANCE: f64 = 0.02;

/// Largest allowed difference of a position at a record step \[m\]; `None` = chaotic by
/// then, not judged by position.
pub fn tolerance(kind: Kind, step: usize, precision: Precision) -> Option<f64> {
    let double = matches!(precision, Precision::Double);
    match kind {
        Kind::Unit => Some(if double { 2e-7 } else { 1e-6 }),
        Kind::Elastic => Some(2e-5),
        Kind::ParticleContact => (step <= 20).then_some(if double { 5e-5 } else { 1e-4 }),
        Kind::UnitSelfContact => Some(if step <= 1 { 1e-6 } else { 1e-4 }),
        Kind::SelfContact => (step <= 20).then_some(1e-4),
        // the record's bodies are in `f32`: their fall parts from ours steadily
        Kind::Attached => Some(if step <= 10 { 1e-6 } else { 2e-4 }),
        Kind::Jointed => Some(if step <= 10 { 1e-5 } else { 2e-4 }),
        // by then the record drifts to one side of a symmetric tower by 0.7 mm by itself
        Kind::BodyContact => Some(if step <= 10 { 1e-5 } else { 1e-3 }),
        Kind::Body => Some(if double { 1e-5 } else { 1e-4 }),
    }
}
