//! Who owns what: the partition axis of a coupler, checked before anything is built.
//!
//! Each body, particle and joint has at most one owner. What moves by force and has none
//! would silently stand still, so it is refused; kinematic and immovable entities,
//! disabled joints and free joints (which do nothing) need no owner.

use coact_model::{BodyId, EntityId, JointId, JointKind, Model, ModelView, ParticleId};
use coact_solver::Endpoint;

use crate::error::entity_name;
use crate::{CouplingError, EntryDef};

/// The owner of each entity, as an index into the entries.
#[derive(Clone, Debug, Default)]
pub(crate) struct Owners {
    pub bodies: Vec<Option<usize>>,
    pub particles: Vec<Option<usize>>,
    pub joints: Vec<Option<usize>>,
}

impl Owners {
    /// The owner of an endpoint; ids must be in range.
    pub fn of(&self, e: &Endpoint) -> Option<usize> {
        match e {
            Endpoint::Body(b) => self.bodies[b.index()],
            Endpoint::Particle(p) => self.particles[p.index()],
        }
    }

    /// Whether the model has the endpoint.
    pub fn knows(&self, e: &Endpoint) -> bool {
        match e {
            Endpoint::Body(b) => b.index() < self.bodies.len(),
            Endpoint::Particle(p) => p.index() < self.particles.len(),
        }
    }
}

/// The entity of an endpoint.
pub(crate) fn entity_of(e: &Endpoint) -> EntityId {
    match *e {
        Endpoint::Body(b) => EntityId::Body(b),
        Endpoint::Particle(p) => EntityId::Particle(p),
    }
}

/// What a coupler is built on: a model, or the view that an outer coupler gave it. Proxies
/// in that view belong to the outer coupler and need no owner here.
#[derive(Clone, Copy)]
pub struct Parent<'a> {
    pub(crate) model: &'a Model,
    view: Option<&'a ModelView>,
}

impl<'a> From<&'a Model> for Parent<'a> {
    fn from(model: &'a Model) -> Self {
        Self { model, view: None }
    }
}

impl<'a> From<&'a ModelView> for Parent<'a> {
    fn from(view: &'a ModelView) -> Self {
        Self { model: view.model(), view: Some(view) }
    }
}

impl Parent<'_> {
    /// The view that the coupler stands for.
    pub(crate) fn view(&self) -> ModelView {
        self.view.cloned().unwrap_or_else(|| ModelView::whole(self.model))
    }

    fn is_foreign_proxy(&self, e: &Endpoint) -> bool {
        self.view.is_some_and(|v| match *e {
            Endpoint::Body(b) => v.is_proxy_body(b),
            Endpoint::Particle(p) => v.is_proxy_particle(p),
        })
    }
}

/// Checks names, substeps, ids and ownership.
pub(crate) fn check_entries(parent: Parent, defs: &[EntryDef]) -> Result<Owners, CouplingError> {
    check_entries_around(parent, defs, &|_, _| false)
}

/// The same of a coupler that solves some joints itself: those need no owner.
pub(crate) fn check_entries_around(
    parent: Parent,
    defs: &[EntryDef],
    is_cut: &dyn Fn(&Owners, JointId) -> bool,
) -> Result<Owners, CouplingError> {
    let model = parent.model;
    if defs.is_empty() {
        return Err(CouplingError::NoEntries);
    }
    check_names(defs)?;
    for def in defs {
        check_ids(model, def)?;
    }
    let owners = assign_owners(model, defs)?;
    refuse_unowned(parent, &owners, is_cut)?;
    Ok(owners)
}

fn check_names(defs: &[EntryDef]) -> Result<(), CouplingError> {
    for (i, def) in defs.iter().enumerate() {
        if defs[..i].iter().any(|d| d.name == def.name) {
            return Err(CouplingError::DuplicateEntry(def.name.clone()));
        }
        if def.substeps == 0 {
            return Err(CouplingError::NoSubsteps(def.name.clone()));
        }
    }
    Ok(())
}

fn owned(def: &EntryDef) -> impl Iterator<Item = EntityId> + '_ {
    let bodies = def.bodies.iter().map(|b| EntityId::Body(*b));
    let particles = def.particles.iter().map(|p| EntityId::Particle(*p));
    bodies.chain(particles).chain(def.joints.iter().map(|j| EntityId::Joint(*j)))
}

fn check_ids(model: &Model, def: &EntryDef) -> Result<(), CouplingError> {
    for entity in owned(def) {
        let (index, count) = match entity {
            EntityId::Body(b) => (b.index(), model.body_count()),
            EntityId::Particle(p) => (p.index(), model.particle_count()),
            EntityId::Joint(j) => (j.index(), model.joint_count()),
        };
        if index >= count {
            return Err(CouplingError::UnknownEntity {
                place: format!("entry '{}'", def.name),
                entity,
                count,
            });
        }
    }
    let count = model.shape_count();
    match def.shapes.iter().flatten().find(|s| s.index() >= count) {
        Some(&shape) => Err(CouplingError::UnknownShape { entry: def.name.clone(), shape, count }),
        None => Ok(()),
    }
}

fn assign_owners(model: &Model, defs: &[EntryDef]) -> Result<Owners, CouplingError> {
    let mut owners = Owners {
        bodies: vec![None; model.body_count()],
        particles: vec![None; model.particle_count()],
        joints: vec![None; model.joint_count()],
    };
    for (i, def) in defs.iter().enumerate() {
        for entity in owned(def) {
            let slot = match entity {
                EntityId::Body(b) => &mut owners.bodies[b.index()],
                EntityId::Particle(p) => &mut owners.particles[p.index()],
                EntityId::Joint(j) => &mut owners.joints[j.index()],
            };
            if let Some(first) = slot.replace(i) {
                return Err(CouplingError::TwoOwners {
                    entity: entity_name(&model.names, entity),
                    first: defs[first].name.clone(),
                    second: def.name.clone(),
                });
            }
        }
    }
    Ok(owners)
}

