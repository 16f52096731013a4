//! How the next interface forces follow from the last ones and what was harvested:
//! the acceleration axis of a coupler.
//!
//! The interface problem is the fixed point F = G(F) of `docs/theory/proxy-coupling.md`
//! eq. (10); an acceleration chooses F_{k+1} from F_k and G(F_k). Methods with memory
//! (Aitken, interface quasi-Newton) keep it in themselves and drop it in `begin_step`.

use coact_math::Spatial;

/// Chooses the next interface forces. All arrays: \[rows of the interface\], wrenches.
pub trait Acceleration: Send {
    /// A new step begins: forget the passes of the last one.
    fn begin_step(&mut self, _rows: usize) {}

    /// Turns `harvested` = G(`current`) into the forces of the next pass, in place. `pass`
    /// counts from 0 within the step.
    fn apply(&mut self, pass: usize, current: &[Spatial], harvested: &mut [Spatial]);
}

/// F ← G(F).
#[derive(Clone, Copy, Debug, Default)]
pub struct NoAcceleration;

impl Acceleration for NoAcceleration {
    fn apply(&mut self, _pass: usize, _current: &[Spatial], _harvested: &mut [Spatial]) {}
}

/// F ← w G(F) + (1 − w) F, with one w for all rows.
#[derive(Clone, Copy, Debug)]
pub struct Fixed(pub f64);

impl Acceleration for Fixed {
    fn apply(&mut self, _pass: usize, current: &[Spatial], harvested: &mut [Spatial]) {
        for (g, f) in harvested.iter_mut().zip(current) {
            *g = eval_blend(self.0, *g, *f);
        }
    }
}

/// Which acceleration a coupler uses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum AccelerationKind {
    /// [`NoAcceleration`].
    #[default]
    None,
    /// [`Fixed`] with this weight.
    Fixed(f64),
}

impl AccelerationKind {
    /// Makes one, with a memory of its own.
    pub fn build(self) -> Box<dyn Acceleration> {
        match self {
            Self::None => Box::new(NoAcceleration),
            Self::Fixed(w) => Box::new(Fixed(w)),
        }
    }
}

/// `w G + (1 − w) F`; exactly `G` for w = 1.
pub(crate) fn eval_blend(w: f64, g: Spatial, f: Spatial) -> Spatial {
    if w == 1.0 { g } else { g * w + f * (1.0 - w) }
}

#[cfg(test)]
mod tests {
    use coact_math::Vec3;

    use super::*;

    #[test]
    fn relaxation_blends_exactly() {
        let (f, g) = (Spatial::new(Vec3::x(), Vec3::y()), Spatial::new(Vec3::x() * 3.0, Vec3::z()));
        for w in [0.25, 0.5, 1.0, 1.5] {
            let mut next = [g];
            Fixed(w).apply(0, &[f], &mut next);
            assert_eq!(next[0].lin.x, w * 3.0 + (1.0 - w));
            assert_eq!((next[0].ang.y, next[0].ang.z), (1.0 - w, w));
        }
        assert_eq!(eval_blend(1.0, g, Spatial::new(Vec3::x() * f64::NAN, Vec3::y())), g);
    }

    #[test]
    fn no_acceleration_changes_nothing() {
        let mut next = [Spatial::new(Vec3::x(), Vec3::y())];
        let before = next;
        NoAcceleration.apply(3, &[Spatial::zeros()], &mut next);
        assert_eq!(next, before);
    }
}
