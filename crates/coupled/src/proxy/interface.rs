//! The interface as arrays: one row per endpoint and destination.
//!
//! Rows are ordered by island, destination, source and declaration, so that what one call
//! of a hook needs is one slice: a destination gets all its proxies at once, whatever
//! sources they have. A source may hand one endpoint to several destinations: it has its
//! own compact set, and rows point into it.

use std::ops::Range;

use coact_math::{Spatial, Vec3};
use coact_model::{Model, ModelFlags};
use coact_solver::{Endpoint, EndpointState, Harvest, MassBlock, ProxyMotion};

use super::config::{ProxyConfig, ProxyMode};
use super::validate::{Mapping, Plan};
use crate::entries::Entries;
use crate::{Convergence, CouplingError, WrenchAcceleration};

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
}

/// An entry that owns endpoints, and they as a compact set.
pub(super) struct Source {
    pub entry: usize,
    pub set: Vec<Endpoint>,
    pub com: Vec<Vec3>,
    /// Begin and end of the last source pass.
    pub begin: Vec<EndpointState>,
    pub end: Vec<EndpointState>,
    /// Interface force that drove the last source pass, summed over destinations.
    pub force: Vec<Spatial>,
    /// The same sum over what destinations have reported since.
    pub latest: Vec<Spatial>,
    pub mass: Vec<MassBlock>,
}

/// An entry with proxies.
pub(super) struct Destination {
    pub entry: usize,
    pub rows: Range<usize>,
    pub pairs: Range<usize>,
}

/// Entries that exchange among themselves only; iterated together.
#[derive(Default)]
pub(super) struct Island {
    pub entries: Vec<usize>,
    pub sources: Range<usize>,
    pub destinations: Range<usize>,
    pub pairs: Range<usize>,
    pub rows: Range<usize>,
    pub mode: ProxyMode,
    pub convergence: Convergence,
    pub acceleration: Option<WrenchAcceleration>,
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
    /// What the destination's view holds.
    pub mass: Vec<MassBlock>,
    pub motion: Vec<ProxyMotion>,
    /// The part of `motion` that belongs to one substep.
    pub part: Vec<ProxyMotion>,
    /// The proxy's state after its destination's last step.
    pub proxy_end: Vec<EndpointState>,
    /// The force of the coming source pass.
    pub force: Vec<Spatial>,
    /// The force that the step before left.
    pub before: Vec<Spatial>,
    /// The force of the last source pass.
    pub applied: Vec<Spatial>,
    /// What the destination reported.
    pub harvested: Vec<Spatial>,
    /// Candidate for `force`, after relaxation.
    pub next: Vec<Spatial>,
    /// Gravity that the destination would apply (staggered particles).
    pub gravity: Vec<Vec3>,
}

