//! Settings of self-contact, their defaults and their ranges.

use coact_solver::{DetectionSchedule, SolverError};

/// How particles are kept from passing through each other between two detections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Truncation {
    /// Each particle by its own distance to what it could meet, apart from the rigid motion
    /// that its component shares: eq. (19)–(30) of `docs/theory/self-contact.md`.
    #[default]
    PerParticle,
    /// All particles by one budget, γ/2 (margin + gap) per detection: what is fast is slowed
    /// also where nothing is near. Kept to be compared with.
    Budget,
    /// Not at all: what is fast passes through.
    Off,
}

/// What to do with a surface that intersects itself at the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IntersectingStart {
    /// Refused, with the pairs.
    #[default]
    Refuse,
    /// It runs; pairs that nothing separates are not held apart until something does. A surface
    /// that presses on itself at rest is accepted as well.
    Exempt,
}

/// Settings of the contact of particle surfaces with themselves and each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SelfContactConfig {
    /// Distance below which a pair presses \[m\].
    pub margin: f64,
    /// How much farther pairs are detected \[m\].
    pub gap: f64,
    /// Pairs with fewer edges than this between them make no force.
    pub rings: u32,
    /// Pairs that are closer than this at rest make no force \[m\].
    pub rest_exclusion: f64,
    /// How motion is bounded between two detections.
    pub truncation: Truncation,
    /// γ: the part of a gap or a clearance that motion may use up, in (0, 1).
    pub relaxation: f64,
    /// What to do with a surface that intersects itself at the start.
    pub intersecting: IntersectingStart,
    /// Detections per step at most, those of the schedule included; more are made only where
    /// bounds are used up; up to twice as many while a prescribed particle is behind, and up to
    /// eight times while one is held back that nothing is near.
    pub max_detections: usize,
    /// Pairs at distance zero make no force, instead of one along the last normal. Kept to
    /// be compared with.
    pub skip_coincident: bool,
    /// Corners of a pair that a sweep moves at once share its stiffness, so that layers do not overshoot
    /// together: eq. (14a). Off to be compared with.
    pub share_pairs: bool,
    /// What pairs held against gravity starts the next step where they held it: eq. (27).
    pub start_held: bool,
}

impl Default for SelfContactConfig {
    fn default() -> Self {
        Self {
            margin: 0.01,
            gap: 0.01,
            rings: 2,
            rest_exclusion: 0.0,
            truncation: Truncation::default(),
            relaxation: 0.85,
            intersecting: IntersectingStart::default(),
            max_detections: 8,
            skip_coincident: false,
            share_pairs: true,
            start_held: true,
        }
    }
}

impl SelfContactConfig {
    /// What the reference implementation does.
    pub fn reference() -> Self {
        Self {
            truncation: Truncation::Budget,
            intersecting: IntersectingStart::Exempt,
            skip_coincident: true,
            share_pairs: false,
            start_held: false,
            ..Self::default()
        }
    }

    /// Distance up to which pairs are detected \[m\].
    pub fn radius(&self) -> f64 {
        self.margin + self.gap
    }

    /// Refuses what cannot work, with the remedy.
    ///
    /// # Errors
    /// The first setting out of its range; truncation without detection.
    pub fn check(&self, schedule: DetectionSchedule) -> Result<(), SolverError> {
        let length = |x: f64| x >= 0.0 && x.is_finite();
        if !(self.margin > 0.0 && self.margin.is_finite()) {
            let remedy =
                "write a distance above 0 in m, below the shortest edge; the thickness of the cloth is usual";
            return Err(refused("self_contact.margin", &self.margin, remedy));
        }
        if !length(self.gap) {
            let remedy = "write a distance of 0 m or more; the margin is usual";
            return Err(refused("self_contact.gap", &self.gap, remedy));
        }
        if !length(self.rest_exclusion) {
            let remedy = "write a distance of 0 m or more; 0 excludes nothing";
            return Err(refused("self_contact.rest_exclusion", &self.rest_exclusion, remedy));
        }
        if !(self.relaxation > 0.0 && self.relaxation < 1.0) {
            let remedy = "write a number between 0 and 1; 0.85 is usual";
            return Err(refused("self_contact.relaxation", &self.relaxation, remedy));
        }
        if self.max_detections == 0 {
            return Err(refused("self_contact.max_detections", &0, "write 1 or more; 8 is usual"));
        }
        if schedule == DetectionSchedule::Off && self.truncation != Truncation::Off {
            let remedy = "motion is bounded by what detection finds: write another schedule \
                          (Auto is usual), or truncation Off";
            return Err(refused("detection.self_contact", &schedule, remedy));
        }
        Ok(())
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
        let d = SelfContactConfig::default();
        let bad = [
            SelfContactConfig { margin: 0.0, ..d },
            SelfContactConfig { gap: -1.0, ..d },
            SelfContactConfig { rest_exclusion: f64::NAN, ..d },
            SelfContactConfig { relaxation: 1.0, ..d },
            SelfContactConfig { max_detections: 0, ..d },
        ];
        for config in bad {
            let text = config.check(DetectionSchedule::Auto).unwrap_err().to_string();
            assert!(text.contains("self_contact.") && text.contains("write"), "{text}");
        }
    }

    #[test]
    fn truncation_without_detection_is_refused() {
        let d = SelfContactConfig::default();
        let text = d.check(DetectionSchedule::Off).unwrap_err().to_string();
        assert!(text.contains("detection.self_contact = Off") && text.contains("truncation Off"), "{text}");
        let off = SelfContactConfig { truncation: Truncation::Off, ..d };
        assert!(off.check(DetectionSchedule::Off).is_ok() && d.check(DetectionSchedule::Auto).is_ok());
        assert!(SelfContactConfig::reference().check(DetectionSchedule::Auto).is_ok());
    }
}
