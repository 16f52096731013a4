//! The interface as arrays: one row per endpoint and destination.
//!
//! Rows are ordered by island, stage, destination, source and declaration, so that what one
//! call of a hook needs is one slice: a destination gets all its proxies at once, whatever
//! sources they have. A source may hand one endpoint to several destinations: it has its
//! own compact set, and rows point into it.

use std::ops::Range;

use coact_math::{Pose, Spatial, Vec3};
use coact_model::{Model, ModelFlags};
use coact_solver::{Endpoint, EndpointState, Harvest, MassBlock, ProxyMotion, Response};

use super::collision::ProxyContacts;
use super::config::{ProxyConfig, ProxyMode};
use super::joints::ProxyJoints;
use super::passivity::Ledger;
use super::validate::{Mapping, Plan};
use crate::entries::Entries;
use crate::{Convergence, WrenchAcceleration};

/// Rows of one declared proxy, with its options.
pub(super) struct Block {
    pub rows: Range<usize>,
    pub mass_scale: f64,
    pub relaxation: f64,
    pub harvest: Harvest,
}

/// All rows between two entries.
pub(super) struct Pair {
    /// "rigid -> soft".
    pub name: String,
    /// Index of the source.
    pub source: usize,
    pub rows: Range<usize>,
    pub blocks: Vec<Block>,
    /// Whether what comes back late is kept passive.
    pub passive: bool,
}

/// An entry that owns endpoints, and they as a compact set.
pub(super) struct Source {
    pub entry: usize,
    pub set: Vec<Endpoint>,
    pub com: Vec<Vec3>,
    /// The rows of these endpoints, ascending.
    pub rows: Vec<usize>,
    /// Begin and end of the last source step.
    pub begin: Vec<EndpointState>,
    pub end: Vec<EndpointState>,
    /// Interface force that drove the last source step, summed over destinations.
    pub force: Vec<Spatial>,
    /// The same sum over what destinations have reported since.
    pub latest: Vec<Spatial>,
    /// Effective masses, and those of the bodies by themselves.
    pub mass: Vec<MassBlock>,
    pub own: Vec<MassBlock>,
    /// What a force does over the step, and that over what a semi-implicit step of the
    /// effective mass does: linear, angular.
    pub response: Vec<Response>,
    pub answer: Vec<[f64; 2]>,
    /// Gravity that the source applies.
    pub gravity: Vec<Vec3>,
}

/// An entry with proxies.
pub(super) struct Destination {
    pub entry: usize,
    pub rows: Range<usize>,
    pub pairs: Range<usize>,
    /// c of eq. (5).
    pub answer: f64,
    pub joints: ProxyJoints,
    /// Contacts that the coupler finds for it, if asked to.
    pub contacts: Option<ProxyContacts>,
}

/// An entry of an island, with its places among sources and destinations.
#[derive(Clone, Copy)]
pub(super) struct Member {
    pub entry: usize,
    pub source: Option<usize>,
    pub destination: Option<usize>,
}

/// Entries that exchange nothing with each other: they step with what others left.
pub(super) struct Stage {
    pub members: Vec<Member>,
    /// Rows of its destinations.
    pub rows: Range<usize>,
    pub acceleration: WrenchAcceleration,
}

/// Entries that exchange among themselves only; iterated together.
#[derive(Default)]
pub(super) struct Island {
    pub entries: Vec<usize>,
    /// In the order of a pass.
    pub stages: Vec<Stage>,
    pub pairs: Range<usize>,
    pub rows: Range<usize>,
    pub mode: ProxyMode,
    pub convergence: Convergence,
}

/// The interface of a proxy coupler. Arrays without a comment: one value per row.
#[derive(Default)]
pub(super) struct Interface {
    pub islands: Vec<Island>,
    pub destinations: Vec<Destination>,
    pub sources: Vec<Source>,
    pub pairs: Vec<Pair>,
    pub set: Vec<Endpoint>,
    /// (source, place in its set).
    pub slot: Vec<(usize, usize)>,
    /// Whether a proxy joint holds the endpoint.
    pub jointed: Vec<bool>,
    /// What the destination's view holds.
    pub mass: Vec<MassBlock>,
    pub motion: Vec<ProxyMotion>,
    /// The part of `motion` that belongs to one substep.
    pub part: Vec<ProxyMotion>,
    /// The proxy's state after its destination's last step.
    pub proxy_end: Vec<EndpointState>,
    /// The force of the coming source step.
    pub force: Vec<Spatial>,
    /// The force that the step before left.
    pub before: Vec<Spatial>,
    /// The force of the last source step.
    pub applied: Vec<Spatial>,
    /// What the destination reported.
    pub harvested: Vec<Spatial>,
    /// Candidate for `force`, after relaxation.
    pub next: Vec<Spatial>,
    /// Gravity that the destination would apply (staggered particles).
    pub gravity: Vec<Vec3>,
    /// Energy that each row made so far.
    pub ledger: Vec<Ledger>,
    /// Where each proxy ended the step before.
    pub last_end: Vec<Pose>,
}

