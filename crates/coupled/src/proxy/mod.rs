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
//! - `joints.rs`: joints that stay enabled between proxies
//! - `collision.rs`: contacts that the coupler finds for a destination
//! - `motion.rs`: the free motion of a proxy, its parts over substeps
//! - `pass.rs`: one pass over the stages, and a source's step
//! - `destination.rs`: a destination's step
//! - `passivity.rs`: what late feedback may do
//! - `measure.rs`: residuals, impulse and work
//! - this file: the schedule

mod collision;
mod config;
mod destination;
mod interface;
mod joints;
mod mass;
mod measure;
mod memory;
mod motion;
mod pass;
mod passivity;
mod validate;

use coact_math::Spatial;
use coact_model::{EntityId, ModelFlags};
use coact_solver::{Snapshot, SolverError, StepInput, StepReport};

use crate::coupled::{Coupled, Exchange};
use crate::entries::Entries;
use crate::follow::refuse_followers;
use crate::partition::{check_entries, check_links, entity_of};
use crate::summary::{begin_report, finish_report};
use crate::{CouplingError, EntryDef, Parent};

pub use config::{Proxy, ProxyConfig, ProxyMode};
use interface::{Interface, Island};
use mass::ProxyViews;
use memory::Memory;
pub(crate) use motion::displacement;
use pass::CoupledStep;
use passivity::Ledger;

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
        let interface = Interface::new(model, &names, &plan, &config);
        check_links(model, &names, &owners, &|entry, e| interface.is_proxy(entry, e))?;
        let mut setup = ProxyViews { interface, plan: &plan };
        let entries = Entries::build(model, defs, owners, &plan.order, &mut setup)?;
        let mut exchange = ProxyExchange { interface: setup.interface };
        if config.convergence.is_none() {
            exchange.interface.match_passes(&entries);
        }
        validate::check_capabilities(&entries, &exchange.interface, &plan)?;
        exchange.interface.add_contacts(&entries, &plan)?;
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
        x.refresh_masses(entries, dt);
        for i in 0..x.islands.len() {
            let mut island = std::mem::take(&mut x.islands[i]);
            let mut s = CoupledStep { entries, input: *input, dt, report };
            let result = match island.pairs.is_empty() {
                true => step_alone(&island, &mut s),
                false => step_island(&mut island, x, &mut s),
            };
            x.islands[i] = island;
            result?;
        }
        x.age_contacts();
        finish_report(report);
        Ok(())
    }

    fn save_into(&self, to: &mut Snapshot) {
        self.interface.save_into(to.slot::<Memory>());
    }

    fn restore(&mut self, from: &Snapshot) {
        if let Some(saved) = from.get::<Memory>() {
            self.interface.restore(saved);
        }
    }

    fn reset(&mut self, chosen: &[EntityId]) {
        let x = &mut self.interface;
        for row in (0..x.set.len()).filter(|&row| chosen.contains(&entity_of(&x.set[row]))) {
            (x.force[row], x.ledger[row]) = (Spatial::zeros(), Ledger::default());
        }
    }

    fn notify_model_changed(&mut self, entries: &mut Entries, flags: ModelFlags) {
        self.interface.notify_model_changed(entries, flags);
    }
}

fn step_alone(island: &Island, s: &mut CoupledStep) -> Result<(), SolverError> {
    let mut entries = island.entries.iter();
    entries.try_for_each(|&i| s.entries.list[i].step(&s.input, s.dt, &mut s.report.entries[i]))
}

/// One step of entries that exchange: a trial where sources are predicted, then passes.
/// Predicted stages end with the sources, whose last step closes the step; others end with
/// the destinations, and the force that the last pass found drives the next step.
fn step_island(island: &mut Island, x: &mut Interface, s: &mut CoupledStep) -> Result<(), SolverError> {
    let passes = island.convergence.max_iterations();
    x.begin_step(island, s);
    if island.mode == ProxyMode::Predicted {
        x.trial(island, s)?;
    }
    let mut taken = 0;
    while taken < passes {
        x.pass(island, s, taken)?;
        taken += 1;
        if island.convergence.ends_early(&x.measure(island, s.dt)) {
            break;
        }
    }
    x.end_step(island, taken, s);
    Ok(())
}
