//! How the next interface forces follow from the last ones: the acceleration axis of a coupler.
//!
//! Theory: `docs/theory/acceleration.md`. Every coupler is a fixed point x = G(x) of the stacked
//! interface forces; an acceleration chooses x_{k+1} from x_k, G(x_k) and what it has seen.
//!
//! - `relax.rs`: none, fixed weight, Aitken
//! - `iqn.rs`: interface quasi-Newton by least squares, with filtered reuse and a guard
//! - `columns.rs`: its secants and their filtered least squares
//! - `wrenches.rs`: the same for interfaces that are lists of wrenches

mod columns;
mod iqn;
mod relax;
mod wrenches;

use coact_solver::Snapshot;

pub use iqn::{Iqn, IqnOptions};
pub use relax::{Aitken, AitkenOptions, Fixed, NoAcceleration};
pub use wrenches::WrenchAcceleration;

pub(crate) use relax::eval_blend;

/// Chooses the next interface forces. All arrays: \[rows of the interface\].
pub trait Acceleration: Send {
    /// A new step begins. `weights` makes rows comparable: weight × row is what norms are taken of.
    /// Memory for as many rows is made here; a change of their number forgets all.
    fn begin_step(&mut self, _weights: &[f64]) {}

    /// Turns `g` = G(`x`) into the forces of the next pass, in place. `pass` counts from 0 within
    /// the step. Returns whether it took another step than the plain one.
    fn apply(&mut self, pass: usize, x: &[f64], g: &mut [f64]) -> bool;

    /// Rows now mean something else: nothing that was seen holds.
    fn forget(&mut self) {}

    /// Saves what persists between steps.
    fn save_into(&self, _to: &mut Snapshot) {}

    /// Goes back to what was saved.
    fn restore(&mut self, _from: &Snapshot) {}
}

/// Which acceleration a coupler uses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum AccelerationKind {
    /// [`NoAcceleration`].
    #[default]
    None,
    /// [`Fixed`] with this weight.
    Fixed(f64),
    /// [`Aitken`].
    Aitken(AitkenOptions),
    /// [`Iqn`].
    Iqn(IqnOptions),
}

/// A setting out of its range: its name, its value, what to write.
pub(crate) type BadSetting = (&'static str, String, &'static str);

impl AccelerationKind {
    /// Makes one, with a memory of its own.
    pub fn build(self) -> Box<dyn Acceleration> {
        match self {
            Self::None => Box::new(NoAcceleration),
            Self::Fixed(w) => Box::new(Fixed(w)),
            Self::Aitken(options) => Box::new(Aitken::new(options)),
            Self::Iqn(options) => Box::new(Iqn::new(options)),
        }
    }

    /// The first setting out of its range.
    pub(crate) fn check(self) -> Result<(), BadSetting> {
        match self {
            Self::None => Ok(()),
            Self::Fixed(w) if w.is_finite() && w > 0.0 => Ok(()),
            Self::Fixed(w) => {
                Err(("acceleration weight", w.to_string(), "write a positive number; 1 = none"))
            }
            Self::Aitken(o) => o.check(),
            Self::Iqn(o) => o.check(),
        }
    }
}

/// Σ (w a)(w b).
fn dot(weights: &[f64], a: &[f64], b: &[f64]) -> f64 {
    weights.iter().zip(a.iter().zip(b)).map(|(w, (a, b))| w * w * a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_out_of_range_are_refused_by_name() {
        let aitken = |initial, least, most| AccelerationKind::Aitken(AitkenOptions { initial, least, most });
        let iqn = |filter| AccelerationKind::Iqn(IqnOptions { filter, ..IqnOptions::default() });
        for good in [AccelerationKind::None, AccelerationKind::Fixed(1.5), aitken(1.0, 0.1, 1.0), iqn(0.01)] {
            assert!(good.check().is_ok(), "{good:?}");
        }
        let bad = [AccelerationKind::Fixed(0.0), aitken(0.5, 1.0, 0.1), aitken(2.0, 0.1, 1.0), iqn(1.0)];
        for bad in bad {
            assert!(bad.check().unwrap_err().2.starts_with("write"), "{bad:?}");
        }
    }
}