impl Interface {
    /// From the checked plan.
    pub fn new(model: &Model, names: &[String], plan: &Plan, config: &ProxyConfig) -> Self {
        let mut x = Self::default();
        for (entries, stages) in plan.islands.iter().zip(&plan.stages) {
            x.add_island(model, names, (entries, stages), plan, config);
        }
        let n = x.set.len();
        x.mass.resize(n, MassBlock::default());
        x.motion.resize(n, ProxyMotion::default());
        x.part.resize(n, ProxyMotion::default());
        x.proxy_end.resize(n, EndpointState::default());
        for forces in [&mut x.force, &mut x.before, &mut x.applied, &mut x.harvested, &mut x.next] {
            forces.resize(n, Spatial::zeros());
        }
        x.gravity.resize(n, Vec3::zeros());
        x.ledger.resize(n, Ledger::default());
        x.last_end.resize(n, Pose::identity());
        x.add_joints(model, plan);
        x
    }

    /// The default count of passes, where substeps differ: a source and a proxy that answer
    /// a force differently need a second pass, `docs/theory/proxy-coupling.md` section 4.
    pub fn match_passes(&mut self, entries: &Entries) {
        let substeps = |entry: usize| entries.list[entry].substeps;
        for island in &mut self.islands {
            let members = island.stages.iter().flat_map(|s| &s.members);
            let mut destinations = members.filter_map(|m| m.destination);
            let differ = destinations.any(|d| {
                let d = &self.destinations[d];
                let mut sources = self.pairs[d.pairs.clone()].iter().map(|p| self.sources[p.source].entry);
                sources.any(|source| substeps(source) != substeps(d.entry))
            });
            if differ && island.mode == ProxyMode::Predicted && island.convergence.max_iterations() == 1 {
                island.convergence = Convergence::FixedCount(2);
            }
        }
    }

    fn add_island(
        &mut self,
        model: &Model,
        names: &[String],
        (entries, stages): (&[usize], &[Vec<usize>]),
        plan: &Plan,
        config: &ProxyConfig,
    ) {
        let (p, r) = (self.pairs.len(), self.set.len());
        let inside = |m: &&Mapping| entries.contains(&m.destination);
        let mode = plan.mappings.iter().find(inside).map(|m| m.proxy.mode).unwrap_or_default();
        for &entry in stages.iter().flatten() {
            self.add_source(model, entry, plan);
        }
        let mut stages: Vec<Stage> = stages.iter().map(|s| self.add_stage(names, s, plan, config)).collect();
        if mode != ProxyMode::Predicted {
            stages.reverse();
        }
        let passed = stages.iter().flat_map(|s| &s.members);
        let passed = passed.filter(|m| m.source.is_some() && m.destination.is_some()).count() > 0;
        let count = Convergence::FixedCount(mode.default_iterations());
        let usual = if passed && mode == ProxyMode::Predicted { CHAINED } else { count };
        self.islands.push(Island {
            entries: entries.to_vec(),
            stages,
            pairs: p..self.pairs.len(),
            rows: r..self.set.len(),
            mode,
            convergence: config.convergence.unwrap_or(usual),
        });
    }

    fn add_stage(&mut self, names: &[String], entries: &[usize], plan: &Plan, config: &ProxyConfig) -> Stage {
        let first = self.set.len();
        let members = entries.iter().map(|&entry| Member {
            entry,
            source: self.sources.iter().position(|s| s.entry == entry),
            destination: self.add_destination(names, entry, plan),
        });
        let members = members.collect();
        Stage {
            members,
            rows: first..self.set.len(),
            acceleration: WrenchAcceleration::new(config.acceleration),
        }
    }

