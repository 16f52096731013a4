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
    pub quiet_joints: BTreeSet<JointId>,
}

impl Edits {
    /// Takes over another set; the same entities again need no memory.
    pub fn copy_from(&mut self, other: &Self) {
        copy_values(&mut self.bodies, &other.bodies);
        copy_values(&mut self.particles, &other.particles);
        if self.hidden_shapes != other.hidden_shapes {
            self.hidden_shapes.clone_from(&other.hidden_shapes);
        }
        if self.disabled_joints != other.disabled_joints {
            self.disabled_joints.clone_from(&other.disabled_joints);
        }
        if self.quiet_joints != other.quiet_joints {
            self.quiet_joints.clone_from(&other.quiet_joints);
        }
    }
}

fn copy_values<K: Ord + Clone, V: Copy>(to: &mut BTreeMap<K, V>, from: &BTreeMap<K, V>) {
    if to.keys().eq(from.keys()) {
        to.values_mut().zip(from.values()).for_each(|(a, b)| *a = *b);
    } else {
        to.clone_from(from);
    }
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
