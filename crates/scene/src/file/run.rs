//! Step size and duration.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Step size and duration.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Run {
    /// Steps per second \[1/s\].
    pub rate: f64,
    /// Step size \[s\], instead of `rate`.
    pub dt: Option<f64>,
    /// Simulated time \[s\].
    pub duration: f64,
    /// Number of steps, instead of `duration`.
    pub steps: Option<u64>,
}

impl Default for Run {
    fn default() -> Self {
        Self { rate: 240.0, dt: None, duration: 1.0, steps: None }
    }
}

impl Run {
    /// The step size \[s\].
    pub fn step_size(&self) -> f64 {
        self.dt.unwrap_or(1.0 / self.rate)
    }

    /// The number of steps: the duration, rounded to whole steps.
    pub fn step_count(&self) -> u64 {
        self.steps.unwrap_or_else(|| (self.duration / self.step_size()).round() as u64)
    }
}
