//! The surface of a view in slots, and what is wrong with it at the start.

use coact_collide::self_contact::{Filter, Query, SelfContactDetector, Surface, find_intersections};
use coact_math::Vec3;
use coact_model::{EntityId, ModelView, ParticleId, TetMesh};
use coact_solver::SolverError;

use super::settings::{IntersectingStart, SelfContactConfig};
use crate::prepared::Layout;

/// How many triangles a refusal names.
const NAMED: usize = 4;

/// Triangles of a view with at least one block: cloth, and the boundary of solids. In slots.
pub fn triangles_of(view: &ModelView, layout: &Layout) -> Vec<[u32; 3]> {
    let tets = view.tet_indices.iter().map(|t| t.map(|p| p.0)).collect();
    let solid = TetMesh { vertices: Vec::new(), tets }.surface_triangles();
    let mut all: Vec<[u32; 3]> = view.tri_indices.iter().map(|t| t.map(|p| p.0)).collect();
    let key = |t: &[u32; 3]| {
        let mut k = *t;
        k.sort_unstable();
        k
    };
    let mut known: Vec<[u32; 3]> = all.iter().map(key).collect();
    known.sort_unstable();
    all.extend(solid.into_iter().filter(|t| known.binary_search(&key(t)).is_err()));
    let slots = |t: [u32; 3]| t.map(|p| layout.slot_of[p as usize]);
    all.into_iter().map(slots).filter(|t| t.iter().any(|&s| (s as usize) < layout.block_count)).collect()
}

/// The detector of a view at its initial state.
///
/// # Errors
/// Pairs of one component that would press at rest; a start that intersects itself, unless
/// those pairs are exempt.
pub fn detector_of(
    view: &ModelView,
    layout: &Layout,
    config: &SelfContactConfig,
) -> Result<SelfContactDetector, SolverError> {
    let rest: Vec<Vec3> = layout.particle_of.iter().map(|&p| view.particle_q[p as usize]).collect();
    let filter = Filter { rings: config.rings, rest_exclusion: config.rest_exclusion };
    let surface = Surface::new(&triangles_of(view, layout), &[], &rest, filter);
    let mut detector = SelfContactDetector::new(surface, &rest);
    if config.intersecting == IntersectingStart::Refuse {
        refuse_intersections(&detector, &rest, view, layout)?;
        refuse_pressed(&mut detector, &rest, layout, config)?;
    }
    Ok(detector)
}

fn particle(layout: &Layout, slot: u32) -> ParticleId {
    ParticleId(layout.particle_of[slot as usize])
}

fn refuse_intersections(
    d: &SelfContactDetector,
    x: &[Vec3],
    view: &ModelView,
    layout: &Layout,
) -> Result<(), SolverError> {
    let found = find_intersections(d.surface(), x);
    let Some(&(first, _)) = found.first() else { return Ok(()) };
    let name =
        |t: u32| triangle_name(view, d.surface().triangles()[t as usize].map(|s| particle(layout, s).0));
    let pairs: Vec<String> =
        found.iter().take(NAMED).map(|&(a, b)| format!("{} and {}", name(a), name(b))).collect();
    let more = if found.len() > NAMED { ", …" } else { "" };
    Err(SolverError::Entity {
        entity: EntityId::Particle(particle(layout, d.surface().triangles()[first as usize][0])),
        what: format!(
            "the surface intersects itself at the start, in {} pairs of triangles: {}{more} (by their vertices)",
            found.len(),
            pairs.join("; ")
        ),
        remedy: "move the parts apart, or write self_contact.intersecting Exempt: \
                 such pairs then are not held apart until they are free of each other"
            .into(),
    })
}

/// The group of a triangle, and its vertices counted from the first of the group.
fn triangle_name(view: &ModelView, of: [u32; 3]) -> String {
    let group = view.names.groups.iter().find(|g| g.particles.contains(&of[0]));
    let (name, first) = group.map_or((String::new(), 0), |g| (format!("\"{}\" ", g.name), g.particles.start));
    format!("{name}({})", of.map(|p| (p - first).to_string()).join(", "))
}

/// A surface that presses on itself at rest explodes: the classic cause is a margin larger
/// than the edges.
fn refuse_pressed(
    d: &mut SelfContactDetector,
    rest: &[Vec3],
    layout: &Layout,
    config: &SelfContactConfig,
) -> Result<(), SolverError> {
    d.detect(rest, Query { radius: config.margin, clearance_radius: config.margin });
    let surface = d.surface();
    let same = |a: u32, b: u32| surface.component()[a as usize] == surface.component()[b as usize];
    let triangles = d.vertex_triangle().iter().map(|&[v, t]| (v, surface.triangles()[t as usize][0]));
    let edges =
        d.edge_edge().iter().map(|&[e, f]| (surface.edges()[e as usize][0], surface.edges()[f as usize][0]));
    let pressed: Vec<(u32, u32)> = triangles.chain(edges).filter(|&(a, b)| same(a, b)).collect();
    let Some(&(a, b)) = pressed.first() else { return Ok(()) };
    let too_short = surface.edges_below(config.margin).len();
    let too_small = surface.triangles_below(config.margin).len();
    Err(SolverError::Entity {
        entity: EntityId::Particle(particle(layout, a)),
        what: format!(
            "the surface presses on itself at rest, in {} pairs, the first near {}: self_contact.margin = {} m \
             ({too_short} edges are shorter, {too_small} triangles narrower)",
            pressed.len(),
            particle(layout, b),
            config.margin
        ),
        remedy: format!(
            "write a margin below the edges, or self_contact.rest_exclusion = {} or more rings, which \
             leave out what is near at rest",
            config.margin
        ),
    })
}
