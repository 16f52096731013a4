//! Stand-ins until the solver crates export these.
#![allow(missing_docs, dead_code)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision { #[default] Double, Mixed, Single }
pub struct VbdConfig { pub iterations: usize, pub friction_epsilon: f64, pub precision: Precision, pub soft_contact_gap: Option<f64> }
impl Default for VbdConfig { fn default() -> Self { Self { iterations: 10, friction_epsilon: 1e-2, precision: Precision::Double, soft_contact_gap: Some(0.01) } } }
pub struct ArticulatedConfig { pub iterations: usize, pub baumgarte: f64, pub speculative: f64, pub warm_start: f64, pub restitution_threshold: f64, pub microstep_angle: f64, pub limits: bool }
impl Default for ArticulatedConfig { fn default() -> Self { Self { iterations: 12, baumgarte: 0.2, speculative: 1.0, warm_start: 1.0, restitution_threshold: 0.5, microstep_angle: 0.25, limits: true } } }
