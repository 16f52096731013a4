//! Rods of a model.

use coact_model::{ModelBuilder, RodDef, ShapeFlags};

use crate::resolve::Scene;

use super::model::Materials;

/// Adds all rods, in order.
pub(super) fn add_rods(b: &mut ModelBuilder, scene: &Scene, materials: &Materials) {
    for (typed, place) in scene.file.rods.iter().zip(&scene.rods) {
        let mut flags = ShapeFlags::empty();
        flags.set(ShapeFlags::VISIBLE, typed.visible);
        flags.set(ShapeFlags::COLLIDE_PARTICLES, typed.meets_particles);
        flags.set(ShapeFlags::COLLIDE_SHAPES, typed.meets_shapes);
        let material = materials.get(typed.material.as_deref());
        b.add_rod(RodDef { material, flags, ..place.def.clone() });
    }
}
