//! Acceleration of an interface that is a list of wrenches.

use coact_math::Spatial;
use coact_solver::Snapshot;

use super::{Acceleration, AccelerationKind};

/// An [`Acceleration`] with the stacked vectors that it works on.
pub struct WrenchAcceleration {
    method: Box<dyn Acceleration>,
    weights: Vec<f64>,
    x: Vec<f64>,
    g: Vec<f64>,
}

impl WrenchAcceleration {
    /// Makes one, with a memory of its own.
    pub fn new(kind: AccelerationKind) -> Self {
        Self { method: kind.build(), weights: Vec::new(), x: Vec::new(), g: Vec::new() }
    }

    /// A new step of `rows` wrenches begins, all of whose components weigh the same.
    pub fn begin_step(&mut self, rows: usize) {
        self.begin_weighted_step(rows, |_| [1.0; 6]);
    }

    /// A new step of `rows` wrenches begins; `weight` gives those of the six components of a row.
    pub fn begin_weighted_step(&mut self, rows: usize, weight: impl Fn(usize) -> [f64; 6]) {
        self.weights.clear();
        self.weights.extend((0..rows).flat_map(weight));
        self.method.begin_step(&self.weights);
    }

    /// Turns `harvested` = G(`current`) into the wrenches of the next pass, in place. `pass` counts
    /// from 0 within the step.
    pub fn apply(&mut self, pass: usize, current: &[Spatial], harvested: &mut [Spatial]) {
        flatten(current, &mut self.x);
        flatten(harvested, &mut self.g);
        if self.method.apply(pass, &self.x, &mut self.g) {
            for (out, g) in harvested.iter_mut().zip(self.g.chunks_exact(6)) {
                out.lin.copy_from_slice(&g[..3]);
                out.ang.copy_from_slice(&g[3..]);
            }
        }
    }

    /// Rows now mean something else: nothing that was seen holds.
    pub fn forget(&mut self) {
        self.method.forget();
    }

    /// Saves what persists between steps.
    pub fn save_into(&self, to: &mut Snapshot) {
        self.method.save_into(to);
    }

    /// Goes back to what was saved.
    pub fn restore(&mut self, from: &Snapshot) {
        self.method.restore(from);
    }
}

fn flatten(wrenches: &[Spatial], out: &mut Vec<f64>) {
    out.clear();
    out.extend(wrenches.iter().flat_map(|w| [w.lin.x, w.lin.y, w.lin.z, w.ang.x, w.ang.y, w.ang.z]));
}

#[cfg(test)]
mod tests {
    use coact_math::Vec3;

    use super::*;

    #[test]
    fn components_are_blended_where_they_are() {
        let (f, g) = (Spatial::new(Vec3::x(), Vec3::y()), Spatial::new(Vec3::x() * 3.0, Vec3::z()));
        let mut a = WrenchAcceleration::new(AccelerationKind::Fixed(0.25));
        a.begin_step(1);
        let mut next = [g];
        a.apply(0, &[f], &mut next);
        assert_eq!((next[0].lin.x, next[0].ang.y, next[0].ang.z), (1.5, 0.75, 0.25));
        let mut plain = WrenchAcceleration::new(AccelerationKind::None);
        plain.begin_step(1);
        let mut next = [Spatial::new(Vec3::x() * f64::MIN_POSITIVE, Vec3::zeros())];
        let before = next;
        plain.apply(0, &[f], &mut next);
        assert_eq!(next, before);
    }
}
