//! Contacts of the caller, as one entry may have them.
//!
//! A caller detects for the whole model. An entry gets what both ends of take part in, in its
//! view, by the rules of detection: pairs that move, and no proxy against the static world or
//! against another proxy, which its source handles.

use coact_collide::{Contacts, Mobility, body_mobility, is_pair};
use coact_model::{BodyId, ModelView, ParticleId, ShapeFlags, ShapeId};

/// How a particle moves in a view.
pub(crate) fn particle_mobility(view: &ModelView, p: ParticleId) -> Mobility {
    if view.is_proxy_particle(p) {
        Mobility::Proxy
    } else if view.particle_inv_mass[p.index()] > 0.0 {
        Mobility::Dynamic
    } else {
        Mobility::Prescribed
    }
}

fn shape_mobility(view: &ModelView, body: Option<BodyId>) -> Mobility {
    body.map_or(Mobility::Static, |b| body_mobility(view, b))
}

fn collides(view: &ModelView, s: ShapeId, with: ShapeFlags) -> bool {
    view.shape_flags[s.index()].contains(with)
}

/// Fills `out` with those of `given` that belong to the entry, in their order.
pub(crate) fn filter_contacts(view: &ModelView, given: &Contacts, out: &mut Contacts) {
    out.clear();
    let acts = |p: ParticleId| view.particle_active[p.index()];
    out.particle_shape.extend(given.particle_shape.iter().filter(|c| {
        let pair = is_pair(particle_mobility(view, c.particle), shape_mobility(view, c.body));
        pair && acts(c.particle) && collides(view, c.shape, ShapeFlags::COLLIDE_PARTICLES)
    }));
    out.shapes.extend(given.shapes.iter().filter(|c| {
        let (a, b) = (shape_mobility(view, c.body0), shape_mobility(view, c.body1));
        let seen = |s| collides(view, s, ShapeFlags::COLLIDE_SHAPES);
        is_pair(a, b) && is_pair(b, a) && seen(c.shape0) && seen(c.shape1)
    }));
    let all_act = |quad: &&[ParticleId; 4]| quad.iter().all(|&p| acts(p));
    out.particle_vertex_triangle.extend(given.particle_vertex_triangle.iter().filter(all_act));
    out.particle_edge_edge.extend(given.particle_edge_edge.iter().filter(all_act));
}
