//! Detection of shapes near each other. Theory: `docs/theory/contact-detection.md`.
//!
//! A contact is kept where the distance of two surfaces, margins aside, is below the sum of
//! both gaps, margins and motions. Broad phase: boxes, of which pairs are kept until one of
//! them leaves the room that it was given. Narrow phase: `narrow`. The same contacts, in the
//! same order and with the same bits, at any number of threads and whatever was detected
//! before.
//!
//! Left out on purpose: planes against planes; and pairs that can do nothing or belong to the
//! source of a proxy, as in the detection of particles near shapes.

mod broad;
mod chunks;
mod filter;
mod passing;
mod target;

use coact_math::Pose;
use coact_model::{BodyId, ModelView, ShapeId};

use self::broad::BroadPhase;
use self::chunks::{Chunk, Placed, detect_chunks};
use self::filter::Filter;
use self::target::Target;
use crate::contacts::ShapeContact;
use crate::particle_shape::UnsupportedShape;
use crate::world_box::WorldBox;

/// [`ShapePairDetector::matching_distance`] as a part of the size.
const MATCHING: f64 = 0.1;

/// What to look for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ShapePairOptions {
    /// Replaces the gap of every shape \[m\].
    pub gap: Option<f64>,
    /// Whether bodies that an enabled joint connects meet each other, whatever pairs of their
    /// shapes the model filters.
    pub joined_bodies_meet: bool,
}

/// The shapes of a view, ready to meet each other.
#[derive(Clone, Debug, Default)]
pub struct ShapePairDetector {
    targets: Vec<Target>,
    /// Boxes of the targets, wider by their own reach.
    bounds: Vec<WorldBox>,
    filter: Filter,
    broad: BroadPhase,
    chunks: Vec<Chunk>,
    options: ShapePairOptions,
}

impl ShapePairDetector {
    /// The shapes of `view` that meet shapes.
    ///
    /// # Errors
    /// The first such shape whose surface cannot be met.
    pub fn new(view: &ModelView, options: ShapePairOptions) -> Result<Self, UnsupportedShape> {
        let mut detector = Self { options, filter: Filter::new(view, options), ..Self::default() };
        for s in (0..view.shape_count()).map(ShapeId::new) {
            let target = Target::new(view, s, options.gap, &detector.targets)?;
            detector.targets.push(target);
        }
        detector.bound();
        Ok(detector)
    }

    /// Takes over geometries, poses, flags, groups, margins, gaps, mobilities, filters and joints
    /// that changed in the view.
    pub fn update(&mut self, view: &ModelView) {
        for i in 0..self.targets.len() {
            let made = Target::new(view, self.targets[i].shape, self.options.gap, &self.targets);
            // a geometry that came to have no surface leaves the shape as it was
            let Ok(mut made) = made else { continue };
            made.stay(&self.targets[i]);
            self.targets[i] = made;
        }
        self.filter = Filter::new(view, self.options);
        self.broad.forget();
        self.bound();
    }

    /// Whether there is no shape to meet.
    pub fn is_empty(&self) -> bool {
        !self.targets.iter().any(|t| t.visible)
    }

    /// Moves the shapes to the begin of a step: `frame(b)` is the body frame, `motion(b, far)`
    /// bounds how far a point at distance `far` \[m\] from the body's origin moves in the step
    /// (0 = look at the gaps alone).
    pub fn place(&mut self, frame: impl Fn(BodyId) -> Pose, motion: impl Fn(BodyId, f64) -> f64) {
        for t in &mut self.targets {
            let Some(b) = t.body else { continue };
            let far = t.x_local.p.norm() + t.solid.bounding_radius();
            let motion = if far.is_finite() { motion(b, far) } else { 0.0 };
            t.move_to(&frame(b), motion);
        }
        self.bound();
    }

    /// Says where bodies come to in the step if nothing stops them, after [`Self::place`]: what only passes
    /// then is not stopped.
    pub fn aim(&mut self, frame: impl Fn(BodyId) -> Pose) {
        for t in &mut self.targets {
            if let Some(b) = t.body {
                t.aim_at(&frame(b));
            }
        }
    }

    /// Appends the contacts, by pair of shapes (lower id first). Answers whether memory was taken
    /// besides that of `out`.
    pub fn detect(&mut self, out: &mut Vec<ShapeContact>) -> bool {
        let grew = self.broad.update(&self.targets, &self.bounds, &self.filter);
        let placed = Placed { targets: &self.targets, bounds: &self.bounds };
        detect_chunks(&mut self.chunks, placed, self.broad.pairs(), out) || grew
    }

    /// How far \[m\] a contact of two shapes may move over one of them between two detections
    /// without being another one, where their features do not tell: a tenth of the smaller
    /// shape. More mixes up corners, less loses what is fast.
    pub fn matching_distance(&self, a: ShapeId, b: ShapeId) -> f64 {
        let size = |s: ShapeId| self.targets[s.index()].solid.size();
        MATCHING * size(a).min(size(b))
    }

    fn bound(&mut self) {
        self.bounds.clear();
        self.bounds.extend(self.targets.iter().map(Target::bounds));
    }
}

#[cfg(test)]
mod tests;
