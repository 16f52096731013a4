//! When a solver's own detector runs: one schedule per kind of contact.
//!
//! A solver owns its detector; a caller may hand over contacts instead
//! (`StepInput::contacts`), which replaces every slot of that step.

use crate::SolverError;

/// When a slot of the detector runs within a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DetectionSchedule {
    /// Never.
    Off,
    /// At the begin of the step, before anything moves.
    PreInit,
    /// As `PreInit`, and again at the predicted positions.
    PrePostInit,
    /// As `PreInit`, and again before sweeps k, 2k, … (counted from 0).
    Iterations(usize),
    /// The solver's choice.
    #[default]
    Auto,
}

impl DetectionSchedule {
    /// Whether it runs before anything moves.
    pub fn before_init(self) -> bool {
        self != Self::Off
    }

    /// Whether it runs at the predicted positions.
    pub fn after_init(self) -> bool {
        self == Self::PrePostInit
    }

    /// Whether it runs before sweep `k`, from 0.
    pub fn before_sweep(self, k: usize) -> bool {
        matches!(self, Self::Iterations(n) if n > 0 && k > 0 && k.is_multiple_of(n))
    }

    /// Whether more than one detection happens in a step.
    pub fn repeats(self) -> bool {
        matches!(self, Self::PrePostInit | Self::Iterations(_))
    }
}

impl std::fmt::Display for DetectionSchedule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}

/// The schedules of a detector, by kind of contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DetectionSlots {
    /// Particles of one system with each other.
    pub self_contact: DetectionSchedule,
    /// Particles with shapes.
    pub rigid_soft: DetectionSchedule,
    /// Shapes with shapes.
    pub rigid: DetectionSchedule,
}

impl DetectionSlots {
    /// Refuses schedules that mean nothing.
    ///
    /// # Errors
    /// A slot that asks for a detection every zero sweeps.
    pub fn check(&self) -> Result<(), SolverError> {
        let slots = [
            ("detection.self_contact", self.self_contact),
            ("detection.rigid_soft", self.rigid_soft),
            ("detection.rigid", self.rigid),
        ];
        match slots.into_iter().find(|(_, s)| *s == DetectionSchedule::Iterations(0)) {
            Some((setting, _)) => Err(SolverError::Setting {
                setting,
                value: "Iterations(0)".into(),
                remedy: "write Iterations(k) with k of 1 or more, or PreInit for once per step".into(),
            }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_schedule_runs_when_it_says() {
        let runs = |s: DetectionSchedule| {
            let sweeps: Vec<usize> = (0..7).filter(|&k| s.before_sweep(k)).collect();
            (s.before_init(), s.after_init(), sweeps)
        };
        assert_eq!(runs(DetectionSchedule::Off), (false, false, vec![]));
        assert_eq!(runs(DetectionSchedule::PreInit), (true, false, vec![]));
        assert_eq!(runs(DetectionSchedule::PrePostInit), (true, true, vec![]));
        assert_eq!(runs(DetectionSchedule::Iterations(3)), (true, false, vec![3, 6]));
    }

    #[test]
    fn a_detection_every_zero_sweeps_is_refused() {
        let slots = DetectionSlots { rigid_soft: DetectionSchedule::Iterations(0), ..Default::default() };
        let text = slots.check().unwrap_err().to_string();
        assert!(text.contains("detection.rigid_soft") && text.contains("PreInit"), "{text}");
        assert!(DetectionSlots::default().check().is_ok());
    }
}