    fn add_source(&mut self, model: &Model, entry: usize, plan: &Plan) {
        let mut set: Vec<Endpoint> = Vec::new();
        for e in plan.mappings.iter().filter(|m| m.source == entry).flat_map(|m| m.proxy.endpoints()) {
            if !set.contains(&e) {
                set.push(e);
            }
        }
        if set.is_empty() {
            return;
        }
        let n = set.len();
        self.sources.push(Source {
            entry,
            com: set.iter().map(|e| com_of(model, e)).collect(),
            set,
            rows: Vec::new(),
            begin: vec![EndpointState::default(); n],
            end: vec![EndpointState::default(); n],
            force: vec![Spatial::zeros(); n],
            latest: vec![Spatial::zeros(); n],
            mass: vec![MassBlock::default(); n],
            own: vec![MassBlock::default(); n],
            response: vec![Response::default(); n],
            answer: vec![[1.0; 2]; n],
            gravity: vec![Vec3::zeros(); n],
        });
    }

    fn add_destination(&mut self, names: &[String], entry: usize, plan: &Plan) -> Option<usize> {
        let (first_row, first_pair) = (self.set.len(), self.pairs.len());
        for source in 0..self.sources.len() {
            let from = self.sources[source].entry;
            let of_pair = |m: &&Mapping| (m.source, m.destination) == (from, entry);
            let start = self.set.len();
            let blocks: Vec<Block> =
                plan.mappings.iter().filter(of_pair).map(|m| self.add_block(source, m)).collect();
            if !blocks.is_empty() {
                let name = format!("{} -> {}", names[from], names[entry]);
                let passive = plan.mappings.iter().filter(of_pair).all(|m| m.proxy.passive);
                self.pairs.push(Pair { name, source, rows: start..self.set.len(), blocks, passive });
            }
        }
        if self.set.len() == first_row {
            return None;
        }
        let (rows, pairs) = (first_row..self.set.len(), first_pair..self.pairs.len());
        let (answer, joints, contacts) = (1.0, ProxyJoints::default(), None);
        self.destinations.push(Destination { entry, rows, pairs, answer, joints, contacts });
        Some(self.destinations.len() - 1)
    }

    fn add_block(&mut self, source: usize, m: &Mapping) -> Block {
        let start = self.set.len();
        for e in m.proxy.endpoints() {
            let place = self.sources[source].set.iter().position(|o| *o == e);
            self.slot.push((source, place.expect("the source's set holds every endpoint of its proxies")));
            self.sources[source].rows.push(self.set.len());
            self.set.push(e);
            self.jointed.push(false);
        }
        let (mass_scale, relaxation) = (m.proxy.mass_scale, m.proxy.proxy_relaxation);
        Block { rows: start..self.set.len(), mass_scale, relaxation, harvest: m.proxy.harvest }
    }

    /// Whether the endpoint is a proxy in the entry.
    pub fn is_proxy(&self, entry: usize, e: &Endpoint) -> bool {
        let mut here = self.destinations.iter().filter(|d| d.entry == entry);
        here.any(|d| self.set[d.rows.clone()].contains(e))
    }

    /// The row of an endpoint among the proxies of a destination.
    pub fn row_of(&self, d: usize, e: &Endpoint) -> Option<usize> {
        self.destinations[d].rows.clone().find(|&row| self.set[row] == *e)
    }

    /// How many passes a step may take in the island of an entry.
    pub fn passes_of(&self, entry: usize) -> usize {
        let island = self.islands.iter().find(|i| i.entries.contains(&entry));
        island.map_or(1, |i| i.convergence.max_iterations())
    }

    /// Centres of mass may have moved; masses are read every step.
    pub fn notify_model_changed(&mut self, entries: &mut Entries, flags: ModelFlags) {
        for d in &mut self.destinations {
            let view = &entries.list[d.entry].view;
            if let Some(c) = &mut d.contacts {
                c.notify_model_changed(view, flags);
            }
        }
        if !flags.contains(ModelFlags::BODY_MASS) {
            return;
        }
        for s in &mut self.sources {
            let view = &entries.list[s.entry].view;
            s.com.iter_mut().zip(&s.set).for_each(|(c, e)| *c = com_of(view, e));
        }
    }
}

/// When nothing is asked for and an entry is destination and source: what it hands on moves
/// while it is pushed, so no count of passes is exact.
const CHAINED: Convergence = Convergence::Tolerance { primal: 1e-6, dual: 1e-4, max_iterations: 20 };

fn com_of(model: &Model, e: &Endpoint) -> Vec3 {
    match e {
        Endpoint::Body(b) => model.body_com[b.index()],
        Endpoint::Particle(_) => Vec3::zeros(),
    }
}
