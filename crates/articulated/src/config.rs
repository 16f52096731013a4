//! Settings of the solver and what is refused about them.

use coact_solver::SolverError;

/// Order of the step in its size, where nothing touches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StepOrder {
    /// Forces act where the step begins: symplectic Euler. A free body answers as one in block
    /// descent does, so that a proxy of it ends where it ends.
    #[default]
    First,
    /// Half of the forces act where the step begins, half where it ends: velocity Verlet. Drives are
    /// implicit, of first order; a tree takes the first-order step while a contact, a limit or dry
    /// friction acts on it.
    Second,
}

/// Settings of [`crate::SolverArticulated`].
#[derive(Clone, Debug, PartialEq)]
pub struct ArticulatedConfig {
    /// Gauss-Seidel sweeps over contact, limit and friction rows, at least 1.
    pub iterations: usize,
    /// Share of a penetration that is taken back per step, in \[0, 1\].
    pub baumgarte: f64,
    /// Share of a gap that one step may close, in \[0, 1\]: 1 closes it exactly.
    pub speculative: f64,
    /// Share of the last step's impulses that the first sweep starts from, in \[0, 1\].
    pub warm_start: f64,
    /// Closing speed \[m/s\] below which nothing bounces.
    pub restitution_threshold: f64,
    /// Largest turn \[rad\] of a link in one microstep of the free motion of a tree, in
    /// (0, 1\]. Near 1 the fixed-point iteration needs many rounds or fails.
    pub microstep_angle: f64,
    /// Whether joint limits act.
    pub limits: bool,
    /// Order of the step.
    pub order: StepOrder,
}

impl Default for ArticulatedConfig {
    fn default() -> Self {
        Self {
            iterations: 12,
            baumgarte: 0.2,
            speculative: 1.0,
            warm_start: 1.0,
            restitution_threshold: 0.5,
            microstep_angle: 0.25,
            limits: true,
            order: StepOrder::First,
        }
    }
}

impl ArticulatedConfig {
    /// Whether all settings are in range.
    ///
    /// # Errors
    /// The first setting that is not, with the remedy.
    pub fn validate(&self) -> Result<(), SolverError> {
        if self.iterations == 0 {
            return Err(refused("iterations", 0.0, "write at least 1; 12 is usual"));
        }
        let share = "write a number from 0 to 1";
        in_range("baumgarte", self.baumgarte, 0.0..=1.0, share)?;
        in_range("speculative", self.speculative, 0.0..=1.0, share)?;
        in_range("warm_start", self.warm_start, 0.0..=1.0, share)?;
        let speed = "write a speed in m/s, 0 to let everything bounce";
        in_range("restitution_threshold", self.restitution_threshold, 0.0..=f64::INFINITY, speed)?;
        let angle = "write an angle in rad from 0.001 to 1; 0.25 is usual";
        in_range("microstep_angle", self.microstep_angle, 1e-3..=1.0, angle)
    }
}

fn in_range(
    setting: &'static str,
    value: f64,
    range: std::ops::RangeInclusive<f64>,
    remedy: &str,
) -> Result<(), SolverError> {
    if range.contains(&value) { Ok(()) } else { Err(refused(setting, value, remedy)) }
}

fn refused(setting: &'static str, value: f64, remedy: &str) -> SolverError {
    SolverError::Setting { setting, value: value.to_string(), remedy: remedy.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_out_of_range_are_refused_by_name() {
        let base = ArticulatedConfig::default();
        assert!(base.validate().is_ok());
        let bad = [
            ("iterations", ArticulatedConfig { iterations: 0, ..base.clone() }),
            ("baumgarte", ArticulatedConfig { baumgarte: 1.5, ..base.clone() }),
            ("speculative", ArticulatedConfig { speculative: f64::NAN, ..base.clone() }),
            ("warm_start", ArticulatedConfig { warm_start: -0.1, ..base.clone() }),
            ("restitution_threshold", ArticulatedConfig { restitution_threshold: -1.0, ..base.clone() }),
            ("microstep_angle", ArticulatedConfig { microstep_angle: 0.0, ..base }),
        ];
        for (name, config) in bad {
            let text = config.validate().unwrap_err().to_string();
            assert!(text.contains(name) && text.contains("write"), "{text}");
        }
    }
}
