//! Edits of a view, one record per entity, so that an edit made every step does not pile up.

use std::collections::{BTreeMap, BTreeSet};

use coact_math::Mat3;

use crate::ids::{BodyId, JointId, ParticleId, ShapeId};

/// All edits, in an order that does not depend on the run.
#[derive(Clone, Debug, Default)]
pub(super) struct Edits {
    pub bodies: BTreeMap<BodyId, MassEdit>,
    pub particles: BTreeMap<ParticleId, MassEdit>,
    pub hidden_shapes: BTreeSet<ShapeId>,
    pub disabled_joints: BTreeSet<JointId>,
}

/// What was done to the mass of one entity: (set or the parent's) times factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MassEdit {
    /// Mass \[kg\] and inertia \[kg·m²\], if set.
    pub value: Option<(f64, Mat3)>,
    pub factor: f64,
    pub immobile: bool,
}

impl Default for MassEdit {
    fn default() -> Self {
        Self { value: None, factor: 1.0, immobile: false }
    }
}

impl MassEdit {
    pub fn set(mass: f64, inertia: Mat3) -> Self {
        Self { value: Some((mass, inertia)), ..Self::default() }
    }

    pub fn scale(&mut self, factor: f64) {
        debug_assert!(factor > 0.0, "a mass is scaled by {factor}");
        self.factor *= factor;
    }

    pub fn immobilise(&mut self) {
        self.immobile = true;
    }
}
