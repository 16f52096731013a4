//! What a coupler refuses when it is built: the names, what is wrong, what to do.

use coact_model::{EntityId, ShapeId};
use coact_solver::SolverError;

/// A coupling that cannot work.
#[derive(Debug, thiserror::Error)]
pub enum CouplingError {
    /// Nothing to couple.
    #[error("a coupler without entries: give it at least one")]
    NoEntries,
    /// Two entries of one name.
    #[error("two entries are named '{0}': rename one of them")]
    DuplicateEntry(String),
    /// An entry that never steps.
    #[error("entry '{0}' takes 0 substeps: write 1 or more")]
    NoSubsteps(String),
    /// An id that the model does not have.
    #[error("{place} lists {entity}, but the model has {count} of that kind: list ids of this model")]
    UnknownEntity {
        /// The entry or the proxy.
        place: String,
        /// What it lists.
        entity: EntityId,
        /// How many there are.
        count: usize,
    },
    /// A shape that the model does not have.
    #[error("entry '{entry}' lists {shape}, but the model has {count} shapes: list shapes of this model")]
    UnknownShape {
        /// The entry.
        entry: String,
        /// What it lists.
        shape: ShapeId,
        /// How many there are.
        count: usize,
    },
    /// Two owners.
    #[error("{entity} is owned by '{first}' and by '{second}': take it out of one of them")]
    TwoOwners {
        /// The entity, with its name.
        entity: String,
        /// The first owner.
        first: String,
        /// The second one; the same when an entry lists an id twice.
        second: String,
    },
    /// An entity that moves by force and that nobody moves.
    #[error("no entry owns {entity}: it would {consequence}; add it to an entry{more}")]
    Unowned {
        /// The first such entity, with its name.
        entity: String,
        /// What would come of it.
        consequence: &'static str,
        /// How many others, as text; empty when none.
        more: String,
    },
    /// A solver could not be built.
    #[error("entry '{entry}': {source}")]
    Build {
        /// The entry.
        entry: String,
        /// What its solver said.
        source: SolverError,
    },
    /// A proxy that names no entry.
    #[error("{proxy}: there is no entry '{name}'; the entries are {known}")]
    UnknownEntry {
        /// The proxy, as "proxy 'a' -> 'b'".
        proxy: String,
        /// The name.
        name: String,
        /// What there is.
        known: String,
    },
    /// A proxy of an entry in itself.
    #[error("{proxy}: source and destination are the same entry; name two entries")]
    SameEntry {
        /// The proxy.
        proxy: String,
    },
    /// A proxy without endpoints.
    #[error("{proxy} lists no bodies and no particles: list what couples, or drop the proxy")]
    NoEndpoints {
        /// The proxy.
        proxy: String,
    },
    /// Something that acts on entities of two entries and would act in neither.
    #[error(
        "{what} joins {first_entity} of '{first}' to {second_entity} of '{second}': no entry sees both; let one          entry own both, or make one of them a proxy in the other's entry"
    )]
    SpansEntries {
        /// The joint, attachment or element.
        what: String,
        /// One end.
        first_entity: String,
        /// Its owner.
        first: String,
        /// The other end.
        second_entity: String,
        /// Its owner.
        second: String,
    },
    /// The source does not own what it hands over.
    #[error("{proxy}: {entity} is not owned by '{source_entry}'; list it there, or drop it from the proxy")]
    NotOwnedBySource {
        /// The proxy.
        proxy: String,
        /// The entity.
        entity: String,
        /// The source.
        source_entry: String,
    },
    /// The same endpoint twice between two entries.
    #[error("{proxy}: {entity} is listed twice between these entries; list it once")]
    DuplicateProxy {
        /// The proxy.
        proxy: String,
        /// The entity.
        entity: String,
    },
    /// A joint that cannot stand between proxies.
    #[error("{proxy}: {joint} must be owned by the source and join proxies of this pair; {remedy}")]
    ProxyJoint {
        /// The proxy.
        proxy: String,
        /// The joint.
        joint: String,
        /// What to do.
        remedy: String,
    },
    /// A number out of its range.
    #[error("{place}: {setting} = {value} is refused; {remedy}")]
    Setting {
        /// The proxy or the coupler.
        place: String,
        /// The setting.
        setting: &'static str,
        /// Its value.
        value: String,
        /// What to write.
        remedy: &'static str,
    },
    /// A solver that cannot play its role.
    #[error("entry '{entry}' ({kind}) {cannot}: it lacks `{capability}`; {remedy}")]
    Capability {
        /// The entry.
        entry: String,
        /// Its solver's kind.
        kind: &'static str,
        /// The role, as a sentence.
        cannot: String,
        /// The capability or hook.
        capability: &'static str,
        /// What to do.
        remedy: String,
    },
    /// Entries that hand endpoints to each other in a circle, with a force that is a step late.
    #[error(
        "entries {entries} are {mode} proxies of each other in a circle, in which none can step first: use \
         Predicted, which iterates it, or turn one pair around"
    )]
    Cycle {
        /// Their names.
        entries: String,
        /// The mode.
        mode: &'static str,
    },
    /// A joint between two entries that one of them owns.
    #[error(
        "{joint} joins {ends} and is owned by '{owner}': \
         let no entry own it, so that the coupler solves it, or let one entry own both bodies"
    )]
    CutJointOwned {
        /// The joint.
        joint: String,
        /// Its child and its parent, each with its owner.
        ends: String,
        /// The joint's owner.
        owner: String,
    },
    /// A joint that rows cannot stand for.
    #[error("{joint} is a {kind} joint between '{first}' and '{second}': {remedy}")]
    CutJointKind {
        /// The joint.
        joint: String,
        /// Its kind.
        kind: &'static str,
        /// One entry.
        first: String,
        /// The other.
        second: String,
        /// What to do.
        remedy: &'static str,
    },
    /// An attachment with an end that nobody moves.
    #[error("{attachment} holds {held} of '{entry}' to {loose}, which no entry owns: {remedy}")]
    LooseAttachment {
        /// The attachment.
        attachment: String,
        /// The end that is owned.
        held: String,
        /// Its owner.
        entry: String,
        /// The end that is not.
        loose: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A hard link between two ends that no force moves.
    #[error(
        "{link} is hard, but no force moves either of its ends: give it a stiffness, or let one end move"
    )]
    Immovable {
        /// The joint or attachment.
        link: String,
    },
    /// A pair of entries for contact that names none, or one twice.
    #[error("contact pair '{source_entry}' and '{destination}': {what}")]
    ContactPair {
        /// One entry.
        source_entry: String,
        /// The other.
        destination: String,
        /// What is wrong, and what to do.
        what: String,
    },
    /// A shape that cannot be met.
    #[error("contact pairs: shape {shape} ({kind}) cannot be met: {what}")]
    ContactShape {
        /// The shape.
        shape: ShapeId,
        /// The word for its geometry.
        kind: &'static str,
        /// What is wrong, and what to do.
        what: String,
    },
    /// Two schedules at one entry.
    #[error(
        "{first} is {first_mode} and {second} is {second_mode}, but they meet at an entry: give both one mode"
    )]
    MixedModes {
        /// One proxy.
        first: String,
        /// Its mode.
        first_mode: &'static str,
        /// The other.
        second: String,
        /// Its mode.
        second_mode: &'static str,
    },
}

/// "proxy 'a' -> 'b'".
pub(crate) fn proxy_name(source: &str, destination: &str) -> String {
    format!("proxy '{source}' -> '{destination}'")
}

/// "body 'box' (3)" or "body 3".
pub(crate) fn entity_name(names: &coact_model::Names, entity: EntityId) -> String {
    let name = match entity {
        EntityId::Body(b) => names.bodies.get(b.index()),
        EntityId::Joint(j) => names.joints.get(j.index()),
        EntityId::Particle(p) => {
            let group = names.groups.iter().find(|g| g.particles.contains(&p.0));
            return group.map_or_else(|| entity.to_string(), |g| format!("{entity} of '{}'", g.name));
        }
    };
    let kind = if matches!(entity, EntityId::Body(_)) { "body" } else { "joint" };
    match name {
        Some(n) if !n.is_empty() => format!("{kind} '{n}'"),
        _ => entity.to_string(),
    }
}

/// A coupler that is built as an entry of another one reports through that entry.
impl From<CouplingError> for SolverError {
    fn from(e: CouplingError) -> Self {
        Self::Setting { setting: "inner coupling", value: "as given".to_owned(), remedy: e.to_string() }
    }
}
