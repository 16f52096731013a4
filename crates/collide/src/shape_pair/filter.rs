//! Which shapes may meet at all: who moves, groups, filtered pairs, joints.

use coact_model::{BodyId, JointId, ModelView, ShapeId};

use super::ShapePairOptions;
use super::target::Target;
use crate::particle_shape::is_pair;

/// Pairs that never meet, sorted, the lower id first.
#[derive(Clone, Debug, Default)]
pub(super) struct Filter {
    shapes: Vec<(ShapeId, ShapeId)>,
    /// Bodies that an enabled joint connects, whoever solves it.
    joined: Vec<(BodyId, BodyId)>,
    joined_meet: bool,
}

impl Filter {
    pub fn new(view: &ModelView, options: ShapePairOptions) -> Self {
        let mut shapes: Vec<_> = view.shape_filter_pairs.iter().map(|&(a, b)| ordered(a, b)).collect();
        shapes.sort_unstable();
        let enabled = |j: &usize| {
            let foreign = !view.solves_joint(JointId::new(*j));
            view.joint_enabled[*j] || (foreign && view.parent().joint_enabled[*j])
        };
        let ends = |j: usize| view.joint_parent[j].map(|p| ordered(p, view.joint_child[j]));
        let mut joined: Vec<_> = (0..view.joint_count()).filter(enabled).filter_map(ends).collect();
        joined.sort_unstable();
        Self { shapes, joined, joined_meet: options.joined_bodies_meet }
    }

    pub fn lets(&self, a: &Target, b: &Target) -> bool {
        let moving = is_pair(a.mobility, b.mobility) && is_pair(b.mobility, a.mobility);
        let seen = a.visible && b.visible && a.body != b.body;
        seen && moving && groups_meet(a.group, b.group) && !self.is_filtered(a, b)
    }

    fn is_filtered(&self, a: &Target, b: &Target) -> bool {
        if self.are_joined(a.body, b.body) {
            return !self.joined_meet;
        }
        self.shapes.binary_search(&ordered(a.shape, b.shape)).is_ok()
    }

    fn are_joined(&self, a: Option<BodyId>, b: Option<BodyId>) -> bool {
        match (a, b) {
            (Some(a), Some(b)) => self.joined.binary_search(&ordered(a, b)).is_ok(),
            _ => false,
        }
    }
}

fn ordered<T: Ord>(a: T, b: T) -> (T, T) {
    if a <= b { (a, b) } else { (b, a) }
}

/// The rule of `Model::shape_group`.
pub(super) fn groups_meet(a: i32, b: i32) -> bool {
    let both_positive = a > 0 && b > 0;
    a != 0 && b != 0 && (a == b) == both_positive
}