fn refuse_unowned(
    parent: Parent,
    owners: &Owners,
    is_cut: &dyn Fn(&Owners, JointId) -> bool,
) -> Result<(), CouplingError> {
    let model = parent.model;
    let orphan = |o: &Option<usize>| o.is_none();
    let bodies = (0..model.body_count())
        .filter(|&i| orphan(&owners.bodies[i]) && model.body_inv_mass[i] > 0.0 && !model.body_kinematic[i])
        .filter(|&i| !parent.is_foreign_proxy(&Endpoint::Body(BodyId::new(i))))
        .map(|i| EntityId::Body(BodyId::new(i)));
    refuse(model, bodies, "stand still")?;
    let particles = (0..model.particle_count())
        .filter(|&i| orphan(&owners.particles[i]) && model.particle_inv_mass[i] > 0.0)
        .filter(|&i| {
            model.particle_active[i] && !parent.is_foreign_proxy(&Endpoint::Particle(ParticleId::new(i)))
        })
        .map(|i| EntityId::Particle(ParticleId::new(i)));
    refuse(model, particles, "stand still")?;
    let joints = (0..model.joint_count())
        .filter(|&i| orphan(&owners.joints[i]) && model.joint_enabled[i])
        .filter(|&i| model.joint_kind[i] != JointKind::Free)
        .filter(|&i| !is_cut(owners, JointId::new(i)))
        .map(|i| EntityId::Joint(JointId::new(i)));
    refuse(model, joints, "not act")
}

fn refuse(
    model: &Model,
    mut orphans: impl Iterator<Item = EntityId>,
    consequence: &'static str,
) -> Result<(), CouplingError> {
    let Some(first) = orphans.next() else { return Ok(()) };
    let more = match orphans.count() {
        0 => String::new(),
        n => format!(" (and {n} more of this kind)"),
    };
    Err(CouplingError::Unowned { entity: entity_name(&model.names, first), consequence, more })
}

/// Refuses what joins entities of two entries when neither entry sees both of them.
/// `sees(entry, endpoint)` tells whether the endpoint is a proxy there.
pub(crate) fn check_links(
    model: &Model,
    names: &[String],
    owners: &Owners,
    sees: &dyn Fn(usize, &Endpoint) -> bool,
) -> Result<(), CouplingError> {
    let check =
        |what: &dyn Fn() -> String, ends: &[Endpoint]| check_link(model, names, owners, sees, what, ends);
    for (i, &child) in model.joint_child.iter().enumerate() {
        if let (Some(parent), Some(_)) = (model.joint_parent[i], owners.joints[i]) {
            let what = || entity_name(&model.names, EntityId::Joint(JointId::new(i)));
            check(&what, &[Endpoint::Body(parent), Endpoint::Body(child)])?;
        }
    }
    for i in (0..model.attachment_particle.len()).filter(|&i| model.attachment_enabled[i]) {
        let (particle, body) = (model.attachment_particle[i], model.attachment_body[i]);
        check(&|| format!("attachment {i}"), &[Endpoint::Particle(particle), Endpoint::Body(body)])?;
    }
    check_element_links(model, names, owners, sees)
}

/// The same of springs, triangles, hinges and tetrahedra alone.
pub(crate) fn check_element_links(
    model: &Model,
    names: &[String],
    owners: &Owners,
    sees: &dyn Fn(usize, &Endpoint) -> bool,
) -> Result<(), CouplingError> {
    let check =
        |what: &dyn Fn() -> String, ends: &[Endpoint]| check_link(model, names, owners, sees, what, ends);
    check_elements("spring", &model.spring_indices, &check)?;
    check_elements("triangle", &model.tri_indices, &check)?;
    check_elements("hinge", &model.hinge_indices, &check)?;
    check_elements("tetrahedron", &model.tet_indices, &check)
}

/// Checks one link: what it is called, and its ends.
type CheckLink<'a> = &'a dyn Fn(&dyn Fn() -> String, &[Endpoint]) -> Result<(), CouplingError>;

fn check_elements<const N: usize>(
    kind: &str,
    elements: &[[ParticleId; N]],
    check: CheckLink,
) -> Result<(), CouplingError> {
    let at = |(i, e): (usize, &[ParticleId; N])| check(&|| format!("{kind} {i}"), &e.map(Endpoint::Particle));
    elements.iter().enumerate().try_for_each(at)
}

fn check_link(
    model: &Model,
    names: &[String],
    owners: &Owners,
    sees: &dyn Fn(usize, &Endpoint) -> bool,
    what: &dyn Fn() -> String,
    ends: &[Endpoint],
) -> Result<(), CouplingError> {
    let seen_by = |entry: usize, e: &Endpoint| owners.of(e).is_none_or(|o| o == entry) || sees(entry, e);
    let Some(first) = ends.iter().find(|e| owners.of(e).is_some()) else { return Ok(()) };
    let somebody_sees_all =
        ends.iter().filter_map(|e| owners.of(e)).any(|o| ends.iter().all(|e| seen_by(o, e)));
    if somebody_sees_all {
        return Ok(());
    }
    let name = |e: &Endpoint| owners.of(e).map_or_else(String::new, |o| names[o].clone());
    let other =
        ends.iter().find(|e| owners.of(e).is_some() && owners.of(e) != owners.of(first)).unwrap_or(first);
    Err(CouplingError::SpansEntries {
        what: what(),
        first_entity: entity_name(&model.names, entity_of(first)),
        first: name(first),
        second_entity: entity_name(&model.names, entity_of(other)),
        second: name(other),
    })
}
