//! All entries of a coupler: building, distribution, reconciliation, snapshots.
//!
//! Distribution: each entry loads the global state and takes what it owns. Reconciliation:
//! each entry stores into the global state, and by the solver contract writes only rows
//! that it owns; ownership is disjoint, so the order of entries does not matter.

use coact_model::{EntityId, Model, ModelFlags, ModelView, Ownership, State, StateFields};
use coact_solver::Snapshot;

use crate::partition::Owners;
use crate::{CouplingError, Entry, EntryDef};

/// The entries of a coupler, in order of declaration.
pub struct Entries {
    pub(crate) list: Vec<Entry>,
    pub(crate) owners: Owners,
}

/// What an exchange does to entries while they are built.
pub(crate) trait ViewSetup {
    /// Adds proxies to what the entry owns.
    fn extend_ownership(&self, entry: usize, ownership: &mut Ownership);
    /// Edits the view before the solver is made; `built` holds the entries that came first.
    fn edit_view(&mut self, entry: usize, view: &mut ModelView, built: &mut [Option<Entry>]);
}

impl Entries {
    /// Makes views and solvers in `order` (every entry once).
    pub(crate) fn build(
        model: &Model,
        defs: Vec<EntryDef>,
        owners: Owners,
        order: &[usize],
        setup: &mut dyn ViewSetup,
    ) -> Result<Self, CouplingError> {
        let mut defs: Vec<Option<EntryDef>> = defs.into_iter().map(Some).collect();
        let mut built: Vec<Option<Entry>> = defs.iter().map(|_| None).collect();
        for &i in order {
            let Some(def) = defs[i].take() else { continue };
            let mut ownership = def.ownership();
            setup.extend_ownership(i, &mut ownership);
            let mut view = ModelView::new(model, ownership);
            setup.edit_view(i, &mut view, &mut built);
            built[i] = Some(Entry::build(def.name, view, def.substeps, def.build)?);
        }
        Ok(Self { list: built.into_iter().flatten().collect(), owners })
    }

    /// By name.
    pub fn get(&self, name: &str) -> Option<&Entry> {
        self.list.iter().find(|e| e.name == name)
    }

    /// In order of declaration.
    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.list.iter()
    }

    pub(crate) fn load(&mut self, state: &State) {
        self.list.iter_mut().for_each(|e| e.solver.load(state));
    }

    pub(crate) fn reset(&mut self, state: &State, chosen: &[EntityId]) {
        self.list.iter_mut().for_each(|e| e.solver.reset(state, chosen));
    }

    pub(crate) fn store(&mut self, fields: StateFields, out: &mut State) {
        self.list.iter_mut().for_each(|e| e.solver.store(fields, out));
    }

    pub(crate) fn save_into(&self, to: &mut Vec<Snapshot>) {
        to.resize_with(self.list.len(), Snapshot::new);
        self.list.iter().zip(to).for_each(|(e, s)| e.solver.save_into(s));
    }

    pub(crate) fn restore(&mut self, from: &[Snapshot]) {
        self.list.iter_mut().zip(from).for_each(|(e, s)| e.solver.restore(s));
    }

    pub(crate) fn notify_model_changed(&mut self, parent: &Model, flags: ModelFlags) {
        self.list.iter_mut().for_each(|e| e.notify_model_changed(parent, flags));
    }
}
