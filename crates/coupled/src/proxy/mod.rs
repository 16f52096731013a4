//! `SolverCoupledProxy`: bodies and particles of one entry stand in another as proxies.
//!
//! Problem (`docs/theory/proxy-coupling.md` eq. (1)): find the wrenches F on the endpoints
//! such that the source, driven by F, and the destination, whose proxies receive F, end
//! the step with the same motion of the endpoints. Both are black boxes that take forces
//! and return the end of the step; the proxy's mass makes a fixed-point pass behave like
//! a Newton step.
//!
//! - `config.rs`: what a user declares, the modes
//! - `validate.rs`: what is refused
//! - `interface.rs`: rows, pairs, sources, destinations, islands
//! - `mass.rs`: proxy masses in the destination's view
//! - `motion.rs`: the free motion of a proxy, its parts over substeps
//! - `pass.rs`: one pass of the sources, one of the destinations
//! - `measure.rs`: residuals, impulse and work
//! - this file: the schedule

mod config;
mod interface;
mod mass;
mod measure;
mod motion;
mod pass;
mod validate;

use coact_math::Spatial;
use coact_model::{EntityId, ModelFlags};
use coact_solver::{Endpoint, Snapshot, SolverError, StepInput, StepReport};

use crate::coupled::{Coupled, Exchange};
use crate::entries::Entries;
use crate::follow::refuse_followers;
use crate::partition::{check_entries, check_links};
use crate::summary::{begin_report, finish_report};
use crate::{CouplingError, EntryDef, Parent};

pub use config::{Proxy, ProxyConfig, ProxyMode};
use interface::{Interface, Island};
use mass::ProxyViews;
pub(crate) use motion::displacement;

/// Several solvers on one model, coupled by proxies.
pub type SolverCoupledProxy = Coupled<ProxyExchange>;

impl SolverCoupledProxy {
    /// Builds the entries on a model (inside another coupler: on the entry's view), sources
    /// before their destinations, with proxies in the destinations' views.
    ///
    /// # Errors
    /// What cannot work, by name and with a remedy.
    pub fn new<'a>(
        parent: impl Into<Parent<'a>>,
        defs: Vec<EntryDef>,
        config: ProxyConfig,
    ) -> Result<Self, CouplingError> {
        let parent = parent.into();
        let model = parent.model;
        let owners = check_entries(parent, &defs)?;
        refuse_followers(&defs)?;
        let names: Vec<String> = defs.iter().map(|d| d.name.clone()).collect();
        let plan = validate::check_proxies(model, &names, &owners, &config)?;
        let (interface, order) = Interface::new(model, &names, &plan, &config)?;
        check_links(model, &names, &owners, &|entry, e| interface.is_proxy(entry, e))?;
        let mut setup = ProxyViews { interface, plan: &plan };
        let entries = Entries::build(model, defs, owners, &order, &mut setup)?;
        let mut exchange = ProxyExchange { interface: setup.interface };
        if config.convergence.is_none() {
            exchange.interface.match_passes(&entries);
        }
        validate::check_capabilities(&entries, &exchange.interface, &plan)?;
        Ok(Self { view: parent.view(), entries, exchange })
    }
}

/// The exchange by proxies.
pub struct ProxyExchange {
    interface: Interface,
}

impl Exchange for ProxyExchange {
    fn kind(&self) -> &'static str {
        "coupled-proxy"
    }

    fn interface_count(&self) -> usize {
        self.interface.pairs.len()
    }

    fn step(
        &mut self,
        entries: &mut Entries,
        input: &StepInput,
        dt: f64,
        report: &mut StepReport,
    ) -> Result<(), SolverError> {
        let x = &mut self.interface;
        begin_report(entries, x.pairs.iter().map(|p| p.name.as_str()), report);
        x.refresh_masses(entries);
        for i in 0..x.islands.len() {
            let mut island = std::mem::take(&mut x.islands[i]);
            let result = match island.pairs.is_empty() {
                true => step_alone(&island, entries, input, dt, report),
                false => step_island(&mut island, x, entries, input, dt, report),
            };
            x.islands[i] = island;
            result?;
        }
        finish_report(report);
        Ok(())
    }

    fn save_into(&self, to: &mut Snapshot) {
        to.slot::<Vec<Spatial>>().clone_from(&self.interface.force);
    }

    fn restore(&mut self, from: &Snapshot) {
        if let Some(saved) = from.get::<Vec<Spatial>>() {
            self.interface.force.clone_from(saved);
        }
    }

    fn reset(&mut self, chosen: &[EntityId]) {
        for (e, force) in self.interface.set.iter().zip(&mut self.interface.force) {
            let entity = match *e {
                Endpoint::Body(b) => EntityId::Body(b),
                Endpoint::Particle(p) => EntityId::Particle(p),
            };
            if chosen.contains(&entity) {
                *force = Spatial::zeros();
            }
        }
    }

    fn notify_model_changed(&mut self, entries: &mut Entries, flags: ModelFlags) {
        self.interface.notify_model_changed(entries, flags);
    }
}

fn step_alone(
    island: &Island,
    entries: &mut Entries,
    input: &StepInput,
    dt: f64,
    report: &mut StepReport,
) -> Result<(), SolverError> {
    island.entries.iter().try_for_each(|&i| entries.list[i].step(input, dt, &mut report.entries[i]))
}

/// One step of entries that exchange. Predicted: trial, then (destination, source) per
/// pass; the source's last step closes the step. Otherwise: (source, destination) per
/// pass, and the force that the last pass found drives the next step (eq. (3)).
fn step_island(
    island: &mut Island,
    x: &mut Interface,
    entries: &mut Entries,
    input: &StepInput,
    dt: f64,
    report: &mut StepReport,
) -> Result<(), SolverError> {
    let closes = island.mode == ProxyMode::Predicted;
    let passes = island.convergence.max_iterations();
    x.begin_step(island, entries, input, passes > 1);
    match closes {
        true => x.trial(island, entries, input, dt, report)?,
        false => x.source_pass(island, entries, input, dt, false, report)?,
    }
    let mut taken = 0;
    while taken < passes {
        x.destination_pass(island, entries, input, dt, taken, report)?;
        taken += 1;
        if closes {
            x.source_pass(island, entries, input, dt, taken > 1, report)?;
        }
        if island.convergence.ends_early(&x.measure(island, dt)) {
            break;
        }
        if !closes && taken < passes {
            x.source_pass(island, entries, input, dt, true, report)?;
        }
    }
    x.fill_report(island, dt, taken, report);
    Ok(())
}
