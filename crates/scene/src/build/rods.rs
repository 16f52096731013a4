//! Rods of a model.

use coact_model::{ModelBuilder, RodDef, ShapeFlags};

use crate::file::Entry;
use crate::resolve::{RodPlace, Scene};

use super::model::Materials;

/// Adds all rods, in order.
pub(super) fn add_rods(b: &mut ModelBuilder, scene: &Scene, materials: &Materials) {
    for (typed, place) in scene.file.rods.iter().zip(&scene.rods) {
        let mut flags = ShapeFlags::empty();
        flags.set(ShapeFlags::VISIBLE, typed.visible);
        flags.set(ShapeFlags::COLLIDE_PARTICLES, typed.meets_particles);
        let meets = typed.meets_shapes.unwrap_or_else(|| !solved_as_a_whole(scene, place));
        flags.set(ShapeFlags::COLLIDE_SHAPES, meets);
        let material = materials.get(typed.material.as_deref());
        b.add_rod(RodDef { material, flags, ..place.def.clone() });
    }
}

/// Whether a solver of rods owns any of it: such a solver detects no contacts.
fn solved_as_a_whole(scene: &Scene, rod: &RodPlace) -> bool {
    let bodies = rod.bodies();
    let mut pairs = scene.file.solvers.iter().zip(&scene.owned);
    pairs.any(|(e, owned)| matches!(e, Entry::Rod(_)) && owned.bodies.iter().any(|b| bodies.contains(b)))
}
