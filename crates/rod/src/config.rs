//! Settings of the solver and what is refused about them.

use coact_solver::SolverError;

/// How the bend and twist of an element are measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RodLaw {
    /// By the rotation vector between two segments; gaps in the mean frame of both:
    /// `docs/theory/rod.md` eq. (2), (3). Of second order in the length of segments.
    #[default]
    RotationVector,
    /// As the rows of block descent, and the reference, have it: `docs/theory/rod.md` eq. (23).
    Shared,
}

/// Settings of [`crate::SolverRod`].
#[derive(Clone, Debug, PartialEq)]
pub struct RodConfig {
    /// A step is solved when the energy that the next Newton step gains is below the square of this
    /// share of the energies at work. That step is still taken.
    pub tolerance: f64,
    /// Newton steps at most, at least 1.
    pub max_iterations: usize,
    /// Whether a step begins with what the last one corrected, else with the free motion.
    pub warm_start: bool,
    /// How bend and twist are measured.
    pub law: RodLaw,
}

impl Default for RodConfig {
    fn default() -> Self {
        Self { tolerance: 1e-6, max_iterations: 60, warm_start: true, law: RodLaw::RotationVector }
    }
}

impl RodConfig {
    /// Whether all settings are in range.
    ///
    /// # Errors
    /// The first setting that is not, with the remedy.
    pub fn validate(&self) -> Result<(), SolverError> {
        if self.max_iterations == 0 {
            return Err(refused("max_iterations", 0.0, "write at least 1; 60 is usual"));
        }
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            return Err(refused("tolerance", self.tolerance, "write a share between 0 and 1; 1e-6 is usual"));
        }
        Ok(())
    }
}

fn refused(setting: &'static str, value: f64, remedy: &str) -> SolverError {
    SolverError::Setting { setting, value: value.to_string(), remedy: remedy.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_out_of_range_are_refused_by_name() {
        let base = RodConfig::default();
        assert!(base.validate().is_ok());
        let bad = [
            ("max_iterations", RodConfig { max_iterations: 0, ..base.clone() }),
            ("tolerance", RodConfig { tolerance: 0.0, ..base.clone() }),
            ("tolerance", RodConfig { tolerance: f64::NAN, ..base }),
        ];
        for (name, config) in bad {
            let text = config.validate().unwrap_err().to_string();
            assert!(text.contains(name) && text.contains("write"), "{text}");
        }
    }
}