impl Interface {
    /// From the checked plan; also the order in which entries are built.
    pub fn new(
        model: &Model,
        names: &[String],
        plan: &Plan,
        config: &ProxyConfig,
    ) -> Result<(Self, Vec<usize>), CouplingError> {
        let mut x = Self::default();
        for entries in &plan.islands {
            x.add_island(model, names, entries, plan, config);
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
        Ok((x, plan.order.clone()))
    }

    /// The default count of passes, where substeps differ: a source and a proxy that answer
    /// a force differently need a second pass, `docs/theory/proxy-coupling.md` section 4.
    pub fn match_passes(&mut self, entries: &Entries) {
        let substeps = |entry: usize| entries.list[entry].substeps;
        for island in self.islands.iter_mut().filter(|i| i.mode == ProxyMode::Predicted) {
            let differ = |d: &Destination| {
                let mut sources = self.pairs[d.pairs.clone()].iter().map(|p| self.sources[p.source].entry);
                sources.any(|source| substeps(source) != substeps(d.entry))
            };
            if self.destinations[island.destinations.clone()].iter().any(differ) {
                island.convergence = Convergence::FixedCount(2);
            }
        }
    }

    fn add_island(
        &mut self,
        model: &Model,
        names: &[String],
        entries: &[usize],
        plan: &Plan,
        config: &ProxyConfig,
    ) {
        let (s, d) = (self.sources.len(), self.destinations.len());
        let (p, r) = (self.pairs.len(), self.set.len());
        let inside = |m: &&Mapping| entries.contains(&m.destination);
        let mode = plan.mappings.iter().find(inside).map(|m| m.proxy.mode).unwrap_or_default();
        for &entry in entries {
            self.add_source(model, entry, plan);
        }
        for &entry in entries {
            self.add_destination(names, entry, plan);
        }
        let convergence = config.convergence.unwrap_or(Convergence::FixedCount(mode.default_iterations()));
        self.islands.push(Island {
            entries: entries.to_vec(),
            sources: s..self.sources.len(),
            destinations: d..self.destinations.len(),
            pairs: p..self.pairs.len(),
            rows: r..self.set.len(),
            mode,
            convergence,
            acceleration: Some(WrenchAcceleration::new(config.acceleration)),
        });
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
            begin: vec![EndpointState::default(); n],
            end: vec![EndpointState::default(); n],
            force: vec![Spatial::zeros(); n],
            latest: vec![Spatial::zeros(); n],
            mass: vec![MassBlock::default(); n],
        });
    }

    fn add_destination(&mut self, names: &[String], entry: usize, plan: &Plan) {
        let (first_row, first_pair) = (self.set.len(), self.pairs.len());
        for source in 0..self.sources.len() {
            let from = self.sources[source].entry;
            let of_pair = |m: &&Mapping| (m.source, m.destination) == (from, entry);
            let start = self.set.len();
            let blocks: Vec<Block> =
                plan.mappings.iter().filter(of_pair).map(|m| self.add_block(source, m)).collect();
            if !blocks.is_empty() {
                let name = format!("{} -> {}", names[from], names[entry]);
                self.pairs.push(Pair { name, source, rows: start..self.set.len(), blocks });
            }
        }
        if self.set.len() > first_row {
            let (rows, pairs) = (first_row..self.set.len(), first_pair..self.pairs.len());
            self.destinations.push(Destination { entry, rows, pairs });
        }
    }

    fn add_block(&mut self, source: usize, m: &Mapping) -> Block {
        let start = self.set.len();
        for e in m.proxy.endpoints() {
            let place = self.sources[source].set.iter().position(|o| *o == e);
            self.slot.push((source, place.expect("the source's set holds every endpoint of its proxies")));
            self.set.push(e);
        }
        let (mass_scale, relaxation) = (m.proxy.mass_scale, m.proxy.proxy_relaxation);
        Block { rows: start..self.set.len(), mass_scale, relaxation, harvest: m.proxy.harvest }
    }

    /// Whether the endpoint is a proxy in the entry.
    pub fn is_proxy(&self, entry: usize, e: &Endpoint) -> bool {
        let mut here = self.destinations.iter().filter(|d| d.entry == entry);
        here.any(|d| self.set[d.rows.clone()].contains(e))
    }

    /// How many passes a step may take in the island of an entry.
    pub fn passes_of(&self, entry: usize) -> usize {
        let island = self.islands.iter().find(|i| i.entries.contains(&entry));
        island.map_or(1, |i| i.convergence.max_iterations())
    }

    /// Centres of mass may have moved; masses are read every step.
    pub fn notify_model_changed(&mut self, entries: &mut Entries, flags: ModelFlags) {
        if !flags.contains(ModelFlags::BODY_MASS) {
            return;
        }
        for s in &mut self.sources {
            let view = &entries.list[s.entry].view;
            s.com.iter_mut().zip(&s.set).for_each(|(c, e)| *c = com_of(view, e));
        }
    }
}

fn com_of(model: &Model, e: &Endpoint) -> Vec3 {
    match e {
        Endpoint::Body(b) => model.body_com[b.index()],
        Endpoint::Particle(_) => Vec3::zeros(),
    }
}
