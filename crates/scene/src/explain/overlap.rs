//! Bodies that overlap at the start.

use std::collections::BTreeMap;

use coact_collide::{ShapePairDetector, ShapePairOptions};
use coact_math::Pose;
use coact_model::{BodyId, Model, ModelView, ShapeId};

use crate::resolve::{Number, RodPlace, Scene};

/// Pairs that a warning names.
const NAMED: usize = 3;

/// Depth over the distance at which contacts of the pair are matched, a tenth of the smaller shape, that
/// is told; less is rounding of places that touch.
const TOLD: f64 = 1e-2;

/// Places along a rod within which segments are neighbours.
const NEIGHBORS: usize = 8;

impl Scene {
    /// One line that names the deepest pairs of shapes that overlap at the start, if there are any.
    /// Shapes that cannot be met are left to the solvers to refuse.
    pub(super) fn overlap_warning(&self, model: &Model) -> Option<String> {
        let mut pairs = overlaps(model);
        pairs.retain(|(_, a, b)| !self.are_near_in_a_rod(model, [*a, *b]));
        let name = |s: ShapeId| match model.shape_body[s.index()] {
            Some(b) => format!("`{}`", model.names.bodies[b.index()]),
            None => format!("`{}`", model.names.shapes[s.index()]),
        };
        let told = pairs.iter().take(NAMED).map(|(depth, a, b)| {
            format!("{} and {} by {} m", name(*a), name(*b), Number((depth * 1e6).round() / 1e6))
        });
        let text = told.collect::<Vec<_>>().join(", ");
        (!pairs.is_empty()).then(|| {
            format!(
                "{} of shapes overlap at the start, deepest {text}: bodies are moved apart at a bounded speed; \
                 move one of each, or write `meets_shapes: false` where they belong together",
                super::counted(pairs.len(), "pair")
            )
        })
    }

    /// Whether two shapes are neighbours along one rod: these overlap where segments are shorter than they
    /// are thick, and a solver of rods knows it.
    fn are_near_in_a_rod(&self, model: &Model, shapes: [ShapeId; 2]) -> bool {
        let [Some(a), Some(b)] = shapes.map(|s| model.shape_body[s.index()]) else { return false };
        let (a, b) = (a.index(), b.index());
        let mut rods = self.rods.iter().map(RodPlace::bodies);
        a.abs_diff(b) <= NEIGHBORS && rods.any(|bodies| bodies.contains(&a) && bodies.contains(&b))
    }
}

/// Depths \[m\] of the pairs that overlap by more than rounding, deepest first.
fn overlaps(model: &Model) -> Vec<(f64, ShapeId, ShapeId)> {
    let view = ModelView::whole(model);
    let options = ShapePairOptions { gap: Some(0.0), ..ShapePairOptions::default() };
    let Ok(mut detector) = ShapePairDetector::new(&view, options) else { return Vec::new() };
    let frame = |b: BodyId| model.body_q[b.index()];
    detector.place(frame, |_, _| 0.0);
    let mut contacts = Vec::new();
    detector.detect(&mut contacts);
    let at = |b: Option<BodyId>| b.map_or_else(Pose::identity, frame);
    let mut depths: BTreeMap<(ShapeId, ShapeId), f64> = BTreeMap::new();
    for c in &contacts {
        let depth = depths.entry(c.shapes()).or_insert(0.0);
        *depth = depth.max(-c.gap(&at(c.body0), &at(c.body1)));
    }
    let pairs = depths.into_iter().map(|((a, b), depth)| (depth, a, b));
    let mut pairs: Vec<_> =
        pairs.filter(|&(depth, a, b)| depth > TOLD * detector.matching_distance(a, b)).collect();
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
    pairs
}
