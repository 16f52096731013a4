//! `Coupled<E>`: entries plus an exchange between them, as one solver.
//!
//! [`SolverCoupled`] is the one without exchange: entries that do not push each other, though
//! some may follow the bodies of others.
//! The exchange decides the schedule of a step; everything else (distribution,
//! reconciliation, snapshots, model changes) is the same for all couplers.

use coact_math::{Spatial, Vec3};
use coact_model::{EntityId, ModelFlags, ModelView, State, StateFields};
use coact_solver::{
    CouplingCapabilities, CouplingInterface, Endpoint, EndpointState, Loads, MassBlock, ProxyMotion,
    Response, Snapshot, Solver, SolverError, StepInput, StepReport, check_step_size,
};

use crate::follow::{FollowerViews, Followers};
use crate::partition::{check_entries, check_links};
use crate::summary::{begin_report, finish_report};
use crate::{CouplingError, Entries, EntryDef, Parent};

/// What entries give each other in a step, and in which order they take it.
pub trait Exchange: Send {
    /// The coupler's word for reports.
    fn kind(&self) -> &'static str;

    /// How many interfaces there are.
    fn interface_count(&self) -> usize;

    /// Advances all entries by `dt`.
    ///
    /// # Errors
    /// Those of the entries' solvers.
    fn step(
        &mut self,
        entries: &mut Entries,
        input: &StepInput,
        dt: f64,
        report: &mut StepReport,
    ) -> Result<(), SolverError>;

    /// Saves what persists between steps.
    fn save_into(&self, to: &mut Snapshot);

    /// Goes back to what was saved.
    fn restore(&mut self, from: &Snapshot);

    /// Chosen entities were put elsewhere; the entries know already.
    fn reset(&mut self, chosen: &[EntityId]);

    /// The model changed; the entries know already.
    fn notify_model_changed(&mut self, entries: &mut Entries, flags: ModelFlags);
}

/// Entries that do not push each other; some may follow the bodies of others.
#[derive(Debug, Default)]
pub struct Independent {
    followers: Followers,
}

impl Exchange for Independent {
    fn kind(&self) -> &'static str {
        "coupled"
    }

    fn interface_count(&self) -> usize {
        0
    }

    fn step(
        &mut self,
        entries: &mut Entries,
        input: &StepInput,
        dt: f64,
        report: &mut StepReport,
    ) -> Result<(), SolverError> {
        begin_report(entries, std::iter::empty(), report);
        self.followers.begin(entries);
        for i in (0..entries.list.len()).filter(|&i| !self.followers.contains(i)) {
            entries.list[i].step(input, dt, &mut report.entries[i])?;
        }
        self.followers.step(entries, input, dt, &mut report.entries)?;
        finish_report(report);
        Ok(())
    }

    fn save_into(&self, _to: &mut Snapshot) {}
    fn restore(&mut self, _from: &Snapshot) {}
    fn reset(&mut self, _chosen: &[EntityId]) {}
    fn notify_model_changed(&mut self, _entries: &mut Entries, _flags: ModelFlags) {}
}

/// Entries and their exchange.
pub struct Coupled<E> {
    pub(crate) view: ModelView,
    pub(crate) entries: Entries,
    pub(crate) exchange: E,
}

/// Several solvers on one model, without interaction but of those that follow bodies of others.
pub type SolverCoupled = Coupled<Independent>;

impl SolverCoupled {
    /// Builds the entries on a model; inside another coupler, on the entry's view.
    ///
    /// # Errors
    /// What cannot work, by name and with a remedy.
    pub fn new<'a>(parent: impl Into<Parent<'a>>, defs: Vec<EntryDef>) -> Result<Self, CouplingError> {
        let parent = parent.into();
        let model = parent.model;
        let owners = check_entries(parent, &defs)?;
        let names: Vec<String> = defs.iter().map(|d| d.name.clone()).collect();
        check_links(model, &names, &owners, &|_, _| false)?;
        let order: Vec<usize> = (0..defs.len()).collect();
        let followers = Followers::new(&defs);
        let entries = Entries::build(model, defs, owners, &order, &mut FollowerViews(&followers))?;
        followers.check(&entries)?;
        Ok(Self { view: parent.view(), entries, exchange: Independent { followers } })
    }
}

impl<E> Coupled<E> {
    /// The entries.
    pub fn entries(&self) -> &Entries {
        &self.entries
    }
}

