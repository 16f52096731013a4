//! Drive targets as functions of time.

use std::f64::consts::TAU;

use coact_model::Control;

use crate::file::{Drive, TimeFunction};

impl TimeFunction {
    /// Value at time `t` \[s\].
    pub fn value(&self, t: f64) -> f64 {
        match *self {
            Self::Constant(v) => v,
            Self::Ramp { from, to, start, duration } => {
                let s = ramp_share(t, start, duration);
                from + (to - from) * s
            }
            Self::Sine { amplitude, frequency, phase, offset } => {
                offset + amplitude * coact_sin(TAU * frequency * t + phase)
            }
        }
    }

    /// Rate of change at time `t` \[1/s\].
    pub fn rate(&self, t: f64) -> f64 {
        match *self {
            Self::Constant(_) => 0.0,
            Self::Ramp { from, to, start, duration } => {
                let inside = duration > 0.0 && t > start && t <= start + duration;
                if inside { (to - from) / duration } else { 0.0 }
            }
            Self::Sine { amplitude, frequency, phase, .. } => {
                let w = TAU * frequency;
                amplitude * w * coact_sin(w * t + phase + TAU / 4.0)
            }
        }
    }
}

/// How much of a ramp has passed, 0 to 1.
fn ramp_share(t: f64, start: f64, duration: f64) -> f64 {
    if duration > 0.0 { ((t - start) / duration).clamp(0.0, 1.0) } else { f64::from(u8::from(t >= start)) }
}

/// The sine of libm, which gives the same bits on every platform.
fn coact_sin(x: f64) -> f64 {
    libm::sin(x)
}

/// Which axis follows which drive.
#[derive(Clone, Debug, Default)]
pub(crate) struct DriveTable(Vec<(usize, Drive)>);

impl DriveTable {
    /// Adds the drive of an axis, by its index in `joint_target_q`.
    pub fn push(&mut self, axis: usize, drive: Drive) {
        self.0.push((axis, drive));
    }

    /// Writes the targets of time `t` into `control`.
    pub fn apply(&self, t: f64, control: &mut Control) {
        for (axis, drive) in &self.0 {
            let position = drive.position.unwrap_or(TimeFunction::Constant(0.0));
            control.joint_target_q[*axis] = position.value(t);
            control.joint_target_qd[*axis] = match drive.velocity {
                Some(v) => v.value(t),
                None => position.rate(t),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_the_slope_of_the_value() {
        let functions = [
            TimeFunction::Constant(3.0),
            TimeFunction::Ramp { from: 1.0, to: 3.0, start: 0.5, duration: 2.0 },
            TimeFunction::Sine { amplitude: 0.7, frequency: 1.3, phase: 0.4, offset: 2.0 },
        ];
        for f in functions {
            for t in [0.2, 0.9, 1.7, 3.1] {
                let slope = (f.value(t + 1e-6) - f.value(t - 1e-6)) / 2e-6;
                assert!((slope - f.rate(t)).abs() < 1e-7, "{f:?} at {t}: {slope} {}", f.rate(t));
            }
        }
    }

    #[test]
    fn a_ramp_holds_its_ends() {
        let f = TimeFunction::Ramp { from: 1.0, to: 3.0, start: 0.5, duration: 2.0 };
        assert_eq!((f.value(0.0), f.value(1.5), f.value(9.0)), (1.0, 2.0, 3.0));
        let jump = TimeFunction::Ramp { from: 1.0, to: 3.0, start: 0.5, duration: 0.0 };
        assert_eq!((jump.value(0.4), jump.value(0.5)), (1.0, 3.0));
    }
}