/// What a coupler saves: its entries' snapshots and its own state.
#[derive(Default)]
struct CoupledSnapshot {
    entries: Vec<Snapshot>,
    exchange: Snapshot,
}

impl<E: Exchange> Solver for Coupled<E> {
    fn kind(&self) -> &'static str {
        self.exchange.kind()
    }

    fn load(&mut self, state: &State) {
        self.entries.load(state);
    }

    fn reset(&mut self, state: &State, chosen: &[EntityId]) {
        self.entries.reset(state, chosen);
        self.exchange.reset(chosen);
    }

    fn step(&mut self, input: &StepInput, dt: f64, report: &mut StepReport) -> Result<(), SolverError> {
        check_step_size(dt)?;
        self.exchange.step(&mut self.entries, input, dt, report)
    }

    fn store(&mut self, fields: StateFields, out: &mut State) {
        self.entries.store(fields, out);
    }

    fn save_into(&self, to: &mut Snapshot) {
        let saved = to.slot::<CoupledSnapshot>();
        self.entries.save_into(&mut saved.entries);
        self.exchange.save_into(&mut saved.exchange);
    }

    fn restore(&mut self, from: &Snapshot) {
        if let Some(saved) = from.get::<CoupledSnapshot>() {
            self.entries.restore(&saved.entries);
            self.exchange.restore(&saved.exchange);
        }
    }

    fn notify_model_changed(&mut self, view: &ModelView, flags: ModelFlags) {
        self.view.clone_from(view);
        self.entries.notify_model_changed(view.model(), flags);
        self.exchange.notify_model_changed(&mut self.entries, flags);
    }

    fn stored_energy(&mut self) -> f64 {
        self.entries.list.iter_mut().map(|e| e.solver.stored_energy()).sum()
    }

    fn append_loads(&self, out: &mut Loads) {
        self.entries.list.iter().for_each(|e| e.solver.append_loads(out));
    }
}

/// A coupler as an entry of another: each hook goes to the entry that owns the endpoint.
impl<E: Exchange> CouplingInterface for Coupled<E> {
    fn view(&self) -> &ModelView {
        &self.view
    }

    fn capabilities(&self) -> CouplingCapabilities {
        let own = self.entries.common_capabilities();
        // The response of an endpoint that is in an interface is not its entry's alone.
        let alone = self.exchange.interface_count() == 0;
        CouplingCapabilities { response: own.response && alone, impulses: own.impulses && alone, ..own }
    }

    fn read_interface(&mut self, set: &[Endpoint], out: &mut [EndpointState]) {
        self.entries.for_owners(set, |e, rows| e.solver.read_interface(&set[rows.clone()], &mut out[rows]));
    }

    fn write_interface(&mut self, set: &[Endpoint], states: &[EndpointState]) {
        self.entries.for_owners(set, |e, rows| e.solver.write_interface(&set[rows.clone()], &states[rows]));
    }

    fn effective_mass(&mut self, set: &[Endpoint], out: &mut [MassBlock]) {
        self.entries.for_owners(set, |e, rows| e.solver.effective_mass(&set[rows.clone()], &mut out[rows]));
    }

    fn begin_proxies(&mut self, _set: &[Endpoint], _motions: &[ProxyMotion], _dt: f64) {
        debug_assert!(false, "a coupler takes no proxies: its capabilities say so");
    }

    fn notify_input_state(&mut self, fields: StateFields, restart: bool, dt: f64) {
        self.entries.list.iter_mut().for_each(|e| e.solver.notify_input_state(fields, restart, dt));
    }

    fn gravity_acceleration(&mut self, set: &[Endpoint], out: &mut [Vec3]) {
        self.entries
            .for_owners(set, |e, rows| e.solver.gravity_acceleration(&set[rows.clone()], &mut out[rows]));
    }

    fn response(&mut self, set: &[Endpoint], dt: f64, out: &mut [Response]) {
        self.entries.for_owners(set, |e, rows| e.response(&set[rows.clone()], dt, &mut out[rows]));
    }

    fn cross_response(&mut self, a: &Endpoint, b: &Endpoint, dt: f64) -> Option<Response> {
        let owner =
            self.entries.owners.of(a).filter(|_| self.entries.owners.of(b) == self.entries.owners.of(a));
        self.entries.list[owner?].cross_response(a, b, dt)
    }

    fn apply_impulses(&mut self, set: &[Endpoint], impulses: &[Spatial]) {
        self.entries.for_owners(set, |e, rows| e.solver.apply_impulses(&set[rows.clone()], &impulses[rows]));
    }
}
